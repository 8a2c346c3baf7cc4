"""What goes with what: the one table of options that exclude each other.

Words: a *choice* is a value of one of the options criterion, nominal, missing, constraint, prune, questions
and search; an *exclusion* is a pair of choices that do not go together, and why. All other combinations work.

>>> print(table())
| choice | does not go with | because |
|---|---|---|
| nominal="multiway" | missing="surrogate" | a surrogate stands in for a question with two answers |
| missing="surrogate" | monotonic_cst | a surrogate about the constrained column may turn predictions around |
| monotonic_cst | priors or loss | these change what a leaf predicts after its bounds were kept |
| monotonic_cst | three classes or more | a single probability must rise or fall |
| prune="pessimistic" | numbers as targets | it counts mistakes about classes |
| prune="pessimistic" | priors or loss | it counts mistakes, whatever they cost |
| Pessimistic(raise_subtrees=True) | monotonic_cst | a raised branch may predict what its bounds forbid |
| questions=MofN or Oblique | missing="surrogate" | a surrogate stands in for a question about one column |
| questions=MofN or Oblique | missing="fractional" | no row is divided: their questions have an answer |
| questions=MofN or Oblique | monotonic_cst | a question about several columns may turn predictions around |
| questions=MofN or Oblique | nominal="multiway" | their questions have two answers |
| questions=MofN or Oblique | search=Lookahead | it looks behind questions about one column |
| questions=MofN or Oblique | column_costs | a question about several columns has no single cost |
| search=Lookahead | missing="surrogate" | a surrogate is found for a question that was chosen by itself |
| search=Lookahead | monotonic_cst | what lies ahead would have to keep bounds that are not known yet |
| search=Lookahead | column_costs | what lies ahead is gained from several columns, each with its own cost |
| significance | max_leaf_nodes | leaves that a failed test saves would be spent elsewhere |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum.errors import ParameterError
from arboretum.growing import NOMINAL_QUESTIONS
from arboretum.pruning.pessimistic import Pessimistic
from arboretum.pruning.strategies import PRUNERS, resolve_pruner
from arboretum.searching import resolve_questions, resolve_search
from arboretum.strategies import Surrogate
from arboretum.training_rows import MISSING_POLICIES

__all__ = [
    "CONSTRAINTS",
    "MISSING",
    "NOMINAL",
    "PRUNE",
    "QUESTIONS",
    "SEARCH",
    "Combination",
    "combinations",
    "refuse_excluded",
    "table",
]

NOMINAL: Final = tuple(NOMINAL_QUESTIONS)
MISSING: Final = MISSING_POLICIES
PRUNE: Final = (None, *PRUNERS)
QUESTIONS: Final = ("axis", "MofN", "Oblique")
SEARCH: Final = ("greedy", "Lookahead")
_SEVERAL: Final = "questions=MofN or Oblique"
_AHEAD: Final = "search=Lookahead"
CONSTRAINTS: Final = ("none", "monotonic_cst", "priors or loss", "max_leaf_nodes", "column_costs")


@dataclass(frozen=True)
class Exclusion:
    """Two choices that do not go together, why, and what to do instead."""

    first: str
    second: str
    because: str
    hint: str


EXCLUSIONS: Final = (
    Exclusion(
        'nominal="multiway"',
        'missing="surrogate"',
        "a surrogate stands in for a question with two answers",
        'choose nominal="subset", or missing="fractional"',
    ),
    Exclusion(
        'missing="surrogate"',
        "monotonic_cst",
        "a surrogate about the constrained column may turn predictions around",
        'choose missing="category" or missing="fractional"',
    ),
    Exclusion(
        "monotonic_cst",
        "priors or loss",
        "these change what a leaf predicts after its bounds were kept",
        "use class_weight",
    ),
    Exclusion(
        "monotonic_cst",
        "three classes or more",
        "a single probability must rise or fall",
        "learn one class against the others",
    ),
    Exclusion(
        'prune="pessimistic"',
        "numbers as targets",
        "it counts mistakes about classes",
        'choose prune="cost_complexity" or prune="reduced_error"',
    ),
    Exclusion(
        'prune="pessimistic"',
        "priors or loss",
        "it counts mistakes, whatever they cost",
        'choose prune="cost_complexity", or class_weight',
    ),
    Exclusion(
        "Pessimistic(raise_subtrees=True)",
        "monotonic_cst",
        "a raised branch may predict what its bounds forbid",
        "choose Pessimistic(raise_subtrees=False)",
    ),
    Exclusion(
        _SEVERAL,
        'missing="surrogate"',
        "a surrogate stands in for a question about one column",
        'choose missing="category"',
    ),
    Exclusion(
        _SEVERAL,
        'missing="fractional"',
        "no row is divided: their questions have an answer",
        'choose missing="category"',
    ),
    Exclusion(
        _SEVERAL,
        "monotonic_cst",
        "a question about several columns may turn predictions around",
        'choose questions="axis"',
    ),
    Exclusion(
        _SEVERAL,
        'nominal="multiway"',
        "their questions have two answers",
        'choose nominal="subset" or nominal="one_vs_rest"',
    ),
    Exclusion(
        _SEVERAL,
        _AHEAD,
        "it looks behind questions about one column",
        'choose questions="axis" or search="greedy"',
    ),
    Exclusion(
        _SEVERAL,
        "column_costs",
        "a question about several columns has no single cost",
        'choose questions="axis"',
    ),
    Exclusion(
        _AHEAD,
        'missing="surrogate"',
        "a surrogate is found for a question that was chosen by itself",
        'choose missing="category" or missing="fractional"',
    ),
    Exclusion(
        _AHEAD,
        "monotonic_cst",
        "what lies ahead would have to keep bounds that are not known yet",
        'choose search="greedy"',
    ),
    Exclusion(
        _AHEAD,
        "column_costs",
        "what lies ahead is gained from several columns, each with its own cost",
        'choose search="greedy"',
    ),
    Exclusion(
        "significance",
        "max_leaf_nodes",
        "leaves that a failed test saves would be spent elsewhere",
        "limit max_depth, or fit without significance and take pruned(leaves=…)",
    ),
)


@dataclass(frozen=True)
class Combination:
    """One choice of each option."""

    criterion: str
    nominal: str
    missing: str
    constraint: str
    prune: str | None = None
    questions: str = "axis"
    search: str = "greedy"
    tested: bool = False  # with significance

    @property
    def is_valid(self) -> bool:
        """Whether no two of the choices exclude each other."""
        return next(_excluded(self._choices), None) is None

    @property
    def _choices(self) -> set[str]:
        chosen = {f'nominal="{self.nominal}"', f'missing="{self.missing}"', self.constraint}
        chosen |= _asking(several=self.questions != "axis", ahead=self.search != "greedy")
        chosen |= {"significance"} if self.tested else set()
        return chosen | _pruning(self.prune, of_numbers=self.criterion in NUMBER_CRITERIA)


def combinations(
    prune: str | None = None, questions: str = "axis", search: str = "greedy"
) -> list[Combination]:
    """Return every combination of criterion, nominal, missing and constraint, valid or not, with the rest."""
    of_classes = product(CLASS_CRITERIA, NOMINAL, MISSING, CONSTRAINTS)
    without_priors = [constraint for constraint in CONSTRAINTS if constraint != "priors or loss"]
    of_numbers = product(NUMBER_CRITERIA, NOMINAL, MISSING, without_priors)
    return [Combination(*choice, prune, questions, search) for choice in (*of_classes, *of_numbers)]


def table() -> str:
    """Return the choices that do not go together as a Markdown table."""
    lines = ["| choice | does not go with | because |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {e.first} | {e.second} | {e.because} |" for e in EXCLUSIONS)])


def refuse_excluded(params: Mapping[str, Any], *, constrained: bool, n_classes: int = 0) -> None:
    """Refuse parameters of an estimator that do not go together; 0 classes stand for numbers.

    `constrained` tells whether `monotonic_cst` holds for any column at all.
    """
    chosen = {f'nominal="{params["nominal"]}"', f'missing="{_missing_name(params["missing"])}"'}
    if constrained:
        chosen.add("monotonic_cst")
    if params.get("priors") is not None or params.get("loss") is not None:
        chosen.add("priors or loss")
    if n_classes > 2:
        chosen.add("three classes or more")
    for option in ("significance", "max_leaf_nodes", "column_costs"):
        if params.get(option) is not None:
            chosen.add(option)
    several = resolve_questions(params.get("questions", "axis")) is not None
    ahead = resolve_search(params.get("search", "greedy")) is not None
    chosen |= _asking(several=several, ahead=ahead)
    chosen |= _pruning(params.get("prune"), of_numbers=n_classes == 0)
    for exclusion in _excluded(chosen):
        raise ParameterError(
            f"{exclusion.first} does not go with {exclusion.second}: {exclusion.because}.\n"
            f"Hint: {exclusion.hint}."
        )


def _asking(*, several: bool, ahead: bool) -> set[str]:
    """Return what is chosen about questions and their search, as far as it excludes anything."""
    return {choice for choice, chosen in ((_SEVERAL, several), (_AHEAD, ahead)) if chosen}


def _pruning(prune: Any, *, of_numbers: bool) -> set[str]:
    """Return what is chosen about pruning, as far as it excludes anything."""
    chosen = {"numbers as targets"} if of_numbers else set()
    pruner = resolve_pruner(prune)
    if isinstance(pruner, Pessimistic):
        chosen.add('prune="pessimistic"')
        if pruner.raise_subtrees:
            chosen.add("Pessimistic(raise_subtrees=True)")
    return chosen


def _missing_name(missing: Any) -> Any:
    return "surrogate" if isinstance(missing, Surrogate) else missing


def _excluded(chosen: set[str]) -> Iterator[Exclusion]:
    return (exclusion for exclusion in EXCLUSIONS if {exclusion.first, exclusion.second} <= chosen)
