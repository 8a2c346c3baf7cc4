"""The boxes of a tree's leaves as arrays, so that the price of every leaf for a row is computed at once.

In a tree whose questions are about one column each, and whose missing values follow a child, the rows of a
leaf are a box: one piece for each column. The boxes are made once per tree. What is computed here is what
`Moves.price` says of each piece, for all leaves together; the search (search.py) does the same leaf by leaf
and serves every other tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arboretum._tree.kinds import COMPOSITE
from arboretum._tree.questions import Levels
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.pieces import Piece, everything
from arboretum.inspection.counterfactual.ways import RESTS, Way, Ways, ways_of

_INT64 = np.iinfo(np.int64)
_NO_BOUNDS = (-math.inf, math.inf, _INT64.min)


@dataclass(frozen=True, eq=False)
class ColumnBoxes:
    """The pieces of one column, for the leaves that limit it."""

    leaf: Indices  # places among the leaves
    missing: Mask  # whether missing values come there
    low: Array  # of numbers: the bounds, the lower one not included; -inf, or the lowest integers, for none
    high: Array
    groups: Mask | None = None  # of levels: group of levels × levels; different groups, each once
    group: Indices | None = None  # of each leaf


@dataclass(frozen=True, eq=False)
class Boxes:
    """The boxes of all places where rows end."""

    ends: Indices  # node numbers
    columns: Mapping[int, ColumnBoxes]

    def prices(self, moves: Sequence[Moves]) -> tuple[Numbers, dict[int, Mask]]:
        """Return the price of every end, and which ends change each column."""
        total = np.zeros(len(self.ends))
        changed: dict[int, Mask] = {}
        for place, boxes in self.columns.items():
            prices, inside = column_prices(boxes, moves[place])
            total[boxes.leaf] += prices
            changes = np.zeros(len(self.ends), dtype=np.bool_)
            changes[boxes.leaf] = ~inside
            changed[place] = changes
        return total, changed


def column_prices(boxes: ColumnBoxes, moves: Moves) -> tuple[Numbers, Mask]:
    """Return the price of each piece of a column, and whether the row's own value is in it."""
    if boxes.groups is not None and boxes.group is not None:
        prices, inside = _level_prices(boxes, boxes.groups, boxes.group, moves)
    else:
        prices, inside = _number_prices(boxes, moves)
    if moves.value is None:
        inside = boxes.missing
    prices = np.where(inside, 0.0, np.inf if moves.fixed else prices)
    return prices, inside


def _level_prices(boxes: ColumnBoxes, groups: Mask, group: Indices, moves: Moves) -> tuple[Numbers, Mask]:
    n_levels = groups.shape[1]
    allowed = moves.range.levels
    costs = np.array([moves.price_of_level(level) for level in range(n_levels)])
    if allowed is not None:
        costs[[not allowed >> level & 1 for level in range(n_levels)]] = np.inf
    least = np.where(groups, costs, np.inf).min(axis=1, initial=np.inf)
    inside = groups[:, int(moves.value)] if moves.value is not None else np.zeros(len(groups), dtype=np.bool_)
    return least[group], inside[group]


def _number_prices(boxes: ColumnBoxes, moves: Moves) -> tuple[Numbers, Mask]:
    low, high = boxes.low, boxes.high
    reach_low, reach_high = low, high
    if moves.range.low is not None:
        reach_low = np.maximum(low, np.array(moves.range.low, dtype=low.dtype))
    if moves.range.high is not None:
        reach_high = np.minimum(high, np.array(moves.range.high, dtype=high.dtype))
    empty = reach_low >= reach_high
    if moves.value is None:
        return np.where(empty, np.inf, moves.cost), np.zeros(len(low), dtype=np.bool_)
    value = np.array(moves.value, dtype=low.dtype)
    inside = (value > low) & (value <= high)
    up = value <= reach_low
    if moves.whole:
        # Unsigned differences are exact over the whole range of 64 bits.
        above = (reach_low.view(np.uint64) - value.view(np.uint64)).astype(np.float64) + 1.0
        below = (value.view(np.uint64) - reach_high.view(np.uint64)).astype(np.float64)
    else:
        with np.errstate(invalid="ignore"):
            above, below = reach_low - value, value - reach_high
    distance = np.where(up, above, below)
    prices = moves.cost * (distance / moves.spread)
    return np.where(empty | np.isnan(prices), np.inf, prices), inside


# --- making them


def boxes_of(tree: Tree) -> Boxes:
    """Return the boxes of a tree, which keeps them: a tree never changes."""
    kept = vars(tree).get("_boxes")
    if kept is None:
        kept = vars(tree)["_boxes"] = _make(tree)
    assert isinstance(kept, Boxes)
    return kept


def is_plain(tree: Tree, moves: Sequence[Moves]) -> bool:
    """Return whether the rows near this one go through the tree by boxes."""
    if np.isin(tree.array("kind"), COMPOSITE).any():
        return False
    asked = [moves[place] for place in tree._asked]
    # Neither what bounds no box, nor fractions in a column of whole numbers.
    if any(
        move.value is not None and (move.value in _NO_BOUNDS or move.whole != isinstance(move.value, int))
        for move in asked
    ):
        return False
    if tree.missing == "child":
        return True
    return not any(move.value is None for move in asked) and not _has_unseen(tree)


def _has_unseen(tree: Tree) -> bool:
    """Return whether some question about levels leaves out a level of its column."""
    kept = vars(tree).get("_unseen_levels")
    if kept is None:
        ways = ways_of(tree)
        asking = np.flatnonzero(tree.array("kind") == Levels.kind).tolist()
        kept = vars(tree)["_unseen_levels"] = any(ways.answers(node).none.levels for node in asking)
    return bool(kept)


def region_of(tree: Tree, end: int, moves: Sequence[Moves]) -> dict[int, Piece]:
    """Return the box of one end, as the search would have it."""
    ways, parent = ways_of(tree), tree.array("parent")
    region: dict[int, Piece] = {}
    below, node = RESTS, end
    if tree.array("n_children")[end] == 0:
        below, node = end, int(parent[end])
    while node >= 0:
        for place, piece in _sent(ways, node, below).items():
            column = tree.columns[place]
            before = region.get(place) or everything(column, missing=moves[place].value is None)
            region[place] = before.both(piece)
        below, node = node, int(parent[node])
    return region


def _sent(ways: Ways, node: int, below: int) -> Mapping[int, Piece]:
    """Return the pieces of the rows that a node sends to the node below it, or keeps."""
    for way in _plain_ways(ways, node):
        if below == (RESTS if way.child == RESTS else ways.child(node, way.child)):
            return way.pieces
    raise AssertionError(f"node {node} sends nothing to node {below}")


def _plain_ways(ways: Ways, node: int) -> list[Way]:
    """Return the ways of a node; only those of known values where missing ones do not follow a child."""
    if ways.tree.missing == "child":
        return ways.of(node, {})
    asked = ways.answers(node)
    return [Way(child, {asked.column: piece}) for child, piece in asked.pieces]


def _make(tree: Tree) -> Boxes:
    ends: list[int] = []
    listed: dict[int, list[tuple[int, Piece]]] = {}
    for end, region in _regions(tree):
        for place, piece in region.items():
            listed.setdefault(place, []).append((len(ends), piece))
        ends.append(end)
    columns = {place: _column_boxes(tree, place, pieces) for place, pieces in sorted(listed.items())}
    return Boxes(np.array(ends, dtype=np.intp), columns)


def _regions(tree: Tree) -> Iterator[tuple[int, dict[int, Piece]]]:
    """Yield each place where rows end, with its box. Where rows are sent otherwise, known values count."""
    ways = ways_of(tree)
    todo: list[tuple[int, dict[int, Piece]]] = [(0, {})]
    while todo:
        node, region = todo.pop()
        if ways.is_leaf(node):
            yield node, region
            continue
        for way in _plain_ways(ways, node):
            ((place, piece),) = way.pieces.items()
            before = region.get(place)
            narrower = {**region, place: piece if before is None else before.both(piece)}
            if way.child == RESTS:
                yield node, narrower
            else:
                todo.append((ways.child(node, way.child), narrower))


def _column_boxes(tree: Tree, place: int, pieces: list[tuple[int, Piece]]) -> ColumnBoxes:
    column = tree.columns[place]
    leaf = np.array([number for number, _ in pieces], dtype=np.intp)
    missing = np.array([piece.missing for _, piece in pieces], dtype=np.bool_)
    if column.kind == "nominal":
        full = everything(column, missing=True).levels or 0
        held = [(full if piece.levels is None else piece.levels) if piece.known else 0 for _, piece in pieces]
        different = {levels: number for number, levels in enumerate(dict.fromkeys(held))}
        bits = [[levels >> level & 1 for level in range(len(column.levels or ()))] for levels in different]
        groups = np.array(bits, dtype=np.bool_).reshape(len(different), -1)
        group = np.array([different[levels] for levels in held], dtype=np.intp)
        return ColumnBoxes(leaf, missing, np.zeros(0), np.zeros(0), groups, group)
    if column.kind == "number":
        ends = [_real_ends(piece) for _, piece in pieces]
    else:
        ends = [_whole_ends(piece) for _, piece in pieces]
    kind = np.float64 if column.kind == "number" else np.int64
    low, high = (np.array([pair[side] for pair in ends], dtype=kind) for side in (0, 1))
    return ColumnBoxes(leaf, missing, low, high)


def _real_ends(piece: Piece) -> tuple[float, float]:
    if not piece.known:
        return np.inf, -np.inf
    return -np.inf if piece.low is None else piece.low, np.inf if piece.high is None else piece.high


def _whole_ends(piece: Piece) -> tuple[int, int]:
    if not piece.known:
        return _INT64.max, _INT64.min
    low = _INT64.min if piece.low is None else math.floor(piece.low)
    return low, _INT64.max if piece.high is None else math.floor(piece.high)
