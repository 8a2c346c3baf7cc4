"""What a model file says of the columns of the training data; older files say nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arboretum._data import Column
from arboretum._data.suspicions import LIKENESSES, Suspicion
from arboretum._store.tree_document import field_of
from arboretum._wording import many, shown
from arboretum.errors import DataError


def column_facts_from(stored: dict[str, Any], columns: tuple[Column, ...], n_rows: int) -> dict[str, Any]:
    """Return the counts and suspicions of a file, each None if the file has none."""

    def is_missing(value: Any, column: Column) -> bool:
        return type(value) is int and 0 <= value <= n_rows

    def is_level(value: Any, column: Column) -> bool:
        if column.levels is None:
            return value is None
        return type(value) is int and 0 <= value <= len(column.levels)

    return {
        "missing": _counts(stored, "missing", columns, is_missing),
        "levels": _counts(stored, "levels", columns, is_level),
        "suspicions": _suspicions(stored, columns),
    }


def _counts(
    stored: dict[str, Any], name: str, columns: tuple[Column, ...], fits: Callable[[Any, Column], bool]
) -> tuple[Any, ...] | None:
    values = field_of(stored, name, list, optional=True, of="model")
    if values is None:
        return None
    if len(values) != len(columns):
        raise DataError(f"it has {many(len(columns), 'column')}, but {name} of {len(values)}")
    for value, column in zip(values, columns, strict=True):
        if not fits(value, column):
            raise DataError(f"its count {shown(value)} in {name} does not fit column {shown(column.name)}")
    return tuple(values)


def _suspicions(stored: dict[str, Any], columns: tuple[Column, ...]) -> tuple[Suspicion, ...] | None:
    listed = field_of(stored, "suspicions", list, optional=True, of="model")
    if listed is None:
        return None
    names = {column.name for column in columns}
    found = [_suspicion(each) for each in listed]
    if len({each.column for each in found}) < len(found) or any(each.column not in names for each in found):
        raise DataError("its suspicions name a column twice, or one that is not there")
    return tuple(found)


def _suspicion(stored: Any) -> Suspicion:
    if not isinstance(stored, dict):
        raise DataError("its suspicions are not objects")
    texts = [field_of(stored, name, str, of="model") for name in ("column", "looks_like", "example")]
    count, of = (field_of(stored, name, int, of="model") for name in ("count", "of"))
    if texts[1] not in LIKENESSES or not 0 <= count <= of < 2**63:
        raise DataError(
            f"it suspects a column of being {shown(texts[1])}, in {shown(count)} of {shown(of)} rows"
        )
    odd = field_of(stored, "odd", str, optional=True, of="model")
    return Suspicion(texts[0], texts[1], texts[2], count, of, odd)
