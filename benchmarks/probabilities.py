"""What leaves say of classes: each `leaf=` against raw shares, scikit-learn and isotonic calibration.

`python -m benchmarks.probabilities` replaces the section in ACCURACY.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.calibration import CalibratedClassifierCV
from sklearn.tree import DecisionTreeClassifier

from arboretum import ArboretumWarning, MEstimate, TreeClassifier
from benchmarks.measuring import Report, write_section
from benchmarks.quality.encoding import OneHot
from benchmarks.quality.measures import brier, log_loss
from benchmarks.quality.real_tables import list_real_tables
from benchmarks.quality.splits import Split, list_splits
from benchmarks.quality.tables import Array, Table

TITLE = "## Probabilities"
N_SPLITS, SEED = 5, 0
NOTES = f"""\
{TITLE}

Log loss (nats; a probability of zero counts as 1e-15) on held-out rows, the mean of {N_SPLITS} splits, a
third held out. The first five are our tree as pruned by default, with one choice of `leaf=` each; pruning
judges sizes by what these leaves say. The next two are grown fully (`prune=None`). scikit-learn's tree is
not pruned; *isotonic* is `CalibratedClassifierCV(DecisionTreeClassifier(), method="isotonic")`, which
fits five trees and five curves per class, and *isotonic, 5 rows* the same with `min_samples_leaf=5`. The
lowest of a table is bold.
`python -m benchmarks.probabilities`"""


def ours(leaf: Any, **options: Any) -> Callable[[Table, Split], Array]:
    """A tree with these leaves."""

    def answer(table: Table, split: Split) -> Array:
        model = TreeClassifier(leaf=leaf, **options).fit(table.X.iloc[split.train], table.y[split.train])
        return spread(table, model.classes_, model.predict_proba(table.X.iloc[split.test]))

    return answer


def theirs(make: Callable[[], Any]) -> Callable[[Table, Split], Array]:
    """An estimator of scikit-learn."""

    def answer(table: Table, split: Split) -> Array:
        encoder = OneHot(table, split.train)
        model = make().fit(encoder.encode(split.train), table.y[split.train])
        return spread(table, model.classes_, model.predict_proba(encoder.encode(split.test)))

    return answer


def spread(table: Table, classes: Array, probabilities: Array) -> Array:
    """Probabilities with a column for each class of the whole table."""
    every = np.unique(table.y)
    found = np.zeros((len(probabilities), len(every)))
    found[:, np.searchsorted(every, classes)] = probabilities
    return found


def isotonic(**options: Any) -> Any:
    """A tree of scikit-learn with isotonic calibration."""
    return CalibratedClassifierCV(DecisionTreeClassifier(random_state=0, **options), method="isotonic", cv=5)


METHODS: dict[str, Callable[[Table, Split], Array]] = {
    "shrinkage (default)": ours("shrinkage"),
    "frequency": ours("frequency"),
    "laplace": ours("laplace"),
    "MEstimate(2)": ours(MEstimate(m=2)),
    "MEstimate(10)": ours(MEstimate(m=10)),
    "full, frequency": ours("frequency", prune=None),
    "full, shrinkage": ours("shrinkage", prune=None),
    "scikit-learn": theirs(lambda: DecisionTreeClassifier(random_state=0)),
    "isotonic": theirs(isotonic),
    "isotonic, 5 rows": theirs(lambda: isotonic(min_samples_leaf=5)),
}


def main() -> None:
    """Measure and write the section."""
    warnings.simplefilter("ignore", ArboretumWarning)
    warnings.filterwarnings("ignore", category=UserWarning)
    report = Report()
    report.say(NOTES)
    report.begin_table("log loss", *METHODS)
    losses, scores = [], []
    for table in (each for each in list_real_tables() if each.of_classes):
        truth = np.searchsorted(np.unique(table.y), table.y)
        found: list[list[tuple[float, float]]] = [[] for _ in METHODS]
        for split in list_splits(table, N_SPLITS, SEED):
            for place, method in enumerate(METHODS.values()):
                said = method(table, split)
                found[place].append((log_loss(truth[split.test], said), brier(truth[split.test], said)))
        loss, score = np.array(found).mean(axis=1).T
        losses.append(loss)
        scores.append(score)
        cells = [f"{value:.3f}" for value in loss]
        cells[int(np.argmin(loss))] = f"**{min(loss):.3f}**"
        report.add_row(table.name, *cells)
    for title, values in (("log loss", np.array(losses)), ("Brier", np.array(scores))):
        ranks = np.array([rankdata(row) for row in values]).mean(axis=0)
        report.add_row(f"**mean {title}**", *(f"{value:.3f}" for value in values.mean(axis=0)))
        report.add_row(f"mean rank, {title}", *(f"{rank:.2f}" for rank in ranks))
    write_section(Path(__file__).parent / "ACCURACY.md", TITLE, report.lines)


if __name__ == "__main__":
    main()
