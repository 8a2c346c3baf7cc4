"""The self-test inside an ONNX model: rows with known answers, stored as JSON, and the check that runs them.

Numbers that JSON lacks are written as text: "NaN", "Infinity", "-Infinity". The check needs onnxruntime.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from arboretum._types import Array
from arboretum.errors import DataError, PackageError

NOTE: Final = "arboretum.self_test"
_TYPES: Final = {
    "string": object,
    "int64": np.int64,
    "double": np.float64,
    "float": np.float32,
    "bool": np.bool_,
}
_NAMES: Final = {np.dtype(dtype): name for name, dtype in _TYPES.items()}


def self_test_text(inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> str:
    """Return rows with their answers as JSON."""
    parts = {"inputs": inputs, "outputs": outputs}
    return json.dumps({part: {k: _written(v) for k, v in tensors.items()} for part, tensors in parts.items()})


def _written(tensor: Array) -> dict[str, Any]:
    return {"type": _NAMES[tensor.dtype], "values": _plain(tensor.tolist())}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _read(stored: Mapping[str, Any]) -> Array:
    # NumPy reads "NaN" and "Infinity" as the numbers they name.
    return np.array(stored["values"], dtype=_TYPES[stored["type"]])


def check_onnx(model: str | os.PathLike[str] | bytes) -> int:
    """Run the self-test of an ONNX model; return how many rows agree.

    It needs the package onnxruntime. Labels, numbers and probabilities must be equal to the last bit;
    otherwise a DataError names the first row that differs.

    Parameters
    ----------
    model : the path of a file that `to_onnx` wrote, or the bytes that it returned
    """
    try:
        onnxruntime = import_module("onnxruntime")
    except ImportError as error:
        raise PackageError(
            "check_onnx() needs the package onnxruntime, which is not installed. "
            "Hint: pip install onnxruntime."
        ) from error
    session = onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(Path(model)))
    note = session.get_modelmeta().custom_metadata_map.get(NOTE)
    if note is None:
        raise DataError("The model carries no self-test; check_onnx() reads models that to_onnx() wrote.")
    stored = json.loads(note)
    names = list(stored["outputs"])
    found = session.run(names, {name: _read(tensor) for name, tensor in stored["inputs"].items()})
    for name, tensor in zip(names, found, strict=True):
        _compare(name, tensor, _read(stored["outputs"][name]))
    return len(found[0])


def _compare(name: str, found: Array, wanted: Array) -> None:
    if found.shape != wanted.shape:
        raise DataError(f"The model answers with {name} of shape {found.shape}, not {wanted.shape}.")
    differ = np.flatnonzero((found != wanted).reshape(len(wanted), -1).any(axis=1))
    if len(differ):
        row = int(differ[0])
        raise DataError(
            f"The model answers {len(differ)} of the {len(wanted)} rows of its self-test differently: "
            f"in row {row} {name} is {found[row]!r}, not {wanted[row]!r}."
        )
