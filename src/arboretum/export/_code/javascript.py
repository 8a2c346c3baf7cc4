"""Export to JavaScript: one ES module that predicts a row, in browsers and in Node.

Integers that a Number does not hold are BigInts, which JavaScript compares exactly with Numbers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import Any, Final

from arboretum.errors import DataError
from arboretum.export._code.script import Script, named
from arboretum.export._code.tables import Reader

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
        "readLevel atMost among isMissing vote sum readRow rest add mix model cheapest FIELDS STEPS OUTCOMES",
        "CLASSES LABELS LOSS OUTPUTS WIDTH ROOTS SAMPLES selfTest",
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
    model : a fitted tree estimator, a Tree, or an ensemble of at most 200,000 nodes
    path : a file to write the result to, or None
    name : the name of the function; `<name>Proba` returns a Map from classes to probabilities
        Of several outputs both return objects, with the answer of each output under its name.
    n_samples : the number of rows with known answers that `selfTest()` compares
    """
    return _JavaScript.export(model, path, name, n_samples, "to_javascript()")


class _JavaScript(Script):
    title = "a JavaScript module"
    usage = "(row) takes an object of values by column; null, undefined and NaN are missing."
    self_test = "selfTest()"
    taken = _TAKEN
    template = "tree.js.txt"
    between = "\n\n"
    line_comment = "// "
    comment = " // "
    functions = named("readNumber readMoment readLength readText readLevel atMost among isMissing vote sum")
    constant = "const {} = {};"
    table = ("const {} = [", "  {}", "];")
    record = ("{{ {} }}", "[{}]: {}")
    mapping = ("new Map([{}])", "[{}, {}]")
    surrogates = ("[{}]", "{}", ", ")

    def row(self, *items: str) -> str:
        return self.listed(items)

    def listed(self, items: Sequence[str]) -> str:
        return f"[{', '.join(items)}]"

    def field(self, name: str, function: str, arguments: Sequence[str]) -> str:
        return self.row(name, function, *arguments)

    def nanoseconds(self, unit: int) -> str:
        return f"{unit}n"

    def key(self, reader: Reader, key: Any) -> str:
        match key:
            case str() if reader.kind == "text":
                return self.literal(key)
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
