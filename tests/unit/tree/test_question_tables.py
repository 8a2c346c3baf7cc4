"""Questions as rows of tables, and what surgery does with tables: take rows, put one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from support.composites import ASKED, COLOUR, COLUMNS, SIZE, TREE, A

from arboretum._tree.composites import Composite
from arboretum._tree.kinds import KINDS, decode
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum._tree.tables import NOTHING, Lists, Table, flat, questions_of

QUESTIONS: list[Question] = [
    Threshold(A, 1, True, 2.5, 2),
    Threshold(SIZE, 0, False, 1.0, 1),
    Levels(COLOUR, 0, False, ((0, 2), (1,))),
    Levels(COLOUR, 3, True, ((0,), (1,), (2,), ())),
    Missing(COLOUR, 0, True),
    *(asked for asked in ASKED.values() if isinstance(asked, Composite)),
]


def test_every_kind_of_question_is_here() -> None:
    assert {question.kind for question in QUESTIONS} == KINDS.keys()
    assert all(KINDS[question.kind] is type(question) for question in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_a_question_comes_back_from_its_row(question: Question) -> None:
    table = NOTHING.then(question.encode(COLUMNS)).then(NOTHING)
    found = decode(table, 1, COLUMNS)
    assert (found, found.missing_child, found.missing_seen) == (
        question,
        question.missing_child,
        question.missing_seen,
    )
    assert found.suits(question.about)


def test_questions_keep_their_lists_in_any_order() -> None:
    """Levels and terms go where their question goes, however rows are taken and put together."""
    table = QUESTIONS[0].encode(COLUMNS)
    for question in QUESTIONS[1:]:
        table = table.then(question.encode(COLUMNS))
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(QUESTIONS)), 2))
    taken = table.take(order)
    assert [decode(taken, row, COLUMNS) for row in range(len(order))] == [QUESTIONS[i] for i in order]


def test_lists_of_lists_are_taken_with_their_rows() -> None:
    inner = Lists(np.array([0, 1, 3, 3]), Table(3, {"x": np.array([10, 20, 21])}))
    outer = Lists(np.array([0, 2, 2, 3]), Table(3, {"y": np.array([1, 2, 3])}, {"inner": inner}))
    table = Table(3, {"z": np.array([7, 8, 9])}, {"outer": outer})
    twice = table.then(table.take(np.array([2, 0])))
    found = twice.lists["outer"]
    assert twice.columns["z"].tolist() == [7, 8, 9, 9, 7]
    assert found.begin.tolist() == [0, 2, 2, 3, 4, 6]
    assert found.items.columns["y"].tolist() == [1, 2, 3, 3, 1, 2]
    assert found.items.lists["inner"].begin.tolist() == [0, 1, 3, 3, 3, 4, 6]
    assert found.items.lists["inner"].items.columns["x"].tolist() == [10, 20, 21, 10, 20, 21]
    assert found.of(4)["y"].tolist() == [1, 2]


def test_flat_arrays_and_tables_are_the_same_numbers() -> None:
    arrays, remembered, terms = flat(questions_of(TREE._arrays, TREE.remembered, TREE.terms))
    assert remembered == {}
    for name, array in arrays.items():
        assert np.array_equal(array, TREE.array(name)), name
    for name, array in TREE.terms.items():
        assert np.array_equal(terms[name], array), name
