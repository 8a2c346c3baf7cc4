"""Export to C: one header of C99 that predicts a row, without allocation.

Words: those of flat.py; a *member* is the part of the struct of inputs that holds one field; a *code*
numbers the levels of a field from 1, and 0 stands for missing and unknown ones. Doubles are written in
hexadecimal, so that every bit is kept. The running code is in parts/tree.h.txt.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from arboretum.dataset.levels import level_text
from arboretum.export.c_names import c_string, member_names, refuse_same_texts
from arboretum.export.c_texts import CHECKS, COMPARE, FIND, FUNCTIONS, SELF_TEST
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
from arboretum.export.header import about_lines, checked_name, harmless, question_line
from arboretum.export.pieces import pick_pieces
from arboretum.export.program import Program, Step, expected, program_of, questions_of, samples
from arboretum.export.resting import may_rest
from arboretum.export.values import stored_value
from arboretum.writing import write_text

__all__ = ["to_c"]

_ASKER: Final = "to_c()"
_REAL, _WHOLE, _AMONG, _MISSING, _VOTE, _SUM = 1, 2, 3, 4, 5, 6
_IS_LEVEL: Final = 3
_UNITS: Final = {86_400 * 10**9: "days", 10**9: "seconds", 10**6: "milliseconds", 10**3: "microseconds"}
_BIG: Final = "UINT64_C(0x8000000000000000)"


def to_c(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "tree",
    n_samples: int = 32,
) -> str:
    """Return a C header that predicts rows as the model does: `<name>_predict(&row)`, `<name>_predict_proba`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> header = to_c(TreeClassifier().fit(X, y), name="iris")
    >>> "static inline int iris_predict(const struct iris_row *row)" in header
    True

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the header, if it is to be written
    name : what all names in the header begin with
    n_samples : how many rows with known answers the header has; `cc -DTREE_SELF_TEST -x c tree.h -lm` makes
        a program that compares them (with the name in capitals)
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER)
    text = _Header(program, name).text(n_samples)
    if path is not None:
        write_text(path, text)
    return text


class _Header:
    """The header while it is written: the names of members, and the tables that grow with the steps."""

    def __init__(self, program: Program, name: str) -> None:
        self.program, self.name = program, name
        self.entries = entries(program)
        self.needs = needs(program)
        self.members = member_names([field.name for field in program.fields])
        self.width = 1 if program.classes is None else len(program.classes)
        self.asks: list[str] = []
        self.levels: list[tuple[int, int]] = []
        self.parts: list[str] = []
        self.shares: list[str] = []
        self.outcomes: list[Step] = []

    def text(self, n_samples: int) -> str:
        guard = f"{self.name.upper()}_H"
        blocks = [
            self._about(),
            f"#ifndef {guard}\n#define {guard}",
            "#include <math.h>\n#include <stdint.h>\n#include <string.h>",
            CHECKS,
            self._row(),
            *([self._lookups()] if any(entry.keys for entry in self.entries) else []),
            self._running_code(),
            self._functions(),
            self._self_test(n_samples),
            f"#endif /* {guard} */",
        ]
        return "\n\n".join(blocks) + "\n"

    def _about(self) -> str:
        lines = about_lines(self.program, "A decision tree as a C header")
        return "\n".join([f"/* {lines[0]}", *(f"   {line}" for line in lines[1:]), "*/"])

    # --- inputs

    def _row(self) -> str:
        lines = []
        for entry, (member, known) in zip(self.entries, self.members, strict=True):
            lines += [f"  {line}" for line in _member(entry, member, known)]
        return "\n".join([f"struct {self.name}_row {{", *(lines or ["  char nothing_is_asked;"]), "};"])

    def _lookups(self) -> str:
        blocks = [FIND.replace("@", self.name)]
        for entry, (member, _) in zip(self.entries, self.members, strict=True):
            if not entry.keys:
                continue
            texts = [level_text(level) for level in entry.field.levels or ()]
            refuse_same_texts(entry.field, texts)
            where = f"a level of column {entry.field.name!r}"
            written = [(text, c_string(text, where), code) for code, text in enumerate(texts, start=1)]
            written.sort(key=lambda each: each[0].encode())  # as strcmp compares them
            listed = [f"{{{string}, {code}}}" for _, string, code in written]
            table = f"{self.name}_levels_of_{member}"
            blocks.append(_array(f"struct {self.name}_name", table, listed))
            blocks.append(
                f"/* The code of a level by its text, for the member {member}; 0 if it is not known. */\n"
                f"static inline int32_t {self.name}_level_of_{member}(const char *text) {{\n"
                f"  return {self.name}_find({table}, {len(listed)}, text);\n}}"
            )
        return "\n\n".join(blocks)

    def _read(self) -> str:
        lines = []
        for place, (entry, (member, known)) in enumerate(zip(self.entries, self.members, strict=True)):
            lines += _reading(entry, f"cells[{place}]", f"row->{member}", f"row->{known}")
        if not lines:
            lines = ["(void)row;", "cells[0].known = 0;"]
        body = "\n".join(f"  {line}" for line in lines)
        head = "static inline void @_read(const struct @_row *row, struct @_cell *cells)"
        return f"{head.replace('@', self.name)} {{\n{body}\n}}"

    # --- tables

    def _running_code(self) -> str:
        tables = self._tables()
        code = pick_pieces("tree.h.txt", self.needs, "\n\n")
        shown = self.needs | ({"loss"} if self.program.loss is not None else set())
        code = re.sub(
            r"^@(among|vote|sum|loss)(.*\n)", lambda m: m[2] if m[1] in shown else "", code, flags=re.M
        )
        deepest = (
            self.program.tree.depth * (max((len(s.children) for s in self.program.steps), default=1)) + 2
        )
        sizes = {"N_CELLS": max(1, len(self.entries)), "N_OPEN": deepest, "WIDTH": self.width}
        for word, size in sizes.items():
            code = code.replace(f"@{word}", str(size))
        before, after = code.split("@TABLES")
        name = self.name
        return f"{before.replace('@', name)}{tables}\n\n{self._read()}{after.replace('@', name)}"

    def _tables(self) -> str:
        steps = [
            f"{self._step(step)}, /* {question_line(self.program, step.number)} */"
            for step in self.program.steps
        ]
        name = self.name
        blocks = [_lines(f"struct {name}_step", f"{name}_steps", steps)]
        blocks.append(
            _array(f"struct {name}_ask", f"{name}_asks", self.asks or ["{0, 0, 0.0, 0, 0, 0, 0, 0}"])
        )
        if self.levels:
            blocks.append(_whole_array(f"{name}_levels", [level for level, _ in self.levels]))
            blocks.append(_whole_array(f"{name}_places", [place for _, place in self.levels]))
        if self.parts:
            blocks.append(_array(f"struct {name}_part", f"{name}_parts", self.parts))
        if self.shares:
            blocks.append(_array("double", f"{name}_shares", self.shares))
        outcomes = [f"{{{', '.join(map(c_double, _numbers(step)))}}}" for step in self.outcomes]
        blocks.append(_array("double", f"{name}_outcomes", outcomes, f"[{self.width}]"))
        if self.program.classes is not None:
            texts = [c_string(level_text(label), "a class") for label in self.program.classes]
            blocks.append(_array("char *const", f"{name}_classes", texts))
            if self.program.missing != "fractions":
                numbers = self.program.tree.array("label")
                labels = [int(numbers[step.number]) for step in self.outcomes]
                blocks.append(_whole_array(f"{name}_labels", labels))
            elif self.program.loss is not None:
                rows = [f"{{{', '.join(map(c_double, row))}}}" for row in self.program.loss]
                blocks.append(_array("double", f"{name}_loss", rows, f"[{self.width}]"))
        return "\n\n".join(blocks)

    def _step(self, step: Step) -> str:
        outcome = -1
        if may_rest(self.program, step):
            outcome = len(self.outcomes)
            self.outcomes.append(step)
        if step.question is None:
            return f"{{-1, 0, 0, 0, {outcome}}}"
        first = len(self.asks)
        asked = questions_of(step)
        for i, question in enumerate(asked):
            self.asks.append(self._ask(ask_of(self.program, question), is_last=i == len(asked) - 1))
        if self.program.missing == "fractions":
            share = len(self.shares)
            self.shares += [c_double(part) for part in step.shares]
            return f"{{{first}, {step.children[0]}, {len(step.children)}, {share}, {outcome}}}"
        places = [-1 if place is None else place for place in (step.missing_child, step.unseen_child)]
        return f"{{{first}, {step.children[0]}, {places[0]}, {places[1]}, {outcome}}}"

    def _ask(self, ask: Ask, *, is_last: bool) -> str:
        after = 0 if is_last else 1
        match ask:
            case AtMost():
                kind, real, whole = self._bound(ask.field, ask.threshold)
                return f"{{{kind}, {ask.field}, {real}, {whole}, 0, 0, {int(ask.flipped)}, {after}}}"
            case Among():
                begin = len(self.levels)
                self.levels += ask.places
                return f"{{{_AMONG}, {ask.field}, 0.0, 0, {begin}, {len(self.levels)}, 0, {after}}}"
            case IsMissing():
                return f"{{{_MISSING}, {ask.field}, 0.0, 0, 0, 0, 0, {after}}}"
            case Vote():
                return self._ask_parts(_VOTE, ask.parts, "0.0", str(ask.least), in_sum=False)
            case Sum():
                return self._ask_parts(_SUM, ask.parts, c_double(ask.bound), "0", in_sum=True)

    def _ask_parts(self, kind: int, parts: tuple[Part, ...], real: str, whole: str, *, in_sum: bool) -> str:
        begin = len(self.parts)
        self.parts += [self._part(part, in_sum=in_sum) for part in parts]
        return f"{{{kind}, 0, {real}, {whole}, {begin}, {len(self.parts)}, 0, 0}}"

    def _part(self, part: Part, *, in_sum: bool) -> str:
        if part.level is not None:
            kind, real, whole = _IS_LEVEL, "0.0", str(part.level)
        elif in_sum:
            kind, real, whole = self._kind(part.field), "0.0", "0"
        else:
            kind, real, whole = self._bound(part.field, part.threshold or 0)
        if in_sum:
            real = c_double(part.coefficient)
        return f"{{{kind}, {part.field}, {real}, {c_double(part.fill)}, {whole}, {int(part.negated)}}}"

    def _kind(self, field: int) -> int:
        return _REAL if self.entries[field].field.column.kind == "number" else _WHOLE

    def _bound(self, field: int, threshold: float | int) -> tuple[int, str, str]:
        """Return how a threshold is compared, in both forms; for whole values it is rounded down."""
        if self._kind(field) == _REAL:
            return _REAL, c_double(threshold), "0"
        column = self.entries[field].field.column
        return _WHOLE, "0.0", c_integer(int(threshold // 1) - column.offset)

    # --- functions

    def _functions(self) -> str:
        text = FUNCTIONS[self.program.classes is not None, self.program.missing == "fractions"]
        return text.replace("@WIDTH", str(self.width)).replace("@", self.name)

    def _self_test(self, n_samples: int) -> str:
        rows = samples(self.program, n_samples)
        lines = []
        for row, (answer, shares) in zip(rows, expected(self.program.tree, rows), strict=True):
            inputs = ", ".join(self._inputs(row)) or ".nothing_is_asked = 0"
            classes = self.program.classes
            label = 0 if classes is None else next(i for i, each in enumerate(classes) if each is answer)
            numbers = ", ".join(map(c_double, shares or (answer,)))
            lines.append(f"{{{{{inputs}}}, {label}, {{{numbers}}}}}")
        sample = _array(f"struct {self.name}_sample", f"{self.name}_samples", lines)
        checks = [
            f"  failures += {self.name}_find({table}, {n}, {table}[i].text) != {table}[i].code;"
            for table, n in self._level_tables()
        ]
        loops = "\n".join(
            f"  for (i = 0; i < {n}; ++i)\n  {check}"
            for check, (_, n) in zip(checks, self._level_tables(), strict=True)
        )
        compare = COMPARE[self.program.classes is not None]
        text = SELF_TEST.replace("@SAMPLES", sample).replace("@LOOPS\n", f"{loops}\n" if loops else "")
        words = {
            "COMPARE": compare,
            "NAME": self.name.upper(),
            "WIDTH": str(self.width),
            "N": str(len(lines)),
        }
        for word, stands_for in words.items():
            text = text.replace(f"@{word}", stands_for)
        return text.replace("@", self.name)

    def _level_tables(self) -> Iterator[tuple[str, int]]:
        for entry, (member, _) in zip(self.entries, self.members, strict=True):
            if entry.keys:
                yield f"{self.name}_levels_of_{member}", len(entry.keys)

    def _inputs(self, row: dict[str, object]) -> Iterator[str]:
        for entry, (member, known) in zip(self.entries, self.members, strict=True):
            column = entry.field.column
            stored = stored_value(column, row[entry.field.name])
            if entry.keys:
                yield f".{member} = {0 if stored is None else int(stored) + 1}"
            elif column.kind == "number":
                yield f".{member} = {'NAN' if stored is None else c_double(stored)}"
            else:
                yield f".{known} = {int(stored is not None)}"
                if stored is not None:
                    value = int(stored) + column.offset
                    text = f"UINT64_C({value})" if column.offset else c_integer(value)
                    yield f".{member} = {text}"


def _numbers(step: Step) -> tuple[float, ...]:
    if step.probability is not None:
        return step.probability
    return (0.0 if step.value is None else step.value,)


def _member(entry: Entry, member: str, known: str) -> list[str]:
    """Return the lines of the struct for one field."""
    name = harmless(repr(entry.field.name), 200)
    if entry.keys:
        n_levels = len(entry.keys)
        return [f"int32_t {member}; /* {name}: code of a level, 1 to {n_levels}; 0 if missing or unknown */"]
    column = entry.field.column
    if column.kind == "number":
        return [f"double {member}; /* {name}: NAN if missing */"]
    what = "an integer"
    if entry.reader != "number":
        unit = _UNITS.get(entry.unit, "nanoseconds")
        since = " since 1970-01-01" + (" UTC" if entry.aware else "") if entry.reader == "instant" else ""
        what = f"whole {unit}{since}, rounded down"
    kind = "uint64_t" if column.offset else "int64_t"
    return [f"{kind} {member}; /* {name}: {what} */", f"int {known}; /* 0 if it is missing, else 1 */"]


def _reading(entry: Entry, cell: str, value: str, known: str) -> list[str]:
    """Return the statements that turn a member into a cell."""
    if entry.keys:
        n_levels = len(entry.keys)
        return [
            f"{cell}.real = 0.0;",
            f"{cell}.whole = (int64_t){value} - 1;",
            f"{cell}.known = {value} > 0 && {value} <= {n_levels};",
        ]
    if entry.field.column.kind == "number":
        return [f"{cell}.real = {value};", f"{cell}.whole = 0;", f"{cell}.known = {value} == {value};"]
    whole = value
    if entry.field.column.offset:
        whole = f"{value} >= {_BIG} ? (int64_t)({value} - {_BIG}) : (int64_t){value} - INT64_MAX - 1"
    return [f"{cell}.real = 0.0;", f"{cell}.whole = {whole};", f"{cell}.known = {known} != 0;"]


def _array(kind: str, name: str, values: list[str], inner: str = "") -> str:
    return _lines(kind, name, [f"{value}," for value in values], inner)


def _whole_array(name: str, values: list[int]) -> str:
    """Return a table of small numbers, many in a line."""
    lines = textwrap.wrap(", ".join(map(str, values)) + ",", 100)
    body = "\n".join(f"  {line}" for line in lines)
    return f"static const int32_t {name}[{len(values)}] = {{\n{body}\n}};"


def _lines(kind: str, name: str, lines: list[str], inner: str = "") -> str:
    return "\n".join(
        [f"static const {kind} {name}[{len(lines)}]{inner} = {{", *(f"  {line}" for line in lines), "};"]
    )


def c_double(value: float) -> str:
    """Return a double as a constant of C99 that gives the same one, to the last bit."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return float(value).hex()


def c_integer(value: int) -> str:
    """Return an integer of 64 bits as a constant of C99; what lies beyond is moved to the end."""
    if value <= -(2**63):
        return "(-INT64_C(9223372036854775807) - 1)"
    return f"INT64_C({min(value, 2**63 - 1)})" if value >= 0 else f"(-INT64_C({-value}))"
