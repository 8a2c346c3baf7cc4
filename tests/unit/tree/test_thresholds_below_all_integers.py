"""Thresholds below all integers: `x <= t` is answered alike for integers, for floats and on paper.

Below -2**63 a threshold has no integer to be rounded down to. The lowest integer once stood in for it, and
went left where the same number as a float went right.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.export_rules import run_rules
from support.export_running import COMPILERS, NODE, run_c, run_javascript, run_python
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, MofN, ParameterError, Tree
from arboretum._data import match_dataset
from arboretum._tree.composites import AtLeast
from arboretum._tree.questions import Threshold
from arboretum._tree.tree import core_dataset

LOWEST = -(2**63)
INTEGERS = np.array([LOWEST, LOWEST + 1, -(2**62), -7, 0, 2**53 + 1, 2**63 - 1])
THRESHOLDS = [-math.inf, -1.7e308, math.nextafter(-(2.0**63), -math.inf), -(2.0**63), -8.5, 1e300, math.inf]
every_threshold = pytest.mark.parametrize("threshold", THRESHOLDS)

Integers = npt.NDArray[np.int64]


def goes_left(value: int, threshold: float) -> bool:
    """The answer on paper."""
    return threshold == math.inf or (threshold != -math.inf and value <= Fraction(threshold))


def asking(threshold: float) -> Tree:
    """A tree that asks about one column of floats, and sends x <= threshold to leaf 1."""
    grown = unpruned_regressor().fit([[0.0], [1.0]], [1.0, 2.0]).tree_
    return grown.replace((), f"x0 <= {threshold!r}", ([[0.0], [1.0]], [1.0, 2.0]))


def leaves(tree: Tree, values: Integers) -> list[int]:
    """Where integers go: in the plain way and many at once, which must be the same."""
    many = np.tile(values, 5).reshape(-1, 1)
    table = core_dataset(match_dataset(many, tree.columns, named=False))
    plain = tree._router.leaves_of(table, plain=True)
    np.testing.assert_array_equal(tree._router.leaves_of(table), plain)
    found: list[int] = plain[: len(values)].tolist()
    return found


@every_threshold
def test_integers_go_where_they_go_on_paper(threshold: float) -> None:
    """Also the lowest of them, which is above every threshold that has no integer below it."""
    expected = [1 if goes_left(value, threshold) else 2 for value in INTEGERS.tolist()]
    assert leaves(asking(threshold), INTEGERS) == expected


@every_threshold
def test_the_same_number_as_a_float(threshold: float) -> None:
    """-2**63 is both an integer and a double; it cannot be on both sides."""
    lowest = np.full((20, 1), LOWEST)
    tree = asking(threshold)
    np.testing.assert_array_equal(tree.apply(lowest), tree.apply(lowest.astype(np.float64)))


def test_a_threshold_grown_from_minus_infinity() -> None:
    """Data that hold -inf make such a threshold without anyone writing it."""
    model = unpruned_classifier().fit([[-math.inf], [5.0], [6.0]], ["low", "high", "high"])
    assert model.tree_.root.question.threshold == -math.inf
    assert model.predict(np.array([[LOWEST]])).tolist() == ["high"]
    assert model.predict([[-math.inf]]).tolist() == ["low"]


def test_a_surrogate() -> None:
    """A question that stands in for another one answers by the same rule."""
    X = np.array([[0.0, -math.inf], [1.0, 1.0]] * 5)
    tree = unpruned_classifier(missing="surrogate").fit(X, ["low", "high"] * 5).tree_
    (surrogate,) = tree.root.surrogates
    assert isinstance(surrogate.question, Threshold)
    assert surrogate.question.threshold == -math.inf
    assert tree.predict(np.ma.array([[0, LOWEST]], mask=[[True, False]])).tolist() == ["high"]


def test_a_literal() -> None:
    """So does a part of a question about several columns."""
    X = np.array([[a, b] for a in (-math.inf, 5.0) for b in (-math.inf, 7.0)] * 10)
    y = ["both" if row.max() < 0 else "not" for row in X]
    tree = unpruned_classifier(questions=MofN()).fit(X, y).tree_
    assert isinstance(tree.root.question, AtLeast)
    assert tree.predict(np.array([[LOWEST, LOWEST]])).tolist() == ["not"]


@pytest.mark.parametrize("export", ["python", "javascript", "c", "rules"])
def test_exports_agree(export: str, tmp_path: Path) -> None:
    """Code and rules compare exactly, so the core must."""
    if (export == "c" and not COMPILERS) or (export == "javascript" and NODE is None):
        pytest.skip("nothing to run it with")
    model = unpruned_classifier().fit([[-math.inf], [5.0], [6.0]], ["low", "high", "high"])
    rows = [{"x0": float(LOWEST)}, {"x0": -math.inf}, {"x0": 5.0}]
    runners: dict[str, Any] = {
        "python": lambda: run_python(model, rows),
        "javascript": lambda: run_javascript(model, rows, tmp_path),
        "c": lambda: run_c(model, rows, tmp_path, compiler=COMPILERS[0]),
        "rules": lambda: run_rules(model, rows, simplify=True),
    }
    answers = runners[export]()
    assert [label for label, _ in answers] == ["high", "low", "high"]
    assert model.predict(np.array([[LOWEST], [5]])).tolist() == ["high", "high"]


@pytest.mark.parametrize("text", ["x0 <= -1e30", "x0 <= -inf", f"x0 <= {LOWEST - 1}"])
def test_a_threshold_that_a_column_of_integers_cannot_hold(text: str) -> None:
    """It would have become the lowest integer, which is not at most the number that was written."""
    rows = (np.array([[0], [1]]), [1.0, 2.0])
    tree = unpruned_regressor().fit(*rows).tree_
    with pytest.raises(ParameterError, match=r"The value '-.*' is beyond what column 'x0' can hold"):
        tree.replace((), text, rows)
    assert tree.replace((), f"x0 <= {LOWEST}", rows).root.question.threshold == LOWEST


@pytest.mark.parametrize(
    ("real", "floor"), [("-inf", 5), (-1e300, LOWEST + 1), ("inf", 5), (2.0**60, 2**60 - 1), (2.0**60, 2**61)]
)
def test_a_file_whose_thresholds_have_two_meanings(real: Any, floor: int) -> None:
    """Floats would have gone one way and integers the other, and only small thresholds were looked at."""
    document = json.loads(asking(-8.5).to_json())
    document["nodes"]["threshold"][0], document["nodes"]["threshold_floor"][0] = real, floor
    with pytest.raises(DataError, match="the two forms of a threshold do not agree"):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("real", "floor"), [("-inf", LOWEST), (2.0**60, 2**60 + 1), (-(2.0**63), LOWEST), ("inf", 2**63 - 1)]
)
def test_a_file_whose_large_thresholds_agree(real: Any, floor: int) -> None:
    """What the engine itself makes of floats and of integers is read back."""
    document = json.loads(asking(-8.5).to_json())
    document["nodes"]["threshold"][0], document["nodes"]["threshold_floor"][0] = real, floor
    assert Tree.from_json(json.dumps(document)).array("threshold_floor")[0] == floor
