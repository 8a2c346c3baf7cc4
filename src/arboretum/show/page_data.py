"""What the interactive page knows of a tree, in JSON's own types: one list per figure, one entry per node.

Words: a *page* holds the tree as it was grown, so that it can be shown at every *step* of its pruning path;
*data* are other rows, counted in the same nodes; a *distribution* tells how what a node asks about is spread
over the rows there. Bounds keep a page small, and each of them is told in it.
Nothing is drawn here; html.py makes a file of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from arboretum.base_tree import BaseTree
from arboretum.criteria import impurity_of
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.fitted import tree_of
from arboretum.plurals import many
from arboretum.questions import Linear, Threshold
from arboretum.scalars import is_integer
from arboretum.show.distribution import Distribution, distribution, target_distribution
from arboretum.show.node_rows import NodeRows, rows_in_nodes
from arboretum.show.page_nodes import (
    PageClasses,
    PageNodes,
    differ,
    kept_nodes,
    node_lists,
    other_lists,
    plain,
)
from arboretum.show.page_row import row_lists
from arboretum.show.page_steps import Steps, steps_of
from arboretum.show.palette import THEMES, class_colours
from arboretum.show.scene import left_out
from arboretum.show.words import number, rows_text, short_names, threshold_text
from arboretum.tree import Tree

__all__ = ["MAX_NODES", "page_data"]

Lists = dict[str, Any]

MAX_NODES: Final = 10_000
_VERSION: Final = 1
_SHOWN_CLASSES: Final = 6
# Distributions are told of the heaviest nodes, until a page holds so many of their numbers.
_MOST_DISTRIBUTIONS: Final = 500
_MOST_NUMBERS: Final = 150_000


def page_data(
    model: Any,
    *,
    data: Any = None,
    row: Any = None,
    title: str | None = None,
    max_nodes: int = MAX_NODES,
    asker: str = "to_html()",
) -> Lists:
    """Return what the page shows of a fitted estimator or a tree.

    `data` is (X, y) or (X, y, sample_weight), or several of them by name; `row` is one row whose way is told.
    Of a tree with more than `max_nodes` nodes the page begins at the first step of its path that has no more,
    or leaves the lightest nodes out. Nodes refer to each other, and competitors and distributions to them, by
    their place in the lists; "id" is the number that a node keeps when the tree is pruned or edited.
    """
    tree_of(model, asker)
    _check(title, max_nodes)
    steps = steps_of(model, asker)
    first = steps.first_within(max_nodes)
    tree, nodes = steps.tree, kept_nodes(steps, first, max_nodes)
    classes = PageClasses.of(tree)
    counted = {name: _counted(model, tree, name, rows) for name, rows in _named(data).items()}
    competitors, surrogates = other_lists(nodes)
    return {
        "version": _VERSION,
        "title": "Decision tree" if title is None else title,
        "subtitle": _subtitle(tree) + (_counted_without(tree) if counted else ""),
        "classes": None if classes is None else classes.names,
        "n_merged_classes": 0 if classes is None else classes.n_merged,
        "impurity": impurity_of(tree.criterion),
        "criterion": tree.criterion,
        "missing": tree.missing,
        "columns": [column.name for column in tree.columns],
        "n_nodes": len(tree),
        "n_largest": int(steps.n_nodes()[0]),
        "weighted": nodes.is_weighted,
        "nodes": node_lists(nodes, classes),
        "competitors": competitors,
        "surrogates": surrogates,
        "pruning": _pruning(steps, first),
        "step": steps.shown,
        "row": None if row is None else row_lists(model, row, nodes, steps.shown, asker),
        "data": [_data(name, rows, nodes, classes) for name, rows in counted.items()],
        "distributions": _distributions(nodes, classes, counted),
        **_colours(tree, classes),
        "value_range": _value_range(tree),
    }


def _counted_without(tree: Tree) -> str:
    without = left_out(tree)
    return f"; data are counted{without.removeprefix(',')}" if without else ""


def _check(title: Any, max_nodes: Any) -> None:
    if title is not None and not isinstance(title, str):
        raise ParameterError(f"title={title!r} is not allowed; give text, or None.")
    if not is_integer(max_nodes) or max_nodes < 1:
        raise ParameterError(f"max_nodes={max_nodes!r} is not allowed; give an integer of 1 or more.")


def _subtitle(tree: Tree) -> str:
    """What was learnt from what, in one line."""
    columns = f"{many(len(tree.columns), 'column')}"
    root = tree.root
    weight = (
        f" of weight {number(root.weight)}" if abs(root.weight - root.n_rows) > 1e-9 * root.weight else ""
    )
    size = f"{rows_text(root.n_rows)}{weight}, {columns}"
    classes = PageClasses.of(tree)
    if classes is None:
        learnt = "a number to predict"
    else:
        n_classes = len(classes.names) - bool(classes.n_merged) + classes.n_merged
        names = ", ".join(classes.names[:_SHOWN_CLASSES]) + (", …" if n_classes > _SHOWN_CLASSES else "")
        learnt = f"{n_classes:,} class{'es' if n_classes != 1 else ''}: {names}"
    return f"{size}; {learnt}" + ("; edited by hand" if tree.edits else "")


def _pruning(steps: Steps, first: int) -> Lists | None:
    path = steps.path
    if path is None:
        return None
    judged = not np.isnan(path.cv_risk).all()
    return {
        "alpha": plain(path.alpha),
        "leaves": plain(path.leaves),
        "risk": plain(path.risk),
        "cv_risk": plain(path.cv_risk) if judged else None,
        "cv_se": plain(path.cv_se) if judged else None,
        "chosen": path.chosen,
        "best": steps.best,
        "one_se": steps.one_se,
        "first": first,
    }


# --- other rows


def _named(data: Any) -> dict[str, Any]:
    """Return tables with their targets by name."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        return {"data": data}
    for name in data:
        if not isinstance(name, str):
            raise ParameterError(f"data has a table called {name!r}; names are text, such as 'test'.")
    return dict(data)


def _counted(model: Any, tree: Tree, name: str, rows: Any) -> NodeRows:
    named = model._named if isinstance(model, BaseTree) else None
    owner = type(model).__name__ if isinstance(model, BaseTree) else "this tree"
    try:
        return rows_in_nodes(tree, rows, named=named, owner=owner)
    except (DataError, DataTypeError) as error:
        if name == "data":
            raise
        raise type(error)(f"data[{name!r}]: {error}") from error


def _data(name: str, rows: NodeRows, nodes: PageNodes, classes: PageClasses | None) -> Lists:
    counts = None if classes is None or rows.counts is None else classes.merge(rows.counts[nodes.numbers])
    return {
        "name": name,
        "n_rows": plain(rows.n_rows[nodes.numbers]),
        "weight": plain(rows.weight[nodes.numbers]),
        "weighted": differ(rows.weight, rows.n_rows),
        "counts": None if counts is None else plain(counts),
        "mean": None if rows.mean is None else plain(rows.mean[nodes.numbers]),
        "loss": plain(rows.loss[nodes.numbers]),
    }


def _distributions(nodes: PageNodes, classes: PageClasses | None, counted: Mapping[str, NodeRows]) -> Lists:
    """Return the distributions of the first table, by place, for the heaviest nodes."""
    told: Lists = {}
    for name, rows in list(counted.items())[:1]:
        weight = rows.weight[nodes.numbers]
        room = _MOST_NUMBERS
        for place in np.argsort(-weight, kind="stable")[:_MOST_DISTRIBUTIONS].tolist():
            found = _distribution(nodes, place, rows)
            if found is None:
                continue
            listed = _distribution_lists(found, classes, _cut_text(nodes, place))
            room -= sum(_size(value) for value in listed.values())
            if room < 0:
                break
            told[str(place)] = listed | {"data": name}
    return told


def _distribution(nodes: PageNodes, place: int, rows: NodeRows) -> Distribution | None:
    number = int(nodes.numbers[place])
    if rows.n_rows[number] == 0:
        return None
    if nodes.asks[place]:
        return distribution(nodes.tree, number, rows)
    return None if nodes.tree.target.classes is not None else target_distribution(nodes.tree, number, rows)


def _cut_text(nodes: PageNodes, place: int) -> str | None:
    """Return the threshold that is asked about, as short as on the card."""
    question = nodes.tree.node(int(nodes.numbers[place])).question if nodes.asks[place] else None
    return threshold_text(question) if isinstance(question, Threshold | Linear) else None


def _bar_names(names: tuple[str, ...]) -> list[str]:
    """Return the names of bars without what all have in common; a bar of several levels has none."""
    single = [place for place, name in enumerate(names) if not name.startswith("… ")]
    short = dict(zip(single, short_names([names[place] for place in single]), strict=True))
    return [short.get(place, name) for place, name in enumerate(names)]


def _distribution_lists(found: Distribution, classes: PageClasses | None, cut: str | None) -> Lists:
    merge = (lambda counts: counts) if classes is None else classes.merge
    optional = {name: getattr(found, name) for name in ("edges", "child", "mean")}
    points = None if found.points is None else [[_short(x) for x in row] for row in found.points.tolist()]
    return {
        "kind": found.kind,
        "title": found.title,
        "names": None if found.names is None else _bar_names(found.names),
        "counts": plain(merge(found.counts)),
        "missing": plain(merge(found.missing)),
        "cut": None if found.cut is None else plain(np.array([found.cut]))[0],
        "ticks": [
            [plain(np.array([at]))[0], cut if at == found.cut and cut is not None else text]
            for at, text in found.ticks
        ],
        "points": points,
        **{name: None if values is None else plain(values) for name, values in optional.items()},
    }


def _short(value: float) -> float | None:
    """Return a number as exactly as a point can be drawn."""
    return float(f"{value:.5g}") if np.isfinite(value) else None


def _size(value: Any) -> int:
    return sum(map(_size, value)) if isinstance(value, list) else 1


# --- colours


def _colours(tree: Tree, classes: PageClasses | None) -> Lists:
    by_class = {
        name: [] if classes is None else classes.pick(class_colours(tree, palette), palette.other)
        for name, palette in THEMES.items()
    }
    palettes = {
        name: asdict(palette) | {"classes": list(palette.classes)} for name, palette in THEMES.items()
    }
    return {"palette": palettes, "class_colours": by_class}


def _value_range(tree: Tree) -> list[Any] | None:
    if tree.target.classes is not None:
        return None
    values = tree.array("value")
    return plain(np.array([values.min(), values.max()]))
