"""Regions: the parts of a plane that belong to a tree's leaves, as exact polygons, and their borders.

Every point of the view is in one region, except on borders. A leaf may have several regions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from arboretum._tree.tree import Tree
from arboretum.errors import ParameterError, listing
from arboretum.plot._plane.cuts import Axes, Fixed, Grid, HalfPlane, asked_in_turn, cut_of, open_columns
from arboretum.plot._plane.polygons import Line, Point, Polygon, centre, cut_polygon, rectangle

Segment = tuple[Point, Point]


@dataclass(frozen=True)
class View:
    """The rectangle that is shown."""

    low: Point
    high: Point


@dataclass(frozen=True)
class Region:
    """A part of the view where every row stops in the same leaf, or at the same inner node."""

    leaf: int
    polygon: Polygon

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners of the polygon, in order."""
        return self.polygon.corners


@dataclass(frozen=True)
class Neighbours:
    """A stretch of a line, with the leaf where a·x + b·y is less and the leaf where it is more."""

    line: Line
    ends: Segment
    below: int
    above: int


@dataclass(frozen=True)
class Border:
    """A stretch of a line where a node's question divides the view."""

    node: int
    depth: int
    ends: Segment


@dataclass(frozen=True)
class Regions:
    """All regions of a view."""

    tree: Tree
    view: View
    regions: tuple[Region, ...]

    @cached_property
    def neighbours(self) -> tuple[Neighbours, ...]:
        """All stretches between different leaves, line by line and in order on each."""
        return tuple(
            pair for line, sides in _edges_by_line(self.regions).items() for pair in _meet(line, *sides)
        )

    @cached_property
    def borders(self) -> tuple[Border, ...]:
        """Where questions divide the view; adjacent stretches of one question are one border."""
        parents, depths = self.tree.array("parent").tolist(), self.tree.array("depth").tolist()
        found: list[tuple[Line, Border]] = []
        for pair in self.neighbours:
            node = _common_ancestor(pair.below, pair.above, parents)
            begin, end = pair.ends
            if found and found[-1][0] == pair.line and found[-1][1].node == node:
                before = found[-1][1].ends
                if before[1] == begin:
                    begin = before[0]
                    found.pop()
            found.append((pair.line, Border(node, depths[node], (begin, end))))
        return tuple(border for _, border in found)


def _common_ancestor(one: int, other: int, parents: Sequence[int]) -> int:
    """Return the node where the paths to two leaves part; parents have lower numbers than children."""
    while one != other:
        one, other = (parents[one], other) if one > other else (one, parents[other])
    return one


# --- down the tree


def regions_of(tree: Tree, axes: Axes, view: View, fixed: Fixed) -> Regions:
    """Return the regions of a view, where other columns have the fixed values."""
    regions: list[Region] = []
    undecided: list[str] = []
    todo = [(tree.root, [rectangle(view.low, view.high)])]
    while todo:
        node, polygons = todo.pop()
        asked = asked_in_turn(node, axes, fixed)
        if not asked:
            regions += [Region(node.number, polygon) for polygon in polygons]
            continue
        if unknown := open_columns(asked, axes, fixed):
            undecided += unknown
            todo += [(child, polygons) for child in node.children]
            continue
        parts: list[list[Polygon]] = [[] for _ in (*node.children, None)]  # the last, -1: rows that stop here
        cut = cut_of(node, asked, axes, fixed)
        for polygon in polygons:
            _divide(polygon, cut, parts)
        # The last comes off the stack first, so regions are listed from left to right, as leaves are.
        todo += [(child, part) for child, part in zip(node.children, parts[:-1], strict=True) if part][::-1]
        regions += [Region(node.number, polygon) for polygon in parts[-1]]
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


def _divide(polygon: Polygon, cut: Grid | HalfPlane, parts: list[list[Polygon]]) -> None:
    """Add to the parts of each child what it gets of a polygon."""
    if isinstance(cut, HalfPlane):
        for part, taken in zip(parts[:2], cut_polygon(polygon, (cut.a, cut.b, cut.bound)), strict=True):
            part += [] if taken is None else [taken]
        return
    rest: Polygon | None = polygon
    for x, child in zip((*cut.xs, None), cut.child, strict=True):
        if rest is None:
            return
        strip, rest = (rest, None) if x is None else cut_polygon(rest, (1.0, 0.0, x))
        if strip is not None:
            _divide_strip(strip, cut.ys, child, parts)


def _divide_strip(
    strip: Polygon, ys: Sequence[float], child: Sequence[int], parts: list[list[Polygon]]
) -> None:
    """Divide a strip along y; neighbours of the same child stay together."""
    rest: Polygon | None = strip
    for j, y in enumerate(ys):
        if rest is None:
            return
        if child[j] != child[j + 1]:
            below, rest = cut_polygon(rest, (0.0, 1.0, y))
            parts[child[j]] += [] if below is None else [below]
    if rest is not None:
        parts[child[-1]].append(rest)


# --- along the lines

# Where a region touches a line: begin and end, each as (position on the line, point), and the leaf.
Stretch = tuple[tuple[float, Point], tuple[float, Point], int]


def _edges_by_line(regions: Iterable[Region]) -> dict[Line, tuple[list[Stretch], list[Stretch]]]:
    """Return for every line the stretches of regions below it and above it."""
    found: dict[Line, tuple[list[Stretch], list[Stretch]]] = defaultdict(lambda: ([], []))
    for region in regions:
        x, y = centre(region.corners)
        for i, line in enumerate(region.polygon.lines):
            if line is None:
                continue
            a, b, bound = line
            ends = [region.corners[i], region.corners[(i + 1) % len(region.corners)]]
            begin, end = sorted((a * q - b * p, (p, q)) for p, q in ends)
            found[line][0 if a * x + b * y <= bound else 1].append((begin, end, region.leaf))
    return found


def _meet(line: Line, below: list[Stretch], above: list[Stretch]) -> list[Neighbours]:
    """Return where different leaves meet at a line."""
    pairs: list[Neighbours] = []
    below, above = sorted(below), sorted(above)
    # Lengths are exact on lines parallel to an axis; elsewhere anything shorter than this is rounding.
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
