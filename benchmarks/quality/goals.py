"""The figures that our default should reach, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .peers import DEFAULT
from .ranks import rank_peers
from .scores import MEASURE, mean_score, names_of, rare_tables, score_peers, share_of_single_leaves
from .tables import Table

__all__ = ["FOLD_TABLES", "Goal", "list_goals"]

# On these the goal for fold seeds was set; among all tables are more whose tree never changes.
FOLD_TABLES = (
    *(
        "penguins",
        "pima",
        "glass",
        "oj",
        "titanic",
        "carseats_high",
        "ljub",
        "sonar",
        "wine",
        "chile",
        "hdma",
    ),
    *("benefits", "credit", "attrition", "arrests", "email", "lending"),
    *("boston", "hitters", "sacramento", "diabetes", "cpu_vendor", "wage"),
)


@dataclass(frozen=True)
class Goal:
    """A bound, and what was measured; nan where it was not."""

    what: str
    at_least: bool
    bound: float
    measured: float
    digits: int = 3
    unit: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the bound holds for the figure as it is shown; None where nothing was measured."""
        if np.isnan(self.measured):
            return None
        shown = round(self.measured, self.digits)
        return shown >= self.bound if self.at_least else shown <= self.bound

    def show(self, value: float) -> str:
        """A figure with its digits."""
        return "not measured" if np.isnan(value) else f"{value:.{self.digits}f}{self.unit}"


# Key of the measure, whether more is better, bound, digits.
OF_CLASSES = (
    ("accuracy", True, 0.817, 3),
    ("auc", True, 0.813, 3),
    ("log_loss", False, 0.480, 3),
    ("brier", False, 0.265, 3),
    ("leaves", False, 13.0, 1),
)
OF_NUMBERS = (("r2", True, 0.625, 3), ("leaves", False, 18.0, 1))


def list_goals(records: pd.DataFrame, trials: dict[str, pd.DataFrame], tables: list[Table]) -> Iterator[Goal]:
    """All goals, in the order of the report."""
    for kind, wanted in (("classes", OF_CLASSES), ("numbers", OF_NUMBERS)):
        names = names_of(tables, of_classes=kind == "classes", made=False)
        for key, at_least, bound, digits in wanted:
            scores = score_peers(records, MEASURE[key], names)[DEFAULT]
            title = f"{kind}: {MEASURE[key].title}"
            yield Goal(title, at_least, bound, mean_score(scores, MEASURE[key]), digits)
    yield from goals_of_rare_classes(records, rare_tables(tables))
    yield from goals_of_trials(trials)
    yield from goals_of_ranks(records, names_of(tables, of_classes=True, made=False))


def goals_of_rare_classes(records: pd.DataFrame, tables: list[str]) -> Iterator[Goal]:
    """A tree that asks nothing helps nobody to find the rare ones."""
    single = 100 * float(share_of_single_leaves(records, tables)[DEFAULT])
    yield Goal("rare classes: fits with one leaf", False, 2.0, single, 1, " %")
    scores = score_peers(records, MEASURE["auc"], tables)[DEFAULT]
    yield Goal("rare classes: AUC", True, 0.71, mean_score(scores, MEASURE["auc"]))


def goals_of_trials(trials: dict[str, pd.DataFrame]) -> Iterator[Goal]:
    """An identifier, noise, and the chance of the folds."""
    identifier, noise, folds = (trials.get(name) for name in ("identifier", "noise", "fold_seeds"))
    nothing = float("nan")
    changes = None if identifier is None else (identifier["with"] - identifier["without"]).abs()
    mean = nothing if changes is None else float(changes.mean())
    largest = nothing if changes is None else float(changes.max())
    yield Goal("identifier added: mean change of accuracy", False, 0.005, mean)
    yield Goal("identifier added: largest change of accuracy", False, 0.005, largest)
    single = nothing if noise is None else 100 * float((noise["leaves"] == 1).mean())
    yield Goal("pure noise: trees with one leaf", True, 100.0, single, 0, " %")
    spreads = None if folds is None else np.log(folds["leaves"]).groupby(folds["table"]).std(ddof=1)
    listed = nothing if spreads is None else float(spreads[spreads.index.isin(FOLD_TABLES)].mean())
    every = nothing if spreads is None else float(spreads.mean())
    yield Goal("fold seeds: mean sd of ln(leaves), listed tables", False, 0.15, listed)
    yield Goal("fold seeds: mean sd of ln(leaves), all observed tables", False, 0.15, every)


def goals_of_ranks(records: pd.DataFrame, tables: list[str]) -> Iterator[Goal]:
    """No peer is better: the gap to the best of them."""
    for key in ("auc", "log_loss", "brier", "accuracy"):
        measure = MEASURE[key]
        scores = score_peers(records, measure, tables)
        ranks = rank_peers(scores, higher_is_better=measure.higher_is_better).mean_ranks
        gap = float(ranks[DEFAULT] - ranks.drop(DEFAULT).min()) if len(ranks) > 1 else float("nan")
        yield Goal(f"mean rank, {measure.title}: ours minus the best peer's", False, 0.0, gap, 2)
