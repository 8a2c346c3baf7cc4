"""Gains corrected for the number of levels: by hand, against simulated chance, and what must never happen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_identifier, allow_one_leaf
from support.sweeps import few

from arboretum import Lookahead, TreeClassifier, TreeRegressor, candidates, load, save
from arboretum.inspection.candidates.chance import gain_by_chance
from arboretum.inspection.candidates.questions import Buckets
from arboretum.inspection.candidates.targets import ClassTarget, NumberTarget, Target

FORMS = ("subset", "one_vs_rest", "multiway")


def column(codes: Any, n_levels: int) -> Any:
    return pd.Categorical.from_codes(codes, [f"v{i:05}" for i in range(n_levels)])


def grow(X: pd.DataFrame, y: Any, **options: Any) -> Any:
    """The whole tree of classes (integers) or numbers."""
    kind = TreeRegressor if np.asarray(y).dtype.kind == "f" else TreeClassifier
    weights = options.pop("sample_weight", None)
    return kind(**{"prune": None} | options).fit(X, y, sample_weight=weights)


class TestByHand:
    """Twelve rows, four levels; eight rows of class 0 and four of class 1."""

    LEVELS = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3)
    CLASSES = (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1)
    X = pd.DataFrame({"c": column(LEVELS, 4)})
    BITS = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))

    def root(self, nominal: str, criterion: str = "gini") -> Any:
        model = TreeClassifier(criterion=criterion, nominal=nominal, prune=None, max_depth=1)
        return model.fit(self.X, self.CLASSES).tree_.root

    @pytest.mark.parametrize(
        ("nominal", "by_chance"),
        [
            ("subset", 3 / (11 * BITS) * 4 / 9),
            ("one_vs_rest", 2 * math.log(4) / (11 * BITS) * 4 / 9),
            ("multiway", 3 / 11 * 4 / 9),
        ],
    )
    def test_gini(self, nominal: str, by_chance: float) -> None:
        root = self.root(nominal)
        assert root.corrected_gain == pytest.approx(root.gain - by_chance, rel=1e-12)

    def test_numbers_and_entropy(self) -> None:
        root = self.root("multiway", "entropy")
        sparse = 1 + 5 * 3 / (6 * 12)
        by_chance = 3 * max(self.BITS / 11, 1 / (2 * math.log(2) * 12) * sparse)
        assert root.corrected_gain == pytest.approx(root.gain - by_chance, rel=1e-12)
        numbers = TreeRegressor(prune=None, max_depth=1).fit(self.X, [float(c) for c in self.CLASSES])
        root = numbers.tree_.root
        assert root.corrected_gain == pytest.approx(root.gain - 3 / 11 * 2 / 9, rel=1e-12)

    def test_missing_values_are_one_more_level(self) -> None:
        X = pd.DataFrame({"c": column((*self.LEVELS[:9], -1, -1, -1), 4)})
        root = TreeClassifier(prune=None, max_depth=1).fit(X, self.CLASSES).tree_.root
        assert root.corrected_gain == pytest.approx(root.gain - 3 / (11 * self.BITS) * 4 / 9, rel=1e-12)

    @allow_one_leaf
    def test_rows_that_are_left_aside_do_not_count(self) -> None:
        """Nine rows are known, one of them of class 1: gain and chance count for three quarters."""
        X = pd.DataFrame({"c": column((*self.LEVELS[:9], -1, -1, -1), 4)})
        model = TreeClassifier(prune=None, max_depth=1, missing="fractional", levels="raw")
        root = model.fit(X, self.CLASSES).tree_.root
        bits = -(8 / 9 * math.log2(8 / 9) + 1 / 9 * math.log2(1 / 9))
        by_chance = 0.75 * 2 / (8 * bits) * (1 - 65 / 81)
        assert root.gain < by_chance  # so that nothing is asked
        assert model.set_params(levels="corrected").fit(X, self.CLASSES).tree_.root.is_leaf
        table = candidates(X, self.CLASSES, missing="fractional", levels="corrected")
        assert (table["gain"] - table["corrected_gain"]).to_numpy() == pytest.approx(by_chance, rel=1e-12)

    def test_weights_count_as_effective_rows(self) -> None:
        weights = np.array([1.0, 2.0, 3.0] * 4)
        model = TreeClassifier(prune=None, max_depth=1).fit(self.X, self.CLASSES, sample_weight=weights)
        root = model.tree_.root
        n_rows = weights.sum() ** 2 / (weights**2).sum()
        shares = np.bincount(self.CLASSES, weights) / weights.sum()
        bits = -np.sum(shares * np.log2(shares))
        by_chance = 3 / ((n_rows - 1) * bits) * root.impurity
        assert root.corrected_gain == pytest.approx(root.gain - by_chance, rel=1e-12)
        again = TreeClassifier(prune=None, max_depth=1).fit(self.X, self.CLASSES, sample_weight=8 * weights)
        assert again.tree_.root.corrected_gain == root.corrected_gain

    def test_two_levels_are_no_choice(self) -> None:
        X = pd.DataFrame({"c": column([0, 1] * 6, 2)})
        root = TreeClassifier(prune=None, max_depth=1).fit(X, self.CLASSES).tree_.root
        assert root.corrected_gain is None
        assert "corrected_gain" not in candidates(X, self.CLASSES, levels="corrected")

    def test_levels_without_rows_are_no_choice(self) -> None:
        """Neither a declared level without rows nor one whose row weighs nothing changes the tree."""
        codes, weights = [0, 1] * 6, [1.0] * 12
        plain = TreeClassifier(prune=None).fit(pd.DataFrame({"c": column(codes, 2)}), self.CLASSES).tree_
        unused = pd.DataFrame({"c": column(codes, 5)})
        assert str(TreeClassifier(prune=None).fit(unused, self.CLASSES).tree_) == str(plain)
        weightless = pd.DataFrame({"c": column([*codes, 4], 5)})
        model = TreeClassifier(prune=None).fit(weightless, [*self.CLASSES, 0], sample_weight=[*weights, 0.0])
        assert str(model.tree_) == str(plain)
        assert model.tree_.root.corrected_gain is None

    @allow_one_leaf
    def test_two_levels_and_missing_values_are_three_answers(self) -> None:
        X = pd.DataFrame({"c": column((0, 0, 0, 0, 0, 0, 0, 0, -1, 1, 1, 1), 2)})
        root = TreeClassifier(prune=None, max_depth=1).fit(X, self.CLASSES).tree_.root
        assert root.corrected_gain == pytest.approx(root.gain - 2 / (11 * self.BITS) * 4 / 9, rel=1e-12)
        aside = TreeClassifier(prune=None, max_depth=1, missing="surrogate").fit(X, self.CLASSES)
        assert aside.tree_.root.corrected_gain is None

    def test_raw_gains_are_not_touched(self) -> None:
        root = TreeClassifier(prune=None, max_depth=1, levels="raw").fit(self.X, self.CLASSES).tree_.root
        assert root.corrected_gain is None
        assert root.gain == self.root("subset").gain
        assert "corrected_gain" not in candidates(self.X, self.CLASSES, levels="raw")


def targets_of(criterion: str, y: Any) -> Target:
    if criterion == "squared_error":
        return NumberTarget(criterion, y, np.ones(len(y)))
    return ClassTarget(criterion, y, np.ones(len(y)), n_labels=int(y.max()) + 1)


@pytest.mark.parametrize("nominal", FORMS)
@pytest.mark.parametrize(("n_rows", "n_levels"), [(100, 12), (400, 8), (400, 40), (400, 100)])
@pytest.mark.parametrize(
    ("criterion", "shares"),
    [
        ("gini", (0.5, 0.5)),
        ("gini", (0.9, 0.1)),
        ("gini", (0.2,) * 5),
        ("entropy", (0.5, 0.5)),
        ("entropy", (0.2,) * 5),
        ("squared_error", ()),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_chance_gains_about_as_much_as_is_taken_off(
    criterion: str, shares: tuple[float, ...], n_rows: int, n_levels: int, nominal: str
) -> None:
    """Levels that say nothing, 60 times: on average, a multiway question gains what is taken off, by Gini and
    squared error within a tenth; by entropy at most a tenth more; subsets and single levels never more."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(60):
        codes = rng.permutation(np.arange(n_rows) % n_levels)
        y = rng.choice(len(shares), n_rows, p=shares) if shares else rng.normal(size=n_rows)
        X = pd.DataFrame({"c": column(codes, n_levels)})
        root = grow(X, y, criterion=criterion, nominal=nominal, levels="raw", max_depth=1).tree_.root
        ratios.append(root.gain / gain_by_chance(targets_of(criterion, y), Buckets(codes, n_levels), nominal))
    mean = float(np.mean(ratios))
    if nominal == "multiway" and criterion != "entropy":
        assert mean == pytest.approx(1.0, abs=0.1)
    else:
        assert mean <= (1.1 if nominal == "multiway" else 1.0)


def test_noise_of_many_levels_is_rarely_asked_and_what_matters_is_found() -> None:
    """40 times: at most one root in 20 asks about noise; at least 19 in 20 about a
    column of 40 levels that matters, beside a number that does not."""
    rng = np.random.default_rng(1)
    noise = found = 0
    for _ in range(40):
        codes = rng.integers(0, 40, 400)
        X = pd.DataFrame({"c": column(codes, 40), "x": rng.normal(size=400)})
        noise += grow(X, rng.integers(0, 2, 400), max_depth=1).tree_.root.question.column == "c"
        effects = rng.normal(size=40)[codes]
        found += (
            grow(X, (effects + rng.normal(size=400) > 0).astype(int), max_depth=1).tree_.root.question.column
            == "c"
        )
    assert noise <= 2
    assert found >= 38


def identifiers(n_rows: int, seed: int) -> Any:
    return column(np.random.default_rng(seed).permutation(n_rows), n_rows)


@allow_one_leaf
@allow_identifier
@settings(max_examples=few(2))
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(3, 60),
    nominal=st.sampled_from(FORMS),
    criterion=st.sampled_from(
        ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]
    ),
    weighted=st.booleans(),
    missing=st.sampled_from(["category", "fractional", "surrogate"]),
)
def test_a_column_of_identifiers_never_changes_the_tree(
    seed: int, n_rows: int, nominal: str, criterion: str, weighted: bool, missing: str
) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.integers(0, 6, n_rows), "c": column(rng.integers(-1, 4, n_rows), 4)})
    of_classes = criterion in ("gini", "entropy", "misclassification")
    rare = rng.choice(3, n_rows, p=[0.8, 0.15, 0.05]) if seed % 2 else rng.integers(0, 2, n_rows)
    y = rare if of_classes else np.exp(3 * rng.normal(size=n_rows))
    options: dict[str, Any] = {"criterion": criterion, "nominal": nominal, "missing": missing}
    options["sample_weight"] = rng.exponential(size=n_rows) if weighted else None
    if missing == "surrogate" and nominal == "multiway":
        options["nominal"] = "subset"
    for place in (0, 2):
        with_names = X.copy()
        with_names.insert(place, "name", identifiers(n_rows, seed + 1))
        assert str(grow(with_names, y, **options).tree_) == str(grow(X, y, **options).tree_)


@allow_identifier
@pytest.mark.parametrize("levels", ["raw", "corrected"])
def test_identifiers_and_pruning(levels: str) -> None:
    """Raw gains let an identifier win; corrected ones do not, in the pruned tree and in each fold."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"name": identifiers(300, 0), "x": rng.normal(size=300)})
    y = (X["x"] + rng.normal(size=300) / 2 > 0).astype(int)
    asked = {node.question.column for node in grow(X, y, levels=levels).tree_.walk() if node.question}
    assert ("name" in asked) == (levels == "raw")


FITS: tuple[Callable[..., Any], ...] = (TreeClassifier, TreeRegressor)


@pytest.mark.parametrize("kind", FITS)
def test_competitors_candidates_and_files_tell_the_corrected_gain(kind: Any, tmp_path: Any) -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"c": column(rng.integers(0, 8, 200), 8), "x": rng.normal(size=200)})
    y = (X["c"].cat.codes % 2 + X["x"] > 0.5).astype(int if kind is TreeClassifier else float)
    model = kind(prune=None, competitors=1).fit(X, y)
    root, table = model.tree_.root, candidates(X, y, criterion=model.tree_.criterion, levels="corrected")
    best = table.groupby("column")["corrected_gain"].max()
    told = {root.question.column: root.corrected_gain}
    told |= {each.question.column: each.corrected_gain for each in root.competitors}
    assert told == pytest.approx(best.to_dict(), rel=1e-9)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.tree_ == model.tree_
    assert again.tree_.root.competitors == root.competitors
    assert again.get_params()["levels"] == "corrected"


def test_lookahead_sees_what_pays_off_below() -> None:
    """Whether two colours are alike says all; neither of them says anything by itself."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 8, (600, 2))
    X = pd.DataFrame({"a": column(codes[:, 0], 8), "b": column(codes[:, 1], 8)})
    y = codes.sum(axis=1) % 2
    for nominal in ("subset", "multiway"):
        model = grow(X, y, nominal=nominal, search=Lookahead(), max_depth=3, leaf="frequency")
        assert model.score(X, y) == 1.0
