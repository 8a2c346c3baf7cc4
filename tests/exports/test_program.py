"""The program of a tree, and its samples: they say what the tree does, and reach all of it.

The program is walked here in plain Python, straight from its words, and compared with the core.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.export_models import ALL, deep, exported, rows_of, table_rows

import arboretum.export
from arboretum import TreeClassifier, datasets
from arboretum._tree.composites import AtLeast, Linear, Literal
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum.errors import DataTypeError
from arboretum.export._program.program import (
    Program,
    Step,
    level_groups,
    program_of,
    stored_value,
    threshold_count,
    threshold_value,
    unseen_levels,
)
from arboretum.export._program.samples import expected, samples, stored_table

Row = dict[str, Any]


def _at_most(question: Threshold | Literal, value: Any) -> bool:
    column = question.about
    if column.kind in ("number", "integer"):
        return bool(value <= threshold_value(question))
    stored = stored_value(column, value)
    assert stored is not None
    return stored <= threshold_count(question)


def _answer(question: Any, row: Row) -> int | str:
    """The place of the child, or why there is none."""
    if isinstance(question, AtLeast):
        held = 0
        for literal in question.literals:
            value = row[literal.about.name]
            stored = stored_value(literal.about, value)
            if stored is not None:
                so = stored == literal.level if literal.level is not None else _at_most(literal, value)
                held += so != literal.negated
        return 0 if held >= question.m else 1
    if isinstance(question, Linear):
        total = 0.0
        for term in question.terms:
            stored = stored_value(term.about, row[term.about.name])
            number = (
                term.fill if stored is None else float(stored if term.level is None else stored == term.level)
            )
            total += term.coefficient * number
        return 0 if total <= question.threshold else 1
    value = row[question.column]
    missing = stored_value(question.about, value) is None
    if isinstance(question, Missing):
        return 0 if missing else 1
    if missing:
        return "missing"
    if isinstance(question, Threshold) and question.about.levels is None:
        return int(_at_most(question, value) == question.flipped)
    places = [place for place, group in enumerate(level_groups(question)) if value in group]
    return places[0] if places else "unseen"


def _place(program: Program, step: Step, row: Row) -> int | None:
    answer = _answer(step.question, row)
    if isinstance(answer, int):
        return answer
    for other in step.surrogates:
        sent = _answer(other, row)
        if isinstance(sent, int):
            return sent
    if program.missing == "child" and answer == "unseen":
        return step.unseen_child
    return step.missing_child


def _outcome(program: Program, row: Row) -> tuple[float, ...]:
    parts = [(0, 1.0)]
    mixed: list[float] = []
    while parts:
        number, share = parts.pop()
        step = program.steps[number]
        place = None
        if not step.is_leaf:
            if program.missing == "fractions" and isinstance(_answer(step.question, row), str):
                shares = list(zip(step.children, step.shares, strict=True))
                parts += [(child, share * part) for child, part in reversed(shares) if part > 0]
                continue
            place = _place(program, step, row)
        if place is not None:
            parts.append((step.children[place], share))
            continue
        values = (step.value,) if step.probability is None else step.probability
        mixed = mixed or [0.0] * len(values)
        mixed = [a + share * (b or 0.0) for a, b in zip(mixed, values, strict=True)]
    return tuple(mixed)


@pytest.mark.parametrize("kind", ALL)
def test_program_computes_what_the_core_computes(kind: str) -> None:
    model, X, _ = exported(kind)
    program = program_of(model, "the test")
    rows = rows_of(model, X)
    for row, (answer, shares) in zip(rows, expected(model, rows), strict=True):
        assert _outcome(program, row) == (shares or (answer,)), row


@pytest.mark.parametrize("kind", ALL)
def test_expected_is_what_the_model_predicts(kind: str) -> None:
    """`expected` goes past the reading of tables, so that it is compared with `predict` on real ones."""
    model, X, _ = exported(kind)
    answers = expected(model, table_rows(model, X))
    assert [answer for answer, _ in answers] == model.predict(X).tolist()
    if model.tree_.target.classes is not None:
        assert np.array_equal(np.array([shares for _, shares in answers]), model.predict_proba(X))


@pytest.mark.parametrize("kind", ALL)
def test_samples_reach_every_leaf(kind: str) -> None:
    """Leaves below questions about several columns are reached by chance, all others by design."""
    model, _, _ = exported(kind)
    tree = model.tree_
    program = program_of(model, "the test")
    rows = samples(program, 8 * tree.n_leaves)
    assert rows == samples(program, 8 * tree.n_leaves)
    reached = {int(leaf) for leaf in tree._leaves_of(stored_table(tree.columns, rows))}
    leaves = {leaf.number for leaf in tree.leaves() if leaf.n_rows > 0}
    if not tree.terms:
        assert leaves <= reached
    else:
        assert len(leaves & reached) >= len(leaves) / 2


def test_samples_hold_what_is_hard() -> None:
    model, _, _ = exported("typed")
    program = program_of(model, "the test")
    values = {field.name: [row[field.name] for row in samples(program, 500)] for field in program.fields}
    assert all(None in column for column in values.values())
    for field in program.fields:
        if field.levels is not None:
            assert set(field.levels) <= set(values[field.name])
        elif field.type == "number":
            assert {float("inf"), float("-inf"), 0.0} <= set(values[field.name])
            cuts = [
                step.question.real
                for step in program.steps
                if isinstance(step.question, Threshold) and step.question.column == field.name
            ]
            near = {float(np.nextafter(cut, side)) for cut in cuts for side in (-np.inf, np.inf)}
            assert len(near & set(values[field.name])) > len(near) / 2


def test_fields_are_what_users_know() -> None:
    model, _, _ = exported("typed")
    types = {field.name: field.type for field in program_of(model, "the test").fields}
    wanted = {
        "size": "text", "flag": "boolean", "code": "integer", "rate": "number", "mixed": "mixed",
        "day": "datetime", "zoned": "datetime", "stay": "duration", "n": "integer", "x": "number",
    }  # fmt: skip
    assert types == {name: kind for name, kind in wanted.items() if name in types}
    assert len(types) >= 8
    assert program_of(exported("days")[0], "the test").fields[0].type == "date"


def test_unseen_levels_are_told() -> None:
    model, _, _ = exported("unseen levels")
    program = program_of(model, "the test")
    steps = [step for step in program.steps if isinstance(step.question, Levels)]
    with_unseen = [step for step in steps if step.question and unseen_levels(step.question)]
    assert with_unseen
    apart = [step for step in with_unseen if step.unseen_child != step.missing_child]
    assert apart, "somewhere missing values and unseen levels go different ways"


def test_deep_trees() -> None:
    tree, X, _ = deep()
    assert tree.depth == 2_000
    rows = table_rows(tree, X)
    assert [answer for answer, _ in expected(tree, rows)] == tree.predict(X).tolist()
    assert len(samples(program_of(tree, "the test"), 64)) == 64


def test_only_trees_have_programs() -> None:
    with pytest.raises(DataTypeError, match=r"to_x\(\) needs a fitted tree"):
        program_of([1, 2], "to_x()")


def test_questions_of_the_tree_itself() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier().fit(X, y)
    assert [step.question for step in program_of(model, "the test").steps] == [
        model.tree_.node(number).question for number in range(len(model.tree_))
    ]


def test_documentation_lists_every_export() -> None:
    """What the package exports is what docs/exports.md lists."""
    text = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8")
    assert [name for name in arboretum.export.__all__ if f"`{name}" not in text and name not in text] == []
    assert all(f"`{name}" in text for name in arboretum.export.__all__ if name.startswith("to_"))
