"""Regions: the parts of a plane that a tree's leaves take, as exact polygons, and the borders between them.

Words: a *view* is the rectangle that is looked at; a *region* is a piece of it that belongs to a leaf, which
may have several; *neighbours* are the leaves on the two sides of a line; a *border* is where the question
that parts them is asked. Every point of the view is in one region, but for borders. Nothing is drawn here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from arboretum.errors import ParameterError, listing
from arboretum.plot.cuts import Axes, Fixed, Grid, HalfPlane, cut_of, open_columns
from arboretum.plot.pieces import Line, Piece, Point, centre, cut_piece, holds, rectangle
from arboretum.tree import Tree

__all__ = ["Border", "Neighbours", "Region", "Regions", "View", "regions_of"]

Segment = tuple[Point, Point]


@dataclass(frozen=True)
class View:
    """The rectangle that is looked at."""

    low: Point
    high: Point


@dataclass(frozen=True)
class Region:
    """A part of the view in which every row comes to rest in one leaf, or stays at an inner node."""

    leaf: int
    piece: Piece

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners of the polygon, in order."""
        return self.piece.corners


@dataclass(frozen=True)
class Neighbours:
    """A stretch of a line with the leaf on the side where a·x + b·y is less, and the one where it is more."""

    line: Line
    ends: Segment
    below: int
    above: int


@dataclass(frozen=True)
class Border:
    """A stretch of a line along which a node's question parts the view."""

    node: int
    depth: int
    ends: Segment


@dataclass(frozen=True)
class Regions:
    """All regions of a view."""

    tree: Tree
    view: View
    regions: tuple[Region, ...]

    def leaf_at(self, point: Point) -> int | None:
        """Return the leaf whose region holds a point; None outside the view."""
        return next((region.leaf for region in self.regions if holds(region.corners, point)), None)

    @cached_property
    def neighbours(self) -> tuple[Neighbours, ...]:
        """All stretches on whose sides the leaves differ, line by line and in order along each."""
        return tuple(
            pair for line, sides in _edges_by_line(self.regions).items() for pair in _meet(line, *sides)
        )

    @cached_property
    def borders(self) -> tuple[Border, ...]:
        """Where questions part the view; what follows in one line for one question is one border."""
        parents, depths = self.tree.array("parent").tolist(), self.tree.array("depth").tolist()
        found: list[tuple[Line, Border]] = []
        for pair in self.neighbours:
            node = _parting(pair.below, pair.above, parents)
            begin, end = pair.ends
            if found and found[-1][0] == pair.line and found[-1][1].node == node:
                before = found[-1][1].ends
                if before[1] == begin:
                    begin = before[0]
                    found.pop()
            found.append((pair.line, Border(node, depths[node], (begin, end))))
        return tuple(border for _, border in found)


def _parting(one: int, other: int, parents: Sequence[int]) -> int:
    """Return the node at which the ways to two leaves part; parents have lower numbers than children."""
    while one != other:
        one, other = (parents[one], other) if one > other else (one, parents[other])
    return one


# Down the tree


def regions_of(tree: Tree, axes: Axes, view: View, fixed: Fixed) -> Regions:
    """Return what the leaves of a tree take of a view, where other columns have the fixed values."""
    regions: list[Region] = []
    undecided: list[str] = []
    todo = [(tree.root, [rectangle(view.low, view.high)])]
    while todo:
        node, pieces = todo.pop()
        question = node.question
        if question is None:
            regions += [Region(node.number, piece) for piece in pieces]
            continue
        surrogates = [other.question for other in node.surrogates] if tree.missing == "surrogates" else []
        if unknown := open_columns(question, surrogates, axes, fixed):
            undecided += unknown
            todo += [(child, pieces) for child in node.children]
            continue
        parts: list[list[Piece]] = [[] for _ in (*node.children, None)]  # the last, -1: what stays here
        cut = cut_of(question, surrogates, axes, fixed)
        for piece in pieces:
            _divide(piece, cut, parts)
        # The last comes off the stack first: regions are listed as leaves are, from left to right.
        todo += [(child, part) for child, part in zip(node.children, parts[:-1], strict=True) if part][::-1]
        regions += [Region(node.number, piece) for piece in parts[-1]]
    if undecided:
        raise _undecided(list(dict.fromkeys(undecided)), axes)
    return Regions(tree, view, tuple(regions))


def _undecided(names: list[str], axes: Axes) -> ParameterError:
    shown = [column.name for column in axes if column is not None]
    several = "s" if len(names) > 1 else ""
    return ParameterError(
        f"The tree also asks about the column{several} {listing(names)}, and "
        f"{listing(shown)} {'are' if len(shown) > 1 else 'is'} shown.\n"
        f"Hint: give values for the others, at={{{names[0]!r}: …}}, or choose other columns."
    )


def _divide(piece: Piece, cut: Grid | HalfPlane, parts: list[list[Piece]]) -> None:
    """Add what each child gets of a piece to its parts."""
    if isinstance(cut, HalfPlane):
        for part, taken in zip(parts[:2], cut_piece(piece, (cut.a, cut.b, cut.bound)), strict=True):
            part += [] if taken is None else [taken]
        return
    rest: Piece | None = piece
    for x, child in zip((*cut.xs, None), cut.child, strict=True):
        if rest is None:
            return
        strip, rest = (rest, None) if x is None else cut_piece(rest, (1.0, 0.0, x))
        if strip is not None:
            _divide_strip(strip, cut.ys, child, parts)


def _divide_strip(strip: Piece, ys: Sequence[float], child: Sequence[int], parts: list[list[Piece]]) -> None:
    """Divide a strip along y; neighbours that lead to the same child stay together."""
    rest: Piece | None = strip
    for j, y in enumerate(ys):
        if rest is None:
            return
        if child[j] != child[j + 1]:
            below, rest = cut_piece(rest, (0.0, 1.0, y))
            parts[child[j]] += [] if below is None else [below]
    if rest is not None:
        parts[child[-1]].append(rest)


# Along the lines

# Where a region touches a line: begin and end, each as (distance along the line, point), and the leaf.
Stretch = tuple[tuple[float, Point], tuple[float, Point], int]


def _edges_by_line(regions: Iterable[Region]) -> dict[Line, tuple[list[Stretch], list[Stretch]]]:
    """Return for every line the stretches of the regions below it, and of those above it."""
    found: dict[Line, tuple[list[Stretch], list[Stretch]]] = defaultdict(lambda: ([], []))
    for region in regions:
        x, y = centre(region.corners)
        for i, line in enumerate(region.piece.lines):
            if line is None:
                continue
            a, b, bound = line
            ends = [region.corners[i], region.corners[(i + 1) % len(region.corners)]]
            begin, end = sorted((a * q - b * p, (p, q)) for p, q in ends)
            found[line][0 if a * x + b * y <= bound else 1].append((begin, end, region.leaf))
    return found


def _meet(line: Line, below: list[Stretch], above: list[Stretch]) -> list[Neighbours]:
    """Return where stretches of different leaves lie on the two sides of a line."""
    pairs: list[Neighbours] = []
    below, above = sorted(below), sorted(above)
    # Along an axis distances are exact; elsewhere what is shorter than this is rounding.
    long = max((end[0] - begin[0] for begin, end, _ in below), default=0.0)
    least = 1e-12 * long if line[0] and line[1] else 0.0
    i = j = 0
    while i < len(below) and j < len(above):
        (one_begin, one_end, one), (other_begin, other_end, other) = below[i], above[j]
        begin, end = max(one_begin, other_begin), min(one_end, other_end)
        if end[0] - begin[0] > least and one != other:
            pairs.append(Neighbours(line, (begin[1], end[1]), one, other))
        i, j = (i + 1, j) if one_end <= other_end else (i, j + 1)
    return pairs
