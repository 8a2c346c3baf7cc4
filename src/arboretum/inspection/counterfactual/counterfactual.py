"""`counterfactual`: what would have to change in a row for a tree to predict something else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arboretum._data import ColumnData, Dataset, match_dataset
from arboretum._data.other_tables import table_called
from arboretum._options.rules import Flag, OneOf, Whole
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.leaves import cheapest
from arboretum._tree.one_row import read_row
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Numbers
from arboretum.errors import DataError
from arboretum.inspection.counterfactual.answers import Change, Counterfactual, Proof, proof_of
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.options import read_moves
from arboretum.inspection.counterfactual.pieces import Value
from arboretum.inspection.counterfactual.search import Found, Search
from arboretum.inspection.counterfactual.wanted import Wanted, read_wanted
from arboretum.inspection.counterfactual.words import joined, nearby, words_of
from arboretum.inspection.spread import spreads_by_thresholds, spreads_of

_DIVERSE = OneOf(("columns", "leaves"))
Changes = Mapping[int, Value]  # by the place of the column


def counterfactual(
    model: Any,
    row: Any,
    desired: Any,
    *,
    costs: Any = None,
    fixed: Any = (),
    ranges: Any = None,
    max_changes: int | None = None,
    n: int = 1,
    data: Any = None,
    diverse: str = "columns",
    readable: bool = True,
) -> list[Counterfactual]:
    """Return the nearest changes of a row for which a tree predicts what is desired, nearest first.

    The search is exact: `answer.proof` has the least cost of every other part of the tree. A row that is
    already predicted as desired is the answer itself, without changes. Known values never become missing;
    missing ones may be filled in.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier().fit(X, y)
    >>> answer = counterfactual(model, X.iloc[[0]], "versicolor", data=X)[0]
    >>> answer.text
    'if petal_length were 2.5 to 4.9 instead of 1.4'
    >>> answer.row["petal_length"], round(answer.cost, 2), answer.proof.holds
    (2.5, 0.23, True)

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    row : one row, as a table, a mapping, a list or a series
    desired : a class; {class: probability} for at least that, or {class: (least, greatest)}; of numbers,
        (least, greatest) or the number to reach; None is no limit
    costs : {column: cost}, 1 unless given: of a distance of one spread, of another level, of filling in a
        missing value, or of making an infinite one finite. Of a nominal column also {(from, to): cost}, in
        which other pairs cost 1
    fixed : names of columns that must stay as they are
    ranges : {column: (lowest, highest)}, {column: "rise"} or {column: "fall"}; of nominal columns, the levels
        it may become. They limit what a changed value may be
    max_changes : how many columns may change
    n : how many answers; there are fewer if no more exist
    data : a table, by which the spread of columns is measured: the distance from the 5% to the 95% quantile.
        Without it, it is the range of the tree's thresholds and the row's own value
    diverse : "columns", no answer changes all columns that a nearer one changes; or "leaves", each answer
        ends in another leaf
    readable : whether a changed number or time may go further by up to 2% of its spread, to a value that is
        short to write
    """
    tree = tree_of(model, "counterfactual()")
    n_answers = Whole(1).read(n, "n")
    most = Whole(1, or_none=True).read(max_changes, "max_changes")
    by_leaves = _DIVERSE.read(diverse, "diverse") == "leaves"
    rounded = Flag().read(readable, "readable")
    named = has_names(model, tree)
    came: dict[str, ColumnData] = {}
    given = GivenRow(tree, read_row(tree, row, named=named, given=came))
    wanted = read_wanted(tree, desired, given.predicted({}))
    spreads = spreads_by_thresholds(tree, given.table)
    if data is not None:
        with table_called("data"):
            spreads = spreads_of(match_dataset(_table_of(data), tree.columns, named=named))
    moves = read_moves(tree, given.table, came, spreads, costs=costs, fixed=fixed, ranges=ranges)
    search = Search(tree, moves, wanted, most, lambda changes: given.is_wanted(wanted, changes))
    answers: list[Counterfactual] = []
    taken = _Taken(by_leaves)
    assert n_answers is not None
    while len(answers) < n_answers and (found := search.next(taken.excluded)) is not None:
        taken.found.append(found)
        values = _readable(found, moves, given, wanted) if rounded else dict(found.values)
        answers.append(
            _answer(
                found, values, moves, given, proof_of(found.bound, search.bounds, search.remaining()), wanted
            )
        )
        if not found.values:
            break
    if not answers:
        raise _nothing(wanted, fixed, ranges, most)
    return sorted(answers, key=lambda answer: answer.cost)


def _table_of(data: Any) -> Any:
    """Return the table of (X, y) or (X, y, sample_weight), or what is a table already."""
    return data[0] if isinstance(data, tuple) and len(data) in (2, 3) else data


@dataclass(frozen=True)
class GivenRow:
    """The row that was given, and what a tree predicts for it with changes."""

    tree: Tree
    table: Dataset

    def changed(self, changes: Changes) -> Dataset:
        """Return the row with changes."""
        columns = list(self.table.columns)
        for place, value in changes.items():
            column = columns[place].column
            kind = np.float64 if column.kind == "number" else np.int64 if column.levels is None else np.int32
            columns[place] = ColumnData(column, np.array([value], dtype=kind))
        return Dataset(tuple(columns), 1, self.table.named)

    def end(self, changes: Changes) -> int:
        """Return the node where the row with changes ends."""
        return int(self.tree._leaves_of(self.changed(changes))[0])

    def predicted(self, changes: Changes) -> Numbers:
        """Return the probabilities, or the number, that is predicted for the row with changes."""
        name = "value" if self.tree.target.classes is None else "probability"
        values = self.tree.array(name).reshape(len(self.tree), -1)
        if self.tree.missing != "fractions":
            return np.asarray(values[self.end(changes)])
        return np.asarray(self.tree._router.blend(core_dataset(self.changed(changes)), values)[0])

    def label(self, changes: Changes) -> int:
        """Return the number of the class that is predicted for the row with changes."""
        if self.tree.missing != "fractions":
            return int(self.tree.array("label")[self.end(changes)])
        loss = None if self.tree.rule is None else self.tree.rule.loss
        return int(cheapest(self.predicted(changes)[None, :], loss)[0])

    def is_wanted(self, wanted: Wanted, changes: Changes) -> bool:
        """Return whether the row with changes is predicted as wanted."""
        if self.tree.missing != "fractions":
            return bool(wanted.at_nodes[self.end(changes)])
        return wanted.of(self.predicted(changes))


@dataclass(eq=False)
class _Taken:
    """The answers that were found so far, and which others would be too much like them."""

    by_leaves: bool
    found: list[Found] = field(default_factory=list)

    def excluded(self, found: Found) -> frozenset[int] | None:
        """Return columns of which at least one must not change; nothing helps if there are none of them."""
        if self.by_leaves:
            return frozenset() if any(set(found.ends) == set(each.ends) for each in self.found) else None
        return next((each.changed for each in self.found if each.changed <= found.changed), None)


# --- answers


def _readable(found: Found, moves: Sequence[Moves], given: GivenRow, wanted: Wanted) -> dict[int, Value]:
    """Return the changes with readable values instead of the nearest ones, where the prediction stays."""
    values = dict(found.values)
    for place, value in found.values.items():
        move, piece = moves[place], found.region[place]
        ends = None if move.column.kind == "nominal" else move.ends(piece)
        if ends is None:
            continue
        rises = value >= move.start if move.placed else not math.isinf(ends[0]) and piece.low is not None
        low, high = (value, ends[1]) if rises else (ends[0], value)
        other = nearby(move, low, high, rising=rises)
        if other != value and given.is_wanted(wanted, {**values, place: other}):
            values[place] = other
    return values


def _answer(
    found: Found,
    values: Changes,
    moves: Sequence[Moves],
    given: GivenRow,
    proof: Proof,
    wanted: Wanted,
) -> Counterfactual:
    classes = given.tree.target.classes
    changes = []
    for place in sorted(values):
        move, value = moves[place], values[place]
        piece = None if place in found.joint else found.region[place]
        before, after = _plain(move, move.value), _plain(move, value)
        words = words_of(move, value, piece)
        changes.append(Change(move.column.name, before, after, move.price_of(value), words))
    row = {move.column.name: _plain(move, values.get(place, move.value)) for place, move in enumerate(moves)}
    predicted = given.predicted(values)
    prediction: object = float(predicted[0])
    probability, asked = None, dict[Any, float]()
    if classes is not None:
        label = given.label(values)
        prediction, probability = classes[label], float(predicted[label])
        asked = {classes[place]: float(predicted[place]) for place, _, _ in wanted.limits}
    cost = math.fsum(change.cost for change in changes)
    return Counterfactual(row, tuple(changes), cost, found.bound, prediction, probability, proof, asked)


def _plain(move: Moves, value: Value | None) -> object:
    if value is None:
        return move.unknown
    if move.column.kind == "integer" and value != int(value):
        return float(value)  # a fraction in a column of whole numbers, left as it is
    return move.column.plain(value)


def _nothing(wanted: Wanted, fixed: Any, ranges: Any, max_changes: int | None) -> DataError:
    limits = [name for name, given in (("fixed", len(tuple(fixed))), ("ranges", ranges)) if given]
    limits += [] if max_changes is None else [f"max_changes={max_changes}"]
    if not limits:
        return DataError(
            f"No change of this row gives {wanted.text}: rows that are predicted so have missing values "
            "where it has none."
        )
    return DataError(
        f"No change that is allowed by {joined(limits, 'and')} gives {wanted.text}.\n"
        "Hint: let more columns change, or let them change further."
    )
