"""Exports to ONNX answer as the core does, run in onnxruntime: labels exactly, doubles bit by bit.

Rows are those of the model's table, values at and beside thresholds, missing and unknown ones. Every model
passes ONNX's own checker, and its self-test. Where onnx or onnxruntime is not installed, all is skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from support.composites import TREE, A, plant, total
from support.export_models import ALL, HOSTILE, deep, exported, rows_of, table_rows
from support.export_running import differences
from support.export_tables import cases
from support.marks import allow_one_leaf
from support.onnx_running import feeds, ones_that_fit, run_onnx, session_of
from support.sweeps import few

from arboretum import TreeClassifier, TreeRegressor, datasets
from arboretum._tree.composites import LinearTerm
from arboretum.errors import DataError, ParameterError
from arboretum.export._onnx.onnx import check_onnx, to_onnx
from arboretum.export._program.program import program_of
from arboretum.export._program.samples import expected, samples

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

# What cannot be a tensor: integers beyond 2**63, levels of several types, levels that are dates.
REFUSED = {kind for kind in ALL if kind.startswith("typed")} | {"bigger integers", "levels of dates"}
TAKEN = [kind for kind in ALL if kind not in REFUSED]
NUMBERS = ("iris", "sums", "pessimistic", "tested", "entropy", "weighted", "root alone")
WAYS: list[dict[str, Any]] = [
    {"missing": "category"},
    {"missing": "category", "nominal": "one_vs_rest"},
    {"missing": "category", "nominal": "multiway"},
    {"missing": "surrogate"},
    {"missing": "fractional"},
]


def checked(model: Any, **options: Any) -> bytes:
    stored = to_onnx(model, **options)
    onnx.checker.check_model(onnx.load_from_string(stored), full_check=True)
    assert check_onnx(stored) == 32
    return stored


@pytest.mark.parametrize("kind", TAKEN)
def test_answers_as_the_core_does(kind: str) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X)
    checked(model)
    assert len(rows) > 400
    assert not differences(model, rows, run_onnx(model, rows))


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_levels_of_all_types_and_times(options: dict[str, Any]) -> None:
    _, X, y = exported("typed")
    model = TreeClassifier(prune=None, max_depth=9, **options).fit(X.drop(columns="mixed"), y)
    rows = rows_of(model, X, 400)
    session = session_of(checked(model))
    kinds = {given.name: given.type for given in session.get_inputs()}
    assert {"tensor(string)", "tensor(int64)", "tensor(double)"} == set(kinds.values())
    assert not differences(model, rows, run_onnx(model, rows))


@allow_one_leaf
@settings(max_examples=few(0.6))
@given(cases())
def test_random_tables(case: tuple[Any, Any]) -> None:
    model, X = case
    rows = rows_of(model, X, 60)
    assert not differences(model, rows, run_onnx(model, rows))


def test_questions_about_several_columns_planted() -> None:
    nothing = dict.fromkeys(column.name for column in TREE.columns)
    rows = [{**nothing, **row} for row in samples(program_of(TREE, "the test"), 2_000, 3)]
    checked(TREE)
    assert not differences(TREE, rows, run_onnx(TREE, rows))


def test_sums_that_are_no_numbers() -> None:
    """Infinity less infinity is not at most the bound, and no missing value either."""
    tree = plant({(): total(0.5, LinearTerm(A, 1.0, fill=7.0), LinearTerm(A, -1.0, fill=0.25))})
    nothing = dict.fromkeys(column.name for column in tree.columns)
    rows = [{**nothing, "a": value} for value in (np.inf, -np.inf, 1.0, None)]
    assert not differences(tree, rows, run_onnx(tree, rows))


# --- tables as people have them


def test_data_frames_of_users() -> None:
    """Straight from a table to tensors, past all helpers."""
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=None).fit(X, y)
    session = session_of(to_onnx(model))
    given = {}
    for tensor in session.get_inputs():
        column = X[tensor.name]
        text = tensor.type == "tensor(string)"
        given[tensor.name] = (column.astype(object).fillna("") if text else column).to_numpy()
    label, probabilities = session.run(["label", "probabilities"], given)
    assert label.tolist() == model.predict(X).tolist()
    assert np.array_equal(probabilities, model.predict_proba(X))


def test_matrix() -> None:
    X, y = datasets.load_iris()
    model = TreeRegressor(prune=None).fit(X.to_numpy(), np.arange(len(y)) % 7 / 3)
    session = session_of(checked(model, inputs="matrix"))
    values = X.to_numpy()
    assert session.run(["value"], {"X": values})[0].tolist() == model.predict(values).tolist()


@pytest.mark.parametrize("kind", NUMBERS)
def test_matrix_of_all_models_of_numbers(kind: str) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X)
    checked(model, inputs="matrix")
    assert not differences(model, rows, run_onnx(model, rows, inputs="matrix"))


def test_times_are_counts_of_their_unit() -> None:
    """NumPy's own numbers, NaT among them."""
    model, X, _ = exported("dates")
    session = session_of(to_onnx(model))
    frame = X.copy()
    frame.loc[frame.index[:5], "day"] = None
    columns = {column.name: column for column in model.tree_.columns}
    given = {}
    for tensor in session.get_inputs():
        unit = columns[tensor.name].unit
        values = frame[tensor.name].to_numpy()
        kind = f"{'M' if values.dtype.kind == 'M' else 'm'}8[{unit}]"
        given[tensor.name] = (values.astype(kind) if unit else values).astype(np.int64)
    assert np.array_equal(session.run(None, given)[0], model.predict(frame))


# --- float32


@pytest.mark.parametrize("kind", TAKEN)
def test_float32_takes_the_way_of_the_same_double(kind: str) -> None:
    model, X, _ = exported(kind)
    rows = ones_that_fit(model.tree_, rows_of(model, X), ("number",))
    checked(model, floats="float32")
    assert not differences(model, rows, run_onnx(model, rows, floats="float32"))


@pytest.mark.parametrize("kind", NUMBERS)
def test_float32_matrix(kind: str) -> None:
    model, X, _ = exported(kind)
    rows = ones_that_fit(model.tree_, rows_of(model, X), ("number", "integer"))
    assert not differences(model, rows, run_onnx(model, rows, floats="float32", inputs="matrix"))


@pytest.mark.parametrize("cut", [0.1, 0.3, 1 / 3, 1e-46, -1e-46, 1e39, -1e39, 16777217.0, 3.4028235e38, -0.0])
def test_neighbours_of_a_threshold_in_float32(cut: float) -> None:
    """The nearest float32 may lie above the threshold: x = float32(0.1) > 0.1 must not cross."""
    X = np.array([[-np.inf], [cut], [np.inf]])
    model = TreeClassifier(prune=None, thresholds="observed").fit(X, [0, 0, 1])
    assert model.tree_.root.question is not None
    with np.errstate(over="ignore", under="ignore"):
        near = np.float32(cut)
        values = np.array(
            [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf)), -near, 0],
            np.float32,
        )
    session = session_of(to_onnx(model, inputs="matrix", floats="float32"))
    found = session.run(["label"], {"X": values.reshape(-1, 1)})[0]
    assert found.tolist() == model.predict(values.reshape(-1, 1).astype(np.float64)).tolist()


# --- integers


def test_integers_that_doubles_cannot_tell_apart() -> None:
    model, X, _ = exported("big integers")
    session = session_of(checked(model))
    given = {tensor.name: X[tensor.name].to_numpy() for tensor in session.get_inputs()}
    assert session.run(["label"], given)[0].tolist() == model.predict(X).tolist()
    given["big"] = np.full(len(X), -(2**63))
    assert (
        session.run(["label"], given)[0].tolist()
        == model.predict(X.assign(big=pd.array([None] * len(X), dtype="Int64"))).tolist()
    )


def test_integers_as_floats() -> None:
    X = pd.DataFrame({"n": np.arange(49, -1, -1), "m": np.arange(50) % 7})
    model = TreeRegressor(prune=None).fit(X, np.arange(50) % 5 * 1.0)
    rows = table_rows(model, X)
    rows += [{"n": n, "m": m} for n in (2.5, 2.75, None) for m in (1, None, 3.5)]
    for floats in ("double", "float32"):
        assert not differences(model, rows, run_onnx(model, rows, integers="float", floats=floats))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"integers": "float"},
            r"integers='float' turns column 'big' into double, but node 0 asks big <= 1152",
        ),
        ({"inputs": "matrix"}, r"inputs='matrix' turns column 'big' into double, but node 0 asks"),
        ({"inputs": "matrix", "floats": "float32"}, r"into float32, .* beyond 2\*\*24"),
    ],
)
def test_integers_that_would_change(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        to_onnx(exported("big integers")[0], **options)


# --- names, classes, shapes


def test_names_of_strangers() -> None:
    """Columns that are called like outputs, like results inside, or by nothing at all."""
    names = ["label", "probabilities", "constant_1", "Gather_1", "", "column_4", "X", *HOSTILE[:4]]
    rng = np.random.default_rng(2)
    X = pd.DataFrame({name: rng.choice(["a", "b", ""], 300) for name in names})
    y = (X == "a").sum(axis=1).to_numpy() + 0
    model = TreeClassifier(prune=None).fit(X, y)
    session = session_of(checked(model))
    assert [output.name for output in session.get_outputs()] == ["label_", "probabilities_"]
    inputs = {tensor.name for tensor in session.get_inputs()}
    assert len(inputs) == len(names)
    assert inputs > set(names) - {"", "column_4"}
    found = session.run(None, feeds_by_order(session, X))
    assert found[0].tolist() == model.predict(X).tolist()


def feeds_by_order(session: Any, X: pd.DataFrame) -> dict[str, Any]:
    """Inputs are in the order of the columns."""
    tensors = session.get_inputs()
    return {t.name: X.iloc[:, i].to_numpy(object) for i, t in enumerate(tensors)}


@pytest.mark.parametrize(
    "classes", [["no", "yes"], [False, True], [-3, 2**60], [-1.0, 2.0], HOSTILE[:2]], ids=str
)
def test_classes_of_all_types(classes: list[Any]) -> None:
    y = np.array(classes, dtype=object if isinstance(classes[0], str) else None)[np.arange(40) // 7 % 2]
    X = pd.DataFrame({"x": np.arange(40.0)})
    model = TreeClassifier(prune=None).fit(X, y)
    rows = table_rows(model, X)
    checked(model)
    assert not differences(model, rows, run_onnx(model, rows))


def test_no_rows_and_one_row() -> None:
    for kind in ("penguins", "surrogates", "fractions", "sums of all kinds", "root alone"):
        model, X, _ = exported(kind)
        session = session_of(to_onnx(model))
        for n in (0, 1):
            found = session.run(None, feeds(session, model.tree_, table_rows(model, X)[:n]))
            assert [len(tensor) for tensor in found] == [n] * len(found)


def test_deep_trees() -> None:
    tree, X, _ = deep()
    rows = table_rows(tree, X)
    for options in ({}, {"inputs": "matrix", "floats": "float32"}):
        assert not differences(tree, rows, run_onnx(tree, rows, **options))


# --- the file by itself


def test_file_is_what_is_returned_and_the_same_each_time(tmp_path: Path) -> None:
    model, _, _ = exported("surrogates")
    path = tmp_path / "tree.onnx"
    stored = to_onnx(model, path, name="penguins")
    assert path.read_bytes() == stored == to_onnx(model, name="penguins")
    assert check_onnx(path) == check_onnx(str(path)) == 32
    read = onnx.load(path)
    assert read.graph.name == "penguins"
    assert "Asks about: " in read.doc_string
    assert {opset.domain: opset.version for opset in read.opset_import} == {"": 15, "ai.onnx.ml": 3}


def test_self_test_notices() -> None:
    """A threshold that moved, a label that was changed, a file without rows."""
    model, _, _ = exported("iris")
    stored = onnx.load_from_string(to_onnx(model))
    (tree,) = (node for node in stored.graph.node if node.op_type == "TreeEnsembleRegressor")
    (values,) = (part for part in tree.attribute if part.name == "nodes_values_as_tensor")
    moved = np.nextafter(onnx.numpy_helper.to_array(values.t), -np.inf)
    values.t.CopyFrom(onnx.numpy_helper.from_array(moved, values.t.name))
    with pytest.raises(DataError, match="of the 32 rows of its self-test differently: in row"):
        check_onnx(stored.SerializeToString())

    other = onnx.load_from_string(to_onnx(model))
    note = next(each for each in other.metadata_props if each.key == "arboretum.self_test")
    told = json.loads(note.value)
    told["outputs"]["probabilities"]["values"][7][0] += 1e-9
    note.value = json.dumps(told)
    with pytest.raises(
        DataError, match="1 of the 32 rows of its self-test differently: in row 7 probabilities"
    ):
        check_onnx(other.SerializeToString())

    del other.metadata_props[:]
    with pytest.raises(DataError, match="carries no self-test"):
        check_onnx(other.SerializeToString())


def test_rows_of_the_self_test_are_hard() -> None:
    stored = onnx.load_from_string(to_onnx(exported("penguins")[0], n_samples=200))
    told = json.loads(stored.metadata_props[0].value)
    numbers = [cell for tensor in told["inputs"].values() for cell in tensor["values"]]
    assert {"NaN", "Infinity", "-Infinity", "no such level", ""} <= set(numbers)


# --- refusals


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_what_no_tensor_can_hold(kind: str) -> None:
    with pytest.raises(DataError, match=r"(?s)Column '\w+' h.*node \d+ asks: .*\nHint: "):
        to_onnx(exported(kind)[0])


@pytest.mark.parametrize("level", ["a\0b", "half \ud800"])
def test_text_that_cannot_be_stored(level: str) -> None:
    X = pd.DataFrame({"c": pd.Series(["x", level] * 20, dtype=object)})
    with pytest.raises(DataError, match="which text in ONNX cannot hold"):
        to_onnx(TreeClassifier(prune=None).fit(X, [0, 1] * 20))
    with pytest.raises(DataError, match="predicts the class"):
        to_onnx(TreeClassifier(prune=None).fit(np.arange(40).reshape(-1, 1), X["c"].to_numpy()))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"inputs": "rows"}, "inputs='rows' is not known; choose 'columns', 'matrix'"),
        ({"floats": "float"}, "floats='float' is not known; choose 'double', 'float32'"),
        ({"integers": 64}, "integers=64 is not known; choose 'int64', 'float'"),
        ({"name": "a b"}, "name='a b' cannot be a name"),
        ({"inputs": "matrix"}, "inputs='matrix' needs numbers, but column 'island' holds levels"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        to_onnx(exported("penguins")[0], **options)


def test_classes_that_no_tensor_can_hold() -> None:
    y = np.array([3, 2**64 - 1], dtype=np.uint64)[np.arange(40) // 20]
    model = TreeClassifier(prune=None).fit(np.arange(40).reshape(-1, 1), y)
    with pytest.raises(DataError, match="predicts classes that no tensor of ONNX can hold"):
        to_onnx(model)


def test_answers_are_compared_with_predict() -> None:
    """`expected`, which all comparisons here trust, is what `predict` says."""
    model, X, _ = exported("penguins")
    assert [label for label, _ in expected(model, table_rows(model, X))] == model.predict(X).tolist()
