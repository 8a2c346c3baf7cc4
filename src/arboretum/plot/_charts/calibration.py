"""Calibration: how often an event with a given predicted probability really happens.

Rows are gathered in bins of similar probability. Weights count rows; without them the numbers are those of
scikit-learn's `calibration_curve`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.metrics import brier_score_loss

from arboretum._data.scalars import is_integer
from arboretum._options.rules import OneOf
from arboretum._show.picture.palette import Palette
from arboretum._types import Mask, Numbers
from arboretum._wording import shown
from arboretum.errors import ParameterError
from arboretum.plot._axes import Look, add_legend, open_axes
from arboretum.plot._charts.evaluation import draw_diagonal, draw_each, dress_unit_square, evaluate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BINS: Final = 10_000
_SMALLEST, _LARGEST = 20.0, 260.0  # areas of the marks of the lightest and the heaviest bin


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins that hold rows: mean probability, share of the class, weight."""

    predicted: Numbers
    observed: Numbers
    weight: Numbers


def calibration(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    positive: Any = None,
    bins: int = 10,
    strategy: Any = "uniform",
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw the share of a class over the probability that the model predicts; needs matplotlib.

    On the diagonal, probabilities are correct; below it, the model is too sure. Larger marks stand for more
    rows. The legend gives the Brier score, the mean squared distance between probability and truth.

    Parameters
    ----------
    bins : the largest number of bins
    strategy : "uniform" for bins of equal width, "quantile" for bins of equally many rows
    model, X, y, sample_weight, positive, ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = calibration(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['virginica (Brier 0.047)', 'perfect']
    """
    if not is_integer(bins) or not 1 <= bins <= _MOST_BINS:
        raise ParameterError(
            f"bins={shown(bins)} is not allowed; give a whole number from 1 to {_MOST_BINS:,}."
        )
    OneOf(("uniform", "quantile")).read(strategy, "strategy")
    evaluated = evaluate(model, X, y, sample_weight, "calibration()")
    ax, palette = open_axes(ax, theme, "calibration()", size=(7.0, 4.6))
    perfect = draw_diagonal(ax, palette)

    def draw(number: int, look: Look) -> tuple[Any, float]:
        truth, predicted = evaluated.against_others(number)
        handle = _draw_class(in_bins(truth, predicted, evaluated.weight, bins, strategy), look, ax, palette)
        return handle, brier_score_loss(truth, predicted, sample_weight=evaluated.weights, pos_label=True)

    chosen = evaluated.shown(positive)
    handles, names = draw_each(evaluated, chosen, palette, "Brier", draw, mean_of_others=False)
    add_legend(ax, palette, [*handles, perfect], [*names, "perfect"])
    x, y = "probability that the model gives", "share of rows that are of the class"
    dress_unit_square(ax, palette, 0.03, x, y)
    return ax


def _draw_class(bins: Bins, look: Look, ax: Axes, palette: Palette) -> Any:
    from matplotlib.lines import Line2D

    line: dict[str, Any] = {
        "color": look.colour,
        "linestyle": look.line,
        "marker": look.marker,
        "linewidth": 1.5 if look.named else 0.6,
    }
    ax.plot(bins.predicted, bins.observed, markersize=0.0, zorder=2, **line)
    size = _SMALLEST + (_LARGEST - _SMALLEST) * bins.weight / max(bins.weight.max(), 1e-300)
    ax.scatter(
        bins.predicted,
        bins.observed,
        s=size if look.named else size / 6,
        marker=look.marker,
        color=look.colour,
        edgecolors=palette.card,
        linewidths=0.7,
        alpha=0.9,
        zorder=3,
    )
    return Line2D([], [], markeredgecolor=palette.card, **line)


def in_bins(truth: Mask, predicted: Numbers, weight: Numbers, n_bins: int, strategy: str) -> Bins:
    """Return the bins that hold rows, from the lowest probability on."""
    quantiles = np.linspace(0.0, 1.0, n_bins + 1)
    counting = weight > 0
    truth, predicted, weight = truth[counting], predicted[counting], weight[counting]
    # Quantiles count rows, not weights, as in scikit-learn.
    edges = quantiles if strategy == "uniform" else np.percentile(predicted, quantiles * 100)
    place = np.searchsorted(edges[1:-1], predicted)
    total: Numbers = np.bincount(place, weight, n_bins).astype(np.float64)
    held = total > 0
    sums = [np.bincount(place, weight * values, n_bins)[held] for values in (predicted, truth)]
    return Bins(sums[0] / total[held], sums[1] / total[held], total[held])
