"""The score of the test: the loss on rows that nobody has looked at, and how sure it is.

Words: a *look* is one opening of the test set; after the first one the score is no longer unbiased, because
what was seen can change what is tried. The score is a value; it never opens anything itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from arboretum.experiment.intervals import Estimate
from arboretum.experiment.results import Result
from arboretum.plurals import many

__all__ = ["TestScore"]


@dataclass(frozen=True, eq=False)
class TestScore:
    """The loss of the best setting on the test data."""

    __test__: ClassVar[bool] = False  # no test of pytest's

    loss: float
    level: float
    n_rows: int
    looks: int
    result: Result
    refit: str
    estimator: Any
    loss_name: str
    estimate: Estimate

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the loss, at the level that was asked for."""
        return self.estimate.interval(self.level)

    def interval_at(self, level: float) -> tuple[float, float]:
        """Return the interval of another level; that is no further look at the test data."""
        return self.estimate.interval(level)

    def __str__(self) -> str:
        low, high = self.interval
        result = self.result
        learnt = "training and development" if self.refit == "train+dev" else "training"
        lines = [
            f"test loss ({self.loss_name}) {self.loss:.4g} on {many(self.n_rows, 'row')}",
            f"{self.level * 100:g}% interval {low:.4g} to {high:.4g} ({self.estimate.method})",
            f"{result}, fitted to {learnt} data",
            f"training loss {result.training_loss:.4g}, development loss {result.development_loss:.4g}",
            *result.notes,
            f"looks at the test data: {self.looks}" + (_TOO_MANY if self.looks > 1 else ""),
        ]
        return "\n".join(lines)


_TOO_MANY = " (what was seen may have changed what was tried, so that the loss may be too low)"
