"""Tables and options for every combination of choices, and the sentences in which some of them are refused.

Words: *combination* is a choice of criterion, nominal, missing and constraint, *variants* are the options
that stand for it. What is expected of them is said by the tests.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from arboretum.combinations import Combination, table
from arboretum.criteria import CLASS_CRITERIA
from support.tables import categorical

__all__ = [
    "COSTS",
    "DIRECTIONS",
    "MOST_LEAVES",
    "N_ROWS",
    "allowed_sentences",
    "data_for",
    "names",
    "rows_to_predict",
    "sentence_of",
    "table_for",
    "variants",
]

N_ROWS = 50
MOST_LEAVES = 6
DIRECTIONS = {"real": 1, "size": -1}
COSTS = {"real": 3, "colour": 0.5, "whole": 1.5}


def names(combination: Combination) -> str:
    parts = (combination.criterion, combination.nominal, combination.missing, combination.constraint)
    return "-".join(parts).replace(" ", "_")


@cache
def table_for(*, missing: bool, n_classes: int) -> tuple[pd.DataFrame, Any, Any]:
    """Columns of several kinds, a level without rows, classes and counts; if wished, missing values."""
    rng = np.random.default_rng(4)
    real, whole = rng.normal(size=N_ROWS).round(1), rng.integers(-3, 4, N_ROWS)
    colour, size = rng.integers(0, 4, N_ROWS), rng.integers(0, 3, N_ROWS)
    X = pd.DataFrame(
        {
            "real": real,
            "colour": categorical(colour, ["blue", "green", "red", "white", "never"]),
            "size": categorical(size, ["small", "medium", "large"], ordered=True),
            "whole": pd.array(whole, dtype="Int64"),
            "truth": pd.array(rng.integers(0, 2, N_ROWS).astype(bool), dtype="boolean"),
        }
    )
    score = (real > 0.2) * 2 + (colour % 2) * 2 - size + (rng.random(N_ROWS) < 0.2)
    if missing:
        for column in X.columns:
            X.loc[rng.random(N_ROWS) < 0.06, column] = None
    ranks = np.argsort(np.argsort(score, kind="stable"), kind="stable") * n_classes // N_ROWS
    classes = np.array(["high", "low", "middle"])[ranks]
    return X, classes, (score - score.min()).astype(float)


def variants(combination: Combination) -> list[dict[str, Any]]:
    """The options that make up the combination; the words of the table stand for two parameters."""
    by_constraint: dict[str, list[dict[str, Any]]] = {
        "none": [{}],
        "monotonic_cst": [{"monotonic_cst": DIRECTIONS}],
        "priors or loss": [
            {"priors": [0.5, 0.3, 0.2]},
            {"loss": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]},
        ],
        "max_leaf_nodes": [{"max_leaf_nodes": MOST_LEAVES}],
        "column_costs": [{"column_costs": COSTS}],
    }
    chosen = {"nominal": combination.nominal, "missing": combination.missing, "competitors": 2}
    return [chosen | constraint for constraint in by_constraint[combination.constraint]]


def data_for(combination: Combination) -> tuple[pd.DataFrame, Any]:
    """A table that the combination can learn from."""
    n_classes = 2 if combination.constraint == "monotonic_cst" else 3
    X, classes, numbers = table_for(missing=combination.missing != "error", n_classes=n_classes)
    return X, classes if combination.criterion in CLASS_CRITERIA else numbers


def rows_to_predict(combination: Combination) -> pd.DataFrame:
    """The rows of the table, some with a level that had no rows and, unless refused, without a value."""
    X, _ = data_for(combination)
    unseen = X.head(4).assign(colour=categorical(np.full(4, 4), list(X["colour"].cat.categories)))
    if combination.missing == "error":
        return pd.concat([X, unseen], ignore_index=True)
    nothing = X.reindex(range(-6, 0)).set_axis(range(6))  # of the same types, all missing
    blanked = [X.head(6).assign(**{column: nothing[column]}) for column in X.columns]
    return pd.concat([X, unseen, *blanked, nothing.head(1)], ignore_index=True)


def sentence_of(message: str) -> str:
    """The first line; the second is a hint."""
    sentence, _, hint = message.partition("\n")
    assert hint.startswith("Hint: ")
    return sentence


def allowed_sentences(choices: set[str]) -> set[str]:
    """What the table has to say about these choices, each in one sentence."""
    found = set()
    for line in table().splitlines()[2:]:
        first, second, because = (cell.strip() for cell in line.strip("|").split("|"))
        if {first, second} <= choices:
            found.add(f"{first} does not go with {second}: {because}.")
    return found
