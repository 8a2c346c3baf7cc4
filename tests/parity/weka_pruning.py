"""J48's ways of pruning: its options in our words, and its reduced-error pruning the long way.

The tuning rows are those that J48's `-R` holds out; the others are the growing rows. To snap a threshold is
to move it to a value of the table, which changes nothing for the rows it was found with. Nothing is compared
here; no tree is grown.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum import CostComplexity, Pessimistic, ReducedError

from .plain_trees import PlainNode, Values, pass_on
from .rpart_oracle import FOLDER
from .weka_oracle import CONFIGS, WekaOracle

__all__ = ["PRUNED", "growing_rows", "parameters", "pruned_oracles", "reduce_errors", "snap", "tuning_rows"]

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Names of options by which J48 prunes pessimistically, or by tuning rows; the others only collapse.
PRUNED: Final = (
    "default",
    "c01",
    "c05_m10",
    "noraise",
    "binary",
    "blankfit_default",
    "blankfit_binary",
    "laplace",
    "rep",
    "rep_binary",
)
# J48 compares errors with this slack.
SLACK: Final = 1e-6


def pruned_oracles(folder: Path = FOLDER) -> list[str]:
    """Return the names of J48's results, pruned or only collapsed, in the order of the alphabet."""
    endings = tuple(f"__J48_{config}" for config in (*PRUNED, *CONFIGS["J48"]))
    names = {path.name.split(".json")[0] for path in (folder / "weka").glob("*__J48_*.json*")}
    return sorted(name for name in names if name.endswith(endings))


def parameters(oracle: WekaOracle) -> dict[str, Any]:
    """Return what our `c45` is told so that it does what J48 was told to."""
    options = oracle.stored["options"].split()
    least = int(options[options.index("-M") + 1])
    told: dict[str, Any] = {"min_samples_leaf": least, "min_samples_split": 2 * least}
    told |= {"nominal": "one_vs_rest"} if "-B" in options else {}
    told |= {"leaf": "laplace"} if "-A" in options else {}
    if "-U" in options:
        return told | {"prune": CostComplexity(alpha=0.0)}
    if "-R" in options:
        return told | {"prune": ReducedError(order="bottom_up")}
    confidence = float(options[options.index("-C") + 1])
    return told | {"prune": Pessimistic(confidence=confidence, raise_subtrees="-S" not in options)}


def tuning_rows(oracle: WekaOracle) -> Mask:
    """Return which rows J48 held out to prune by: none without `-R`."""
    held_out = np.zeros(len(oracle.target), dtype=np.bool_)
    held_out[oracle.stored.get("prune_rows_0based", [])] = True
    return held_out


def growing_rows(oracle: WekaOracle) -> Mask:
    """Return which rows J48 grew its tree from."""
    return ~tuning_rows(oracle)


def snap(node: PlainNode, values: Values, shares: Numbers) -> PlainNode:
    """Return the tree with thresholds at the largest value of the whole table that is not above the middle.

    The middle is that between the two nearest values of the node's own rows. J48 looks at all rows for it,
    also at those it prunes by.
    """
    if node.is_leaf:
        return node
    threshold = node.threshold
    if node.child_of is None:
        column = values[node.column]
        here = column[(shares > 0) & ~np.isnan(column)]
        middle = (here[here <= threshold].max() + here[here > threshold].min()) / 2
        threshold = float(column[column <= middle].max())
    parts = pass_on(node, values, shares)
    children = tuple(snap(child, values, part) for child, part in zip(node.children, parts, strict=True))
    return replace(node, threshold=threshold, children=children)


def reduce_errors(root: PlainNode, values: Values, y: npt.NDArray[np.int64], shares: Numbers) -> PlainNode:
    """Return the tree that J48's `-R` keeps: from the leaves up, what makes no fewer errors becomes a leaf.

    `shares` are those of the tuning rows. A leaf predicts the class that most growing rows have; without
    rows, that of the node above.
    """

    def below(node: PlainNode, here: Numbers, above: Numbers) -> tuple[PlainNode, float]:
        own = node.weights if node.weight > 0 else above
        errors = float(here[y != int(np.argmax(own))].sum())
        if node.is_leaf:
            return node, errors
        found = [
            below(c, part, own) for c, part in zip(node.children, pass_on(node, values, here), strict=True)
        ]
        of_leaves = sum(errors for _, errors in found)
        if errors <= of_leaves + SLACK:
            return PlainNode(node.weights), errors
        return replace(node, children=tuple(child for child, _ in found)), of_leaves

    return below(root, shares, root.weights)[0]
