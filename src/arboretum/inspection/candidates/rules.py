"""The checked options of a list of candidates: what is asked, and how it is judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, get_args

from arboretum._options.by_column import check_costs
from arboretum._options.choices import Cuts, Levels, Nominal
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, CriterionRule
from arboretum._options.exclusions import refuse_choices
from arboretum._options.rules import Flag, OneOf, Whole
from arboretum._options.strategies import AHEAD, GainRatio, Lookahead, Surrogate
from arboretum._options.strategy import StrategyOr
from arboretum._options.table import MISSING
from arboretum._wording import shown
from arboretum.errors import ParameterError
from arboretum.information import read_base
from arboretum.inspection.candidates.questions import Limits
from arboretum.inspection.candidates.targets import ClassTarget, Target


@dataclass(frozen=True)
class Rules:
    """The checked options: what is asked, and how it is judged."""

    criterion: str
    ratio: GainRatio | None
    nominal: str
    corrected: bool
    class_change: bool
    missing: str
    min_samples_leaf: int
    unit: float = 1.0  # what a bit, or an impurity of 1, is counted as
    times_n: bool = False
    ahead: Lookahead | None = None
    min_samples_split: int = 2
    max_depth: float = math.inf
    min_leaf_weight: float = 0.0
    thresholds: str = "midpoint"
    with_choice: frozenset[str] | None = None  # the columns that leave a choice among levels; None: see here

    @property
    def leaves_aside(self) -> bool:
        """Whether questions are judged without the rows whose value is missing."""
        return self.missing in ("surrogate", "fractional")

    @property
    def priced(self) -> bool:
        """Whether the choice among many cuts has a price."""
        return self.ratio is not None and self.ratio.numeric_penalty

    @property
    def limits(self) -> Limits:
        """How large children must be; where rows may be divided, limits count weight."""
        least, weight = self.min_samples_leaf, self.min_leaf_weight
        return Limits(1, max(least, weight)) if self.missing == "fractional" else Limits(least, weight)

    def cut_limits(self, target: Target) -> Limits:
        """Return the limits of a cut; if it has a price, a tenth of an average class, at most 25."""
        if not (self.priced and isinstance(target, ClassTarget)):
            return self.limits
        least = min(25.0, 0.1 * float(target.weights.sum()) / target.n_labels)
        return Limits(self.limits.rows, max(self.limits.weight, least))


def resolve_rules(
    criterion: Any,
    nominal: str,
    levels: str,
    cuts: str,
    missing: Any,
    min_samples_leaf: Any,
    column_costs: Any,
    search: Any = "greedy",
    base: Any = 2,
    times_n: Any = False,
) -> Rules:
    """Check the options."""
    found = CriterionRule(CLASS_CRITERIA + NUMBER_CRITERIA).read(criterion, "criterion")
    ratio = found if isinstance(found, GainRatio) else None
    OneOf(get_args(Nominal)).read(nominal, "nominal")
    OneOf(get_args(Levels)).read(levels, "levels")
    OneOf(get_args(Cuts)).read(cuts, "cuts")
    policy = StrategyOr("missing", MISSING).read(missing, "missing")
    policy = "surrogate" if isinstance(policy, Surrogate) else policy
    least = Whole(1).read(min_samples_leaf, "min_samples_leaf")
    check_costs(column_costs)
    name = "gain_ratio" if ratio is not None else str(found)
    ahead = StrategyOr("search", ("greedy",)).read(search, "search")
    ahead = None if isinstance(ahead, str) else ahead
    chosen = {f'nominal="{nominal}"', f'missing="{policy}"'}
    chosen |= {AHEAD} if ahead is not None else set()
    refuse_choices(chosen | ({"column_costs"} if column_costs is not None else set()))
    return Rules(
        name,
        ratio,
        nominal,
        levels == "corrected",
        cuts == "class_change",
        policy,
        int(least or 1),
        unit=unit_of(base, name),
        times_n=Flag().read(times_n, "times_n"),
        ahead=ahead,
    )


def unit_of(base: Any, criterion: str) -> float:
    """Return what a bit is counted as if logarithms have this base; only entropy has logarithms.

    >>> unit_of(4, "entropy")
    0.5
    """
    read_base(base)
    if base == 2:
        return 1.0
    if criterion not in ("entropy", "gain_ratio"):
        raise ParameterError(
            f"base={shown(base)} is not allowed with criterion={shown(criterion)}, which takes no "
            "logarithms.\n"
            "Hint: leave base out, or choose criterion='entropy'."
        )
    return 1 / math.log2(base)
