"""What a classifier predicts for rows of known class, and how a chart draws its classes one by one.

Any fitted classifier of scikit-learn's form can be evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum._data.tables import open_table
from arboretum._data.targets import match_classes, read_weights
from arboretum._show.picture.palette import Palette, class_colours
from arboretum._show.words import class_names
from arboretum._tree.fitted import tree_of
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.tree import Tree
from arboretum._types import Codes, Mask, Numbers
from arboretum._warning import first_of_each
from arboretum._wording import shown
from arboretum.errors import DataTypeError, ParameterError, listing
from arboretum.plot._axes import Look, add_grid, looks, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What a model predicts for rows of known class; `truth` and `label` are numbers of classes."""

    model: Any
    classes: tuple[Any, ...]
    truth: Codes
    weights: Numbers | None
    label: Codes
    probability: Numbers  # (rows, classes); empty if not needed

    @property
    def names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)

    @property
    def weight(self) -> Numbers:
        """The weight of each row."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    def against_others(self, number: int) -> tuple[Mask, Numbers]:
        """Return which rows are of a class, and its probability in each row."""
        return self.truth == number, self.probability[:, number]

    def shown(self, positive: Any) -> list[int]:
        """Return the classes that get a curve: the chosen one; of two, the second; else all."""
        if positive is None:
            return [1] if len(self.classes) == 2 else list(range(len(self.classes)))
        # An array compares cell by cell, so `in` has no answer for it.
        if not isinstance(positive, Hashable) or positive not in self.classes:
            raise ParameterError(
                f"positive={shown(positive)} is not a class of the model; choose {listing(self.classes, 10)}."
            )
        return [self.classes.index(positive)]

    def looks(self, palette: Palette) -> list[Look]:
        """Return how each class is drawn, the same in every chart of a model."""
        tree = self.model if isinstance(self.model, Tree) else getattr(self.model, "tree_", None)
        if isinstance(tree, Tree) and len(tree.target.classes or ()) == len(self.classes):
            return looks(class_colours(tree, palette), palette)
        coloured = list(palette.classes[: len(self.classes)])
        return looks(coloured + [palette.other] * (len(self.classes) - len(coloured)), palette)


def evaluate(
    model: Any, X: Any, y: Any, sample_weight: Any, asker: str, *, with_probability: bool = True
) -> Evaluated:
    """Return what a classifier or a tree of classes predicts for rows of known class."""
    if isinstance(model, BaseEstimator) and not hasattr(model, "steps"):
        check_is_fitted(model)
    if isinstance(model, MultiTree) or getattr(model, "output_names_", None) is not None:
        tree_of(model, asker)  # refuses it
    found = model.target.classes if isinstance(model, Tree) else getattr(model, "classes_", None)
    if found is None:
        what = "this tree, which predicts numbers," if isinstance(model, Tree) else type(model).__name__
        raise DataTypeError(
            f"{asker} needs a fitted classifier or a tree of classes, but {what} has no classes."
        )
    if with_probability and not hasattr(model, "predict_proba"):
        raise DataTypeError(
            f"{asker} needs probabilities, but {type(model).__name__} has no predict_proba.\n"
            "Hint: wrap it in sklearn.calibration.CalibratedClassifierCV."
        )
    n_rows = open_table(X).n_rows
    classes = tuple(np.asarray(found, dtype=object).tolist())
    known = np.empty(len(classes), dtype=object)
    known[:] = classes
    truth = match_classes(y, n_rows, known, "model")
    weights = read_weights(sample_weight, n_rows)
    with first_of_each():
        label = match_classes(np.asarray(model.predict(X)), n_rows, known, "model")
        probability = np.asarray(model.predict_proba(X) if with_probability else [], dtype=np.float64)
    return Evaluated(model, classes, truth, weights, label, probability)


def draw_each(
    evaluated: Evaluated,
    numbers: Sequence[int],
    palette: Palette,
    measure: str,
    draw: Callable[[int, Look], tuple[Any, float]],
    *,
    mean_of_others: bool = True,
) -> tuple[list[Any], list[str]]:
    """Draw classes one by one; return the legend, where classes that share a look share a line.

    `draw` draws one class and returns its handle and its score.
    """
    looks = evaluated.looks(palette)
    handles: list[Any] = []
    names: list[str] = []
    others: list[tuple[Any, float]] = []
    for number in sorted(numbers, key=lambda number: not looks[number].named):
        handle, score = draw(number, looks[number])
        if looks[number].named or len(numbers) == 1:
            handles.append(handle)
            names.append(f"{plain(evaluated.names[number])} ({measure} {score:.3f})")
        else:
            others.append((handle, score))
    if others:
        handles.append(others[0][0])
        mean = float(np.mean([score for _, score in others]))
        scored = f" ({'mean ' if len(others) > 1 else ''}{measure} {mean:.3f})" if mean_of_others else ""
        names.append(f"{len(others)} other class{'es' if len(others) > 1 else ''}{scored}")
    return handles, names


def dress_unit_square(ax: Axes, palette: Palette, margin: float, x: str, y: str) -> None:
    """Let both axes run from 0 to 1, with names and a grid."""
    ax.set(xlim=(-margin, 1.0 + margin), ylim=(-margin, 1.0 + margin), xlabel=x, ylabel=y)
    add_grid(ax, palette, alpha=0.3)


def draw_diagonal(ax: Axes, palette: Palette) -> Any:
    """Draw a dotted line from (0, 0) to (1, 1)."""
    dotted: Any = (0, (2, 3))
    return ax.plot([0, 1], [0, 1], color=palette.faint, linestyle=dotted, linewidth=1.0, zorder=1)[0]
