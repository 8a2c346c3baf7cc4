"""All kinds of questions. To add one, write its class, list it here, and teach the core to route it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arboretum._data import Column
from arboretum._tree.composites import AtLeast, Linear
from arboretum._tree.questions import Levels, Missing, Question, Row, Threshold
from arboretum._tree.tables import Table
from arboretum.errors import DataError

KINDS: Final[dict[int, type[Question]]] = {
    kind.kind: kind for kind in (Threshold, Levels, Missing, AtLeast, Linear)
}
COMPOSITE: Final = (AtLeast.kind, Linear.kind)


def decode(questions: Table, number: int, columns: Sequence[Column]) -> Question:
    """Return the question in a row of a table."""
    row = Row(questions, number, columns)
    kind = KINDS.get(int(row["kind"]))
    if kind is None:
        raise DataError("The tree asks a question of an unknown kind.")
    return kind._decode((row.column, int(row["missing_child"]), bool(row["missing_seen"])), row)
