"""Composite questions, lookahead and tests with every other choice: they work, or are refused.

A search is an option that goes beyond the best question about one column; combinations and exclusions are
those of `test_what_goes_with_what.py`, whose table is used here.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from support.combinations import (
    N_ROWS,
    Combination,
    allowed_sentences,
    choices_tried,
    combinations,
    data_for,
    names,
    rows_to_predict,
    sentence_of,
    variants,
)
from support.sweeps import pairwise
from support.trees import estimator

from arboretum import CostComplexity, Lookahead, MofN, Oblique, ParameterError, Tree, importance
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._options.exclusions import OUTPUTS, exclusions

SEARCHES: dict[str, dict[str, Any]] = {
    "m-of-n": {"questions": MofN()},
    "m-of-n, wide": {"questions": MofN(max_n=4, beam=3, deletion=True)},
    "oblique": {"questions": Oblique()},
    "oblique, short": {"questions": Oblique(max_terms=2, restarts=0, sweeps=1)},
    "lookahead": {"search": Lookahead()},
    "significance": {"significance": 0.5},
}
WORDS = {
    "questions": "questions=MofN or Oblique",
    "search": "search=Lookahead",
    "significance": "significance",
}
PLAIN = [choice for choice in combinations() if choice.is_valid]


def choices_of(combination: Combination, search: str) -> set[str]:
    """What is chosen, in the words of the table."""
    (option,) = SEARCHES[search]
    return {WORDS[option], *combination._choices, combination.constraint}


def is_excluded(choices: set[str]) -> bool:
    return any({line.first, line.second} <= choices for line in exclusions())


CASES = [(choice, search) for search in SEARCHES for choice in PLAIN]
VALID = [case for case in CASES if not is_excluded(choices_of(*case))]
INVALID = [case for case in CASES if is_excluded(choices_of(*case))]


def named(cases: list[tuple[Combination, str]]) -> list[Any]:
    """The cases as parameters: `make test` tries each pair of choices together, `make test-deep` all."""
    return pairwise(
        cases, lambda case: (*choices_tried(case[0]), case[1]), lambda case: f"{names(case[0])}-{case[1]}"
    )


@cache
def fitted(combination: Combination, search: str) -> list[Any]:
    """A model of each variant, unpruned."""
    X, y = data_for(combination)
    options = SEARCHES[search]
    return [estimator(combination.criterion, **made, **options).fit(X, y) for made in variants(combination)]


@pytest.mark.parametrize(("combination", "search"), named(VALID))
def test_valid_combination(combination: Combination, search: str) -> None:
    """The rows come where growth sent them; files, copies and text tell the same; pruning works."""
    X, y = data_for(combination)
    new = rows_to_predict(combination)
    for model in fitted(combination, search):
        tree = model.tree_
        assert tree.n_leaves > 1 or search == "significance"
        if combination.missing in ("category", "error"):
            leaves = np.bincount(model.apply(X), minlength=len(tree))
            assert all(leaves[node.number] == node.n_rows for node in tree.walk() if node.is_leaf)
            assert sum(node.n_rows for node in tree.leaves()) == N_ROWS
        predicted = model.predict(new)
        assert predicted.shape == (len(new),)
        assert Tree.from_json(tree.to_json()) == tree == pickle.loads(pickle.dumps(tree))
        assert np.array_equal(Tree.from_json(tree.to_json()).predict(new), predicted)
        assert len(str(tree).splitlines()) == len(tree)
        assert len(tree.to_frame()) == len(tree)
        importances = importance(model)
        assert sum(importances.values()) == pytest.approx(sum(tree.array("improvement")), abs=1e-12)
        smaller = clone(model).set_params(prune=CostComplexity(0.02))
        assert smaller.fit(X, y).tree_.n_leaves <= tree.n_leaves


@pytest.mark.parametrize(("combination", "search"), named(INVALID))
def test_invalid_combination_is_refused(combination: Combination, search: str) -> None:
    """In one sentence of the table."""
    X, y = data_for(combination)
    for made in variants(combination):
        model = estimator(combination.criterion, **made, **SEARCHES[search])
        with pytest.raises(ParameterError) as caught:
            model.fit(X, y)
        assert sentence_of(str(caught.value)) in allowed_sentences(choices_of(combination, search))


def test_composite_questions_do_not_go_with_lookahead() -> None:
    """Both at once are refused."""
    X, y = data_for(PLAIN[0])
    for questions in (MofN(), Oblique()):
        model = estimator(PLAIN[0].criterion, questions=questions, search=Lookahead())
        with pytest.raises(ParameterError, match="does not go with search=Lookahead"):
            model.fit(X, y)


def test_every_line_is_met() -> None:
    """Each exclusion of a search is met by some combination here, or by the test above.

    Those of a test that chooses columns are met in tests/unit/grow/test_conditional_growth.py, those of
    optimal trees in tests/unit/grow/test_optimal.py, of several outputs in unit/outputs/test_refusals.py.
    """
    met = [choices_of(*case) for case in INVALID]
    elsewhere = {
        "significance=Conditional",
        "search=Optimal",
        OUTPUTS,
    }  # the latter: tests/unit/outputs/test_refusals.py
    mine = [line for line in exclusions() if not {line.first, line.second} & elsewhere]
    lines = [line for line in mine if {line.first, line.second} & set(WORDS.values())]
    assert len(lines) >= 7
    for line in lines:
        pair = {line.first, line.second}
        assert pair <= set(WORDS.values()) or any(pair <= choices for choices in met), pair


def test_classes_and_numbers_are_both_there() -> None:
    """So that nothing above is tested for one kind of target alone."""
    assert {case[0].criterion in CLASS_CRITERIA for case in VALID} == {True, False}
