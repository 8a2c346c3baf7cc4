"""Export to rules: one for each leaf, from left to right, as text to read or as JSON for programs.

Exactly one rule holds for every row, except where rows are divided: then each rule has its share.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from arboretum._data import Column
from arboretum._data.levels import level_to_json
from arboretum._options.rules import OneOf
from arboretum._show.own_rows import support_text
from arboretum._show.words import number
from arboretum._tree.composites import AtLeast, Composite, Linear, Literal
from arboretum._tree.question_values import quote, value_text
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum._tree.tree import Node
from arboretum._wording import visible
from arboretum.export._program.program import Program, Step, program_of, threshold_value, user_value
from arboretum.export._program.samples import expected, samples
from arboretum.export._program.shared import about_lines, saved


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
        if isinstance(condition, Answered) or (
            condition.surrogates or condition.answered is not None or condition.share is not None
        ):
            kept.append(condition)
        elif condition.about.name in place:
            before = kept[place[condition.about.name]]
            if isinstance(before, Allowed):
                kept[place[condition.about.name]] = _both(before, condition)
        else:
            place[condition.about.name] = len(kept)
            kept.append(condition)
    return tuple(kept)


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


_ASKER: Final = "to_rules()"
_VERSION: Final = 1


def to_rules(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    format: str = "text",
    simplify: bool = True,
    n_samples: int = 32,
) -> str:
    """Return the rules of all leaves, from left to right.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> model = TreeClassifier(max_depth=3, min_samples_leaf=10, prune=None).fit(X, y)
    >>> print(to_rules(model))
    # Rules of a decision tree, written by arboretum ...
    # 11 nodes, 6 of them leaves, depth 3; a missing value or unknown level follows one child.
    # Asks about: 'bill_length_mm', 'bill_depth_mm', 'flipper_length_mm', 'body_mass_g'.
    # Predicts classes 'Adelie', 'Chinstrap', 'Gentoo'.
    1. flipper_length_mm <= 206.5 or missing, bill_length_mm <= 42.35 → Adelie (95%; 99% of 139 rows)
    ...

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write the result to, or None
    format : {"text", "json"}
    simplify : whether conditions about the same column are merged: x <= 5 and x <= 3 is x <= 3
        No prediction changes. Where surrogates or shares decide about missing values, nothing is merged.
    n_samples : the number of rows with known answers in the JSON, as a self-test
    """
    OneOf(("text", "json")).read(format, "format")
    program = program_of(model, _ASKER)
    rules = list(_rules(program, simplify=simplify))
    if format == "json":
        return saved(_to_json(program, rules, simplified=simplify, n_samples=n_samples), path, end="\n")
    head = [f"# {line}" for line in about_lines(program, "Rules of a decision tree")]
    texts = (visible(_rule_text(program, rule, simplified=simplify)) for rule in rules)
    body = [f"{place}. {text}" for place, text in enumerate(texts, start=1)]
    return saved("\n".join([*head, *body]), path, end="\n")


@dataclass(frozen=True)
class _Rule:
    step: Step
    conditions: tuple[Condition, ...]


def _rules(program: Program, *, simplify: bool) -> Iterator[_Rule]:
    """Yield the rules from left to right; that of rows that stop at an inner node precedes those below."""
    todo: list[tuple[int, _Path]] = [(0, None)]

    def extend(path: _Path, condition: Condition) -> _Path:
        # One merged part, so that what the paths to several leaves share is merged once.
        return (None, merged((*_conditions(path), condition))) if simplify else (path, (condition,))

    while todo:
        at, path = todo.pop()
        step = program.steps[at]
        if program.can_stop_at(step):
            end = path if step.is_leaf else extend(path, condition_of(step, None))
            yield _Rule(step, _conditions(end))
        for place in reversed(range(len(step.children))):
            todo.append((step.children[place], extend(path, condition_of(step, place))))


# A linked list, so that deep trees cost little: the path so far, and the conditions that follow it.
_Path = tuple[Any, tuple[Condition, ...]] | None


def _conditions(path: _Path) -> tuple[Condition, ...]:
    parts = []
    while path is not None:
        path, part = path
        parts.append(part)
    return tuple(condition for part in reversed(parts) for condition in part)


# --- text


def _rule_text(program: Program, rule: _Rule, *, simplified: bool) -> str:
    node = Node(program.tree, rule.step.number)
    shown = [_of_known(condition) for condition in rule.conditions]
    parts = ", ".join(map(_condition_text, merged(shown) if simplified else shown)) or "always"
    label = number(node.label) if node.confidence is None else quote(str(node.label))
    return f"{parts} → {label} ({support_text(node)})"


def _of_known(condition: Condition) -> Condition:
    """Return a condition for people: about known values only, where others decide about missing ones."""
    if isinstance(condition, Answered) or (not condition.surrogates and condition.share is None):
        return condition
    return replace(condition, surrogates=(), answered=None, share=None, missing_seen=False)


def _condition_text(condition: Condition) -> str:
    if isinstance(condition, Answered):
        outcome = condition.question.outcomes[0 if condition.holds else 1]
        return f"({outcome})" if "," in outcome else outcome
    known = _known_text(condition)
    name = quote(condition.about.name)
    if known is None:
        return f"{name} is missing" if condition.missing or condition.levels == () else f"{name} is known"
    return f"{known} or missing" if condition.missing and condition.missing_seen else known


def _known_text(allowed: Allowed) -> str | None:
    """Return the known values that are allowed; None if all or none are."""
    name = quote(allowed.about.name)
    above = None if allowed.above is None else value_text(allowed.about, allowed.above.threshold)
    at_most = None if allowed.at_most is None else value_text(allowed.about, allowed.at_most.threshold)
    if allowed.levels is not None:
        names = [value_text(allowed.about, level) for level in allowed.levels]
        if not names:
            return None
        return f"{name} = {names[0]}" if len(names) == 1 else f"{name} in {{{', '.join(names)}}}"
    if above is not None and at_most is not None:
        return f"{above} < {name} <= {at_most}"
    if above is not None:
        return f"{name} > {above}"
    return None if at_most is None else f"{name} <= {at_most}"


# --- JSON


def _to_json(program: Program, rules: list[_Rule], *, simplified: bool, n_samples: int) -> str:
    rows = samples(program, n_samples)
    document = {
        "format": "arboretum rules",
        "version": _VERSION,
        "written_by": about_lines(program, "Rules")[0],
        "missing": program.missing,
        "simplified": simplified,
        "columns": [field.column.to_dict() for field in program.fields],
        "classes": None if program.classes is None else [level_to_json(label) for label in program.classes],
        "loss": program.loss,
        "rules": [_rule_json(program, rule) for rule in rules],
        "self_test": [
            {"row": {name: _cell(value) for name, value in row.items()}, **_answer(*answer)}
            for row, answer in zip(rows, expected(program.tree, rows), strict=True)
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _cell(value: object) -> object:
    if isinstance(value, float):
        return _number(value)
    return None if value is None else level_to_json(value)


def _answer(label: Any, probability: tuple[float, ...] | None) -> dict[str, object]:
    if probability is None:
        return {"value": label}
    return {"label": level_to_json(label), "probability": probability}


def _rule_json(program: Program, rule: _Rule) -> dict[str, object]:
    node = Node(program.tree, rule.step.number)
    is_number = rule.step.probability is None
    return {
        "node": rule.step.number,
        "conditions": [_condition_json(condition) for condition in rule.conditions],
        **_answer(rule.step.value if is_number else node.label, rule.step.probability),
        "n_rows": node.n_rows,
        "weight": node.weight,
    }


def _condition_json(condition: Condition) -> dict[str, object]:
    if isinstance(condition, Answered):
        return {"holds": condition.holds, **_composite_json(condition)}
    stored: dict[str, object] = {"column": condition.about.name, **_known_json(condition)}
    stored["missing"] = condition.missing
    stored |= _answered_json(condition)
    if condition.surrogates:
        stored["surrogates"] = [
            {"column": other.about.name, **_known_json(other), **_answered_json(other)}
            for other in condition.surrogates
        ]
    if condition.share is not None:
        stored["share"] = condition.share
    return stored


def _known_json(allowed: Allowed) -> dict[str, object]:
    stored: dict[str, object] = {}
    if allowed.above is not None:
        stored["above"] = _number(threshold_value(allowed.above))
    if allowed.at_most is not None:
        stored["at_most"] = _number(threshold_value(allowed.at_most))
    if allowed.levels is not None:
        stored["in"] = [_level(allowed, level) for level in allowed.levels]
    return stored


def _answered_json(allowed: Allowed) -> dict[str, object]:
    if allowed.answered is None:
        return {}
    return {"answered": [_level(allowed, level) for level in allowed.answered]}


def _level(allowed: Allowed, level: int) -> object:
    return level_to_json(user_value(allowed.about, level))


def _number(value: float | int | str) -> object:
    """Return a threshold as JSON can hold it, which has no infinities."""
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def _composite_json(condition: Answered) -> dict[str, object]:
    question = condition.question
    if isinstance(question, AtLeast):
        return {"at_least": question.m, "of": [_literal_json(literal) for literal in question.literals]}
    if not isinstance(question, Linear):
        raise ValueError(f"no rule can hold {question}")
    terms = []
    for term in question.terms:
        stored: dict[str, object] = {"column": term.about.name, "coefficient": term.coefficient}
        if term.level is not None:
            stored["equals"] = level_to_json(user_value(term.about, term.level))
        terms.append({**stored, "missing_counts_as": term.fill})
    return {"sum": terms, "at_most": question.threshold}


def _literal_json(literal: Literal) -> dict[str, object]:
    stored: dict[str, object] = {"column": literal.about.name, "negated": literal.negated}
    if literal.level is not None:
        return {**stored, "equals": level_to_json(user_value(literal.about, literal.level))}
    if literal.about.levels is not None:
        levels = [level_to_json(level) for level in literal.about.levels[: literal.floor + 1]]
        return {**stored, "in": levels}
    return {**stored, "at_most": _number(threshold_value(literal))}
