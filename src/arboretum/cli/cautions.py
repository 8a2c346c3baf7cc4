"""The library's warnings in the words of the command line: one note each, and a list in the document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from arboretum._data.changes import FEWEST_CONSTANT, ConstantColumn
from arboretum._tree.table_warnings import constants_warning
from arboretum._warning import first_of_each, heard
from arboretum.cli.options import renamed
from arboretum.cli.printing import Printer
from arboretum.errors import ArboretumWarning, ConstantColumnWarning, IdentifierWarning, TextWarning


@dataclass
class Cautions:
    """The warnings of a command, in the order in which they came."""

    flags: Mapping[str, str] = field(default_factory=dict)  # of the library's options
    nominal: Collection[str] = ()  # columns that are meant to be text
    found: list[ArboretumWarning] = field(default_factory=list)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Collect the first warning of each class in a block."""
        with heard() as found, first_of_each(*map(type, self.found)):
            yield
        self.found += [warning for warning in found if not self._is_meant(warning)]

    def _is_meant(self, warning: ArboretumWarning) -> bool:
        return isinstance(warning, TextWarning) and warning.columns.keys() <= set(self.nominal)

    def report(self, printer: Printer, told: Collection[str] = ()) -> None:
        """Print a note for each; not of columns alone that a note has told about before."""
        for warning in self.found:
            if not warning.columns or not warning.columns.keys() <= set(told):
                printer.note(f"warning: {self._words(warning)}")

    @property
    def document(self) -> list[dict[str, Any]]:
        """The warnings for machines."""
        return [
            {
                "warning": type(warning).__name__,
                "message": self._words(warning),
                "columns": list(warning.columns),
            }
            for warning in self.found
        ]

    def _words(self, warning: ArboretumWarning) -> str:
        found, _, hint = renamed(str(warning), self.flags).partition("\nHint: ")
        if (own := _HINTS.get(type(warning))) is not None:
            hint = own(list(warning.columns))
        return f"{found} Hint: {hint.replace('pruning_path_ lists', 'arboretum prune lists')}"


def _drop(columns: Sequence[str]) -> str:
    return f"--drop {','.join(columns)} leaves {'it' if len(columns) == 1 else 'them'} out."


def _convert(columns: Sequence[str]) -> str:
    names = ",".join(columns)
    return (
        f"--numeric {names} shows the first value that is not a number, --missing-values makes it missing; "
        f"--nominal {names} says that text is meant."
    )


_HINTS: Final[dict[type, Callable[[Sequence[str]], str]]] = {IdentifierWarning: _drop, TextWarning: _convert}


@dataclass
class ConstantColumns:
    """The columns that are the same in all rows so far, where rows come in pieces."""

    n_rows: int = 0
    values: dict[str, str | None] = field(default_factory=dict)

    @contextmanager
    def watching(self, n_rows: int) -> Iterator[None]:
        """Keep the columns that have the same value in this piece as well; few rows say nothing."""
        with heard() as found:
            yield
        if n_rows < FEWEST_CONSTANT:
            return
        here = next((each.columns for each in found if isinstance(each, ConstantColumnWarning)), {})
        before = self.values if self.n_rows else here
        self.values = {name: value for name, value in here.items() if before.get(name, "") == value}
        self.n_rows += n_rows

    @property
    def cautions(self) -> Cautions:
        """The warning about them, if there are some."""
        constants = [ConstantColumn(name, value) for name, value in self.values.items()]
        return Cautions(found=[constants_warning(constants, self.n_rows)] if constants else [])
