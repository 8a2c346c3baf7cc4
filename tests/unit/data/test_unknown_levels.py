"""Levels that a model does not know: treated as missing, refused, or told, as the caller says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import Tree, TreeClassifier, TreeRegressor
from arboretum.errors import DataError, ParameterError

X = pd.DataFrame(
    {"colour": ["red", "blue"] * 20, "shape": ["round", "flat", "flat", "round"] * 10, "size": range(40)}
)
Y = ["a" if colour == "red" else "b" for colour in X["colour"]]
NEW = pd.DataFrame(
    {"colour": ["red", "mauve", "teal", None, "mauve"], "shape": ["odd"] * 5, "size": range(5)}
)


def methods() -> dict[str, Any]:
    """Return everything that leads rows down a tree."""
    model, number = TreeClassifier(prune=None).fit(X, Y), TreeRegressor(prune=None).fit(X, np.arange(40) % 2)
    fractional = TreeClassifier(prune=None, missing="fractional").fit(X, Y)
    return {
        **{name: getattr(model, name) for name in ("predict", "predict_proba", "predict_log_proba")},
        **{f"estimator {name}": getattr(model, name) for name in ("apply", "decision_path")},
        **{f"tree {name}": getattr(model.tree_, name) for name in ("predict", "predict_proba", "apply")},
        "number": number.predict,
        "number tree": number.tree_.predict,
        "fractional": fractional.predict_proba,
        "fractional tree": fractional.tree_.predict,
    }


def plain(found: Any) -> list[Any]:
    """Return an array, also a sparse one, as lists."""
    values: list[Any] = (found.toarray() if hasattr(found, "toarray") else found).tolist()
    return values


@pytest.mark.parametrize("name", methods())
def test_unknown_levels_are_refused_where_that_is_asked_for(name: str) -> None:
    """A level that was mistyped became a missing value without a word."""
    method = methods()[name]
    with pytest.raises(DataError) as caught:
        method(NEW, unknown="error")
    assert str(caught.value) == (
        "Column 'colour' holds levels that were not there when fitting in 3 of 5 rows "
        "(first: row 1, 'mauve'), which unknown='error' refuses; it knows 'blue', 'red'.\n"
        "Hint: correct the values, or choose unknown='missing', which treats them as missing."
    )
    seen: dict[str, dict[object, int]] = {}
    found = method(NEW, unknown=seen.__setitem__)
    assert seen == {"colour": {"mauve": 2, "teal": 1}}
    assert list(seen["colour"]) == ["mauve", "teal"]
    assert plain(found) == plain(method(NEW)) == plain(method(NEW, unknown="missing"))
    method(X, unknown="error")


def test_columns_that_are_not_asked_about_do_not_count() -> None:
    """The tree asks for the colour alone: a new shape changes nothing, and is not in the way."""
    model = TreeClassifier(prune=None).fit(X, Y)
    assert model.predict(NEW.assign(colour="red"), unknown="error").tolist() == ["a"] * 5
    surrogate = TreeClassifier(prune=None, missing="surrogate").fit(
        X.assign(shape=X["colour"].str.upper()), Y
    )
    with pytest.raises(DataError, match="Column 'shape' holds levels"):
        surrogate.predict(NEW.assign(colour="red"), unknown="error")


def test_levels_of_all_types() -> None:
    """Numbers, dates and ordered levels are known by their value, whatever type has it."""
    days = pd.to_datetime(["2024-01-01", "2024-01-02"] * 10)
    sizes = pd.Categorical(["S", "L"] * 10, categories=["S", "L"], ordered=True)
    table = pd.DataFrame({"day": days, "code": [1, 2] * 10, "size": sizes})
    y = [0, 1] * 10
    for column, known, new in (("code", [1.0, 2.0], [1.0, 7.0]), ("size", ["S", "L"], ["S", "XL"])):
        options = {"categorical_features": ["code"]} if column == "code" else {}
        model = TreeClassifier(prune=None, **options).fit(table[[column]], y)
        assert model.predict(pd.DataFrame({column: known}), unknown="error").tolist() == [0, 1]
        seen: dict[str, Any] = {}
        model.predict(pd.DataFrame({column: new}), unknown=seen.__setitem__)
        assert seen == {column: {new[1]: 1}}


def test_models_of_numbers_have_no_unknown_levels() -> None:
    """The short way for arrays is not in the way, and a wrong word is refused there as well."""
    model = TreeClassifier(prune=None).fit(np.arange(10.0).reshape(-1, 1), [0] * 5 + [1] * 5)
    assert model.predict([[1.0], [9.0]], unknown="error").tolist() == [0, 1]
    for method in (model.predict, model.tree_.predict, model.apply):
        with pytest.raises(
            ParameterError, match=r"unknown='eror' is not known; choose .* Did you mean 'error'"
        ):
            method(np.array([[1.0]]), unknown="eror")
    with pytest.raises(ParameterError, match="unknown=None is not known"):
        model.predict([[1.0]], unknown=None)


def test_trees_from_files_know_what_they_ask() -> None:
    """A tree that was read again refuses as before."""
    tree = Tree.from_json(TreeClassifier(prune=None).fit(X, Y).tree_.to_json())
    with pytest.raises(DataError, match="row 1, 'mauve'"):
        tree.predict(NEW, unknown="error")
