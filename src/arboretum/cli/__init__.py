"""The command line: `arboretum fit rows.csv --target play -o model.json` and its relatives.

Results go to standard output, notes and errors to standard error. Commands compute nothing that Python could
not ask for as well.

    main       the application: errors and exit codes
    commands/  one module per command
    options    options that commands share, in groups
    values     options of an estimator as text: numbers, strategies, lists, matrices
    training   a table to learn from, and the estimator for it
    models     a model, and the tables it predicts
    scores     what `fit --test` and `evaluate` report
    printing   notes, tables, JSON, progress
    cautions   the library's warnings as notes
    outputs    which format a file has, and which files may be written
    tables/    tables in files
"""

import sys

__all__ = ["interrupted", "main"]


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    try:
        _run()
    except KeyboardInterrupt:  # while the commands are loaded; later they handle it themselves
        sys.exit(interrupted())


def _run() -> None:
    try:
        import typer  # noqa: F401
    except ImportError:
        sys.exit("arboretum: the command line needs typer and rich. Hint: pip install 'arboretum[cli]'.")
    from arboretum.cli.main import app

    app(prog_name="arboretum")


def interrupted() -> int:
    """Say that Ctrl-C ended the work, and return its exit code."""
    print("arboretum: interrupted; no file was written.", file=sys.stderr)
    return 130
