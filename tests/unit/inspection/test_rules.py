"""Rules of leaves: merged conditions, what they rest on, and how they read.

Conditions are asked of tables by matching.py, which knows nothing of trees, and compared with the core.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.export_models import ALL, exported
from support.export_tables import cases
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import MofN, ParameterError, Tree, TreeClassifier, TreeRegressor, datasets, simplified_rules
from arboretum._data import Column, ColumnData, Dataset, match_dataset
from arboretum._show.rule_text import Wording, thresholds_of
from arboretum._tree.composites import AtLeast, Literal
from arboretum.inspection.rules.conditions import Allowed, Answered, Condition
from arboretum.inspection.rules.figures import wilson
from arboretum.inspection.rules.matching import Table
from arboretum.inspection.rules.merging import merged
from arboretum.inspection.rules.rule import rules_of

NUMBER = Column("x", "number")
COLOUR = Column("colour", "nominal", levels=("blue", "green", "red", "white"))
SIZE = Column("size", "ordered", levels=("small", "medium", "large", "huge"))


def matched(model: Any, X: Any) -> Dataset:
    tree = model.tree_
    return match_dataset(X, tree.columns, named=model._named, owner="the test")


def check_rules_are_the_tree(model: Any, X: Any) -> None:
    """Every row meets the rule of its leaf and no other, merged or not.

    Where rows are divided, only whole ones can: those that lack no value, nor hold a level that a node on
    their way has not seen.
    """
    tree, data = model.tree_, matched(model, X)
    divided = tree.missing == "fractions"
    if divided:
        data = data.take(~data.incomplete_rows())
    leaves, table = tree._leaves_of(data), Table(data)
    for merge in (False, True):
        rules = rules_of(tree, exact=True, merge=merge, resting=True)
        met = np.array([table.meets_all(rule.conditions) for rule in rules])
        whole = met.any(axis=0) if divided else np.ones(data.n_rows, dtype=bool)
        assert (met.sum(axis=0)[whole] == 1).all()
        nodes = np.array([rule.node for rule in rules])
        assert (nodes[met.argmax(axis=0)] == leaves)[whole].all()


@pytest.mark.parametrize("kind", ALL)
def test_every_row_meets_the_rule_of_its_leaf(kind: str) -> None:
    model, X, _ = exported(kind)
    check_rules_are_the_tree(model, X)


@allow_one_leaf
@given(cases())
def test_every_row_meets_the_rule_of_its_leaf_in_random_tables(case: tuple[Any, Any]) -> None:
    check_rules_are_the_tree(*case)


# --- merging, against all rows of a small world

VALUES = (0.0, 1.0, 2.0, 3.0, np.nan)
WORLD = [
    (x, colour, size) for x, colour, size in itertools.product(VALUES, (*range(4), None), (*range(4), None))
]


def world() -> Table:
    """Every row that the three columns can make, missing values included."""
    x, colour, size = zip(*WORLD, strict=True)
    levels = [
        ColumnData(
            column,
            np.array([0 if code is None else code for code in codes], dtype=np.int32),
            np.array([code is None for code in codes]),
        )
        for column, codes in ((COLOUR, colour), (SIZE, size))
    ]
    return Table(Dataset((ColumnData(NUMBER, np.array(x)), *levels), len(WORLD), named=True))


TABLE = world()
_cuts = st.sampled_from([0.5, 1.5, 2.5])
_bounds = _cuts.map(lambda cut: Literal(NUMBER, False, cut, int(cut)))
_level_sets = st.frozensets(st.integers(0, 3))
_flags = {"missing": st.booleans(), "missing_seen": st.booleans()}
_literals = st.one_of(
    st.builds(lambda cut, negated: Literal(NUMBER, negated, cut, int(cut)), _cuts, st.booleans()),
    st.builds(lambda level, negated: Literal(COLOUR, negated, level=level), st.integers(0, 3), st.booleans()),
    st.builds(lambda cut, neg: Literal(SIZE, neg, float(cut), cut), st.integers(0, 2), st.booleans()),
)


@st.composite
def votes(draw: st.DrawFn) -> Answered:
    literals = draw(st.lists(_literals, min_size=1, max_size=4, unique=True))
    m = draw(st.integers(1, len(literals)))
    return Answered(AtLeast(literals[0].about, 0, False, m, tuple(literals)), draw(st.booleans()))


CONDITIONS = st.one_of(
    st.builds(Allowed, st.just(NUMBER), above=st.none() | _bounds, at_most=st.none() | _bounds, **_flags),
    st.builds(Allowed, st.just(COLOUR), levels=st.none() | _level_sets, **_flags),
    st.builds(Allowed, st.just(SIZE), levels=st.none() | _level_sets, **_flags),
    votes(),
)


@given(st.lists(CONDITIONS, max_size=6))
def test_merging_changes_no_row(conditions: list[Condition]) -> None:
    """What is left out as redundant was implied; what is merged allows just the same rows."""
    few = merged(conditions)
    assert (TABLE.meets_all(few) == TABLE.meets_all(conditions)).all()
    columns = [condition.about.name for condition in few if isinstance(condition, Allowed)]
    assert len(columns) == len(set(columns))


@given(st.lists(CONDITIONS, max_size=6))
def test_no_condition_is_left_that_allows_every_row(conditions: list[Condition]) -> None:
    """Literals of one vote are not compared with each other: two of them may exclude each other."""
    for condition in merged(conditions):
        if isinstance(condition, Answered):
            assert isinstance(condition.question, AtLeast)
            columns = [literal.about.name for literal in condition.question.literals]
            if len(columns) > len(set(columns)):
                continue
        assert not TABLE.meets(condition).all()


@given(st.lists(CONDITIONS, max_size=4))
def test_the_world_is_asked_as_it_should_be(conditions: list[Condition]) -> None:
    """The table's masks, row by row in plain Python."""
    expected = [all(_holds(condition, row) for condition in conditions) for row in WORLD]
    assert TABLE.meets_all(conditions).tolist() == expected


def _holds(condition: Condition, row: tuple[Any, ...]) -> bool:
    values = dict(zip(("x", "colour", "size"), row, strict=True))
    if isinstance(condition, Answered):
        question = condition.question
        assert isinstance(question, AtLeast)
        held = sum(_literal(literal, values[literal.about.name]) for literal in question.literals)
        return (held >= question.m) == condition.holds
    value = values[condition.about.name]
    if value is None or value != value:
        return condition.missing
    if condition.levels is not None:
        return value in condition.levels
    above, at_most = condition.above, condition.at_most
    return (above is None or value > above.real) and (at_most is None or value <= at_most.real)


def _literal(literal: Literal, value: Any) -> bool:
    if value is None or value != value:
        return False
    so = value == literal.level if literal.level is not None else value <= literal.real
    return bool(so) != literal.negated


# --- text


def tree_of(X: Any, y: Any, **options: Any) -> Tree:
    return unpruned_classifier(**options).fit(X, y).tree_


def words(tree: Tree) -> list[str]:
    return [" and ".join(rule.outcomes) for rule in tree.rules()]


def test_thresholds_become_an_interval() -> None:
    X = pd.DataFrame({"petal_length": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    assert words(tree_of(X, list("aabbaa"))) == [
        "petal_length <= 2.5",
        "2.5 < petal_length <= 4.5",
        "petal_length > 4.5",
    ]


def test_levels_become_a_set_from_its_shorter_side() -> None:
    wording = Wording(tree_of(pd.DataFrame({"colour": list("brgw")}), list("abab")))
    write = wording.condition

    def levels(*numbers: int, **others: Any) -> str:
        return write(Allowed(COLOUR, levels=frozenset(numbers), **others))

    assert levels(1) == "colour = green"
    assert levels(0, 2) == "colour in {blue, red}"
    assert levels(0, 1, 3) == "colour != red"
    assert levels(0, 1, 3, missing=True, missing_seen=True) == "colour != red or missing"
    assert levels(0, 1, 3, missing=True) == "colour != red"
    assert levels(0, 1, 2, 3) == "colour is known"
    assert levels(missing=True) == "colour is missing"
    many = Column("city", "nominal", levels=tuple(f"c{i:02}" for i in range(40)))
    assert write(Allowed(many, levels=frozenset(range(38)))) == "city not in {c38, c39}"
    assert write(Allowed(many, levels=frozenset(range(20)))).endswith("c11, … 8 more}")


def test_ordered_levels_become_a_range() -> None:
    wording = Wording(tree_of(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"]))

    def levels(*numbers: int) -> str:
        return wording.condition(Allowed(SIZE, levels=frozenset(numbers)))

    assert levels(0, 1) == "size <= medium"
    assert levels(2, 3) == "size > medium"
    assert levels(1, 2) == "small < size <= large"
    assert levels(2) == "size = large"
    assert levels(0, 2) == "size in {small, large}"


def test_dates_become_an_interval() -> None:
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=6)})
    assert words(tree_of(X, list("aabbaa")))[1] == "2024-01-02T12:00 < day <= 2024-01-04T12:00"


def test_missing_values_are_told_once() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, None, None]})
    tree = tree_of(X, list("aabbaa"))
    assert set(words(tree)) == {"x <= 2.5 or missing", "x > 2.5"}


def test_all_of_and_none_of_become_conditions() -> None:
    literals = (Literal(NUMBER, True, 1.0, 1), Literal(COLOUR, level=2))
    wording = Wording(tree_of(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"]))
    both = AtLeast(NUMBER, 0, False, 2, literals)
    told = [wording.condition(each) for each in merged([Answered(both, True)])]
    assert told == ["x > 1", "colour = red"]
    any_of = AtLeast(NUMBER, 0, False, 1, literals)
    told = [wording.condition(each) for each in merged([Answered(any_of, False)])]
    assert told == ["x <= 1 or missing", "colour != red or missing"]
    # With x > 2 known, only the other part is left to decide.
    known = Allowed(NUMBER, above=Literal(NUMBER, False, 2.0, 2))
    assert len(merged([known, Answered(any_of, True)])) == 1
    assert [wording.condition(each) for each in merged([known, Answered(both, True)])] == [
        "x > 2",
        "colour = red",
    ]


def test_questions_about_several_columns_are_written_in_brackets() -> None:
    X, y = datasets.load_penguins()
    rules = TreeClassifier(questions=MofN(), prune=None).fit(X, y).tree_.rules()
    assert any(str(rule).startswith("(fewer than 2 of: flipper_length_mm > 206.5, ") for rule in rules)


# --- digits


def test_digits_are_those_that_a_reader_needs() -> None:
    X = [[0.1], [0.191169414794172], [1234567.0], [1234568.0]]
    tree = tree_of(X, list("abab"))
    assert [rule.outcomes[0] for rule in tree.rules()] == [
        "x0 <= 0.145585",
        "0.145585 < x0 <= 617283.6",
        "617283.6 < x0 <= 1234567.5",
        "x0 > 1234567.5",
    ]
    assert tree.rules()[0].to_text(digits=2).startswith("x0 <= 0.15 ")
    assert tree.rules()[0].to_text(digits=None).startswith("x0 <= 0.145584707397086 ")


def test_thresholds_never_look_alike() -> None:
    """With six digits, all of these would be 1."""
    X = [[1.0 + i * 1e-9] for i in range(6)]
    tree = tree_of(X, list("ababab"))
    texts = words(tree)
    assert len(set(texts)) == len(texts) == 6
    cuts = thresholds_of(tree, tree.columns[0])
    assert len({f"{cut:.6g}" for cut in cuts}) == 1
    with pytest.raises(ParameterError, match="digits=0"):
        tree.rules()[0].to_text(digits=0)


# --- figures


def test_support_share_and_lift_are_those_of_the_rows() -> None:
    X, y = datasets.load_penguins()
    model = TreeClassifier(max_depth=3).fit(X, y)
    leaves = model.apply(X)
    for rule in model.tree_.rules():
        own = y[leaves == rule.node]
        share = (own == rule.label).mean()
        assert rule.n_rows == len(own)
        assert rule.share == len(own) / len(y)
        assert rule.own_share == pytest.approx(share)
        assert rule.lift == pytest.approx(share / (y == rule.label).mean())


@pytest.mark.parametrize(("held", "n"), [(0, 1), (1, 1), (3, 10), (50, 50), (7, 1000)])
def test_the_interval_of_a_share_is_wilsons(held: int, n: int) -> None:
    """Its bounds are the shares from which what was seen is just 1.96 standard errors away."""
    low, high = (float(bound[0]) for bound in wilson(np.array([float(held)]), np.array([float(n)])))
    for bound in (low, high):
        if 0 < bound < 1:
            error = (bound * (1 - bound) / n) ** 0.5
            assert abs(held / n - bound) == pytest.approx(stats.norm.ppf(0.975) * error)
    assert (low == 0) == (held == 0)
    assert (high == 1) == (held == n)
    other = stats.binomtest(held, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_the_interval_of_a_mean_is_students() -> None:
    rng = np.random.default_rng(1)
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), rng.normal(size=40)
    model = unpruned_regressor(max_depth=1).fit(X, y)
    for rule, own in zip(model.tree_.rules(), (y[:20], y[20:]), strict=True):
        expected = stats.t.interval(0.95, 19, own.mean(), stats.sem(own))
        assert rule.interval == pytest.approx(expected)
        assert rule.own_value == pytest.approx(own.mean())
        assert rule.lift is None


def test_what_is_not_known_is_not_said() -> None:
    X, y = datasets.load_iris()
    weighted = TreeClassifier(max_depth=2).fit(X, y, sample_weight=np.linspace(1, 2, len(y)))
    balanced = TreeClassifier(max_depth=2, class_weight={"setosa": 3}).fit(X, y)
    divided = TreeClassifier(max_depth=2, missing="fractional").fit(X, y)
    numbers = X["petal_width"].to_numpy()
    medians = TreeRegressor(criterion="absolute_error", max_depth=2).fit(X, numbers)
    counts = TreeRegressor(criterion="poisson", max_depth=2).fit(X, numbers)
    for model in (weighted, balanced, divided, medians, counts):
        assert all(rule.interval is None for rule in model.tree_.rules())
    assert all(rule.lift is not None for rule in weighted.tree_.rules())


def test_a_table_of_rules() -> None:
    X, y = datasets.load_iris()
    rules = TreeClassifier(max_depth=2).fit(X, y).tree_.rules()
    frame = rules.to_frame()
    assert frame["rule"].tolist() == [" and ".join(rule.outcomes) for rule in rules]
    assert frame["n_rows"].sum() == 150
    assert (frame["low"] <= frame["own_share"]).all()
    assert (frame["own_share"] <= frame["high"]).all()
    assert "own_value" not in frame
    assert str(rules).splitlines() == [str(rule) for rule in rules]
    assert repr(rules[0]) == f"<Rule: {rules[0]}>"


def test_tables_keep_the_brackets() -> None:
    """A condition that could be misread before an "and" is in brackets, as in the text of the rule."""
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0] * 20, "b": [0.0] * 40 + [1.0] * 40})
    y = ((X["a"].fillna(9.0) > 2.5) & (X["b"] > 0.5)).to_numpy()
    model = TreeClassifier(prune=None).fit(X, y)
    rules = model.tree_.rules()
    assert any("or missing)" in str(rule) for rule in rules)
    for told, rule in zip(rules.to_frame()["rule"], rules, strict=True):
        assert str(rule).startswith(f"{told} → ")
    short = simplified_rules(model, X, y)
    for told, line in zip(short.to_frame()["rule"], str(short).splitlines(), strict=False):
        assert f"{told} → " in line
