"""Exports run for real: a Python file, a C header behind ctypes, an ES module in Node.

A runner takes rows in user form and returns, for each, the label or number and the probabilities. Doubles
cross borders as their bits. What is not installed is told by `NODE` and `COMPILERS`.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arboretum._data.levels import level_text
from arboretum.export._code.c import member_names, to_c
from arboretum.export._code.javascript import to_javascript
from arboretum.export._code.python import to_python
from arboretum.export._program.program import Program, program_of, stored_value
from arboretum.export._program.samples import expected

__all__ = [
    "COMPILERS",
    "NODE",
    "STRICT",
    "Answers",
    "bits",
    "differences",
    "run_c",
    "run_javascript",
    "run_python",
]

Row = dict[str, object]
Answers = list[tuple[Any, tuple[float, ...] | None]]

NODE = shutil.which("node")
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
_numbers = itertools.count()


def bits(value: float) -> str:
    """A double, bit by bit."""
    return struct.pack(">d", value).hex()


def differences(model: Any, rows: Sequence[Row], answers: Answers, *, signed_zeros: bool = True) -> list[str]:
    """List where an export and the core differ: labels exactly, doubles bit by bit.

    SQLite drops the sign of -0.0: without `signed_zeros` both zeros are the same label.
    """
    wrong = []
    for row, (ours, shares), (theirs, parts) in zip(rows, expected(model, rows), answers, strict=True):
        label = (
            bits(ours) == bits(theirs) or (ours == theirs == 0 and not signed_zeros)
            if shares is None
            else ours == theirs and type(ours) is type(theirs)
        )
        if not label or [bits(x) for x in shares or ()] != [bits(x) for x in parts or ()]:
            wrong.append(f"{row}: {ours!r} {shares}, but {theirs!r} {parts}")
    return wrong


def run_python(model: Any, rows: Sequence[Row]) -> Answers:
    """The file that `to_python` writes, run in a namespace of its own."""
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(to_python(model), "exported.py", "exec"), module)
    proba = module.get("predict_proba")
    classes = program_of(model, "the test", ensembles=True, models=True).classes
    answers: Answers = []
    for row in rows:
        shares = proba(row) if proba else None
        assert shares is None or list(shares) == list(classes or ())
        answers.append((module["predict"](row), None if shares is None else tuple(shares.values())))
    return answers


# --- C


def run_c(
    model: Any, rows: Sequence[Row], folder: Path, *, compiler: str = "gcc", flags: Sequence[str] = STRICT
) -> Answers:
    """The header that `to_c` writes, compiled into a library and called with structs that are filled here."""
    program = program_of(model, "the test", ensembles=True, models=True)
    stem = folder / f"tree{next(_numbers)}"
    to_c(model, stem.with_suffix(".h"))
    members = member_names([field.name for field in program.fields])
    stem.with_suffix(".c").write_text(_wrapper(program, members, stem.name))
    library = str(stem.with_suffix(".so"))
    made = subprocess.run(
        [compiler, "-O1", *flags, "-shared", "-fPIC", str(stem.with_suffix(".c")), "-o", library, "-lm"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr[:2_000]
    return _call(program, members, ctypes.CDLL(library), rows)


def _wrapper(program: Program, members: list[tuple[str, str]], stem: str) -> str:
    lines = [f'#include "{stem}.h"']
    for field, (member, _) in zip(program.fields, members, strict=True):
        if field.levels is not None:
            lines.append(f"int32_t look_up_{member}(const char *text);")
            lines.append(
                f"int32_t look_up_{member}(const char *text) {{ return tree_level_of_{member}(text); }}"
            )
    if program.classes is None:
        lines += ["double value(const struct tree_row *row);"]
        lines += ["double value(const struct tree_row *row) { return tree_predict(row); }"]
    else:
        lines += [
            "int label(const struct tree_row *row);",
            "void shares(const struct tree_row *row, double *out);",
        ]
        lines += ["int label(const struct tree_row *row) { return tree_predict(row); }"]
        lines += ["void shares(const struct tree_row *row, double *out) { tree_predict_proba(row, out); }"]
        lines += ["const char *name(int number);"]
        lines += ["const char *name(int number) { return tree_class_name(number); }"]
    return "\n".join(lines) + "\n"


def _call(program: Program, members: list[tuple[str, str]], library: Any, rows: Sequence[Row]) -> Answers:
    parts: list[tuple[str, Any]] = []
    for field, (member, known) in zip(program.fields, members, strict=True):
        if field.levels is not None:
            parts.append((member, ctypes.c_int32))
        elif field.column.kind == "number":
            parts.append((member, ctypes.c_double))
        else:
            parts += [
                (member, ctypes.c_uint64 if field.column.offset else ctypes.c_int64),
                (known, ctypes.c_int),
            ]

    class Inputs(ctypes.Structure):
        _fields_ = parts or [("nothing_is_asked", ctypes.c_char)]

    answers: Answers = []
    for row in rows:
        inputs = Inputs()
        for field, (member, known) in zip(program.fields, members, strict=True):
            value: Any = row[field.name]
            missing = value is None or value != value
            if field.levels is not None:
                text = None if missing else level_text(value).encode()
                setattr(inputs, member, getattr(library, f"look_up_{member}")(text))
            elif field.column.kind == "number":
                setattr(inputs, member, math.nan if missing else value)
            elif not missing:
                stored = stored_value(field.column, value)
                setattr(inputs, member, int(stored or 0) + field.column.offset)
                setattr(inputs, known, 1)
        answers.append(_answer(program, library, inputs))
    return answers


def _answer(program: Program, library: Any, inputs: Any) -> tuple[Any, tuple[float, ...] | None]:
    if program.classes is None:
        library.value.restype = ctypes.c_double
        return library.value(ctypes.byref(inputs)), None
    shares = (ctypes.c_double * len(program.classes))()
    library.shares(ctypes.byref(inputs), shares)
    number = library.label(ctypes.byref(inputs))
    library.name.restype = ctypes.c_char_p
    assert library.name(number).decode() == level_text(program.classes[number])
    return program.classes[number], tuple(shares)


# --- JavaScript

_SCRIPT = """
import { readFileSync } from "node:fs";
const { rows } = JSON.parse(readFileSync(process.argv[3], "utf8"));
const tree = await import(process.argv[2]);
const given = (value) => {
  if (value === null || typeof value !== "object") return value;
  if ("bits" in value) return Buffer.from(value.bits, "hex").readDoubleBE(0);
  if ("whole" in value) return BigInt(value.whole);
  return undefined;
};
const bits = (value) => { const b = Buffer.alloc(8); b.writeDoubleBE(value); return b.toString("hex"); };
const told = (value) => {
  if (typeof value === "bigint") return { whole: String(value) };
  return typeof value === "number" ? { bits: bits(value) } : value;
};
const answers = rows.map((row) => {
  const values = Object.fromEntries(row.map(([name, value]) => [name, given(value)]));
  const shares = tree.predictProba ? [...tree.predictProba(values)] : null;
  const numbers = shares?.map(([, share]) => bits(share)) ?? null;
  return [told(tree.predict(values)), numbers, shares?.map(([label]) => told(label)) ?? null];
});
console.log(JSON.stringify({ answers, tested: tree.selfTest() }));
"""


def run_javascript(model: Any, rows: Sequence[Row], folder: Path) -> Answers:
    """The module that `to_javascript` writes, imported by Node, which also runs its self-test."""
    stem = folder / f"tree{next(_numbers)}"
    module, script, table = stem.with_suffix(".mjs"), folder / "run.mjs", stem.with_suffix(".json")
    to_javascript(model, module)
    script.write_text(_SCRIPT)
    listed = [[[name, _sent(value)] for name, value in row.items()] for row in rows]
    table.write_text(json.dumps({"rows": listed}))
    done = subprocess.run([str(NODE), str(script), str(module), str(table)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2_000]
    told = json.loads(done.stdout)
    assert told["tested"] == 32
    classes = program_of(model, "the test", ensembles=True, models=True).classes
    answers: Answers = []
    for answer, shares, labels in told["answers"]:
        if classes is None:
            answers.append((_received(answer), None))
            continue
        names = [_received(label) for label in labels]
        assert names == [float(c) if type(c) is int and abs(c) < 2**53 else c for c in classes]
        number = names.index(_received(answer))
        answers.append((classes[number], tuple(_double(share) for share in shares)))
    return answers


def _sent(value: Any) -> Any:
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float):
        return {"bits": bits(value)}
    if isinstance(value, int):
        return {"whole": str(value)} if abs(value) >= 2**53 or value % 2 else value
    return level_text(value)


def _received(value: Any) -> Any:
    if isinstance(value, dict):
        return int(value["whole"]) if "whole" in value else _double(value["bits"])
    return value


def _double(text: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(text))[0])
