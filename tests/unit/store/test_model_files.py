"""Model files: what is saved is loaded to the last bit, from the files of all versions, for ever.

A kind is one of the models of the pages; a case is a model whose file is kept in tests/files. Damaged files
are in test_damaged_model_files.py, writing files in test_writing_files.py.
"""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.marks import allow_one_leaf
from support.pages import KINDS, big, fitted
from support.stored_models import CASES, FOLDER, answers, case_names, expected_of, file_of, read_rows

from arboretum import (
    CostComplexity,
    DataError,
    DataTypeError,
    MEstimate,
    ParameterError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._options.strategy import STRATEGIES
from arboretum._store.model_document import VERSION
from arboretum._store.model_files import load, model_from_bytes, model_to_bytes, save

STORED = [(version, name) for version in sorted(FOLDER.iterdir()) for name in case_names(version)]


def same_models(one: Any, other: Any, table: Any) -> None:
    """Assert that two models are the same in all that can be seen of them."""
    assert type(one) is type(other)
    assert model_to_bytes(one) == model_to_bytes(other)
    if isinstance(one, Tree):
        assert one == other
        return
    assert repr(one.get_params()) == repr(other.get_params())
    assert (one.tree_, one._grown) == (other.tree_, other._grown)
    assert one.tree_.edits == other.tree_.edits
    assert one.tree_.array("id").tolist() == other.tree_.array("id").tolist()
    for predict in ("predict", "predict_proba", "apply"):
        if hasattr(one, predict):
            mine, its = getattr(one, predict)(table), getattr(other, predict)(table)
            assert mine.dtype == its.dtype
            assert mine.tolist() == its.tolist()
    assert str(one.pruning_path_) == str(other.pruning_path_)
    for alike in (one.unpruned(), other.unpruned()), (one.pruned(leaves=2), other.pruned(leaves=2)):
        assert alike[0].tree_ == alike[1].tree_
        assert str(alike[0].pruning_path_) == str(alike[1].pruning_path_)
    fitted_names = {name for name in vars(one) if name.endswith("_") and not name.startswith("_")}
    assert fitted_names == {name for name in vars(other) if name.endswith("_") and not name.startswith("_")}
    for name in fitted_names - {"tree_", "pruning_log_"}:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert str(getattr(one, "pruning_log_", "")) == str(getattr(other, "pruning_log_", ""))
    assert one._named == other._named


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_what_is_saved_is_loaded(kind: str, suffix: str, tmp_path: Path) -> None:
    model, table, _ = fitted(kind)
    path = tmp_path / f"model.{suffix}"
    save(model, path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == suffix.endswith("gz")
    same_models(load(path), model, table)
    same_models(load(str(path)), model, table)
    save(model.tree_, path)
    same_models(load(path), model.tree_, table)


@pytest.mark.parametrize("kind", KINDS)
def test_pickle_does_it_as_well(kind: str) -> None:
    """Pickle is the second choice, but it works: for estimators, trees and nodes' trees."""
    model, table, _ = fitted(kind)
    same_models(pickle.loads(pickle.dumps(model)), model, table)
    same_models(pickle.loads(pickle.dumps(model.tree_)), model.tree_, table)


def test_every_case_is_stored() -> None:
    """A new case needs its files: `python tools/store_model_files.py` writes them."""
    assert set(case_names(FOLDER / f"v{VERSION}")) == set(CASES)
    sizes = [path.stat().st_size for path in FOLDER.rglob("*.*")]
    assert max(sizes) < 20_000
    assert sum(sizes) < 300_000


@pytest.mark.parametrize(("version", "name"), STORED, ids=[f"{v.name}-{name}" for v, name in STORED])
def test_stored_files_are_loaded_for_ever(version: Path, name: str) -> None:
    """Whatever an older program wrote is read, and predicts as it did when it was written."""
    expected = expected_of(version, name)
    model = load(file_of(version, name))
    found = answers(model, read_rows(expected.pop("rows")))
    assert found == expected
    same_models(model_from_bytes(model_to_bytes(model)), model, read_rows(expected_of(version, name)["rows"]))


def test_all_strategies_are_in_stored_files() -> None:
    """Each object that an option can be is in one of the files."""
    texts = [_text(file_of(version, name)) for version, name in STORED if version.name == f"v{VERSION}"]
    found = {name for name in STRATEGIES for text in texts if f'"object":{{"name":"{name}"' in text}
    assert found == set(STRATEGIES)
    trees = [json.loads(text) for text in texts]
    kinds = {kind for document in trees for body in _bodies(document) for kind in body["nodes"]["kind"]}
    assert kinds == {0, 1, 2, 3, 4, 5}
    assert {body["missing"] for document in trees for body in _bodies(document)} == {
        *("child", "surrogates", "fractions"),
    }
    assert {kind["kind"] for document in trees for kind in document["columns"]} == {
        *("number", "integer", "datetime", "duration", "ordered", "nominal"),
    }
    # All ways to store the tree that predicts: as a cut, as a tree of its own, and without the grown one.
    ways = {(document["grown"] is None, "leaves" in document["tree"]) for document in trees}
    assert ways == {(False, True), (False, False), (True, False)}


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def _bodies(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [body for body in (document["grown"], document["tree"]) if body and "nodes" in body]


def test_equal_models_give_equal_files(tmp_path: Path) -> None:
    """Neither the time nor what was looked at in between makes a difference."""
    X, y = datasets.load_penguins()
    one, other = (TreeClassifier(prune=None).fit(X, y) for _ in range(2))
    assert one.pruning_path_.alpha[0] == 0
    save(one, tmp_path / "one.json.gz")
    save(other, tmp_path / "another name.json.gz")
    assert (tmp_path / "one.json.gz").read_bytes() == (tmp_path / "another name.json.gz").read_bytes()
    assert (tmp_path / "one.json.gz").read_bytes()[4:8] == bytes(4)  # where gzip puts the time


def test_without_the_grown_tree(tmp_path: Path) -> None:
    """The file is smaller, predictions are the same, and pruning starts from the tree that is there."""
    model, table, _ = fitted("numbers")
    save(model, tmp_path / "large.json")
    save(model, tmp_path / "small.json", grown=False)
    assert (tmp_path / "small.json").stat().st_size * 10 < (tmp_path / "large.json").stat().st_size
    small = load(tmp_path / "small.json")
    assert small.predict(table).tolist() == model.predict(table).tolist()
    assert small.tree_ == small.unpruned().tree_ == model.tree_
    assert small.alpha_ == model.alpha_
    assert small.pruning_path_.leaves[0] == model.get_n_leaves()
    assert small.pruned(leaves=3).get_n_leaves() <= 3
    # The same trees follow from there on: what is cut off later does not depend on what was cut off before.
    assert small.pruned(leaves=3).tree_ == model.pruned(leaves=3).tree_


def test_a_pruned_or_edited_model(tmp_path: Path) -> None:
    """Models that were pruned, edited or given another tree by hand are saved as they are."""
    model, table, y = fitted("penguins")
    edited = model.with_tree(model.tree_.prune_at(model.tree_.root.children[0]))
    raised = CASES["raised"]()
    for other, rows in (
        (model.pruned(leaves=3), table),
        (model.unpruned(), table),
        (edited, table),
        (edited.pruned(leaves=1), table),
        raised,
    ):
        save(other, tmp_path / "model.json")
        same_models(load(tmp_path / "model.json"), other, rows)
    assert '"leaves"' not in model_to_bytes(raised[0]).decode().rpartition('"tree": ')[2]
    assert len(model.tree_) > 1
    assert len(y)


def test_a_loaded_model_can_be_fitted_again(tmp_path: Path) -> None:
    """The parameters are those of the model, objects included."""
    X, y = datasets.load_iris()
    model = TreeClassifier(prune=CostComplexity(folds=4, rule="min"), leaf=MEstimate(m=1.5)).fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    same_models(clone(loaded).fit(X, y), model, X)
    assert loaded.get_params()["prune__folds"] == 4


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["a", "b"], "object"),
        (np.array(["a", "b"], dtype="U9"), "U9"),
        (np.array(["a", "b" * 3_000]), "U3000"),
        ([True, False], "bool"),
        ([3, -1], "int64"),
        (np.array([3, 1], dtype=np.uint8), "uint8"),
        (np.array([2**64 - 1, 1], dtype=np.uint64), "uint64"),
        (np.array([3, 1], dtype=">i2"), "int16"),
        ([3.0, -1.0], "float64"),
        (np.array([3, 1], dtype=np.float32), "float32"),
        ([10**30, 1], "object"),
        (["\ud800", "ü\0\n"], "object"),
    ],
)
def test_classes_keep_their_type(labels: Any, kind: str, tmp_path: Path) -> None:
    """Predictions are of the type that the target had."""
    model = TreeClassifier(prune=None).fit([[1.0], [2.0]], labels)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.classes_.dtype == np.dtype(kind)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    if model.classes_.dtype.isnative:
        same_models(loaded, model, [[1.0], [2.0], [np.nan]])


@pytest.mark.parametrize(
    "params",
    [
        {"priors": (0.5, 0.25, 0.25)},
        {"priors": np.array([0.5, 0.25, 0.25], dtype=np.float32)},
        {"loss": [[0, 1, 1], [2, 0, 1], [1, 1, 0]]},
        {"loss": np.array([[0, 1, 1], [2, 0, 1], [1, 1, 0]])},
        {"class_weight": {"setosa": 2.0, "versicolor": 1, "virginica": np.float64(0.5)}},
        {"categorical_features": np.array([False, False, False, True])},
        {"categorical_features": ["petal_width"]},
        {"categorical_features": np.array(["petal_width"])},
        {"categorical_features": {"petal_width": [i / 10 for i in range(1, 26)]}},
        {"categorical_features": (3,), "max_depth": np.int64(3)},
        {"monotonic_cst": None, "random_state": 2**31, "min_impurity_decrease": 5e-324},
    ],
    ids=str,
)
def test_parameters_of_all_kinds(params: dict[str, Any]) -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier(prune=None, **params).fit(X, y)
    loaded = model_from_bytes(model_to_bytes(model))
    for name, value in params.items():
        back = getattr(loaded, name)
        plain = value.tolist() if isinstance(value, np.ndarray) else value
        assert (back.tolist() if isinstance(back, np.ndarray) else back) == plain
        if isinstance(value, np.ndarray) and value.dtype.kind in "bif":
            assert type(back) is np.ndarray
            assert back.dtype.kind == value.dtype.kind
        elif isinstance(value, list | tuple | dict):
            assert type(back) is type(value)
    assert model_to_bytes(clone(loaded).fit(X, y)) == model_to_bytes(loaded)


def _nested() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


@allow_one_leaf
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"random_state": np.random.RandomState(0)}, "random_state is of the type RandomState"),
        ({"prune": CostComplexity(folds=KFold(3))}, "prune__folds is of the type KFold"),
        ({"verbose": print}, "verbose is of the type builtin_function_or_method"),
        ({"priors": {1, 2}}, "priors is of the type set"),
        ({"n_jobs": 1j}, "n_jobs is of the type complex"),
        ({"max_bins": float("nan")}, "max_bins holds nan"),
        ({"max_bins": TreeClassifier()}, "max_bins is of the type TreeClassifier"),
        ({"loss": _nested()}, "loss is nested more than 10 deep"),
    ],
)
def test_parameters_that_cannot_be_saved(params: dict[str, Any], words: str, tmp_path: Path) -> None:
    """The parameter is named, and no file is left; setting another value is enough."""
    model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    default = {name: TreeClassifier().get_params()[name] for name in params}
    model.set_params(**params)
    with pytest.raises(ParameterError, match=words):
        save(model, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
    save(model.set_params(**default), tmp_path / "model.json")


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    """Models that are not fitted, or no models of ours, are refused."""
    path = tmp_path / "model.json"

    class Mine(TreeClassifier):
        """A class that a file cannot name."""

    X, y = datasets.load_iris()
    with pytest.raises(ValueError, match="not fitted"):
        save(TreeClassifier(), path)
    with pytest.raises(DataTypeError, match=r"not Mine\.\nHint: .*model.tree_"):
        save(Mine().fit(X, y), path)
    with pytest.raises(DataTypeError, match="not Pipeline"):
        save(make_pipeline(StandardScaler(), TreeClassifier()).fit(X, y), path)
    with pytest.raises(DataTypeError, match="not int"):
        save(3, path)
    with pytest.raises(ParameterError, match="grown='no' is not allowed"):
        save(TreeClassifier().fit(X, y), path, grown="no")
    assert not list(tmp_path.iterdir())


def test_the_document_is_as_described(tmp_path: Path) -> None:
    """One field per line, in a fixed order, all of them told in docs/files.md."""
    save(TreeRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]), tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert [line.partition(":")[0].strip('"') for line in text.splitlines()[1:-1]] == list(document)
    assert (document["format"], document["version"]) == ("arboretum model", 1)
    description = (Path(__file__).parents[3] / "docs" / "files.md").read_text(encoding="utf-8")
    names = {*document, *document["grown"], *document["grown"]["nodes"], *document["pruning_path"]}
    names |= {*document["training_data"], *document["sequence"]}
    assert {name for name in names if f"`{name}`" not in description} == set()


def test_files_of_trees_are_loaded(tmp_path: Path) -> None:
    """What `to_json` writes is a file that can be loaded, too."""
    tree = fitted("penguins")[0].tree_
    (tmp_path / "tree.json").write_text(tree.to_json(), encoding="utf-8")
    assert load(tmp_path / "tree.json") == tree


def test_deep_and_large_trees() -> None:
    """A chain of 1,500 nodes, and a bush of 10,000: nothing is nested, and nothing recurs."""
    n = 1_500
    chain = TreeRegressor(prune=None, criterion="squared_error").fit(
        np.arange(n).reshape(-1, 1), 4.0 ** np.arange(n).clip(0, 160)
    )
    assert chain.get_depth() > 150
    bush = big()[0]
    assert len(bush.tree_) > 9_000
    for model in (chain, bush):
        assert model_from_bytes(model_to_bytes(model)).tree_ == model.tree_


def test_refused_options() -> None:
    with pytest.raises(ParameterError, match="max_bytes=0 is not allowed"):
        load("model.json", max_bytes=0)
    with pytest.raises(DataTypeError, match="not bytes"):
        load(b"model.json")
    with pytest.raises(DataTypeError, match="not NoneType"):
        save(fitted("iris")[0], None)
    with pytest.raises(ParameterError, match="is not the name of a file"):
        load("mo\0del.json")
    with pytest.raises(DataError, match=r"There is no file 'nowhere\.json'"):
        load("nowhere.json")
