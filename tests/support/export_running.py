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
from arboretum.export._code.c import to_c
from arboretum.export._code.c_words import member_names
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
    "outputs_in_c",
    "outputs_in_javascript",
    "outputs_in_python",
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
    return outputs_in_python(model, rows)[0]


def outputs_in_python(model: Any, rows: Sequence[Row]) -> list[Answers]:
    """The same for each of several outputs."""
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(to_python(model), "exported.py", "exec"), module)
    assert module["self_test"]() == 32
    proba = module.get("predict_proba", lambda row: {})
    outputs = _program(model).answers
    answers: list[Answers] = [[] for _ in outputs]
    for row in rows:
        found, all_shares = module["predict"](row), proba(row)
        for output, own in zip(outputs, answers, strict=True):
            several = output.name is not None
            own_shares = all_shares[output.name] if several and output.classes is not None else all_shares
            shares = None if output.classes is None else own_shares
            assert list(shares or ()) == list(output.classes or ())
            label = found[output.name] if several else found
            own.append((label, None if shares is None else tuple(shares.values())))
    return answers


def _program(model: Any) -> Program:
    return program_of(model, "the test", ensembles=True, models=True, outputs=True)


# --- C


def run_c(
    model: Any, rows: Sequence[Row], folder: Path, *, compiler: str = "gcc", flags: Sequence[str] = STRICT
) -> Answers:
    """The header that `to_c` writes, compiled into a library and called with structs that are filled here."""
    return outputs_in_c(model, rows, folder, compiler=compiler, flags=flags)[0]


def outputs_in_c(
    model: Any, rows: Sequence[Row], folder: Path, *, compiler: str = "gcc", flags: Sequence[str] = STRICT
) -> list[Answers]:
    """The same for each of several outputs."""
    program = _program(model)
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
    names = member_names([output.name or "" for output in program.outputs])
    for k, output in enumerate(program.answers):
        of = f"_of_{names[k][0]}" if output.name is not None else ""
        found = f"tree_predict(row).{names[k][0]}" if output.name is not None else "tree_predict(row)"
        if output.classes is None:
            heads = [(f"double value_{k}(const struct tree_row *row)", f"return {found};")]
        else:
            copied = "tree_predict_proba(row, out);"
            if output.name is not None:
                member = f"tree_predict_proba(row).{names[k][0]}"
                copied = "".join(f"out[{i}] = {member}[{i}]; " for i in range(len(output.classes)))
            heads = [
                (f"int label_{k}(const struct tree_row *row)", f"return {found};"),
                (f"void shares_{k}(const struct tree_row *row, double *out)", copied),
                (f"const char *name_{k}(int number)", f"return tree_class_name{of}(number);"),
            ]
        lines += [line for head, body in heads for line in (f"{head};", f"{head} {{ {body} }}")]
    return "\n".join(lines) + "\n"


def _call(
    program: Program, members: list[tuple[str, str]], library: Any, rows: Sequence[Row]
) -> list[Answers]:
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

    answers: list[Answers] = [[] for _ in program.answers]
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
        for k, (output, own) in enumerate(zip(program.answers, answers, strict=True)):
            own.append(_answer(output.classes, library, inputs, k))
    return answers


def _answer(classes: Any, library: Any, inputs: Any, k: int) -> tuple[Any, tuple[float, ...] | None]:
    if classes is None:
        value = library[f"value_{k}"]
        value.restype = ctypes.c_double
        return value(ctypes.byref(inputs)), None
    shares = (ctypes.c_double * len(classes))()
    library[f"shares_{k}"](ctypes.byref(inputs), shares)
    number = library[f"label_{k}"](ctypes.byref(inputs))
    name = library[f"name_{k}"]
    name.restype = ctypes.c_char_p
    assert name(number).decode() == level_text(classes[number])
    return classes[number], tuple(shares)


# --- JavaScript

_SCRIPT = """
import { readFileSync } from "node:fs";
const { rows, outputs } = JSON.parse(readFileSync(process.argv[3], "utf8"));
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
  const found = tree.predict(values), parts = tree.predictProba ? tree.predictProba(values) : {};
  return outputs.map((name) => {
    const own = name === null ? parts : parts[name];
    const shares = own instanceof Map ? [...own] : null;
    const numbers = shares?.map(([, share]) => bits(share)) ?? null;
    const labels = shares?.map(([label]) => told(label)) ?? null;
    return [told(name === null ? found : found[name]), numbers, labels];
  });
});
console.log(JSON.stringify({ answers, tested: tree.selfTest() }));
"""


def run_javascript(model: Any, rows: Sequence[Row], folder: Path) -> Answers:
    """The module that `to_javascript` writes, imported by Node, which also runs its self-test."""
    return outputs_in_javascript(model, rows, folder)[0]


def outputs_in_javascript(model: Any, rows: Sequence[Row], folder: Path) -> list[Answers]:
    """The same for each of several outputs."""
    stem = folder / f"tree{next(_numbers)}"
    module, script, table = stem.with_suffix(".mjs"), folder / "run.mjs", stem.with_suffix(".json")
    to_javascript(model, module)
    script.write_text(_SCRIPT)
    outputs = _program(model).answers
    listed = [[[name, _sent(value)] for name, value in row.items()] for row in rows]
    table.write_text(json.dumps({"rows": listed, "outputs": [output.name for output in outputs]}))
    done = subprocess.run([str(NODE), str(script), str(module), str(table)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2_000]
    told = json.loads(done.stdout)
    assert told["tested"] == 32
    return [
        [_answered(output.classes, *parts) for parts in own]
        for output, own in zip(outputs, zip(*told["answers"], strict=True), strict=True)
    ]


def _answered(classes: Any, answer: Any, shares: Any, labels: Any) -> tuple[Any, tuple[float, ...] | None]:
    if classes is None:
        return _received(answer), None
    names = [_received(label) for label in labels]
    assert names == [float(c) if type(c) is int and abs(c) < 2**53 else c for c in classes]
    return classes[names.index(_received(answer))], tuple(_double(share) for share in shares)


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
