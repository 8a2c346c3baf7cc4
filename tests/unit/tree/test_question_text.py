"""Questions as text: what is printed reads back, what people write is understood, the rest is refused.

There is a column of each kind, and texts may say where missing values go.
"""

from __future__ import annotations

import datetime as dt

import pytest

from arboretum import ParameterError
from arboretum._data import Column
from arboretum._tree.question_text import read_question
from arboretum._tree.questions import Levels, Missing, Question, Threshold

AGE = Column("age", "integer")
BIG = Column("big", "integer", offset=2**63)
INCOME = Column("income", "number")
HIRED = Column("hired", "datetime", unit="D")
SEEN = Column("seen", "datetime", unit="us", timezone="Europe/Berlin")
STAY = Column("stay", "duration", unit="ms")
SIZE = Column("size", "ordered", levels=("small", "medium", "a, b", "missing"))
COLOUR = Column("colour", "nominal", levels=("blue", "green", "red"))
MIXED = Column("mixed", "nominal", levels=(1, "1", True + 1, "a, b", "?", "x or missing", "… 3 more"))
TWO = Column("two", "nominal", levels=(False, True))
ONE = Column("one", "nominal", levels=("only",))
NONE = Column("none", "nominal", levels=())
DAYS = Column("days", "nominal", levels=(dt.date(2024, 3, 1), dt.timedelta(days=2)))
MANY = Column("many", "nominal", levels=tuple(f"l{number}" for number in range(20)))
ODD = Column("odd name, with comma", "number")
LIKE = Column("age <= 3", "number")
COLUMNS = (AGE, BIG, INCOME, HIRED, SEEN, STAY, SIZE, COLOUR, MIXED, TWO, ONE, NONE, DAYS, MANY, ODD, LIKE)


def cut(column: Column, real: float, floor: int, missing: int | None = None) -> Threshold:
    return Threshold(column, missing or 0, missing is not None, real, floor)


def groups(column: Column, *children: tuple[int, ...], missing: int | None = None) -> Levels:
    return Levels(column, missing or 0, missing is not None, children)


CASES: list[tuple[str, Question]] = [
    ("age <= 41.5", cut(AGE, 41.5, 41)),
    ("age <= -3", cut(AGE, -3.0, -3)),
    ("age <= 9007199254740993", cut(AGE, 9007199254740992.0, 9007199254740993)),
    ("big <= 9223372036854775810", cut(BIG, 2.0, 2)),
    ("big <= 9223372036854775810.5", cut(BIG, 2.5, 2)),
    ("big <= 7", cut(BIG, float(-(2**63)), -(2**63) + 7)),
    ("income <= 0.30000000000000004", cut(INCOME, 0.30000000000000004, 0)),
    ("income <= 1e+300", cut(INCOME, 1e300, 2**63 - 1)),
    ("income <= -inf", cut(INCOME, float("-inf"), -(2**63))),
    ("income <= 0", cut(INCOME, 0.0, 0)),
    ("income <= 2.5 or missing", cut(INCOME, 2.5, 2, 0)),
    ("income <= 2.5, not missing", cut(INCOME, 2.5, 2, 1)),
    ("income is missing", Missing(INCOME, 0, True)),
    ("hired <= 2024-03-01", cut(HIRED, 19_783.0, 19_783)),
    ("hired <= 1969-12-31", cut(HIRED, -1.0, -1)),
    ("seen <= 2024-03-01T14:30:00+00:00", cut(SEEN, 1709303400e6, 1709303400 * 10**6)),
    ("seen <= 2024-03-01T14:30:00.000001+00:00", cut(SEEN, 1709303400e6 + 1, 1709303400 * 10**6 + 1)),
    ("seen <= 2024-03-01T00:00:00+00:00", cut(SEEN, 1709251200e6, 1709251200 * 10**6)),
    ("stay <= 3 days 04:05:06", cut(STAY, 273_906_000.0, 273_906_000)),
    ("stay <= 1 day", cut(STAY, 86_400_000.0, 86_400_000)),
    ("stay <= -00:00:01.5", cut(STAY, -1500.0, -1500)),
    ("stay <= 00:00:00", cut(STAY, 0.0, 0)),
    ("size <= medium", cut(SIZE, 1.0, 1)),
    ('size <= "a, b"', cut(SIZE, 2.0, 2)),
    ('size <= "missing", not missing', cut(SIZE, 3.0, 3, 1)),
    ("colour = red", groups(COLOUR, (2,), (0, 1))),
    ("colour in {blue, red}", groups(COLOUR, (0, 2), (1,))),
    ("colour in {blue, red} or missing", groups(COLOUR, (0, 2), (1,), missing=0)),
    ("colour = red, not missing", groups(COLOUR, (2,), (0, 1), missing=1)),
    ("colour = ?", groups(COLOUR, (0,), (1,), (2,))),
    ("colour = ? or missing", groups(COLOUR, (0,), (1,), (2,), (), missing=3)),
    ("colour is missing", Missing(COLOUR, 0, True)),
    ('mixed in {2, "a, b", "x or missing"}', groups(MIXED, (2, 3, 5), (0, 1, 4, 6))),
    ('mixed = "?"', groups(MIXED, (4,), (0, 1, 2, 3, 5, 6))),
    ("mixed = … 3 more", groups(MIXED, (6,), (0, 1, 2, 3, 4, 5))),
    ("two = False", groups(TWO, (0,), (1,))),
    ("two = ? or missing", groups(TWO, (0,), (1,), (), missing=2)),
    ("one = only, not missing", groups(ONE, (0,), (), missing=1)),
    ("days = 2024-03-01", groups(DAYS, (0,), (1,))),
    ("days = 2 days", groups(DAYS, (1,), (0,))),
    (
        "many in {l0, l1, l2, l3, l4, l5, l6, l7, l8, l9}",
        groups(MANY, tuple(range(10)), tuple(range(10, 20))),
    ),
    ('"odd name, with comma" <= 2.5', cut(ODD, 2.5, 2)),
    ("age <= 3 <= 4", cut(LIKE, 4.0, 4)),
]


@pytest.mark.parametrize(("text", "question"), CASES, ids=[text for text, _ in CASES])
def test_text_and_question_are_the_same(text: str, question: Question) -> None:
    """Each is made from the other."""
    assert read_question(text, COLUMNS) == question
    assert question.written() == text


WRITTEN = [
    ("  age<=41.5 ", "age <= 41.5"),
    ('"age" <= 41.5', "age <= 41.5"),
    ("age > 41.5", "age <= 41.5"),
    ("age > 41.5 or missing", "age <= 41.5, not missing"),
    ("age > 41.5, not missing", "age <= 41.5 or missing"),
    ("age <= 1e3", "age <= 1000"),
    ("age <= 1e999999", "age <= 9223372036854775807"),
    ("age <= +.5", "age <= 0.5"),
    ("age is known", "age is missing"),
    ("income <= -0.0", "income <= 0"),
    ("hired <= 2024-03-01T14:30", "hired <= 2024-03-01"),
    ("hired <= 2024-03-01 14:30:59.5", "hired <= 2024-03-01"),
    ("seen <= 2024-03-01T16:30+02:00", "seen <= 2024-03-01T14:30:00+00:00"),
    ("seen <= 2024-03-01T09:30-05:00", "seen <= 2024-03-01T14:30:00+00:00"),
    ("seen <= 2024-03-01T14:30Z", "seen <= 2024-03-01T14:30:00+00:00"),
    ("stay <= 48:00:00", "stay <= 2 days"),
    ("stay <= 3 days 04:05", "stay <= 3 days 04:05:00"),
    ('colour = "red"', "colour = red"),
    ("colour in {red}", "colour = red"),
    ("colour in { red ,blue }", "colour in {blue, red}"),
    ("colour in{red,blue}", "colour in {blue, red}"),
    ("two = ?", "two = False"),
    ("one = only", "one = only, not missing"),
    ("one = ? or missing", "one = only, not missing"),
    ('"age <= 3" <= 4', "age <= 3 <= 4"),
]


@pytest.mark.parametrize(("written", "text"), WRITTEN)
def test_people_write_in_many_ways(written: str, text: str) -> None:
    """Spaces, quotes, the other outcome, other clocks: all mean the same question."""
    assert read_question(written, COLUMNS).written() == text


def test_a_turned_question_asks_the_same() -> None:
    """A surrogate's `x > t` becomes `x <= t`, and missing values stay on their side."""
    assert Threshold(AGE, 0, False, 3.0, 3, flipped=True).written() == "age <= 3"
    assert Threshold(AGE, 0, True, 3.0, 3, flipped=True).written() == "age <= 3, not missing"
    assert Threshold(AGE, 1, True, 3.0, 3, flipped=True).written() == "age <= 3 or missing"


def test_rows_that_stay_are_not_said() -> None:
    """Where missing values go no further, the text does not say where they go."""
    assert Threshold(AGE, -1, True, 3.0, 3).written() == "age <= 3"


REFUSED = [
    ("weight <= 3", "begins with no column of the tree; its columns are 'age', 'big'"),
    ("agee <= 3", "Did you mean 'age'"),
    ("", "begins with no column"),
    ("age", "cannot be read; ask 'age <= value', 'age > value', 'age is missing'"),
    ("age < 3", "cannot be read; ask 'age <= value'"),
    ("age >= 3", "cannot be read; ask 'age <= value'"),
    ("age <= ", "cannot be read; ask"),
    ("age <= old", "'old' for column 'age' of kind 'integer' cannot be read; write it as 2.5"),
    ("age <= nan", "'nan' for column 'age'"),
    ("age <= 1_000", "'1_000' for column 'age'"),
    ("age = 3", "cannot be asked '= 3'; ask 'age <= value'"),
    ("age in {3, 4}", "cannot be asked"),
    ("income <= 3 days", "cannot be read; write it as 2.5"),
    ("hired <= yesterday", "write it as 2024-03-01"),
    ("hired <= 2024-13-01", "write it as 2024-03-01"),
    ("hired <= 2024-03-01T24:00", "write it as 2024-03-01"),
    ("hired <= 2024-03-01T123:00", "write it as 2024-03-01"),
    ("hired <= 2024-03-01T14:30+00:00", "write it as 2024-03-01"),
    ("hired <= now", "write it as 2024-03-01"),
    ("seen <= 2024-03-01", "write it as 2024-03-01T14:30:00"),
    ("seen <= 999999-03-01T00:00+00:00", "beyond what column 'seen' can hold"),
    ("stay <= 3", "write it as 3 days"),
    ("stay <= ", "cannot be read"),
    ("stay <= -", "write it as 3 days"),
    ("stay <= 999999999999 days", "beyond what column 'stay' can hold"),
    ("size <= huge", "Column 'size' has no level 'huge'; its levels are 'small', 'medium'"),
    ("size = small", "cannot be asked '= small'; ask 'size <= small'"),
    ("colour <= 3", "ask 'colour = blue', 'colour in {blue, green}', 'colour = ?', 'colour is missing'"),
    ("colour > red", "cannot be asked '> red'"),
    ("colour = rde", "has no level 'rde'; its levels are 'blue', 'green', 'red'. Did you mean 'red'?"),
    ("colour in {red, rde}", "has no level 'rde'"),
    ("colour in {red, red}", "names the level 'red' twice"),
    ("colour in {}", "cannot be read"),
    ("colour in {red", "cannot be read"),
    ("colour in {red, }", "no level"),
    ('colour = "red', "quotes do not close"),
    ('colour = "red" or', "quotes do not close"),
    ("colour in {blue, green, red} or missing", "every row has the same answer"),
    ("colour = ?, not missing", "' or missing' gives them a branch"),
    ("mixed = 1", "has 2 levels that read '1'"),
    ("many in {l0, … 9 more}", "was shortened for printing"),
    ("one = ?", "has 1 level, too few"),
    ("none = ? or missing", "has 0 levels, too few"),
    ("none = x", "has no level 'x'"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_cannot_be_read_is_refused(text: str, said: str) -> None:
    """One sentence tells what was found and what is allowed."""
    with pytest.raises(ParameterError) as caught:
        read_question(text, COLUMNS)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


def test_two_readings_are_refused() -> None:
    """Column 'a' with the level 'b = c', or column 'a = b' with the level 'c'?"""
    columns = [
        Column("a", "nominal", levels=("b = c", "d")),
        Column("a = b", "nominal", levels=("c", "d")),
    ]
    with pytest.raises(ParameterError, match="can be read in 2 ways"):
        read_question("a = b = c", columns)
    assert read_question("a = b = d", columns).column == "a = b"
    assert read_question("a = d", columns).column == "a"


def test_questions_with_other_answers_cannot_be_written() -> None:
    """Three answers for four levels: no text has them."""
    with pytest.raises(ParameterError, match="has 3 answers"):
        groups(COLOUR, (0, 1), (2,), ()).written()
