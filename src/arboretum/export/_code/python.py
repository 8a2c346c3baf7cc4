"""Export to Python: one file for Python 3.8 and later, without dependencies, that predicts a row."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from arboretum.errors import DataError
from arboretum.export._code.script import Script
from arboretum.export._code.tables import Among, AtMost, IsMissing, Reader, Sum, Vote
from arboretum.export._program.program import program_of
from arboretum.export._program.shared import about_lines, checked_name, saved

_ASKER: Final = "to_python()"
# Names that the file itself uses.
_TAKEN: Final = frozenset({"self_test", "datetime", "operator", "re", *dir(builtins)})
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
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write, too
    name : the name of the function; `<name>_proba` returns the probabilities of classes
    n_samples : the number of rows with known answers that `self_test()` compares
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER, _TAKEN)
    script = _Python(program)
    usage = f"{name}(row) takes a dict of values by column; None and NaN are missing. self_test() checks it."
    about = [f"# {line}" for line in [*about_lines(program, "A decision tree as a Python function"), usage]]
    modules = [f"import {module}" for module, readers in _MODULES.items() if script.needs & readers]
    head = "\n".join([*about, *([""] if modules else []), *modules])
    return saved(script.text(head, name, n_samples), path)


class _Python(Script):
    template = "tree.py.txt"
    between = "\n\n\n"
    comment = "  # "
    functions: ClassVar[dict[type, str]] = {
        AtMost: "_at_most",
        Among: "_among",
        IsMissing: "_is_missing",
        Vote: "_vote",
        Sum: "_sum",
    }
    first_tables = ("_INF = float('inf')",)

    def row(self, *items: str) -> str:
        return f"({', '.join(items)},)" if len(items) == 1 else f"({', '.join(items)})"

    def listed(self, items: Sequence[str]) -> str:
        return f"({', '.join(items)},)"

    def surrogates(self, questions: Sequence[str]) -> str:
        return f"({''.join(f'{question}, ' for question in questions)})"

    def record(self, pairs: Iterable[tuple[str, str]]) -> str:
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"

    def mapping(self, pairs: Iterable[tuple[str, str]]) -> str:
        return self.record(pairs)

    def constant(self, name: str, value: str) -> str:
        return f"_{name} = {value}"

    def table(self, name: str, lines: Iterable[str]) -> str:
        return "\n".join([f"_{name} = (", *(f"    {line}" for line in lines), ")"])

    def reader(self, reader: Reader) -> str:
        name = self.literal(reader.field.name)
        match reader.kind:
            case "number":
                return f"({name}, _number, ())"
            case "instant":
                return f"({name}, _moment, ({reader.unit}, {reader.aware}))"
            case "duration":
                return f"({name}, _length, ({reader.unit},))"
        numbers = self.mapping((self.literal(key), str(number)) for number, key in enumerate(reader.keys))
        if reader.kind == "text":
            return f"({name}, _text, ({numbers},))"
        return f"({name}, _level, ({numbers}, {self.literal(reader.families)}))"

    def literal(self, value: object) -> str:
        if isinstance(value, tuple):
            return self.row(*map(self.literal, value))
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            return "_INF" if value > 0 else "-_INF"
        if value is None or isinstance(value, str | bool | int | float):
            return ascii(value)
        raise DataError(f"{value!r} of type {type(value).__name__} cannot be written into a program.")
