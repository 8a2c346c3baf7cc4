"""Features: the matrix of numbers that ONNX's trees read, computed from the inputs by plain operators.

For a field, a feature holds the values, with NaN for missing, or codes: the number of the level, or of the
thresholds that lie below an integer; -1 is missing. For a sum, it holds whether the sum is at most its bound.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from arboretum._tree.composites import Linear, LinearTerm, Literal
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum.export._onnx.graph import ML, Graph
from arboretum.export._onnx.inputs import MISSING_INTEGER, Input, Options, field_cuts
from arboretum.export._program.program import Field, Program


@dataclass(frozen=True)
class Cut:
    """`feature <= threshold`: low, else high. NaN is low if `nan_is_low`."""

    feature: int
    threshold: float
    low: Branch
    high: Branch
    nan_is_low: bool = False


Branch = Cut | int


def by_value(feature: int, threshold: float, low: Branch, high: Branch, missing: Branch) -> Branch:
    """Return the cut of a feature of numbers, in which NaN is missing."""
    if missing == low:
        return Cut(feature, threshold, low, high, nan_is_low=True)
    if missing == high:
        return Cut(feature, threshold, low, high)
    # Every number is at most infinity, so only NaN is high.
    return Cut(feature, math.inf, Cut(feature, threshold, low, high), missing)


def by_code(feature: int, branches: Mapping[int, Branch]) -> Branch:
    """Return the cuts that send each code to its branch; unlisted codes follow a neighbour.

    >>> by_code(0, {0: 5, 1: 5, 2: 7})
    Cut(feature=0, threshold=1.5, low=5, high=7, nan_is_low=False)
    """
    runs: list[tuple[int, Branch]] = []  # the last code of each run of codes with the same branch
    for code, branch in sorted(branches.items()):
        if runs and runs[-1][1] == branch:
            runs.pop()
        runs.append((code, branch))
    return _halve(feature, runs)


def _halve(feature: int, runs: list[tuple[int, Branch]]) -> Branch:
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    low, high = _halve(feature, runs[:middle]), _halve(feature, runs[middle:])
    return Cut(feature, runs[middle - 1][0] + 0.5, low, high)


def goals_of(branch: Branch) -> Counter[int]:
    """Return how often a branch ends in each goal."""
    found: Counter[int] = Counter()
    below = [branch]
    while below:
        part = below.pop()
        if isinstance(part, Cut):
            below += [part.low, part.high]
        else:
            found[part] += 1
    return found


class Forest:
    """Trees of cuts for the operator TreeEnsembleRegressor, which adds up the goals that a row reaches."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.n_trees = 0
        self._nodes: list[tuple[int, int, int, float, int, int, int]] = []
        self._leaves: list[tuple[int, int, int, float]] = []

    def plant(self, root: Branch, target: int, subtrees: Mapping[int, Branch] | None = None) -> None:
        """Add a tree with goals as leaves; a goal that has a subtree continues there."""
        more = subtrees or {}
        tree, self.n_trees = self.n_trees, self.n_trees + 1
        first = len(self._nodes)
        self._nodes.append((0,) * 7)
        open_branches = [(0, root)]
        while open_branches:
            place, branch = open_branches.pop()
            while not isinstance(branch, Cut) and branch in more:
                branch = more[branch]
            if not isinstance(branch, Cut):
                self._nodes[first + place] = (tree, place, 0, 0.0, 0, 0, 0)
                self._leaves.append((tree, place, target, float(branch)))
                continue
            low, high = len(self._nodes) - first, len(self._nodes) - first + 1
            self._nodes += [(0,) * 7, (0,) * 7]
            threshold = self._rounded_down(branch.threshold)
            nan = int(branch.nan_is_low)
            self._nodes[first + place] = (tree, place, branch.feature, threshold, low, high, nan)
            open_branches += [(high, branch.high), (low, branch.low)]

    def _rounded_down(self, threshold: float) -> float:
        """Return the largest number of the type that is at most the threshold."""
        with np.errstate(over="ignore", under="ignore"):
            near = self.dtype.type(threshold)
            if float(near) > threshold:
                near = np.nextafter(near, self.dtype.type(-np.inf))
        return float(near)

    def attributes(self, onnx: Any, n_targets: int) -> dict[str, Any]:
        """Return the attributes of the operator."""
        trees, places, features, thresholds, lows, highs, nans = map(list, zip(*self._nodes, strict=True))
        leaf_trees, leaf_places, targets, weights = map(list, zip(*self._leaves, strict=True))
        found: dict[str, Any] = {
            "n_targets": n_targets,
            "nodes_treeids": trees,
            "nodes_nodeids": places,
            "nodes_featureids": features,
            "nodes_truenodeids": lows,
            "nodes_falsenodeids": highs,
            "nodes_missing_value_tracks_true": nans,
            # A leaf has no branch: place 0 is the root, to which nothing leads.
            "nodes_modes": ["BRANCH_LEQ" if low else "LEAF" for low in lows],
            "target_treeids": leaf_trees,
            "target_nodeids": leaf_places,
            "target_ids": targets,
        }
        if self.dtype == np.float32:
            return found | {"nodes_values": thresholds, "target_weights": weights}
        tensor = onnx.numpy_helper.from_array
        return found | {
            "nodes_values_as_tensor": tensor(np.array(thresholds, np.float64), "thresholds"),
            "target_weights_as_tensor": tensor(np.array(weights, np.float64), "goals"),
        }


MISSING_CODE: Final = -1


@dataclass(frozen=True)
class _Feature:
    """The place of a field in the matrix; for codes, their number and the thresholds that they count."""

    place: int
    n_codes: int | None = None
    thresholds: tuple[int, ...] = ()


class Features:
    """The features of all fields and sums."""

    def __init__(self, graph: Graph, program: Program, options: Options) -> None:
        self._graph = graph
        self._program = program
        self._options = options
        self._columns: list[str] = []
        self.width = 0  # the number of features
        self._of: dict[str, _Feature] = {}
        # By the names of fields, results of shape (rows,): codes, and values with NaN for missing.
        self._codes: dict[str, str] = {}
        self._reals: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self.sums: dict[int, int] = {}  # by the number of a step, the place of its feature

    # --- fields

    def read_matrix(self, name: str) -> None:
        """Take the values of all fields from one input."""
        self._columns.append(name)
        self.width = len(self._program.columns)
        self._matrix = name
        for field in self._program.fields:
            self._of[field.name] = _Feature(field.place)

    def read_column(self, given: Input) -> None:
        """Take the values of a field from its input."""
        field = given.field
        if field.levels is not None:
            codes = self._levels(given)
            self._codes[field.name] = codes
            place = self._append(self._graph.cast(codes, self._options.real))
            self._of[field.name] = _Feature(place, len(field.levels))
        elif given.dtype.kind == "f":
            self._reals[field.name] = given.name
            self._of[field.name] = _Feature(self._append(given.name))
        else:
            self._read_integers(given)

    def _read_integers(self, given: Input) -> None:
        self._sources[given.field.name] = given.name
        thresholds = field_cuts(self._program, given.field)
        # A rounded integer stays on its side of every threshold below the first gap between floats.
        if all(abs(t) + 1 < self._options.whole_limit for t in thresholds):
            values = self._graph.cast(given.name, self._options.real)
            shown = self._where_missing(given.name, np.nan, self._options.real, values)
            self._of[given.field.name] = _Feature(self._append(shown))
            return
        # How many thresholds lie below each integer: x <= t of rank i exactly if that is <= i.
        graph = self._graph
        above = graph.add("Greater", graph.as_column(given.name), graph.constant([thresholds], np.int64))
        axis = graph.constant([1], np.int64)
        counts = graph.add("ReduceSum", graph.cast(above, np.int64), axis, keepdims=0)
        ranks = self._where_missing(given.name, MISSING_CODE, np.int64, counts)
        place = self._append(graph.cast(ranks, self._options.real))
        self._of[given.field.name] = _Feature(place, len(thresholds) + 1, tuple(thresholds))

    def _where_missing(self, integers: str, stand_in: Any, dtype: Any, otherwise: str) -> str:
        graph = self._graph
        missing = graph.add("Equal", integers, graph.constant(MISSING_INTEGER, np.int64))
        return graph.add("Where", missing, graph.constant(stand_in, dtype), otherwise)

    def _levels(self, given: Input) -> str:
        """Return the number of each row's level."""
        levels: tuple[Any, ...] = given.field.levels or ()
        numbers = list(range(len(levels)))
        graph = self._graph
        if given.dtype == np.dtype(np.float64):
            same = graph.add("Equal", graph.as_column(given.name), graph.constant([list(levels)], np.float64))
            codes = graph.constant([numbers], np.int64), graph.constant(MISSING_CODE, np.int64)
            found = graph.add("Where", same, *codes)
            return graph.add("ReduceMax", found, axes=[1], keepdims=0)
        text = given.dtype == np.dtype(object)
        keys = {"keys_strings": levels} if text else {"keys_int64s": list(map(int, levels))}
        return graph.add(
            "LabelEncoder", given.name, domain=ML, **keys, values_int64s=numbers, default_int64=MISSING_CODE
        )

    def _append(self, result: str) -> int:
        self._columns.append(self._graph.as_column(result))
        self.width += 1
        return self.width - 1

    # --- sums

    def add_sum(self, number: int, question: Linear) -> None:
        """Compute whether the sum of a step is at most its bound, term by term in order."""
        graph = self._graph
        total = graph.constant(0.0, np.float64)
        for term in question.terms:
            coefficient = graph.constant(term.coefficient, np.float64)
            total = graph.add("Add", total, graph.add("Mul", coefficient, self._term(term)))
        holds = graph.add("LessOrEqual", total, graph.constant(question.threshold, np.float64))
        self.sums[number] = self._append(graph.cast(holds, self._options.real))

    def _term(self, term: LinearTerm) -> str:
        graph = self._graph
        field = self._program.field_of(term.about)
        if term.level is not None:
            codes = self._codes[field.name]
            same = graph.cast(graph.add("Equal", codes, graph.constant(term.level, np.int64)), np.float64)
            missing = graph.add("Less", codes, graph.constant(0, np.int64))
            return graph.add("Where", missing, graph.constant(term.fill, np.float64), same)
        if field.name in self._sources:
            integers = self._sources[field.name]
            return self._where_missing(integers, term.fill, np.float64, graph.cast(integers, np.float64))
        if field.name not in self._reals:
            place = graph.constant(field.place, np.int64)
            self._reals[field.name] = graph.add("Gather", self._matrix, place, axis=1)
        real = graph.cast(self._reals[field.name], np.float64)
        return graph.add("Where", graph.add("IsNaN", real), graph.constant(term.fill, np.float64), real)

    def real_of(self, field: Field) -> str:
        """Return the values of a field of numbers, a double for each row; NaN for missing ones."""
        graph = self._graph
        if field.name in self._sources:
            integers = self._sources[field.name]
            return self._where_missing(integers, np.nan, np.float64, graph.cast(integers, np.float64))
        if field.name not in self._reals:
            place = graph.constant(field.place, np.int64)
            self._reals[field.name] = graph.add("Gather", self._matrix, place, axis=1)
        return graph.cast(self._reals[field.name], np.float64)

    # --- questions

    def cut(
        self,
        question: Threshold | Levels | Missing | Literal,
        branches: Mapping[int, Branch],
        missing: Branch,
        unseen: Branch,
    ) -> Branch:
        """Return a question as cuts; `branches` are by the place of a child, or 1 and 0 for a literal."""
        feature = self._of[question.about.name]
        if feature.n_codes is not None:
            answers = _answers(question, feature, feature.n_codes)
            found = {code: unseen if place is None else branches[place] for code, place in answers.items()}
            return by_code(feature.place, {MISSING_CODE: missing} | found)
        if isinstance(question, Missing):
            return Cut(feature.place, np.inf, branches[1], branches[0])  # only NaN is not at most infinity
        if isinstance(question, Levels):
            raise AssertionError("levels have codes")
        low, high = _sides(question)
        return by_value(feature.place, question.real, branches[low], branches[high], missing)

    def matrix(self) -> str:
        """Return the matrix of all features."""
        return self._graph.side_by_side(self._columns)


def _sides(question: Threshold | Literal) -> tuple[int, int]:
    """Return the keys of the branches at most the threshold and above it."""
    if isinstance(question, Literal):
        return (0, 1) if question.negated else (1, 0)
    return (1, 0) if question.flipped else (0, 1)


def _answers(
    question: Threshold | Levels | Missing | Literal, feature: _Feature, n_codes: int
) -> dict[int, int | None]:
    """Return the key of the branch for the last code of every run of codes; None for unseen levels."""
    ends: dict[int, int | None] = {}
    if isinstance(question, Levels):
        places = {level: place for place, group in enumerate(question.children) for level in group}
        ends = {level - 1: None for level in places} | {n_codes - 1: None} | places
    elif isinstance(question, Missing):
        ends = {n_codes - 1: 1}
    elif isinstance(question, Literal) and question.level is not None:
        ends = {question.level - 1: int(question.negated), n_codes - 1: int(question.negated)}
        ends[question.level] = int(not question.negated)
    else:
        low, high = _sides(question)
        thresholds = feature.thresholds
        last = bisect_left(thresholds, question.floor) if thresholds else question.floor
        ends[n_codes - 1] = high
        ends[min(last, n_codes - 1)] = low
    return {code: key for code, key in ends.items() if code >= 0}
