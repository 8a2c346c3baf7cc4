"""The nearest point of a region where questions add up columns: a small linear program.

A changed number is x + spread · (up - down), at the price cost · (up + down), in whole steps where a column
holds whole numbers; a nominal column is one of its levels. `scipy.optimize.milp` solves it to its tolerance,
about 1e-7 of the terms. What is found must lie on the right side of every sum as the core adds it up, so it
is tried again with a margin until it does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import optimize

from arboretum._types import Numbers
from arboretum.errors import DataError
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.pieces import Piece, Value
from arboretum.inspection.counterfactual.ways import Sum

# By how much, in the size of a sum, it may have to be moved from its threshold.
MARGINS = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5)
_FINITE = Piece(low=-math.inf, high=sys.float_info.max)
_INFEASIBLE = 2  # the solver's word for an empty region
_FARTHEST = 1e9  # how many units a column may move: no bound at all upsets the solver
_ROUNDING = 1e-7  # of the solver
_WIDEST = 1e6  # whole columns of a larger spread are solved as real numbers and rounded: one unit is nothing


@dataclass(frozen=True)
class Solution:
    """The price of the columns that are added up, and their values; None stands for a missing one."""

    price: float
    values: Mapping[int, Value | None]


@dataclass
class _Program:
    """Variables with their prices and ends, and rows of coefficients with theirs."""

    price: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)
    rows: list[dict[int, float]] = field(default_factory=list)
    row_low: list[float] = field(default_factory=list)
    row_high: list[float] = field(default_factory=list)
    constant: float = 0.0  # what is paid in any case
    free: list[int] = field(
        default_factory=list
    )  # variables of values that are filled in, wherever they land

    def variable(self, price: float, low: float, high: float, *, whole: bool) -> int:
        self.price.append(price)
        self.low.append(low)
        self.high.append(high)
        self.whole.append(int(whole))
        return len(self.price) - 1

    def row(self, coefficients: dict[int, float], low: float, high: float) -> None:
        self.rows.append(coefficients)
        self.row_low.append(low)
        self.row_high.append(high)

    def solve(self) -> tuple[float, Numbers] | None:
        if not self.price:
            slack = all(low <= 0.0 <= high for low, high in zip(self.row_low, self.row_high, strict=True))
            return (self.constant, np.zeros(0)) if slack else None
        matrix = np.zeros((len(self.rows), len(self.price)))
        for number, row in enumerate(self.rows):
            matrix[number, list(row)] = list(row.values())
        found = optimize.milp(
            np.array(self.price),
            integrality=np.array(self.whole),
            bounds=optimize.Bounds(np.array(self.low), np.array(self.high)),
            constraints=optimize.LinearConstraint(matrix, np.array(self.row_low), np.array(self.row_high))
            if self.rows
            else (),
            options={"mip_rel_gap": 0.0},  # else the solver is content with a little more
        )
        if found.status == _INFEASIBLE:
            return None
        if found.x is None:
            raise DataError(
                f"The nearest row cannot be computed where the tree adds up columns: {found.message}\n"
                "Hint: fix columns whose values are huge, or ask a tree without questions='oblique'."
            )
        return self.constant + float(found.fun), np.asarray(found.x)

    def settled(self, price: float, found: Numbers) -> Numbers:
        """Return a solution of the same price in which values are not filled in just anywhere."""
        paid = {variable: rate for variable, rate in enumerate(self.price) if rate}
        room = _ROUNDING * (1.0 + price)
        nearer = replace(self, price=[float(variable in self.free) for variable in range(len(self.price))])
        # What did not move before must not move within the room.
        nearer.high = [
            0.0 if variable in paid and found[variable] == 0.0 else high
            for variable, high in enumerate(self.high)
        ]
        nearer.rows, nearer.row_low = [*self.rows, paid], [*self.row_low, -math.inf]
        nearer.row_high = [*self.row_high, price - self.constant + room]
        solved = nearer.solve()
        return found if solved is None else solved[1]


@dataclass(frozen=True)
class _Number:
    """A column as start + unit · variables."""

    start: float
    unit: float
    up: int | None = None
    down: int | None = None

    def coefficients(self, factor: float) -> dict[int, float]:
        signs = ((self.up, 1.0), (self.down, -1.0))
        return {variable: sign * factor * self.unit for variable, sign in signs if variable is not None}


def nearest_with_sums(
    moves: Sequence[Moves],
    region: Mapping[int, Piece],
    sums: Sequence[Sum],
    frozen: frozenset[int],
    margin: float | None = None,
) -> Solution | None:
    """Return the nearest values of the columns that are added up; None if the region is empty.

    Only these columns depend on each other; all others have their nearest values by themselves. Without a
    `margin` the price is the least there is; with one, the values are good to take.
    """
    places = list(dict.fromkeys(place for each in sums for place, _ in each.terms))
    apart = (place for place in places if place not in frozen and _is_apart(moves[place], region[place]))
    place = next(apart, None)
    if place is None:
        return _solve(moves, region, sums, frozen, margin, places)
    # The row's own value is allowed, and what it may become does not reach it: one of the two.
    moved = region[place].both(moves[place].range).both(_FINITE)
    either = (
        nearest_with_sums(moves, region, sums, frozen | {place}, margin),
        nearest_with_sums(moves, {**region, place: moved}, sums, frozen, margin),
    )
    return min((found for found in either if found is not None), key=lambda found: found.price, default=None)


def _is_apart(move: Moves, piece: Piece) -> bool:
    numeric = move.column.kind != "nominal" and move.value is not None and not move.fixed
    return numeric and piece.holds(move.value) and not move.range.both(_FINITE).holds(move.value)


def _solve(
    moves: Sequence[Moves],
    region: Mapping[int, Piece],
    sums: Sequence[Sum],
    frozen: frozenset[int],
    margin: float | None,
    places: Sequence[int],
) -> Solution | None:
    program = _Program()
    numbers: dict[int, _Number] = {}
    choices: dict[int, dict[int, int]] = {}  # place -> level -> variable
    for place in places:
        move, piece = moves[place], region[place]
        if not piece.known:
            continue
        stays = move.fixed or place in frozen
        if stays and not piece.holds(move.value):
            return None
        if move.column.kind == "nominal":
            choices[place] = _level_variables(program, move, piece, stays=stays)
            if not choices[place]:
                return None
        else:
            number = _number_variables(program, move, piece, stays=stays)
            if number is None:
                return None
            numbers[place] = number
    if not all(_add_row(program, each, region, numbers, choices, margin or 0.0) for each in sums):
        return None
    solved = program.solve()
    if solved is None:
        return None
    price, found = solved
    if program.free and margin is not None:
        found = program.settled(price, found)
    values: dict[int, Value | None] = {}
    for place in places:
        if place in numbers:
            values[place] = _value(moves[place], region[place], numbers[place], found)
        elif place in choices:
            values[place] = max(choices[place], key=lambda level: found[choices[place][level]])
        else:
            values[place] = None
    return Solution(price, values)


def _level_variables(program: _Program, move: Moves, piece: Piece, *, stays: bool) -> dict[int, int]:
    """Add a variable for each level that the column may have, exactly one of which is 1."""
    levels = {} if stays else dict(move.reachable_levels(piece))
    if move.value is not None and piece.holds(move.value):
        levels[int(move.value)] = 0.0
    variables = {level: program.variable(cost, 0.0, 1.0, whole=True) for level, cost in levels.items()}
    program.row(dict.fromkeys(variables.values(), 1.0), 1.0, 1.0)
    return variables


def _number_variables(program: _Program, move: Moves, piece: Piece, *, stays: bool) -> _Number | None:
    """Add the variables of a number: how far it goes up and down, or where it is filled in."""
    if stays:
        assert move.value is not None
        return _Number(float(move.value), 0.0)
    ends = move.ends(piece)
    if ends is None:
        return _Number(float(move.value), 0.0) if move.value is not None and piece.holds(move.value) else None
    whole = move.whole and move.spread < _WIDEST
    unit = 1.0 if whole else move.spread
    start = float(move.start)
    low, high = (min(_FARTHEST, max(-_FARTHEST, (end - start) / unit)) for end in ends)
    rate = move.cost * (unit / move.spread)
    if not move.placed:
        program.constant += move.cost
        rate = 0.0
    up = program.variable(rate, max(0.0, low), max(0.0, high), whole=whole)
    down = program.variable(rate, max(0.0, -high), max(0.0, -low), whole=whole)
    program.free += [] if move.placed else [up, down]
    return _Number(start, unit, up, down)


def _add_row(
    program: _Program,
    each: Sum,
    region: Mapping[int, Piece],
    numbers: Mapping[int, _Number],
    choices: Mapping[int, Mapping[int, int]],
    margin: float,
) -> bool:
    """Add what a sum asks; return whether that is possible, as far as infinite values decide it."""
    constant, row, size = 0.0, dict[int, float](), abs(each.threshold)
    for place, term in each.terms:
        added: dict[int, float] = {}
        if not region[place].known:
            constant += term.coefficient * term.fill
        elif term.level is not None:
            variable = choices[place].get(term.level)
            added = {} if variable is None else {variable: term.coefficient}
        else:
            constant += term.coefficient * numbers[place].start
            added = numbers[place].coefficients(term.coefficient)
        size = max(size, abs(constant), *map(abs, added.values()))
        for variable, number in added.items():
            row[variable] = row.get(variable, 0.0) + number
    if not math.isfinite(constant):
        return each.above is not (constant <= each.threshold)
    scale = max(map(abs, row.values()), default=1.0) or 1.0
    bound = (each.threshold - constant) / scale
    room = margin * size / scale
    low, high = (bound + room, math.inf) if each.above else (-math.inf, bound - room)
    program.row({variable: number / scale for variable, number in row.items()}, low, high)
    return True


def _value(move: Moves, piece: Piece, number: _Number, found: Numbers) -> Value:
    """Return the value that a column has in a solution, without the solver's last digits."""
    moved = sum(
        sign * found[variable]
        for variable, sign in ((number.up, 1.0), (number.down, -1.0))
        if variable is not None
    )
    if number.unit == 0.0 or (move.value is not None and abs(moved) < 1e-12 and piece.holds(move.value)):
        assert move.value is not None
        return move.value
    value: Value = number.start + number.unit * moved
    if move.whole:
        value = round(value)
    landed = value if move.reach(piece).holds(value) else move.landing_near(piece, value)
    assert landed is not None
    return landed
