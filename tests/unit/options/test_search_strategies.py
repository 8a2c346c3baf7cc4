"""The strategies for questions about several columns and for looking ahead: parameters, refusals, the border.

A strategy is a small object that holds parameters. What the searches find is tested elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from support.combinations import QUESTIONS, SEARCH, combinations

from arboretum import (
    Conditional,
    Lookahead,
    MofN,
    Oblique,
    Optimal,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    _core,
)
from arboretum._data import Column
from arboretum._edit.regrowing import read_options, write_options
from arboretum._grow.core_options import columns_in_sums, core_options
from arboretum._grow.targets import Targets
from arboretum._options.exclusions import table
from arboretum._options.settings import read_settings

ESTIMATORS = [TreeClassifier, TreeRegressor]
STRATEGIES: list[tuple[str, Any]] = [
    ("questions", MofN(max_n=3, beam=2, deletion=True)),
    ("questions", Oblique(max_terms=2, restarts=0, sweeps=1)),
    ("search", Lookahead(depth=2, top=8, time_limit=0.5)),
]
MOST = 2**32 - 1
X = np.random.default_rng(0).normal(size=(60, 4)).round(1)
Y = (X[:, 0] > X[:, 1]).astype(int)


def options_of(**params: Any) -> _core.GrowOptions:
    settings = read_settings(TreeClassifier(**params).get_params(deep=False), of_classes=True)
    return core_options(settings, Targets(10), (), [], None)


class TestParameters:
    @pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_they_are_parameters_of_parameters(self, estimator: Any, name: str, strategy: Any) -> None:
        """get_params, clone and set_params reach into them; repr shows what differs from the defaults."""
        model = estimator(**{name: strategy})
        for param, value in strategy.get_params().items():
            assert model.get_params()[f"{name}__{param}"] == value
        copied = clone(model)
        assert getattr(copied, name) is not strategy
        assert getattr(copied, name).get_params() == strategy.get_params()
        first = next(iter(strategy.get_params()))
        assert getattr(copied.set_params(**{f"{name}__{first}": 7}), name).get_params()[first] == 7
        assert strategy.get_params()[first] != 7
        assert repr(strategy).startswith(f"{type(strategy).__name__}({first}=")
        assert repr(type(strategy)()) == f"{type(strategy).__name__}()"

    def test_the_defaults_are_off(self) -> None:
        """Without a strategy the core asks about one column and does not look ahead."""
        options = options_of()
        assert options.questions == _core.Questions.axis
        assert options.lookahead.depth == 0
        assert options_of(questions="axis", search="greedy").questions == _core.Questions.axis

    def test_the_core_hears_of_m_of_n(self) -> None:
        """None stands for twelve literals."""
        options = options_of(questions=MofN(max_n=3, beam=2, deletion=True))
        assert options.questions == _core.Questions.m_of_n
        assert (options.m_of_n.max_n, options.m_of_n.beam, options.m_of_n.deletion) == (3, 2, True)
        options = options_of(questions=MofN())
        assert (options.m_of_n.max_n, options.m_of_n.beam, options.m_of_n.deletion) == (12, 1, False)
        assert options_of(questions=MofN(max_n=10**12, beam=np.int64(5))).m_of_n.max_n == MOST

    def test_the_core_hears_of_sums(self) -> None:
        """None sets no limit."""
        options = options_of(questions=Oblique(max_terms=2, restarts=0, sweeps=1))
        assert options.questions == _core.Questions.oblique
        assert (options.oblique.max_terms, options.oblique.restarts, options.oblique.sweeps) == (2, 0, 1)
        options = options_of(questions=Oblique())
        assert (options.oblique.max_terms, options.oblique.restarts) == (MOST, 3)
        assert options.oblique.sweeps == _core.GrowOptions().oblique.sweeps, "one default, in both places"

    def test_the_core_hears_of_looking_ahead(self) -> None:
        """None is all questions, and all the time that it takes."""
        options = options_of(search=Lookahead(depth=2, top=8, time_limit=0.5))
        assert (options.lookahead.depth, options.lookahead.top, options.lookahead.seconds) == (2, 8, 0.5)
        options = options_of(search=Lookahead(top=None))
        assert (options.lookahead.depth, options.lookahead.top) == (1, MOST)
        assert options.lookahead.seconds == math.inf

    def test_what_may_stand_in_a_sum(self) -> None:
        """Numbers and single levels; not times, ordered levels, or integers that are stored shifted."""
        columns = (
            Column("a", "number"),
            Column("b", "integer"),
            Column("c", "integer", offset=2**63),
            Column("d", "datetime", unit="ns"),
            Column("e", "duration", unit="s"),
            Column("f", "ordered", levels=("x", "y")),
            Column("g", "nominal", levels=("x", "y")),
        )
        assert columns_in_sums(columns) == [1, 1, 0, 0, 0, 0, 1]

    @pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
    def test_edits_keep_them(self, name: str, strategy: Any) -> None:
        """They are written down in JSON's own types, and read back."""
        written = write_options({name: strategy})
        assert written == {name: {type(strategy).__name__: strategy.get_params()}}
        again = read_options(written)[name]
        assert type(again) is type(strategy)
        assert again.get_params() == strategy.get_params()

    def test_a_grid_reaches_in(self) -> None:
        """As pruners do, they take part in a search for parameters."""
        grid = {"questions__max_n": [2, 3]}
        found = GridSearchCV(TreeClassifier(questions=MofN(), prune=None), grid, cv=2).fit(X, Y)
        assert found.best_params_["questions__max_n"] in (2, 3)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"questions": "m_of_n"}, "questions='m_of_n' is not known; choose 'axis'. Or give MofN"),
    ({"questions": "axes"}, "Did you mean 'axis'"),
    ({"questions": None}, "questions=None is not known; choose 'axis'"),
    ({"questions": MofN}, "questions=MofN is a class, not an object of it.\nHint: write MofN()."),
    ({"questions": Oblique}, "questions=Oblique is a class"),
    ({"questions": Lookahead()}, "is not known; choose 'axis'"),
    (
        {"questions": MofN(max_n=1)},
        "questions=MofN(max_n=1) is not allowed; give an integer of 2 or more, or None",
    ),
    ({"questions": MofN(max_n=2.5)}, "questions=MofN(max_n=2.5) is not allowed"),
    ({"questions": MofN(max_n=True)}, "questions=MofN(max_n=True) is not allowed"),
    ({"questions": MofN(beam=0)}, "questions=MofN(beam=0) is not allowed; give an integer of 1 or more."),
    ({"questions": MofN(beam=None)}, "questions=MofN(beam=None) is not allowed"),
    ({"questions": MofN(deletion=1)}, "deletion=1 is not known; choose True, False"),
    (
        {"questions": Oblique(max_terms=1)},
        "Oblique(max_terms=1) is not allowed; give an integer of 2 or more",
    ),
    (
        {"questions": Oblique(restarts=-1)},
        "Oblique(restarts=-1) is not allowed; give an integer of 0 or more",
    ),
    ({"questions": Oblique(sweeps=0)}, "Oblique(sweeps=0) is not allowed; give an integer of 1 or more"),
    ({"search": "lookahead"}, "search='lookahead' is not known; choose 'greedy'. Or give Lookahead"),
    ({"search": Lookahead}, "search=Lookahead is a class"),
    ({"search": MofN()}, "is not known; choose 'greedy'"),
    (
        {"search": Lookahead(depth=0)},
        "search=Lookahead(depth=0) is not allowed; give an integer of 1 or more",
    ),
    ({"search": Lookahead(top=0)}, "Lookahead(top=0) is not allowed; give an integer of 1 or more, or None"),
    (
        {"search": Lookahead(time_limit=0)},
        "Lookahead(time_limit=0) is not allowed; give seconds, more than 0",
    ),
    ({"search": Lookahead(time_limit=math.nan)}, "Lookahead(time_limit=nan) is not allowed"),
    ({"search": Lookahead(time_limit=math.inf)}, "Lookahead(time_limit=inf) is not allowed"),
    ({"search": Lookahead(time_limit="1s")}, "is not allowed"),
]


@pytest.mark.parametrize(("params", "said"), REFUSED)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_not_allowed_is_refused(estimator: Any, params: dict[str, Any], said: str) -> None:
    """In one sentence, before anything is grown."""
    model = estimator(**params)
    with pytest.raises(ParameterError) as caught:
        model.fit(X, Y)
    assert said in str(caught.value)
    assert not hasattr(model, "tree_")


# What goes with what

EXCLUDED: list[tuple[dict[str, Any], str, str]] = [
    ({"questions": MofN(), "missing": "surrogate"}, "questions=MofN or Oblique", 'missing="surrogate"'),
    ({"questions": Oblique(), "missing": "surrogate"}, "questions=MofN or Oblique", 'missing="surrogate"'),
    ({"questions": MofN(), "missing": "fractional"}, "questions=MofN or Oblique", 'missing="fractional"'),
    ({"questions": Oblique(), "missing": "fractional"}, "questions=MofN or Oblique", 'missing="fractional"'),
    ({"questions": MofN(), "monotonic_cst": [1, 0, 0, 0]}, "questions=MofN or Oblique", "monotonic_cst"),
    ({"questions": Oblique(), "monotonic_cst": [1, 0, 0, 0]}, "questions=MofN or Oblique", "monotonic_cst"),
    ({"questions": MofN(), "nominal": "multiway"}, "questions=MofN or Oblique", 'nominal="multiway"'),
    ({"questions": Oblique(), "nominal": "multiway"}, "questions=MofN or Oblique", 'nominal="multiway"'),
    ({"questions": MofN(), "search": Lookahead()}, "questions=MofN or Oblique", "search=Lookahead"),
    ({"questions": Oblique(), "search": Lookahead()}, "questions=MofN or Oblique", "search=Lookahead"),
    (
        {"questions": MofN(), "search": Optimal(leaf_penalty=0.1)},
        "questions=MofN or Oblique",
        "search=Optimal",
    ),
    ({"questions": MofN(), "column_costs": [2, 1, 1, 1]}, "questions=MofN or Oblique", "column_costs"),
    ({"questions": Oblique(), "column_costs": [2, 1, 1, 1]}, "questions=MofN or Oblique", "column_costs"),
    ({"search": Lookahead(), "column_costs": [2, 1, 1, 1]}, "search=Lookahead", "column_costs"),
    ({"search": Lookahead(), "missing": "surrogate"}, "search=Lookahead", 'missing="surrogate"'),
    ({"search": Lookahead(), "monotonic_cst": [1, 0, 0, 0]}, "search=Lookahead", "monotonic_cst"),
    (
        {"significance": Conditional(), "questions": MofN()},
        "significance=Conditional",
        "questions=MofN or Oblique",
    ),
    (
        {"significance": Conditional(), "questions": Oblique()},
        "significance=Conditional",
        "questions=MofN or Oblique",
    ),
    ({"significance": Conditional(), "search": Lookahead()}, "significance=Conditional", "search=Lookahead"),
]


@pytest.mark.parametrize(("params", "first", "second"), EXCLUDED)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_does_not_go_together(estimator: Any, params: dict[str, Any], first: str, second: str) -> None:
    """The sentence is a line of the table; with directions that are all zero nothing is excluded."""
    with pytest.raises(ParameterError, match="Hint: choose ") as caught:
        estimator(**params).fit(X, Y)
    sentence = str(caught.value).partition("\n")[0]
    assert sentence.startswith(f"{first} does not go with {second}: ")
    because = sentence.partition(": ")[2].removesuffix(".")
    assert f"| {first} | {second} | {because} |" in table()


def test_every_line_about_them_is_tried() -> None:
    """As many lines as pairs above, and each makes combinations invalid."""
    lines = [line for line in table().splitlines() if "MofN" in line or "Lookahead" in line]
    lines = [line for line in lines if "several outputs" not in line]
    assert len(lines) == len({(first, second) for _, first, second in EXCLUDED}) == 12
    for questions in QUESTIONS:
        for search in SEARCH:
            every = combinations(questions=questions, search=search)
            plain = {choice for choice in combinations() if choice.is_valid}
            valid = [choice for choice in every if choice.is_valid]
            assert len(every) == len(combinations())
            if (questions, search) == ("axis", "greedy"):
                assert set(valid) == plain
            elif questions != "axis" and search != "greedy":
                assert not valid
            else:
                assert 0 < len(valid) < len(plain)
