"""What goes with what: the options that exclude each other. All other combinations work.

A strategy states what it excludes; this module holds the exclusions between plain options, and the check.
docs/guide.md prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arboretum._options.by_column import constrains
from arboretum._options.optimal import WHOLE
from arboretum._options.settings import Settings
from arboretum._options.strategies import AHEAD, SEVERAL, MEstimate, Shrinkage
from arboretum._options.strategy import STRATEGIES, Exclusion, Strategy
from arboretum.errors import ParameterError

OUTPUTS: Final = "several outputs"
FILLED: Final = "leaf=Honest, Median or Quantiles"
_BETWEEN_OPTIONS: Final = (
    Exclusion(
        "monotonic_cst",
        "priors or loss",
        "these change a leaf's prediction after its bounds were applied",
        "use class_weight",
    ),
    Exclusion(
        "monotonic_cst",
        "three classes or more",
        "the constraint is on a single probability",
        "learn one class against the others",
    ),
    Exclusion(
        "significance",
        "max_leaf_nodes",
        "leaves that a failed test saves would be spent elsewhere",
        "limit max_depth, or fit without significance and take pruned(leaves=…)",
    ),
    *(
        Exclusion(choice, OUTPUTS, because, hint)
        for choice, because, hint in (
            (
                'criterion="absolute_error"',
                "it is no sum over rows, to which those of other outputs could be added",
                'choose criterion="squared_error"',
            ),
            (
                'criterion="gain_ratio"',
                "the information of an answer has no share for each output",
                'choose criterion="entropy"',
            ),
            ("monotonic_cst", "the constraint is on a single prediction", "fit a tree for each output"),
            (
                "priors or loss",
                "both belong to the classes of one target",
                "use class_weight={output: {class: weight}}, or fit a tree for each output",
            ),
            ("significance", "its tests are of one target", "let pruning choose the size"),
            (
                FILLED,
                "they fill the leaves of one target",
                'choose leaf="shrinkage", or fit a tree for each output',
            ),
            (
                'missing="surrogate"',
                "surrogates are looked for with a single target only",
                'choose missing="category"',
            ),
            (
                'missing="fractional"',
                "rows are divided with a single target only",
                'choose missing="category"',
            ),
            (SEVERAL, "these searches are for a single target", 'choose questions="axis"'),
            (AHEAD, "this search is for a single target", 'choose search="greedy"'),
            (WHOLE, "this search is for a single target", 'choose search="greedy"'),
            ("competitors", "the gains that compete are those of all outputs together", "leave it at 0"),
        )
    ),
)


def exclusions() -> list[Exclusion]:
    """Return all pairs of choices that do not go together."""
    by_strategies = [exclusion for kind in STRATEGIES.values() for exclusion in kind._excludes]
    return list(dict.fromkeys((*_BETWEEN_OPTIONS, *by_strategies)))


def table() -> str:
    """Return the choices that do not go together as a Markdown table."""
    lines = ["| choice | does not go with | because |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {e.first} | {e.second} | {e.because} |" for e in exclusions())])


def refuse_excluded(
    settings: Settings, *, several_classes: bool = False, several_outputs: bool = False
) -> None:
    """Refuse settings that do not go together; `several_classes` means three or more."""
    found = {"three classes or more": several_classes, OUTPUTS: several_outputs}
    refuse_choices(_choices(settings) | {choice for choice, is_so in found.items() if is_so})


def refuse_choices(chosen: set[str]) -> None:
    """Refuse choices of which two do not go together."""
    for exclusion in excluded(chosen):
        raise ParameterError(
            f"{exclusion.first} does not go with {exclusion.second}: {exclusion.because}.\n"
            f"Hint: {exclusion.hint}."
        )


def excluded(chosen: set[str]) -> Iterator[Exclusion]:
    """Yield the exclusions of which both choices are among these."""
    return (exclusion for exclusion in exclusions() if {exclusion.first, exclusion.second} <= chosen)


def _choices(settings: Settings) -> set[str]:
    """Return the choices that these settings make, in the words of the table."""
    chosen = {f'nominal="{settings.nominal}"', f'missing="{settings.missing}"'}
    chosen |= {
        name
        for name in ("significance", "max_leaf_nodes", "column_costs", "max_bins")
        if getattr(settings, name) is not None
    }
    chosen |= set() if settings.of_classes else {"numbers as targets"}
    chosen |= {f'criterion="{settings.criterion}"'}
    chosen |= {"competitors"} if settings.competitors else set()
    chosen |= {"order within queries"} if settings.of_order else set()
    chosen |= {
        name for name in ("min_impurity_decrease", "min_weight_fraction_leaf") if getattr(settings, name) > 0
    }
    chosen |= {f'prune="{name}"' for name in getattr(settings.prune, "_names", ())}
    chosen |= set() if settings.priors is None and settings.loss is None else {"priors or loss"}
    plain = all(isinstance(layer, str | Shrinkage | MEstimate) for layer in settings.leaf_layers)
    chosen |= set() if plain else {FILLED}
    chosen |= {"monotonic_cst"} if constrains(settings.monotonic_cst) else set()
    strategies = [(name, value) for name, value in vars(settings).items() if isinstance(value, Strategy)]
    strategies += [("leaf", layer) for layer in settings.leaf_layers[1:] if isinstance(layer, Strategy)]
    # How surrogates and the gain ratio work is kept beside the options that they are values of.
    return chosen.union(
        *(value._chosen() for name, value in strategies if name in (value._option, "surrogate", "ratio"))
    )
