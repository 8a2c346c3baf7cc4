"""What may be answered: a number, one of some names, or several numbers; and whether an answer is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from arboretum._data.scalars import is_real


class Right(Protocol):
    """The right answer."""

    def __str__(self) -> str: ...

    def accepts(self, given: Any) -> bool:
        """Return whether an answer is this one."""
        ...


@dataclass(frozen=True)
class Amount:
    """A number, asked to so many digits after the point; half a digit may be lost by rounding on the way.

    Without digits it is a count, and has to be right.

    >>> Amount(0.375, 3).accepts("0.3754"), Amount(1.0, 0).accepts("7/9"), Amount(1.0, 0).accepts("1.0")
    (True, False, True)
    """

    value: float
    digits: int = 3

    def __str__(self) -> str:
        return tidy(self.value, self.digits)

    def accepts(self, given: Any) -> bool:
        number = read_number(given)
        forgiven = 0.51 * 10.0**-self.digits if self.digits else 0.0
        return number is not None and abs(number - self.value) <= forgiven


@dataclass(frozen=True)
class Name:
    """A word of the exercise: a column, a class, a question, a node. Spaces and capitals do not matter."""

    text: str
    also: tuple[str, ...] = ()  # other ways to write it

    def __str__(self) -> str:
        return self.text

    def accepts(self, given: Any) -> bool:
        return plain(given) in {plain(text) for text in (self.text, *self.also)}


@dataclass(frozen=True)
class Several:
    """Numbers in any order: a list, or text with semicolons or spaces between them."""

    values: tuple[float, ...]
    digits: int = 3

    def __str__(self) -> str:
        return "; ".join(tidy(value, self.digits) for value in self.values) or "none"

    def accepts(self, given: Any) -> bool:
        if isinstance(given, str):
            given = [] if plain(given) in ("", "none") else given.replace(";", " ").split()
        elif is_real(given):
            given = [given]
        if not isinstance(given, Iterable):
            return False
        numbers = [read_number(each) for each in given]
        if len(numbers) != len(self.values) or None in numbers:
            return False
        pairs = zip(sorted(n for n in numbers if n is not None), sorted(self.values), strict=True)
        return all(Amount(value, self.digits).accepts(number) for number, value in pairs)


def read_number(given: Any) -> float | None:
    """Return the number that is meant: 0.375, "0.375", "0,375", "3/8", "37.5 %"; None if there is none."""
    if is_real(given) and not isinstance(given, bool):
        return float(given)
    if isinstance(given, Fraction):
        return float(given)
    text = str(given).strip().replace("−", "-").replace(",", ".")
    share = text.endswith("%")
    try:
        number = float(Fraction(text.removesuffix("%").strip().replace(" ", "")))
    except (ValueError, ZeroDivisionError):
        return None
    return number / 100 if share else number


def plain(given: Any) -> str:
    """Return text as it is compared."""
    return " ".join(str(given).lower().replace("?", " ").split())


def tidy(value: float, digits: int) -> str:
    """Return a number with at most so many digits after the point.

    >>> tidy(1.5, 3), tidy(2.0, 3), tidy(0.34567, 3), tidy(-0.0001, 3)
    ('1.5', '2', '0.346', '0')
    """
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def listed(values: Sequence[Any]) -> str:
    """Return words as a sentence has them: a, b and c."""
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}" if most else last
