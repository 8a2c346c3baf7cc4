"""Pieces: what a row may be in one column, as the questions on a path leave it.

A piece is an interval above `low` and up to `high` (None: no bound), or some levels as the bits of a number;
besides, it says whether the value may be missing. Thresholds and values are in stored form, integers exactly.
"""

from __future__ import annotations

from typing import NamedTuple

from arboretum._data import Column

Value = float | int


class Piece(NamedTuple):
    """The values that are left in one column."""

    low: Value | None = None  # not among them
    high: Value | None = None
    levels: int | None = None  # of a nominal column: bit i is level i
    known: bool = True  # whether known values are among them
    missing: bool = True  # whether a missing value is

    def holds(self, value: Value | None) -> bool:
        """Return whether a value, or None for a missing one, is among them."""
        if value is None:
            return self.missing
        if not self.known:
            return False
        if self.levels is not None:
            return bool(self.levels >> int(value) & 1)
        return (self.low is None or value > self.low) and (self.high is None or value <= self.high)

    def both(self, other: Piece) -> Piece:
        """Return what is in both pieces."""
        return Piece(
            higher(self.low, other.low),
            lower(self.high, other.high),
            self.levels
            if other.levels is None
            else other.levels & (-1 if self.levels is None else self.levels),
            self.known and other.known,
            self.missing and other.missing,
        )


def everything(column: Column, *, missing: bool) -> Piece:
    """Return all values of a column."""
    if column.kind == "nominal":
        return Piece(levels=(1 << len(column.levels or ())) - 1, missing=missing)
    if column.levels is not None:
        return Piece(low=-1, high=len(column.levels) - 1, missing=missing)
    return Piece(missing=missing)


def higher(one: Value | None, other: Value | None) -> Value | None:
    """Return the higher of two lower bounds."""
    return other if one is None else one if other is None else max(one, other)


def lower(one: Value | None, other: Value | None) -> Value | None:
    """Return the lower of two upper bounds."""
    return other if one is None else one if other is None else min(one, other)
