"""ROC and precision-recall curves, of the positive class or of each class against all others.

All numbers are scikit-learn's, which joins rows of equal probability into one point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from arboretum._show.picture.palette import Palette
from arboretum._types import Mask, Numbers
from arboretum.plot._axes import Look, add_legend, add_note, open_axes, plain
from arboretum.plot._charts.evaluation import (
    Evaluated,
    draw_diagonal,
    dress_unit_square,
    evaluate,
    looks_of,
    shown_classes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    X, y : rows and their classes, preferably not the training rows
    sample_weight : one weight per row
    positive : the class to draw. None: the second of two classes, or each class against the others
    ax : axes of matplotlib. None for new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = roc(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['virginica (AUC 0.960)', 'chance']
    """
    evaluated = evaluate(model, X, y, sample_weight, "roc()")
    curves, without = _curves(evaluated, shown_classes(evaluated, positive), _roc_curve)
    ax, palette = open_axes(ax, theme, "roc()", size=(7.0, 4.6))
    line = draw_diagonal(ax, palette)
    handles, names = _draw(model, evaluated, curves, "AUC", ax, palette)
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

    The options are those of `roc`. The horizontal line is the share of the positive class: the precision of a
    guess.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = precision_recall(TreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2], positive="virginica")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    evaluated = evaluate(model, X, y, sample_weight, "precision_recall()")
    curves, without = _curves(evaluated, shown_classes(evaluated, positive), _precision_recall_curve)
    ax, palette = open_axes(ax, theme, "precision_recall()", size=(7.0, 4.6))
    handles, names = _draw(model, evaluated, curves, "AP", ax, palette, drawstyle="steps-pre")
    if len(curves) == 1:
        share = float(np.average(evaluated.truth == curves[0].number, weights=evaluated.weights))
        chance: dict[str, Any] = {"color": palette.faint, "linestyle": (0, (2, 3)), "linewidth": 1.0}
        handles, names = [*handles, ax.axhline(share, **chance)], [*names, f"chance ({share:.3g})"]
    add_legend(ax, palette, handles, names)
    _finish(ax, palette, without, ("recall", "precision"))
    return ax


# Numbers


def _curves(
    evaluated: Evaluated, numbers: Sequence[int], curve_of: Callable[[Evaluated, int], Curve]
) -> tuple[list[Curve], list[str]]:
    """Return the curves of classes that some rows have and others lack, and the names of the rest."""
    counting = evaluated.weight > 0
    curves, without = [], []
    for number in numbers:
        positive = evaluated.truth[counting] == number
        if positive.any() and not positive.all():
            curves.append(curve_of(evaluated, number))
        else:
            without.append(evaluated.names[number])
    return curves, without


def _scores(evaluated: Evaluated, number: int) -> tuple[Mask, Numbers]:
    assert evaluated.probability is not None
    return evaluated.truth == number, evaluated.probability[:, number]


def _roc_curve(evaluated: Evaluated, number: int) -> Curve:
    truth, score = _scores(evaluated, number)
    false, true, _ = roc_curve(truth, score, sample_weight=evaluated.weights)
    return Curve(number, false, true, float(roc_auc_score(truth, score, sample_weight=evaluated.weights)))


def _precision_recall_curve(evaluated: Evaluated, number: int) -> Curve:
    truth, score = _scores(evaluated, number)
    precision, recall, _ = precision_recall_curve(truth, score, sample_weight=evaluated.weights)
    area = float(average_precision_score(truth, score, sample_weight=evaluated.weights))
    # From the strictest threshold on, recall rises to 1.
    return Curve(number, recall[::-1], precision[::-1], area)


# Drawing


def _draw(
    model: Any,
    evaluated: Evaluated,
    curves: Sequence[Curve],
    measure: str,
    ax: Axes,
    palette: Palette,
    **options: Any,
) -> tuple[list[Any], list[str]]:
    """Draw the curves; return the legend, where classes that share a look share a line."""
    looks = looks_of(model, len(evaluated.classes), palette)
    handles, names = [], []
    others: list[tuple[Any, float]] = []
    for curve in sorted(curves, key=lambda curve: not looks[curve.number].named):
        look = looks[curve.number]
        (line,) = ax.plot(curve.x, curve.y, **_line(look), **options)
        if look.named or len(curves) == 1:
            handles.append(line)
            names.append(f"{plain(evaluated.names[curve.number])} ({measure} {curve.area:.3f})")
        else:
            others.append((line, curve.area))
    if others:
        handles.append(others[0][0])
        mean = float(np.mean([area for _, area in others]))
        several = f"{len(others)} other classes (mean " if len(others) > 1 else "1 other class ("
        names.append(f"{several}{measure} {mean:.3f})")
    return handles, names


def _line(look: Look) -> dict[str, Any]:
    return {
        "color": look.colour,
        "linestyle": look.line,
        "linewidth": 1.9 if look.named else 0.8,
        "zorder": 3 if look.named else 2,
    }


def _finish(ax: Axes, palette: Palette, without: Sequence[str], titles: tuple[str, str]) -> None:
    dress_unit_square(ax, palette, _MARGIN, *titles)
    if without:
        shown = ", ".join(without[:3]) + (f" and {len(without) - 3} more" if len(without) > 3 else "")
        add_note(ax, palette, [f"no curve: all rows or none are of class {shown}"])
