"""Export to rules: one for each leaf, from left to right, as text to read or as JSON for programs.

Words: a *rule* is the conditions on the way and what is predicted; *simplified* rules have one condition for
each column. Of every row exactly one rule holds, except where rows are divided: then each rule has its share.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from arboretum.dataset.levels import level_to_json
from arboretum.errors import ParameterError, choices
from arboretum.export.header import about_lines
from arboretum.export.program import Program, Step, program_of, threshold_value, user_value
from arboretum.export.resting import may_rest
from arboretum.export.rule_conditions import Allowed, Answered, Condition, condition_of, merged
from arboretum.export.self_test import expected, samples
from arboretum.questions import AtLeast, Linear, Literal, quote, value_text
from arboretum.show.words import number, percent, rows_text
from arboretum.tree import Node
from arboretum.visible import visible
from arboretum.writing import write_text

__all__ = ["to_rules"]

_ASKER: Final = "to_rules()"
_FORMATS: Final = ("text", "json")
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
    1. flipper_length_mm <= 206.5 or missing, bill_length_mm <= 42.35 → Adelie (99%, 139 rows)
    ...

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the rules, if they are to be written
    format : {"text", "json"}
    simplify : whether conditions about the same column are made one: x <= 5 and x <= 3 is x <= 3
        No prediction changes. Where surrogates or shares decide about missing values nothing is merged.
    n_samples : how many rows with known answers the JSON carries as a self-test
    """
    if format not in _FORMATS:
        raise ParameterError(choices("format", format, _FORMATS))
    program = program_of(model, _ASKER)
    rules = list(_rules(program, simplify=simplify))
    if format == "json":
        text = _to_json(program, rules, simplified=simplify, n_samples=n_samples)
    else:
        text = _to_text(program, rules, simplified=simplify)
    if path is not None:
        write_text(path, text + "\n")
    return text


@dataclass(frozen=True)
class _Rule:
    step: Step
    conditions: tuple[Condition, ...]


def _rules(program: Program, *, simplify: bool) -> Iterator[_Rule]:
    """Yield the rules from left to right; that of rows which rest at an inner node before those below it."""
    join = _join_merged if simplify else _join
    open_ways: list[tuple[int, _Way]] = [(0, None)]
    while open_ways:
        at, way = open_ways.pop()
        step = program.steps[at]
        if may_rest(program, step):
            end = way if step.is_leaf else join(way, condition_of(step, None))
            yield _Rule(step, _conditions(end))
        for place in reversed(range(len(step.children))):
            open_ways.append((step.children[place], join(way, condition_of(step, place))))


# A way is a linked list of pieces, so that deep trees cost little: what came before, and what is added to it.
_Way = tuple[Any, tuple[Condition, ...]] | None


def _join(way: _Way, condition: Condition) -> _Way:
    return (way, (condition,))


def _join_merged(way: _Way, condition: Condition) -> _Way:
    """Return a way of one piece, merged: what the ways to several leaves share is merged once for all."""
    return (None, merged((*_conditions(way), condition)))


def _conditions(way: _Way) -> tuple[Condition, ...]:
    pieces = []
    while way is not None:
        way, piece = way
        pieces.append(piece)
    return tuple(condition for piece in reversed(pieces) for condition in piece)


# --- text


def _to_text(program: Program, rules: list[_Rule], *, simplified: bool) -> str:
    head = [f"# {line}" for line in about_lines(program, "Rules of a decision tree")]
    body = [_rule_text(program, rule, simplified=simplified) for rule in rules]
    return "\n".join([*head, *(f"{place}. {visible(text)}" for place, text in enumerate(body, start=1))])


def _rule_text(program: Program, rule: _Rule, *, simplified: bool) -> str:
    node = Node(program.tree, rule.step.number)
    told = [_of_known(condition) for condition in rule.conditions]
    parts = ", ".join(map(_condition_text, merged(told) if simplified else told)) or "always"
    label = number(node.label) if node.confidence is None else quote(str(node.label))
    sure = "" if node.confidence is None else f"{percent(node.confidence)}, "
    return f"{parts} → {label} ({sure}{rows_text(node.n_rows)})"


def _of_known(condition: Condition) -> Condition:
    """Return a condition as it is told to people where others decide about missing values: of known ones."""
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
    """Return the known values that are allowed; None if they are all or none."""
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
        "self_test": _self_test(program, n_samples),
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _self_test(program: Program, n_samples: int) -> list[dict[str, object]]:
    """Return rows with their known answers, for whoever writes a program that follows the rules."""
    rows = samples(program, n_samples)
    return [
        {"row": {name: _cell(value) for name, value in row.items()}, **_answer(label, probability)}
        for row, (label, probability) in zip(rows, expected(program.tree, rows), strict=True)
    ]


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
    predicted: dict[str, object] = {"value": rule.step.value}
    if rule.step.probability is not None:
        predicted = {"label": level_to_json(node.label), "probability": rule.step.probability}
    return {
        "node": rule.step.number,
        "conditions": [_condition_json(condition) for condition in rule.conditions],
        **predicted,
        "n_rows": node.n_rows,
        "weight": node.weight,
    }


def _condition_json(condition: Condition) -> dict[str, object]:
    if isinstance(condition, Answered):
        return {"holds": condition.holds, **_composite_json(condition)}
    stored: dict[str, object] = {"column": condition.about.name, **_known_json(condition)}
    stored["missing"] = condition.missing
    if condition.answered is not None:
        stored["answered"] = [_level(condition, level) for level in condition.answered]
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
    """Return a threshold in JSON's own types, which have no infinities."""
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
