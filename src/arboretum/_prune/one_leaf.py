"""Why a fitted tree is one leaf, and what to try, read from the tree as grown and the record of pruning.

The reasons are looked for in the order of the work: the target, growth with its limits and its test, pruning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from arboretum._data.changes import constant_columns
from arboretum._grow.core_options import corrects_levels
from arboretum._grow.growth import Growth
from arboretum._grow.significance.choosing import ColumnTest
from arboretum._options.criteria import impurity_name
from arboretum._options.settings import Settings
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned
from arboretum._tree.tree import Tree
from arboretum._wording import many, shown

Cause = Literal["constant target", "constant columns", "limits", "no gain", "significance", "pruning"]

# A class is rare if it has less than this share of what classes of equal size would have, and has few rows
# below this number.
_RARE_SHARE: Final = 0.2
_FEW_ROWS: Final = 10
# Limits that may forbid every question, with the values besides None that forbid none that helps.
_LIMITS: Final[dict[str, tuple[float, ...]]] = {
    "min_samples_split": (2,),
    "min_samples_leaf": (1,),
    "min_weight_fraction_leaf": (0.0,),
    "min_impurity_decrease": (0.0, math.ulp(0.0)),
    "max_leaf_nodes": (),
    "monotonic_cst": (),
}


@dataclass(frozen=True)
class OneLeaf:
    """Why a tree is one leaf, what was found, and what to try, both as sentences without a final stop."""

    cause: Cause
    found: str
    hint: str


def why_one_leaf(pruned: Pruned, growth: Growth) -> OneLeaf | None:
    """Return the reason why the tree asks nothing; None if it asks something, or nothing was wanted."""
    if len(pruned.tree) > 1 or is_wanted_empty(growth.settings):
        return None
    grown = pruned.grown
    if _is_constant(grown, growth):
        n_rows = grown.root.n_rows
        if growth.targets.order is not None:
            found = "no query has two rows of different relevance"
            return OneLeaf("constant target", found, "check y and the groups")
        found = (
            f"the target is the same in all {n_rows:,} rows" if n_rows > 1 else "it grew from a single row"
        )
        weighed = growth.targets.weights is not None
        return OneLeaf("constant target", found, "check y and the weights" if weighed else "check y")
    why = _not_grown(grown, growth) if len(grown) == 1 else _pruned_away(pruned)
    return _with_rare_class(why, growth) if why.cause == "pruning" else why


def is_wanted_empty(settings: Settings) -> bool:
    """Return whether the limits ask for the empty tree: one leaf, whatever the data."""
    return settings.max_depth == 0 or settings.max_leaf_nodes == 1


def _is_constant(grown: Tree, growth: Growth) -> bool:
    """Return whether all rows that the tree grew from have the same target."""
    numbers = growth.targets.numbers
    if numbers is None:
        return bool((grown.array("counts")[0] > 0).sum() == 1)
    return bool(grown.array("impurity")[0] <= 0 or (numbers == numbers[0]).all())


def _not_grown(grown: Tree, growth: Growth) -> OneLeaf:
    """Return the reason why growth found no question to ask."""
    p_value = float(grown.array("p_value")[0]) if "p_value" in grown._arrays else np.nan
    test = growth.settings.significance
    if test is not None and p_value > test.level:
        return OneLeaf(
            "significance",
            f"its best {'column' if isinstance(test, ColumnTest) else 'question'} has the p-value "
            f"{p_value:.2g}, above the level {test.level:g} of its test",
            "give more rows, raise the level, or choose significance=None and leave it to pruning",
        )
    return _too_few_rows(grown, growth) or _all_constant(growth) or _no_gain(grown, growth)


def _too_few_rows(grown: Tree, growth: Growth) -> OneLeaf | None:
    """Return the limit that asks for more rows than there are."""
    n_rows = grown.root.n_rows
    options = growth._options(replace(growth.targets, n_rows=n_rows))
    needed = {"min_samples_split": options.min_split_rows, "min_samples_leaf": 2 * options.min_leaf_rows}
    name = max(needed, key=needed.__getitem__)
    if needed[name] <= n_rows:
        return None
    value = getattr(growth.settings, name)
    return OneLeaf(
        "limits",
        f"{name}={value} needs {needed[name]:,} rows to divide, but there are {n_rows:,}",
        f"lower {name}",
    )


def _all_constant(growth: Growth) -> OneLeaf | None:
    table = growth.table
    if len(constant_columns(table.columns)) < len(table.columns):
        return None
    return OneLeaf(
        "constant columns",
        f"every column is the same in all {many(table.n_rows, 'row')}, so that nothing can be asked",
        "check X, and give columns that vary",
    )


def _no_gain(grown: Tree, growth: Growth) -> OneLeaf:
    settings, limits = growth.settings, _limits(growth.settings)
    asked = f"about {many(len(grown.columns), 'column')}"
    if limits:
        asked = f"that {', '.join(limits)} {'allow' if len(limits) > 1 else 'allows'}"
    found = f"no question {asked} lowers the {impurity_name(grown.criterion)}"
    hints = [f"loosen {'them' if len(limits) > 1 else 'it'}"] if limits else []
    if corrects_levels(settings) and any(column.kind == "nominal" for column in growth.columns):
        found += " by more than so many levels do by chance"
        hints += ["join rare levels", 'choose levels="raw", which asks anyway']
    hints.append("give columns that tell more about the target")
    return OneLeaf("limits" if limits else "no gain", found, ", or ".join(hints))


def _limits(settings: Settings) -> list[str]:
    """Return the options that may forbid a question, each with its value."""
    found = {name: getattr(settings, name) for name in _LIMITS}
    if settings.nominal != "multiway" and (found["max_leaf_nodes"] or 1) > 1:
        found["max_leaf_nodes"] = None  # two leaves are allowed, and two answers are enough
    return [
        f"{name}={shown(value)}"
        for name, value in found.items()
        if value is not None and value not in _LIMITS[name]
    ]


def _pruned_away(pruned: Pruned) -> OneLeaf:
    """Return what pruning found; its record says it, whatever the pruner."""
    leaves = many(pruned.grown.n_leaves, "leaf")
    keep = f"prune=None keeps the tree as it was grown, with {leaves}"
    path, log = pruned.path, pruned.log
    if path is not None and len(path) == 1:
        return OneLeaf(
            "pruning",
            f"no question of the grown tree ({leaves}) lowers the training loss that pruning counts",
            f"choose prune=CostComplexity(measure=…) with another measure; {keep}",
        )
    if path is not None and np.isfinite(path.cv_risk[-1]):
        return OneLeaf(
            "pruning", _judged(path), f"give more rows or columns that tell more about the target; {keep}"
        )
    if path is not None:
        return OneLeaf(
            "pruning",
            f"no question is worth the price alpha={pruned.alpha:g} of a leaf",
            f"lower alpha; pruning_path_ lists the prices of all sizes; {keep}",
        )
    found = f"pruning found it to be no worse than the grown tree ({leaves})"
    if log is not None and len(log):
        found += f"; {log.errors}: {log.before[-1]:.4g} before the last step, {log.after[-1]:.4g} after it"
    return OneLeaf("pruning", found, f"give more rows; {keep}")


def _judged(path: PruningPath) -> str:
    """Return what held-out rows say about one leaf and the best of the larger trees."""
    best = int(np.nanargmin(path.cv_risk[:-1]))
    one, least = (
        f"{path.cv_risk[-1]:.4g}",
        f"{path.cv_risk[best]:.4g} with {many(int(path.leaves[best]), 'leaf')}",
    )
    if path.cv_risk[best] < path.cv_risk[-1]:
        return f"the loss of held-out rows falls too little for the rule of pruning, from {one} to {least}"
    return f"the loss of held-out rows does not fall: it is {one} with one leaf, and at best {least}"


def _with_rare_class(why: OneLeaf, growth: Growth) -> OneLeaf:
    """Return the reason with the rarest class, if there are so few of it that they hardly count."""
    numbers, classes, settings = growth.targets.classes, growth.target.classes, growth.settings
    if numbers is None or classes is None:
        return why
    counts, n_rows = np.bincount(numbers), len(numbers)
    rarest = int(np.argmin(np.where(counts > 0, counts, n_rows)))
    is_rare = counts[rarest] * (counts > 0).sum() < _RARE_SHARE * n_rows
    if not is_rare and counts[rarest] >= _FEW_ROWS:
        return why
    of = f" of {n_rows:,}" if is_rare else ""
    found = f"{why.found}. Class {shown(classes[rarest])} has only {many(int(counts[rarest]), 'row')}{of}"
    weighed = any(option is not None for option in (settings.class_weight, settings.priors, settings.loss))
    if weighed or not is_rare:
        return replace(why, found=found)
    weigh = "loss=… weighs its mistakes, and tune_threshold says from which probability on to predict it"
    return replace(why, found=found, hint=f"{why.hint}; {weigh}")
