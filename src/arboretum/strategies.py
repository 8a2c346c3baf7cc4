"""Strategies: small objects that stand for an option with options of its own.

Words: *guard* (which columns may win by gain ratio), *penalty* (the price of choosing among many cuts),
*send* and *agreement* (what surrogates are for). They hold parameters only; what they do is in growing.py and
the core.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator

from arboretum import _core
from arboretum.errors import ParameterError, choices
from arboretum.scalars import is_integer

__all__ = ["GainRatio", "Surrogate", "resolve_ratio", "resolve_surrogates", "set_ratio", "set_surrogates"]

_GUARDS: Final = {None: _core.Guard.none, "average": _core.Guard.average, "c45": _core.Guard.c45}
_SENDS: Final = {
    "always": _core.Send.always,
    "surrogates": _core.Send.surrogates,
    "never": _core.Send.never,
}
_AGREEMENTS: Final = {"node": _core.Agreement.node, "known": _core.Agreement.known}
_MOST: Final = 2**32 - 1


class GainRatio(BaseEstimator):
    """Information gain over the information of the answer itself: C4.5's measure of a question.

    Every column enters its best question by gain (of the questions `x = v` its best by ratio), and the
    largest ratio wins. The gain ratio alone favours lopsided questions that tell little, hence the guard.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(criterion=GainRatio(guard=None)).get_params()["criterion__numeric_penalty"]
    False

    Parameters
    ----------
    guard : {"average", "c45"} or None
        Which columns may win. "average": those whose gain is at least the average of all columns. "c45": as
        the program C4.5 does it, a gain of 0.001 below the average is enough, and nominal columns that have
        30 % as many levels as the table has rows, or more, do not enter the average. None: all.
    numeric_penalty : bool
        C4.5 release 8: a threshold is chosen among many, which is paid for: its gain loses
        log2(number of cuts) / weight of the node. And each side of a cut must hold a tenth of what an average
        class has in the node, or 25 rows if that is less.
    """

    def __init__(self, guard: str | None = "average", numeric_penalty: bool = False) -> None:
        self.guard = guard
        self.numeric_penalty = numeric_penalty


class Surrogate(BaseEstimator):
    """Missing values are answered by other questions that send rows the same way, as CART and rpart do.

    A question is judged by the rows whose value is known. Then every other column is asked for the question
    that sends these rows most nearly to the same children; rows that miss the value follow the first of these
    surrogates that can tell.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(missing=Surrogate(max_surrogates=2)).get_params()["missing__send"]
    'always'

    Parameters
    ----------
    max_surrogates : int
        How many surrogates each question keeps, those of the highest agreement.
    send : {"always", "surrogates", "never"}
        What becomes of rows that miss the value. "always": they follow the surrogates, and if all of these
        miss too, the child to which the question itself sends more weight (the first if both are equal).
        "surrogates": in that case they stay where they are, and the inner node predicts. "never": they stay
        at once; surrogates are only listed. The rule is the same for fitting and for predicting.
    agreement : {"node", "known"}
        What agreement is a share of: the weight of all rows that the question can send, so that a surrogate
        with many missing values counts for less; or only of those that the surrogate can send as well.
    """

    def __init__(self, max_surrogates: int = 5, send: str = "always", agreement: str = "node") -> None:
        self.max_surrogates = max_surrogates
        self.send = send
        self.agreement = agreement


def resolve_ratio(criterion: Any) -> GainRatio | None:
    """Return how the gain ratio decides, checked; None if another criterion does."""
    if isinstance(criterion, str) and criterion == "gain_ratio":
        return GainRatio()
    if not isinstance(criterion, GainRatio):
        return None
    guard: Any = criterion.guard
    penalty: Any = criterion.numeric_penalty
    if not isinstance(guard, str | None) or guard not in _GUARDS:
        raise ParameterError(choices("criterion=GainRatio(…): guard", guard, _GUARDS))
    if not isinstance(penalty, bool | np.bool_):
        raise ParameterError(choices("criterion=GainRatio(…): numeric_penalty", penalty, (True, False)))
    return criterion


def resolve_surrogates(missing: Any) -> Surrogate | None:
    """Return what surrogates are for, checked; None if missing values are dealt with in another way."""
    if isinstance(missing, str) and missing == "surrogate":
        return Surrogate()
    if not isinstance(missing, Surrogate):
        return None
    if not is_integer(missing.max_surrogates) or missing.max_surrogates < 0:
        raise ParameterError(
            f"missing=Surrogate(max_surrogates={missing.max_surrogates!r}) is not allowed; "
            "give an integer of 0 or more."
        )
    for name, allowed in (("send", _SENDS), ("agreement", _AGREEMENTS)):
        found = getattr(missing, name)
        if not isinstance(found, str) or found not in allowed:
            raise ParameterError(choices(f"missing=Surrogate(…): {name}", found, allowed))
    return missing


def set_ratio(options: _core.GrowOptions, ratio: GainRatio) -> None:
    """Let the core decide by gain ratio."""
    options.ratio.decides = True
    options.ratio.guard = _GUARDS[ratio.guard]
    options.ratio.numeric_penalty = bool(ratio.numeric_penalty)


def set_surrogates(options: _core.GrowOptions, surrogate: Surrogate) -> None:
    """Let the core send rows by surrogates."""
    options.missing = _core.Missing.surrogate
    options.surrogates.most = min(int(surrogate.max_surrogates), _MOST)
    options.surrogates.send = _SENDS[surrogate.send]
    options.surrogates.agreement = _AGREEMENTS[surrogate.agreement]
