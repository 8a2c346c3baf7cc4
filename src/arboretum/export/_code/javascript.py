"""Export to JavaScript: one ES module that predicts a row, in browsers and in Node.

Integers that a Number does not hold are BigInts, which JavaScript compares exactly with Numbers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, Final

from arboretum.errors import DataError
from arboretum.export._code.script import Script
from arboretum.export._code.tables import Among, AtMost, IsMissing, Reader, Sum, Vote
from arboretum.export._program.program import program_of
from arboretum.export._program.shared import about_lines, checked_name, saved

_ASKER: Final = "to_javascript()"
_SAFE: Final = 2**53 - 1
# Words of the language, and names that the template uses.
_TAKEN: Final = frozenset(
    word
    for line in (
        "abstract arguments async await boolean break case catch class const continue debugger default",
        "delete do else enum eval export extends false finally for function if implements import in",
        "instanceof interface let new null of package private protected public return static super switch",
        "this throw true try typeof undefined var void while with yield BigInt Date Infinity Math NaN",
        "Number Object Map Array String JSON TypeError Error isGone readNumber describe INSTANT readInstant",
        "floorDivide daysSince1970 readMoment DURATION readDuration readLength readText numberKey levelKey",
        "readLevel atMost among isMissing vote sum readRow rest mix cheapest FIELDS STEPS OUTCOMES CLASSES",
        "LABELS LOSS WIDTH SAMPLES selfTest",
    )
    for word in line.split()
)


def to_javascript(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "predict",
    n_samples: int = 32,
) -> str:
    """Return an ES module that predicts rows as the model does: `predict(row)`, `predictProba(row)`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> module = to_javascript(TreeClassifier().fit(X, y))
    >>> "export function predictProba(row) {" in module
    True

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write, too
    name : the name of the function; `<name>Proba` returns a Map from classes to probabilities
    n_samples : the number of rows with known answers that `selfTest()` compares
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER, _TAKEN)
    usage = f"{name}(row) takes an object of values by column; null, undefined and NaN are missing."
    about = [
        *about_lines(program, "A decision tree as a JavaScript module"),
        f"{usage} selfTest() checks it.",
    ]
    head = "\n".join(f"// {line}" for line in about)
    return saved(_JavaScript(program).text(head, name, n_samples), path)


class _JavaScript(Script):
    template = "tree.js.txt"
    between = "\n\n"
    comment = " // "
    functions: ClassVar[dict[type, str]] = {
        AtMost: "atMost",
        Among: "among",
        IsMissing: "isMissing",
        Vote: "vote",
        Sum: "sum",
    }

    def row(self, *items: str) -> str:
        return f"[{', '.join(items)}]"

    def listed(self, items: Sequence[str]) -> str:
        return self.row(*items)

    def record(self, pairs: Iterable[tuple[str, str]]) -> str:
        return f"{{ {', '.join(f'[{key}]: {value}' for key, value in pairs)} }}"

    def mapping(self, pairs: Iterable[tuple[str, str]]) -> str:
        return f"new Map([{', '.join(self.row(*pair) for pair in pairs)}])"

    def constant(self, name: str, value: str) -> str:
        return f"const {name} = {value};"

    def table(self, name: str, lines: Iterable[str]) -> str:
        return "\n".join([f"const {name} = [", *(f"  {line}" for line in lines), "];"])

    def reader(self, reader: Reader) -> str:
        name = self.literal(reader.field.name)
        match reader.kind:
            case "number":
                return f"[{name}, readNumber]"
            case "instant":
                return f"[{name}, readMoment, {reader.unit}n, {self.literal(reader.aware)}]"
            case "duration":
                return f"[{name}, readLength, {reader.unit}n]"
        spelled = self.literal if reader.kind == "text" else self._key
        numbers = self.mapping((spelled(key), str(number)) for number, key in enumerate(reader.keys))
        if reader.kind == "text":
            return f"[{name}, readText, {numbers}]"
        return f"[{name}, readLevel, {numbers}, {self.literal(reader.families)}]"

    def _key(self, key: Hashable) -> str:
        """Return what `levelKey` of the template makes of a level."""
        match key:
            case ("instant", aware, nanoseconds):
                return self.literal(f"{'aware' if aware else 'naive'} {nanoseconds}")
            case ("duration", nanoseconds):
                return self.literal(f"length {nanoseconds}")
            case str():
                return self.literal(f"text {key}")
            case bool() | int() | float():
                whole = not isinstance(key, float) or (math.isfinite(key) and key.is_integer())
                return self.literal(int(key) if whole else key)
        raise DataError(f"The level {key!r} cannot be written in JavaScript.")

    def literal(self, value: object) -> str:
        match value:
            case tuple():
                return self.row(*map(self.literal, value))
            case None | True | False:
                return {None: "null", True: "true", False: "false"}[value]
            case int():
                return str(value) if abs(value) <= _SAFE else f"{value}n"
            case float() if math.isinf(value):
                return "Infinity" if value > 0 else "-Infinity"
            case float():
                return repr(value)
            case str():
                return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\u0021--")
        raise DataError(f"{value!r} of type {type(value).__name__} cannot be written into a program.")
