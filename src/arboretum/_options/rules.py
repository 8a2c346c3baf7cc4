"""Rules for the values of options: what is allowed, in words, and the check that goes with the words.

A rule reads one value and returns it in Python's own type, or refuses it in one sentence. `owner` is empty
for an estimator's own option, and names the strategy otherwise: `prune=CostComplexity`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arboretum._data.scalars import is_integer, is_real
from arboretum._wording import shown
from arboretum.errors import ParameterError, choices


class Rule(Protocol):
    """What a value may be."""

    @property
    def words(self) -> str:
        """What is allowed, as it is said after "give"."""

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        """Return the value, or refuse it."""


def refuse(value: Any, name: str, owner: str, words: str) -> ParameterError:
    """Return the error for a value that a rule does not allow."""
    given = f"{owner}({name}={shown(value)})" if owner else f"{name}={shown(value)}"
    return ParameterError(f"{given} is not allowed; give {words}.")


@dataclass(frozen=True)
class OneOf:
    """One of a few names."""

    allowed: tuple[str | None, ...]
    otherwise: str = ""  # what else may be given, as a sentence of its own

    @property
    def words(self) -> str:
        return ", ".join(map(str, self.allowed))

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        if isinstance(value, str | None) and value in self.allowed:
            return value
        option = f"{owner}(…): {name}" if owner else name
        raise ParameterError(choices(option, value, self.allowed) + self.otherwise)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    words: str = "True or False"

    def read(self, value: Any, name: str, owner: str = "") -> bool:
        if isinstance(value, bool | np.bool_):
            return bool(value)
        option = f"{owner}(…): {name}" if owner else name
        raise ParameterError(choices(option, value, (True, False)))


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    least: int
    or_none: bool = False

    @property
    def words(self) -> str:
        return f"an integer of {self.least} or more{', or None' if self.or_none else ''}"

    def read(self, value: Any, name: str, owner: str = "") -> int | None:
        if value is None and self.or_none:
            return None
        if not is_integer(value) or value < self.least:
            raise refuse(value, name, owner, self.words)
        return int(value)


@dataclass(frozen=True)
class Real:
    """A number in a range, whose ends belong to it unless `above` or `finite` says otherwise."""

    words: str
    least: float = 0.0
    most: float = math.inf
    above: bool = False  # the lower end is not allowed
    below: bool = False  # the upper end is not allowed
    finite: bool = False  # infinity is not allowed
    or_none: bool = False

    def read(self, value: Any, name: str, owner: str = "") -> float | None:
        if value is None and self.or_none:
            return None
        if (
            not is_real(value)
            or not self.least <= value <= self.most
            or (self.above and value == self.least)
            or (self.below and value == self.most)
            or (self.finite and math.isinf(value))
        ):
            raise refuse(value, name, owner, self.words)
        return float(value)


@dataclass(frozen=True)
class Rows:
    """A number of rows, or a share of all rows."""

    least: int

    @property
    def words(self) -> str:
        return f"an integer of {self.least} or more, or a share of the rows above 0.0 and up to 1.0"

    def read(self, value: Any, name: str, owner: str = "") -> int | float:
        if is_integer(value) and value >= self.least:
            return int(value)
        if is_real(value) and not is_integer(value) and 0.0 < value <= 1.0:
            # As it is written: the share 0.3 of a narrower type is not a little more than 0.3.
            return float(value) if isinstance(value, float) else float(str(value))
        raise refuse(value, name, owner, self.words)


@dataclass(frozen=True)
class NameOr:
    """One of a few names, or what another rule allows."""

    names: OneOf
    other: Rule

    @property
    def words(self) -> str:
        return self.other.words

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        return (self.names if isinstance(value, str) else self.other).read(value, name, owner)
