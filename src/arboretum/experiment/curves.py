"""The two curves as functions, for those who have divided their data themselves.

Words: *X_dev, y_dev* are development data: rows that were not learnt from. How sizes and trees are measured
is in learning.py and complexity.py; `Experiment` has methods of the same names for its own parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum.errors import ParameterError
from arboretum.experiment.complexity import measure_complexity
from arboretum.experiment.labels import read_groups, read_strata
from arboretum.experiment.learning import SIZES, Repeat, growing_order, measure_sizes, resolve_sizes
from arboretum.experiment.losses import Loss, check_goes, default_loss, loss_kind, resolve_loss
from arboretum.experiment.rows import Rows, as_table
from arboretum.experiment.settings import check_count, make
from arboretum.experiment.splits import divide, resolve_seed
from arboretum.experiment.targets import Target, read_target, with_common_classes
from arboretum.progress import resolve_verbose
from arboretum.scalars import is_real
from arboretum.targets import read_weights

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["complexity_curve", "learning_curve"]


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

    Where the two meet high up, the model underfits: more rows will not help. Where they stay apart, it
    overfits: more rows, or a smaller tree, will.

    Parameters
    ----------
    estimator : any estimator of scikit-learn's form. It is copied, never fitted itself.
    X, y : a data frame or a 2-D array, and one target per row.
    sizes : numbers of training rows, or (floats) shares of all of them.
    repeats : how often the training rows are shuffled anew.
    X_dev, y_dev : rows to measure on. Without them every repeat holds out a `holdout` share of the rows.
    holdout : that share; groups stay together.
    loss : "zero_one", "log" or a loss matrix for classes, "squared" or "absolute" for numbers. None: zero-one
        for classifiers, squared for regressors.
    stratify : "auto" keeps the shares of the classes in every size, as do True (a numeric target by its
        tenths) and one value per row; False leaves it to chance.
    groups : one value per row; used for holding out, and passed to a `fit` that takes groups.
    sample_weight, sample_weight_dev : one weight per row of X and of X_dev.
    random_state : None and 0 are the same; another whole number gives other shuffles.
    verbose : 1 shows a bar; needs tqdm.

    Returns
    -------
    A data frame with one line per size: size, repeats, training_loss, training_se, development_loss,
    development_se (standard errors over the repeats), leaves and fit_seconds (means). All rows are learnt
    from only once where the development rows are given: another order makes no difference.

    >>> from arboretum import TreeClassifier, datasets
    >>> curve = learning_curve(TreeClassifier(max_depth=3), *datasets.load_iris(), sizes=[12, 60, 120])
    >>> curve[["size", "repeats"]].values.tolist()
    [[12, 5], [60, 5], [120, 5]]
    """
    n_repeats, seed = check_count("repeats", repeats), resolve_seed(random_state)
    shown = resolve_verbose(verbose)
    rows, development = _read(X, y, sample_weight, groups, X_dev, y_dev, sample_weight_dev, loss)
    measure = _loss_for(loss, rows.target, estimator)
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


def complexity_curve(
    estimator: Any,
    X: Any,
    y: Any,
    X_dev: Any,
    y_dev: Any,
    *,
    loss: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    sample_weight_dev: Any = None,
) -> pd.DataFrame:
    """Return error against leaves, on training and development data, for every tree of one pruning sequence.

    The tree is grown once on X, y and pruned step by step, weakest link first; needs pandas. On the left the
    tree underfits (both losses high), on the right it overfits (training loss low, development loss rising).

    Parameters
    ----------
    estimator : a tree of this package. If it is pruned by cost-complexity, the tree that it would choose by
        itself is marked; otherwise its `prune` is left aside.
    X, y : training data.
    X_dev, y_dev : development data.
    loss : as in `learning_curve`.
    groups : one value per row of X, for the folds by which the estimator chooses.
    sample_weight, sample_weight_dev : one weight per row of X and of X_dev.

    Returns
    -------
    A data frame with one line per tree, smallest first: leaves, depth, alpha (NaN for the tree as grown, if
    even alpha 0 prunes), training_loss, development_loss, chosen (by the estimator itself), best (lowest
    development loss, the smallest of equals).
    """
    if X_dev is None:
        raise ParameterError("complexity_curve needs development data; give X_dev and y_dev.")
    training, development = _read(X, y, sample_weight, groups, X_dev, y_dev, sample_weight_dev, loss)
    assert development is not None
    return measure_complexity(estimator, training, development, _loss_for(loss, training.target, estimator))


def _read(
    X: Any, y: Any, weight: Any, groups: Any, X_dev: Any, y_dev: Any, weight_dev: Any, loss: Any
) -> tuple[Rows, Rows | None]:
    """Return the rows, and the development rows if there are any, with classes in common."""
    if (X_dev is None) != (y_dev is None):
        raise ParameterError("X_dev and y_dev go together; give both, or neither.")
    kind = loss_kind(loss)
    table, n_rows = as_table(X)
    target = read_target(y, n_rows, kind, "learning")
    weights, of_groups = read_weights(weight, n_rows), read_groups(groups, n_rows)
    if X_dev is None:
        return Rows(table, target, weights, of_groups), None
    table_dev, n_dev = as_table(X_dev)
    target, target_dev = with_common_classes(target, read_target(y_dev, n_dev, kind, "learning"))
    development = Rows(table_dev, target_dev, read_weights(weight_dev, n_dev))
    return Rows(table, target, weights, of_groups), development


def _loss_for(loss: Any, target: Target, estimator: Any) -> Loss:
    make(estimator, {})  # refuses what is no estimator
    measure = default_loss(target, estimator) if loss is None else resolve_loss(loss, target)
    check_goes(measure, estimator)
    return measure


def _check_share(holdout: Any) -> None:
    if not is_real(holdout) or not 0 < holdout < 1:
        raise ParameterError(f"holdout={holdout!r} is not allowed; give a share between 0 and 1.")
