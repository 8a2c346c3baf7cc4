"""What a table in parts excludes. All that is not refused here gives the same tree as the whole table."""

from __future__ import annotations

from arboretum._options.settings import Settings
from arboretum.errors import ParameterError

_CRITERIA = ("gini", "entropy", "misclassification", "squared_error")


def refuse_not_offered(settings: Settings) -> None:
    """Refuse the first choice that a table in parts does not offer."""
    refused = (
        (
            settings.criterion not in _CRITERIA,
            f"criterion={settings.criterion!r}",
            "choose one of " + ", ".join(_CRITERIA),
        ),
        (settings.prune is not None, "pruning", "choose prune=None and limit min_samples_leaf or max_depth"),
        (
            settings.missing != "category",
            f"missing={settings.missing!r}",
            "choose missing='category'",
        ),
        (settings.nominal == "multiway", "nominal='multiway'", "choose nominal='subset'"),
        (settings.thresholds == "table", "thresholds='table'", "choose thresholds='midpoint'"),
        (settings.questions != "axis", "questions about several columns", "choose questions='axis'"),
        (settings.search != "greedy", "a search ahead", "choose search='greedy'"),
        (settings.max_leaf_nodes is not None, "max_leaf_nodes", "limit max_depth or min_samples_leaf"),
        (settings.significance is not None, "significance", "leave it at None"),
        (settings.competitors > 0, "competitors", "leave it at 0"),
        (settings.max_bins is not None, "max_bins", "leave it at None: the tree is exact"),
        (bool(settings.filled_leaves), "leaves that need the rows of the tree", "choose leaf='shrinkage'"),
        (bool(settings.monotonic_cst), "monotonic_cst", "leave it at None"),
    )
    for is_so, choice, hint in refused:
        if is_so:
            raise ParameterError(f"A table in parts does not go with {choice}.\nHint: {hint}.")
