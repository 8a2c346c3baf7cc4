"""The layers of the package: who may import whom.

Packages depend downwards only. Imports inside functions count too; the few that point upwards are listed with
their reason, and an entry that is no longer needed fails as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import arboretum

SOURCES = Path(arboretum.__file__).parent

# From the bottom up: a package may import those before it, never those after it.
LAYERS = [
    "_types",
    "_wording",
    "errors",
    "_warning",
    "_data",
    "information",
    "_tree",
    "_options",
    "ranking",
    "_grow",
    "_prune",
    "estimators",
    "dask",
    "_edit",
    "_store",
    "datasets",
    "reference",
    "experiment",
    "inspection",
    "_show",
    "exercises",
    "plot",
    "export",
    "_report",
    "cli",
]

# A tree's own methods for text, files and editing are one-line calls into the layers that do the work.
UPWARDS = {
    ("estimators.bagging.bagged_estimators", "inspection.forest_answers"),
    ("estimators.base_tree", "_show.summary_html"),
    ("estimators.base_tree", "inspection.summary.summary"),
    ("estimators.tree_estimators", "inspection.leaf_answers"),
    ("inspection.rules.rule", "_show.rule_text"),
    ("inspection.rules.rule_list", "_show.rule_text"),
    ("inspection.rules.rule_list", "export._rule_list"),
    ("inspection.summary.summary", "_show.summary_html"),
    ("inspection.summary.summary", "_show.summary_text"),
    ("_tree.multi_tree", "_show.page.html"),
    ("_tree.multi_tree", "_show.several_text"),
    ("_tree.tree", "_edit.binary"),
    ("_tree.tree", "_edit.editing"),
    ("_tree.tree", "inspection.rules.rule"),
    ("_tree.tree", "_show.page.html"),
    ("_tree.tree", "_show.scene"),
    ("_tree.tree", "_show.text"),
    ("_tree.tree", "_store.tree_document"),
}
# Classes derived from matplotlib's, which is optional: their module is loaded when something is drawn.
OPTIONAL = {("plot._plane.surface", "plot._artists"), ("plot._ticks", "plot._artists")}
# These start quickly because they load what they run when they run it; they stand on top of everything.
FRONTS = {"__init__", "__main__", "cli", "demo"}


class Import(NamedTuple):
    """One import of a module of ours by another."""

    importer: str
    imported: str
    lazy: bool


def modules() -> dict[str, Path]:
    """Return every module of the package by its name without `arboretum.`."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def imports_of(name: str) -> Iterator[Import]:
    """Yield what a module imports from the package, types aside."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "arboretum":
                home = (child.module or "").partition(".")[2]
                for alias in child.names:
                    inner = f"{home}.{alias.name}" if home else alias.name
                    yield Import(name, inner if inner in MODULES else home, lazy)
            elif isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name.startswith("arboretum."):
                        yield Import(name, alias.name.partition(".")[2], lazy)
            yield from visit(child, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    yield from visit(ast.parse(MODULES[name].read_text(encoding="utf-8")), lazy=False)


def layer_of(module: str) -> str:
    return module.split(".")[0]


def all_imports() -> list[Import]:
    return [found for name in MODULES for found in imports_of(name) if found.imported not in ("", "_core")]


def test_every_module_has_a_layer() -> None:
    """A new package has its place in the list, or the list is wrong."""
    assert {layer_of(name) for name in MODULES} == {*LAYERS, *FRONTS}


def test_packages_depend_downwards() -> None:
    """No import leads upwards, but for the listed ones."""
    upwards = {
        (found.importer, found.imported)
        for found in all_imports()
        if layer_of(found.importer) not in FRONTS
        and LAYERS.index(layer_of(found.imported)) > LAYERS.index(layer_of(found.importer))
    }
    assert upwards == UPWARDS


def test_imports_inside_functions() -> None:
    """Everything else is imported at the top of its file."""
    lazy = {
        (found.importer, found.imported)
        for found in all_imports()
        if found.lazy and layer_of(found.importer) not in FRONTS
    }
    assert lazy == UPWARDS | OPTIONAL


def test_no_cycles_between_modules() -> None:
    """Inside a package, too, imports at the top of files form no cycle."""
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for found in all_imports():
        if not found.lazy and found.imported != found.importer:
            graph[found.importer].add(found.imported)
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path, name))
        if name in done:
            return
        for other in graph.get(name, ()):
            walk(other, (*path, name))
        done.add(name)

    for name in graph:
        walk(name, ())


def test_the_listing_shows_the_architecture() -> None:
    """At most 12 files and 19 packages lie at the top of the package."""
    listed = [path for path in SOURCES.iterdir() if path.name != "__pycache__" and path.suffix != ".so"]
    assert sum(path.is_file() for path in listed) <= 12
    assert sum(path.is_dir() for path in listed) <= 19
