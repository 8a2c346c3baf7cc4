"""Why a tree was pruned as it was, in JSON's own types and back: path, log, and how sequences are made."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.log import PruningLog
from arboretum._prune.path import PruningPath
from arboretum._prune.risks import resolve_measure
from arboretum._prune.sequence import Sequence
from arboretum._store.tree_document import array_from, field_of, listed
from arboretum._tree.tree import Tree
from arboretum._wording import many
from arboretum.errors import DataError, ParameterError

_PATH: Final[dict[str, type]] = {
    "alpha": np.float64,
    "leaves": np.int64,
    "risk": np.float64,
    "cv_risk": np.float64,
    "cv_se": np.float64,
}
_LOG: Final[dict[str, type]] = {"node": np.int32, "before": np.float64, "after": np.float64}
_ACTIONS: Final = {"keep", "leaf", "raise"}
_ROUNDED: Final = 1e-6  # of the larger of two numbers, or of the root's risk
_SHOWN: Final = 5


def stored_path(path: PruningPath) -> dict[str, Any]:
    """Return a pruning path as it is stored."""
    return {name: listed(getattr(path, name)) for name in _PATH} | {"chosen": path.chosen}


def path_from(stored: dict[str, Any], sequence: Sequence) -> PruningPath:
    """Return the pruning path that `stored_path` wrote; refuse one that is not that of the sequence."""
    arrays = {
        name: array_from(
            field_of(stored, name, list, of="pruning path"), kind, f"The pruning path's {name}", or_none=True
        )
        for name, kind in _PATH.items()
    }
    n_trees = len(arrays["alpha"])
    chosen = field_of(stored, "chosen", int, optional=True, of="pruning path")
    if not n_trees or any(len(array) != n_trees for array in arrays.values()):
        raise DataError("the lists of the pruning path differ in length, or are empty")
    alpha, leaves = arrays["alpha"], arrays["leaves"]
    if not np.isfinite(alpha).all() or alpha[0] != 0 or (np.diff(alpha) <= 0).any():
        raise DataError("the prices of the pruning path do not rise from 0")
    if leaves[-1] != 1 or (np.diff(leaves) >= 0).any():
        raise DataError("the trees of the pruning path do not become smaller down to one leaf")
    if chosen is not None and not 0 <= chosen < n_trees:
        raise DataError("the pruning path has chosen a tree that is not in it")
    path = PruningPath(**arrays, chosen=chosen)
    _check_held_out(path)
    _check_sequence(path, sequence.path())
    return path


def _check_held_out(path: PruningPath) -> None:
    """Refuse losses of held-out rows that are known for some trees only, and impossible errors."""
    risk, error = path.cv_risk, path.cv_se
    unknown = np.isnan(risk)
    if unknown.any() and not (unknown.all() and np.isnan(error).all()):
        raise DataError("the pruning path has a cv_risk or cv_se for some of its trees only")
    if (risk == -np.inf).any():
        raise DataError("the pruning path has a cv_risk below every number")
    if (error < 0).any():
        raise DataError(f"the pruning path has a cv_se of {error.min():g}, but an error is not below 0")


def _check_sequence(path: PruningPath, made: PruningPath) -> None:
    """Refuse a path that the stored tree does not have; numbers may differ by rounding, on other machines."""
    if len(path) != len(made) or (path.leaves != made.leaves).any():
        raise DataError(
            f"its pruning path has {_sizes(path)} leaves, but pruning its tree gives {_sizes(made)}"
        )
    for name in ("alpha", "risk"):
        mine, true = getattr(path, name), getattr(made, name)
        with np.errstate(over="ignore"):
            near = np.abs(mine - true) <= _ROUNDED * np.maximum(np.abs(true), np.abs(made.risk[-1]))
        if not near.all():
            place = int(np.argmin(near))
            raise DataError(
                f"its pruning path has the {name} {mine[place]:g} for {_leaves(path, place)}, but its "
                f"tree has {true[place]:g}"
            )


def _leaves(path: PruningPath, place: int) -> str:
    return many(int(path.leaves[place]), "leaf")


def _sizes(path: PruningPath) -> str:
    """Return the first sizes of a path, and the last."""
    first = [f"{n:,}" for n in path.leaves[:_SHOWN].tolist()]
    return ", ".join(first if len(path) <= _SHOWN else [*first, "…", "1"])


def check_choice(path: PruningPath, alpha: float | None, tree: Tree, sequence: Sequence) -> None:
    """Refuse a path that has chosen another tree than the one that predicts."""
    if path.chosen is None:
        return
    if tree.n_leaves != path.leaves[path.chosen]:
        raise DataError(
            f"its pruning path has chosen {_leaves(path, path.chosen)}, but its tree has {tree.n_leaves:,}"
        )
    if alpha is None or sequence.step_of(alpha) != path.chosen:
        raise DataError(
            f"its pruning path has chosen {_leaves(path, path.chosen)}, which its alpha {alpha} does not"
        )


def stored_log(log: PruningLog | None) -> dict[str, Any] | None:
    """Return a pruning log as it is stored."""
    if log is None:
        return None
    arrays = {name: listed(getattr(log, name)) for name in _LOG}
    return arrays | {"action": list(log.action), "errors": log.errors}


def log_from(stored: dict[str, Any], grown: Tree | None) -> PruningLog:
    """Return the pruning log that `stored_log` wrote; `grown` is None if that tree is not known."""
    arrays = {
        name: array_from(field_of(stored, name, list, of="pruning log"), kind, f"The pruning log's {name}")
        for name, kind in _LOG.items()
    }
    action = field_of(stored, "action", list, of="pruning log")
    if any(len(array) != len(action) for array in arrays.values()):
        raise DataError("the lists of the pruning log differ in length")
    if not all(isinstance(word, str) and word in _ACTIONS for word in action):
        raise DataError(f"the pruning log holds an action that is none of {', '.join(sorted(_ACTIONS))}")
    if grown is not None and not np.isin(arrays["node"], grown.array("id")).all():
        raise DataError("the pruning log names a node that the tree has never had")
    errors = field_of(stored, "errors", str, of="pruning log")
    return PruningLog(**arrays, action=tuple(action), errors=errors)


def sequencer_from(stored: dict[str, Any], grown: Tree) -> CostComplexity:
    """Return what makes the sequence of pruned trees, checked by the tree that it is for."""
    measure = field_of(stored, "measure", str, optional=True)
    if measure is None:  # in files of earlier versions, which had one default for all
        measure = resolve_measure(None, grown.criterion, of_classes=grown.rule is not None)
    sequencer = CostComplexity(measure=measure, complexity=field_of(stored, "complexity", str))
    try:
        sequencer._checked()
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
