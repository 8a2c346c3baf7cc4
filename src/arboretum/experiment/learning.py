"""Learning curves: how training and development loss change with the number of training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data.rows import Rows
from arboretum._data.scalars import is_integer, is_real
from arboretum._options.running import Verbose, progress
from arboretum._types import Indices
from arboretum.errors import ParameterError, import_pandas
from arboretum.estimators.losses import Loss, mean_loss
from arboretum.experiment.fitting import fit, loss_for, read_rows, tree_size
from arboretum.experiment.settings import check_count, make
from arboretum.experiment.splits import divide, read_strata, resolve_seed

if TYPE_CHECKING:
    import pandas as pd


SIZES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class Repeat:
    """Training rows in a shuffled order, and the rows to measure on."""

    training: Rows
    order: Indices
    development: Rows


@dataclass(frozen=True)
class Point:
    """What one model achieved."""

    training_loss: float
    development_loss: float
    leaves: int | None
    seconds: float


def growing_order(n_rows: int, strata: Indices | None, random: np.random.RandomState) -> Indices:
    """Return the rows in a random order in which any first rows have nearly their share of each stratum.

    The rows of a stratum are spread evenly: the r-th of n comes at (r + u) / n of the order, u random.
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
    """Return numbers of rows in ascending order; shares become numbers."""
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
    """Return one line per size; with `fixed` development rows, the full size is fitted only once."""
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
    """Return the mean and its standard error over the repeats, NaN for a single one."""
    mean = float(np.mean(values))
    if len(values) < 2 or not np.isfinite(mean):
        return mean, np.nan
    return mean, float(np.std(values, ddof=1) / np.sqrt(len(values)))


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Any = SIZES,
    repeats: int = 5,
    X_dev: Any = None,
    y_dev: Any = None,
    holdout: float = 0.2,
    loss: Any = None,
    stratify: Any = "auto",
    groups: Any = None,
    sample_weight: Any = None,
    sample_weight_dev: Any = None,
    random_state: Any = None,
    verbose: int = 0,
) -> pd.DataFrame:
    """Return training and development loss for growing numbers of training rows; needs pandas.

    Where both losses stay high and close, the model underfits: more rows will not help. Where they stay
    apart, it overfits: more rows, or a smaller tree, will help.

    Parameters
    ----------
    estimator : any estimator of scikit-learn's form. It is copied; the original is never fitted.
    X, y : a data frame or a 2-D array, and one target per row.
    sizes : numbers of training rows, or (floats) shares of all of them.
    repeats : how often the training rows are shuffled.
    X_dev, y_dev : rows to measure on. Without them, every repeat holds out a `holdout` share of the rows.
    holdout : that share; groups stay together.
    loss : "zero_one", "log" or a loss matrix for classes, "squared" or "absolute" for numbers. None: zero-one
        for classifiers, squared for regressors.
    stratify : "auto" keeps the shares of the classes in every size; True also keeps those of the tenths of a
        numeric target; one value per row keeps their shares instead; False leaves it to chance.
    groups : one value per row; groups are held out whole, and passed to a `fit` that takes groups.
    sample_weight, sample_weight_dev : one weight per row of X and of X_dev.
    random_state : None and 0 are the same; another whole number gives other shuffles.
    verbose : 1 shows a progress bar; needs tqdm.

    Returns
    -------
    A data frame with one line per size: size, repeats, training_loss, training_se, development_loss,
    development_se (standard errors over the repeats), leaves and fit_seconds (means). Where development rows
    are given, the size of all rows is fitted only once: another order makes no difference.

    >>> from arboretum import TreeClassifier, datasets
    >>> curve = learning_curve(TreeClassifier(max_depth=3), *datasets.load_iris(), sizes=[12, 60, 120])
    >>> curve[["size", "repeats"]].values.tolist()
    [[12, 5], [60, 5], [120, 5]]
    """
    n_repeats, seed = check_count("repeats", repeats), resolve_seed(random_state)
    shown = Verbose().read(verbose, "verbose")
    rows, development = read_rows(X, y, sample_weight, groups, X_dev, y_dev, sample_weight_dev, loss)
    measure = loss_for(loss, rows.target, estimator)
    strata = read_strata(stratify, rows.target, None)
    drawn = []
    for number in range(n_repeats):
        random = np.random.RandomState([seed, number])
        training, dev, own = rows, development, strata
        if dev is None:
            _check_share(holdout)
            shares = (1 - holdout, holdout)
            part = divide(rows.n_rows, shares, random.randint(2**31), strata=strata, groups=rows.groups)
            kept = np.flatnonzero(part == 0)
            training, dev = rows.take(kept), rows.take(np.flatnonzero(part == 1))
            own = None if strata is None else np.unique(strata[kept], return_inverse=True)[1].ravel()
        drawn.append(Repeat(training, growing_order(training.n_rows, own, random), dev))
    fewest = min(repeat.training.n_rows for repeat in drawn)  # parts of whole groups differ in size
    fixed = development is not None
    return measure_sizes(estimator, drawn, resolve_sizes(sizes, fewest), measure, fixed=fixed, shown=shown)


def _check_share(holdout: Any) -> None:
    if not is_real(holdout) or not 0 < holdout < 1:
        raise ParameterError(f"holdout={holdout!r} is not allowed; give a share between 0 and 1.")
