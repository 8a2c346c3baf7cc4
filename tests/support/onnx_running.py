"""Running ONNX models on rows in user form.

What a file says of its inputs is all that is used here, besides the units in which times are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from arboretum.export._onnx.onnx import to_onnx
from arboretum.export._program.program import program_of, stored_value

__all__ = ["feeds", "ones_that_fit", "outputs_in_onnx", "run_onnx", "session_of"]

_FLOATS = {"tensor(double)": np.float64, "tensor(float)": np.float32}
_MISSING = -(2**63)


def session_of(stored: bytes) -> Any:
    return import_module("onnxruntime").InferenceSession(stored)


def run_onnx(model: Any, rows: Sequence[Mapping[str, Any]], **options: Any) -> list[Any]:
    """The answers of the exported model, as `expected` gives them."""
    return outputs_in_onnx(model, rows, **options)[0]


def outputs_in_onnx(model: Any, rows: Sequence[Mapping[str, Any]], **options: Any) -> list[list[Any]]:
    """The same for each of several outputs: a tensor of its name, and one of probabilities of classes."""
    session = session_of(to_onnx(model, **options))
    program = program_of(model, "the test", ensembles=True, models=True, outputs=True)
    tensors = [tensor.tolist() for tensor in session.run(None, feeds(session, program, rows))]
    answers = []
    for output in program.answers:
        labels = tensors.pop(0)
        shares = [None] * len(labels) if output.classes is None else map(tuple, tensors.pop(0))
        answers.append(list(zip(labels, shares, strict=True)))
    assert not tensors
    return answers


def feeds(session: Any, tree: Any, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    columns = {column.name: column for column in tree.columns}
    given: dict[str, Any] = {}
    for tensor in session.get_inputs():
        if len(tensor.shape) == 2:
            return {tensor.name: _matrix(tree, rows, _FLOATS[tensor.type])}
        # An empty name cannot be that of a tensor: its place in the table is told instead.
        column = columns.get(tensor.name) or tree.columns[int(tensor.name.rsplit("_", 1)[1])]
        cells = [row[column.name] for row in rows]
        if tensor.type == "tensor(string)":
            given[tensor.name] = _texts(cells, column)
        elif tensor.type == "tensor(int64)":
            given[tensor.name] = np.array([_whole(cell, column) for cell in cells], dtype=np.int64)
        else:
            reals = [np.nan if cell is None else float(cell) for cell in cells]
            given[tensor.name] = np.array(reals, dtype=_FLOATS[tensor.type])
    return given


def _texts(cells: Sequence[Any], column: Any) -> Any:
    nothing = next(text for text in ("", "nothing", "nothing at all") if text not in column.levels)
    found = np.empty(len(cells), dtype=object)
    found[:] = [nothing if cell is None else cell for cell in cells]
    return found


def _whole(cell: Any, column: Any) -> int:
    if cell is None or (column.levels is not None and cell != int(cell)):
        return _MISSING
    if column.levels is not None:
        return int(cell)
    stored = stored_value(column, cell)
    return _MISSING if stored is None else int(stored)


def _matrix(tree: Any, rows: Sequence[Mapping[str, Any]], dtype: Any) -> Any:
    cells = [[row.get(column.name) for column in tree.columns] for row in rows]
    return np.array([[np.nan if cell is None else float(cell) for cell in row] for row in cells], dtype=dtype)


def ones_that_fit(tree: Any, rows: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> list[dict[str, Any]]:
    """The rows with the numbers of columns of these kinds rounded to float32."""
    reals = {column.name for column in tree.columns if column.kind in kinds}

    def fit(name: str, value: Any) -> Any:
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float32(value)) if name in reals and value is not None else value

    return [{name: fit(name, value) for name, value in row.items()} for row in rows]
