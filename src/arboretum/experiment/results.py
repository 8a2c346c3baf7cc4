"""Results: every setting that was tried, with its losses, and the score of the best one on the test data.

These are values: trying more makes new ones. The score has a confidence interval. Its level is the share of
such intervals that contain the true loss. A unit is what was drawn independently: a row, or a whole group
where rows come in groups.

    zero-one loss, rows of equal weight       exact (Clopper and Pearson 1934)
    zero-one loss with weights or groups      the same for an effective number of rows (Korn, Graubard 1998)
    any other loss                            mean ± t · standard error; AUC as DeLong and others (1988) do
    a function that returns a single number   unknown: from the lowest possible loss to the highest
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, overload

import numpy as np
from scipy import stats

from arboretum._options.measures.measure import Measure, average
from arboretum._options.measures.of_classes import Misclassification
from arboretum._options.rules import Real
from arboretum._types import Indices, Numbers
from arboretum._wording import many, visible
from arboretum.errors import ParameterError, import_pandas
from arboretum.experiment.settings import setting_text
from arboretum.experiment.splits import renumbered

if TYPE_CHECKING:
    import pandas as pd


LEVEL: Final = Real("a number between 0 and 1, such as 0.95", most=1.0, above=True, below=True)
_SHOWN = 50


@dataclass(frozen=True)
class Result:
    """One setting that was tried. Leaves and depth are None where the estimator has none."""

    number: int
    name: str
    setting: Mapping[str, Any]
    training_loss: float
    development_loss: float
    leaves: int | None
    depth: int | None
    fit_seconds: float
    pruned_on_development: bool = False
    after_test: bool = False
    measures: Mapping[str, float] = field(default_factory=dict)  # others than the loss, on the same rows

    def __str__(self) -> str:
        return visible(f"{self.name}({setting_text(self.setting)})" if self.setting else self.name)

    def __repr__(self) -> str:
        return f"<Result {self.number}: {self}, development loss {self.development_loss:.4g}>"

    @property
    def merit(self) -> tuple[float, float, int]:
        """What results are compared by: loss, then leaves, then order; lowest first."""
        return self.development_loss, math.inf if self.leaves is None else self.leaves, self.number

    @property
    def notes(self) -> list[str]:
        """What to know before trusting the development loss."""
        return [
            *(["pruned on development data"] if self.pruned_on_development else []),
            *(["after the test"] if self.after_test else []),
        ]


@dataclass(frozen=True)
class Best:
    """The best setting, and the estimator fitted with it to the training data."""

    result: Result
    estimator: Any

    @property
    def setting(self) -> Mapping[str, Any]:
        """The parameters that were set."""
        return self.result.setting

    def __str__(self) -> str:
        r = self.result
        return f"{r}: training loss {r.training_loss:.4g}, development loss {r.development_loss:.4g}"

    def __repr__(self) -> str:
        return f"<Best: {self}>"


@dataclass(frozen=True)
class Results:
    """Results in the order in which they were tried.

    `print` shows a table of at most the 50 best; `to_frame()` has all of them.
    """

    items: tuple[Result, ...] = ()
    loss: str | None = None
    compared_by: str = "development"  # or "cross-validated": what the development losses are

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.items)

    @overload
    def __getitem__(self, key: int) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Results: ...
    def __getitem__(self, key: int | slice) -> Result | Results:
        return (
            Results(self.items[key], self.loss, self.compared_by)
            if isinstance(key, slice)
            else self.items[key]
        )

    @property
    def best(self) -> Result:
        """The result of lowest development loss; of equals, the one with fewer leaves, then the earlier."""
        if not self.items:
            raise ParameterError(
                "No setting was tried yet.\nHint: experiment.try_(estimator), or grid, random."
            )
        return min(self.items, key=lambda result: result.merit)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame: one row per result, a column `param_…` for each parameter set."""
        pandas = import_pandas("to_frame()")
        names = list(dict.fromkeys(name for result in self.items for name in result.setting))
        # Types of their own: whole numbers even where some are missing, and parameters as they were set.
        columns: dict[str, Any] = {
            "name": [result.name for result in self.items],
            "setting": [setting_text(result.setting) for result in self.items],
        }
        for name in names:
            values = [result.setting.get(name) for result in self.items]
            columns[f"param_{name}"] = pandas.Series(values, dtype=object)
        for name, kind in _MEASURES.items():
            columns[name] = pandas.Series([getattr(result, name) for result in self.items], dtype=kind)
        for name in self._measures:
            columns[name] = [result.measures.get(name, math.nan) for result in self.items]
        best = self.best if self.items else None
        columns["best"] = pandas.Series([result is best for result in self.items], dtype=bool)
        frame: pd.DataFrame = pandas.DataFrame(columns)
        frame.index = pandas.Index([result.number for result in self.items], name="number")
        return frame

    @property
    def _measures(self) -> list[str]:
        """The measures besides the loss."""
        return list(dict.fromkeys(name for result in self.items for name in result.measures))

    def __repr__(self) -> str:
        best = f", best: {self.best}" if self.items else ""
        return f"<Results: {many(len(self), 'setting')} tried{best}>"

    def __str__(self) -> str:
        if not self.items:
            return "No setting was tried yet."
        shown = sorted(self.items, key=lambda r: r.merit)[:_SHOWN] if len(self) > _SHOWN else self.items
        measures = self._measures
        heading = ["", "estimator", "setting", "training", self.compared_by, *measures]
        table = [[*heading, "leaves", "depth", "seconds", ""]]
        best = self.best
        table += [_line(result, result is best, measures) for result in shown]
        text = aligned(table, {1, 2, 8 + len(measures)})
        more = len(self) - len(shown)
        return f"{text}\n… and {more} more of higher development loss" if more else text


_MEASURES = {
    "training_loss": "float64",
    "development_loss": "float64",
    "leaves": "Int64",
    "depth": "Int64",
    "fit_seconds": "float64",
    "pruned_on_development": "bool",
    "after_test": "bool",
}


def _line(result: Result, best: bool, measures: list[str]) -> list[str]:
    return [
        str(result.number),
        visible(result.name),
        visible(setting_text(result.setting)) or "-",
        f"{result.training_loss:.4g}",
        f"{result.development_loss:.4g}",
        *(f"{result.measures.get(name, math.nan):.4g}" for name in measures),
        "-" if result.leaves is None else str(result.leaves),
        "-" if result.depth is None else str(result.depth),
        f"{result.fit_seconds:.3f}",
        ", ".join([*(["best"] if best else []), *result.notes]),
    ]


def aligned(table: list[list[str]], words: Set[int]) -> str:
    """Return the lines of a table: columns of words flush left, the others flush right."""
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    lines = [
        [cell.ljust(width) if i in words else cell.rjust(width) for i, (cell, width) in enumerate(cells)]
        for cells in (zip(line, widths, strict=True) for line in table)
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


@dataclass(frozen=True, eq=False)
class TestScore:
    """The loss of the best setting on the test data."""

    __test__: ClassVar[bool] = False  # pytest must not collect it

    loss: float
    level: float
    n_rows: int
    looks: int
    result: Result
    refit: str
    estimator: Any
    loss_name: str
    estimate: Estimate
    measures: Mapping[str, float] = field(default_factory=dict)  # others than the loss

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the loss, at the level asked for."""
        return self.estimate.interval(self.level)

    def interval_at(self, level: float) -> tuple[float, float]:
        """Return the interval at another level, without another look at the test data."""
        return self.estimate.interval(level)

    def __repr__(self) -> str:
        low, high = self.interval
        found = f"{self.loss_name} {self.loss:.4g} ({low:.4g} to {high:.4g})"
        return f"<TestScore: {found} on {many(self.n_rows, 'row')}>"

    def __str__(self) -> str:
        low, high = self.interval
        result = self.result
        learnt = "training and development" if self.refit == "train+dev" else "training"
        lines = [
            f"test loss ({self.loss_name}) {self.loss:.4g} on {many(self.n_rows, 'row')}",
            f"{self.level * 100:g}% interval {low:.4g} to {high:.4g} ({self.estimate.method})",
            *filter(None, [", ".join(f"{name} {value:.4g}" for name, value in self.measures.items())]),
            f"{result}, fitted to {learnt} data",
            f"training loss {result.training_loss:.4g}, development loss {result.development_loss:.4g}",
            *result.notes,
            f"looks at the test data: {self.looks}" + (_TOO_MANY if self.looks > 1 else ""),
        ]
        return "\n".join(lines)


_TOO_MANY = " (what was seen may have changed what was tried, so that the loss may be too low)"


# --- intervals


@dataclass(frozen=True)
class Estimate:
    """An average loss with what is needed for its intervals."""

    loss: float
    error: float  # standard error; NaN if there is only one unit
    n_units: int
    effective: float | None  # number of rows, for the zero-one loss
    lowest: float
    highest: float
    method: str

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval at this level."""
        LEVEL.read(level, "level")
        if self.loss == math.inf:
            # Something happened that had probability 0: the true loss is infinite as well.
            return math.inf, math.inf
        if self.effective is not None:
            return clopper_pearson(self.loss * self.effective, self.effective, level)
        if math.isnan(self.error):
            return self.lowest, self.highest
        reach = float(stats.t.ppf((1 + level) / 2, self.n_units - 1)) * self.error
        return max(self.loss - reach, self.lowest), min(self.loss + reach, self.highest)


def clopper_pearson(mistakes: float, n: float, level: float) -> tuple[float, float]:
    """Return the exact interval of a share, given `mistakes` out of `n`.

    >>> low, high = clopper_pearson(0, 30, 0.95)
    >>> f"{low:.4f} {high:.4f}"
    '0.0000 0.1157'
    """
    tail = (1 - level) / 2
    low = 0.0 if mistakes <= 0 else float(stats.beta.ppf(tail, mistakes, n - mistakes + 1))
    high = 1.0 if mistakes >= n else float(stats.beta.ppf(1 - tail, mistakes + 1, n - mistakes))
    return low, high


def estimate_loss(
    loss: Measure, losses: Numbers, weights: Numbers | None, groups: Indices | None
) -> Estimate:
    """Return the average of the losses of rows, with its standard error.

    Each of n units is one independent term of the error: sqrt(n/(n-1) Σ (Σ of its rows' w (e - m))²) / W.
    """
    mean = average(losses, weights)
    if losses.shape == ():
        return Estimate(
            mean, math.nan, 1, None, loss.lowest, loss.highest, "unknown: one number for all rows"
        )
    w = np.ones(len(losses)) if weights is None else weights
    losses, w, groups = losses[w > 0], w[w > 0], None if groups is None else groups[w > 0]
    unit = np.arange(len(losses)) if groups is None else renumbered(groups)
    n_units, error = int(unit.max()) + 1, math.nan
    if n_units > 1 and math.isfinite(mean):
        terms = np.bincount(unit, weights=w * (losses - mean))
        error = math.sqrt(n_units / (n_units - 1) * float(np.sum(terms * terms))) / float(np.sum(w))
    plain = groups is None and bool((w == w[0]).all())
    effective = None
    if isinstance(loss, Misclassification):
        n_rows = float(len(losses))
        by_unit = np.bincount(unit, weights=w).astype(np.float64)
        effective = n_rows if plain else min(n_rows, _effective_number(mean, error, by_unit))
    method = f"t interval over {n_units} {'rows' if groups is None else 'groups'}"
    if effective is not None:
        method = "Clopper-Pearson" if plain else f"Clopper-Pearson with {effective:.1f} effective rows"
    return Estimate(mean, error, n_units, effective, loss.lowest, loss.highest, method)


def _effective_number(share: float, error: float, unit_weights: Numbers) -> float:
    """Return how many rows of equal weight would have this standard error: share · (1 - share) / error².

    Where no row is mistaken, or every row is, nothing varies: then units count by their weights (Kish), and a
    group counts as one row, which is cautious.
    """
    kish = float(np.sum(unit_weights)) ** 2 / float(np.sum(unit_weights * unit_weights))
    if 0 < share < 1 and error > 0:
        return share * (1 - share) / (error * error)
    return kish
