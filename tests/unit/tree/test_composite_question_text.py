"""Questions about several columns as text: what is printed reads back, what people write is understood.

A literal is a part of "at least m of", a term a part of a sum; names whose signs could be misread are quoted.
Which way rows go is tested in test_composite_questions.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum import ParameterError
from arboretum._data import Column
from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal
from arboretum._tree.question_text import read_question
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Question, Threshold

A = Column("a", "number")
B = Column("b", "nominal", levels=("blue", "red", "x]", 'q"', "a, b", "b = c", "missing"))
C = Column("c", "number")
N = Column("n", "integer")
SIZE = Column("size", "ordered", levels=("small", "l, x", "large"))
HIRED = Column("hired", "datetime", unit="D")
STAY = Column("stay", "duration", unit="s")
BIG = Column("big", "integer", offset=2**63)
ODD = Column("a = b", "nominal", levels=("c", "d"))
LAG = Column("t-1", "integer")
PETAL = Column("petal-length (cm)", "number")
SUM = Column("0.8·a", "number")
ANY = Column("any of: a", "number")
COLUMNS = (A, B, C, N, SIZE, HIRED, STAY, BIG, ODD, LAG, PETAL, SUM, ANY)


def cut(column: Column, value: float, *, negated: bool = False) -> Literal:
    return Literal(column, negated, float(value), floor_of(value))


def at_least(m: int, *literals: Literal) -> AtLeast:
    return AtLeast(literals[0].about, 0, False, m, literals)


def total(threshold: float, *terms: LinearTerm) -> Linear:
    return Linear(terms[0].about, 0, False, terms, threshold)


RED, NOT_RED = Literal(B, level=1), Literal(B, True, level=1)

CASES: list[tuple[Question, str, str]] = [
    (
        at_least(2, cut(A, 3), RED, cut(C, 1, negated=True)),
        "at least 2 of: a <= 3, b = red, c > 1",
        "fewer than 2 of: a <= 3, b = red, c > 1",
    ),
    (at_least(2, cut(A, 3), NOT_RED), "all of: a <= 3, b != red", "not all of: a <= 3, b != red"),
    (at_least(1, cut(A, 0.1), RED), "any of: a <= 0.1, b = red", "none of: a <= 0.1, b = red"),
    (
        at_least(2, cut(N, 41.5), cut(N, -3, negated=True), cut(A, 1e300)),
        "at least 2 of: n <= 41.5, n > -3, a <= 1e+300",
        "fewer than 2 of: n <= 41.5, n > -3, a <= 1e+300",
    ),
    (
        at_least(1, cut(SIZE, 1), cut(HIRED, 19_783, negated=True), cut(STAY, 86_401)),
        'any of: size <= "l, x", hired > 2024-03-01, stay <= 1 day 00:00:01',
        'none of: size <= "l, x", hired > 2024-03-01, stay <= 1 day 00:00:01',
    ),
    (
        at_least(1, Literal(B, level=4), Literal(B, True, level=3), Literal(B, level=6)),
        'any of: b = "a, b", b != "q\\"", b = "missing"',
        'none of: b = "a, b", b != "q\\"", b = "missing"',
    ),
    (
        at_least(1, Literal(B, level=5), Literal(ODD, level=0)),
        'any of: b = "b = c", "a = b" = c',
        'none of: b = "b = c", "a = b" = c',
    ),
    (
        at_least(1, Literal(BIG, False, 2.5, 2), cut(LAG, 2)),
        'any of: big <= 9223372036854775810.5, "t-1" <= 2',
        'none of: big <= 9223372036854775810.5, "t-1" <= 2',
    ),
    (
        at_least(1, cut(ANY, 2), cut(A, 1)),
        "any of: any of: a <= 2, a <= 1",
        "none of: any of: a <= 2, a <= 1",
    ),
    (
        total(3.1, LinearTerm(A, 0.8), LinearTerm(C, -1.2), LinearTerm(B, 0.5, 1)),
        "0.8·a − 1.2·c + 0.5·[b = red] <= 3.1",
        "0.8·a − 1.2·c + 0.5·[b = red] > 3.1",
    ),
    (total(-2, LinearTerm(A, -1.0), LinearTerm(N, 1.0)), "−1·a + 1·n <= -2", "−1·a + 1·n > -2"),
    (
        total(1e300, LinearTerm(PETAL, 1e-05), LinearTerm(LAG, -0.1), LinearTerm(SUM, 2.0)),
        '1e-05·petal-length (cm) − 0.1·"t-1" + 2·"0.8·a" <= 1e+300',
        '1e-05·petal-length (cm) − 0.1·"t-1" + 2·"0.8·a" > 1e+300',
    ),
    (
        total(0, LinearTerm(C, 1.5), LinearTerm(N, -3.0), LinearTerm(B, 1.0, 2), LinearTerm(B, 1.0, 3)),
        '1.5·c − 3·n + 1·[b = "x]"] + 1·[b = "q\\""] <= 0',
        '1.5·c − 3·n + 1·[b = "x]"] + 1·[b = "q\\""] > 0',
    ),
    (
        total(0, LinearTerm(ODD, 1.0, 0), LinearTerm(B, -1.0, 5)),
        '1·["a = b" = c] − 1·[b = "b = c"] <= 0',
        '1·["a = b" = c] − 1·[b = "b = c"] > 0',
    ),
]


@pytest.mark.parametrize(("question", "first", "second"), CASES, ids=[first for _, first, _ in CASES])
def test_text_and_question_are_the_same(question: Question, first: str, second: str) -> None:
    """Each is made from the other, and the other outcome asks the same."""
    assert (str(question), repr(question), question.written()) == (first, first, first)
    assert question.outcomes == (first, second)
    assert read_question(first, COLUMNS) == question
    assert read_question(second, COLUMNS) == question


def test_a_name_like_a_sum_is_quoted() -> None:
    """A column called 0.8·a is one thing, the sum 0.8·a another."""
    simple = Threshold(SUM, 0, False, 3.0, 3)
    assert str(simple) == '"0.8·a" <= 3'
    assert read_question('"0.8·a" <= 3', COLUMNS) == simple
    assert read_question("0.8·a <= 3", COLUMNS) == total(3, LinearTerm(A, 0.8))


def test_a_name_like_a_list_is_no_list() -> None:
    """A list has two parts or more, which commas separate; names that hold commas are quoted."""
    assert read_question("any of: a <= 3", COLUMNS) == Threshold(ANY, 0, False, 3.0, 3)
    assert read_question("any of: a <= 3, not missing", COLUMNS).column == "any of: a"


def test_columns_are_named_once() -> None:
    """`columns` names all, `column` the first."""
    question = at_least(2, cut(C, 3), RED, cut(C, 1, negated=True), NOT_RED)
    assert question.columns == ("c", "b")
    assert question.column == "c"
    assert total(0, LinearTerm(N, 1.0), LinearTerm(A, 1.0)).columns == ("n", "a")
    assert Threshold(A, 0, False, 3.0, 3).columns == ("a",)


def test_what_is_counted_is_not_asked() -> None:
    """Fills and the heavier child are numbers of the node; all else tells questions apart."""
    mine = total(3, LinearTerm(A, 0.8, None, 2.0), LinearTerm(C, 1.0))
    same = Linear(A, 1, False, (LinearTerm(A, 0.8, None, 7.0), LinearTerm(C, 1.0)), 3)
    assert mine == same
    assert hash(mine) == hash(same)
    assert mine != total(3, LinearTerm(A, 0.8), LinearTerm(C, 2.0))
    assert mine != total(4, LinearTerm(A, 0.8), LinearTerm(C, 1.0))
    assert mine != total(3, LinearTerm(C, 1.0), LinearTerm(A, 0.8)), "sums are added up in their order"
    assert at_least(1, cut(A, 3), RED) != at_least(2, cut(A, 3), RED)
    assert at_least(1, cut(A, 3), RED) != at_least(1, cut(A, 3), NOT_RED)


WRITTEN = [
    ("  at least 2 of:a<=3,b=red , c>1", "at least 2 of: a <= 3, b = red, c > 1"),
    ("at least 2 of: a <= 3, b = red", "all of: a <= 3, b = red"),
    ("at least 1 of: a <= 3, b != red", "any of: a <= 3, b != red"),
    ('any of: "a" <= 3, "b" = "red"', "any of: a <= 3, b = red"),
    ("any of: t-1 <= 3, a > 2", 'any of: "t-1" <= 3, a > 2'),
    ("none of: a <= 3, b = red", "any of: a <= 3, b = red"),
    ("any of: a <= 3, b = b = c", 'any of: a <= 3, b = "b = c"'),
    ("0.8*a - 1.2*c <= 3.1", "0.8·a − 1.2·c <= 3.1"),
    ("0.8*a-1.2*c<=3.1", "0.8·a − 1.2·c <= 3.1"),
    ("-0.8*a+.5*[b=red] > -3", "−0.8·a + 0.5·[b = red] <= -3"),
    ('1 * "a" + 2 * [ "b" = "red" ] <= 1e3', "1·a + 2·[b = red] <= 1000"),
    ("− 1·a + 2·petal-length (cm) <= -0.0", "−1·a + 2·petal-length (cm) <= 0"),
    ("2·petal-length (cm) - 1*a <= 0", "2·petal-length (cm) − 1·a <= 0"),
]


@pytest.mark.parametrize(("written", "text"), WRITTEN)
def test_people_write_in_many_ways(written: str, text: str) -> None:
    """Spaces, quotes, the other outcome, signs from the keyboard: all mean the same question."""
    assert str(read_question(written, COLUMNS)) == text


REFUSED = [
    ("at least 9 of: a <= 1, a <= 2", "asks whether 9 of 2 parts hold; give a number from 1 to 2"),
    ("at least 0 of: a <= 1, a <= 2", "asks whether 0 of 2 parts hold; give a number from 1 to 2"),
    ("all of: a <= 1", "has one part only.\nHint: ask it alone, as 'a <= 1'"),
    ("all of: a <= 1, ", "cannot be read: it ends too early"),
    ("all of:", "cannot be read: it ends too early"),
    ("all of: a <= 1, b", "The part 'b' of the question cannot be read; write 'x <= 3'"),
    ("all of: a < 1, b = red", "The part 'a < 1' of the question cannot be read"),
    ("all of: a >= 1, b = red", "The part 'a >= 1' of the question cannot be read"),
    ("all of: a <= 1, b in {red, blue}", "cannot be read"),
    ("all of: a <= 1, d = 2", "names no column of the tree; its columns are 'a', 'b'"),
    ("all of: a <= 1, sice <= large", "Did you mean 'size'?"),
    ("all of: a <= 1, b = rde", "has no level 'rde'"),
    ("all of: a <= 1, b = ?", "has no level '?'"),
    ("all of: a <= 1, b <= 2", "of kind 'nominal' and cannot be asked 'b <= 2'; ask with = or !="),
    ("all of: a <= 1, c = 2", "of kind 'number' and cannot be asked 'c = 2'; ask with <= or >"),
    ("all of: a <= one, b = red", "The value 'one' for column 'a'"),
    ('all of: a <= 1, b = "red', "cannot be read from"),
    ("all of: a <= 1, b = red or missing", "one about several columns always has an answer"),
    ("1·a + 2·c <= 3 or missing", "one about several columns always has an answer"),
    ("1·a + 2·c <= 3, not missing", "one about several columns always has an answer"),
    ("1·a + 2·b <= 3", "of kind 'nominal' and cannot be added up"),
    ("1·a + 2·size <= 3", "of kind 'ordered' and cannot be added up"),
    ("1·a + 2·hired <= 3", "of kind 'datetime' and cannot be added up"),
    ("1·a + 2·big <= 3", "of kind 'integer' and cannot be added up"),
    (
        "1·a + 2·[c = 3] <= 3",
        "of kind 'number' and cannot be asked '[c = 3]'; in a sum it stands alone, as c",
    ),
    ("1·a + 2·[b = rde] <= 3", "has no level 'rde'"),
    ("1·a + 2·[b] <= 3", "cannot be read from '[b] <= 3' on"),
    ("1·a 2·c <= 3", "The part 'a 2·c' of the question names no column"),
    ("1·a + c <= 3", "cannot be read from '+ c <= 3' on"),
    ("1·a + 2·c", "cannot be read: it ends too early"),
    ("1·a + 2·c < 3", "cannot be read from '< 3' on"),
    ("1·a + 2·c <= x", "cannot be read from '<= x' on"),
    ("1e999·a <= 3", "has a coefficient that is too large"),
    ("1·a <= 1e999", "has a bound that is too large"),
    ("1·a <= inf", "cannot be read from '<= inf' on"),
    ('1·"a <= 3', "cannot be read from"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_cannot_be_read_is_refused(text: str, said: str) -> None:
    """One sentence tells what was found and what is allowed."""
    with pytest.raises(ParameterError) as caught:
        read_question(text, COLUMNS)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


# Any names and levels

SIGNS = "ab 1.·*+-−<>=![],:\"'\\{}·?\n"
names = st.text(st.sampled_from(SIGNS), max_size=6)


@st.composite
def random_columns(draw: st.DrawFn) -> tuple[Column, ...]:
    """Columns of several kinds whose names and levels are full of signs."""
    chosen = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    kinds = st.sampled_from(["number", "integer", "ordered", "nominal", "duration"])
    made = []
    for name in chosen:
        kind: Any = draw(kinds)
        levels = None
        if kind in ("ordered", "nominal"):
            levels = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
        made.append(Column(name, kind, levels=levels, unit="s" if kind == "duration" else None))
    return tuple(made)


@st.composite
def literals(draw: st.DrawFn, columns: tuple[Column, ...]) -> Literal:
    column, negated = draw(st.sampled_from(columns)), draw(st.booleans())
    if column.kind == "nominal":
        return Literal(column, negated, level=draw(st.integers(0, len(column.levels or ()) - 1)))
    if column.kind == "number":
        real = draw(st.floats(allow_nan=False)) + 0.0
        return Literal(column, negated, real, floor_of(real))
    most = len(column.levels) - 1 if column.levels is not None else 2**51
    whole = draw(st.integers(0, most))
    half = 0.5 if column.kind == "integer" and whole < 2**50 and draw(st.booleans()) else 0.0
    return Literal(column, negated, whole + half, whole)


@st.composite
def linear_terms(draw: st.DrawFn, columns: tuple[Column, ...]) -> LinearTerm:
    column = draw(st.sampled_from(columns))
    coefficient = draw(st.floats(allow_nan=False, allow_infinity=False)) + 0.0
    level = draw(st.integers(0, len(column.levels) - 1)) if column.levels is not None else None
    return LinearTerm(column, coefficient, level)


@st.composite
def composites(draw: st.DrawFn) -> tuple[tuple[Column, ...], Question]:
    columns = draw(random_columns())
    summable = tuple(column for column in columns if column.kind not in ("ordered", "duration"))
    if summable and draw(st.booleans()):
        terms = draw(st.lists(linear_terms(summable), min_size=1, max_size=4))
        return columns, total(draw(st.floats(allow_nan=False, allow_infinity=False)), *terms)
    listed = draw(st.lists(literals(columns), min_size=2, max_size=5))
    return columns, at_least(draw(st.integers(1, len(listed))), *listed)


@given(composites())
def test_what_is_printed_reads_back(drawn: tuple[tuple[Column, ...], Question]) -> None:
    """Whatever columns and levels are called: the text of both outcomes is that of the question."""
    columns, question = drawn
    for outcome in question.outcomes:
        assert read_question(outcome, columns) == question
