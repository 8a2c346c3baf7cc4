"""Curves of training and development loss: over the number of training rows, and over the leaves of a tree.

A complexity curve grows the tree once, and cost-complexity pruning gives the others. In a pruned tree a row
ends in one of the nodes that it passes in the whole tree. So the losses of all rows are added up once, at
every node they pass, and sums over the leaves of each tree follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arboretum._data.rows import Rows
from arboretum._data.scalars import is_integer, is_real
from arboretum._options.measures.measure import Measure, mean_loss
from arboretum._options.rules import Real
from arboretum._options.running import Verbose, progress
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import Tree
from arboretum._types import Codes, Indices, Integers, Numbers
from arboretum._warning import first_of_each, unheard
from arboretum._wording import shown
from arboretum.errors import ParameterError, import_pandas
from arboretum.experiment.fitting import fit, loss_for, read_rows, tree_size
from arboretum.experiment.settings import check_count, make
from arboretum.experiment.splits import divide, read_strata, renumbered, resolve_seed

if TYPE_CHECKING:
    import pandas as pd

SIZES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


# --- learning curves


class Repeat(NamedTuple):
    """Training rows in a shuffled order, and the rows to measure on."""

    training: Rows
    order: Indices
    development: Rows


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
    loss : as in `Experiment`. None: misclassification for classifiers, squared error for regressors.
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
    drawn = draw_repeats(rows, development, n_repeats, stratify=stratify, holdout=holdout, seed=seed)
    fewest = min(repeat.training.n_rows for repeat in drawn)  # parts of whole groups differ in size
    fixed = development is not None
    return measure_sizes(estimator, drawn, resolve_sizes(sizes, fewest), measure, fixed=fixed, shown=shown)


def draw_repeats(
    rows: Rows, development: Rows | None, n_repeats: int, *, stratify: Any, holdout: float, seed: int
) -> list[Repeat]:
    """Return the training rows of each repeat in an order of their own, and the rows to measure on."""
    strata = read_strata(stratify, rows.target, None)
    drawn = []
    for number in range(n_repeats):
        random = np.random.RandomState([seed, number])
        training, dev, own = rows, development, strata
        if dev is None:
            Real("a share between 0 and 1", most=1.0, above=True, below=True).read(holdout, "holdout")
            shares = (1 - holdout, holdout)
            part = divide(rows.n_rows, shares, random.randint(2**31), strata=strata, groups=rows.groups)
            kept = np.flatnonzero(part == 0)
            training, dev = rows.take(kept), rows.take(np.flatnonzero(part == 1))
            own = None if strata is None else renumbered(strata[kept])
        drawn.append(Repeat(training, growing_order(training.n_rows, own, random), dev))
    return drawn


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
        raise ParameterError(
            f"sizes={shown(sizes)} is not allowed; give a list of numbers of rows, or of shares."
        )
    return sorted(rows)


def measure_sizes(
    estimator: Any,
    repeats: Sequence[Repeat],
    sizes: Sequence[int],
    loss: Measure,
    *,
    fixed: bool,
    shown: bool,
) -> pd.DataFrame:
    """Return one line per size; with `fixed` development rows, the full size is fitted only once."""
    pandas = import_pandas("learning_curve()")
    n_all = repeats[0].training.n_rows
    # The same rows again would give the same losses, and a standard error of 0 that means nothing.
    fits = [
        (size, repeat) for size in sizes for repeat in (repeats[:1] if fixed and size == n_all else repeats)
    ]
    measured: dict[int, list[tuple[float, ...]]] = {size: [] for size in sizes}
    for size, repeat in progress(fits, len(fits), "learning curve", shown=shown):
        rows = repeat.training.take(np.sort(repeat.order[:size]))
        # Few rows are few on purpose, and one fit to the most speaks for all.
        with first_of_each() if size == sizes[-1] and repeat is repeats[0] else unheard():
            measured[size].append(measure_fit(make(estimator, {}), rows, repeat.development, loss))
    frame: pd.DataFrame = pandas.DataFrame(
        [{"size": size, **averages(measures)} for size, measures in measured.items()]
    )
    return frame


def measure_fit(model: Any, training: Rows, development: Rows, loss: Measure) -> tuple[float, ...]:
    """Fit the model; return its losses on training and development rows, its leaves and its seconds."""
    seconds = fit(model, training, loss.kind)
    losses = [mean_loss(loss, model, part) for part in (training, development)]
    leaves = tree_size(model)[0]
    return (*losses, np.nan if leaves is None else leaves, seconds)


def averages(measures: Sequence[tuple[float, ...]]) -> dict[str, float]:
    """Return the means of repeated fits, with the standard errors of their losses."""
    training, development, leaves, seconds = zip(*measures, strict=True)
    return {
        "repeats": len(measures),
        "training_loss": float(np.mean(training)),
        "training_se": _standard_error(training),
        "development_loss": float(np.mean(development)),
        "development_se": _standard_error(development),
        "leaves": float(np.mean(leaves)),
        "fit_seconds": float(np.mean(seconds)),
    }


def _standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean over the repeats; NaN for a single one."""
    if len(values) < 2 or not np.isfinite(np.mean(values)):
        return np.nan
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


# --- complexity curves


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

    The tree is grown once on X, y and pruned step by step, weakest link first; needs pandas. Small trees
    underfit (both losses are high), large ones overfit (training loss is low, development loss rises).

    Parameters
    ----------
    estimator : a tree of this package. If it is pruned by cost-complexity, the tree that it would choose
        itself is marked; otherwise its `prune` is ignored.
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
    training, development = read_rows(X, y, sample_weight, groups, X_dev, y_dev, sample_weight_dev, loss)
    assert development is not None
    return measure_complexity(estimator, training, development, loss_for(loss, training.target, estimator))


def measure_complexity(estimator: Any, training: Rows, development: Rows, loss: Measure) -> pd.DataFrame:
    """Return one line per tree of the pruning sequence, smallest first; the tree as grown comes last."""
    pandas = import_pandas("complexity_curve()")
    model, chooses = _with_sequence(estimator)
    with first_of_each():
        fit(model, training, loss.kind)
        if not hasattr(model, "pruning_path_"):
            raise ParameterError(
                f"complexity_curve needs a tree with a pruning path, but {type(model).__name__} has none "
                "after fitting; give TreeClassifier(), TreeRegressor() or another tree of this package."
            )
        path, grown = model.pruning_path_, model.unpruned()
        parts = (training, development)
        lines = _at_once(model, grown, parts, loss) or _one_by_one(model, parts, loss)
        for number, line in enumerate(lines):
            line |= {"alpha": float(path.alpha[number]), "chosen": chooses and number == path.chosen}
        if grown.get_n_leaves() > lines[0]["leaves"]:  # what saves no training error, alpha 0 removes
            lines.insert(0, _line(grown, parts, loss) | {"alpha": np.nan, "chosen": False})
    columns = ["leaves", "depth", "alpha", "training_loss", "development_loss", "chosen"]
    frame: pd.DataFrame = pandas.DataFrame(lines[::-1], columns=columns)
    frame["best"] = frame.index == frame["development_loss"].idxmin()  # the first, so the smallest, of equals
    return frame


def _with_sequence(estimator: Any) -> tuple[Any, bool]:
    """Return an unfitted copy that is pruned by cost-complexity, and whether it chooses its own alpha."""
    model = make(estimator, {})
    prune = model.get_params(deep=False).get("prune", "cost_complexity")
    if isinstance(prune, CostComplexity) or (isinstance(prune, str) and prune == "cost_complexity"):
        return model, True
    return model.set_params(prune=CostComplexity(alpha=0.0)), False


def _one_by_one(model: Any, parts: tuple[Rows, Rows], loss: Measure) -> list[dict[str, Any]]:
    """Return the lines of all trees, tree by tree: for any model that has a pruning path."""
    return [_line(model.pruned(alpha=float(alpha)), parts, loss) for alpha in model.pruning_path_.alpha]


def _line(tree: Any, parts: tuple[Rows, Rows], loss: Measure) -> dict[str, Any]:
    return {
        "leaves": tree.get_n_leaves(),
        "depth": tree.get_depth(),
        "training_loss": mean_loss(loss, tree, parts[0]),
        "development_loss": mean_loss(loss, tree, parts[1]),
    }


def _at_once(model: Any, grown: Any, parts: tuple[Rows, Rows], loss: Measure) -> list[dict[str, Any]]:
    """Return the lines of all trees at once; none where rows are divided, or may end at inner nodes.

    Nor can it be done where the loss is no sum over rows.
    """
    tree = getattr(grown, "tree_", None)
    if not isinstance(tree, Tree) or tree.missing == "fractions" or not loss.of_rows:
        return []
    if models_of(tree) is not None:
        return []
    resting = [grown.apply(part.X) for part in parts]
    if any((tree.array("n_children")[nodes] > 0).any() for nodes in resting):
        return []
    sequence, curves = model._sequence(), []
    for part, nodes in zip(parts, resting, strict=True):
        finite, infinite = _losses_at_nodes(tree, part, nodes, loss)
        sums = np.where(sequence.sums_over_leaves(infinite) > 0, np.inf, sequence.sums_over_leaves(finite))
        curves.append(sums / (part.n_rows if part.weights is None else part.weights.sum()))
    depths = _depths(tree, sequence.steps_at(sequence.alphas), len(sequence))
    names = ("leaves", "depth", "training_loss", "development_loss")
    columns = (sequence.leaves.tolist(), depths.tolist(), curves[0].tolist(), curves[1].tolist())
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _losses_at_nodes(tree: Tree, rows: Rows, node: Codes, loss: Measure) -> tuple[Numbers, Numbers]:
    """Return the loss of the rows that pass each node, as if it were a leaf, and how many are infinite."""
    predicted, parent = loss.at_nodes(tree), tree.array("parent")
    row = np.arange(rows.n_rows) if rows.weights is None else np.flatnonzero(rows.weights)
    node, finite, infinite = node[row], np.zeros(len(tree)), np.zeros(len(tree))
    while len(row):  # all rows climb one step at a time, from their leaf to the root
        losses = loss.each(rows.target.take(row), predicted[node])
        never = np.isinf(losses)
        weighted = np.where(never, 0.0, losses) * (1.0 if rows.weights is None else rows.weights[row])
        finite += np.bincount(node, weighted, len(tree))
        infinite += np.bincount(node, never, len(tree))
        row, node = row[node > 0], parent[node[node > 0]]
    return finite, infinite


def _depths(tree: Tree, steps: Codes, n_steps: int) -> Integers:
    """Return the depth of each tree: that of its deepest remaining node."""
    depth, parent = tree.array("depth"), tree.array("parent")
    gone = np.full(len(tree), n_steps)  # the step that removes a node; never for the root
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero(depth == level)
        gone[nodes] = np.minimum(gone[parent[nodes]], steps[parent[nodes]])
    deepest = np.zeros(n_steps + 1, dtype=np.int64)
    np.maximum.at(deepest, gone, depth)
    return np.maximum.accumulate(deepest[::-1])[::-1][1:]
