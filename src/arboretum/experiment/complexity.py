"""Complexity curves: error against leaves on training and development data, from the root to the whole tree.

The tree is grown once, and cost-complexity pruning gives the others. In a pruned tree a row ends in one of
the nodes that it passes in the whole tree. So the losses of all rows are added up once, at every node they
pass, and sums over the leaves of each tree follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data.rows import Rows
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._tree.tree import Tree
from arboretum._types import Codes, Integers, Numbers
from arboretum.errors import ParameterError, import_pandas
from arboretum.estimators.losses import Loss, mean_loss
from arboretum.experiment.fitting import fit, loss_for, read_rows
from arboretum.experiment.settings import make

if TYPE_CHECKING:
    import pandas as pd


def measure_complexity(estimator: Any, training: Rows, development: Rows, loss: Loss) -> pd.DataFrame:
    """Return one line per tree of the pruning sequence, smallest first; the tree as grown comes last."""
    pandas = import_pandas("complexity_curve()")
    model, chooses = _with_sequence(estimator)
    fit(model, training, loss.kind)
    if not hasattr(model, "pruning_path_"):
        raise ParameterError(
            f"complexity_curve needs a tree with a pruning path, but {type(model).__name__} has none after "
            "fitting; give TreeClassifier(), TreeRegressor() or another tree of this package."
        )
    path, grown = model.pruning_path_, model.unpruned()
    parts = (training, development)
    lines = _at_once(model, grown, parts, loss) or _one_by_one(model, parts, loss)
    for number, line in enumerate(lines):
        line |= {"alpha": float(path.alpha[number]), "chosen": chooses and number == path.chosen}
    if grown.get_n_leaves() > lines[0]["leaves"]:  # some splits save no training error: alpha 0 removes them
        lines.insert(0, _line(grown, parts, loss) | {"alpha": np.nan, "chosen": False})
    columns = ["leaves", "depth", "alpha", "training_loss", "development_loss", "chosen"]
    frame: pd.DataFrame = pandas.DataFrame(lines[::-1], columns=columns)
    frame["best"] = frame.index == frame["development_loss"].idxmin()  # the first, so the smallest, of equals
    return frame


def _with_sequence(estimator: Any) -> tuple[Any, bool]:
    """Return an unfitted copy that is pruned by cost-complexity, and whether it chooses its own alpha."""
    model = make(estimator, {})
    params = model.get_params(deep=False)
    if "prune" not in params:
        return model, True
    prune = params["prune"]
    if isinstance(prune, CostComplexity) or (isinstance(prune, str) and prune == "cost_complexity"):
        return model, True
    return model.set_params(prune=CostComplexity(alpha=0.0)), False


def _one_by_one(model: Any, parts: tuple[Rows, Rows], loss: Loss) -> list[dict[str, Any]]:
    """Return the lines of all trees, tree by tree: for any model that has a pruning path."""
    return [_line(model.pruned(alpha=float(alpha)), parts, loss) for alpha in model.pruning_path_.alpha]


def _line(tree: Any, parts: tuple[Rows, Rows], loss: Loss) -> dict[str, Any]:
    return {
        "leaves": tree.get_n_leaves(),
        "depth": tree.get_depth(),
        "training_loss": mean_loss(loss, tree, parts[0]),
        "development_loss": mean_loss(loss, tree, parts[1]),
    }


def _at_once(model: Any, grown: Any, parts: tuple[Rows, Rows], loss: Loss) -> list[dict[str, Any]]:
    """Return the lines of all trees at once; none where rows are divided, or may end at inner nodes."""
    tree = getattr(grown, "tree_", None)
    if not isinstance(tree, Tree) or tree.missing == "fractions":
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


def _losses_at_nodes(tree: Tree, rows: Rows, node: Codes, loss: Loss) -> tuple[Numbers, Numbers]:
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
