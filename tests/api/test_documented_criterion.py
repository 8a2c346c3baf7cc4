"""The criterion in docs/engine.md is compiled from the page, grows trees, and finds the best splits."""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
NOT_NEEDED = ("grow.cpp", "grow_several_source.cpp", "fast_source.cpp", "count_source.cpp", "part_source.cpp")
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")

# Reads a table of numbers and classes, grows a tree from it, and prints its nodes.
PROGRAM = """
#include <cstdio>
#include <vector>

#include "core/sources/grow_from_sources.hpp"
#include "core/registry.hpp"

using namespace arboretum;

int main() {
  unsigned n_rows = 0, n_columns = 0, n_classes = 0;
  while (std::scanf("%u %u %u", &n_rows, &n_columns, &n_classes) == 3) {
    std::vector<std::vector<double>> columns(n_columns, std::vector<double>(n_rows));
    std::vector<std::int32_t> classes(n_rows);
    for (unsigned row = 0; row < n_rows; ++row) {
      for (auto& column : columns)
        if (std::scanf("%lf", &column[row]) != 1) return 1;
      if (std::scanf("%d", &classes[row]) != 1) return 1;
    }
    Dataset data;
    data.n_rows = n_rows;
    for (auto& column : columns) {
      ColumnView view{.kind = Kind::numeric, .type = ValueType::float64};
      view.values = reinterpret_cast<const std::byte*>(column.data()), view.stride = sizeof(double);
      data.columns.push_back(view);
    }
    Targets targets{.n_classes = n_classes};
    targets.classes = classes;
    Interrupt never;
    with_criterion("root", [&]<class C>(std::type_identity<C>) {
      if constexpr (std::is_same_v<C, Root>) {  // the others are compiled elsewhere
        Root criterion;
        criterion.n_classes = n_classes;
        const GrowOptions options;
        const GrowInput input{data, targets, options, reported_impurity<Root>(), never};
        const Tree tree = grow_plainly<Root::Plain>(input, criterion);
        for (std::size_t node = 0; node < tree.size(); ++node)
          std::printf("%d %d %.17g %.17g %.17g\\n", tree.first_child[node], tree.column[node],
                      tree.threshold[node], tree.impurity[node], tree.gain[node]);
      }
    });
    std::puts("");
  }
}
"""


class GrownNode(NamedTuple):
    first_child: int
    column: int
    threshold: float
    impurity: float
    gain: float


class Table(NamedTuple):
    rows: list[list[float]]
    classes: list[int]
    n_classes: int

    def written(self) -> str:
        lines = [f"{len(self.rows)} {len(self.rows[0])} {self.n_classes}"]
        return "\n".join([*lines, *(f"{' '.join(map(str, r))} {c}" for r, c in zip(*self[:2], strict=True))])


def random_table(seed: int) -> Table:
    draw = random.Random(seed)
    n_classes = draw.choice([2, 3, 4])
    rows = [[float(draw.randrange(6)) for _ in range(3)] for _ in range(draw.randrange(5, 40))]
    return Table(rows, [draw.randrange(n_classes) for _ in rows], n_classes)


def impurity(classes: list[int]) -> float:
    """The formula of the page: the sum of sqrt(p (1 - p)) over the shares p of the classes."""
    shares = [classes.count(label) / len(classes) for label in set(classes)]
    return sum(math.sqrt(p * (1 - p)) for p in shares)


def gain(classes: list[int], left: list[bool]) -> float:
    sides = [[c for c, goes in zip(classes, left, strict=True) if goes == side] for side in (True, False)]
    return impurity(classes) - sum(len(side) / len(classes) * impurity(side) for side in sides)


def best_gain(rows: list[list[float]], classes: list[int]) -> float:
    """Every cut of every column is tried."""
    cuts = [
        [row[column] <= value for row in rows]
        for column in range(len(rows[0]))
        for value in sorted({row[column] for row in rows})[:-1]
    ]
    return max((gain(classes, left) for left in cuts), default=-1.0)


def check(nodes: list[GrownNode], number: int, rows: list[list[float]], classes: list[int]) -> None:
    """Every node has the impurity of its rows, and asks the best question there is."""
    node, best = nodes[number], best_gain(rows, classes)
    assert node.impurity == pytest.approx(impurity(classes), abs=1e-12)
    if node.column < 0:
        assert len(set(classes)) == 1 or best < 0, "a leaf, though there is something to ask"
        return
    left = [row[node.column] <= node.threshold for row in rows]
    assert node.gain == pytest.approx(best, abs=1e-12)
    assert gain(classes, left) == pytest.approx(best, abs=1e-12)
    for child, side in enumerate((True, False)):
        here = [i for i, goes in enumerate(left) if goes == side]
        check(nodes, node.first_child + child, [rows[i] for i in here], [classes[i] for i in here])


def write_sources(folder: Path) -> None:
    """The page's code in its place, and a registry that lists it."""
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- criterion: (\S+) -->\n```cpp\n(.*?)```", page, re.DOTALL)
    assert found is not None
    target = folder / found[1]
    target.parent.mkdir(parents=True)
    target.write_text(found[2], encoding="utf-8")
    registry = (ROOT / "cpp" / "core" / "registry.hpp").read_text(encoding="utf-8")
    registry = registry.replace("#include <string>", f'#include <string>\n#include "{found[1]}"', 1)
    # Gini alone beside it: the others take time to compile.
    registered = re.sub(r"(using Criteria =\s*TypeList<Gini)[^>]*>", r"\1, Root>", registry)
    assert registered != registry
    (folder / "core" / "registry.hpp").write_text(registered, encoding="utf-8")
    (folder / "program.cpp").write_text(PROGRAM, encoding="utf-8")


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler is installed")
def test_the_documented_criterion_works(tmp_path: Path) -> None:
    """It compiles as it stands on the page, and each node of each tree asks its best question."""
    write_sources(tmp_path)
    program = tmp_path / "program"
    flags = ["-std=c++20", "-O0", "-pthread", f"-I{tmp_path}", f"-I{ROOT / 'cpp'}"]
    # The plain source alone, to be quick; cpp/tests/check_own_criterion.cpp grows by all of them.
    core = [file for file in (ROOT / "cpp" / "core").rglob("*.cpp") if file.name not in NOT_NEEDED]
    whole = tmp_path / "whole.cpp"  # one file, so that the standard library is read once
    whole.write_text("".join(f'#include "{file}"\n' for file in [*core, tmp_path / "program.cpp"]))
    subprocess.run([str(COMPILER), *flags, str(whole), "-o", str(program)], check=True)
    tables = [random_table(seed) for seed in range(60)]
    given = "\n".join(table.written() for table in tables)
    done = subprocess.run([str(program)], input=given, capture_output=True, text=True, check=True)
    trees = done.stdout.strip().split("\n\n")
    assert len(trees) == len(tables)
    for table, tree in zip(tables, trees, strict=True):
        nodes = [
            GrownNode(int(first), int(column), *map(float, numbers))
            for first, column, *numbers in map(str.split, tree.splitlines())
        ]
        check(nodes, 0, table.rows, table.classes)
