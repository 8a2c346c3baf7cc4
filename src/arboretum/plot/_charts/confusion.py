"""The confusion matrix: true by predicted classes, as numbers in shaded cells, counted by scikit-learn."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.metrics import confusion_matrix as matrix_of

from arboretum._options.rules import OneOf
from arboretum._show.picture.palette import Palette
from arboretum._show.words import weight_text
from arboretum._types import Numbers
from arboretum.plot._axes import add_colour_bar, add_note, label_places, name_ticks, open_axes, scale
from arboretum.plot._charts.evaluation import Evaluated, evaluate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS: Final = 15  # classes; with more, cells have no room for a number


def confusion_matrix(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    normalize: Any = None,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw how often each class is predicted as which; needs matplotlib.

    Parameters
    ----------
    normalize : None for weights or counts, "true" for shares of each true class, "pred" for shares of each
        predicted class, "all" for shares of everything
    model, X, y, sample_weight, ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = confusion_matrix(TreeClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['50', '0', '0', '0', '47', '3', '0', '0', '50']
    """
    OneOf((None, "true", "pred", "all")).read(normalize, "normalize")
    evaluated = evaluate(model, X, y, sample_weight, "confusion_matrix()", with_probability=False)
    n_classes = len(evaluated.classes)
    cells = _count(evaluated, normalize)
    side = min(9.0, 2.6 + 0.55 * n_classes)
    ax, palette = open_axes(ax, theme, "confusion_matrix()", size=(side + 1.2, side))
    highest = 1.0 if normalize in ("true", "pred") else max(float(cells.max()), 1e-300)
    image = ax.imshow(cells, cmap=scale(palette, from_page=True), vmin=0.0, vmax=highest, aspect="equal")
    if n_classes <= _MOST_NUMBERS:
        _write_numbers(cells, highest, ax, palette, shares=normalize is not None)
    else:
        add_colour_bar(ax, palette, image, shrink=0.8)
    step = _write_names(evaluated.names, ax, palette)
    right = float(np.average(evaluated.truth == evaluated.label, weights=evaluated.weights))
    notes = [f"{100 * right:.1f}% right"]
    if step > 1:
        notes.append(f"of {n_classes} classes one in {step} is named, from the first on")
    add_note(ax, palette, notes)
    return ax


def _count(evaluated: Evaluated, normalize: str | None) -> Numbers:
    labels = np.arange(len(evaluated.classes))
    options: dict[str, Any] = {"labels": labels, "sample_weight": evaluated.weights, "normalize": normalize}
    with warnings.catch_warnings():
        # All classes are listed, also if only one occurs: no reason to warn.
        warnings.filterwarnings("ignore", "A single label was found", UserWarning)
        return np.asarray(matrix_of(evaluated.truth, evaluated.label, **options), dtype=np.float64)


def _write_numbers(cells: Numbers, highest: float, ax: Axes, palette: Palette, *, shares: bool) -> None:
    for i, row in enumerate(cells.tolist()):
        for j, cell in enumerate(row):
            dark = cell > 0.55 * highest
            style: dict[str, Any] = {
                "fontsize": 10 if len(cells) <= 8 else 7,
                "color": palette.card if dark else palette.ink if cell else palette.faint,
                "fontweight": "bold" if i == j else "normal",
            }
            ax.text(j, i, f"{cell:.2f}" if shares else weight_text(cell), ha="center", va="center", **style)


def _write_names(names: list[str], ax: Axes, palette: Palette) -> int:
    """Write the names of as many classes as have room; return the step between them."""
    places = label_places(len(names), most=25)
    texts = name_ticks([names[place] for place in places], 14.0)
    size = 10 if len(names) <= 8 else 7
    ax.set_yticks(places, texts, fontsize=size)
    ax.set_xticks(places, texts, fontsize=size)
    if len(names) > 4 or max(map(len, texts)) > 9:
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    ax.tick_params(length=0)
    edges = np.arange(len(names) + 1) - 0.5
    if len(names) <= _MOST_NUMBERS:
        ax.hlines(edges, -0.5, len(names) - 0.5, colors=palette.line, linewidths=0.6)
        ax.vlines(edges, -0.5, len(names) - 0.5, colors=palette.line, linewidths=0.6)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return places[1] - places[0] if len(places) > 1 else 1
