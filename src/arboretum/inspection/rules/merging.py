"""Merging: all conditions of a path as few as say the same, and none that the others imply.

Conditions about one column become one: an interval or a set of levels. "All of" and "none of" some parts
become conditions about their columns; parts of "at least m of" that are decided already are left out. What
allows every row that the other conditions allow is dropped.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from arboretum._tree.composites import AtLeast, Linear, Literal
from arboretum.inspection.rules.conditions import NOTHING_KNOWN, Allowed, Answered, Bound, Condition, bounded

Changes = Mapping[Hashable, Condition | None]  # by key; None: no longer there


@dataclass(frozen=True)
class Premise:
    """The conditions of a path by key: the name of a column, or what tells others apart."""

    conditions: Mapping[Hashable, Condition] = field(default_factory=dict)
    votes: tuple[Hashable, ...] = ()  # the keys of "at least m of", which other conditions may decide

    def with_condition(self, condition: Condition, own_key: Hashable) -> tuple[Premise, Changes]:
        """Return the premise with one more condition, and what this changes.

        `own_key` is for a condition that is not merged with any other.
        """
        if isinstance(condition, Allowed) and not condition.stands_alone:
            return self._with({own_key: condition}, self.votes)
        todo, changes, votes = [condition], dict[Hashable, Condition | None](), self.votes
        known = dict(self.conditions)

        def change(key: Hashable, to: Condition | None) -> None:
            changes[key] = to
            if to is None:
                known.pop(key, None)
            else:
                known[key] = to

        while todo:
            given = todo.pop()
            if isinstance(given, Allowed):
                found = _merged(known.get(given.about.name), given)
                change(given.about.name, None if found.is_free else found)
                todo += [known[key] for key in votes if key in known and _asks(known[key], given.about.name)]
            elif isinstance(given.question, AtLeast):
                key = _vote_key(given)
                change(key, None)
                left = _undecided(given, known)
                if left is not None and (parts := _parts(left)) is not None:
                    todo += reversed(parts)
                elif left is not None:
                    change(_vote_key(left), left)
                    votes = (*[vote for vote in votes if vote != key], _vote_key(left))
            else:
                key = _sum_key(given)
                change(key, _tighter_sum(known.get(key), given))
        return self._with(changes, tuple([key for key in votes if key in known]))

    def _with(self, changes: Changes, votes: tuple[Hashable, ...]) -> tuple[Premise, Changes]:
        conditions = {**self.conditions, **changes}
        kept = {key: condition for key, condition in conditions.items() if condition is not None}
        real = {key: to for key, to in changes.items() if to is not None or key in self.conditions}
        return Premise(kept, votes), real


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return as few conditions as allow the same rows."""
    premise = Premise()
    for place, condition in enumerate(conditions):
        premise, _ = premise.with_condition(condition, place)
    return tuple(premise.conditions.values())


# --- one column


def _merged(before: Condition | None, condition: Allowed) -> Allowed:
    return both(before, condition) if isinstance(before, Allowed) else condition


def both(a: Allowed, b: Allowed) -> Allowed:
    """Return the condition that allows what two conditions about one column both allow."""
    levels = a.levels if b.levels is None else b.levels
    if a.levels is not None and b.levels is not None:
        levels = a.levels & b.levels
    seen, missing = a.missing_seen or b.missing_seen, a.missing and b.missing
    above, at_most = _larger(a.above, b.above), _smaller(a.at_most, b.at_most)
    nothing = above is not None and at_most is not None and above.threshold >= at_most.threshold  # type: ignore[operator]
    if nothing or levels == NOTHING_KNOWN:
        return replace(a, above=None, at_most=None, levels=NOTHING_KNOWN, missing=missing, missing_seen=seen)
    return replace(a, above=above, at_most=at_most, levels=levels, missing=missing, missing_seen=seen)


def _larger(a: Bound | None, b: Bound | None) -> Bound | None:
    if a is None or b is None:
        return a or b
    return b if b.threshold > a.threshold else a  # type: ignore[operator]


def _smaller(a: Bound | None, b: Bound | None) -> Bound | None:
    if a is None or b is None:
        return a or b
    return b if b.threshold < a.threshold else a  # type: ignore[operator]


# --- at least m of


def _vote_key(condition: Answered) -> Hashable:
    question = condition.question
    assert isinstance(question, AtLeast)
    return "votes", question.m, question.literals, condition.holds


def _asks(condition: Condition, column: str) -> bool:
    return isinstance(condition, Answered) and column in condition.question.columns


def _undecided(condition: Answered, known: Mapping[Hashable, Condition]) -> Answered | None:
    """Return the condition without the parts that other conditions decide; None if they imply it."""
    question = condition.question
    assert isinstance(question, AtLeast)
    decided = [_decided(literal, known.get(literal.about.name)) for literal in question.literals]
    left = tuple([each for each, so in zip(question.literals, decided, strict=True) if so is None])
    m = question.m - decided.count(True)
    if (m <= 0) if condition.holds else (m > len(left)):
        return None
    if not 1 <= m <= len(left):  # no row gets here: the conditions contradict each other
        return condition
    return replace(condition, question=replace(question, m=m, literals=left))


def _decided(literal: Literal, known: Condition | None) -> bool | None:
    """Return whether a part holds for all rows that a condition about its column allows, or for none."""
    if not isinstance(known, Allowed):
        return None
    inside, outside = literal_allowed(literal, holds=True), literal_allowed(literal, holds=False)
    if _says_nothing_known(both(known, inside)):
        return False
    return True if not known.missing and _says_nothing_known(both(known, outside)) else None


def _says_nothing_known(allowed: Allowed) -> bool:
    return allowed.levels == NOTHING_KNOWN


def _parts(condition: Answered) -> list[Condition] | None:
    """Return what all or none of the parts say one by one; None if neither all nor none is asked for."""
    question = condition.question
    assert isinstance(question, AtLeast)
    if question.m != (len(question.literals) if condition.holds else 1):
        return None
    return [literal_allowed(literal, holds=condition.holds) for literal in question.literals]


def literal_allowed(literal: Literal, *, holds: bool) -> Allowed:
    """Return what a column may hold if a part of a question holds, or does not: then it may be missing."""
    plain = Allowed(literal.about, missing=not holds, missing_seen=not holds)
    inside = holds != literal.negated
    if literal.level is None:
        return bounded(plain, literal, low=inside)
    one = frozenset([literal.level])
    levels = one if inside else frozenset(range(len(literal.about.levels or ()))) - one
    return replace(plain, levels=levels)


# --- sums


def _sum_key(condition: Answered) -> Hashable:
    question = condition.question
    assert isinstance(question, Linear)
    # Missing values count as the mean in the node that asks, so that equal terms need not be equal sums.
    fills = tuple([term.fill for term in question.terms])
    return "sum", question.terms, fills, condition.holds


def _tighter_sum(before: Condition | None, condition: Answered) -> Answered:
    if not isinstance(before, Answered):
        return condition
    old, new = before.question, condition.question
    assert isinstance(old, Linear)
    assert isinstance(new, Linear)
    return condition if (new.threshold < old.threshold) == condition.holds else before
