"""Export to Python: one file without dependencies, with a function that predicts a row.

Words: those of flat.py; *tables* are the fields, steps and outcomes, over which the running code of
parts/tree.py.txt loops, so that the depth of a tree meets no limit of recursion. The file runs on Python 3.8
and later. Nothing is evaluated here.
"""

from __future__ import annotations

import builtins
import os
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

__all__ = ["to_python"]

_ASKER: Final = "to_python()"
# What the file itself uses by these names.
_TAKEN: Final = frozenset({"self_test", "datetime", "operator", "re", *dir(builtins)})


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
    path : where to write the file, if it is to be written
    name : what the function is called; `<name>_proba` returns the probabilities of classes
    n_samples : how many rows with known answers `self_test()` compares
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER, _TAKEN)
    parts = [
        _head(program, name),
        pick_pieces("tree.py.txt", needs(program)),
        _tables(program),
        _functions(program, name),
        _self_test(program, name, n_samples),
    ]
    text = "\n\n\n".join(part for part in parts if part) + "\n"
    if path is not None:
        write_text(path, text)
    return text


def _head(program: Program, name: str) -> str:
    lines = about_lines(program, "A decision tree as a Python function")
    wanted = needs(program)
    modules = []
    if wanted & {"number", "level", "instant", "duration"}:
        modules.append("import datetime")
    if wanted & {"number", "level"}:
        modules.append("import operator")
    if wanted & {"instant", "duration", "level"}:
        modules.append("import re")
    usage = f"{name}(row) takes a dict of values by column; None and NaN are missing. self_test() checks it."
    return "\n".join([*(f"# {line}" for line in lines), f"# {usage}", *([""] if modules else []), *modules])


# --- tables


def _tables(program: Program) -> str:
    fields = [_field(entry) for entry in entries(program)]
    steps = [f"{_step(program, step)},  # {question_line(program, step.number)}" for step in program.steps]
    blocks = [
        "_INF = float('inf')",
        _block("_FIELDS", [f"{field}," for field in fields]),
        _block("_STEPS", steps),
        _block("_OUTCOMES", [f"{_outcome(program, step)}," for step in program.steps]),
    ]
    if program.classes is not None:
        blocks.append(_block("_CLASSES", [f"{_literal(label)}," for label in program.classes]))
        if program.missing == "fractions":
            blocks.append(f"_LOSS = {_literal(program.loss)}")
        else:
            blocks.append(f"_LABELS = {_literal(tuple(program.tree.array('label').tolist()))}")
    if program.missing == "fractions":
        width = 1 if program.classes is None else len(program.classes)
        blocks.append(f"_WIDTH = {width}")
    return "\n".join(blocks)


def _block(name: str, lines: list[str]) -> str:
    return "\n".join([f"{name} = (", *(f"    {line}" for line in lines), ")"])


def _field(entry: Entry) -> str:
    name = _literal(entry.field.name)
    match entry.reader:
        case "number":
            return f"({name}, _number, ())"
        case "instant":
            return f"({name}, _moment, ({entry.unit}, {entry.aware}))"
        case "duration":
            return f"({name}, _length, ({entry.unit},))"
    numbers = ", ".join(f"{_literal(key)}: {number}" for number, key in enumerate(entry.keys))
    if entry.reader == "text":
        return f"({name}, _text, ({{{numbers}}},))"
    return f"({name}, _level, ({{{numbers}}}, {_literal(entry.families)}))"


def _step(program: Program, step: Step) -> str:
    if step.question is None:
        return "None"
    ask = _ask(program, step.question)
    first = step.children[0]
    if program.missing == "fractions":
        return f"({ask}, {first}, {_literal(step.shares)})"
    if program.missing == "surrogates":
        others = "".join(f"({_ask(program, other)}), " for other in step.surrogates)
        return f"({ask}, {first}, {step.missing_child}, ({others}))"
    return f"({ask}, {first}, {step.missing_child}, {step.unseen_child})"


def _ask(program: Program, question: Question) -> str:
    ask: Ask = ask_of(program, question)
    match ask:
        case AtMost():
            flipped = ", True" if ask.flipped else ""
            return f"_at_most, ({ask.field}, {_literal(ask.threshold)}{flipped})"
        case Among():
            places = ", ".join(f"{level}: {place}" for level, place in ask.places)
            return f"_among, ({ask.field}, {{{places}}})"
        case IsMissing():
            return f"_is_missing, ({ask.field},)"
        case Vote():
            return f"_vote, ({ask.least}, ({', '.join(map(_vote_part, ask.parts))},))"
        case Sum():
            return f"_sum, ({_literal(ask.bound)}, ({', '.join(map(_sum_part, ask.parts))},))"


def _vote_part(part: Part) -> str:
    equals = part.level is not None
    bound = part.level if equals else part.threshold
    return f"({part.field}, {equals}, {_literal(bound)}, {part.negated})"


def _sum_part(part: Part) -> str:
    return f"({_literal(part.coefficient)}, {part.field}, {part.level}, {_literal(part.fill)})"


def _outcome(program: Program, step: Step) -> str:
    if not may_rest(program, step):
        return "None"
    return _literal((step.value,) if step.probability is None else step.probability)


# --- functions


def _functions(program: Program, name: str) -> str:
    what = "number" if program.classes is None else "class"
    head = f'def {name}(row):\n    """Return the {what} that is predicted for a row, a dict by column."""\n'
    if program.classes is None:
        rest = "_mix(row)[0]" if program.missing == "fractions" else "_OUTCOMES[_rest(row)][0]"
        return f"{head}    return {rest}"
    number, mixed = "_LABELS[_rest(row)]", "_OUTCOMES[_rest(row)]"
    if program.missing == "fractions":
        number, mixed = "_cheapest(_mix(row))", "_mix(row)"
    return (
        f"{head}    return _CLASSES[{number}]\n\n\n"
        f"def {name}_proba(row):\n"
        '    """Return the probability of each class for a row, a dict by column."""\n'
        f"    return dict(zip(_CLASSES, {mixed}))"
    )


def _self_test(program: Program, name: str, n_samples: int) -> str:
    # Names that are given begin with a letter, and so cannot be those of the loop.
    rows = samples(program, n_samples)
    lines = []
    for row, (answer, shares) in zip(rows, expected(program.tree, rows), strict=True):
        given = ", ".join(f"{_literal(key)}: {_literal(_written(value))}" for key, value in row.items())
        lines.append(f"({{{given}}}, {_literal(answer)}, {_literal(shares)}),")
    proba = f" or list({name}_proba(_row).values()) != list(_shares)" if program.classes is not None else ""
    return (
        f"{_block('_SAMPLES', lines)}\n\n\n"
        "def self_test():\n"
        '    """Compare answers to rows with those known when this file was written; count them."""\n'
        "    for _row, _answer, _shares in _SAMPLES:\n"
        f"        if {name}(_row) != _answer{proba}:\n"
        f'            raise AssertionError("%r should give %r, not %r" % (_row, _answer, {name}(_row)))\n'
        "    return len(_SAMPLES)\n\n\n"
        'if __name__ == "__main__":\n'
        '    print("%d rows agree" % self_test())'
    )


def _written(value: object) -> object:
    """Return a value of a sample as it is written in the file: times that are levels are text."""
    plain = isinstance(value, str | bool | int | float) or value is None
    return value if plain else level_text(plain_level(value))


def _literal(value: object) -> str:
    """Return a value as Python code in ASCII that gives the same value, to the last bit."""
    if isinstance(value, tuple):
        inner = ", ".join(map(_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "_INF" if value > 0 else "-_INF"
    if value is None or isinstance(value, str | bool | int | float):
        return ascii(value)
    raise DataError(f"{value!r} of type {type(value).__name__} cannot be written into a program.")
