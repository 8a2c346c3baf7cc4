"""What the commands print: results to standard output, notes to standard error, JSON for machines.

With --json there is one document and no note. Colours and progress bars are rich's, which leaves them out in
pipes and files.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from arboretum._wording import many, visible, visible_json, visible_lines
from arboretum.cli.options import option
from arboretum.errors import ArboretumError

if TYPE_CHECKING:
    from arboretum.cli.tables.kinds import Report

_PIPE_WIDTH: Final = 200
_MOST_COLUMNS: Final = 100  # that are shown one by one


class WorkError(ArboretumError):
    """The request is understood, but cannot be carried out."""


@dataclass(frozen=True)
class Printer:
    """Prints what a command has to say: everything, results only, or JSON."""

    quiet: Annotated[bool, option("No notes, and no word about files written.", "--quiet", "-q")] = False
    json: Annotated[bool, option("A JSON document on standard output, and no notes.", "--json")] = False

    @property
    def silent(self) -> bool:
        """Whether notes are left out."""
        return self.json or self.quiet

    def note(self, sentence: str) -> None:
        """Print a sentence for the person at the keyboard."""
        if not self.silent:
            print(visible(sentence), file=sys.stderr, flush=True)

    def result(self, text: str, document: Mapping[str, Any]) -> None:
        """Print the result: a text for people, or a document for machines."""
        if self.json:
            print(visible_json(json.dumps(plain(document), ensure_ascii=False, indent=2)))
        else:
            print(visible_lines(text))

    def done(self, text: str, document: Mapping[str, Any]) -> None:
        """Print what was done where the result is in a file: a text, unless that is a note too many."""
        if self.json or not self.quiet:
            self.result(text, document)

    def kinds(self, reports: Sequence[Report], roles: Mapping[str, str]) -> None:
        """Show what the columns were taken for; `roles` are those of the target and others."""
        if self.silent:
            return
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        if not console.is_terminal:
            console = Console(stderr=True, highlight=False, width=_PIPE_WIDTH)
        shown = reports[:_MOST_COLUMNS]
        console.print(_table_of(shown, roles))
        for report in shown:
            for note in report.notes:
                self.note(f"{report.name}: {note}")
        if len(shown) < len(reports):
            self.note(f"… and {many(len(reports) - len(shown), 'more column')} (--json shows all)")

    @contextmanager
    def progress(self, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Show a bar, on a terminal only; yield a function that takes the number of bytes read so far."""
        if self.silent or not sys.stderr.isatty():
            yield lambda n_bytes: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        with bar:
            task = bar.add_task(what, total=total)
            yield lambda n_bytes: bar.update(task, completed=n_bytes)


def _table_of(reports: Sequence[Report], roles: Mapping[str, str]) -> Any:
    """Return a table of columns with their kinds; a heading with nothing below it is left out."""
    from rich.markup import escape
    from rich.table import Table

    rows = [
        {
            "column": report.name,
            "kind": ", ".join(filter(None, (report.kind, roles.get(report.name)))),
            "missing": f"{report.missing:,}{_tokens(report)}" if report.missing else "",
            "values": report.values,
        }
        for report in reports
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    shown = [heading for heading in rows[0] if any(row[heading] for row in rows)]
    for heading in shown:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(escape(visible(row[heading])) for heading in shown))
    return table


def _tokens(report: Report) -> str:
    counts = sorted(report.tokens.items(), key=lambda entry: -entry[1])
    return f" ({', '.join(f'{token!r} {count:,}' for token, count in counts)})" if counts else ""


def wrote(path: str) -> str:
    """Return the sentence about a file that was written."""
    return visible(f"wrote {path}")


def plain(value: Any) -> Any:
    """Return a value in JSON's own types; what is not a number there is null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
