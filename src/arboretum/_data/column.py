"""What a fitted tree remembers of a column: its name, its kind, and how to print its values.

The kind says what can be asked of the column. The values themselves are in `ColumnData`, in *stored form*:
the numbers that stand for them in memory.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, get_args

import numpy as np

from arboretum._data.collisions import first_repeated
from arboretum._data.levels import level_from_json, level_key, level_text, level_to_json, number_text
from arboretum._data.times import UNITS, duration_text, instant_text, plain_duration, plain_instant
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError, choices

Kind = Literal["number", "integer", "datetime", "duration", "ordered", "nominal"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
# Unsigned 64-bit integers beyond int64 are stored minus this, which keeps their order and every bit.
BIG_OFFSET: Final = 2**63
_PLAIN: Final = (str, bool, int, float, dt.date, dt.timedelta, np.datetime64, np.timedelta64)


@dataclass(frozen=True)
class Column:
    """The name and kind of a column, with the levels, unit, time zone or offset that its kind needs.

    >>> Column("born", "datetime", unit="D").format(19_783)
    '2024-03-01'
    >>> Column("size", "ordered", levels=("small", "large")).format(1)
    'large'
    """

    name: str
    kind: Kind
    levels: tuple[object, ...] | None = None
    unit: str | None = None
    timezone: str | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(choices("kind", self.kind, KINDS))
        has_levels = self.kind in ("ordered", "nominal")
        if has_levels != (self.levels is not None):
            need = "needs its levels" if has_levels else "has no levels"
            raise ParameterError(f"Column {self.name!r} is of kind {self.kind!r}, which {need}.")
        if self.levels is not None:
            object.__setattr__(self, "levels", _checked_levels(self.name, self.levels))
        has_unit = self.kind in ("datetime", "duration")
        if self.unit not in (UNITS if has_unit else (None,)):
            raise ParameterError(choices("unit", self.unit, UNITS if has_unit else (None,)))
        if self.timezone is not None and self.kind != "datetime":
            raise ParameterError(f"Column {self.name!r} is of kind {self.kind!r}, which has no time zone.")
        if self.offset not in ((0, BIG_OFFSET) if self.kind == "integer" else (0,)):
            raise ParameterError(f"Column {self.name!r} of kind {self.kind!r} has the offset {self.offset}.")

    def format(self, value: Any) -> str:
        """Return a threshold or level number, given in stored form, as it is printed."""
        match self.kind:
            case "number":
                return number_text(value)
            case "integer":
                return _integer_text(value, self.offset)
            case "datetime":
                return instant_text(value, str(self.unit), aware=self.timezone is not None)
            case "duration":
                return duration_text(value, str(self.unit))
            case _:
                return self._level(value)

    def plain(self, value: float | int) -> object:
        """Return a value in stored form as people have it: a number, a level, a date or a duration.

        >>> Column("born", "datetime", unit="D").plain(19_783)
        datetime.date(2024, 3, 1)
        """
        match self.kind:
            case "number":
                return float(value)
            case "integer":
                return int(value) + self.offset
            case "datetime":
                return plain_instant(int(value), self.unit, aware=self.timezone is not None)
            case "duration":
                return plain_duration(int(value), self.unit)
            case _:
                return (self.levels or ())[int(value)]

    def _level(self, value: float) -> str:
        levels = self.levels or ()
        number = math.floor(value)  # `x <= 1.5` asks the same of whole level numbers as `x <= 1`
        if not 0 <= number < len(levels):
            raise ParameterError(
                f"Column {self.name!r} has {many(len(levels), 'level')}, but level {number} was asked for."
            )
        return level_text(levels[number])

    def to_dict(self) -> dict[str, object]:
        """Return the column in JSON's own types; what is not set is left out."""
        stored: dict[str, object] = {"name": self.name, "kind": self.kind}
        if self.levels is not None:
            stored["levels"] = [level_to_json(level) for level in self.levels]
        if self.unit is not None:
            stored["unit"] = self.unit
        if self.timezone is not None:
            stored["timezone"] = self.timezone
        if self.offset:
            stored["offset"] = self.offset
        return stored

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Column:
        """Return the column that `to_dict` wrote; anything else is refused with a DataError."""
        if not isinstance(stored, Mapping):
            raise DataError(f"A stored column is an object with a name and a kind, not {shown(stored)}.")
        fields = dict(stored)
        for field, types in _FIELDS.items():
            if field in fields and (not isinstance(fields[field], types) or isinstance(fields[field], bool)):
                raise DataError(
                    f"The stored column {shown(fields.get('name'))} has the {field} {shown(fields[field])}."
                )
        unknown = sorted(map(str, fields.keys() - _FIELDS.keys()))
        lacking = sorted({"name", "kind"} - fields.keys())
        if unknown or lacking:
            fault = f"the unknown field {unknown[0]!r}" if unknown else f"no {lacking[0]}"
            raise DataError(f"The stored column {shown(fields.get('name'))} has {fault}.")
        if "levels" in fields:
            fields["levels"] = tuple(level_from_json(level) for level in fields["levels"])
        try:
            return cls(**fields)
        except ParameterError as error:
            raise DataError(f"The stored column {fields['name']!r} is damaged: {error}") from error


_FIELDS: Final[dict[str, type | tuple[type, ...]]] = {
    "name": str,
    "kind": str,
    "levels": (list, tuple),
    "unit": str,
    "timezone": str,
    "offset": int,
}


def _checked_levels(name: str, levels: Iterable[object]) -> tuple[object, ...]:
    """Return the levels as a tuple; refuse a level that is not a plain value or that occurs twice."""
    checked = tuple(levels)
    for level in checked:
        if not isinstance(level, _PLAIN) or (isinstance(level, float) and math.isnan(level)):
            raise ParameterError(
                f"Column {name!r} has the level {level!r}; a level is text, a number or a date."
            )
    twice = first_repeated([level_key(level) for level in checked], f"The levels of column {name!r}")
    if twice is not None:
        raise ParameterError(f"Column {name!r} has the level {checked[twice]!r} twice.")
    return checked


def _integer_text(value: Any, offset: int) -> str:
    """Return an integer or a midpoint of two integers with every digit, without going through a double."""
    if isinstance(value, int | np.integer):
        return str(int(value) + offset)
    number = float(value)
    if math.isfinite(number) and (number * 2).is_integer():
        whole = math.floor(number)
        exact = whole + offset
        return str(exact) if number == whole else str(Decimal(2 * exact + 1) / 2)
    return number_text(number + offset)
