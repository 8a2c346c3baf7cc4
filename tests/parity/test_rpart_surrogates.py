"""Parity with rpart where values are missing: surrogates, competitors, and where rows come to rest.

The tree of rpart is a top part of ours, as in test_rpart.py. Not compared: rows of weight zero, and what
test_rpart.py compares already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
from support.marks import allow_one_leaf, allow_text

import arboretum
from arboretum import TreeClassifier, TreeRegressor
from arboretum._tree.questions import Levels, Question, Threshold

from .plain_gains import agree
from .plain_surrogates import count_rows, plain_surrogates, worth_of
from .rpart_oracle import Table
from .surrogate_comparison import OurTree, SurrogateComparison, turn
from .surrogate_oracle import (
    NOWHERE,
    Candidate,
    Cut,
    PlainNode,
    SurrogateOracle,
    read_surrogate_oracle,
    stored_results,
    surrogate_oracles,
)

# Results that differ by more than ties and open rules: name, then why. Nothing else may differ.
LISTED: Final[dict[str, str]] = {}


# -- our tree as a plain one -----------------------------------------------------------------------


def as_frame(oracle: SurrogateOracle, table: Table) -> pd.DataFrame:
    """Return the columns as a data frame: levels as categoricals, in their order where they have one."""
    columns: dict[str, Any] = {}
    for name in oracle.oracle.columns:
        values, levels = table.values[name], table.levels.get(name)
        if levels:
            codes = np.where(np.isnan(values), NOWHERE, np.nan_to_num(values)).astype(np.int64)
            kind = pd.CategoricalDtype(list(levels), ordered=name in oracle.ordered)
            columns[name] = pd.Categorical.from_codes(codes, dtype=kind)
        else:
            columns[name] = values
    return pd.DataFrame(columns)


def grow_like(oracle: SurrogateOracle) -> Any:
    """Return our model, fitted with the options that rpart was given."""
    limits = oracle.limits
    send = ("never", "surrogates", "always")[limits["usesurrogate"]]
    missing = arboretum.Surrogate(
        max_surrogates=limits["maxsurrogate"],
        # Without surrogates rpart forgets, when growing, that rows could go with the majority.
        send=send if limits["maxsurrogate"] > 0 else "never",
        agreement=("node", "known")[limits["surrogatestyle"]],
    )
    options: dict[str, Any] = {
        "prune": None,
        "missing": missing,
        "competitors": limits["maxcompete"],
        "max_depth": limits["maxdepth"],
        "min_samples_leaf": limits["minbucket"],
        "min_samples_split": limits["minsplit"],
        "column_costs": oracle.oracle.costs,
    }
    known = oracle.oracle
    model: Any = TreeRegressor.cart(**options)
    if known.is_classification:
        criterion = "entropy" if known.uses_entropy else "gini"
        model = TreeClassifier.cart(criterion=criterion, priors=known.priors, loss=known.loss, **options)
    return model.fit(as_frame(oracle, known.table), known.target, known.weights)


def as_cut(question: Question, n_levels: int) -> Cut:
    """Return what one of our questions does to the values of its column."""
    if isinstance(question, Threshold):
        below = int(getattr(question, "flipped", False))
        return Cut(question.column, float(question.threshold), below, closed=True)
    assert isinstance(question, Levels)
    sides = np.full(n_levels, NOWHERE)
    for child, group in enumerate(question.children):
        sides[list(group)] = child
    return Cut(question.column, sides=sides)


def as_plain(model: Any, oracle: SurrogateOracle) -> OurTree:
    """Return our tree without its estimator."""
    levels = {name: len(names) for name, names in oracle.oracle.table.levels.items()}

    def cut(question: Question) -> Cut:
        return as_cut(question, levels.get(question.column, 0))

    nodes, parents = {}, {}
    for node in model.tree_.walk():
        classes = (node.value,) if node.counts is None else tuple(node.counts)
        plain = PlainNode(node.n_rows, node.weight, classes)
        if node.question is not None:
            plain = replace(
                plain,
                split=Candidate(cut(node.question), node.gain),
                default=node.question.missing_child,
                surrogates=tuple(
                    Candidate(cut(s.question), s.agreement, s.adjusted_agreement, s.n_rows)
                    for s in node.surrogates
                ),
                competitors=tuple(Candidate(cut(c.question), c.gain) for c in node.competitors),
                children=tuple(child.number for child in node.children),
            )
        nodes[node.number] = plain
        parents[node.number] = NOWHERE if node.parent is None else node.parent.number
    return OurTree(nodes, parents)


# -- parity ----------------------------------------------------------------------------------------


def compare_routes(found: SurrogateComparison, model: Any) -> None:
    """Route the rows of all tables with our model, and compare."""
    oracle = found.oracle
    learnt = oracle.oracle.table
    our_rest = model.apply(as_frame(oracle, learnt))
    found.compare_routes("training rows", learnt.values, our_rest, oracle.where)
    for what, table, rest in oracle.predictions():
        found.compare_routes(what, table.values, model.apply(as_frame(oracle, table)), rest)


def compare_importance(found: SurrogateComparison, model: Any) -> None:
    """Compare rpart's importance, where every number that it is made of should be the same."""
    theirs = found.oracle.stored.get("variable_importance") or {}
    if not found.is_complete:
        return
    ours, largest = found.importance(), max(theirs.values(), default=0.0)
    for column, value in ours.items():
        found.found.check(1, f"importance of {column}", value, theirs.get(column, 0.0), largest)
    if len(set(found.oracle.oracle.costs.values())) > 1:
        return  # ours adds up gains that are not divided by the costs
    n_inner = sum(node.split is not None for node in found.oracle.nodes.values())
    if n_inner == sum(node.split is not None for node in found.ours.nodes.values()) > 0:
        public = arboretum.importance(model, surrogates=True)
        whole, our_whole = sum(theirs.values()), sum(public.values())
        for column, value in public.items():
            share = theirs.get(column, 0.0) / whole
            found.found.check(1, f"share of the importance of {column}", value / our_whole, share, 1.0)


def record(found: SurrogateComparison, name: str, record_property: Callable[[str, object], None]) -> None:
    """Hand the verdict to the summary in conftest.py."""
    verdict = "matched fully"
    if found.found.ties:
        verdict = "matched up to ties"
    if found.explained:
        verdict = "matched up to stated rules"
    if found.found.differences or name in LISTED:
        verdict = "listed" if name in LISTED else "DIFFERENT"
    record_property("parity", f"surrogates: {verdict}")
    record_property("parity_nodes", found.found.n_nodes)
    record_property("parity_ties", len(set(found.found.ties)))


@allow_one_leaf
@allow_text
@pytest.mark.parametrize("name", surrogate_oracles())
def test_our_surrogates_and_competitors_are_those_of_rpart(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    """Splits, surrogates, competitors, numbers, routes of full and blanked rows, and importance."""
    oracle = read_surrogate_oracle(name)
    model = grow_like(oracle)
    found = SurrogateComparison(oracle, as_plain(model, oracle), model.tree_.criterion).walk()
    compare_routes(found, model)
    compare_importance(found, model)
    record(found, name, record_property)
    if name in LISTED:
        assert found.found.differences, f"{name} is listed as different, but it agrees now"
        return
    assert not found.found.differences, "\n".join(found.found.differences)


# -- the support itself ----------------------------------------------------------------------------


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(surrogate_oracles()) > 100


@pytest.mark.parametrize("name", stored_results())
def test_our_reading_of_a_tree_sends_rows_where_rpart_does(name: str) -> None:
    """The stored predictions follow from the stored tree; so do the children of each node when growing."""
    oracle = read_surrogate_oracle(name)
    for what, table, rest in oracle.predictions():
        assert np.array_equal(oracle.route(oracle.nodes, table.values), rest), what
    for number, node in oracle.nodes.items():
        if node.split is None or oracle.oracle.has_zero_weights:
            continue
        growing = replace(node, default=oracle.growing_default(number))
        rows = oracle.rows_at[number]
        children = growing.send(oracle.values, rows, by_surrogates=oracle.sends_by_surrogates)
        for child in (0, 1):
            assert np.array_equal(rows[children == child], oracle.rows_at[node.children[child]]), number
        counted = [surrogate.n_rows for surrogate in count_rows(oracle, number, node)]
        assert counted == [surrogate.n_rows for surrogate in node.surrogates], number


@pytest.mark.parametrize("name", stored_results())
def test_the_agreement_of_every_surrogate_follows_from_the_table(name: str) -> None:
    """Agreement and adjusted agreement, computed anew from the rows of the node."""
    oracle = read_surrogate_oracle(name)
    for number, node in oracle.nodes.items():
        rows = oracle.rows_at[number]
        for surrogate in node.surrogates:
            assert node.split is not None
            primary = node.split.cut.children(oracle.values[node.split.cut.column][rows])
            values, weights = oracle.values[surrogate.cut.column][rows], oracle.case_weights[rows]
            anew = worth_of(surrogate.cut, values, primary, weights, style=oracle.limits["surrogatestyle"])
            assert agree(anew.worth, surrogate.worth, 1.0), (number, surrogate.cut.column)
            assert agree(anew.adjusted, surrogate.adjusted, 1.0), (number, surrogate.cut.column)


@pytest.mark.parametrize("name", surrogate_oracles())
def test_the_surrogates_of_rpart_follow_from_the_table(name: str) -> None:
    """The plain search finds the surrogates that rpart lists, in its order; with weights, up to ties."""
    oracle = read_surrogate_oracle(name)
    for number, node in oracle.nodes.items():
        if node.split is None:
            continue
        found = plain_surrogates(oracle, number, "two disagree")
        assert len(found) == len(node.surrogates), number
        for ours, theirs in zip(found, node.surrogates, strict=True):
            assert agree(ours.worth, theirs.worth, 1.0), (number, theirs.cut.column)
            if oracle.oracle.weights is not None and ours.cut.column != theirs.cut.column:
                continue
            assert ours.cut.column == theirs.cut.column, number
            values = oracle.values[ours.cut.column][oracle.rows_at[number]]
            same = np.array_equal(ours.cut.children(values), theirs.cut.children(values))
            assert same or oracle.oracle.weights is not None, (number, ours.cut, theirs.cut)
            if same and theirs.cut.sides is None:
                assert agree(ours.cut.threshold, theirs.cut.threshold, 0.0), (number, ours.cut.column)


def as_if_ours(oracle: SurrogateOracle) -> SurrogateComparison:
    """Return rpart's tree next to itself, given out as ours: with gains, every other node turned round."""
    criterion = "squared_error"
    if oracle.oracle.is_classification:
        criterion = "entropy" if oracle.oracle.uses_entropy else "gini"
    numbers = {number: place for place, number in enumerate(oracle.nodes)}
    found = SurrogateComparison(oracle, OurTree({}, {}), criterion)
    for number, node in oracle.nodes.items():
        place = numbers[number]
        found.ours.parents[place] = numbers.get(number // 2, NOWHERE)
        plain = node
        if node.split is not None:
            is_turned = place % 2 == 1
            plain = replace(
                node,
                split=found.with_gain(number, node.split),
                default=oracle.growing_default(number, int(is_turned)),  # a tie goes to our child 0
                competitors=tuple(found.with_gain(number, c) for c in node.competitors),
                children=tuple(numbers[child] for child in node.children),
            )
            plain = turn(plain) if is_turned else plain
        found.ours.nodes[place] = plain
    return found


def change_number(node: PlainNode, change: str) -> PlainNode:
    """Return the root with one number changed a little."""
    assert node.split is not None
    first, *others = node.surrogates
    best, *worse = node.competitors
    match change:
        case "improve":
            return replace(node, split=replace(node.split, worth=node.split.worth * (1 + 1e-8)))
        case "agreement":
            return replace(node, surrogates=(replace(first, worth=first.worth + 1e-8), *others))
        case "adjusted":
            return replace(node, surrogates=(replace(first, adjusted=first.adjusted + 1e-8), *others))
        case "rows sent":
            return replace(node, surrogates=(replace(first, n_rows=first.n_rows + 1), *others))
        case "threshold":
            cut = replace(first.cut, threshold=first.cut.threshold * (1 + 1e-6))
            return replace(node, surrogates=(replace(first, cut=cut), *others))
        case "one surrogate less":
            return replace(node, surrogates=tuple(others))
        case "competitor":
            return replace(node, competitors=(replace(best, worth=best.worth * (1 + 1e-8)), *worse))
        case "default":
            return replace(node, default=1 - node.default)
    raise AssertionError(change)


@pytest.mark.parametrize("name", ["iris__main__blankfit", "glass__main__blankfit", "pima2__main__blankfit_w"])
def test_a_tree_agrees_with_itself(name: str) -> None:
    """The comparison finds nothing in a tree that is laid next to itself, and comes to all its nodes."""
    found = as_if_ours(read_surrogate_oracle(name)).walk()
    assert not found.explained
    assert found.is_complete, "\n".join(found.found.differences)
    theirs = found.oracle.stored["variable_importance"]
    for column, value in found.importance().items():
        assert agree(value, theirs.get(column, 0.0), max(theirs.values())), column


@pytest.mark.parametrize(
    "change",
    [
        "improve",
        "agreement",
        "adjusted",
        "rows sent",
        "threshold",
        "one surrogate less",
        "competitor",
        "default",
    ],
)
def test_a_small_change_is_found(change: str) -> None:
    """The comparison can fail: each number of the root is changed a little, and that is noticed."""
    found = as_if_ours(read_surrogate_oracle("iris__main__blankfit"))
    found.ours.nodes[0] = change_number(found.ours.nodes[0], change)
    assert any("node 1:" in text for text in found.walk().found.differences)


def test_a_row_that_rests_elsewhere_is_found() -> None:
    """The comparison of routes can fail too."""
    found = as_if_ours(read_surrogate_oracle("iris__main__blankfit")).walk()
    (what, table, rest), *_ = found.oracle.predictions()
    places = {number: place for place, number in enumerate(found.oracle.nodes)}
    ours = np.array([places[number] for number in rest.tolist()])
    found.compare_routes(what, table.values, ours, rest)
    assert not found.found.differences
    ours[0] = ours[-1]
    found.compare_routes(what, table.values, ours, rest)
    assert "row 0" in found.found.differences[0]
