"""A change in words: "income were 3,100 or more instead of 2,900"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arboretum._data import Column
from arboretum._data.levels import level_text
from arboretum._tree.digits import DIGITS, full_minute, rounded
from arboretum._tree.question_values import quote
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.pieces import Piece, Value
from arboretum.inspection.counterfactual.readable import readable

_UP_DOWN = {
    "datetime": ("or later", "or earlier"),
    "duration": ("or longer", "or shorter"),
    "ordered": ("or above", "or below"),
}
_SHOWN_LEVELS = 3
STEP = 0.02  # the share of a column's spread within which a readable value may stand for the nearest one


_MOST_DIGITS = 17  # tell every double from every other


@dataclass(frozen=True)
class ChangeWords:
    """A change in words: what a value were, and what it is."""

    wish: str  # "income were 3,100 or more"
    column: Column
    before: Value | str  # a value of the column, or text that stands for it
    after: Value

    def text(self, digits: int | None = DIGITS) -> str:
        """Return the change as text: "income were 3,100 or more instead of 2,900".

        The value before has so many digits, or more if it would come to lie on the other side of the value
        after; None shows all.
        """
        before = self.before
        if not isinstance(before, str):
            before = value_text(self.column, self._short(before, digits))
        return f"{self.wish} instead of {before}"

    def _short(self, before: Value, digits: int | None) -> Value:
        if self.column.kind != "number" or digits is None or not math.isfinite(before):
            return before
        for number in range(digits, _MOST_DIGITS):
            tried = rounded(before, number)
            if tried != self.after and (tried < self.after) is (before < self.after):
                return tried
        return before


def words_of(moves: Moves, value: Value, piece: Piece | None) -> ChangeWords:
    """Return a change in words; `piece` says how far it may go, None that nothing but the value is known."""
    before: Value | str = "missing" if moves.unknown is None else quote(level_text(moves.unknown))
    if moves.value is not None:
        before = moves.value
    wish = f"{quote(moves.column.name)} were {_after(moves, value, piece)}"
    return ChangeWords(wish, moves.column, before, value)


def value_text(column: Column, value: Value) -> str:
    """Return a value for a sentence: numbers with commas between thousands.

    >>> value_text(Column("income", "number"), 3100.0), value_text(Column("n", "integer"), 12)
    ('3,100', '12')
    """
    if column.kind == "number":
        return f"{value + 0.0:,}".removesuffix(".0")
    if column.kind == "integer" and value == int(value):
        return f"{int(value) + column.offset:,}"
    text = column.format(value)
    return full_minute(text) if column.levels is None else quote(text)


def _after(moves: Moves, value: Value, piece: Piece | None) -> str:
    if piece is None:
        return value_text(moves.column, value)
    if piece.levels is not None:
        return _levels(moves, int(value), piece)
    return _interval(moves, value, piece)


def _levels(moves: Moves, level: int, piece: Piece) -> str:
    """Return the level that is taken, and others that would do as well."""
    others = [number for number, _ in moves.reachable_levels(piece) if number != level]
    names = [value_text(moves.column, number) for number in (level, *others)]
    if len(names) <= _SHOWN_LEVELS:
        return joined(names, "or")
    return f"{names[0]} (or one of {len(others)} other levels)"


def _interval(moves: Moves, value: Value, piece: Piece) -> str:
    """Return how far the value may go, away from what it is now."""
    column, reach = moves.column, moves.reach(piece)
    up, down = _UP_DOWN.get(column.kind, ("or more", "or less"))
    low, high = readable_ends(moves, piece)
    rises = not moves.placed or value > moves.start
    falls = not moves.placed or value < moves.start
    text = value_text(column, value)
    at_top = column.kind == "ordered" and high == len(column.levels or ()) - 1
    at_bottom = column.kind == "ordered" and low == 0
    if rises and falls and reach.low is not None and reach.high is not None and not (at_top or at_bottom):
        return _span(column, low, high, text)
    if rises and (reach.low is not None or not falls) and not (falls and at_bottom):
        if reach.high is None or at_top:
            return text if value == high else f"{text} {up}"
        return _span(column, value, high, text)
    if reach.high is None:
        return f"any known value, such as {text},"
    if reach.low is None or at_bottom:
        return text if value == low else f"{text} {down}"
    return _span(column, low, value, text)


def _span(column: Column, low: Value, high: Value, text: str) -> str:
    return text if not low < high else f"{value_text(column, low)} to {value_text(column, high)}"


def readable_ends(moves: Moves, piece: Piece) -> tuple[Value, Value]:
    """Return the ends of what can be reached, a little inside where that is shorter to write."""
    ends = moves.ends(piece)
    assert ends is not None
    low, high = ends
    if not moves.whole and not moves.reach(piece).holds(low):
        low = math.nextafter(low, math.inf)
    return nearby(moves, low, high, rising=True), nearby(moves, low, high, rising=False)


def nearby(moves: Moves, low: Value, high: Value, *, rising: bool) -> Value:
    """Return a readable value close to one end of a range: to the lower one, if the value is rising."""
    step = moves.spread * STEP
    if math.isinf(low if rising else high):
        return low if rising else high
    if rising:
        return readable(moves.column, low, _floor(moves, min(high, low + step)), near_low=True)
    return readable(moves.column, _ceil(moves, max(low, high - step)), high, near_low=False)


def _floor(moves: Moves, value: Value) -> Value:
    return math.floor(value) if moves.whole else value


def _ceil(moves: Moves, value: Value) -> Value:
    return math.ceil(value) if moves.whole else value


def joined(phrases: Sequence[str], word: str) -> str:
    """Return phrases as a list in a sentence.

    >>> joined(["a", "b", "c"], "or")
    'a, b or c'
    """
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} {word} {phrases[-1]}"
