"""`arboretum.trace`: replayed it is the fitted tree, its tables are what the engine chose from."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf

import arboretum
from arboretum import (
    CostComplexity,
    DataTypeError,
    GainRatio,
    Lookahead,
    MofN,
    Oblique,
    ParameterError,
    Pessimistic,
    ReducedError,
    TreeClassifier,
    TreeRegressor,
    datasets,
    trace,
)

CLASSES: list[dict[str, Any]] = [
    {},
    {"criterion": "entropy", "nominal": "multiway", "missing": "fractional"},
    {"criterion": "gain_ratio", "nominal": "one_vs_rest"},
    {
        "criterion": GainRatio(guard="c45", numeric_penalty=True),
        "missing": "fractional",
        "nominal": "multiway",
    },
    {"missing": "surrogate", "min_samples_leaf": 3, "thresholds": "observed"},
    {"levels": "raw", "min_samples_split": 8, "thresholds": "table"},
    {"search": Lookahead(), "max_depth": 3},
    {"search": Lookahead(top=None), "max_depth": 2, "missing": "fractional"},
    {"questions": MofN(), "max_depth": 3},
    {"questions": Oblique(restarts=0), "max_depth": 2},
    {"max_leaf_nodes": 4, "thresholds": "round"},
    {"significance": 0.2},
    {"significance": arboretum.Conditional(0.3)},
    {"class_weight": "balanced", "min_weight_fraction_leaf": 0.1},
    {"priors": {0: 0.2, 1: 0.3, 2: 0.5}, "criterion": "entropy"},
    {"missing": "drop", "max_depth": 2},
    {"column_costs": {"a": 3.0}},
]
NUMBERS: list[dict[str, Any]] = [
    {},
    {"criterion": "absolute_error", "min_samples_leaf": 3},
    {"criterion": "poisson", "nominal": "one_vs_rest"},
    {"missing": "surrogate", "max_depth": 3},
    {"monotonic_cst": {"b": 1}, "nominal": "multiway"},
]
PRUNERS = [None, CostComplexity(folds=3, repeats=1), CostComplexity(alpha=0.02), ReducedError(), "bottom_up"]


def told_of(*given: Any, **options: Any) -> Any:
    """The trace; whether a step has a table is for the tests to know."""
    return trace(*given, **options)


def table_of(seed: int, n_rows: int, *, classes: int = 3) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 6, (n_rows, 2)).astype(float), columns=["a", "b"])
    X[rng.random(X.shape) < 0.1] = np.nan
    X["kind"] = pd.Categorical(rng.choice(list("pqrs"), n_rows), categories=list("pqrst"))
    y = (np.nan_to_num(X["a"]) + (X["kind"] == "q") + rng.integers(0, 2, n_rows)) % classes
    y[:3] = [0, 1, 2]
    return X, y.astype(int).to_numpy() if hasattr(y, "to_numpy") else y.astype(int)


def check(told: Any, model: Any) -> None:
    """The replay is the tree, and every question asked is the best of its table."""
    assert told.replay() == model.tree_
    assert told.replay(0).root.is_leaf
    assert [step.number for step in told.steps] == list(range(1, len(told) + 1))
    asked = [step for step in told.steps if step.kind == "ask"]
    assert len(asked) == sum(not node.is_leaf for node in told.grown.walk())
    for step in asked:
        table = step.candidates
        chosen = table[table["lost_by"] == "chosen"]
        several = model.get_params()["questions"] != "axis" and not len(chosen)
        assert len(chosen) == (0 if several else 1), step
        if several:
            assert (table["gain"] <= step.gain + 1e-9).all()
            continue
        assert chosen["gain"].iloc[0] == pytest.approx(step.gain, abs=1e-9)
        place = chosen.index[0]
        if model.get_params().get("monotonic_cst") is None and "Conditional" not in str(model):
            assert all("break" not in why and "rounding" not in why for why in table["lost_by"][:place])


@allow_one_leaf
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(6, 40),
    options=st.sampled_from(CLASSES),
    pruner=st.sampled_from([*PRUNERS, Pessimistic(), Pessimistic(raise_subtrees=False)]),
)
def test_a_replayed_classifier_is_the_fitted_one(seed: int, n_rows: int, options: Any, pruner: Any) -> None:
    X, y = table_of(seed, n_rows)
    if "priors" in options and isinstance(pruner, Pessimistic):
        pruner = None
    model = TreeClassifier(**options, prune=ReducedError(order=pruner) if pruner == "bottom_up" else pruner)
    check(told_of(model, X, y), model.fit(X, y))


@allow_one_leaf
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(6, 40),
    options=st.sampled_from(NUMBERS),
    pruner=st.sampled_from(PRUNERS[:4]),
)
def test_a_replayed_regressor_is_the_fitted_one(seed: int, n_rows: int, options: Any, pruner: Any) -> None:
    X, y = table_of(seed, n_rows)
    model = TreeRegressor(**options, prune=pruner)
    check(told_of(model, X, y), model.fit(X, y))


class TestTheNotes:
    """Play tennis, as ID3 grows it."""

    X, y = datasets.load_tennis(backend="pandas")
    told = told_of(TreeClassifier.id3(), X, y)

    def test_every_number_of_the_root(self) -> None:
        table = self.told.steps[0].candidates
        assert [(line["column"], f"{line['gain']:.3f}") for line in table.to_dict("records")] == [
            ("outlook", "0.247"),
            ("humidity", "0.152"),
            ("windy", "0.048"),
            ("temperature", "0.029"),
        ]
        assert table["lost_by"].tolist() == [
            "chosen",
            "gains less: 0.152 against 0.247",
            "gains less: 0.048 against 0.247",
            "gains less: 0.029 against 0.247",
        ]

    def test_steps(self) -> None:
        kinds = [(step.kind, step.choice or step.why) for step in self.told.steps]
        pure = ("leaf", "All rows have the same target.")
        assert kinds[:4] == [
            ("ask", "outlook = ?"),
            pure,
            ("ask", "windy = FALSE"),
            ("ask", "humidity = high"),
        ]
        assert kinds[4:] == [pure] * 4

    def test_replay_grows_node_by_node(self) -> None:
        sizes = [self.told.replay(step).n_leaves for step in range(len(self.told) + 1)]
        assert sizes == [1, 3, 3, 4, 5, 5, 5, 5, 5]

    @pytest.mark.parametrize(("base", "gain"), [(2, 0.2467), (math.e, 0.1710), (10, 0.0743)])
    def test_logarithms(self, base: float, gain: float) -> None:
        step = told_of(TreeClassifier.id3(), self.X, self.y, base=base).steps[0]
        assert step.gain == pytest.approx(gain, abs=1e-4)
        assert step.candidates["gain"][0] == pytest.approx(step.gain)

    def test_times_n(self) -> None:
        step = told_of(TreeClassifier.id3(), self.X, self.y, times_n=True).steps[0]
        assert step.gain == pytest.approx(14 * 0.24675, abs=1e-3)
        assert step.candidates["gain"][0] == pytest.approx(step.gain)

    def test_digits(self) -> None:
        text = str(told_of(TreeClassifier.id3(), self.X, self.y, digits=5))
        assert "gains less: 0.15184 against 0.24675" in text

    def test_writings(self) -> None:
        text, markdown, latex = self.told.to_text(top=2), self.told.to_markdown(), self.told.to_latex()
        assert text.splitlines()[0] == "Step 1. Node 0 (the root) asks outlook = ?"
        assert "… and 2 more" in text
        assert "| outlook = overcast \\| rainy \\| sunny | 0.247 |" in markdown
        assert r"\begin{tabular}{lrrrrrrrl}" in latex
        document = json.loads(self.told.to_json())
        assert document["steps"][0]["candidates"][1]["lost_by"] == "gains less: 0.152 against 0.247"
        assert document["steps"][1]["candidates"] is None


class TestWhyOthersLost:
    def reasons(self, model: Any, X: Any, y: Any, step: int = 0) -> Any:
        table = told_of(model, X, y).steps[step].candidates
        return dict(zip(table["question"], table["lost_by"], strict=True))

    def test_ties(self) -> None:
        found = self.reasons(TreeClassifier(prune=None), [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
        assert found["x0 <= 0.5"] == "chosen"
        assert found["x1 <= 0.5"].startswith("gains as much, but comes later")

    def test_size_limit(self) -> None:
        X, y = [[v] for v in range(6)], [0, 1, 1, 1, 1, 1]
        found = self.reasons(TreeClassifier(prune=None, min_samples_leaf=2), X, y)
        assert found["x0 <= 0.5"] == "size limit: a child would have only 1 row"

    def test_guard(self) -> None:
        X, y = datasets.load_tennis(backend="pandas")
        model = TreeClassifier(criterion="gain_ratio", nominal="multiway", levels="raw", prune=None)
        found = self.reasons(model, X, y)
        assert found["windy = FALSE | TRUE"] == "its column gains less than the guard asks for"
        assert found["humidity = high | normal"] == "smaller gain ratio: 0.152 against 0.156"

    def test_chance(self) -> None:
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"code": [f"c{i}" for i in range(30)], "x": rng.normal(size=30)})
        found = told_of(TreeClassifier(prune=None, max_depth=1), X, np.arange(30) % 2).steps[0].candidates
        assert any("by chance, having so many levels" in why for why in found["lost_by"])

    @pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
    def test_not_significant(self) -> None:
        X, y = [[v] for v in range(8)], [0, 1, 0, 1, 1, 0, 1, 0]
        (step,) = told_of(TreeClassifier(significance=0.05, prune=None), X, y).steps
        assert step.why.startswith("Not significant: p = ")
        assert step.candidates is not None

    def test_lookahead(self) -> None:
        rng = np.random.default_rng(1)
        X = rng.integers(0, 2, (60, 4))
        told = told_of(TreeClassifier(search=Lookahead(), prune=None, max_depth=2), X, X[:, 1] ^ X[:, 3])
        table = told.steps[0].candidates
        assert told.steps[0].choice in ("x1 <= 0.5", "x3 <= 0.5")
        assert table["worth"][0] == pytest.approx(told.steps[0].impurity)
        assert any(why.startswith("is worth less with what lies behind") for why in table["lost_by"])

    def test_lookahead_and_ties(self) -> None:
        """Below the first question of exclusive or, any other is worth as much as the right one."""
        X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1, 1)]
        y = [a ^ b for a, b, _ in X]
        model = TreeClassifier(search=Lookahead(), prune=None, criterion="entropy")
        assert "comes later" in self.reasons(model, X, y)["x1 <= 0.5"]
        found = self.reasons(model, X, y, step=1)
        assert found["x2 <= 0.5"] == "is worth as much, but gains less by itself: 0.000 against 1.000"

    def test_divided_rows_count_by_their_weight(self) -> None:
        X, y = datasets.load_tennis(backend="pandas")
        X.loc[11, "outlook"] = None
        told = told_of(TreeClassifier.c45(prune=None), X, y)
        small = told.steps[5]
        assert small.why == "It is too small to be divided: its rows weigh 3.500, min_samples_split=4."
        assert set(small.candidates["lost_by"]) == {"size limit: the rows of a child would weigh too little"}
        assert "no 1, yes 1.333, impurity" in str(told)

    def test_the_tree_of_the_path(self) -> None:
        """The last step says which one was chosen, what a leaf is charged, and the held-out losses."""
        X, y = datasets.load_iris(backend="pandas")
        model = TreeClassifier.cart(min_samples_leaf=1, min_samples_split=2)
        told = told_of(model, X, y)
        path = model.fit(X, y).pruning_path_
        (last,) = [step for step in told.steps if step.kind == "choose"]
        assert last.title == "Of the path of weakest links, the tree with 3 leaves is chosen"
        assert (last.before, last.after) == (path.cv_risk[path.chosen], path.cv_risk[-1])
        assert "for this tree, 0.666667 for the root alone." in str(told)
        links = [step for step in told.steps if step.kind == "prune"]
        assert links[-1].why == "The weakest link: its branches save only 0.0133333 for each leaf they add."
        assert links[-1].after - links[-1].before == pytest.approx(0.0133333, abs=1e-6)
        alone = told_of(TreeClassifier(max_depth=0), X, y)
        assert [step.kind for step in alone.steps] == ["leaf"]

    def test_the_climb(self) -> None:
        """Each step of the search for m of n, with its gain; the last is what the node asks."""
        X = np.random.default_rng(0).integers(0, 2, (400, 10))
        y = X[:, :7].sum(axis=1) >= 3
        step = told_of(TreeClassifier(questions=MofN(), prune=None), X, y).steps[0]
        assert len(step.climb) == 7
        assert step.climb[-1].question == step.choice
        assert step.climb[-1].gain == pytest.approx(step.gain)
        assert step.climb[0].question == "x2 > 0.5"

    def test_pruning_shows_errors(self) -> None:
        X, y = datasets.load_iris(backend="pandas")
        model = TreeClassifier(prune="reduced_error")
        told = told_of(model, X, y)
        log = model.fit(X, y).pruning_log_
        steps = [step for step in told.steps if step.kind in ("prune", "keep")]
        assert [(s.node, s.before, s.after) for s in steps] == list(
            zip(log.node.tolist(), log.before.tolist(), log.after.tolist(), strict=True)
        )

    def test_surrogates(self) -> None:
        X = pd.DataFrame({"t": [36.5, 36.8, 37.0, 37.2, 38.5, 38.9, 39.4, 39.9, None, None]})
        X["pulse"] = [60, 64, 70, 88, 84, 90, 96, 100, 62, None]
        told = told_of(TreeClassifier(missing="surrogate", prune=None), X, list("wwwwiiiiww"))
        (line,) = told.steps[0].surrogates
        assert (line.question, line.agreement, line.adjusted_agreement) == ("pulse <= 77", 0.875, 0.75)
        assert "pulse <= 77 (agreement 0.875, adjusted 0.750)" in str(told)


class TestRefusals:
    X, y = datasets.load_tennis(backend="pandas")

    def test_other_estimators(self) -> None:
        with pytest.raises(DataTypeError, match="takes a TreeClassifier or a TreeRegressor, not int"):
            trace(3, self.X, self.y)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"base": 1}, "base=1"),
            ({"digits": -1}, "digits"),
            ({"times_n": 3}, "times_n"),
            ({"base": "x"}, "base"),
        ],
    )
    def test_options(self, options: Any, words: str) -> None:
        with pytest.raises(ParameterError, match=words):
            trace(TreeClassifier.id3(), self.X, self.y, **options)

    def test_bins(self) -> None:
        with pytest.raises(ParameterError, match="max_bins"):
            trace(TreeClassifier(max_bins=8), self.X, self.y)

    def test_gini_has_no_base(self) -> None:
        with pytest.raises(ParameterError, match="takes no logarithms"):
            trace(TreeClassifier(), self.X, self.y, base=10)

    def test_the_estimator_stays_as_it_is(self) -> None:
        model = TreeClassifier()
        trace(model, self.X, self.y)
        assert not model.__sklearn_is_fitted__()

    @pytest.mark.filterwarnings("ignore::arboretum.ArboretumWarning")
    @pytest.mark.parametrize("y", [["a"], ["a", "a"]])
    def test_very_small_tables(self, y: Any) -> None:
        told = trace(TreeClassifier(prune=None), [[i] for i in range(len(y))], y)
        assert told.steps[0].why == "All rows have the same target."
        assert told.to_markdown()
        assert told.to_latex()
        assert told.to_json()
