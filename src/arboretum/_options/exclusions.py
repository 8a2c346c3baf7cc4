"""What goes with what: the options that exclude each other. All other combinations work.

A strategy states what it excludes; this module holds the exclusions between plain options, and the check.
docs/guide.md prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arboretum._options.by_column import constrains
from arboretum._options.settings import Settings
from arboretum._options.strategy import STRATEGIES, Exclusion, Strategy
from arboretum.errors import ParameterError

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
)


def exclusions() -> list[Exclusion]:
    """Return all pairs of choices that do not go together."""
    by_strategies = [exclusion for kind in STRATEGIES.values() for exclusion in kind._excludes]
    return list(dict.fromkeys((*_BETWEEN_OPTIONS, *by_strategies)))


def table() -> str:
    """Return the choices that do not go together as a Markdown table."""
    lines = ["| choice | does not go with | because |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {e.first} | {e.second} | {e.because} |" for e in exclusions())])


def refuse_excluded(settings: Settings, *, several_classes: bool = False) -> None:
    """Refuse settings that do not go together; `several_classes` means three or more."""
    refuse_choices(_choices(settings) | ({"three classes or more"} if several_classes else set()))


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
        for name in ("significance", "max_leaf_nodes", "column_costs")
        if getattr(settings, name) is not None
    }
    chosen |= set() if settings.of_classes else {"numbers as targets"}
    chosen |= {"order within queries"} if settings.of_order else set()
    chosen |= set() if settings.ratio is None else {'criterion="gain_ratio"'}
    chosen |= set() if settings.priors is None and settings.loss is None else {"priors or loss"}
    chosen |= {"monotonic_cst"} if constrains(settings.monotonic_cst) else set()
    strategies = [(name, value) for name, value in vars(settings).items() if isinstance(value, Strategy)]
    strategies += [("leaf", layer) for layer in settings.leaf_layers[1:] if isinstance(layer, Strategy)]
    # How surrogates and the gain ratio work is kept beside the options that they are values of.
    return chosen.union(
        *(value._chosen() for name, value in strategies if name in (value._option, "surrogate", "ratio"))
    )
