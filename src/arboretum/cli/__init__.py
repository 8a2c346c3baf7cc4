"""The command line: `arboretum fit rows.csv --target play -o model.json` and its relatives.

Words: a *command* is the first word after `arboretum`; each has a file of its own here. Results go to
standard output, notes and errors to standard error. Nothing is computed here that Python could
not ask for as well.

    main         the commands together, errors, exit codes
    options      what several commands take, with its help
    speaking     notes, tables, JSON
    values       options of an estimator as they are written on a command line
    loading      tables with their kinds, models, from the options that name them
    scores       what `fit --test` and `evaluate` tell
"""

import sys

__all__ = ["interrupted", "main"]


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    try:
        _run()
    except KeyboardInterrupt:  # while the commands were loaded; they answer for themselves
        sys.exit(interrupted())


def _run() -> None:
    try:
        import typer  # noqa: F401
    except ImportError:
        sys.exit("arboretum: the command line needs typer and rich. Hint: pip install 'arboretum[cli]'.")
    from arboretum.cli.main import app

    app(prog_name="arboretum")


def interrupted() -> int:
    """Tell that Ctrl-C has ended the work, and return the exit code for it."""
    print("arboretum: interrupted; no file was written.", file=sys.stderr)
    return 130
