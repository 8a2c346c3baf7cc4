"""Export to Python: one file for Python 3.8 and later, without dependencies, that predicts a row."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import Any, Final

from arboretum.errors import DataError
from arboretum.export._code.script import Script, named

_MODULES: Final = {
    "datetime": {"number", "level", "instant", "duration"},
    "operator": {"number", "level"},
    "re": {"instant", "duration", "level"},
}


def to_python(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "predict",
    n_samples: int = 32,
) -> str:
    """Return a Python file that predicts rows as the model does, without arboretum or any other package.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> module = {"__name__": "iris"}
    >>> exec(to_python(TreeClassifier().fit(X, y)), module)
    >>> module["predict"]({"petal_length": 5.1, "petal_width": 1.9})
    'virginica'
    >>> module["self_test"]()
    32

    Parameters
    ----------
    model : a fitted tree estimator, a Tree, or an ensemble of at most 200,000 nodes
    path : a file to write the result to, or None
    name : the name of the function; `<name>_proba` returns the probabilities of classes
        Of several outputs both return dicts, with the answer of each output under its name.
    n_samples : the number of rows with known answers that `self_test()` compares
    """
    return _Python.export(model, path, name, n_samples, "to_python()")


class _Python(Script):
    title = "a Python function"
    usage = "(row) takes a dict of values by column; None and NaN are missing."
    self_test = "self_test()"
    taken = frozenset({"self_test", "datetime", "operator", "re", *dir(builtins)})
    template = "tree.py.txt"
    between = "\n\n\n"
    line_comment = "# "
    comment = "  # "
    functions = named("_number _moment _length _text _level _at_most _among _is_missing _vote _sum")
    constant = "_{} = {}"
    table = ("_{} = (", "    {}", ")")
    record = mapping = ("{{{}}}", "{}: {}")
    surrogates = ("({})", "{}, ", "")
    first_tables = ("_INF = float('inf')",)

    def imports(self) -> list[str]:
        modules = [f"import {module}" for module, readers in _MODULES.items() if self.needs & readers]
        return ["", *modules] if modules else []

    def row(self, *items: str) -> str:
        return self.listed(items) if len(items) == 1 else f"({', '.join(items)})"

    def listed(self, items: Sequence[str]) -> str:
        return f"({', '.join(items)},)"

    def field(self, name: str, function: str, arguments: Sequence[str]) -> str:
        return self.row(name, function, self.row(*arguments))

    def literal(self, value: object) -> str:
        if isinstance(value, tuple):
            return self.row(*map(self.literal, value))
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            return "_INF" if value > 0 else "-_INF"
        if value is None or isinstance(value, str | bool | int | float):
            return ascii(value)
        raise DataError(f"{value!r} of type {type(value).__name__} cannot be written into a program.")
