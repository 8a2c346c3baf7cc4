"""How the size of a tree was chosen, and the score that chose it, read from what the fit left behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from arboretum._options.settings import strategy_of
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.pessimistic import Pessimistic
from arboretum._prune.reduced_error import ReducedError
from arboretum._tree.tree import Tree
from arboretum._wording import many
from arboretum.errors import ArboretumError

_BY_LOG: Final[dict[type, str]] = {
    Pessimistic: "pessimistic pruning",
    ReducedError: "reduced-error pruning",
}


@dataclass(frozen=True)
class Size:
    """How many leaves were kept of those grown, by what, and how good that is.

    `score` is the mean loss of rows that were held out, by `measure`, with its standard error; `root_score`
    is that of one leaf. `training` is the loss of the training rows by the same measure. None: not known.
    """

    how: str
    grown_leaves: int
    measure: str | None = None
    score: float | None = None
    error: float | None = None
    root_score: float | None = None
    training: float | None = None

    @property
    def is_judged(self) -> bool:
        """Whether rows were held out to judge by."""
        return self.score is not None


def size_of(model: Any, tree: Tree) -> Size:
    """Return how the size of a model's tree was chosen; a tree alone does not know."""
    if isinstance(model, Tree):
        return Size("a tree by itself does not say how its size was chosen", tree.n_leaves)
    fitted = model._fitted
    grown: int = fitted.grown.n_leaves
    pruner = _pruner(model, tree)
    path = fitted.pruned.path
    if tree.edits:
        return Size("edited by hand", grown)
    if pruner is None and fitted.pruned.alpha is None:
        return Size("as grown, without pruning", grown)
    if path is None or path.chosen is None:
        return Size(_of_log(pruner, fitted.log), grown)
    return _on_path(pruner, fitted, path, grown)


def _pruner(model: Any, tree: Tree) -> Any:
    try:  # parameters may have been set to anything after the fit
        return strategy_of("prune", model.prune, of_classes=tree.rule is not None)
    except ArboretumError:
        return None


def _of_log(pruner: Any, log: Any) -> str:
    name = next((name for kind, name in _BY_LOG.items() if isinstance(pruner, kind)), None)
    if log is None or not len(log):
        return f"{name}, which cut nothing off" if name and log is not None else "as grown"
    pruned = int(log.pruned.sum())
    return f"{name or 'pruning'}: {many(pruned, 'step')} of {len(log):,} cut something off ({log.errors})"


def _on_path(pruner: Any, fitted: Any, path: Any, grown: int) -> Size:
    step = path.chosen
    price = f"alpha={path.alpha[step]:.4g}"
    if not np.isfinite(path.cv_risk[step]):
        return Size(f"cost-complexity pruning with the price {price} of a leaf", grown)
    chooses = isinstance(pruner, CostComplexity)
    judge = pruner.measure if chooses else None
    measure = judge if isinstance(judge, str) else getattr(judge, "__name__", None)
    # The path counts training rows by what their own leaves say, before that is drawn along the path.
    same = not fitted.tree.shrinkage and measure in (None, fitted.sequencer._measure_of(fitted.grown))
    # Of an older file, the name of the pruner may have stood for another rule.
    rule = f", rule={pruner.rule!r}" if chooses and fitted.training_data.missing is not None else ""
    return Size(
        f"cost-complexity pruning, {price}, judged by rows that were held out{rule}",
        grown,
        measure=measure or fitted.sequencer._measure_of(fitted.grown),
        score=float(path.cv_risk[step]),
        error=_finite(path.cv_se[step]),
        root_score=_finite(path.cv_risk[-1]),
        training=_finite(path.risk[step]) if same else None,
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
