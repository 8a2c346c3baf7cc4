"""Searching: strategies for what questions may be about, and for how far ahead they are judged.

Words: a *literal* is a part of "at least m of: …", a *term* one of a sum; a *beam* is how many questions are
improved side by side; a *sweep* looks at every coefficient once; to *look ahead* is to judge a question by
what could be asked below it. They hold parameters only; the core searches.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator

from arboretum import _core
from arboretum.dataset import Column
from arboretum.errors import ParameterError, choices
from arboretum.questions import may_be_added
from arboretum.scalars import is_integer, is_real

__all__ = [
    "Lookahead",
    "MofN",
    "Oblique",
    "columns_in_sums",
    "resolve_questions",
    "resolve_search",
    "set_questions",
    "set_search",
]

_MOST: Final = 2**32 - 1


class MofN(BaseEstimator):
    """Questions of the form "at least m of: a <= 3, b = red, c > 1", found by hill climbing.

    The climb starts from the best single literal. A step adds a literal, and asks for as many as before or
    for one more of them; it is taken if the criterion gets better. Literals are thresholds of numbers and
    ordered levels, and `x = v` or `x != v` of nominal columns. About a missing value no literal holds. Where
    no second literal helps, the question about one column is asked that would be asked anyway.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(questions=MofN(max_n=5)).get_params()["questions__beam"]
    1

    Parameters
    ----------
    max_n : int or None
        How many literals a question may have; None sets no limit.
    beam : int
        How many questions climb side by side; more of them find more, and take longer.
    deletion : bool
        Whether steps may also take a literal out again.
    """

    def __init__(self, max_n: int | None = 12, beam: int = 1, deletion: bool = False) -> None:
        self.max_n = max_n
        self.beam = beam
        self.deletion = deletion


class Oblique(BaseEstimator):
    """Questions about sums, "0.8·a − 1.2·b <= 3.1", which cut at any angle.

    Numbers are added up as they are, nominal columns as [x = v], which is 1 where x is v and else 0; ordered
    levels, dates and durations are only asked about one at a time. A missing value counts as the mean of the
    node. A sum is asked only where it is better than every question about one column. The same data give the
    same sums, in any order of the rows.

    >>> from arboretum import TreeRegressor
    >>> TreeRegressor(questions=Oblique(max_terms=2)).get_params()["questions__restarts"]
    3

    Parameters
    ----------
    max_terms : int or None
        How many terms a sum may have; None sets no limit, but terms that add nothing are left out.
    restarts : int
        How often the search is pushed off the place where it ended, to see whether it ends better elsewhere.
    sweeps : int
        How often each search looks at all coefficients, at most.
    """

    def __init__(self, max_terms: int | None = None, restarts: int = 3, sweeps: int = 4) -> None:
        self.max_terms = max_terms
        self.restarts = restarts
        self.sweeps = sweeps


class Lookahead(BaseEstimator):
    """Questions are judged by the best that could be asked below them, not by their own gain alone.

    Exclusive or, and parity in general, can only be found so: there, no single question gains anything. The
    price is time, and now and then a worse tree, as with any search that fits the training rows more closely.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(search=Lookahead()).get_params()["search__depth"]
    1

    Parameters
    ----------
    depth : int
        How many further questions on each path are looked at. The time grows with the number of candidates
        (`top`, or the columns if there are more) to this power.
    top : int or None
        How many questions of a node are looked behind: the best by their own gain, with every column
        represented, cuts beside a better one of the same column (within a sixteenth of the weight) left
        out. None: all. By gain ratio, what lies ahead counts by its gain.
    time_limit : float or None
        Seconds for looking ahead while one tree grows; when they are over, the rest is grown greedily, so
        that the tree may then depend on the speed of the machine. Cross-validation grows a tree for each
        fold, and each has these seconds.
    """

    def __init__(self, depth: int = 1, top: int | None = 64, time_limit: float | None = None) -> None:
        self.depth = depth
        self.top = top
        self.time_limit = time_limit


def resolve_questions(questions: Any) -> MofN | Oblique | None:
    """Return what questions are about, checked; None if each is about one column."""
    if isinstance(questions, str) and questions == "axis":
        return None
    if isinstance(questions, MofN):
        deletion: Any = questions.deletion
        _check_count("questions", questions, "max_n", least=2, or_none=True)
        _check_count("questions", questions, "beam", least=1)
        if not isinstance(deletion, bool | np.bool_):
            raise ParameterError(choices("questions=MofN(…): deletion", deletion, (True, False)))
        return questions
    if isinstance(questions, Oblique):
        _check_count("questions", questions, "max_terms", least=2, or_none=True)
        _check_count("questions", questions, "restarts", least=0)
        _check_count("questions", questions, "sweeps", least=1)
        return questions
    _refuse_class("questions", questions, (MofN, Oblique))
    raise ParameterError(choices("questions", questions, ("axis",)) + " Or give MofN(…) or Oblique(…).")


def resolve_search(search: Any) -> Lookahead | None:
    """Return how far questions are looked behind, checked; None if they are judged by their own gain."""
    if isinstance(search, str) and search == "greedy":
        return None
    if isinstance(search, Lookahead):
        limit: Any = search.time_limit
        _check_count("search", search, "depth", least=1)
        _check_count("search", search, "top", least=1, or_none=True)
        if limit is not None and (not is_real(limit) or not 0 < limit < math.inf):
            raise ParameterError(
                f"search=Lookahead(time_limit={limit!r}) is not allowed; give seconds, more than 0, or None."
            )
        return search
    _refuse_class("search", search, (Lookahead,))
    raise ParameterError(choices("search", search, ("greedy",)) + " Or give Lookahead(…).")


def set_questions(options: _core.GrowOptions, strategy: MofN | Oblique | None) -> None:
    """Let the core ask about several columns."""
    match strategy:
        case MofN():
            options.questions = _core.Questions.m_of_n
            options.m_of_n.max_n = _at_most(strategy.max_n)
            options.m_of_n.beam = _at_most(strategy.beam)
            options.m_of_n.deletion = bool(strategy.deletion)
        case Oblique():
            options.questions = _core.Questions.oblique
            options.oblique.max_terms = _at_most(strategy.max_terms)
            options.oblique.restarts = _at_most(strategy.restarts)
            options.oblique.sweeps = _at_most(strategy.sweeps)


def set_search(options: _core.GrowOptions, strategy: Lookahead | None) -> None:
    """Let the core look behind questions."""
    if strategy is not None:
        options.lookahead.depth = _at_most(strategy.depth)
        options.lookahead.top = _at_most(strategy.top)
        if strategy.time_limit is not None:
            options.lookahead.seconds = float(strategy.time_limit)


def columns_in_sums(columns: tuple[Column, ...]) -> list[int]:
    """Return for each column 1 if it may stand in a sum, else 0."""
    return [int(column.kind == "nominal" or may_be_added(column)) for column in columns]


def _check_count(
    option: str, strategy: BaseEstimator, name: str, *, least: int, or_none: bool = False
) -> None:
    value = getattr(strategy, name)
    if (value is None and or_none) or (is_integer(value) and value >= least):
        return
    allowed = f"an integer of {least} or more{', or None' if or_none else ''}"
    raise ParameterError(
        f"{option}={type(strategy).__name__}({name}={value!r}) is not allowed; give {allowed}."
    )


def _refuse_class(option: str, found: Any, strategies: tuple[type, ...]) -> None:
    if isinstance(found, type) and issubclass(found, strategies):
        name = found.__name__
        raise ParameterError(f"{option}={name} is a class, not an object of it.\nHint: write {name}().")


def _at_most(value: int | None, *, none: int = _MOST) -> int:
    return none if value is None else min(int(value), _MOST)
