"""Why a tree was pruned as it was, in JSON's own types and back: the path, the log, how sequences are made.

The trees themselves are stored in model_document.py.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum.errors import DataError, ParameterError
from arboretum.files import array_from, field_of, listed
from arboretum.pruning.cost_complexity import CostComplexity
from arboretum.pruning.log import PruningLog
from arboretum.pruning.path import PruningPath
from arboretum.pruning.risks import resolve_measure
from arboretum.tree import Tree

__all__ = ["alpha_from", "log_from", "path_from", "sequencer_from", "stored_log", "stored_path"]

_PATH: Final[dict[str, type]] = {
    "alpha": np.float64,
    "leaves": np.int64,
    "risk": np.float64,
    "cv_risk": np.float64,
    "cv_se": np.float64,
}
_LOG: Final[dict[str, type]] = {"node": np.int32, "before": np.float64, "after": np.float64}
_ACTIONS: Final = {"keep", "leaf", "raise"}


def stored_path(path: PruningPath) -> dict[str, Any]:
    """Return a pruning path as it is stored."""
    return {name: listed(getattr(path, name)) for name in _PATH} | {"chosen": path.chosen}


def path_from(stored: dict[str, Any] | None) -> PruningPath | None:
    """Return the pruning path that `stored_path` wrote."""
    if stored is None:
        return None
    arrays = {
        name: array_from(field_of(stored, name, list), kind, f"The pruning path's {name}", or_none=True)
        for name, kind in _PATH.items()
    }
    n_trees, chosen = len(arrays["alpha"]), field_of(stored, "chosen", int, optional=True)
    if not n_trees or any(len(array) != n_trees for array in arrays.values()):
        raise DataError("the lists of the pruning path differ in length, or are empty")
    alpha, leaves = arrays["alpha"], arrays["leaves"]
    if not np.isfinite(alpha).all() or alpha[0] != 0 or (np.diff(alpha) <= 0).any():
        raise DataError("the prices of the pruning path do not rise from 0")
    if leaves[-1] != 1 or (np.diff(leaves) >= 0).any():
        raise DataError("the trees of the pruning path do not become smaller down to one leaf")
    if chosen is not None and not 0 <= chosen < n_trees:
        raise DataError("the pruning path has chosen a tree that is not in it")
    return PruningPath(**arrays, chosen=chosen)


def stored_log(log: PruningLog | None) -> dict[str, Any] | None:
    """Return a pruning log as it is stored."""
    if log is None:
        return None
    arrays = {name: listed(getattr(log, name)) for name in _LOG}
    return arrays | {"action": list(log.action), "errors": log.errors}


def log_from(stored: dict[str, Any] | None) -> PruningLog | None:
    """Return the pruning log that `stored_log` wrote."""
    if stored is None:
        return None
    arrays = {
        name: array_from(field_of(stored, name, list), kind, f"The pruning log's {name}")
        for name, kind in _LOG.items()
    }
    action = field_of(stored, "action", list)
    if any(len(array) != len(action) for array in arrays.values()):
        raise DataError("the lists of the pruning log differ in length")
    if not all(isinstance(word, str) and word in _ACTIONS for word in action):
        raise DataError(f"the pruning log holds an action that is none of {', '.join(sorted(_ACTIONS))}")
    return PruningLog(**arrays, action=tuple(action), errors=field_of(stored, "errors", str))


def sequencer_from(stored: dict[str, Any], grown: Tree) -> CostComplexity:
    """Return what makes the sequence of pruned trees, checked by the tree that it is for."""
    measure = field_of(stored, "measure", str, optional=True)
    sequencer = CostComplexity(measure=measure, complexity=field_of(stored, "complexity", str))
    try:
        sequencer._check()
        resolve_measure(measure, grown.criterion, of_classes=grown.rule is not None)
    except ParameterError as error:
        raise DataError(f"its sequence cannot be made: {error}") from error
    return sequencer


def alpha_from(stored: Any) -> float | None:
    """Return the price of a leaf; it is finite and not negative."""
    if stored is None:
        return None
    alpha = float(array_from([stored], np.float64, "The model's alpha")[0])
    if not 0 <= alpha < np.inf:
        raise DataError(f"its alpha is {alpha}, but a price is finite and not negative")
    return alpha
