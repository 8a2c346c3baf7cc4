"""Calibration: how often what is said to have a probability really happens.

Words: rows are gathered in *bins* of like probability; a bin lies at its mean probability and at the share of
its rows that are of the class. Weights count rows; without them the numbers are those of scikit-learn's
`calibration_curve`. The Brier score is the mean squared distance of probability and truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.metrics import brier_score_loss

from arboretum.errors import ParameterError, choices
from arboretum.plot.axes import Look, add_legend, open_axes, plain
from arboretum.plot.models import Judged, judge, looks_of, shown_classes
from arboretum.scalars import is_integer
from arboretum.show.palette import Palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["calibration"]

Numbers = npt.NDArray[np.float64]

_STRATEGIES: Final = ("uniform", "quantile")
_MOST_BINS: Final = 10_000
_SMALLEST, _LARGEST = 20.0, 260.0  # areas of the marks of the lightest and the heaviest bin


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins that hold rows: mean probability, share of the class, weight."""

    said: Numbers
    happened: Numbers
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
    """Draw the share of a class among rows over the probability that the model gave them; needs matplotlib.

    On the diagonal, probabilities are what they say; below it the model is too sure. The larger a mark, the
    more rows it stands for.

    Parameters
    ----------
    model : a fitted classifier, or a Tree of classes
    X, y : rows and their classes, which the model has best not learnt from
    sample_weight : one weight per row
    positive : the class that is looked at. None: of two classes the second, of more each against the others.
    bins : how many bins there are at most
    strategy : "uniform": bins of equal width; "quantile": bins of equally many rows
    ax : axes of matplotlib. None: new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = calibration(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['virginica (Brier 0.050)', 'perfect']
    """
    if not is_integer(bins) or not 1 <= bins <= _MOST_BINS:
        raise ParameterError(f"bins={bins!r} is not allowed; give a whole number from 1 to {_MOST_BINS:,}.")
    if not isinstance(strategy, str) or strategy not in _STRATEGIES:
        raise ParameterError(choices("strategy", strategy, _STRATEGIES))
    judged = judge(model, X, y, sample_weight, "calibration()")
    ax, palette = open_axes(ax, theme, "calibration()", size=(7.0, 4.6))
    line = ax.plot([0, 1], [0, 1], color=palette.faint, linestyle=(0, (2, 3)), linewidth=1.0, zorder=1)[0]
    handles, names = _draw(model, judged, shown_classes(judged, positive), bins, strategy, ax, palette)
    add_legend(ax, palette, [*handles, line], [*names, "perfect"])
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("probability that the model gives")
    ax.set_ylabel("share of rows that are of the class")
    ax.grid(color=palette.line, alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw(
    model: Any, judged: Judged, numbers: list[int], n_bins: int, strategy: str, ax: Axes, palette: Palette
) -> tuple[list[Any], list[str]]:
    assert judged.probability is not None
    looks = looks_of(model, len(judged.classes), palette)
    handles: list[Any] = []
    names: list[str] = []
    n_others = 0
    for number in sorted(numbers, key=lambda number: not looks[number].named):
        truth, said = judged.truth == number, judged.probability[:, number]
        handle = _draw_class(
            in_bins(truth, said, judged.weight, n_bins, strategy), looks[number], ax, palette
        )
        if looks[number].named or len(numbers) == 1:
            score = brier_score_loss(truth, said, sample_weight=judged.weights, pos_label=True)
            names.append(f"{plain(judged.names[number])} (Brier {score:.3f})")
            handles.append(handle)
        elif (n_others := n_others + 1) == 1:
            handles.append(handle)
    if n_others:
        names.append(f"{n_others} other class{'es' if n_others > 1 else ''}")
    return handles, names


def _draw_class(bins: Bins, look: Look, ax: Axes, palette: Palette) -> Any:
    from matplotlib.lines import Line2D

    (line,) = ax.plot(
        bins.said,
        bins.happened,
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markersize=0.0,
        linewidth=1.5 if look.named else 0.6,
        zorder=2,
    )
    size = _SMALLEST + (_LARGEST - _SMALLEST) * bins.weight / max(bins.weight.max(), 1e-300)
    ax.scatter(
        bins.said,
        bins.happened,
        s=size if look.named else size / 6,
        marker=look.marker,
        color=look.colour,
        edgecolors=palette.card,
        linewidths=0.7,
        alpha=0.9,
        zorder=3,
    )
    how: dict[str, Any] = {"color": look.colour, "linestyle": look.line, "marker": look.marker}
    return Line2D([], [], markeredgecolor=palette.card, linewidth=line.get_linewidth(), **how)


def in_bins(truth: npt.NDArray[np.bool_], said: Numbers, weight: Numbers, n_bins: int, strategy: str) -> Bins:
    """Return the bins that hold rows, from the lowest probability on."""
    quantiles = np.linspace(0.0, 1.0, n_bins + 1)
    counting = weight > 0
    truth, said, weight = truth[counting], said[counting], weight[counting]
    # Edges of equally many rows, whatever they weigh, as scikit-learn has them.
    edges = quantiles if strategy == "uniform" else np.percentile(said, quantiles * 100)
    place = np.searchsorted(edges[1:-1], said)
    total: Numbers = np.bincount(place, weight, n_bins).astype(np.float64)
    held = total > 0
    sums = [np.bincount(place, weight * values, n_bins)[held] for values in (said, truth)]
    return Bins(sums[0] / total[held], sums[1] / total[held], total[held])
