"""Tables and options for every combination of choices, and the sentences in which some of them are refused.

A combination is a choice of criterion, nominal, missing and constraint; its variants are the options that
stand for it. The tests say what to expect of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, get_args

import numpy as np
import pandas as pd

from arboretum._options.choices import Missing, Nominal
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum._options.exclusions import excluded, table
from support.tables import categorical

__all__ = [
    "CONSTRAINTS",
    "COSTS",
    "DIRECTIONS",
    "MISSING",
    "MOST_LEAVES",
    "NOMINAL",
    "N_ROWS",
    "PRUNE",
    "QUESTIONS",
    "SEARCH",
    "Combination",
    "allowed_sentences",
    "choices_tried",
    "combinations",
    "data_for",
    "names",
    "rows_to_predict",
    "sentence_of",
    "table_for",
    "variants",
]

N_ROWS = 50
NOMINAL = get_args(Nominal)
MISSING = get_args(Missing)
PRUNE = (None, "cost_complexity", "reduced_error", "pessimistic")
QUESTIONS = ("axis", "MofN", "Oblique")
SEARCH = ("greedy", "Lookahead")
CONSTRAINTS = ("none", "monotonic_cst", "priors or loss", "max_leaf_nodes", "column_costs")
MOST_LEAVES = 6
DIRECTIONS = {"real": 1, "size": -1}
COSTS = {"real": 3, "colour": 0.5, "whole": 1.5}


@dataclass(frozen=True)
class Combination:
    """One choice of each option."""

    criterion: str
    nominal: str
    missing: str
    constraint: str
    prune: str | None = None
    questions: str = "axis"
    search: str = "greedy"
    tested: bool = False  # with significance

    @property
    def is_valid(self) -> bool:
        """Whether no two of the choices exclude each other."""
        return next(excluded(self._choices), None) is None

    @property
    def _choices(self) -> set[str]:
        chosen = {f'nominal="{self.nominal}"', f'missing="{self.missing}"', self.constraint}
        more = {
            "questions=MofN or Oblique": self.questions != "axis",
            "search=Lookahead": self.search != "greedy",
            "significance": self.tested,
            "numbers as targets": self.criterion in NUMBER_CRITERIA,
            'prune="pessimistic"': self.prune == "pessimistic",
            "Pessimistic(raise_subtrees=True)": self.prune == "pessimistic",
        }
        return chosen | {choice for choice, applies in more.items() if applies}


def combinations(
    prune: str | None = None, questions: str = "axis", search: str = "greedy"
) -> list[Combination]:
    """Return every combination of criterion, nominal, missing and constraint, valid or not, with the rest."""
    of_classes = product(CLASS_CRITERIA, NOMINAL, MISSING, CONSTRAINTS)
    without_priors = [constraint for constraint in CONSTRAINTS if constraint != "priors or loss"]
    of_numbers = product(NUMBER_CRITERIA, NOMINAL, MISSING, without_priors)
    return [Combination(*choice, prune, questions, search) for choice in (*of_classes, *of_numbers)]


def choices_tried(combination: Combination) -> tuple[str, ...]:
    return (combination.criterion, combination.nominal, combination.missing, combination.constraint)


def names(combination: Combination) -> str:
    return "-".join(choices_tried(combination)).replace(" ", "_")


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
