"""What to try next: sentences that follow from facts about a fitted model, the most pressing first.

Each function looks at one fact and returns a sentence, or nothing. Thresholds are named here, so that a
reader can disagree with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from arboretum._data.levels import level_text
from arboretum._data.suspicions import Suspicion, TextMeaning
from arboretum._tree.tree import Tree
from arboretum._wording import many, shown
from arboretum.errors import listing
from arboretum.inspection.summary.size import Size

if TYPE_CHECKING:
    from arboretum.inspection.summary.summary import ColumnSummary, Shape

MOST: Final = 6
_MOSTLY_MISSING: Final = 0.5
_RARE: Final = 0.1
_FEW_ROWS: Final = 5
_MANY_LEVELS: Final = 50
_OVERFITTED: Final = 2.0  # times the loss of training rows
_UNSURE: Final = 0.6
_MUCH: Final = 0.25  # of the rows
_NAMED: Final = 3


def advice_for(
    model: Any,
    tree: Tree,
    size: Size,
    shape: Shape,
    columns: Sequence[ColumnSummary],
    suspicions: tuple[Suspicion, ...] | None,
) -> tuple[str, ...]:
    """Return what to try next; nothing where nothing stands out."""
    found = [
        *_of_suspicions(suspicions or ()),
        _of_limits(model, tree, size) or _of_one_leaf(tree, size),
        _of_no_pruning(model, tree, size),
        _of_no_better(size, shape),
        _of_overfitting(size, shape),
        _of_silent_classes(model, tree),
        _of_gaps(columns, tree),
        _of_levels(columns),
        _of_small_leaves(tree, shape),
        _of_doubt(tree),
        _of_unasked(columns, shape),
    ]
    return tuple([sentence for sentence in found if sentence is not None][:MOST])


def _of_suspicions(found: Sequence[Suspicion]) -> list[str]:
    names = [each.column for each in found if each.looks_like == "identifier"]
    counters = [each.column for each in found if each.looks_like == "row number"]
    texts = [each for each in found if each.looks_like in get_args(TextMeaning)]
    silent = [each.column for each in found if each.looks_like in ("constant", "empty")]
    said = []
    if names:
        said.append(f"Leave out {listing(names, _NAMED)}: nearly every row has a value of its own.")
    if counters:
        said.append(f"Leave out {listing(counters, _NAMED)}: it only counts the rows.")
    for each in texts[:_NAMED]:
        said.append(f"Convert {shown(each.column)}: its text reads as {each.looks_like}.")
    if silent:
        said.append(f"Check {listing(silent, _NAMED)}: all rows are the same there, or have no value.")
    return said


def _of_one_leaf(tree: Tree, size: Size) -> str | None:
    if len(tree) > 1:
        return None
    if size.grown_leaves > 1:
        return (
            f"The tree asks nothing, but was grown with {many(size.grown_leaves, 'leaf')}: look at "
            "model.unpruned() and model.pruning_path_, and give more rows or other columns."
        )
    return "The tree asks nothing: check that the target varies, and give columns that tell about it."


def _of_limits(model: Any, tree: Tree, size: Size) -> str | None:
    """Say so where a limit of growth, not pruning, ended the tree."""
    if model is None or tree.n_leaves < size.grown_leaves:
        return None
    if isinstance(model.max_depth, int) and tree.depth >= model.max_depth:
        return f"max_depth={model.max_depth} ended growth, not pruning: try a larger one, or None."
    if isinstance(model.max_leaf_nodes, int) and tree.n_leaves >= model.max_leaf_nodes:
        return f"max_leaf_nodes={model.max_leaf_nodes} ended growth, not pruning: try a larger one, or None."
    return None


def _of_no_pruning(model: Any, tree: Tree, size: Size) -> str | None:
    if model is None or model.prune is not None or tree.edits or len(tree) == 1 or size.is_judged:
        return None
    return (
        f"All {many(tree.n_leaves, 'leaf')} are as grown: prune='cost_complexity' keeps those that hold for "
        "rows the tree has not seen."
    )


def _of_no_better(size: Size, shape: Shape) -> str | None:
    if size.score is None or size.root_score is None or size.error is None or shape.n_leaves == 1:
        return None
    if size.root_score - size.score > 2 * size.error:
        return None
    return (
        f"Held-out rows hardly tell the tree from one leaf ({_figure(size.score)} ± {_figure(size.error)} "
        f"against {_figure(size.root_score)}): give more rows, or columns that tell more about the target."
    )


def _of_overfitting(size: Size, shape: Shape) -> str | None:
    if size.score is None or size.training is None or shape.n_leaves == 1 or size.training <= 0:
        return None
    times = size.score / size.training
    if times < _OVERFITTED:
        return None
    return (
        f"Held-out rows lose {times:.1f} times as much as training rows ({_figure(size.score)} against "
        f"{_figure(size.training)}): try CostComplexity(rule='1se') or a larger min_samples_leaf."
    )


def _figure(value: float) -> str:
    return f"{value:.3g}"


def _of_silent_classes(model: Any, tree: Tree) -> str | None:
    """Say so where a rare class is never predicted."""
    if tree.rule is None or len(tree) == 1:
        return None
    leaf = tree.array("n_children") == 0
    said = set(tree.array("label")[leaf].tolist())
    counts = tree.array("counts")[0]
    shares = counts / max(float(counts.sum()), np.finfo(float).tiny)
    silent = [k for k, share in enumerate(shares.tolist()) if k not in said and 0 < share < _RARE]
    if not silent:
        return None
    classes = tree.target.classes or ()
    names = listing([level_text(classes[k]) for k in silent], _NAMED)
    weighed = model is not None and getattr(model, "class_weight", None) is not None
    hint = (
        "use predict_proba and a threshold" if weighed else "try class_weight='balanced', or tune_threshold()"
    )
    return f"No leaf predicts {names} ({shares[silent].sum():.1%} of the weight): {hint}."


def _of_gaps(columns: Sequence[ColumnSummary], tree: Tree) -> str | None:
    n_rows = tree.root.n_rows
    gaps = [
        column.name
        for column in columns
        if column.n_questions and column.missing is not None and column.missing > _MOSTLY_MISSING * n_rows
    ]
    if not gaps:
        return None
    verb = "is" if len(gaps) == 1 else "are"
    return f"{listing(gaps, _NAMED)} {verb} asked about but mostly missing: check why values are missing."


def _of_levels(columns: Sequence[ColumnSummary]) -> str | None:
    wide = [c for c in columns if c.n_questions and c.kind == "nominal" and (c.levels or 0) > _MANY_LEVELS]
    if not wide:
        return None
    named = ", ".join([f"{shown(column.name)} ({column.levels:,})" for column in wide[:_NAMED]])
    return f"Join rare levels of {named}: levels with few rows are put where chance has them."


def _of_small_leaves(tree: Tree, shape: Shape) -> str | None:
    leaf = tree.array("n_children") == 0
    few = int((tree.array("n_rows")[leaf] < _FEW_ROWS).sum())
    if shape.n_leaves == 1 or few <= max(1, shape.n_leaves // 4) or tree.root.n_rows < 10 * _FEW_ROWS:
        return None
    return (
        f"{few:,} of {many(shape.n_leaves, 'leaf')} rest on fewer than {_FEW_ROWS} rows: try "
        f"min_samples_leaf={_FEW_ROWS}."
    )


def _of_doubt(tree: Tree) -> str | None:
    """Say so where many rows end in leaves that are not sure."""
    if tree.rule is None or len(tree) == 1 or len(tree.target.classes or ()) != 2:
        return None
    leaf = tree.array("n_children") == 0
    sure = tree.array("probability")[leaf].max(axis=1)
    rows = tree.array("n_rows")[leaf]
    share = float(rows[sure < _UNSURE].sum()) / max(float(rows.sum()), 1.0)
    if share < _MUCH:
        return None
    return (
        f"{share:.0%} of the rows end in leaves that are less than {_UNSURE:.0%} sure: columns that tell "
        "these rows apart would help most."
    )


def _of_unasked(columns: Sequence[ColumnSummary], shape: Shape) -> str | None:
    unasked = sum(not column.n_questions for column in columns)
    if shape.n_leaves == 1 or unasked < max(10, len(columns) // 2):
        return None
    return (
        f"{unasked:,} of {many(len(columns), 'column')} are never asked about: permutation_importance() on "
        "other rows tells which of the rest the tree needs."
    )
