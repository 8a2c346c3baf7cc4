"""A graph of ONNX operators, written node by node, with a unique name for every result."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.errors import PackageError

ML: Final = "ai.onnx.ml"
# Old enough for runtimes of several years ago, new enough for trees with thresholds in double.
OPSETS: Final = {"": 15, ML: 3}
_IR_VERSION: Final = 8


def import_onnx(asker: str) -> Any:
    """Return the optional onnx module, or say how to install it."""
    try:
        onnx = import_module("onnx")
        import_module("onnx.numpy_helper")
    except ImportError as error:
        raise PackageError(
            f"{asker} needs the package onnx, which is not installed. Hint: pip install arboretum[export]."
        ) from error
    return onnx


def tensor_type(onnx: Any, dtype: npt.DTypeLike) -> int:
    """Return ONNX's number for a type of NumPy; object is text."""
    kind = np.dtype(dtype)
    if kind == np.dtype(object):
        return int(onnx.TensorProto.STRING)
    return int(onnx.helper.np_dtype_to_tensor_dtype(kind))


class Graph:
    """Nodes and constants in the order in which they were added."""

    def __init__(self, onnx: Any, taken: Iterable[str], prefix: str = "") -> None:
        self.onnx = onnx
        self._prefix = prefix
        self._taken = set(taken)
        self._last: dict[str, int] = {}  # the last number used with each hint
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def new_name(self, hint: str) -> str:
        """Return a name that nothing else has."""
        number = self._last.get(hint, 0) + 1
        while (name := f"{self._prefix}{hint}_{number}") in self._taken:
            number += 1
        self._last[hint] = number
        self._taken.add(name)
        return name

    def input(self, name: str, dtype: npt.DTypeLike, *shape: int | str) -> None:
        """Declare an input; a dimension given as text is free."""
        self._inputs.append(self._value(name, dtype, shape))

    def output(self, result: str, name: str, dtype: npt.DTypeLike, *shape: int | str) -> None:
        """Declare a result as an output of this name."""
        self._nodes.append(self.onnx.helper.make_node("Identity", [result], [name]))
        self._outputs.append(self._value(name, dtype, shape))

    def _value(self, name: str, dtype: npt.DTypeLike, shape: tuple[int | str, ...]) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, tensor_type(self.onnx, dtype), list(shape))

    def constant(self, values: Any, dtype: npt.DTypeLike) -> str:
        """Store an array; return its name."""
        name = self.new_name("constant")
        self._constants.append(self.onnx.numpy_helper.from_array(np.array(values, dtype=dtype), name))
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node; return the name of its result."""
        name = self.new_name(operator)
        node = self.onnx.helper.make_node(operator, list(inputs), [name], domain=domain, **attributes)
        self._nodes.append(node)
        return name

    def cast(self, result: str, dtype: npt.DTypeLike) -> str:
        """Return the result as another type."""
        return self.add("Cast", result, to=tensor_type(self.onnx, dtype))

    def as_column(self, result: str) -> str:
        """Return a result of shape (rows,) in shape (rows, 1)."""
        return self.add("Unsqueeze", result, self.constant([1], np.int64))

    def as_rows(self, result: str) -> str:
        """Return a result of shape (rows, 1) in shape (rows,)."""
        return self.add("Reshape", result, self.constant([-1], np.int64))

    def filled(self, like: str, width: int, value: float) -> str:
        """Return a matrix filled with one double, with as many rows as another result."""
        n_rows = self.add("Gather", self.add("Shape", like), self.constant([0], np.int64), axis=0)
        shape = self.add("Concat", n_rows, self.constant([width], np.int64), axis=0)
        return self.add(
            "ConstantOfShape", shape, value=self.onnx.numpy_helper.from_array(np.array([value]), "")
        )

    def side_by_side(self, columns: list[str]) -> str:
        """Return matrices of the same rows as one matrix."""
        return columns[0] if len(columns) == 1 else self.add("Concat", *columns, axis=1)

    def body(self, *names: str) -> Graph:
        """Return an empty graph for the body of a loop, with these inputs and outputs."""
        return Graph(self.onnx, self._taken | set(names), prefix=f"{self.new_name('body')}_")

    def part(self, name: str) -> Any:
        """Return all that was added so far as a graph."""
        return self.onnx.helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, initializer=self._constants
        )

    def model(self, name: str, about: str, version: str, notes: dict[str, str]) -> Any:
        """Return the finished model; it stores `notes` as text."""
        helper = self.onnx.helper
        opsets = [helper.make_opsetid(domain, number) for domain, number in OPSETS.items()]
        model = helper.make_model(
            self.part(name),
            opset_imports=opsets,
            ir_version=_IR_VERSION,
            producer_name="arboretum",
            producer_version=version,
            doc_string=about,
        )
        helper.set_model_props(model, notes)
        return model
