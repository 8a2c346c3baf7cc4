"""Export to rules: one for each leaf, from left to right, as text to read or as JSON for programs.

Exactly one rule holds for every row, except where rows are divided: then each rule has its share.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import Any, Final

from arboretum._data.levels import level_to_json
from arboretum._options.rules import OneOf
from arboretum._show.rule_text import Wording, rule_line, rule_line_of_outputs
from arboretum._tree.composites import AtLeast, Linear, Literal
from arboretum._tree.digits import DIGITS
from arboretum._tree.multi_tree import several_of
from arboretum.export._program.program import Output, Program, program_of, threshold_value, user_value
from arboretum.export._program.samples import expected_of_each, samples
from arboretum.export._program.shared import about_lines, saved
from arboretum.inspection.rules.conditions import Allowed, Answered, Condition
from arboretum.inspection.rules.rule import Rule, rules_of
from arboretum.inspection.rules.rule_list import ListedRule, RuleList

_ASKER: Final = "to_rules()"
_VERSION: Final = 1
_OPTIONAL: Final = ("own_share", "own_value", "interval", "lift")  # figures that a rule may not know


def to_rules(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    format: str = "text",
    simplify: bool = True,
    digits: int | None = DIGITS,
    figures: bool = True,
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
    1. (flipper_length_mm <= 206.5 or missing) and bill_length_mm <= 42.35 → Adelie (95%; 99% of 139 rows...)
    ...

    Parameters
    ----------
    model : a fitted tree estimator, or a Tree
    path : a file to write the result to, or None
    format : {"text", "json"}
    simplify : whether conditions are merged, and left out where others imply them: x <= 5, x <= 3 is x <= 3
        No prediction changes. In JSON, where surrogates or shares decide about missing values, each question
        has its own and is not merged; text is about the known values.
    digits : how many digits of a threshold the text shows, more where two would look the same; None: all
        JSON has all of them.
    figures : whether the text tells the interval, the share of all rows and the lift of each rule
    n_samples : the number of rows with known answers in the JSON, as a self-test
    """
    OneOf(("text", "json")).read(format, "format")
    program = program_of(model, _ASKER, outputs=True)
    if format == "json":
        return saved(_to_json(program, simplified=simplify, n_samples=n_samples), path, end="\n")
    wording = Wording(program.trees[0], digits, max_levels=None)
    head = [f"# {line}" for line in about_lines(program, "Rules of a decision tree")]
    rules = rules_of(program.trees[0], resting=True, merge=simplify)
    several = several_of(model)
    if several is None:
        lines = [rule_line(rule, wording, figures=figures) for rule in rules]
    else:
        lines = [rule_line_of_outputs(rule, several, wording, figures=figures) for rule in rules]
    body = [f"{place}. {line}" for place, line in enumerate(lines, start=1)]
    return saved("\n".join([*head, *body]), path, end="\n")


# --- JSON


def _to_json(program: Program, *, simplified: bool, n_samples: int) -> str:
    rows = samples(program, n_samples)
    by_output = [
        rules_of(output.program.trees[0], resting=True, exact=True, merge=simplified)
        for output in program.answers
    ]
    outputs = [{"name": output.name, "classes": _classes(output)} for output in program.outputs]
    document = {
        "format": "arboretum rules",
        "version": _VERSION,
        "written_by": about_lines(program, "Rules")[0],
        "missing": program.missing,
        "simplified": simplified,
        "columns": [field.column.to_dict() for field in program.fields],
        **({"outputs": outputs} if outputs else {"classes": _classes(program.answers[0])}),
        "loss": program.loss,
        "rules": [_rule_json(program, rules) for rules in zip(*by_output, strict=True)],
        "self_test": [
            {
                "row": {name: _cell(value) for name, value in row.items()},
                **_answers(program, [_answer(*answer) for answer in answers]),
            }
            for row, answers in zip(rows, expected_of_each(program, rows), strict=True)
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False)


def rule_list_to_json(rules: RuleList) -> str:
    """Return simplified rules as JSON: tried in order, they have the conditions of other rules."""
    tree = rules.tree
    document = {
        "format": "arboretum rule list",
        "version": _VERSION,
        "missing": tree.missing,
        "columns": [column.to_dict() for column in tree.columns],
        "classes": [level_to_json(label) for label in tree.target.classes or ()],
        "rules": [_listed_json(rule) for rule in rules],
        "default": level_to_json(rules.default),
        "n_default": rules.n_default,
        "n_rows": rules.n_rows,
        "accuracy": rules.accuracy,
        "tree_accuracy": rules.tree_accuracy,
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _listed_json(rule: ListedRule) -> dict[str, object]:
    names = ("n_rows", "n_decided", "share", "confidence", "interval", "lift", "error")
    return {
        "conditions": [condition_json(condition) for condition in rule.conditions],
        "label": level_to_json(rule.label),
        **{name: _finite(getattr(rule, name)) for name in names},
    }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: object) -> object:
    if isinstance(value, float):
        return _number(value)
    return None if value is None else level_to_json(value)


def _answer(label: Any, probability: tuple[float, ...] | None) -> dict[str, object]:
    if probability is None:
        return {"value": label}
    return {"label": level_to_json(label), "probability": probability}


def _answers(program: Program, answers: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return what is said of the only output, or of each of several by its name."""
    if not program.outputs:
        return answers[0]
    return {"outputs": {str(output.name): own for output, own in zip(program.outputs, answers, strict=True)}}


def _classes(output: Output) -> list[object] | None:
    return None if output.classes is None else [level_to_json(label) for label in output.classes]


def _rule_json(program: Program, rules: Sequence[Rule]) -> dict[str, object]:
    """Return a rule, given as the rule of each output."""
    rule = rules[0]
    answers = [
        {
            **_answer(own.label, output.program.steps[own.node].probability),
            **{name: value for name in _OPTIONAL if (value := getattr(own, name)) is not None},
        }
        for own, output in zip(rules, program.answers, strict=True)
    ]
    return {
        "node": rule.node,
        "conditions": [condition_json(condition) for condition in rule.conditions],
        "n_rows": rule.n_rows,
        "weight": rule.weight,
        "share": rule.share,
        **_answers(program, answers),
    }


def condition_json(condition: Condition) -> dict[str, object]:
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
        stored["in"] = [_level(allowed, level) for level in sorted(allowed.levels)]
    return stored


def _answered_json(allowed: Allowed) -> dict[str, object]:
    if allowed.answered is None:
        return {}
    return {"answered": [_level(allowed, level) for level in sorted(allowed.answered)]}


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
