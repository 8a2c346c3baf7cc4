"""How the quantity that a node asks about is distributed over its rows.

Bins lie between edges on an axis; bars have a name each. The core says where rows go, never the axis, so that
bins agree with it even where doubles cannot tell values apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arboretum._data import Column, Dataset
from arboretum._data.levels import number_text
from arboretum._show.rows.bins import bin_of, cut_on_axis, edges_around, edges_of
from arboretum._show.rows.node_rows import NodeRows, children_of
from arboretum._tree.composites import AtLeast, Linear
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers
from arboretum.errors import DataError

Ticks = tuple[tuple[float, str], ...]

_MOST_POINTS: Final = 300
_DIGITS: Final = 6  # of the ends of an axis; a cut has all of its digits


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distribution of a quantity over the rows at a node.

    There is at least one bin, and bins are closed on the right. The cut is an edge, unless all rows lie far
    from it on one side. Infinite values are in the outermost bins of their side.
    """

    kind: str  # "bins" between edges, or "bars", one per name
    title: str  # of the axis
    counts: Numbers  # (n, classes) weights; of numbers (n, 1)
    mean: Numbers | None  # of numbers: the mean target in each bin or bar, NaN without rows
    missing: Numbers  # (classes,) or (1,): weight of the rows with a missing value
    edges: Numbers | None = None  # of bins: ascending, one more than there are bins
    names: tuple[str, ...] | None = None  # of bars
    child: Integers | None = None  # of bars: the child each leads to, -1 if unknown
    cut: float | None = None  # of bins: the threshold
    ticks: Ticks = ()  # of bins: places with texts: least value, cut, greatest value
    points: Numbers | None = None  # of bins and numbers: up to 300 rows (quantity, target)


@dataclass(frozen=True)
class RowsAtNode:
    """The rows at a node: numbers, the weight that is here, and targets."""

    tree: Tree
    node: int
    rows: NodeRows
    row: Integers
    weight: Numbers
    target: Array

    def only(self, kept: Mask) -> RowsAtNode:
        """Return some of the rows."""
        return replace(self, row=self.row[kept], weight=self.weight[kept], target=self.target[kept])

    def children(self) -> Integers:
        """Return the child to which each row goes."""
        return children_of(self.tree, self.node, self.rows.table, self.row)

    def weights_in(self, place: Integers, n: int) -> Numbers:
        """Return the weight of each class, or the whole weight, in each of n places."""
        classes = self.tree.target.classes
        width = 1 if classes is None else len(classes)
        at = place * width + (0 if classes is None else self.target)
        found = np.bincount(at, weights=self.weight, minlength=n * width)
        return np.asarray(found.reshape(n, width), dtype=np.float64)

    def means_in(self, place: Integers, n: int) -> Numbers | None:
        """Return the mean target in each of n places; None for classes."""
        if self.tree.target.classes is not None:
            return None
        total = np.bincount(place, weights=self.weight * self.target, minlength=n)
        with np.errstate(invalid="ignore"):
            mean = total / np.bincount(place, weights=self.weight, minlength=n)
        return np.asarray(mean, dtype=np.float64)

    def total(self) -> Numbers:
        """Return the weight of each class, or the whole weight, of all rows."""
        whole: Numbers = self.weights_in(np.zeros(len(self.row), dtype=np.int64), 1)[0]
        return whole

    def distribution(
        self, kind: str, title: str, place: Integers, n: int, missing: RowsAtNode | None, **more: Any
    ) -> Distribution:
        """Return how the rows are distributed over n places; `missing` are the rows with a missing value."""
        counts = self.weights_in(place, n)
        lacking = np.zeros(counts.shape[1]) if missing is None else missing.total()
        return Distribution(kind, title, counts, self.means_in(place, n), lacking, **more)


def distribution(
    tree: Tree, node: int, rows: NodeRows, *, bins: int = 24, bars: int = 20
) -> Distribution | None:
    """Return how the quantity that a node asks about is distributed; None for a leaf or without rows.

    There are at most `bins` bins, but at least two if rows go both ways. Beyond `bars` levels, the rarer ones
    of a child are one bar.
    """
    question = tree.node(node).question
    here = _here(tree, node, rows)
    if question is None or not len(here.row):
        return None
    match question:
        case Threshold() if question.about.levels is None:
            return _of_values(question, here, bins)
        case Levels() | Threshold():
            return _of_levels(question, here, bars)
        case Missing():
            return _in_bars(here, question.column, ["missing", "known"], [0, 1], here.children())
        case AtLeast():
            return _of_literals(question, here)
        case Linear():
            return _of_sums(question, here, bins)
    raise DataError(f"The question {question} is of a kind that has no distribution.")


def place_of_row(tree: Tree, node: int, table: Dataset) -> float | str | None:
    """Return where the first row of a table is in a distribution: a place on the axis, or the name of a bar.

    None if its value is missing.
    """
    question = tree.node(node).question
    match question:
        case AtLeast():
            return str(int(_holding(question, tree, table)[0]))
        case Linear():
            return float(_sums(question, tree, table)[0])
        case None:
            return None
    column = table.columns[tree._place_of(question.column)]
    if isinstance(question, Missing):
        return "missing" if column.is_missing()[0] else "known"
    if column.is_missing()[0]:
        return None
    if question.about.levels is not None:
        return question.about.format(int(column.values[0]))
    return float(_on_axis(question.about, column.values[:1])[0])


def target_distribution(tree: Tree, node: int, rows: NodeRows, *, bins: int = 24) -> Distribution:
    """Return how the targets of the rows at a node are distributed, for a tree that predicts numbers."""
    if tree.target.classes is not None:
        raise DataError("The tree predicts classes, whose distribution is the weights of the classes.")
    here = _here(tree, node, rows)
    values = here.target.astype(np.float64)
    edges = edges_of(values if len(values) else tree.array("value")[node : node + 1], bins)
    ticks = _ends(
        [(float(value), _short(value)) for value in (values.min(), values.max())] if len(values) else []
    )
    return _in_bins(here, "target", values, None, None, edges, ticks, points=False)


def _here(tree: Tree, node: int, rows: NodeRows) -> RowsAtNode:
    row, weight = rows.parts_of(node)
    return RowsAtNode(tree, node, rows, row, weight, rows.targets[row])


# --- bins


def _of_values(question: Threshold, here: RowsAtNode, bins: int) -> Distribution:
    column = here.rows.table.columns[here.tree._place_of(question.column)].take(here.row)
    known = ~column.is_missing()
    some, stored = here.only(known), column.values[known]
    side = some.children()
    about = question.about
    values, cut = _on_axis(about, stored), float(_on_axis(about, np.float64(question.threshold)))
    edges, cut = edges_around(values, side, cut, bins), cut_on_axis(values, cut)
    write = _short if about.kind == "number" else about.format
    ends = [(float(_on_axis(about, end)), write(end)) for end in _least_and_greatest(stored)]
    ticks = _ticks(edges, ends, (cut, about.format(question.threshold)))
    return _in_bins(some, question.column, values, side, cut, edges, ticks, missing=here.only(~known))


def _of_sums(question: Linear, here: RowsAtNode, bins: int) -> Distribution:
    values, side = _sums(question, here.tree, here.rows.table.take(here.row)), here.children()
    edges, cut = edges_around(values, side, question.threshold, bins), cut_on_axis(values, question.threshold)
    bound = number_text(question.threshold)
    ends = [(float(value), _short(value)) for value in _least_and_greatest(values)]
    title = question.outcomes[0].removesuffix(f" <= {bound}")
    return _in_bins(here, title, values, side, cut, edges, _ticks(edges, ends, (cut, bound)))


def _sums(question: Linear, tree: Tree, table: Dataset) -> Numbers:
    """Return the sum of each row, added term by term as in the core."""
    sums = np.zeros(table.n_rows)
    with np.errstate(invalid="ignore", over="ignore"):  # of infinite values
        for term in question.terms:
            column = table.columns[tree._place_of(term.about.name)]
            values = column.values if term.level is None else column.values == term.level
            sums += term.coefficient * np.where(column.is_missing(), term.fill, values)
    return sums


def _in_bins(
    here: RowsAtNode,
    title: str,
    values: Numbers,
    side: Integers | None,
    cut: float | None,
    edges: Numbers,
    ticks: Ticks,
    *,
    missing: RowsAtNode | None = None,
    points: bool = True,
) -> Distribution:
    place = bin_of(values, side, edges, cut)
    drawn = _points(values, here.target) if points and here.tree.target.classes is None else None
    axis = {"edges": edges, "cut": cut, "ticks": ticks, "points": drawn}
    return here.distribution("bins", title, place, len(edges) - 1, missing, **axis)


def _points(values: Numbers, targets: Array) -> Numbers:
    """Return (value, target) of some evenly chosen rows, in their order."""
    drawn = np.flatnonzero(np.isfinite(values))
    if len(drawn) > _MOST_POINTS:
        drawn = drawn[np.linspace(0, len(drawn) - 1, _MOST_POINTS).round().astype(np.intp)]
    return np.column_stack([values[drawn], targets[drawn].astype(np.float64)])


def _on_axis(column: Column, stored: Any) -> Any:
    """Return stored values as doubles, in the same order; none becomes infinite."""
    return stored.astype(np.float64) + float(column.offset)


def _least_and_greatest(stored: Array) -> list[Any]:
    """Return the ends of the finite range in stored form; empty if there is none."""
    finite = stored[np.isfinite(stored)] if stored.dtype.kind == "f" else stored
    return [finite.min(), finite.max()] if len(finite) else []


def _short(number: Any) -> str:
    return number_text(float(f"{float(number):.{_DIGITS}g}"))


def _ticks(edges: Numbers, ends: list[tuple[float, str]], cut: tuple[float, str]) -> Ticks:
    """Return the ticks from left to right; none for a cut outside, or for an end at the cut."""
    low, high = float(edges[0]), float(edges[-1])
    shown = [cut] if low <= cut[0] <= high else []
    inside = [(min(max(place, low), high), text) for place, text in ends]
    return _ends([*inside, *shown])  # the last of equal places is kept


def _ends(ticks: list[tuple[float, str]]) -> Ticks:
    return tuple(sorted(dict(ticks).items()))


# --- bars


def _holding(question: AtLeast, tree: Tree, table: Dataset) -> Integers:
    """Return for each row how many literals hold; each is asked alone."""
    holding = np.zeros(table.n_rows, dtype=np.int64)
    for literal in question.literals:
        alone = AtLeast(literal.about, 0, False, 1, (literal,))
        holding += alone.answers(tree.columns, table) == 0
    return holding


def _of_literals(question: AtLeast, here: RowsAtNode) -> Distribution:
    holding = _holding(question, here.tree, here.rows.table.take(here.row))
    numbers = range(len(question.literals) + 1)
    children = [0 if number >= question.m else 1 for number in numbers]
    return _in_bars(here, "parts that hold", [str(number) for number in numbers], children, holding)


def _of_levels(question: Threshold | Levels, here: RowsAtNode, bars: int) -> Distribution:
    """Return the levels of the rows here; those of an ordered column in order."""
    about = question.about
    column = here.rows.table.columns[here.tree._place_of(about.name)].take(here.row)
    known = ~column.is_missing()
    some, level = here.only(known), column.values[known].astype(np.int64)
    leads = _leads_to(question, some, level)
    weight = np.bincount(level, weights=some.weight, minlength=len(leads)).astype(np.float64)
    present = np.flatnonzero(np.bincount(level, minlength=len(leads)) > 0)
    if not len(present):
        present = np.flatnonzero(leads >= 0)
    kept, rest = _kept(present, weight, leads, bars)
    children = sorted({int(child) for child in leads[present]}, key=lambda child: (child < 0, child))
    names: list[str] = []
    child_of: list[int] = []
    bar = np.zeros(len(leads), dtype=np.int64)
    for child in children:
        own = kept[leads[kept] == child]
        if not isinstance(question, Threshold):
            own = own[np.argsort(-weight[own], kind="stable")]
        bar[own] = len(names) + np.arange(len(own))
        names += [about.format(number) for number in own.tolist()]
        others = rest[leads[rest] == child]
        if len(others):
            bar[others] = len(names)
            names.append(about.format(int(others[0])) if len(others) == 1 else f"… {len(others)} more")
        child_of += [child] * (len(names) - len(child_of))
    return _in_bars(some, question.column, names, child_of, bar[level], here.only(~known))


def _leads_to(question: Threshold | Levels, some: RowsAtNode, level: Integers) -> Integers:
    """Return the child that each level leads to; -1 if the question does not say.

    Unseen levels follow the heavier child where missing values go to a child; elsewhere each row goes its own
    way.
    """
    leads = np.full(len(question.about.levels or ()), -1, dtype=np.int64)
    if isinstance(question, Threshold):
        leads[:] = np.arange(len(leads)) > question.floor
        return leads
    for child, group in enumerate(question.children):
        leads[list(group)] = child
    if some.tree.missing == "child":
        leads[level] = some.children()
    return leads


def _kept(present: Integers, weight: Numbers, leads: Integers, bars: int) -> tuple[Integers, Integers]:
    """Return the levels with a bar of their own, and the rest, both in order."""
    if len(present) <= bars:
        return present, present[:0]
    n_kept = max(bars - len(np.unique(leads[present])), 0)
    chosen = np.zeros(len(present), dtype=np.bool_)
    chosen[np.argsort(-weight[present], kind="stable")[:n_kept]] = True
    return present[chosen], present[~chosen]


def _in_bars(
    here: RowsAtNode,
    title: str,
    names: list[str],
    child: list[int],
    place: Integers,
    missing: RowsAtNode | None = None,
) -> Distribution:
    bars = {"names": tuple(names), "child": np.array(child, dtype=np.int64)}
    return here.distribution("bars", title, place, len(names), missing, **bars)
