"""Files of ensembles: what is saved is loaded to the last bit, and damage is refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    BaggedClassifier,
    BaggedRegressor,
    DataError,
    MofN,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    datasets,
    load,
    save,
)
from arboretum._store.model_files import model_from_bytes, model_to_bytes

X, Y = datasets.load_penguins()
MASS = np.arange(len(Y)) % 37 + (Y.iloc[0] == Y) * 5.0
MODELS: dict[str, Any] = {
    "forest": BaggedClassifier(n_trees=4, max_features="sqrt", oob=True, warm_start=True),
    "balanced": BaggedClassifier(n_trees=3, bootstrap="balanced", oob=True, random_state=3),
    "parts": BaggedClassifier(n_trees=2, bootstrap=False, max_samples=0.5),
    "surrogates": BaggedClassifier(TreeClassifier(prune=None, missing="surrogate", max_depth=3), n_trees=3),
    "fractions": BaggedClassifier(TreeClassifier(prune=None, missing="fractional", max_depth=3), n_trees=3),
    "dropped": BaggedClassifier(
        TreeClassifier(missing="drop", loss=[[0, 1, 2], [1, 0, 3], [1, 1, 0]]), n_trees=3, oob=True
    ),
    "m of n": BaggedClassifier(TreeClassifier(prune=None, questions=MofN(max_n=2), max_depth=3), n_trees=2),
    "numbers": BaggedRegressor(n_trees=3, oob=True, warm_start=True),
    "quantiles": BaggedRegressor(TreeRegressor(prune=None, leaf="quantiles", max_depth=4), n_trees=3),
}


@cache
def fitted(name: str) -> Any:
    model = MODELS[name]
    return model.fit(X, MASS if isinstance(model, BaggedRegressor) else Y)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_saved_is_loaded(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    save(model, tmp_path / "model.json.gz")
    again = load(tmp_path / "model.json.gz")
    assert type(again) is type(model)
    assert repr(again.get_params()) == repr(model.get_params())
    assert list(again.trees_) == list(model.trees_)
    for answer in ("predict", "predict_proba", "apply"):
        if hasattr(model, answer):
            assert np.array_equal(getattr(again, answer)(X), getattr(model, answer)(X))
    assert np.array_equal(again.feature_importances_, model.feature_importances_)
    assert again.training_data_ == model.training_data_
    if model.oob:
        assert again.oob_score_ == model.oob_score_
        assert np.array_equal(again.oob_curve_, model.oob_curve_)
        assert np.array_equal(again.oob_prediction_, model.oob_prediction_, equal_nan=True)
    assert model_to_bytes(again) == model_to_bytes(model)
    assert [tree.n_bytes for tree in again._state.packed] == [tree.n_bytes for tree in model._state.packed]


def test_a_loaded_ensemble_grows_on() -> None:
    """Out-of-bag sums and the draws of rows and columns go on where they were."""
    for name, y in (("forest", Y), ("numbers", MASS)):
        model = fitted(name)
        n_trees = model.n_trees + 2
        again = model_from_bytes(model_to_bytes(model)).set_params(n_trees=n_trees).fit(X, y)
        whole = type(model)(**model.get_params(deep=False)).set_params(n_trees=n_trees).fit(X, y)
        assert list(again.trees_) == list(whole.trees_)
        assert np.array_equal(again.oob_curve_, whole.oob_curve_)


# Where the document of "balanced" is spoilt, the entry that stands there then, and what is said.
DAMAGES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("trees",), [], "no trees"),
    (("trees", 1), 3, "Tree 2 is not an object"),
    (("trees", 1, "nodes", "first_child", 0), 10**6, "Tree 2 cannot be read"),
    (("trees", 2, "criterion"), "entropy", "Tree 3 has another criterion"),
    (("trees", 2, "leaf", "m"), 1.5, "Tree 3 has another criterion or rule"),
    (("trees", 0, "nodes", "label", 0), 9, "label names a class"),
    (("samples", "seed"), -1, "seed is -1"),
    (("samples", "n_rows"), 5, "n_rows is 5"),
    (("samples", "n_drawn"), 2**40, "n_drawn"),
    (("samples", "bootstrap"), "often", "bootstrap='often'"),
    (("samples", "bootstrap"), True, "against what bootstrap says"),
    (("samples", "n_columns"), 99, "n_columns is 99"),
    (("samples", "classes", 0), 7, "name one that is not there"),
    (("samples", "classes"), [0], "should be a list of"),
    (("samples", "more"), 1, "'more', which is not known"),
    (("origin",), [0], "places of its rows"),
    (("n_given",), 10**6, "n_given differs"),
    (("out_of_bag", "targets", 0), 3, "targets of its rows name a class"),
    (("out_of_bag", "sums", 0), [1.0], "3 numbers for each row"),
    (("out_of_bag", "times", 0), 4, "more often than there are trees"),
    (("out_of_bag", "curve"), [], "should be a list of 3"),
    (("stopped",), 0, "stopped should be a bool"),
    (("tree",), None, "'tree', which is not known"),
    (("model",), "BaggedRegressor", "do not fit a BaggedRegressor"),
    (("model",), "Forest", "known are"),
]


@pytest.mark.parametrize(("place", "entry", "said"), DAMAGES, ids=str)
def test_damage_is_refused(place: tuple[Any, ...], entry: Any, said: str) -> None:
    document = json.loads(model_to_bytes(fitted("balanced")))
    inside = document
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = entry
    with pytest.raises(DataError, match=said):
        model_from_bytes(json.dumps(document).encode())


def test_places_of_rows_are_checked() -> None:
    document = json.loads(model_to_bytes(fitted("dropped")))
    for spoilt in (document["origin"][::-1], [*document["origin"][:-1], 10**6]):
        with pytest.raises(DataError, match="places of its rows are not in order"):
            model_from_bytes(json.dumps(document | {"origin": spoilt}).encode())


def test_what_a_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    model = BaggedClassifier(n_trees=1, random_state=np.random.RandomState(0)).fit(X, Y)
    with pytest.raises(ParameterError, match="random_state is of the type RandomState"):
        save(model, tmp_path / "model.json")


def test_a_table_without_names_and_classes_of_numbers() -> None:
    numbers = pd.DataFrame(X).select_dtypes("number").to_numpy()
    model = BaggedClassifier(n_trees=2).fit(numbers, np.arange(len(Y)) % 3)
    again = model_from_bytes(model_to_bytes(model))
    assert again.predict(numbers).dtype == model.predict(numbers).dtype
    assert np.array_equal(again.predict_proba(numbers), model.predict_proba(numbers))
