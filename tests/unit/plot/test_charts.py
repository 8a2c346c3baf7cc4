"""Pruning paths, importances, curves, judged classifiers, the three measures: the numbers drawn are right.

What is drawn is compared with the tables it comes from, and with scikit-learn's own functions. What all
charts share is in test_every_chart.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from support.marks import allow_one_leaf

import arboretum
from arboretum import (
    CostComplexity,
    DataError,
    DataTypeError,
    ParameterError,
    Surrogate,
    TreeClassifier,
    TreeRegressor,
    datasets,
    plot,
)
from arboretum.plot._charts.calibration import in_bins

P, SPECIES = datasets.load_penguins()
COLUMNS = ["bill_length_mm", "body_mass_g"]
# Few leaves, so that many rows share a probability.
ROUGH = TreeClassifier(prune=None, min_samples_leaf=8, max_leaf_nodes=7).fit(P[COLUMNS][::2], SPECIES[::2])
TEST = P[COLUMNS][1::2], SPECIES[1::2]
WEIGHTS = np.random.default_rng(0).integers(0, 4, len(TEST[1])).astype(float)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax: Any, label: str) -> Any:
    (found,) = (drawn for drawn in ax.get_lines() if drawn.get_label() == label)
    return found


def note(ax: Any) -> str:
    return str(ax.get_title(loc="left"))


# The pruning path


def test_a_path_is_drawn_as_it_is() -> None:
    path = TreeClassifier().fit(*datasets.load_iris()).pruning_path_
    ax = plot.pruning_path(path)
    training = line(ax, "training risk")
    assert training.get_xdata().tolist() == path.leaves.tolist()
    assert training.get_ydata().tolist() == path.risk.tolist()
    bars: Any
    (bars,) = ax.containers
    assert bars.lines[0].get_ydata().tolist() == path.cv_risk.tolist()
    reach = [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()]
    assert reach == [[risk - se, risk + se] for risk, se in zip(path.cv_risk, path.cv_se, strict=True)]
    best = int(np.flatnonzero(path.cv_risk == path.cv_risk.min())[-1])  # the smallest of the best
    within = int(np.flatnonzero(path.cv_risk <= path.cv_risk[best] + path.cv_se[best])[-1])
    assert best < within
    assert line(ax, "1-SE line").get_ydata() == pytest.approx([path.cv_risk[best] + path.cv_se[best]] * 2)
    for label, step in (("least CV risk", best), ("within 1 SE", within), ("chosen", path.chosen)):
        assert (line(ax, label).get_xdata()[0], line(ax, label).get_ydata()[0]) == (
            path.leaves[step],
            path.cv_risk[step],
        )


def test_alphas_stand_on_top_of_their_trees() -> None:
    path = TreeClassifier().fit(*datasets.load_iris()).pruning_path_
    ax = plot.pruning_path(path)
    ax.figure.canvas.draw()
    (top,) = ax.child_axes
    alpha = {int(leaves): f"{value:.2g}" for leaves, value in zip(path.leaves, path.alpha, strict=True)}
    shown = dict(zip(top.get_xticks().tolist(), (t.get_text() for t in top.get_xticklabels()), strict=True))
    assert {1, 3, 9} <= shown.keys()
    assert all(alpha[int(leaves)] == text for leaves, text in shown.items())


@allow_one_leaf
def test_wide_paths_are_logarithmic_and_paths_may_know_no_folds() -> None:
    rng = np.random.default_rng(0)
    frame = rng.normal(size=(300, 3))
    model = TreeRegressor(prune=CostComplexity(alpha=0.01)).fit(frame, frame[:, 0] + rng.normal(size=300))
    ax = plot.pruning_path(model)
    assert ax.get_xscale() == "log"
    assert legend(ax) == ["training risk", "chosen"]
    assert plot.pruning_path(TreeClassifier().fit(frame, ["one"] * 300)).get_xscale() == "linear"
    with pytest.raises(
        DataTypeError, match="needs a fitted tree estimator or its pruning_path_, not Pipeline"
    ):
        plot.pruning_path(make_pipeline(StandardScaler()))


def test_large_risks_are_written_at_their_ticks() -> None:
    """A power for the whole axis stood in the corner, over the first alpha."""
    rng = np.random.default_rng(0)
    frame = rng.normal(size=(300, 2))
    model = TreeRegressor().fit(frame, 5000 * frame[:, 0] + 2000 * rng.normal(size=300))
    ax = plot.pruning_path(model)
    ax.figure.canvas.draw()
    assert ax.yaxis.get_offset_text().get_text() == ""
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown] == ax.get_yticks().tolist()
    assert max(ax.get_yticks()) > 1e7


@pytest.mark.parametrize("name", ["pruning_path", "complexity_curve"])
def test_marks_of_a_legend_keep_to_their_lines(name: str) -> None:
    """On the chart marks are so large that they surround each other; in the legend they overlapped."""
    halves = P[COLUMNS][::2], SPECIES[::2]
    if name == "pruning_path":
        ax = plot.pruning_path(TreeClassifier().fit(*halves))
    else:
        ax = plot.complexity_curve(arboretum.complexity_curve(TreeClassifier(), *halves, *TEST))
    ax.figure.canvas.draw()
    pixel = ax.figure.dpi / 72
    marks = [handle for handle in ax.get_legend().legend_handles if hasattr(handle, "get_markersize")]
    lines = [text.get_window_extent() for text in ax.get_legend().get_texts()]
    middles = [(line.y0 + line.y1) / 2 for line in lines]
    apart = min(above - below for above, below in itertools.pairwise(middles))
    assert len(marks) >= 4
    # A diamond reaches half a diagonal to either side.
    assert all(1.42 * mark.get_markersize() * pixel <= apart for mark in marks)
    assert line(ax, "chosen").get_markersize() > 10


def test_what_has_no_path() -> None:
    iris = datasets.load_iris()
    with pytest.raises(ValueError, match="This TreeClassifier instance is not fitted yet"):
        plot.pruning_path(TreeClassifier())
    for wrong, message in (
        (TreeClassifier, r"not the class TreeClassifier\.\nHint: TreeClassifier\(\)\.fit\(X, y\) makes one"),
        (TreeClassifier().fit(*iris).tree_, "not Tree.\nHint: give the model that the tree belongs to"),
        (DecisionTreeClassifier(), "not DecisionTreeClassifier.\nHint: fit a TreeClassifier or"),
        (DecisionTreeClassifier().fit(*iris), "not DecisionTreeClassifier.\nHint: fit a TreeClassifier or"),
        ({}, "not dict.\nHint: fit a TreeClassifier or a TreeRegressor of arboretum"),
        (
            make_pipeline(TreeClassifier()),
            "not Pipeline.\nHint: of a pipeline, give its last step; its table is what",
        ),
    ):
        with pytest.raises(DataTypeError, match=message):
            plot.pruning_path(wrong)


def test_other_models_are_refused_by_all_in_the_same_words() -> None:
    iris = datasets.load_iris()
    search = GridSearchCV(TreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(*iris)
    for wrong, hint in (
        (DecisionTreeClassifier().fit(*iris), "fit a TreeClassifier or a TreeRegressor of arboretum"),
        (DecisionTreeClassifier, "fit a TreeClassifier or a TreeRegressor of arboretum"),
        (search, "of a search, give its best_estimator_"),
        (make_pipeline(TreeClassifier()).fit(*iris), "of a pipeline, give its last step; its table is what"),
    ):
        for draw in (plot.partition, plot.importance, arboretum.importance):
            with pytest.raises(
                DataTypeError, match=f"needs a fitted tree estimator or a Tree, not .*\nHint: {hint}"
            ):
                draw(wrong)


# Importance


@pytest.mark.parametrize("surrogates", [False, True])
def test_bars_are_the_importances(surrogates: bool) -> None:
    model = TreeClassifier(missing="surrogate").fit(P, SPECIES)
    ax: Any = plot.importance(model, surrogates=surrogates)
    found = arboretum.importance(model, surrogates=surrogates)
    ranked = sorted((name for name in found if found[name]), key=lambda name: -found[name])
    assert [label.get_text() for label in ax.get_yticklabels()] == ranked
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([found[name] for name in ranked])
    assert [bar.get_y() + bar.get_height() / 2 for bar in ax.patches] == pytest.approx(
        list(range(len(ranked)))
    )


@allow_one_leaf
def test_surrogates_are_not_claimed_where_there_are_none() -> None:
    """Without them the numbers were the plain ones, under another name."""
    plain = TreeClassifier().fit(P, SPECIES)
    for wrong in (plain, plain.tree_, TreeClassifier(missing="fractional", competitors=2).fit(P, SPECIES)):
        for count in (arboretum.importance, plot.importance):
            with pytest.raises(
                ParameterError, match="grown without them; fit it anew with missing='surrogate'"
            ):
                count(wrong, surrogates=True)
    assert plt.get_fignums() == []
    # Surrogates that were looked for and not found: one column has none, and none may be kept.
    alone = TreeClassifier(missing="surrogate").fit(P[["bill_length_mm"]], SPECIES)
    unkept = TreeClassifier(missing=Surrogate(max_surrogates=0)).fit(P, SPECIES)
    for model in (alone, unkept):
        assert arboretum.importance(model, surrogates=True) == arboretum.importance(model)
        title = plot.importance(model, surrogates=True).get_xlabel()
        assert title == "sum of improvements (no surrogate was found)"
    leaf = TreeClassifier(missing="surrogate").fit(P, ["one"] * 344).tree_
    assert set(arboretum.importance(leaf, surrogates=True).values()) == {0.0}
    for send in ("always", "never"):  # those that are only listed count too
        listed = TreeClassifier(missing=Surrogate(send=send)).fit(P, SPECIES)
        for given in (listed, listed.tree_):
            assert plot.importance(given, surrogates=True).get_xlabel().endswith(", surrogates included")
            assert arboretum.importance(given, surrogates=True) != arboretum.importance(given)


def test_only_the_top_columns_are_drawn_and_the_rest_is_told() -> None:
    model = TreeClassifier(prune=None).fit(P, SPECIES)
    ax = plot.importance(model, top=2)
    rest = sum(sorted(arboretum.importance(model).values())[:-2])
    assert len(ax.patches) == 2
    n_more = sum(value > 0 for value in arboretum.importance(model).values()) - 2
    assert note(ax).splitlines()[0] == f"{n_more} more columns, {rest:.3g} together"
    for top in (0, 1.5, "all"):
        with pytest.raises(ParameterError, match=r"top=.* is not allowed; give an integer of 1 or more"):
            plot.importance(model, top=top)


def test_columns_at_zero_have_no_bar_and_are_told() -> None:
    """A tree that asks about one of 16 columns had 15 bars of no length."""
    X = np.random.default_rng(0).normal(size=(100, 16))
    model = TreeClassifier(max_depth=1).fit(X, X[:, 3] > 0)
    ax = plot.importance(model)
    assert [label.get_text() for label in ax.get_yticklabels()] == [model.tree_.columns[3].name]
    assert len(ax.patches) == 1
    assert note(ax) == "at 0, not drawn: 15 columns"
    shuffled = arboretum.permutation_importance(model, X, X[:, 3] > 0, repeats=3)
    assert len(plot.importance(shuffled).patches) == 1
    few = TreeClassifier(max_depth=1).fit(X[:, :4], X[:, 3] > 0)
    names = [column.name for column in few.tree_.columns]
    assert note(plot.importance(few)) == f"at 0, not drawn: {', '.join(names[:3])}"


@allow_one_leaf
def test_importance_of_a_tree_that_asks_nothing_says_so() -> None:
    """The chart of a root alone was empty, and looked like a fault."""
    root = TreeClassifier().fit(P, ["one"] * 344)
    both = (
        (root, "The tree asks no question: it is one leaf."),
        (
            arboretum.permutation_importance(root, P, ["one"] * 344, repeats=2),
            "Shuffling a column changes nothing.",
        ),
    )
    for given, sentence in both:
        for theme in ("light", "dark"):
            ax = plot.importance(given, theme=theme)
            assert [text.get_text() for text in ax.texts] == [sentence]
            assert len(ax.patches) == len(ax.get_xticks()) == len(ax.get_yticks()) == 0
            assert note(ax) == ""


def test_permutation_importance_has_intervals() -> None:
    found = arboretum.permutation_importance(ROUGH, *TEST, repeats=5)
    ax: Any = plot.importance(found)
    ranked = np.argsort(-found.mean, kind="stable")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(found.mean[ranked].tolist())
    bars: Any
    (bars,) = (c for c in ax.containers if hasattr(c, "has_xerr") and c.has_xerr)
    reach = np.array([segment[:, 0] for segment in bars.lines[2][0].get_segments()])
    assert reach == pytest.approx(np.column_stack([found.low, found.high])[ranked])
    with pytest.raises(ParameterError, match="surrogates=True is for trees"):
        plot.importance(found, surrogates=True)
    once = arboretum.permutation_importance(ROUGH, *TEST, repeats=1)  # no interval is known
    assert len(plot.importance(once).patches) == 2


# Learning and complexity


def test_learning_curves_have_bands() -> None:
    frame = arboretum.learning_curve(TreeClassifier(), P[COLUMNS], SPECIES, sizes=[0.2, 0.5, 1.0], repeats=3)
    ax = plot.learning_curve(frame)
    for name in ("training", "development"):
        assert line(ax, name).get_ydata() == pytest.approx(frame[f"{name}_loss"].to_numpy())
        assert line(ax, name).get_xdata().tolist() == frame["size"].tolist()
    (_, band) = ax.collections
    heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
    for at in (-1, 1):
        ends = frame["development_loss"] + at * frame["development_se"]
        assert all(np.isclose(heights, end).any() for end in ends)
    single = frame.assign(training_se=np.nan, development_se=np.nan, development_loss=[np.inf, 0.2, 0.1])
    assert note(plot.learning_curve(single)) == "not drawn: 1 infinite loss"


def test_complexity_curves_mark_the_best_and_the_chosen() -> None:
    frame = arboretum.complexity_curve(TreeClassifier(), P[COLUMNS][::2], SPECIES[::2], *TEST)
    ax = plot.complexity_curve(frame)
    assert line(ax, "development").get_ydata() == pytest.approx(frame["development_loss"].to_numpy())
    for name in ("best", "chosen"):
        (row,) = frame.index[frame[name]]
        assert line(ax, name).get_xdata()[0] == frame["leaves"][row]
        assert line(ax, name).get_ydata()[0] == frame["development_loss"][row]


@pytest.mark.parametrize("name", ["learning_curve", "complexity_curve"])
def test_other_tables_are_refused(name: str) -> None:
    draw = getattr(plot, name)
    with pytest.raises(DataError, match=f"frame lacks the column.* 'training_loss'.* arboretum.{name}"):
        draw(pd.DataFrame({"size": [1], "leaves": [1]}))
    with pytest.raises(
        DataTypeError, match=f"frame is of type dict, not the data frame that arboretum.{name}"
    ):
        draw({})
    empty = [
        "size",
        "leaves",
        "training_loss",
        "development_loss",
        "training_se",
        "development_se",
        "best",
        "chosen",
    ]
    with pytest.raises(DataError, match="frame has no rows"):
        draw(pd.DataFrame({column: [] for column in empty}))


# ROC and precision-recall


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_roc_is_scikit_learns(weights: Any) -> None:
    """Rows that share a probability are one point; three classes, with and without weights."""
    ax = plot.roc(ROUGH, *TEST, sample_weight=weights)
    probability = ROUGH.predict_proba(TEST[0])
    assert len(np.unique(probability[:, 0])) < 8 < len(probability)
    for number, name in enumerate(ROUGH.classes_):
        truth = TEST[1] == name
        false, true, _ = metrics.roc_curve(truth, probability[:, number], sample_weight=weights)
        area = metrics.roc_auc_score(truth, probability[:, number], sample_weight=weights)
        drawn = ax.get_lines()[1 + number]
        assert drawn.get_xdata() == pytest.approx(false)
        assert drawn.get_ydata() == pytest.approx(true)
        assert legend(ax)[number] == f"{name} (AUC {area:.3f})"


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_area_under_the_drawn_precision_is_the_average_precision(weights: Any) -> None:
    for number, name in enumerate(ROUGH.classes_):
        ax = plot.precision_recall(ROUGH, *TEST, sample_weight=weights, positive=name)
        truth, score = TEST[1] == name, ROUGH.predict_proba(TEST[0])[:, number]
        drawn = ax.get_lines()[0]
        recall, precision = np.asarray(drawn.get_xdata()), np.asarray(drawn.get_ydata())
        assert (recall[0], recall[-1]) == (0.0, 1.0)
        assert drawn.get_drawstyle() == "steps-pre"  # a step has the height of its right end
        area = metrics.average_precision_score(truth, score, sample_weight=weights)
        assert np.diff(recall) @ precision[1:] == pytest.approx(area)
        share = np.average(truth, weights=weights)
        assert legend(ax) == [f"{name} (AP {area:.3f})", f"chance ({share:.3g})"]


def test_two_classes_have_one_curve_and_absent_classes_none() -> None:
    two = P[COLUMNS].dropna()
    sex = np.where(np.arange(len(two)) % 3 == 0, "f", "m")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(two, sex)
    assert len(legend(plot.roc(model, two, sex))) == 2
    assert legend(plot.roc(model, two, sex, positive="f"))[0].startswith("f (AUC")
    few = TEST[1] == "Adelie"
    ax = plot.roc(ROUGH, TEST[0][few], TEST[1][few])
    assert note(ax) == "no curve: all rows or none are of class Adelie, Chinstrap, Gentoo"
    assert legend(ax) == ["chance"]
    with pytest.raises(
        ParameterError, match="positive='Emperor' is not a class of the model; choose 'Adelie'"
    ):
        plot.roc(ROUGH, *TEST, positive="Emperor")


# Calibration


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 3, 10])
def test_calibration_is_scikit_learns(strategy: str, n_bins: int) -> None:
    for number, name in enumerate(ROUGH.classes_):
        truth, said = np.asarray(TEST[1] == name), ROUGH.predict_proba(TEST[0])[:, number]
        share, mean = calibration_curve(truth, said, n_bins=n_bins, strategy=strategy)
        bins = in_bins(truth, said, np.ones(len(truth)), n_bins, strategy)
        assert bins.predicted == pytest.approx(mean)
        assert bins.observed == pytest.approx(share)
        ax = plot.calibration(ROUGH, *TEST, positive=name, bins=n_bins, strategy=strategy)
        drawn = ax.get_lines()[1]
        assert drawn.get_xdata() == pytest.approx(mean)
        assert drawn.get_ydata() == pytest.approx(share)
        score = metrics.brier_score_loss(truth, said, pos_label=True)
        assert legend(ax) == [f"{name} (Brier {score:.3f})", "perfect"]


def test_weights_in_bins_are_repeated_rows() -> None:
    rng = np.random.default_rng(1)
    truth, said, weight = rng.integers(0, 2, 200) == 1, rng.uniform(size=200), rng.integers(0, 4, 200)
    weighed = in_bins(truth, said, weight.astype(float), 10, "uniform")
    share, mean = calibration_curve(np.repeat(truth, weight), np.repeat(said, weight), n_bins=10)
    assert weighed.predicted == pytest.approx(mean)
    assert weighed.observed == pytest.approx(share)
    assert weighed.weight.sum() == weight.sum()


# Confusion


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_confusion_is_scikit_learns(normalize: Any, weights: Any) -> None:
    ax = plot.confusion_matrix(ROUGH, *TEST, sample_weight=weights, normalize=normalize)
    predicted = ROUGH.predict(TEST[0])
    cells = metrics.confusion_matrix(TEST[1], predicted, sample_weight=weights, normalize=normalize)
    (image,) = ax.get_images()
    assert np.asarray(image.get_array()) == pytest.approx(cells)
    form = "{:,.0f}" if normalize is None else "{:.2f}"
    assert [text.get_text() for text in ax.texts] == [form.format(cell) for cell in cells.ravel()]
    names = [[label.get_text() for label in axis] for axis in (ax.get_xticklabels(), ax.get_yticklabels())]
    assert names == [list(ROUGH.classes_)] * 2
    right = metrics.accuracy_score(TEST[1], predicted, sample_weight=weights)
    assert note(ax) == f"{100 * right:.1f}% right"


@allow_one_leaf
def test_confusion_of_a_tree_a_margin_and_a_single_class() -> None:
    assert plot.confusion_matrix(ROUGH.tree_, *TEST).get_images()
    known = P[COLUMNS].dropna()
    machine = LinearSVC().fit(known, SPECIES[known.index])  # has no probabilities, and needs none here
    assert plot.confusion_matrix(machine, known, SPECIES[known.index]).get_images()
    alone = TreeClassifier().fit(known, ["only"] * len(known))
    assert [t.get_text() for t in plot.confusion_matrix(alone, known, ["only"] * len(known)).texts] == ["342"]
    with pytest.raises(ParameterError, match="normalize='rows' is not known; choose None, 'true'"):
        plot.confusion_matrix(ROUGH, *TEST, normalize="rows")


# All that are judged

JUDGED = ["calibration", "roc", "precision_recall", "confusion_matrix"]


@pytest.mark.parametrize("name", JUDGED)
def test_refusals_of_what_cannot_be_judged(name: str) -> None:
    draw = getattr(plot, name)
    numbers = TreeRegressor().fit(P[COLUMNS], np.arange(344.0))
    for wrong, message in (
        (numbers, "TreeRegressor has no classes"),
        (numbers.tree_, "this tree, which predicts numbers, has no classes"),
        ("model", "str has no classes"),
    ):
        with pytest.raises(
            DataTypeError, match=rf"{name}\(\) needs a fitted classifier or a tree of .* {message}"
        ):
            draw(wrong, *TEST)
    with pytest.raises(ValueError, match="not fitted"):
        draw(TreeClassifier(), *TEST)
    with pytest.raises(DataError, match="X has no rows"):
        draw(ROUGH, TEST[0][:0], TEST[1][:0])
    with pytest.raises(DataError, match="holds the class 'Emperor', which the tree does not know"):
        draw(ROUGH, TEST[0], ["Emperor"] * len(TEST[1]))
    with pytest.raises(DataError, match="sample_weight is zero in every row"):
        draw(ROUGH, *TEST, sample_weight=np.zeros(len(TEST[1])))
    if name != "confusion_matrix":
        known = P[COLUMNS].dropna()
        machine = LinearSVC().fit(known, SPECIES[known.index])
        with pytest.raises(DataTypeError, match="needs probabilities, but LinearSVC has no predict_proba"):
            draw(machine, known, SPECIES[known.index])
    assert plt.get_fignums() == []


@allow_one_leaf
@pytest.mark.parametrize("name", JUDGED)
def test_fifty_classes_and_one(name: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(600, 2)), columns=["a", "b"])
    names = np.array(["_first", "$ $", *(f"class {i} " + "of a long name " * 8 for i in range(48))])
    target = names[(frame["a"] * 50).astype(int)]
    ax = getattr(plot, name)(TreeClassifier(prune=None, min_samples_leaf=3).fit(frame, target), frame, target)
    ax.figure.canvas.draw()
    if name == "confusion_matrix":
        assert note(ax).endswith("of 50 classes one in 2 is named, from the first on")
        assert [label.get_text() for label in ax.get_xticklabels()][2].startswith("class 10 ")
    else:
        assert any("42 other classes" in text for text in legend(ax))
        assert max(map(len, legend(ax))) < 60
    alone = TreeClassifier().fit(frame, ["only"] * 600)
    getattr(plot, name)(alone, frame, ["only"] * 600).figure.canvas.draw()


def test_calibration_refuses_bins_and_strategies() -> None:
    with pytest.raises(ParameterError, match="bins=0 is not allowed; give a whole number from 1 to 10,000"):
        plot.calibration(ROUGH, *TEST, bins=0)
    with pytest.raises(ParameterError, match="bins=1000000000000 is not allowed"):
        plot.calibration(ROUGH, *TEST, bins=10**12)
    with pytest.raises(ParameterError, match=r"strategy='quantiles' is not known.*Did you mean 'quantile'"):
        plot.calibration(ROUGH, *TEST, strategy="quantiles")


# The three measures


@pytest.mark.parametrize("scaled", [True, False])
def test_the_three_measures_of_the_notes(scaled: bool) -> None:
    ax: Any = plot.impurities(scaled=scaled)
    entropy, gini, mistakes = ax.get_lines()
    for p, h, g, m in zip(
        entropy.get_xdata(), entropy.get_ydata(), gini.get_ydata(), mistakes.get_ydata(), strict=True
    ):
        bits = -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)
        assert h == pytest.approx(bits / 2 if scaled else bits, abs=1e-12)
        assert g == pytest.approx(2 * p * (1 - p), abs=1e-12)
        assert m == pytest.approx(0.5 - abs(p - 0.5), abs=1e-12)
    assert legend(ax) == ["entropy / 2" if scaled else "entropy (bits)", "Gini index", "misclassification"]
    with pytest.raises(ParameterError, match="scaled='yes' is not allowed; give True or False"):
        plot.impurities(scaled="yes")


# Options of a wrong kind


@pytest.mark.parametrize("name", ["roc", "precision_recall", "calibration"])
def test_a_positive_class_that_is_an_array(name: str) -> None:
    for wrong in (np.array(["Adelie", "Gentoo"]), ["Adelie"], pd.Series(["Adelie"])):
        with pytest.raises(
            ParameterError, match=r"(?s)positive=.* is not a class of the model; choose 'Adelie'"
        ):
            getattr(plot, name)(ROUGH, *TEST, positive=wrong)


@pytest.mark.parametrize("name", ["learning_curve", "complexity_curve"])
def test_tables_that_hold_text(name: str) -> None:
    names = ["size", "leaves", "training_loss", "development_loss", "training_se", "development_se"]
    table = pd.DataFrame({key: [1.0, 2.0] for key in [*names, "chosen", "best"]}).assign(
        development_loss=["low", "high"]
    )
    with pytest.raises(DataError, match="frame: the column 'development_loss' holds what is not a number"):
        getattr(plot, name)(table)


def test_surrogates_count_or_not() -> None:
    with pytest.raises(ParameterError, match="surrogates='x' is not allowed; give True or False"):
        plot.importance(ROUGH, surrogates="x")


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_one_other_class_is_one(name: str) -> None:
    """Eight classes have a colour; the ninth is alone, and has no mean."""
    x = np.arange(90.0)[:, None]
    model = TreeClassifier(prune=None).fit(x, np.arange(90) // 10)
    (last,) = (text for text in legend(getattr(plot, name)(model, x, np.arange(90) // 10)) if "other" in text)
    assert last == f"1 other class ({'AUC' if name == 'roc' else 'AP'} 1.000)"
