"""Importance: which columns the tree needs, with how much chance there is in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from arboretum._options.measures.of_order import NDCG
from arboretum._report.blocks import figures, heading, paragraph, table
from arboretum._report.charts.axes import linear, named
from arboretum._report.charts.chart import Chart
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.evidence.scores import PLACES
from arboretum._report.subject import NotShownError, Subject
from arboretum._report.words import between, figure, share
from arboretum._report.words import named as shown_name
from arboretum._tree.importance import column_importance
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._wording import many
from arboretum.errors import ArboretumError
from arboretum.inspection.permutation_importance import PermutationImportance, permutation_importance

_MOST = 15
_REPEATS = 10
_INNER = (0.05, 0.95)


def write(evidence: Evidence) -> str:
    """Return the section."""
    if evidence.summary.shape.n_leaves == 1:
        raise NotShownError("The tree asks nothing, so no column matters to it.")
    return _gains(evidence) + heading("What is lost without a column") + _shuffled(evidence)


# --- gains


def gain_shares(tree: Tree) -> Numbers:
    """Return the share of each column in what all questions gain."""
    gains = column_importance(tree)
    total = float(gains.sum())
    return gains / total if total > 0 else gains


def _gains(evidence: Evidence) -> str:
    own = gain_shares(evidence.subject.tree)
    order = [k for k in np.argsort(-own, kind="stable").tolist() if own[k] > 0][:_MOST]
    spread = _spread(evidence)
    columns = evidence.subject.tree.columns
    names = [shown_name(columns[k].name) for k in order]
    high = own.max() if spread is None else max(float(own.max()), float(spread[1][order].max()))
    chart = _bars(
        names, [float(own[k]) for k in order], linear(0.0, float(high), percent=True), "share of all gains"
    )
    lines = []
    for place, k in enumerate(order):
        ends = None if spread is None else (float(spread[0][k]), float(spread[1][k]))
        if ends is not None:
            chart.level(place + 0.5, *ends, "whisker ink")
        lines.append([names[place], share(float(own[k])), between(ends, shares=True)])
    words = (
        "The gain of a question is by how much it lowers the impurity of the rows. A "
        "column's share is what its "
        "questions gain of all."
    )
    if spread is not None:
        words += (
            " The interval shows where nine in ten of the "
            f"{many(evidence.n_resamples, 'tree')} lie that were "
            "grown from rows drawn anew: it says how much of this is chance."
        )
    header = ["column", "share of all gains", "9 in 10 resamples"]
    caption = "Share of all gains" + ("" if spread is None else "; lines are intervals over resamples") + "."
    return (
        paragraph(words, "lead")
        + figures([(chart.svg("Importance of columns"), caption)])
        + table(header, lines, caption="Importance by gain")
    )


def _spread(evidence: Evidence) -> Numbers | None:
    try:
        trees = evidence.stability.trees
    except NotShownError:
        return None
    shares = np.array([gain_shares(tree) for tree in trees])
    return np.asarray(np.quantile(shares, _INNER, axis=0))


def _bars(names: Sequence[str], values: Sequence[float], axis: Any, x_name: str) -> Chart:
    height = 52.0 + 22.0 * len(names)
    chart = Chart(axis, named(tuple(names)), x_name=x_name, rows_of_names=True, height=height, width=420.0)
    for place, value in enumerate(values):
        chart.box((0.0, value), (place + 0.22, place + 0.78), "c0")
    return chart


# --- shuffles


def _shuffled(evidence: Evidence) -> str:
    subject = evidence.sample
    if subject.truth is None:
        return paragraph(
            "Not shown: without the target of the rows, nobody can tell what a prediction loses."
        )
    try:
        found = _permuted(subject, evidence.options.n_jobs)
    except ArboretumError as error:
        return paragraph(f"Not shown: {error}")
    mean, low, high = found.mean, found.low, found.high
    order = [k for k in np.argsort(-mean, kind="stable").tolist() if mean[k] != 0][:_MOST]
    if not order:
        return paragraph(
            "Shuffling a column changes nothing: the predictions are no better for looking at any."
        )
    names = [shown_name(found.columns[k]) for k in order]
    axis = linear(min(0.0, float(low[order].min())), float(max(high[order].max(), 1e-12)))
    chart = _bars(names, [float(mean[k]) for k in order], axis, f"rise of the loss ({found.loss})")
    lines = []
    for place, k in enumerate(order):
        chart.level(place + 0.5, float(low[k]), float(high[k]), "whisker ink")
        lines.append(
            [names[place], figure(float(mean[k])), between((float(low[k]), float(high[k])), shares=False)]
        )
    seen = (
        ""
        if evidence.training.is_same is False
        else " The tree has seen these rows, so new rows may tell less."
    )
    words = (
        f"By how much the loss ({found.loss}), {figure(found.baseline)} as it is, rises "
        "if the values of a column "
        f"are shuffled ({evidence.sample_text}, {_REPEATS} times). The 95% interval is "
        "about the shuffling, not "
        f"about other rows.{seen}"
    )
    header = ["column", "rise of the loss", "95% interval"]
    return (
        paragraph(words)
        + figures(
            [
                (
                    chart.svg("Rise of the loss if a column is shuffled"),
                    "Rise of the loss if a column is shuffled.",
                )
            ]
        )
        + table(header, lines, caption="Importance by shuffling")
    )


def _permuted(subject: Subject, n_jobs: int | None) -> PermutationImportance:
    options: dict[str, Any] = {"sample_weight": subject.weights, "repeats": _REPEATS, "n_jobs": n_jobs}
    if subject.task != "order":
        return permutation_importance(subject.model, subject.X, subject.labels, **options)
    return permutation_importance(
        _Scores(subject), subject.X, subject.labels, loss=_order_loss(subject), **options
    )


class _Scores(RegressorMixin, BaseEstimator):
    """The scores of a ranker as the numbers of a regressor, which can be shuffled for."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def fit(self, X: Any, y: Any) -> _Scores:
        """Return itself: the ranker is fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def feature_names_in_(self) -> Array:
        """The names of the columns."""
        return np.array(self.subject.data.names, dtype=object)

    def predict(self, X: Any) -> Array:
        """Return the scores."""
        found: Array = self.subject.model.predict(X)
        return found


def _order_loss(subject: Subject) -> Any:
    assert subject.queries is not None
    queries = subject.queries

    def one_less_ndcg(truth: Array, score: Array) -> float:
        values = NDCG(np.asarray(truth, dtype=np.float64), queries, PLACES, "above_lowest").values(score)
        return 1.0 - float(np.nanmean(values)) if not np.isnan(values).all() else 0.0

    return one_less_ndcg
