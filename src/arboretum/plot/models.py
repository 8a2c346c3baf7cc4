"""Models that charts are drawn of: their tree, their classes, and what they predict for rows of known class.

Words: a *judged* table is rows whose true class is known, with the probabilities that a model gives them.
Any fitted classifier of scikit-learn's form can be judged; only trees can be looked into.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum.dataset.tables import open_table
from arboretum.errors import DataTypeError, ParameterError, listing
from arboretum.plot.axes import Look, looks
from arboretum.show.palette import Palette, class_colours
from arboretum.show.words import class_names
from arboretum.targets import match_classes, read_weights
from arboretum.tree import Tree

__all__ = ["Judged", "judge", "looks_of", "shown_classes"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model gives for rows whose classes are known; `truth` and `label` are numbers of classes."""

    classes: tuple[Any, ...]
    truth: npt.NDArray[np.int32]
    weights: Numbers | None
    label: npt.NDArray[np.int32]
    probability: Numbers | None  # (rows, classes); None unless it was asked for

    @property
    def names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)

    @property
    def weight(self) -> Numbers:
        """The weight of each row."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights


def judge(
    model: Any, X: Any, y: Any, sample_weight: Any, asker: str, *, with_probability: bool = True
) -> Judged:
    """Return what a classifier or a tree of classes predicts for rows whose classes are known."""
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
    return Judged(tuple(classes), truth, weights, label, probability)


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


def _array(classes: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array


def shown_classes(judged: Judged, positive: Any) -> list[int]:
    """Return the classes that get a curve: the one that was asked for; of two the second; else all."""
    if positive is not None:
        # An array compares cell by cell, so that it is neither among the classes nor not.
        if not isinstance(positive, Hashable) or positive not in judged.classes:
            raise ParameterError(
                f"positive={positive!r} is not a class of the model; choose {listing(judged.classes, 10)}."
            )
        return [judged.classes.index(positive)]
    return [1] if len(judged.classes) == 2 else list(range(len(judged.classes)))


def looks_of(model: Any, n_classes: int, palette: Palette) -> list[Look]:
    """Return how each class is drawn, the same in every chart of a model."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if isinstance(tree, Tree) and len(tree.target.classes or ()) == n_classes:
        return looks(class_colours(tree, palette), palette)
    coloured = list(palette.classes[:n_classes])
    return looks(coloured + [palette.other] * (n_classes - len(coloured)), palette)
