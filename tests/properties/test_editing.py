"""Laws of editing: a question set by hand is counted as growth counts it, and edits can be done again.

To set again is to replace a node's question by itself with the rows it was grown from. The engine is the
oracle for rows that the tree was grown from, plain Python with exact fractions for other rows.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import CRITERIA, Table, tables
from support.trees import child_of, column_of, divide, estimator

from arboretum import ArboretumError, Node, Tree
from arboretum._data import Column, match_dataset
from arboretum._data.column import BIG_OFFSET
from arboretum._data.times import UNITS
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.question_text import read_question
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum._tree.tree import core_dataset
from arboretum.reference.impurities import criterion_named

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

RULES = ("category", "surrogate", "fractional")
NOMINAL = ("subset", "one_vs_rest", "multiway")
# Every example looks at a whole tree, node by node: fewer of them tell as much.
some = settings(max_examples=few(0.25))


def data_of(table: Table) -> tuple[Any, ...]:
    """The table as an edit takes it."""
    weights = None if table.weights is None else np.array(table.weights)
    return table.frame(), np.array(table.targets), weights


@st.composite
def grown(
    draw: st.DrawFn, criterion: str, *, missing: str | None = None, plain: bool = False
) -> tuple[Table, Tree, dict[str, Any]]:
    """A table, a tree of at least one question, and the options it was grown with."""
    table = draw(tables(criterion, min_rows=4))
    options: dict[str, Any] = {
        "missing": missing or draw(st.sampled_from(RULES)),
        "nominal": draw(st.sampled_from(NOMINAL)),
        "thresholds": draw(st.sampled_from(["midpoint", "observed", "table", "round"])),
        "min_samples_leaf": draw(st.integers(1, 3)),
        "competitors": draw(st.integers(0, 2)),
        "levels": draw(st.sampled_from(["raw", "corrected"])),
    }
    if options["missing"] == "surrogate" and options["nominal"] == "multiway":
        options["nominal"] = "subset"
    whole = dict(options)
    if criterion in CLASS_CRITERIA and not plain:
        whole["leaf"] = draw(st.sampled_from(["frequency", "laplace"]))
        present = sorted({table.targets[row] for row in table.counted})
        thirds = {label: 1 + place / 3 for place, label in enumerate(present)}
        whole["class_weight"] = draw(st.sampled_from([None, "balanced", thirds]))
        if sorted(set(table.targets)) == present and len(present) > 1 and draw(st.booleans()):
            numbers = np.arange(1.0, len(present) + 1)
            whole["loss"] = np.outer(numbers, np.ones(len(present))) * (1 - np.eye(len(present)))
            if whole["class_weight"] is None:
                whole["priors"] = numbers / numbers.sum()
    weights = None if table.weights is None else np.array(table.weights)
    model = estimator(criterion, prune=None, **whole)
    tree = model.fit(table.frame(), np.array(table.targets), sample_weight=weights).tree_
    assume(len(tree) > 1)
    return table, tree, options


def close(mine: Any, its: Any) -> bool:
    """Equal but for rounding."""
    return np.allclose(np.asarray(mine, dtype=float), np.asarray(its, dtype=float), rtol=1e-9, atol=1e-9)


def inner(tree: Tree) -> list[Node]:
    return [node for node in tree.walk() if not node.is_leaf]


# Counting


@pytest.mark.parametrize("criterion", CRITERIA)
@some
@given(st.data())
def test_a_question_set_again_has_the_numbers_of_growth(criterion: str, data: st.DataObject) -> None:
    """Gain, ratio and improvement of the node, and all that its children show, are the engine's."""
    table, tree, options = data.draw(grown(criterion))
    for node in inner(tree):
        edited = tree.replace(node, node.question, data_of(table))
        again = edited.node(edited_place(edited, node))
        assert again.question is not None
        assert node.question is not None
        assert again.question.outcomes[0] == node.question.outcomes[0]
        same_own_numbers(again, node)
        misses = options["missing"] == "surrogate" and table.frame()[node.question.column].isna().any()
        if misses and tree.missing == "child":
            continue  # no surrogate was found, so that the tree does not tell how it was judged
        assert close(again.gain, node.gain)
        assert close(again.improvement, node.improvement)
        if node.gain_ratio is not None:
            assert again.gain_ratio is not None
            # Growth takes chance off the gain; for a question set by hand nothing is taken off.
            left = 1.0 if node.corrected_gain is None else node.corrected_gain / (node.gain or 1.0)
            assert close(again.gain_ratio * left, node.gain_ratio)
        if misses:
            continue  # the engine sent these rows by surrogates, which a question set by hand has none of
        # Parts of rows are rounded: of equally good medians, which are neighbours, another may be taken.
        rounded = criterion == "absolute_error" and tree.missing == "fractions" and node.question.missing_seen
        for mine, its in zip(again.children, node.children, strict=True):
            assert mine.is_leaf
            same_numbers(mine, its, medians_of(table) if rounded else None)
        assert again.question.missing_seen == node.question.missing_seen
        if node.question.missing_seen and again.question.missing_child != node.question.missing_child:
            # Of divided rows it is the child that has most of them: only rounding may tell them apart.
            both = (again.question.missing_child, node.question.missing_child)
            assert tree.missing == "fractions"
            assert close(*(node.children[child].weight for child in both))


def edited_place(tree: Tree, node: Node) -> int:
    """The number of the node with this path."""
    place = tree.root
    for step in node.path:
        place = place.children[step]
    return place.number


def same_own_numbers(mine: Node, its: Node) -> None:
    """What an edit leaves alone, to the last bit."""
    for name in ("id", "n_rows", "weight", "impurity", "label"):
        assert getattr(mine, name) == getattr(its, name)
    assert np.array_equal(mine.counts, its.counts) if its.counts is not None else mine.value == its.value


def medians_of(table: Table) -> list[float]:
    """All that can be a median, in order: each target, and the middle of two neighbours."""
    distinct = sorted(set(table.targets))
    return sorted([*distinct, *((low / 2 + high / 2) for low, high in pairwise(distinct))])


def same_numbers(mine: Node, its: Node, medians: list[float] | None = None) -> None:
    """Equal but for rounding; where medians are told, a value may be any between two neighbouring targets."""
    assert mine.n_rows == its.n_rows
    assert close(mine.weight, its.weight)
    assert close(mine.impurity, its.impurity)
    if its.counts is None:
        if medians is None:
            assert close(mine.value, its.value)
        else:
            places = [int(np.argmin(np.abs(np.subtract(medians, node.value)))) for node in (mine, its)]
            assert all(close(medians[at], node.value) for at, node in zip(places, (mine, its), strict=True))
            assert abs(places[0] - places[1]) <= 2
    else:
        assert close(mine.counts, its.counts)
        assert close(mine.probability, its.probability)
        if mine.tree.missing != "fractions":
            assert np.array_equal(mine.counts, its.counts)
            assert mine.label == its.label


@pytest.mark.parametrize("criterion", CRITERIA)
@some
@given(st.data())
def test_other_rows_are_counted_as_on_paper(criterion: str, data: st.DataObject) -> None:
    """Rows that the tree has not seen are led to the node, divided and summed by plain Python."""
    table, tree, _ = data.draw(grown(criterion, missing="category", plain=True))
    tree = tree.prune_at(data.draw(st.sampled_from(inner(tree)))) if data.draw(st.booleans()) else tree
    new = data.draw(
        st.permutations(range(table.n_rows)).map(lambda rows: table.take(rows[: len(rows) // 2 + 1]))
    )
    node = data.draw(st.sampled_from(list(tree.walk())))
    source = data.draw(st.sampled_from(inner(estimator_tree(table, criterion))))
    try:
        edited = tree.replace(node, source.question, data_of(new))
    except ArboretumError as error:
        expected(error, "reaches", "all zero", "zero in every row", "a positive target")
        return
    asking = edited.node(edited_place(edited, node))
    rows = [row for row in rows_reaching(new, tree, node) if row in set(new.counted)]
    parts = divide_by(new, asking, rows)
    measure = criterion_named(criterion)

    def pairs(rows: list[int]) -> list[tuple[Any, Fraction]]:
        weights = new.weights or (1.0,) * new.n_rows
        exact = [Fraction(weights[row]) for row in rows]
        return [(measure.target(new.targets[row]), weight) for row, weight in zip(rows, exact, strict=True)]

    before, total = float(measure.impurity(pairs(rows))), float(sum(weight for _, weight in pairs(rows)))
    inside = 0.0
    for child, part in zip(asking.children, parts, strict=True):
        assert child.n_rows == len(part)
        if not part:
            assert child.label == node.label
            continue
        weight = float(sum(weight for _, weight in pairs(part)))
        assert close(child.weight, weight)
        assert close(child.impurity, float(measure.impurity(pairs(part))))
        inside += weight * float(measure.impurity(pairs(part)))
    assert close(asking.gain, max(0.0, before - inside / total))
    heaviest = max(child.weight for child in asking.children)
    if not (source.question and source.question.missing_seen) and asking.question:
        assert close(asking.children[asking.question.missing_child].weight, heaviest)


def estimator_tree(table: Table, criterion: str) -> Tree:
    weights = None if table.weights is None else np.array(table.weights)
    model = estimator(criterion, prune=None).fit(
        table.frame(), np.array(table.targets), sample_weight=weights
    )
    tree: Tree = model.tree_
    assume(len(tree) > 1)
    return tree


def rows_reaching(table: Table, tree: Tree, node: Node) -> list[int]:
    """The rows that count at a node, by asking one question after the other."""
    rows, place = table.counted, tree.root
    for step in node.path:
        rows, place = divide_by(table, place, rows)[step], place.children[step]
    return rows


def divide_by(table: Table, node: Node, rows: list[int]) -> list[list[int]]:
    """The rows of each child; a level that had no rows in the node follows the heavier child."""
    question, column = node.question, column_of(node)
    assert question is not None
    parts: list[list[int]] = [[] for _ in node.children]
    for row in rows:
        try:
            child = child_of(question, table.kinds[column], table.columns[column][row])
        except StopIteration:
            child = int(np.argmax([child.weight for child in node.children]))
        parts[child].append(row)
    return parts


# Growing


@pytest.mark.parametrize("criterion", CRITERIA)
@some
@given(st.data())
def test_regrown_from_the_same_rows_nothing_changes(criterion: str, data: st.DataObject) -> None:
    """Below any node the same subtree grows: whether the whole tree is at hand makes no difference."""
    table, tree, options = data.draw(grown(criterion))
    assert tree.regrow((), data_of(table), **options) == tree
    node = data.draw(st.sampled_from([node for node in tree.walk() if node.n_rows > 0]))
    again = tree.regrow(node, data_of(table), **options)
    assert len(again) == len(tree)
    assert again.missing == tree.missing
    for mine, its in zip(again.walk(), tree.walk(), strict=True):
        assert mine.question == its.question
        assert close(mine.gain, its.gain)
        assert close(mine.improvement, its.improvement)
        same_numbers(mine, its)
        assert len(mine.competitors) == len(its.competitors)
        assert len(mine.surrogates) == len(its.surrogates)


# Edits


@st.composite
def edited_tree(draw: st.DrawFn, table: Table, tree: Tree, options: dict[str, Any]) -> Tree:
    """The tree after some edits; those that are refused are left out."""
    questions = [node.question for node in inner(tree)]
    questions += [competitor.question for node in inner(tree) for competitor in node.competitors]
    for _ in range(draw(st.integers(1, 4))):
        node = draw(st.sampled_from(list(tree.walk())))
        action = draw(st.sampled_from(["prune", "replace", "regrow"]))
        try:
            if action == "prune":
                tree = tree.prune_at(draw(st.sampled_from([node, node.id, node.path])))
            elif action == "replace":
                tree = tree.replace(node, draw(st.sampled_from(questions)), data_of(table))
            else:
                depth = draw(st.integers(1, 2))
                tree = tree.regrow(node, data_of(table), **options, max_depth=depth)
        except ArboretumError as error:
            lost = (
                "the tree sends rows with missing values to one child"  # all surrogates went with a subtree
            )
            expected(error, "leaf already", "reaches", "all zero", "has a value", lost)
    return tree


def expected(error: Exception, *parts: str) -> None:
    """Refusals that are right here; others are not."""
    if not any(part in str(error) for part in parts):
        raise error


@pytest.mark.parametrize("criterion", CRITERIA)
@some
@given(st.data())
def test_edits_are_values_that_can_be_replayed(criterion: str, data: st.DataObject) -> None:
    """The same edits on the same tree with the same rows are the same tree; files and pickles keep them."""
    table, tree, options = data.draw(grown(criterion))
    before = tree.to_json()
    edited = data.draw(edited_tree(table, tree, options))
    assert tree.to_json() == before
    again = tree.replay(edited.edits, data_of(table))
    for other in (again, Tree.from_json(edited.to_json()), pickle.loads(pickle.dumps(edited))):
        assert other == edited
        assert other.edits == edited.edits
        assert np.array_equal(other.array("id"), edited.array("id"))
    assert again.to_json() == edited.to_json()
    assert len(set(edited.array("id").tolist())) == len(edited)
    X = table.frame()
    assert np.array_equal(again.predict(X), edited.predict(X))
    assert len(edited.to_frame()) == len(edited)
    assert len(edited.rules()) == edited.n_leaves
    assert ("edited: " in str(edited).splitlines()[-1]) == bool(edited.edits)
    if criterion in CLASS_CRITERIA:
        assert np.allclose(edited.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("criterion", CRITERIA)
@some
@given(st.data())
def test_what_is_not_edited_stays(criterion: str, data: st.DataObject) -> None:
    """Nodes that are neither below the node nor the node itself are as before, to the last bit."""
    table, tree, options = data.draw(grown(criterion))
    node = data.draw(st.sampled_from(inner(tree)))
    trees = [tree.prune_at(node), tree.regrow(node, data_of(table), **options, max_depth=1)]
    trees.append(tree.replace(node, node.question, data_of(table)))
    for edited in trees:
        old = {its.path: its for its in tree.walk() if its.path[: len(node.path)] != node.path}
        new = {mine.path: mine for mine in edited.walk()}
        for path, its in old.items():
            same_own_numbers(new[path], its)
            assert new[path].question == its.question
            assert (new[path].gain, new[path].improvement) == (its.gain, its.improvement)
            assert new[path].competitors == its.competitors
            assert new[path].surrogates == its.surrogates
        same_own_numbers(new[node.path], node)
        rest = [mine for path, mine in new.items() if path not in old and path != node.path]
        assert all(mine.id not in {its.id for its in old.values()} for mine in rest)
        X, unmoved = table.frame(), ~reach(tree, node, table)
        assert np.array_equal(edited.predict(X)[unmoved], tree.predict(X)[unmoved])


def reach(tree: Tree, node: Node, table: Table) -> Any:
    """Which rows come to a node, at least in part."""
    stump = tree.prune_at(node)
    place = edited_place(stump, node)
    marks = (np.arange(len(stump)) == place).astype(float)
    if stump.missing != "fractions":
        return stump.apply(table.frame()) == place
    found = match_dataset(table.frame(), stump.columns, named=True)
    return stump._router.blend(core_dataset(found), marks[:, None])[:, 0] > 0


# Text

NAMES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["missing", "a, b", "x or missing", "?", "x <= 3", "a = b", "… 3 more", '"', "{", "é\\n"]
    ),
)


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(["number", "integer", "datetime", "duration", "ordered", "nominal"]))
    if kind == "integer":
        return Column(name, "integer", offset=draw(st.sampled_from([0, BIG_OFFSET])))
    if kind in ("datetime", "duration"):
        zone = draw(st.sampled_from([None, "UTC"])) if kind == "datetime" else None
        return Column(name, kind, unit=draw(st.sampled_from(UNITS)), timezone=zone)
    if kind == "number":
        return Column(name, kind)
    return Column(name, kind, levels=tuple(draw(st.lists(NAMES, min_size=1, max_size=12, unique=True))))


def _round_down(floor: int) -> float:
    real = float(floor)
    return float(np.nextafter(real, -np.inf)) if real > floor else real


@st.composite
def questions(draw: st.DrawFn, column: Column) -> Question:
    """Any question that can be asked of a column, in the form in which edits keep it."""
    said = draw(st.sampled_from([None, 0, 1]))
    missing = (said or 0, said is not None)
    if draw(st.integers(0, 5)) == 0:
        return Missing(column, 0, True)
    if column.kind == "number":
        real = draw(st.floats(allow_nan=False)) + 0.0
        floor = -(2**63) if real < -(2.0**63) else 2**63 - 1 if real >= 2.0**63 else int(np.floor(real))
        return Threshold(column, *missing, real, floor)
    if column.kind == "integer" and draw(st.booleans()):
        halves = draw(st.integers(-(2**52) + 1, 2**52 - 1))
        return Threshold(column, *missing, halves / 2, halves // 2)
    if column.kind in ("integer", "datetime", "duration"):
        floor = draw(st.integers(-(2**63) + 1, 2**63 - 1))
        return Threshold(column, *missing, _round_down(floor), floor)
    n_levels = len(column.levels or ())
    if column.kind == "ordered":
        level = draw(st.integers(0, n_levels - 1))
        return Threshold(column, *missing, float(level), level)
    if draw(st.booleans()) and n_levels > 2:
        every = tuple((level,) for level in range(n_levels))
        return Levels(column, n_levels, True, (*every, ())) if said else Levels(column, 0, False, every)
    first = tuple(sorted(draw(st.sets(st.integers(0, n_levels - 1), min_size=1))))
    rest = tuple(level for level in range(n_levels) if level not in first)
    return Levels(column, *(missing if rest else (1, True)), (first, rest))


@settings(max_examples=few(3))
@given(st.data())
def test_every_question_reads_back(data: st.DataObject) -> None:
    """Text and back is the same question, whatever columns and levels are called."""
    names = data.draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    schema = [data.draw(columns(name)) for name in names]
    question = data.draw(questions(data.draw(st.sampled_from(schema))))
    text = question.written()
    try:
        back = read_question(text, schema)
    except ArboretumError as error:
        expected(error, "can be read in")
        return
    assert back == question
    shown = str(question)
    if "…" in shown or "?" in (question.about.levels or ()):
        return  # shortened, or a level that reads like the sign for every level
    assert read_question(shown, schema) == (
        question if isinstance(question, Missing) else unsaid(question, read_question(shown, schema))
    )


def unsaid(question: Question, read: Question) -> Question:
    """The question without what it says about missing values, which `str` leaves out."""
    if isinstance(question, Levels) and isinstance(read, Levels):
        kept = question.children[: len(read.children)]
        return replace(
            question, children=kept, missing_child=read.missing_child, missing_seen=read.missing_seen
        )
    return replace(question, missing_child=read.missing_child, missing_seen=read.missing_seen)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@some
@given(st.data())
def test_printed_questions_of_trees_read_back(criterion: str, data: st.DataObject) -> None:
    """What a grown tree prints reads back to a question that prints and answers alike."""
    table, tree, _ = data.draw(grown(criterion))
    for node in inner(tree):
        question = node.question
        assert question is not None
        whole = read_question(question.written(), tree.columns)
        assert str(whole) == str(question)
        back = read_question(str(question), tree.columns)
        if (
            not isinstance(question, Levels) or question.children[-1]
        ):  # a branch for missing values is not shown
            assert str(back) == str(question)
        if isinstance(question, Threshold) and question.about.kind in ("number", "integer"):
            assert isinstance(back, Threshold)
            assert (back.real, back.floor) == (question.real, question.floor)
        assert read_question(back.written(), tree.columns) == back
        if isinstance(question, Levels):
            continue  # levels without rows in the node are named by neither side of a printed question
        known = table.take([row for row in table.counted if table.columns[column_of(node)][row] is not None])
        root = edited_root(tree, str(question), table)
        assert divide(known, node, range(known.n_rows)) == divide(known, root, range(known.n_rows))


def edited_root(tree: Tree, text: str, table: Table) -> Node:
    """The root that asks this question."""
    return tree.replace(tree.root, text, data_of(table)).root
