"""Options as they are written on a command line: numbers, words, strategies; nothing is run."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from support.command_line import options_of

import arboretum
from arboretum import CostComplexity, Lookahead, MofN, TreeClassifier
from arboretum._options.strategy import STRATEGIES
from arboretum.cli.options import flag_of
from arboretum.cli.values import names_of, pairs_of, parse_matrix, parse_scalar, parse_value
from arboretum.errors import ParameterError


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("0.05", 0.05),
        (".5", 0.5),
        ("1e-3", 1e-3),
        ("none", None),
        ("None", None),
        ("true", True),
        ("False", False),
        ("gini", "gini"),
        ("1se", "1se"),
        ("'5'", "5"),
        ('"none"', "none"),
        ("inf", "inf"),
        ("1_000", "1_000"),
        ("", ""),
    ],
)
def test_scalars(written: str, value: Any) -> None:
    """Numbers, none, true and false are such; everything else is a word, and quotes make anything one."""
    found = parse_scalar(written)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("CostComplexity(folds=5, rule=min)", "CostComplexity(folds=5, rule='min')"),
        ("cost_complexity(rule=1se)", "CostComplexity(rule='1se')"),
        ("cost-complexity", "CostComplexity()"),
        ("m_of_n", "MofN()"),
        ("MofN( max_n = 3 )", "MofN(max_n=3)"),
        ("Lookahead()", "Lookahead()"),
        ("chisquare(level=0.01)", "ChiSquare(level=0.01)"),
        ("MEstimate(m=2.5)", "MEstimate(m=2.5)"),
        ("Surrogate(max_surrogates=2, send='never')", "Surrogate(max_surrogates=2, send='never')"),
    ],
)
def test_strategies(written: str, text: str) -> None:
    """Written as in Python, in any case, with or without options."""
    assert repr(parse_value(written, "prune")) == text


def test_words_of_the_estimators_stay_words() -> None:
    """Where an estimator knows a word itself, it decides what that means."""
    for word in ("cost_complexity", "reduced_error", "pessimistic", "gain_ratio", "surrogate"):
        assert parse_value(word, "prune") == word
    assert isinstance(parse_value("mofn", "questions"), MofN)
    assert isinstance(parse_value("Lookahead", "search"), Lookahead)
    assert isinstance(parse_value("CostComplexity", "prune"), CostComplexity)


def test_every_strategy_is_known() -> None:
    """All public classes that are options of an estimator can be written, with all of their options."""
    of_estimators = {
        name
        for name in arboretum.__all__
        if isinstance(value := getattr(arboretum, name), type)
        and hasattr(value, "get_params")
        and not hasattr(value, "fit")
    }
    assert set(STRATEGIES) == of_estimators
    for name in STRATEGIES:
        for option in inspect.signature(getattr(arboretum, name)).parameters:
            assert parse_value(f"{name}({option}=7)", "x").get_params()[option] == 7


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("CostComplexty(folds=5)", "--prune='CostComplexty' is not known; choose 'ChiSquare'"),
        ("CostComplexity(fold=5)", "--prune CostComplexity(…): option='fold' is not known"),
        ("CostComplexity(5)", "--prune CostComplexity(5) cannot be read at '5'"),
        ("CostComplexity(folds=5 rule=min)", "--prune CostComplexity(folds=5 rule=min) cannot be read at"),
        ("CostComplexity(folds=5, folds=6)", "--prune CostComplexity(…) gives 'folds' twice"),
        (
            "CostComplexity(folds=__import__('os'))",
            "--prune CostComplexity(folds=__import__('os')) cannot be read",
        ),
        ("os(system=1)", "--prune='os' is not known"),
        ("TreeClassifier()", "--prune='TreeClassifier' is not known"),
        ("eval(x=1)", "--prune='eval' is not known"),
    ],
)
def test_what_cannot_be_read(written: str, sentence: str) -> None:
    """Names come from a fixed table and values are plain: anything else is refused, and nothing is run."""
    with pytest.raises(ParameterError) as caught:
        parse_value(written, "prune")
    assert str(caught.value).startswith(sentence)


def test_lists() -> None:
    """Names with commas, repeated options, quoted names; pairs; matrices."""
    assert names_of(["a,b", " c ", '"d, e",f', "a"]) == ("a", "b", "c", "d, e", "f")
    assert names_of(None) == ()
    assert pairs_of("ill=5, a=b=1", "class-weight") == {"ill": "5", "a=b": "1"}
    assert parse_matrix("0,10;1,0", "loss") == parse_matrix("[[0, 10], [1, 0]]", "loss") == [[0, 10], [1, 0]]
    for written in ("5", "a=", "=5"):
        with pytest.raises(ParameterError, match="cannot be read"):
            pairs_of(written, "class-weight")
    for written in ("a,b", "[1, 2]", "[" * 100_000, '[["x"]]'):
        with pytest.raises(ParameterError, match="is not a square matrix of numbers"):
            parse_matrix(written, "loss")


def test_every_option_of_an_estimator_can_be_given() -> None:
    """`fit` has an option for every keyword of the estimators but verbose; some have another name."""
    wanted = {flag_of(name) for name in inspect.signature(TreeClassifier).parameters} - {"--verbose"}
    assert wanted <= options_of("fit")
