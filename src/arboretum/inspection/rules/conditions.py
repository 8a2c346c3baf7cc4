"""Conditions: what must hold of one column, or of a question about several, for a row to go one way.

They are values without text; `_show/rule_text.py` writes them, matching.py asks them of a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arboretum._data import Column
from arboretum._tree.composites import Composite, Literal
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum.inspection.rules.forks import Fork

Bound = Threshold | Literal  # either has a threshold in both stored forms

NOTHING_KNOWN = frozenset[int]()


@dataclass(frozen=True)
class Allowed:
    """What one column may hold. `levels` are level numbers: none of them allows no known value, None all."""

    about: Column
    above: Bound | None = None
    at_most: Bound | None = None
    levels: frozenset[int] | None = None
    missing: bool = False
    missing_seen: bool = False  # whether any were missing when the tree was grown: worth a word
    # Where the value is missing or not `answered`, surrogates decide in order, or the row is divided.
    surrogates: tuple[Allowed, ...] = ()
    answered: frozenset[int] | None = None  # the levels that have an answer; None if all have
    share: float | None = None  # of a divided row

    @property
    def stands_alone(self) -> bool:
        """Whether it can be merged: no surrogate or share of its own decides about missing values."""
        return not self.surrogates and self.answered is None and self.share is None

    @property
    def is_free(self) -> bool:
        """Whether it allows every row."""
        if not self.missing or self.above is not None or self.at_most is not None:
            return False
        return self.levels is None or len(self.levels) == len(self.about.levels or (None,))


@dataclass(frozen=True)
class Answered:
    """Whether the first outcome of a question about several columns holds."""

    question: Composite
    holds: bool


Condition = Allowed | Answered


def condition_of(fork: Fork, place: int | None) -> Condition:
    """Return what sends a row from a node to this child; for None, what makes it stop there."""
    question = fork.question
    if isinstance(question, Composite):
        return Answered(question, place == 0)
    if question is None:
        raise ValueError("a leaf asks nothing")
    allowed = _known(question, place, fork.unseen_child)
    if isinstance(question, Missing):
        return allowed
    surrogates = tuple([_known(other, place, None) for other in fork.surrogates])
    share = fork.shares[place] if fork.shares and place is not None else None
    return replace(allowed, missing=fork.missing_child == place, surrogates=surrogates, share=share)


def _known(question: Question, place: int | None, unseen_child: int | None) -> Allowed:
    """Return the known values that a question about one column sends to this child."""
    plain = Allowed(question.about, missing_seen=question.missing_seen)
    match question:
        case Missing():
            gone = place == 0
            return replace(plain, levels=NOTHING_KNOWN if gone else None, missing=gone, missing_seen=True)
        case Threshold() if place is None:
            return replace(plain, levels=NOTHING_KNOWN)
        case Threshold():
            return bounded(plain, question, low=(place == 0) != question.flipped)
        case Levels():
            return _known_levels(plain, question, place, unseen_child)
    raise ValueError(f"no condition is about {question}")


def bounded(plain: Allowed, bound: Bound, *, low: bool) -> Allowed:
    """Return the condition with values up to a bound, or above it; of an ordered column, as levels."""
    if plain.about.levels is None:
        return replace(plain, at_most=bound) if low else replace(plain, above=bound)
    n_levels, n_low = len(plain.about.levels), max(0, bound.floor + 1)
    return replace(plain, levels=frozenset(range(n_low)[:n_levels] if low else range(n_low, n_levels)))


def _known_levels(plain: Allowed, question: Levels, place: int | None, unseen_child: int | None) -> Allowed:
    group = NOTHING_KNOWN if place is None else frozenset(question.children[place])
    n_levels, seen = len(question.about.levels or ()), question._seen
    if len(seen) == n_levels:
        return replace(plain, levels=group)
    if unseen_child is not None and place == unseen_child:
        return replace(plain, levels=frozenset(range(n_levels)).difference(seen).union(group))
    return replace(plain, levels=group, answered=None if unseen_child is not None else frozenset(seen))
