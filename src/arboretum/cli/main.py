"""The application: the commands together, their errors and exit codes.

The exit code is 0 for success, 1 if the work failed, 2 if what was given cannot be used, and 130 after
Ctrl-C. An error is one sentence on standard error; ARBORETUM_DEBUG=1 shows where it came from.
"""

from __future__ import annotations

import errno
import inspect
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from arboretum._wording import visible_lines
from arboretum.cli import interrupted
from arboretum.cli.commands.candidates import candidates
from arboretum.cli.commands.demo import demo
from arboretum.cli.commands.evaluate import evaluate
from arboretum.cli.commands.experiment import experiment
from arboretum.cli.commands.explain import explain
from arboretum.cli.commands.export import export, exporters
from arboretum.cli.commands.fit import fit
from arboretum.cli.commands.predict import predict
from arboretum.cli.commands.prune import prune
from arboretum.cli.commands.report import report
from arboretum.cli.commands.show import show
from arboretum.cli.commands.trace import trace
from arboretum.cli.commands.version import ShowVersion, version
from arboretum.cli.options import grouped
from arboretum.cli.printing import WorkError
from arboretum.errors import ArboretumError, DataError, PackageError

_FAILED, _UNUSABLE, _INTERRUPTED = 1, 2, 130
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# Typer's own errors of usage; their class is not among its public names, but is an ancestor of one.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Commands(TyperGroup):
    """The commands, whose errors are one sentence."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, with what takes time to load.

        What grows a tree gets the estimators' options, and `export` the names of the exports.
        """
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and name == "export":
            to: Any = next(param for param in command.params if param.name == "to")
            to.help = f"{', '.join(exporters())}."
        return name, in_full(name) if command is not None and name in GROWING else command, rest

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and end the process with its exit code."""
        extra["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # spell out what a terminal cannot show, rather than fail
                stream.reconfigure(errors="backslashreplace")
        with _ending_politely():
            sys.exit(self._run(*args, **extra))

    def _run(self, *args: Any, **extra: Any) -> int:
        try:
            code = super().main(*args, **extra)
            sys.stdout.flush()
            if code == _INTERRUPTED:  # Typer's own way to report it
                return interrupted()
            return code if isinstance(code, int) else 0
        except KeyboardInterrupt:
            return interrupted()
        except _UsageError as error:
            return _report_usage(error)
        except ArboretumError as error:
            failed = isinstance(error, WorkError | PackageError) or _is_full(error.__cause__)
            return _report(error, _FAILED if failed else _UNUSABLE)
        except BrokenPipeError:  # the reader has seen enough
            _forget_output()
            return _FAILED
        except MemoryError:
            return _report(MemoryError("there is not enough memory for this."), _FAILED)
        except OSError as error:
            if not _is_full(error):
                return _report(error, _FAILED, "this should not have happened: ")
            _forget_output()
            return _report(DataError(f"Standard output cannot be written: {error.strerror}."), _FAILED)
        except Exception as error:
            return _report(error, _FAILED, "this should not have happened: ")


def _is_full(error: object) -> bool:
    """Return whether there was no room for the output, or the disk failed."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def _forget_output() -> None:
    """Discard what is left in the buffer of standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_usage(error: Any) -> int:
    """Print an error of usage; `arboretum` alone shows its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(visible_lines(error.format_message()), file=sys.stderr)
        return _UNUSABLE
    context = getattr(error, "ctx", None)
    path = "arboretum" if context is None else context.command_path
    sentence = _sentence(error.format_message()).rstrip(".")
    end = "" if sentence.endswith("?") else "."
    print(f"arboretum: {sentence}{end} Hint: {path} --help.", file=sys.stderr)
    return _UNUSABLE


def _report(error: BaseException, code: int, lead: str = "") -> int:
    if os.environ.get("ARBORETUM_DEBUG"):
        import traceback

        print(visible_lines("".join(traceback.format_exception(error))), end="", file=sys.stderr)
        return code
    sentence = _sentence(str(error)) or type(error).__name__
    if lead:
        sentence = f"{lead}{type(error).__name__}: {sentence} Hint: ARBORETUM_DEBUG=1 shows where."
    print(f"arboretum: {sentence}", file=sys.stderr)
    return code


def _sentence(text: str) -> str:
    """Return a message on one line that is safe to print."""
    return " ".join(visible_lines(text).split())


@contextmanager
def _ending_politely() -> Iterator[None]:
    """Let SIGTERM clean up as Ctrl-C does."""

    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# The commands that take the estimators' options, by name.
GROWING: dict[str, Any] = {"fit": fit, "trace": trace}

app: typer.Typer = typer.Typer(
    cls=Commands,
    help="Decision trees that are grown fast and easy to read.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for _command in (
    demo,
    fit,
    show,
    report,
    predict,
    explain,
    evaluate,
    prune,
    export,
    experiment,
    candidates,
    trace,
    version,
):
    app.command()(_command)


def in_full(name: str) -> Any:
    """Return a command that grows a tree with an option for every parameter of the estimators."""
    from arboretum.cli.training import estimator_options

    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(grouped(inspect.unwrap(GROWING[name]), growth=estimator_options()))
    return typer.main.get_command(alone)


@app.callback()
def _everything(version: ShowVersion = False) -> None:
    """Decision trees that are grown fast and easy to read."""
