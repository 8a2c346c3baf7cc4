"""How good predictions are: added up chunk by chunk, as text and as a document.

Accuracy is the share of rows whose class is right, log loss the mean of -ln of the probability of the true
class, MSE and MAE the mean squared and absolute error, and R² the share of the target's variance that is
explained. Rows count by their weight. Orders are measured within queries: NDCG@10 counts gains from the
lowest relevance of a query.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from arboretum import ranking
from arboretum._wording import many, visible
from arboretum.cli.printing import WorkError

_SHOWN_CLASSES: Final = 12


def scores_for(classes: Sequence[Any] | None) -> ClassScores | NumberScores:
    """Return scores of no rows yet."""
    return NumberScores() if classes is None else ClassScores(classes)


def _total(weights: Iterable[float]) -> float:
    total = math.fsum(weights)
    if not total > 0:
        raise WorkError("There are no rows to evaluate, or none that counts.")
    return total


class ClassScores:
    """Scores of predicted classes."""

    def __init__(self, classes: Sequence[Any]) -> None:
        self._classes = list(classes)
        self._place = {label: place for place, label in enumerate(self._classes)}
        self._counts: Counter[tuple[Any, Any]] = Counter()
        self._log_losses: list[float] = []
        self._impossible = 0
        self._n_rows = 0

    def add(
        self, truth: Sequence[Any], predicted: Any, probability: Any, weights: Sequence[float] | None
    ) -> None:
        """Add rows: their class, what was predicted, and the probability of each class."""
        places = np.array([self._place.get(label, -1) for label in truth])
        chances = np.where(places < 0, 0.0, np.asarray(probability)[np.arange(len(places)), places])
        each = np.ones(len(places)) if weights is None else np.asarray(weights, dtype=float)
        for label, guess, weight in zip(truth, np.asarray(predicted).tolist(), each.tolist(), strict=True):
            self._counts[label, guess] += weight
        known = chances > 0
        self._impossible += int((~known & (each > 0)).sum())
        self._log_losses.append(math.fsum((-np.log(chances[known]) * each[known]).tolist()))
        self._n_rows += len(places)

    @property
    def knows_some(self) -> bool:
        """Whether some row's true class is one of the model's."""
        return not self._counts or any(truth in self._place for truth, _ in self._counts)

    @property
    def _rows(self) -> list[Any]:
        """The classes that the model knows, then the others that occur."""
        return [*self._classes, *sorted({truth for truth, _ in self._counts} - set(self._classes), key=str)]

    def document(self) -> dict[str, Any]:
        """Return the scores for machines; the log loss is infinite if a true class had probability 0."""
        weight = _total(self._counts.values())
        right = math.fsum(n for (truth, guess), n in self._counts.items() if truth == guess)
        return {
            "rows": self._n_rows,
            "accuracy": right / weight,
            "log_loss": math.inf if self._impossible else math.fsum(self._log_losses) / weight,
            "rows_held_impossible": self._impossible,
            "confusion": {
                "true": self._rows,
                "predicted": self._classes,
                "counts": [[_whole(self._counts[t, p]) for p in self._classes] for t in self._rows],
            },
        }

    def __str__(self) -> str:
        found = self.document()
        loss = f"{found['log_loss']:.4f}"
        if self._impossible:
            rows = many(self._impossible, "row")
            loss = f"infinite ({rows} of a class held impossible; fit --leaf shrinkage avoids that)"
        lines = [f"rows      {self._n_rows:,}", f"accuracy  {found['accuracy']:.4f}", f"log loss  {loss}"]
        unknown = [label for label in self._rows if label not in self._place]
        if unknown:
            lines.append(
                f"classes that the model does not know: {', '.join(map(_name, unknown[:_SHOWN_CLASSES]))}"
            )
        return "\n".join([*lines, "", *self._confusion()])

    def _confusion(self) -> list[str]:
        rows = self._rows
        if len(rows) > _SHOWN_CLASSES:
            return [f"(the confusion matrix of {len(rows)} classes is in --json)"]
        heading = ["true \\ predicted", *map(_name, self._classes)]
        table = [heading, *([_name(t), *(f"{self._counts[t, p]:g}" for p in self._classes)] for t in rows)]
        widths = [max(len(line[place]) for line in table) for place in range(len(heading))]
        return [
            "  ".join(
                [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
            )
            for line in table
        ]


def _name(label: Any) -> str:
    return visible(str(label))


class NumberScores:
    """Scores of predicted numbers."""

    def __init__(self) -> None:
        self._n_rows = 0
        self._squares: list[float] = []
        self._absolutes: list[float] = []
        self._weights: list[float] = []
        # Weight, mean and sum of squared distances from it, of all rows so far.
        self._spread = (0.0, 0.0, 0.0)

    def add(
        self, truth: Sequence[float], predicted: Any, probability: Any, weights: Sequence[float] | None
    ) -> None:
        """Add rows: their numbers and what was predicted."""
        numbers = np.asarray(truth, dtype=float)
        each = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=float)
        errors = numbers - np.asarray(predicted, dtype=float)
        self._n_rows += len(numbers)
        self._squares.append(math.fsum((each * errors**2).tolist()))
        self._absolutes.append(math.fsum((each * np.abs(errors)).tolist()))
        weight = math.fsum(each.tolist())
        self._weights.append(weight)
        if weight > 0:
            mean = math.fsum((each * numbers).tolist()) / weight
            squares = math.fsum((each * (numbers - mean) ** 2).tolist())
            # The spread of two sets of rows together (Chan, Golub and LeVeque 1979).
            before, centre, spread = self._spread
            both, apart = before + weight, mean - centre
            squares = spread + squares + apart**2 * before * weight / both
            self._spread = both, centre + apart * weight / both, squares

    def document(self) -> dict[str, Any]:
        """Return the scores for machines; R² is null where all targets are the same."""
        squared, weight = math.fsum(self._squares), _total(self._weights)
        return {
            "rows": self._n_rows,
            "mse": squared / weight,
            "mae": math.fsum(self._absolutes) / weight,
            "r2": 1 - squared / self._spread[2] if self._spread[2] > 0 else None,
        }

    def __str__(self) -> str:
        found = self.document()
        r2 = "not defined: all targets are the same" if found["r2"] is None else f"{found['r2']:.4f}"
        rows, mse, mae = f"{self._n_rows:,}", f"{found['mse']:.6g}", f"{found['mae']:.6g}"
        return f"rows  {rows}\nMSE   {mse}\nMAE   {mae}\nR²    {r2}"


class OrderScores:
    """Measures of the order of rows within queries."""

    def __init__(self, truth: Sequence[float], score: Any, groups: Sequence[Any], weights: Any) -> None:
        self._n_rows, self._n_queries = len(truth), len(set(groups))
        given = (truth, score, groups)
        self._values = {
            "ndcg@10": ranking.ndcg(*given, k=10, gains="above_lowest", sample_weight=weights),
            "kendall_tau": ranking.kendall_tau(*given, sample_weight=weights),
        }

    def document(self) -> dict[str, Any]:
        """Return the scores for machines."""
        return {"rows": self._n_rows, "queries": self._n_queries} | self._values

    def __str__(self) -> str:
        return (
            f"rows           {self._n_rows:,}\nqueries        {self._n_queries:,}\n"
            f"NDCG@10        {self._values['ndcg@10']:.4f}\nKendall's tau  {self._values['kendall_tau']:.4f}"
        )


def _whole(weight: float) -> float:
    return int(weight) if float(weight).is_integer() else weight
