"""Moves: what a row may become in one column, and at what price.

The price of moving a number is its cost times the distance in spreads; that of another level, or of filling
in a missing value, is its cost. From infinity no value is nearer than another: to leave it costs as much as
filling in a missing value. A known value never becomes missing, nor infinite. To leave a value as it is costs
nothing and is always allowed.

The values above a bound have no least one among the real numbers. Their price is that of the bound itself,
which no value of them undercuts; the value that is taken lies next to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from arboretum._data import Column
from arboretum.inspection.counterfactual.pieces import Piece, Value

MOST = 1e300  # what costs more counts as this: it can be reached, and prices can be added up
_INT64 = (-(2**63) + 1, 2**63 - 1)  # the lowest stands for a time that is missing


@dataclass(frozen=True)
class Moves:
    """What a row may become in one column."""

    column: Column
    value: Value | None  # what it is, in stored form; None if it is missing
    cost: float  # of a distance of one spread, of another level, or of filling in a missing value
    spread: float
    range: Piece  # what a changed value may be
    fixed: bool = False
    level_costs: tuple[float, ...] | None = None  # of a nominal column: what it costs to become each level
    middle: Value = 0  # where a missing or infinite value goes, if the questions leave the choice
    unknown: object = None  # the level of the row, if the tree does not know it: it counts as missing

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers."""
        return self.column.kind != "number"

    @property
    def placed(self) -> bool:
        """Whether the row's value is at a distance from others: it is neither missing nor infinite."""
        return self.value is not None and math.isfinite(self.value)

    @property
    def start(self) -> Value:
        """Where the way to another number begins."""
        return self.value if self.value is not None and self.placed else self.middle

    def price(self, piece: Piece) -> float:
        """Return the least price of a value in this piece; infinity if none can be reached."""
        if piece.holds(self.value):
            return 0.0
        if self.fixed or not piece.known:
            return math.inf
        if piece.levels is not None:
            return min((cost for _, cost in self.reachable_levels(piece)), default=math.inf)
        nearest = self._nearest(piece, self.start)
        return math.inf if nearest is None else self.price_of_number(nearest)

    def price_of_number(self, value: Value) -> float:
        """Return the price of another number."""
        if not self.placed:
            return min(self.cost, MOST)
        way = abs(value - self.start)  # integers are subtracted exactly
        if math.isinf(way):  # from one end of the numbers to the other
            return min(self.cost * abs(value / self.spread - self.start / self.spread), MOST)
        return min(self.cost * (way / self.spread), MOST)

    def price_of(self, value: Value | None) -> float:
        """Return the price of a value that the row may become."""
        if value == self.value:
            return 0.0
        if self.column.kind == "nominal":
            return self.price_of_level(int(value or 0))
        return min(self.cost, MOST) if value is None else self.price_of_number(value)

    def landing(self, piece: Piece) -> Value | None:
        """Return the nearest value in a piece that can be reached; the row's own if it is in there."""
        if piece.holds(self.value):
            return self.value
        if piece.levels is not None:
            return min(self.reachable_levels(piece), key=lambda level: level[1])[0]
        return self.landing_near(piece, self.start)

    def landing_near(self, piece: Piece, start: Value) -> Value | None:
        """Return the number in a piece that can be reached and is nearest to another one."""
        nearest = self._nearest(piece, start)
        if nearest is not None and not self.whole and not self.reach(piece).holds(nearest):
            return math.nextafter(nearest, math.inf)
        return nearest

    def reach(self, piece: Piece) -> Piece:
        """Return the part of a piece that a changed value may be in."""
        return piece.both(self.range)

    def ends(self, piece: Piece) -> tuple[Value, Value] | None:
        """Return the ends of what can be reached in a piece; above the first one, if that is not in it.

        None if nothing can be reached.
        """
        left = self.reach(piece)
        if not left.known:
            return None
        if self.whole:
            low = _INT64[0] if left.low is None else math.floor(left.low) + 1
            high = _INT64[1] if left.high is None else math.floor(left.high)
            return None if low > high else (low, high)
        least = -math.inf if left.low is None else left.low
        most = math.inf if left.high is None else left.high
        return (least, most) if least < most and least < math.inf else None

    def _nearest(self, piece: Piece, start: Value) -> Value | None:
        """Return the nearest number that can be reached, or the bound above which it lies; None if none."""
        ends = self.ends(piece)
        return None if ends is None else min(max(start, ends[0]), ends[1])

    def reachable_levels(self, piece: Piece) -> list[tuple[int, float]]:
        """Return the levels that can be reached, with their prices."""
        bits = self.reach(piece).levels or 0
        found = []
        while bits:
            level = (bits & -bits).bit_length() - 1
            found.append((level, self.price_of_level(level)))
            bits &= bits - 1
        return found

    def price_of_level(self, level: int) -> float:
        """Return what it costs to become a level that the row does not have."""
        return min(self.cost if self.level_costs is None else self.level_costs[level], MOST)
