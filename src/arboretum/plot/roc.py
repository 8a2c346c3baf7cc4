"""ROC and precision-recall curves of classifiers, one per class against all others, or of the positive class.

Words: the *positive* class is the one that is looked for; *AUC* is the area under a ROC curve, *AP* the
average precision. All numbers are scikit-learn's, which joins rows of equal probability into one point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from arboretum.plot.axes import Look, add_legend, add_note, open_axes, plain
from arboretum.plot.models import Judged, judge, looks_of, shown_classes
from arboretum.show.palette import Palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["precision_recall", "roc"]

Numbers = npt.NDArray[np.float64]

_MARGIN: Final = 0.02


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of one class, and the area under it."""

    number: int
    x: Numbers
    y: Numbers
    area: float


def roc(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    positive: Any = None,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw true against false positives for every threshold of the probability; needs matplotlib.

    Parameters
    ----------
    model : a fitted classifier, or a Tree of classes
    X, y : rows and their classes, which the model has best not learnt from
    sample_weight : one weight per row
    positive : the class that is looked for. None: of two classes the second, of more each against the others.
    ax : axes of matplotlib. None: new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = roc(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['virginica (AUC 0.960)', 'chance']
    """
    judged = judge(model, X, y, sample_weight, "roc()")
    curves, without = _curves(judged, shown_classes(judged, positive), _roc_curve)
    ax, palette = open_axes(ax, theme, "roc()", size=(7.0, 4.6))
    line = ax.plot([0, 1], [0, 1], color=palette.faint, linestyle=(0, (2, 3)), linewidth=1.0, zorder=1)[0]
    handles, names = _draw(model, judged, curves, "AUC", ax, palette)
    add_legend(ax, palette, [*handles, line], [*names, "chance"])
    _finish(ax, palette, without, ("false positive rate", "true positive rate"))
    return ax


def precision_recall(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    positive: Any = None,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw precision against recall for every threshold of the probability; needs matplotlib.

    The options are those of `roc`. The horizontal line is the share of the positive class: what a guess has.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = precision_recall(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    judged = judge(model, X, y, sample_weight, "precision_recall()")
    curves, without = _curves(judged, shown_classes(judged, positive), _precision_recall_curve)
    ax, palette = open_axes(ax, theme, "precision_recall()", size=(7.0, 4.6))
    handles, names = _draw(model, judged, curves, "AP", ax, palette, drawstyle="steps-pre")
    if len(curves) == 1:
        share = float(np.average(judged.truth == curves[0].number, weights=judged.weights))
        chance: dict[str, Any] = {"color": palette.faint, "linestyle": (0, (2, 3)), "linewidth": 1.0}
        handles, names = [*handles, ax.axhline(share, **chance)], [*names, f"chance ({share:.3g})"]
    add_legend(ax, palette, handles, names)
    _finish(ax, palette, without, ("recall", "precision"))
    return ax


# Numbers


def _curves(
    judged: Judged, numbers: Sequence[int], curve_of: Callable[[Judged, int], Curve]
) -> tuple[list[Curve], list[str]]:
    """Return the curves of the classes that some rows have and some have not, and the names of the others."""
    counting = judged.weight > 0
    curves, without = [], []
    for number in numbers:
        positive = judged.truth[counting] == number
        if positive.any() and not positive.all():
            curves.append(curve_of(judged, number))
        else:
            without.append(judged.names[number])
    return curves, without


def _scores(judged: Judged, number: int) -> tuple[npt.NDArray[np.bool_], Numbers]:
    assert judged.probability is not None
    return judged.truth == number, judged.probability[:, number]


def _roc_curve(judged: Judged, number: int) -> Curve:
    truth, score = _scores(judged, number)
    false, true, _ = roc_curve(truth, score, sample_weight=judged.weights)
    return Curve(number, false, true, float(roc_auc_score(truth, score, sample_weight=judged.weights)))


def _precision_recall_curve(judged: Judged, number: int) -> Curve:
    truth, score = _scores(judged, number)
    precision, recall, _ = precision_recall_curve(truth, score, sample_weight=judged.weights)
    area = float(average_precision_score(truth, score, sample_weight=judged.weights))
    # From the strictest threshold on: recall rises to 1.
    return Curve(number, recall[::-1], precision[::-1], area)


# Drawing


def _draw(
    model: Any, judged: Judged, curves: Sequence[Curve], measure: str, ax: Axes, palette: Palette, **how: Any
) -> tuple[list[Any], list[str]]:
    """Draw the curves; return what the legend shows: classes that share a look have one line there."""
    looks = looks_of(model, len(judged.classes), palette)
    handles, names = [], []
    others: list[tuple[Any, float]] = []
    for curve in sorted(curves, key=lambda curve: not looks[curve.number].named):
        look = looks[curve.number]
        (line,) = ax.plot(curve.x, curve.y, **_line(look), **how)
        if look.named or len(curves) == 1:
            handles.append(line)
            names.append(f"{plain(judged.names[curve.number])} ({measure} {curve.area:.3f})")
        else:
            others.append((line, curve.area))
    if others:
        handles.append(others[0][0])
        mean = float(np.mean([area for _, area in others]))
        several = (
            f"{len(others)} other classes (mean {measure}" if len(others) > 1 else f"1 other class ({measure}"
        )
        names.append(f"{several} {mean:.3f})")
    return handles, names


def _line(look: Look) -> dict[str, Any]:
    return {
        "color": look.colour,
        "linestyle": look.line,
        "linewidth": 1.9 if look.named else 0.8,
        "zorder": 3 if look.named else 2,
    }


def _finish(ax: Axes, palette: Palette, without: Sequence[str], titles: tuple[str, str]) -> None:
    ax.set_xlim(-_MARGIN, 1.0 + _MARGIN)
    ax.set_ylim(-_MARGIN, 1.0 + _MARGIN)
    ax.set_xlabel(titles[0])
    ax.set_ylabel(titles[1])
    ax.grid(color=palette.line, alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    if without:
        shown = ", ".join(without[:3]) + (f" and {len(without) - 3} more" if len(without) > 3 else "")
        add_note(ax, palette, [f"no curve: all rows or none are of class {shown}"])
