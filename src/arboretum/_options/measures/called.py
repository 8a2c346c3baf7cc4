"""A measure of the user's own: a function, its contract and what is said where it is broken."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arboretum._data.rows import Target
from arboretum._options.measures.measure import predicted_numbers, row_weights
from arboretum._options.measures.of_classes import ProbabilityMeasure
from arboretum._tree.leaves import LeafRule
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._wording import many
from arboretum.errors import ParameterError


class Called(ProbabilityMeasure):
    """A function of the true labels and the probabilities, or of the true and the predicted numbers."""

    of_rows = False
    lowest = -math.inf

    def __init__(self, function: Callable[..., Any], kind: str, classes: Array | None) -> None:
        super().__init__(np.array([]) if classes is None else classes)
        self.function, self.kind = function, kind
        self.name = getattr(function, "__name__", "given")
        self._takes_weights = _takes_three(function)

    def refuse(self, estimator: Any) -> None:
        if self.kind == "classes":
            super().refuse(estimator)

    def predict(self, model: Any, X: Any) -> Array:
        return super().predict(model, X) if self.kind == "classes" else predicted_numbers(model, X)

    def at_nodes(self, tree: Tree) -> Array:
        return super().at_nodes(tree) if self.kind == "classes" else tree.array("value")

    def read(self, predicted: Numbers, rule: LeafRule | None) -> Array:
        return predicted if self.kind == "classes" else predicted.ravel()

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        truth = target.values(self.kind)
        given = (row_weights(target, weights).copy(),) if self._takes_weights else ()
        found = self.function(truth, predicted.copy(), *given)
        try:
            losses = np.asarray(found)
        except ValueError:  # lists of different lengths
            losses = np.array("", dtype=object)
        if losses.dtype.kind not in "biuf" or losses.shape not in ((), (len(predicted),)):
            raise ParameterError(
                f"{self.name} returns {losses.dtype} of shape {losses.shape}; it must return a number, or "
                f"one for each of the {len(predicted)} rows."
            )
        if np.isnan(losses).any():
            raise ParameterError(
                f"{self.name} returns nan for {many(len(predicted), 'row')}; it must return a number, the "
                "lower the better."
            )
        if weights is not None and losses.shape == () and not given:
            raise ParameterError(
                f"{self.name} returns one number for all rows, which leaves no place for sample_weight.\n"
                "Hint: let it return a loss for each row, or take the weights as its third argument."
            )
        return losses.astype(np.float64)


def _takes_three(function: Callable[..., Any]) -> bool:
    """Return whether the third argument by position is for weights: it has no default, or is named so."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions written in C
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(places) > 2 and (places[2].default is places[2].empty or "weight" in places[2].name)
