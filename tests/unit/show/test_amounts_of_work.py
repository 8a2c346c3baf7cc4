"""How much work it is to show, write and use trees: twice the tree is twice the work, whatever its shape.

Work is counted in calls of functions, which are the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.chains import chain
from support.marks import allow_identifier

from arboretum import Node, Tree, TreeClassifier, TreeRegressor, export
from arboretum._data import Column
from arboretum._data.matching import match_dataset
from arboretum._data.reading import choose_columns
from arboretum.cli.tables.kinds import find_columns
from arboretum.cli.tables.matching import check_columns
from arboretum.export._sql.statement import unique_names


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called meanwhile, those of C included."""
    n_calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return n_calls


def multiway(n_levels: int) -> Tree:
    """A question with a branch for each level, and nothing below."""
    X = pd.DataFrame({"c": pd.Categorical([f"level {i}" for i in range(n_levels)] * 2)})
    y = ["no", "yes"] * n_levels
    return TreeClassifier(prune=None, nominal="multiway", levels="raw").fit(X, sorted(y)).tree_


def subsets(n_levels: int) -> Tree:
    """Questions about half of the levels, half of these, and so on; most nodes have seen few of them."""
    X = pd.DataFrame({"c": pd.Categorical([f"level {i}" for i in range(n_levels)])})
    return (
        TreeRegressor(prune=None, levels="raw").fit(X, np.random.default_rng(0).normal(size=n_levels)).tree_
    )


def row_of(tree: Tree) -> dict[str, object]:
    """A row that goes as deep as it can."""
    return {column.name: column.levels[0] if column.levels else 1e9 for column in tree.columns}


WORKS: dict[str, Callable[[Tree], object]] = {
    "rules": lambda tree: tree.rules(),
    "to_frame": lambda tree: tree.to_frame(),
    "to_text": lambda tree: tree.to_text(),
    "to_text of a row": lambda tree: tree.to_text(row=row_of(tree), max_nodes=10),
    "to_json": lambda tree: Tree.from_json(tree.to_json()),
    "to_svg": lambda tree: export.to_svg(tree, row=row_of(tree), max_nodes=None),
    "to_html": lambda tree: export.to_html(tree),
    "to_dot": lambda tree: export.to_dot(tree),
    "to_mermaid": lambda tree: export.to_mermaid(tree),
    "to_c": lambda tree: export.to_c(tree),
    "to_javascript": lambda tree: export.to_javascript(tree),
    "to_python": lambda tree: export.to_python(tree),
    "to_sql": lambda tree: export.to_sql(tree, dialect="sqlite"),
    "to_pmml": lambda tree: export.to_pmml(tree),
    "to_onnx": lambda tree: export.to_onnx(tree),
    "to_rules": lambda tree: export.to_rules(tree),
    "equality": lambda tree: (tree == Tree.from_json(tree.to_json()), hash(tree)),
}
SHAPES: dict[str, tuple[Callable[[int], Tree], int]] = {
    "chain": (chain, 80),
    "wide": (lambda n: chain(n, n_columns=n), 40),
    "multiway": (multiway, 100),
    "subsets": (subsets, 60),
}
# A rule names all columns on its way, PMML all levels that a node has not seen, and rules look at all levels.
LARGE = {("wide", "to_rules"), ("subsets", "to_pmml"), ("subsets", "to_rules")}
CASES = [(shape, work) for shape in SHAPES for work in WORKS if (shape, work) not in LARGE]


@allow_identifier
@pytest.mark.parametrize(("shape", "work"), CASES)
def test_twice_the_tree_is_twice_the_work(shape: str, work: str) -> None:
    """`rules()` of a chain of 1,931 questions took a minute; PMML, rules, pages and SQL grew like it."""
    make, n = SHAPES[shape]
    trees = [make(n), make(2 * n), make(4 * n)]
    WORKS[work](trees[0])  # what is imported and kept by the first call is not counted
    small, medium, large = (calls_of(partial(WORKS[work], tree)) for tree in trees)
    assert large - medium < 2.7 * (medium - small) + 1_000


def test_texts_of_deep_trees_are_not_made_of_blanks() -> None:
    """30,000 questions in a row were 20 GB of text, all but a little of it blanks in front of the lines."""
    sizes = [len(chain(depth).to_text(row=[[1e9]], max_nodes=100)) for depth in (1_000, 2_000, 4_000)]
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0])
    assert sizes[2] < 5_000_000


def test_lines_far_below_begin_with_their_level() -> None:
    """Up to a hundred levels are indented; further down a line shows its level, and the last hundred."""
    lines = chain(103).to_text().splitlines()
    assert lines[200] == " " * 396 + "└── x > 99.5  [4 rows]  gini 0.25: yes 100%"
    assert lines[201:205] == [
        "101: " + " " * 400 + "├── x <= 100.5  [1 row]  → no (100%)",
        "101: " + " " * 400 + "└── x > 100.5  [3 rows]  gini 0.25: yes 100%",
        "102: " + " " * 400 + "├── x <= 101.5  [1 row]  → no (100%)",
        "102: " + " " * 400 + "└── x > 101.5  [2 rows]  gini 0.25: yes 100%",
    ]
    assert chain(103).to_text(max_depth=101).splitlines()[-2] == "102: " + " " * 400 + "└── … 4 more nodes"


def test_tables_say_what_nodes_say() -> None:
    """The answers are found for all nodes at once; each node finds the same by itself."""
    for tree in (chain(40), multiway(30), subsets(30)):
        frame = tree.to_frame()
        nodes = [Node(tree, number) for number in range(len(tree))]
        assert frame["takes_missing"].tolist() == [node.takes_missing for node in nodes]
        assert frame["outcome"].tolist()[1:] == [node.outcomes[-1] for node in nodes[1:]]


class Name(str):
    """A name that counts how often it is compared with another one."""

    n_compared = 0

    def __eq__(self, other: object) -> bool:
        Name.n_compared += 1
        return super().__eq__(other)

    __hash__ = str.__hash__


def names(n: int) -> list[Any]:
    """Names that are not the same objects, even where they are equal."""
    return [Name(f"c{i}") for i in range(n)]


COLUMN_WORKS: dict[str, Callable[[int], object]] = {
    "the command line matches a table": lambda n: check_columns(
        names(n), [Column(name, "number") for name in names(n)], "The table"
    ),
    "the command line finds columns": lambda n: find_columns(names(n), names(n), "--keep"),
    "an option chooses columns": lambda n: choose_columns(
        "categorical_features", names(n), tuple(names(n)), default="from_dtype"
    ),
    "predict matches a table": lambda n: match_dataset(
        pd.DataFrame(np.zeros((1, n)), columns=names(n)), [Column(x, "number") for x in names(n)], named=True
    ),
    "SQL makes private names": lambda n: unique_names([Name("a")] * n, []),
}


@pytest.mark.parametrize("work", COLUMN_WORKS)
def test_each_column_is_found_at_once(work: str) -> None:
    """`arboretum predict` with 200,000 columns looked through all of them for each of them."""
    n = 400
    Name.n_compared = 0
    n_calls = calls_of(lambda: COLUMN_WORKS[work](n))
    assert Name.n_compared < 20 * n
    assert n_calls < 400 * n
