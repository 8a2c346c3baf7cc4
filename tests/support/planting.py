"""Random trees of every kind of question, planted, and random rows for them.

The columns are those of composites.py. Nothing is fitted: the questions are drawn.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from arboretum import Tree
from arboretum._tree.composites import LinearTerm
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Question, Threshold
from support.composites import COLOUR, SIZE, WHEN, A, N, Row, at_least, cut, level, plant, total

__all__ = ["planted", "questions", "rows"]


@st.composite
def literals(draw: st.DrawFn) -> Any:
    negated = draw(st.booleans())
    column = draw(st.sampled_from([A, N, WHEN, SIZE, COLOUR]))
    if column == COLOUR:
        return level(draw(st.integers(0, 2)), negated=negated)
    value = (
        draw(st.integers(-3, 6)) / 2
        if column in (A, N)
        else draw(st.integers(0, 1 if column == SIZE else 30))
    )
    return cut(column, value, negated=negated)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    match draw(st.sampled_from(["cut", "at least", "sum"])):
        case "cut":
            literal = draw(literals().filter(lambda literal: literal.level is None))
            real = literal.real
            return Threshold(literal.about, draw(st.integers(0, 1)), True, real, floor_of(real))
        case "at least":
            parts = draw(st.lists(literals(), min_size=2, max_size=5, unique=True))
            return at_least(draw(st.integers(1, len(parts))), *parts)
    numbers = st.sampled_from([-2.0, -1.0, -0.25, 0.5, 1.0, 3.0])
    terms = [LinearTerm(A, draw(numbers), fill=0.5), LinearTerm(N, draw(numbers), fill=1.0)]
    terms += [LinearTerm(COLOUR, draw(numbers), draw(st.integers(0, 2)), fill=0.25)]
    kept = draw(st.lists(st.sampled_from(terms), min_size=1, max_size=3, unique=True))
    return total(draw(st.integers(-8, 8)) / 4, *kept)


@st.composite
def planted(draw: st.DrawFn) -> Tree:
    """A tree of random questions, three deep at most."""
    asked: dict[tuple[int, ...], Question] = {}
    paths: list[tuple[int, ...]] = [()]
    for path in paths:
        if len(path) < 3 and (not path or draw(st.integers(0, 3))):
            asked[path] = draw(questions())
            paths += [(*path, 0), (*path, 1)]
    return plant(asked)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """A row of stored values; some are missing."""
    pools: tuple[st.SearchStrategy[Any], ...] = (
        st.sampled_from([-2.0, -0.5, 0.25, 0.5, 1.0, 3.0]),
        st.integers(-4, 7),
        st.integers(-10, 40),
        st.integers(0, 2),
        st.integers(0, 2),
    )
    return tuple(draw(st.one_of(st.none(), pool) if draw(st.booleans()) else pool) for pool in pools)
