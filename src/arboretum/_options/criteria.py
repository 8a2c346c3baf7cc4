"""Criteria by name, as the core lists them; the gain ratio is entropy with another way to choose columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, get_args

from arboretum import _core
from arboretum._options.choices import OrderCriterion
from arboretum._options.strategies import GainRatio
from arboretum._wording import shown
from arboretum.errors import ParameterError, choices

CLASS_CRITERIA: Final = (*(name for name, target in _core.criteria() if target == "classes"), "gain_ratio")
NUMBER_CRITERIA: Final = tuple(name for name, target in _core.criteria() if target == "numbers")
ORDER_CRITERIA: Final[tuple[str, ...]] = get_args(OrderCriterion)
_TARGET_OF: Final = {
    **dict.fromkeys(CLASS_CRITERIA, "classes"),
    **dict.fromkeys(NUMBER_CRITERIA, "numbers"),
    **dict.fromkeys(ORDER_CRITERIA, "the order of rows within queries"),
}


@dataclass(frozen=True)
class CriterionRule:
    """One of these criteria."""

    allowed: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join(self.allowed)

    def read(self, value: Any, name: str, owner: str = "") -> str | GainRatio:
        """Return the name of the criterion, or how the gain ratio decides."""
        known = "gain_ratio" if isinstance(value, GainRatio) else value
        if not isinstance(known, str) or known not in self.allowed:
            raise ParameterError(self._refusal(value, known))
        if known == "gain_ratio":
            return value._checked() if isinstance(value, GainRatio) else GainRatio()
        return known

    def _refusal(self, value: Any, known: Any) -> str:
        if isinstance(known, str) and known in _TARGET_OF:
            return (
                f"criterion={shown(value)} is for {_TARGET_OF[known]}, which {_is_or_are(known)} "
                "not learnt here; "
                f"choose {', '.join(map(repr, self.allowed))}."
            )
        if isinstance(value, type) and issubclass(value, GainRatio):
            return "criterion=GainRatio is a class, not an object of it.\nHint: write GainRatio()."
        ratio = " Or give GainRatio(…)." if "gain_ratio" in self.allowed else ""
        return choices("criterion", value, self.allowed) + ratio


def impurity_of(criterion: str) -> str:
    """Return the name of the impurity that the core measures for a criterion."""
    return "squared_error" if criterion in ORDER_CRITERIA else impurity_name(criterion)


def impurity_name(criterion: str) -> str:
    """Return what the impurity of nodes is called: that of an order has the criterion's name."""
    return "entropy" if criterion == "gain_ratio" else criterion


def _is_or_are(criterion: str) -> str:
    return "is" if criterion in ORDER_CRITERIA else "are"
