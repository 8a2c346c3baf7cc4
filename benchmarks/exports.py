"""How many rows a second the exports predict, beside our own predict: one thread, the same rows and tree.

Words: an *export* is a program that was written from the tree. All answers are compared before any is timed.
Run it as `python benchmarks/exports.py [rows]`; it prints a table and writes nothing. It needs gcc, and Node
for its column.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import NOTHING, Report, seconds

from arboretum import TreeClassifier
from arboretum.export._code.c import to_c
from arboretum.export._code.javascript import to_javascript
from arboretum.export._code.python import to_python

N_COLUMNS = 10
REPEATS = 5
_LOOP = """
#include "tree.h"
void run(const double *table, long n_rows, int *labels);
void run(const double *table, long n_rows, int *labels) {
  long i;
  for (i = 0; i < n_rows; ++i) {
    struct tree_row row = {@MEMBERS};
    labels[i] = tree_predict(&row);
  }
}
"""
_NODE = """
import { readFileSync } from "node:fs";
import { predict } from "./tree.mjs";
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
const labels = rows.map(predict);
const start = process.hrtime.bigint();
for (const row of rows) predict(row);
console.log(JSON.stringify({ seconds: Number(process.hrtime.bigint() - start) / 1e9, labels }));
"""


def main() -> None:
    """Fit trees of three sizes, and time each export of each."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    report = Report()
    report.say(f"{n_rows:,} rows of {N_COLUMNS} numbers, two classes, one thread; millions of rows a second")
    report.begin_table(
        "leaves",
        "our predict, all rows at once",
        "one by one",
        "C header, one by one",
        "JavaScript",
        "Python file",
    )
    for n_leaves in (10, 100, 1_000):
        rng = np.random.default_rng(0)
        table = rng.normal(size=(n_rows, N_COLUMNS))
        target = (table.sum(axis=1) + rng.normal(0, 2, n_rows) > 0).astype(int)
        few = slice(0, 100_000)
        model = TreeClassifier(prune=None, max_leaf_nodes=n_leaves).fit(table[few], target[few])
        with tempfile.TemporaryDirectory() as folder:
            report.add_row(f"{model.get_n_leaves():,}", *_rates(model, table, Path(folder)))


def _rates(model: Any, table: Any, folder: Path) -> list[str]:
    wanted = model.predict(table)
    ours = len(table) / seconds(lambda: model.predict(table), REPEATS)
    run_c = _c_runner(model, table, folder)
    assert np.array_equal(run_c(), wanted)
    c = len(table) / seconds(run_c, REPEATS)
    few = table[:20_000]
    single = [row.reshape(1, -1) for row in few]
    one_by_one = len(single) / seconds(lambda: [model.predict(row) for row in single], 3)
    rates = [f"{ours / 1e6:.1f}", f"{one_by_one / 1e6:.2f}", f"{c / 1e6:.1f}"]
    return [*rates, _node_rate(model, few, folder), _python_rate(model, few)]


def _c_runner(model: Any, table: Any, folder: Path) -> Callable[[], Any]:
    to_c(model, folder / "tree.h")
    asked = sorted(
        {int(column) for column in model.tree_.array("column")[model.tree_.array("n_children") > 0]}
    )
    members = ", ".join(f"table[i * {table.shape[1]} + {column}]" for column in asked)
    (folder / "tree.c").write_text(_LOOP.replace("@MEMBERS", members))
    library = folder / "tree.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", folder / "tree.c", "-o", library, "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run
    labels = np.empty(len(table), dtype=np.intc)

    def work() -> Any:
        run(
            table.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
            ctypes.c_long(len(table)),
            labels.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
        )
        return labels

    return work


def _node_rate(model: Any, table: Any, folder: Path) -> str:
    if shutil.which("node") is None:
        return NOTHING
    to_javascript(model, folder / "tree.mjs")
    (folder / "run.mjs").write_text(_NODE)
    (folder / "rows.json").write_text(json.dumps(_rows(table)))
    done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["labels"] == model.predict(table).tolist()
    return f"{len(table) / found['seconds'] / 1e6:.2f}"


def _python_rate(model: Any, table: Any) -> str:
    module: dict[str, Any] = {"__name__": "exported"}
    exec(to_python(model), module)
    rows, predict = _rows(table), module["predict"]
    assert [predict(row) for row in rows] == model.predict(table).tolist()
    return f"{len(rows) / seconds(lambda: [predict(row) for row in rows], 3) / 1e6:.2f}"


def _rows(table: Any) -> list[dict[str, float]]:
    return [{f"x{column}": value for column, value in enumerate(row)} for row in table.tolist()]


if __name__ == "__main__":
    main()
