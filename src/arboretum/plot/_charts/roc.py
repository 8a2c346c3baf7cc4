"""ROC and precision-recall curves, of the positive class or of each class against all others.

All numbers are scikit-learn's, which joins rows of equal probability into one point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from arboretum._show.picture.palette import Palette
from arboretum.plot._axes import Look, add_legend, add_note, open_axes
from arboretum.plot._charts.evaluation import (
    Evaluated,
    draw_diagonal,
    draw_each,
    dress_unit_square,
    evaluate,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE: Final = (7.0, 4.6)  # inches
_MARGIN: Final = 0.02


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
    ['virginica (AUC 0.968)', 'chance']
    """
    evaluated = evaluate(model, X, y, sample_weight, "roc()")
    numbers, without = _with_curve(evaluated, positive)
    ax, palette = open_axes(ax, theme, "roc()", size=_SIZE)
    chance = draw_diagonal(ax, palette)

    def draw(number: int, look: Look) -> tuple[Any, float]:
        truth, score = evaluated.against_others(number)
        false, true, _ = roc_curve(truth, score, sample_weight=evaluated.weights)
        (line,) = ax.plot(false, true, **_line(look))
        return line, float(roc_auc_score(truth, score, sample_weight=evaluated.weights))

    handles, names = draw_each(evaluated, numbers, palette, "AUC", draw)
    add_legend(ax, palette, [*handles, chance], [*names, "chance"])
    dress_unit_square(ax, palette, _MARGIN, "false positive rate", "true positive rate")
    _note_without(ax, palette, without)
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
    numbers, without = _with_curve(evaluated, positive)
    ax, palette = open_axes(ax, theme, "precision_recall()", size=_SIZE)

    def draw(number: int, look: Look) -> tuple[Any, float]:
        truth, score = evaluated.against_others(number)
        precision, recall, _ = precision_recall_curve(truth, score, sample_weight=evaluated.weights)
        # From the strictest threshold on, recall rises to 1.
        (line,) = ax.plot(recall[::-1], precision[::-1], drawstyle="steps-pre", **_line(look))
        return line, float(average_precision_score(truth, score, sample_weight=evaluated.weights))

    handles, names = draw_each(evaluated, numbers, palette, "AP", draw)
    if len(numbers) == 1:
        share = float(np.average(evaluated.truth == numbers[0], weights=evaluated.weights))
        chance: dict[str, Any] = {"color": palette.faint, "linestyle": (0, (2, 3)), "linewidth": 1.0}
        handles, names = [*handles, ax.axhline(share, **chance)], [*names, f"chance ({share:.3g})"]
    add_legend(ax, palette, handles, names)
    dress_unit_square(ax, palette, _MARGIN, "recall", "precision")
    _note_without(ax, palette, without)
    return ax


def _with_curve(evaluated: Evaluated, positive: Any) -> tuple[list[int], list[str]]:
    """Return the classes that some rows have and others lack, and the names of the rest."""
    present = evaluated.truth[evaluated.weight > 0]
    shown = evaluated.shown(positive)
    mixed = [number for number in shown if 0 < np.count_nonzero(present == number) < len(present)]
    return mixed, [evaluated.names[number] for number in shown if number not in mixed]


def _line(look: Look) -> dict[str, Any]:
    width, order = (1.9, 3) if look.named else (0.8, 2)
    return {"color": look.colour, "linestyle": look.line, "linewidth": width, "zorder": order}


def _note_without(ax: Axes, palette: Palette, without: list[str]) -> None:
    if without:
        shown = ", ".join(without[:3]) + (f" and {len(without) - 3} more" if len(without) > 3 else "")
        add_note(ax, palette, [f"no curve: all rows or none are of class {shown}"])
