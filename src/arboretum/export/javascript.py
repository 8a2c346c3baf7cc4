"""Export to JavaScript: one ES module that predicts a row, in browsers and in Node.

Words: those of flat.py; *tables* are the fields, steps and outcomes, over which the running code of
parts/tree.js.txt loops. Integers that a Number does not hold are BigInts, which JavaScript compares exactly
with Numbers. Nothing is evaluated here.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Hashable
from typing import Any, Final

from arboretum.dataset.levels import level_text, plain_level
from arboretum.errors import DataError
from arboretum.export.flat import (
    Among,
    Ask,
    AtMost,
    Entry,
    IsMissing,
    Part,
    Sum,
    Vote,
    ask_of,
    entries,
    needs,
)
from arboretum.export.header import about_lines, checked_name, question_line
from arboretum.export.pieces import pick_pieces
from arboretum.export.program import Program, Step, expected, program_of, samples
from arboretum.export.resting import may_rest
from arboretum.questions import Question
from arboretum.writing import write_text

__all__ = ["to_javascript"]

_ASKER: Final = "to_javascript()"
_SAFE: Final = 2**53 - 1
# Words of the language, and the names that the running code uses.
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
    path : where to write the module, if it is to be written
    name : what the function is called; `<name>Proba` returns a Map from classes to probabilities
    n_samples : how many rows with known answers `selfTest()` compares
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER, _TAKEN)
    parts = [
        _head(program, name),
        pick_pieces("tree.js.txt", needs(program), "\n\n"),
        _tables(program),
        _functions(program, name),
        _self_test(program, name, n_samples),
    ]
    text = "\n\n".join(parts) + "\n"
    if path is not None:
        write_text(path, text)
    return text


def _head(program: Program, name: str) -> str:
    usage = f"{name}(row) takes an object of values by column; null, undefined and NaN are missing."
    lines = about_lines(program, "A decision tree as a JavaScript module")
    return "\n".join(f"// {line}" for line in [*lines, f"{usage} selfTest() checks it."])


# --- tables


def _tables(program: Program) -> str:
    steps = [f"{_step(program, step)}, // {question_line(program, step.number)}" for step in program.steps]
    blocks = [
        _block("FIELDS", [f"{_field(entry)}," for entry in entries(program)]),
        _block("STEPS", steps),
        _block("OUTCOMES", [f"{_outcome(program, step)}," for step in program.steps]),
    ]
    if program.classes is not None:
        blocks.append(_block("CLASSES", [f"{_literal(label)}," for label in program.classes]))
        if program.missing == "fractions":
            blocks.append(f"const LOSS = {_literal(program.loss)};")
        else:
            blocks.append(f"const LABELS = {_literal(tuple(program.tree.array('label').tolist()))};")
    if program.missing == "fractions":
        blocks.append(f"const WIDTH = {1 if program.classes is None else len(program.classes)};")
    return "\n".join(blocks)


def _block(name: str, lines: list[str]) -> str:
    return "\n".join([f"const {name} = [", *(f"  {line}" for line in lines), "];"])


def _field(entry: Entry) -> str:
    name = _literal(entry.field.name)
    match entry.reader:
        case "number":
            return f"[{name}, readNumber]"
        case "instant":
            return f"[{name}, readMoment, {entry.unit}n, {_literal(entry.aware)}]"
        case "duration":
            return f"[{name}, readLength, {entry.unit}n]"
    as_key = _literal if entry.reader == "text" else _key
    numbers = ", ".join(f"[{as_key(key)}, {number}]" for number, key in enumerate(entry.keys))
    if entry.reader == "text":
        return f"[{name}, readText, new Map([{numbers}])]"
    return f"[{name}, readLevel, new Map([{numbers}]), {_literal(entry.families)}]"


def _key(key: Hashable) -> str:
    """Return what `levelKey` of the running code makes of a level."""
    match key:
        case ("instant", aware, nanoseconds):
            return _literal(f"{'aware' if aware else 'naive'} {nanoseconds}")
        case ("duration", nanoseconds):
            return _literal(f"length {nanoseconds}")
        case str():
            return _literal(f"text {key}")
    if isinstance(key, bool | int | float):
        whole = not isinstance(key, float) or (math.isfinite(key) and key.is_integer())
        return _literal(int(key)) if whole else _literal(key)
    raise DataError(f"The level {key!r} cannot be written in JavaScript.")


def _step(program: Program, step: Step) -> str:
    if step.question is None:
        return "null"
    ask = _ask(program, step.question)
    first = step.children[0]
    if program.missing == "fractions":
        return f"[{ask}, {first}, {_literal(step.shares)}]"
    if program.missing == "surrogates":
        others = ", ".join(f"[{_ask(program, other)}]" for other in step.surrogates)
        return f"[{ask}, {first}, {_literal(step.missing_child)}, [{others}]]"
    return f"[{ask}, {first}, {_literal(step.missing_child)}, {_literal(step.unseen_child)}]"


def _ask(program: Program, question: Question) -> str:
    ask: Ask = ask_of(program, question)
    match ask:
        case AtMost():
            flipped = ", true" if ask.flipped else ""
            return f"atMost, [{ask.field}, {_literal(ask.threshold)}{flipped}]"
        case Among():
            places = ", ".join(f"[{level}, {place}]" for level, place in ask.places)
            return f"among, [{ask.field}, new Map([{places}])]"
        case IsMissing():
            return f"isMissing, [{ask.field}]"
        case Vote():
            return f"vote, [{ask.least}, [{', '.join(map(_vote_part, ask.parts))}]]"
        case Sum():
            return f"sum, [{_literal(ask.bound)}, [{', '.join(map(_sum_part, ask.parts))}]]"


def _vote_part(part: Part) -> str:
    equals = part.level is not None
    bound = part.level if equals else part.threshold
    return f"[{part.field}, {_literal(equals)}, {_literal(bound)}, {_literal(part.negated)}]"


def _sum_part(part: Part) -> str:
    return f"[{_literal(part.coefficient)}, {part.field}, {_literal(part.level)}, {_literal(part.fill)}]"


def _outcome(program: Program, step: Step) -> str:
    if not may_rest(program, step):
        return "null"
    return _literal((step.value,) if step.probability is None else step.probability)


# --- functions


def _functions(program: Program, name: str) -> str:
    what = "number" if program.classes is None else "class"
    head = f"/** The {what} that is predicted for a row, an object of values by column. */\n"
    if program.classes is None:
        value = "mix(row)[0]" if program.missing == "fractions" else "OUTCOMES[rest(row)][0]"
        return f"{head}export function {name}(row) {{\n  return {value};\n}}"
    number, mixed = "LABELS[rest(row)]", "OUTCOMES[rest(row)]"
    if program.missing == "fractions":
        number, mixed = "cheapest(mix(row))", "mix(row)"
    return (
        f"{head}export function {name}(row) {{\n  return CLASSES[{number}];\n}}\n\n"
        "/** The probability of each class for a row, as a Map by class. */\n"
        f"export function {name}Proba(row) {{\n"
        f"  const shares = {mixed};\n"
        "  return new Map(CLASSES.map((label, k) => [label, shares[k]]));\n}"
    )


def _self_test(program: Program, name: str, n_samples: int) -> str:
    # Names that are given begin with a letter, and so cannot be those of the loop.
    rows = samples(program, n_samples)
    lines = []
    for row, (answer, shares) in zip(rows, expected(program.tree, rows), strict=True):
        given = ", ".join(f"[{_literal(key)}]: {_literal(_written(value))}" for key, value in row.items())
        lines.append(f"[{{ {given} }}, {_literal(answer)}, {_literal(shares)}],")
    proba = ""
    if program.classes is not None:
        proba = f" || [...{name}Proba(_row).values()].some((share, k) => !Object.is(share, _shares[k]))"
    return (
        f"{_block('SAMPLES', lines)}\n\n"
        "/** Compare answers to rows with those that were known when this file was written; count them. */\n"
        "export function selfTest() {\n"
        "  SAMPLES.forEach(([_row, _answer, _shares], _number) => {\n"
        f"    if (!Object.is({name}(_row), _answer){proba})\n"
        "      throw new Error(`sample ${_number} should give ${String(_answer)} (${String(_shares)}), "
        f"not ${{String({name}(_row))}}`);\n"
        "  });\n"
        "  return SAMPLES.length;\n}"
    )


def _written(value: object) -> object:
    """Return a value of a sample as it is written in the file: times that are levels are text."""
    plain = isinstance(value, str | bool | int | float) or value is None
    return value if plain else level_text(plain_level(value))


def _literal(value: object) -> str:
    """Return a value as JavaScript in ASCII that gives the same value, to the last bit."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if abs(value) <= _SAFE else f"{value}n"
    if isinstance(value, float):
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    raise DataError(f"{value!r} of type {type(value).__name__} cannot be written into a program.")
