"""Conditions of rules: what must be true of one column, or of several, on the way to a leaf.

Words: a condition about one column is the known values that it allows (all of them, an interval `above` < x
<= `at_most`, or some levels) and whether it allows a missing value; an unknown level counts as missing. To
*merge* is to make one condition of all those about a column. How rules are written is known by rules.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from arboretum.dataset import Column
from arboretum.export.program import Step
from arboretum.questions import Composite, Levels, Missing, Question, Threshold

__all__ = ["Allowed", "Answered", "Condition", "condition_of", "merged"]


@dataclass(frozen=True)
class Allowed:
    """What one column may hold. `levels` are level numbers: () allows no known value, None all."""

    about: Column
    above: Threshold | None = None
    at_most: Threshold | None = None
    levels: tuple[int, ...] | None = None
    missing: bool = False
    missing_seen: bool = False
    surrogates: tuple[
        Allowed, ...
    ] = ()  # they decide, in order, where the value is missing or not `answered`
    answered: tuple[int, ...] | None = None  # the levels that have an answer at all, if not all have
    share: float | None = None  # of a row that is divided, where the value is missing or not `answered`


@dataclass(frozen=True)
class Answered:
    """Whether a question about several columns is answered by its first outcome."""

    question: Composite
    holds: bool


Condition = Allowed | Answered


def condition_of(step: Step, place: int | None) -> Condition:
    """Return what sends a row from a step to this child; of None, what lets it rest there."""
    question = step.question
    if isinstance(question, Composite):
        return Answered(question, place == 0)
    if question is None:
        raise ValueError("a leaf asks nothing")
    allowed = _known(question, place, step.unseen_child)
    if isinstance(question, Missing):
        return allowed
    surrogates = tuple(_known(other, place, None) for other in step.surrogates)
    share = step.shares[place] if step.shares and place is not None else None
    return replace(allowed, missing=step.missing_child == place, surrogates=surrogates, share=share)


def _known(question: Question, place: int | None, unseen_child: int | None) -> Allowed:
    """Return the known values that a question about one column sends to this child."""
    plain = Allowed(question.about, missing_seen=question.missing_seen)
    match question:
        case Missing():
            return replace(plain, levels=() if place == 0 else None, missing=place == 0, missing_seen=True)
        case Threshold() if question.about.levels is not None:
            if place is None:
                return replace(plain, levels=())
            last = question.floor
            low = (place == 0) != question.flipped
            numbers = range(len(question.about.levels))
            return replace(plain, levels=tuple(n for n in numbers if (n <= last) == low))
        case Threshold():
            if place is None:
                return replace(plain, levels=())
            low = (place == 0) != question.flipped
            return replace(plain, at_most=question) if low else replace(plain, above=question)
        case Levels():
            return _known_levels(plain, question, place, unseen_child)
    raise ValueError(f"no condition is about {question}")


def _known_levels(plain: Allowed, question: Levels, place: int | None, unseen_child: int | None) -> Allowed:
    group = () if place is None else question.children[place]
    if not question._unseen:
        return replace(plain, levels=group)
    if unseen_child is not None and place == unseen_child:
        return replace(plain, levels=tuple(sorted((*group, *question._unseen))))
    return (
        replace(plain, levels=group)
        if unseen_child is not None
        else replace(plain, levels=group, answered=question._seen)
    )


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return the conditions with all those about one column made one; they allow exactly the same rows.

    Where surrogates or shares decide about missing values, each question has its own, and nothing is merged.
    """
    kept: list[Condition] = []
    place: dict[str, int] = {}
    for condition in conditions:
        if isinstance(condition, Answered) or not _stands_alone(condition):
            kept.append(condition)
        elif condition.about.name in place:
            before = kept[place[condition.about.name]]
            if isinstance(before, Allowed):
                kept[place[condition.about.name]] = _both(before, condition)
        else:
            place[condition.about.name] = len(kept)
            kept.append(condition)
    return tuple(kept)


def _stands_alone(condition: Allowed) -> bool:
    return not condition.surrogates and condition.answered is None and condition.share is None


def _both(a: Allowed, b: Allowed) -> Allowed:
    levels = a.levels if b.levels is None else b.levels
    if a.levels is not None and b.levels is not None:
        allowed = set(b.levels)
        levels = tuple(number for number in a.levels if number in allowed)
    return replace(
        a,
        above=_tighter(a.above, b.above, largest=True),
        at_most=_tighter(a.at_most, b.at_most, largest=False),
        levels=levels,
        missing=a.missing and b.missing,
        missing_seen=a.missing_seen or b.missing_seen,
    )


def _tighter(a: Threshold | None, b: Threshold | None, *, largest: bool) -> Threshold | None:
    if a is None or b is None:
        return a or b
    return b if (b.threshold > a.threshold) == largest else a
