"""One of our trees next to one of rpart's that knows surrogates: node for node, list for list, row for row.

A difference is explained if a stated rule makes it, as the data show; a node is blurred if its surrogates
differ by ties or are explained, so that new rows may part there. Trees are plain here, ours too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from .comparison import Comparison
from .plain_gains import agree
from .plain_subsets import is_untried_by_rpart
from .plain_surrogates import LevelRule, plain_surrogates
from .surrogate_oracle import NOWHERE, Candidate, Cut, PlainNode, Rows, SurrogateOracle, Values
from .test_rpart import ClassWeights

__all__ = ["OUR_LEVEL_RULE", "OurTree", "SurrogateComparison", "turn"]

# rpart lists a nominal surrogate if at least two rows disagree with the primary: a perfect one is left out.
# We ask of levels what both ask of thresholds: two rows each way.
OUR_LEVEL_RULE: Final[LevelRule] = "two each way"


@dataclass(frozen=True)
class OurTree:
    """Our tree without its estimator: gains instead of improve, and our own order of the children."""

    nodes: dict[int, PlainNode]
    parents: dict[int, int]


@dataclass
class SurrogateComparison:
    """What was found on the way down. `numbers` leads from our nodes to rpart's."""

    oracle: SurrogateOracle
    ours: OurTree
    criterion: str
    numbers: dict[int, int] = field(default_factory=dict)
    swapped: dict[int, bool] = field(default_factory=dict)  # by rpart's number: our child 0 is its right one
    blurred: set[int] = field(default_factory=set)
    explained: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        y, w = self.oracle.oracle.target, self.oracle.case_weights
        is_classification = self.oracle.oracle.is_classification
        self.split_weights = ClassWeights(self.oracle.oracle, w).split_weights if is_classification else w
        self.found = Comparison(self.criterion, y, self.split_weights)

    # -- node for node -----------------------------------------------------------------------------

    def walk(self) -> SurrogateComparison:
        """Compare from the root down, as long as both hold the same rows."""
        open_pairs = [(1, 0)]
        while open_pairs:
            number, our_number = open_pairs.pop()
            self.numbers[our_number] = number
            self.found.n_nodes += 1
            theirs, ours = self.oracle.nodes[number], self.ours.nodes[our_number]
            self._compare_numbers(number, ours, theirs)
            if theirs.split is None:
                continue
            turned = self._compare_splits(number, ours, theirs)
            if turned is None:
                continue
            expected = self._expected(number, theirs)
            self._compare_lists(number, turned, expected)
            if self._sends_alike(number, turned, expected):
                pairs = zip(theirs.children, turned.children, strict=True)
                open_pairs += list(pairs)
        return self

    def _compare_numbers(self, number: int, ours: PlainNode, theirs: PlainNode) -> None:
        root = self.oracle.nodes[1]
        spread = np.sqrt(root.deviance / root.weight)
        scale = root.weight if self.oracle.oracle.is_classification else spread
        self.found.check(number, "number of rows", ours.n_rows, theirs.n_rows)
        self.found.check(number, "weight", ours.weight, theirs.weight)
        for k, (a, b) in enumerate(zip(ours.classes, theirs.classes, strict=True)):
            self.found.check(number, f"weight of class {k}, or the number", a, b, scale)

    def improve_unit(self, number: int, column: str | None = None) -> float:
        """Return what one unit of our gain is in rpart's improve, which is divided by the column's cost."""
        weight = float(self.split_weights[self.oracle.rows_at[number]].sum())
        weight /= self.oracle.oracle.costs.get(column or "", 1.0)
        if self.oracle.oracle.is_classification:
            return weight * (np.log(2.0) if self.criterion == "entropy" else 1.0)  # we count in bits
        return weight / self.oracle.nodes[number].deviance

    def with_gain(self, number: int, candidate: Candidate) -> Candidate:
        """Return a candidate of rpart's with our gain in place of its improve."""
        return replace(candidate, worth=candidate.worth / self.improve_unit(number, candidate.cut.column))

    def improve_scale(self, number: int) -> float:
        """Return the size of what an improve is made from: the impurity of the node, as rpart counts it."""
        rows, unit = self.oracle.rows_at[number], self.improve_unit(number)
        return self.found.total(rows) / float(self.split_weights[rows].sum()) * unit

    def plain_improve(self, number: int, cut: Cut) -> float:
        """Return rpart's improve of any cut, computed anew on the rows that know the column."""
        rows = self.oracle.rows_at[number]
        rows = rows[self.oracle.case_weights[rows] > 0]
        children = cut.children(self.oracle.values[cut.column][rows])
        known = children != NOWHERE
        gain = self.found.gain(rows[known], children[known] == 0)
        weight = float(self.split_weights[self.oracle.rows_at[number]].sum())
        return gain * self.improve_unit(number, cut.column) / weight

    def _compare_splits(self, number: int, ours: PlainNode, theirs: PlainNode) -> PlainNode | None:
        """Return our node with its children in rpart's order; None if the two questions differ."""
        assert theirs.split is not None
        scale = self.improve_scale(number)
        if ours.split is None:
            if not agree(theirs.split.worth, 0.0, scale):
                self.found.differences.append(f"node {number}: a leaf here, rpart asks {theirs.split.cut}")
            self._fork(number)
            return None
        turned = next((n for n in (ours, turn(ours)) if self._same_cut(number, n.split, theirs.split)), None)
        our_improve = self.plain_improve(number, ours.split.cut)
        improve = ours.split.worth * self.improve_unit(number, ours.split.cut.column)
        self.found.check(number, "improve", improve, our_improve, scale)
        if our_improve > theirs.split.worth and is_untried_by_rpart(
            self.oracle, number, ours.split.cut, self.split_weights
        ):
            self.explained.append(f"node {number}: a better subset of {ours.split.cut.column}")
        else:
            self.found.check(number, "improve of the two splits", our_improve, theirs.split.worth, scale)
        if turned is None:
            self._fork(number)
            return None
        self.swapped[number] = turned is not ours
        self._compare_thresholds(number, ours.split.cut, theirs.split.cut)
        return turned

    def _fork(self, number: int) -> None:
        self.found.ties.append(number)
        self.found.forks.append(number)

    def _compare_thresholds(self, number: int, ours: Cut, theirs: Cut) -> None:
        if theirs.sides is None:
            values = self.oracle.values[theirs.column][self.oracle.rows_at[number]]
            scale = float(np.nanmax(values) - np.nanmin(values))
            what = f"threshold of {theirs.column}"
            self.found.check(number, what, ours.threshold, theirs.threshold, scale)

    def _same_cut(self, number: int, ours: Candidate | None, theirs: Candidate | None) -> bool:
        """Return whether two cuts do the same to all rows of the node."""
        if ours is None or theirs is None or ours.cut.column != theirs.cut.column:
            return False
        values = self.oracle.values[theirs.cut.column][self.oracle.rows_at[number]]
        return bool((ours.cut.children(values) == theirs.cut.children(values)).all())

    # -- list for list -----------------------------------------------------------------------------

    def _expected(self, number: int, theirs: PlainNode) -> PlainNode:
        """Return rpart's node as our rules would have it: surrogates of levels, and the default child."""
        tie = int(self.swapped[number])  # our child 0
        default = self.oracle.growing_default(number, tie)
        some_rest = bool((self.oracle.where == number).any())
        if some_rest and default != self.oracle.growing_default(number):
            self.explained.append(f"node {number}: the primary sends the same weight each way")
        by_rule = {r: plain_surrogates(self.oracle, number, r) for r in ("two disagree", OUR_LEVEL_RULE)}
        columns = [[candidate.cut.column for candidate in listed] for listed in by_rule.values()]
        surrogates = theirs.surrogates
        if len(by_rule) > 1 and columns[0] != columns[1]:
            self.explained.append(f"node {number}: surrogates by our rule for levels")
            surrogates = by_rule[OUR_LEVEL_RULE]
            self.blurred.add(number)
        return replace(theirs, default=default, surrogates=surrogates)

    def _compare_lists(self, number: int, ours: PlainNode, theirs: PlainNode) -> None:
        self.found.check(number, "child of rows that nothing can send", ours.default, theirs.default)
        competitors = tuple(
            replace(c, worth=c.worth * self.improve_unit(number, c.cut.column)) for c in ours.competitors
        )
        limit, scale = self.oracle.limits["maxcompete"], self.improve_scale(number)
        competitors, expected = self._without_better_subsets(number, competitors, theirs.competitors)
        self._compare_ranks(number, "competitor", competitors, expected, limit, scale)
        limit = self.oracle.limits["maxsurrogate"]
        if not self._compare_ranks(number, "surrogate", ours.surrogates, theirs.surrogates, limit, 1.0):
            self.blurred.add(number)
            return
        for a, b in zip(ours.surrogates, theirs.surrogates, strict=True):
            self.found.check(number, f"rows sent by surrogate {b.cut.column}", a.n_rows, b.n_rows)

    def _without_better_subsets(
        self, number: int, ours: tuple[Candidate, ...], theirs: tuple[Candidate, ...]
    ) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        """Return both lists without the columns of which rpart did not try our subset.

        Each of them may have pushed another competitor off the end of our list, so rpart's ends there too.
        """
        worths = {candidate.cut.column: candidate.worth for candidate in theirs}
        scale = self.improve_scale(number)
        better = {
            c.cut.column
            for c in ours
            if is_untried_by_rpart(self.oracle, number, c.cut, self.split_weights)
            and c.worth > worths.get(c.cut.column, 0.0)
            and not agree(c.worth, worths.get(c.cut.column, 0.0), scale)
        }
        if not better:
            return ours, theirs
        self.explained.append(f"node {number}: better subsets of {', '.join(sorted(better))}")
        ours, theirs = (tuple(c for c in cs if c.cut.column not in better) for cs in (ours, theirs))
        n_pushed_off = max(0, len(theirs) - len(ours))
        if n_pushed_off > len(better):
            return ours, theirs
        return ours, theirs[: len(ours)]

    def _compare_ranks(
        self,
        number: int,
        what: str,
        ours: tuple[Candidate, ...],
        theirs: tuple[Candidate, ...],
        limit: int,
        scale: float,
    ) -> bool:
        """Compare two lists, best first; return whether they agree in order. Equals may change places."""
        ours, theirs = (tuple(c for c in cs if not agree(c.worth, 0.0, scale)) for cs in (ours, theirs))
        names = [[candidate.cut.column for candidate in listed] for listed in (ours, theirs)]
        if len(ours) != len(theirs):
            self.found.differences.append(f"node {number}: {what}s {names[0]} here, {names[1]} there")
            return False
        for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            self.found.check(number, f"worth of {what} {place}", a.worth, b.worth, scale)
        same = names[0] == names[1]
        by_column = {candidate.cut.column: candidate for candidate in ours}
        for candidate in theirs:
            same &= self._compare_candidates(number, what, by_column, candidate, limit, scale)
        if not same:
            self.found.ties.append(number)
        return same

    def _compare_candidates(
        self, number: int, what: str, ours: dict[str, Candidate], theirs: Candidate, limit: int, scale: float
    ) -> bool:
        """Compare a candidate of rpart's with ours of that column; return whether the cuts are the same."""
        column, last = theirs.cut.column, list(ours.values())[-1]
        mine = ours.get(column)
        if mine is None:
            if len(ours) < limit or not agree(last.worth, theirs.worth, scale):
                self.found.differences.append(f"node {number}: {what} {column} is not listed here")
            return False
        self.found.check(number, f"worth of {what} {column}", mine.worth, theirs.worth, scale)
        if what == "surrogate":
            self.found.check(number, f"adjusted agreement of {column}", mine.adjusted, theirs.adjusted, 1.0)
        turned = replace(mine, cut=mine.cut.swapped())
        ways = [mine] if what == "surrogate" else [mine, turned]  # a competitor has no side
        if not any(self._same_cut(number, way, theirs) for way in ways):
            return False  # equal worths: a tie between cuts
        self._compare_thresholds(number, mine.cut, theirs.cut)
        return True

    def _sends_alike(self, number: int, ours: PlainNode, expected: PlainNode) -> bool:
        """Return whether the rows of the node go the same ways, and note why if they do not."""
        rows, by_surrogates = self.oracle.rows_at[number], self.oracle.sends_by_surrogates
        children = ours.send(self.oracle.values, rows, by_surrogates=by_surrogates)
        if (children != expected.send(self.oracle.values, rows, by_surrogates=by_surrogates)).any():
            if number not in self.blurred:
                self.found.differences.append(f"node {number}: rows are sent to other children")
            self.found.forks.append(number)
            return False
        below = [self.oracle.rows_at[child] for child in expected.children]
        return all(np.array_equal(rows[children == c], below[c]) for c in (0, 1))

    # -- row for row -------------------------------------------------------------------------------

    @property
    def is_complete(self) -> bool:
        """Whether every node of rpart was compared, and all lists are the same."""
        whole = self.found.n_nodes == len(self.oracle.nodes)
        return whole and not (self.found.ties or self.found.differences or self.blurred)

    def compare_routes(self, what: str, values: Values, our_rest: Rows, their_rest: Rows) -> None:
        """Compare where rows come to rest, in rpart's numbers, as far down as both trees are the same.

        `their_rest` is rpart's own answer. Where its tree under our rules answers otherwise, it is explained:
        by a value on a threshold, or by a default that goes by weight and not by number of rows.
        """
        expected = self._up(self.oracle.route(self._by_our_rules(), values))
        theirs, ours = self._up(their_rest), self._up(self._in_their_numbers(our_rest))
        n_explained = int((expected != theirs).sum())
        if n_explained:
            self.explained.append(f"{what}: {n_explained} rows follow another default")
        wrong = np.flatnonzero(ours != expected)
        if len(wrong):
            row = int(wrong[0])
            text = f"row {row} rests in {ours[row]} here, in {expected[row]} there"
            self.found.differences.append(f"{what}: {len(wrong)} rows rest elsewhere: {text}")

    def _by_our_rules(self) -> dict[int, PlainNode]:
        nodes = {}
        for number, node in self.oracle.nodes.items():
            if node.split is not None:
                tie = int(self.swapped.get(number, False))
                split = replace(node.split, cut=node.split.cut.on_our_side())
                surrogates = tuple(replace(s, cut=s.cut.on_our_side()) for s in node.surrogates)
                default = self.oracle.growing_default(number, tie)
                node = replace(node, split=split, surrogates=surrogates, default=default)
            nodes[number] = node
        return nodes

    def _in_their_numbers(self, our_rest: Rows) -> Rows:
        """Return rpart's number of the nearest node above that both trees have."""
        lookup: dict[int, int] = {}
        for our_number in np.unique(our_rest).tolist():
            above = our_number
            while above not in self.numbers:
                above = self.ours.parents[above]
            lookup[our_number] = self.numbers[above]
        return np.array([lookup[number] for number in our_rest.tolist()], dtype=np.int64)

    def _up(self, rest: Rows) -> Rows:
        """Return the nearest nodes above that were compared and are not below a blurred one."""
        compared = set(self.numbers.values())
        lookup: dict[int, int] = {}
        for number in np.unique(rest).tolist():
            path = [number >> shift for shift in range(int(number).bit_length() - 1, -1, -1)]
            end = next((i for i, n in enumerate(path) if n in self.blurred), len(path) - 1)
            lookup[number] = [n for n in path[: end + 1] if n in compared][-1]
        return np.array([lookup[number] for number in rest.tolist()], dtype=np.int64)

    # -- importance --------------------------------------------------------------------------------

    def importance(self) -> dict[str, float]:
        """Return rpart's importance of each column from our numbers, in the nodes that rpart has too."""
        sums = dict.fromkeys(self.oracle.oracle.columns, 0.0)
        for our_number, number in self.numbers.items():
            node = self.ours.nodes[our_number]
            if node.split is None or self.oracle.nodes[number].split is None:
                continue
            share = 1.0 if self.oracle.oracle.is_classification else self.oracle.nodes[number].deviance
            improve = node.split.worth * self.improve_unit(number, node.split.cut.column) * share
            sums[node.split.cut.column] += improve
            for surrogate in node.surrogates:
                sums[surrogate.cut.column] += improve * surrogate.adjusted
        return sums


def turn(node: PlainNode) -> PlainNode:
    """Return the same node with its children in the other order."""
    assert node.split is not None
    turned = tuple(replace(s, cut=s.cut.swapped()) for s in node.surrogates)
    split = replace(node.split, cut=node.split.cut.swapped())
    default = node.default if node.default == NOWHERE else 1 - node.default
    return replace(node, split=split, surrogates=turned, children=node.children[::-1], default=default)
