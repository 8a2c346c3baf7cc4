"""The commands together: one application, its errors and its exit codes.

Words: exit code 0 is fine, 1 means that the work failed, 2 that what was given cannot be used, 130 that it
was interrupted. An error is one sentence on standard error; ARBORETUM_DEBUG=1 shows where it came from.
"""

from __future__ import annotations

import errno
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

from arboretum.cli import interrupted
from arboretum.cli.candidates import candidates
from arboretum.cli.demo import demo
from arboretum.cli.evaluate import evaluate
from arboretum.cli.experiment import experiment
from arboretum.cli.export import export
from arboretum.cli.fit import fit
from arboretum.cli.predict import predict
from arboretum.cli.prune import prune
from arboretum.cli.show import show
from arboretum.cli.speaking import WorkError
from arboretum.cli.version import show_version, version
from arboretum.errors import ArboretumError, DataError, PackageError
from arboretum.visible import visible_lines

__all__ = ["app"]

_FAILED, _UNUSABLE, _INTERRUPTED = 1, 2, 130
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# Typer's own errors of usage; their class is not among its public names, but is an ancestor of one.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Commands(TyperGroup):
    """The commands, whose errors are told in one sentence."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and end the process with its exit code."""
        extra["standalone_mode"] = False
        _spell_out()
        with _ending_politely():
            sys.exit(self._run(*args, **extra))

    def _run(self, *args: Any, **extra: Any) -> int:
        try:
            code = super().main(*args, **extra)
            sys.stdout.flush()
            if code == _INTERRUPTED:  # so Typer tells it
                return interrupted()
            return code if isinstance(code, int) else 0
        except KeyboardInterrupt:
            return interrupted()
        except _UsageError as error:
            return _refused(error)
        except ArboretumError as error:
            failed = isinstance(error, WorkError | PackageError) or _is_full(error.__cause__)
            return _told(error, _FAILED if failed else _UNUSABLE)
        except BrokenPipeError:  # whoever reads has seen enough
            _forget_output()
            return _FAILED
        except OSError as error:
            if not _is_full(error):
                return _told(error, _FAILED, "this should not have happened: ")
            _forget_output()
            return _told(DataError(f"Standard output cannot be written: {error.strerror}."), _FAILED)
        except Exception as error:
            return _told(error, _FAILED, "this should not have happened: ")


def _is_full(error: object) -> bool:
    """Tell whether there was no room for what is written, or the disk does not take it."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def _forget_output() -> None:
    """Let go of what is left in the buffer of standard output: it has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _spell_out() -> None:
    """Let what a terminal or pipe cannot show be spelt out, rather than end the work."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _refused(error: Any) -> int:
    """Tell wrong usage; a command without any words shows its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(visible_lines(error.format_message()), file=sys.stderr)
        return _UNUSABLE
    context = getattr(error, "ctx", None)
    path = "arboretum" if context is None else context.command_path
    sentence = _sentence(error.format_message()).rstrip(".")
    end = "" if sentence.endswith("?") else "."
    print(f"arboretum: {sentence}{end} Hint: {path} --help.", file=sys.stderr)
    return _UNUSABLE


def _told(error: BaseException, code: int, lead: str = "") -> int:
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
    """Let a request to end clean up as Ctrl-C does."""

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


app = typer.Typer(
    cls=Commands,
    help="Decision trees that are grown fast and easy to read.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for _command in (demo, fit, show, predict, evaluate, prune, export, experiment, candidates, version):
    app.command()(_command)


@app.callback()
def _everything(version: show_version = False) -> None:
    """Decision trees that are grown fast and easy to read."""
