"""What a classifier predicts for rows of known class, and how its classes are drawn.

Any fitted classifier of scikit-learn's form can be evaluated.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum._data.tables import open_table
from arboretum._data.targets import match_classes, read_weights
from arboretum._show.picture.palette import Palette, class_colours
from arboretum._show.words import class_names
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Numbers
from arboretum.errors import DataTypeError, ParameterError, listing
from arboretum.plot._axes import Look, add_grid, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What a model predicts for rows of known class; `truth` and `label` are numbers of classes."""

    classes: tuple[Any, ...]
    truth: Codes
    weights: Numbers | None
    label: Codes
    probability: Numbers | None  # (rows, classes); None if not needed

    @property
    def names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)

    @property
    def weight(self) -> Numbers:
        """The weight of each row."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights


def evaluate(
    model: Any, X: Any, y: Any, sample_weight: Any, asker: str, *, with_probability: bool = True
) -> Evaluated:
    """Return what a classifier or a tree of classes predicts for rows of known class."""
    classes = _classes_of(model, asker)
    if with_probability and not hasattr(model, "predict_proba"):
        raise DataTypeError(
            f"{asker} needs probabilities, but {type(model).__name__} has no predict_proba.\n"
            "Hint: wrap it in sklearn.calibration.CalibratedClassifierCV."
        )
    n_rows = open_table(X).n_rows
    known = _array(classes)
    truth = match_classes(y, n_rows, known, "model")
    weights = read_weights(sample_weight, n_rows)
    label = match_classes(np.asarray(model.predict(X)), n_rows, known, "model")
    probability = np.asarray(model.predict_proba(X), dtype=np.float64) if with_probability else None
    return Evaluated(tuple(classes), truth, weights, label, probability)


def _classes_of(model: Any, asker: str) -> list[Any]:
    if isinstance(model, BaseEstimator) and not hasattr(model, "steps"):
        check_is_fitted(model)
    found = model.target.classes if isinstance(model, Tree) else getattr(model, "classes_", None)
    if found is None:
        raise DataTypeError(
            f"{asker} needs a fitted classifier or a tree of classes, but {_name(model)} has no classes."
        )
    classes: list[Any] = np.asarray(found, dtype=object).tolist()
    return classes


def _name(model: Any) -> str:
    return "this tree, which predicts numbers," if isinstance(model, Tree) else type(model).__name__


def _array(classes: list[Any]) -> Array:
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array


def shown_classes(evaluated: Evaluated, positive: Any) -> list[int]:
    """Return the classes that get a curve: the chosen one; of two, the second; else all."""
    if positive is not None:
        # An array compares cell by cell, so `in` has no answer for it.
        if not isinstance(positive, Hashable) or positive not in evaluated.classes:
            raise ParameterError(
                f"positive={positive!r} is not a class of the model; choose {listing(evaluated.classes, 10)}."
            )
        return [evaluated.classes.index(positive)]
    return [1] if len(evaluated.classes) == 2 else list(range(len(evaluated.classes)))


def looks_of(model: Any, n_classes: int, palette: Palette) -> list[Look]:
    """Return how each class is drawn, the same in every chart of a model."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if isinstance(tree, Tree) and len(tree.target.classes or ()) == n_classes:
        return looks(class_colours(tree, palette), palette)
    coloured = list(palette.classes[:n_classes])
    return looks(coloured + [palette.other] * (n_classes - len(coloured)), palette)


def dress_unit_square(ax: Axes, palette: Palette, margin: float, x: str, y: str) -> None:
    """Let both axes run from 0 to 1, with names and a grid."""
    ax.set_xlim(-margin, 1.0 + margin)
    ax.set_ylim(-margin, 1.0 + margin)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    add_grid(ax, palette, alpha=0.3)


def draw_diagonal(ax: Axes, palette: Palette) -> Any:
    """Draw a dotted line from (0, 0) to (1, 1)."""
    dotted: Any = (0, (2, 3))
    return ax.plot([0, 1], [0, 1], color=palette.faint, linestyle=dotted, linewidth=1.0, zorder=1)[0]
