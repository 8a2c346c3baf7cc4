"""The confusion matrix: true classes by predicted ones, as numbers in shaded cells.

Words: *normalize* divides by what is truly of a class ("true"), by what is predicted so ("pred"), or by
everything ("all"). All numbers are scikit-learn's.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.metrics import confusion_matrix as matrix_of

from arboretum.errors import ParameterError, choices
from arboretum.plot.axes import add_colour_bar, add_note, label_places, name_ticks, open_axes, scale
from arboretum.plot.models import Judged, judge
from arboretum.show.palette import Palette
from arboretum.show.words import weight_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["confusion_matrix"]

Numbers = npt.NDArray[np.float64]

_NORMALIZE: Final = (None, "true", "pred", "all")
_MOST_NUMBERS: Final = 15  # classes whose cells have room for a number


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
    """Draw how often each class is taken for which; needs matplotlib.

    Parameters
    ----------
    model : a fitted classifier, or a Tree of classes
    X, y : rows and their classes, which the model has best not learnt from
    sample_weight : one weight per row
    normalize : None for weights or counts, "true" for shares of each true class, "pred" for shares of each
        predicted one, "all" for shares of everything
    ax : axes of matplotlib. None: new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = confusion_matrix(TreeClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['50', '0', '0', '0', '49', '1', '0', '5', '45']
    """
    if normalize is not None and (not isinstance(normalize, str) or normalize not in _NORMALIZE):
        raise ParameterError(choices("normalize", normalize, _NORMALIZE))
    judged = judge(model, X, y, sample_weight, "confusion_matrix()", with_probability=False)
    n_classes = len(judged.classes)
    cells = _count(judged, normalize)
    side = min(9.0, 2.6 + 0.55 * n_classes)
    ax, palette = open_axes(ax, theme, "confusion_matrix()", size=(side + 1.2, side))
    highest = 1.0 if normalize in ("true", "pred") else max(float(cells.max()), 1e-300)
    image = ax.imshow(cells, cmap=scale(palette, from_page=True), vmin=0.0, vmax=highest, aspect="equal")
    if n_classes <= _MOST_NUMBERS:
        _write_numbers(cells, highest, ax, palette, shares=normalize is not None)
    else:
        add_colour_bar(ax, palette, image, shrink=0.8)
    step = _write_names(judged.names, ax, palette)
    right = float(np.average(judged.truth == judged.label, weights=judged.weights))
    notes = [f"{100 * right:.1f}% right"]
    if step > 1:
        notes.append(f"of {n_classes} classes one in {step} is named, from the first on")
    add_note(ax, palette, notes)
    return ax


def _count(judged: Judged, normalize: str | None) -> Numbers:
    labels = np.arange(len(judged.classes))
    how: dict[str, Any] = {"labels": labels, "sample_weight": judged.weights, "normalize": normalize}
    with warnings.catch_warnings():
        # All classes are listed, also if a single one is there: that is right, and no reason to warn.
        warnings.filterwarnings("ignore", "A single label was found", UserWarning)
        return np.asarray(matrix_of(judged.truth, judged.label, **how), dtype=np.float64)


def _write_numbers(cells: Numbers, highest: float, ax: Axes, palette: Palette, *, shares: bool) -> None:
    for i, row in enumerate(cells.tolist()):
        for j, cell in enumerate(row):
            dark = cell > 0.55 * highest
            ax.text(
                j,
                i,
                f"{cell:.2f}" if shares else weight_text(cell),
                ha="center",
                va="center",
                fontsize=10 if len(cells) <= 8 else 7,
                color=palette.card if dark else palette.ink if cell else palette.faint,
                fontweight="bold" if i == j else "normal",
            )


def _write_names(names: list[str], ax: Axes, palette: Palette) -> int:
    """Write the names of as many classes as have room; return at what distance."""
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
