"""Linear models of the nodes of a tree: what they predict, and how they read.

A model is intercept + Σ coefficient · column, held between `low` and `high`. A missing or infinite value
counts as `fill`, the mean of the node. Terms are added in the order of the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from arboretum._data import Dataset
from arboretum._data.levels import number_text
from arboretum._tree.beside import Beside
from arboretum._tree.question_values import quote
from arboretum._types import Array, Numbers

if TYPE_CHECKING:
    from arboretum._tree.tree import Tree

MODELS: Final = "models"


def models_of(tree: Tree) -> Beside | None:
    """Return the linear models of a tree; None if its leaves predict numbers."""
    return tree.beside.get(MODELS)


def design_of(data: Dataset, places: Array) -> Numbers:
    """Return these columns as a matrix; what is missing or infinite is NaN."""
    matrix = np.full((data.n_rows, len(places)), np.nan)
    for j, place in enumerate(places.tolist()):
        column = data.columns[place]
        known = ~column.is_missing()
        matrix[known, j] = column.values[known]
    matrix[np.isinf(matrix)] = np.nan
    return matrix


def predicted_at(models: Beside, nodes: Array, design: Numbers) -> Numbers:
    """Return what the models of these nodes say of rows, one node for each row."""
    arrays = models.per_node
    found: Numbers = arrays["intercept"][nodes].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for j in range(design.shape[1]):
            here = design[:, j]
            known = np.where(np.isnan(here), arrays["fill"][nodes, j], here)
            found += arrays["coefficient"][nodes, j] * known
    # Terms beyond what numbers can hold may have cancelled each other: then nothing is known.
    found = np.where(np.isnan(found), arrays["intercept"][nodes], found)
    return np.clip(found, arrays["low"][nodes], arrays["high"][nodes])


def values_of_rows(tree: Tree, data: Dataset) -> Numbers:
    """Return what a tree with models predicts for rows in its own columns."""
    models = tree.beside[MODELS]
    return predicted_at(models, tree._leaves_of(data), design_of(data, models.whole["column"]))


def formula_of(tree: Tree, node: int, *, digits: int = 6, most: int | None = None) -> str:
    """Return the model of a node as text: "1.5 + 2·x0 - 0.3·x1"; of more terms than `most`, the first."""
    models = tree.beside[MODELS]
    text = number_text(_rounded(models.per_node["intercept"][node], digits))
    coefficients = models.per_node["coefficient"][node]
    terms = np.flatnonzero(coefficients).tolist()
    for j in terms[:most]:
        name = quote(tree.columns[int(models.whole["column"][j])].name)
        size = number_text(_rounded(abs(coefficients[j]), digits))
        text += f" {'-' if coefficients[j] < 0 else '+'} {size}·{name}"
    left_out = len(terms) - len(terms[:most])
    return f"{text} + {left_out} more" if left_out else text


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
