"""Learning curves: how training and development loss change as there are more rows to learn from.

Words: a *size* is a number of training rows; rows come in a shuffled order of which every beginning has the
classes in their shares; a *repeat* shuffles anew. Nothing is drawn here: data frames in, a data frame out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arboretum.errors import ParameterError, import_pandas
from arboretum.experiment.fitting import fit, tree_size
from arboretum.experiment.losses import Loss, mean_loss
from arboretum.experiment.rows import Rows
from arboretum.experiment.settings import make
from arboretum.progress import progress
from arboretum.scalars import is_integer, is_real

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SIZES", "Repeat", "growing_order", "measure_sizes", "resolve_sizes"]

Codes = npt.NDArray[np.intp]

SIZES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class Repeat:
    """Training rows, the order in which they come, and the rows to measure on."""

    training: Rows
    order: Codes
    development: Rows


@dataclass(frozen=True)
class Point:
    """What one model has shown."""

    training_loss: float
    development_loss: float
    leaves: int | None
    seconds: float


def growing_order(n_rows: int, strata: Codes | None, random: np.random.RandomState) -> Codes:
    """Return the rows in a random order of which every beginning has nearly its share of each stratum.

    The rows of a stratum are spread evenly: the r-th of n comes at (r + u) / n of the way, u random.
    """
    shuffled = random.permutation(n_rows)
    if strata is None:
        return shuffled
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    sizes = np.bincount(strata)
    begin = np.cumsum(sizes) - sizes
    of = strata[by_stratum]
    place = (np.arange(n_rows) - begin[of] + random.uniform(size=len(sizes))[of]) / sizes[of]
    return by_stratum[np.argsort(place, kind="stable")]


def resolve_sizes(sizes: Any, n_rows: int) -> list[int]:
    """Return numbers of rows in ascending order: shares of all rows are turned into numbers."""
    try:
        given = list(sizes)
    except TypeError:
        given = []
    rows: set[int] = set()
    for size in given:
        whole = is_integer(size)
        if not (whole and 1 <= size <= n_rows) and not (not whole and is_real(size) and 0 < size <= 1):
            raise ParameterError(
                f"sizes holds {size!r}, which is not allowed; give whole numbers of rows from 1 to {n_rows}, "
                "or shares of them above 0.0 and up to 1.0."
            )
        rows.add(int(size) if whole else max(1, round(size * n_rows)))
    if not rows:
        raise ParameterError(f"sizes={sizes!r} is not allowed; give a list of numbers of rows, or of shares.")
    return sorted(rows)


def measure_sizes(
    estimator: Any, repeats: Sequence[Repeat], sizes: Sequence[int], loss: Loss, *, fixed: bool, shown: bool
) -> pd.DataFrame:
    """Return one line per size; with `fixed` development rows, all rows are learnt from only once."""
    pandas = import_pandas("learning_curve()")
    n_all = repeats[0].training.n_rows
    # The same rows again would give the same losses, and a standard error of 0 that means nothing.
    fits = [
        (size, repeat) for size in sizes for repeat in (repeats[:1] if fixed and size == n_all else repeats)
    ]
    points: dict[int, list[Point]] = {size: [] for size in sizes}
    for size, repeat in progress(fits, len(fits), "learning curve", shown=shown):
        points[size].append(_measure(estimator, repeat, size, loss))
    frame: pd.DataFrame = pandas.DataFrame([_line(size, of_size) for size, of_size in points.items()])
    return frame


def _measure(estimator: Any, repeat: Repeat, size: int, loss: Loss) -> Point:
    rows = repeat.training.take(np.sort(repeat.order[:size]))
    model = make(estimator, {})
    seconds = fit(model, rows, loss.kind)
    return Point(
        mean_loss(loss, model, rows), mean_loss(loss, model, repeat.development), tree_size(model)[0], seconds
    )


def _line(size: int, points: list[Point]) -> dict[str, float]:
    training, training_se = _mean_and_error([p.training_loss for p in points])
    development, development_se = _mean_and_error([p.development_loss for p in points])
    leaves = [np.nan if p.leaves is None else p.leaves for p in points]
    return {
        "size": size,
        "repeats": len(points),
        "training_loss": training,
        "training_se": training_se,
        "development_loss": development,
        "development_se": development_se,
        "leaves": float(np.mean(leaves)),
        "fit_seconds": float(np.mean([p.seconds for p in points])),
    }


def _mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error over the repeats; the error is NaN for a single one."""
    mean = float(np.mean(values))
    if len(values) < 2 or not np.isfinite(mean):
        return mean, np.nan
    return mean, float(np.std(values, ddof=1) / np.sqrt(len(values)))
