"""Conditions of rules: what must hold for one column, or for several, on the path to a leaf.

A condition about one column says which known values it allows (all of them, an interval `above` < x <=
`at_most`, or some levels) and whether it allows a missing value; an unknown level counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from arboretum._data import Column
from arboretum._tree.composites import Composite
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum.export._program.program import Step


@dataclass(frozen=True)
class Allowed:
    """What one column may hold. `levels` are level numbers: () allows no known value, None all."""

    about: Column
    above: Threshold | None = None
    at_most: Threshold | None = None
    levels: tuple[int, ...] | None = None
    missing: bool = False
    missing_seen: bool = False
    # Where the value is missing or not `answered`, surrogates decide in order, or the row is divided.
    surrogates: tuple[Allowed, ...] = ()
    answered: tuple[int, ...] | None = None  # the levels that have an answer; None if all have
    share: float | None = None  # of a divided row


@dataclass(frozen=True)
class Answered:
    """Whether the first outcome of a question about several columns holds."""

    question: Composite
    holds: bool


Condition = Allowed | Answered


def condition_of(step: Step, place: int | None) -> Condition:
    """Return what sends a row from a step to this child; for None, what makes it stop there."""
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
        case Threshold() if place is None:
            return replace(plain, levels=())
        case Threshold():
            low = (place == 0) != question.flipped
            if question.about.levels is None:
                return replace(plain, at_most=question) if low else replace(plain, above=question)
            numbers = range(len(question.about.levels))
            return replace(plain, levels=tuple(n for n in numbers if (n <= question.floor) == low))
        case Levels():
            return _known_levels(plain, question, place, unseen_child)
    raise ValueError(f"no condition is about {question}")


def _known_levels(plain: Allowed, question: Levels, place: int | None, unseen_child: int | None) -> Allowed:
    group = () if place is None else question.children[place]
    if not question._unseen:
        return replace(plain, levels=group)
    if unseen_child is not None and place == unseen_child:
        return replace(plain, levels=tuple(sorted((*group, *question._unseen))))
    return replace(plain, levels=group, answered=None if unseen_child is not None else question._seen)


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return the conditions with all those about one column merged into one; they allow the same rows.

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
