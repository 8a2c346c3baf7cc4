"""What the interactive page knows of a tree, in JSON's own types: one list per figure, one entry per node.

The page holds the tree as it was grown, so that it can show every step of its pruning path. Limits keep a
page small, and the page states each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from arboretum._data import Dataset
from arboretum._options.criteria import impurity_name
from arboretum._options.rules import Whole
from arboretum._show.page.dependence import dependence_lists
from arboretum._show.page.nodes import (
    PageClasses,
    PageNodes,
    Steps,
    differ,
    kept_nodes,
    node_lists,
    other_lists,
    plain,
    steps_of,
)
from arboretum._show.picture.draw import check_title
from arboretum._show.picture.palette import THEMES, class_colours
from arboretum._show.rows.distribution import Distribution, distribution, target_distribution
from arboretum._show.rows.node_rows import NodeRows, rows_in_nodes
from arboretum._show.rows.row_path import row_path
from arboretum._show.scene import left_out
from arboretum._show.words import bar_names, number, rows_text, threshold_text
from arboretum._tree.composites import Linear
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.questions import Threshold
from arboretum._tree.tree import Tree
from arboretum._wording import many
from arboretum.errors import DataError, DataTypeError, ParameterError

Lists = dict[str, Any]

MAX_NODES: Final = 10_000
_VERSION: Final = 1
_SHOWN_CLASSES: Final = 6
# The heaviest nodes have distributions, until a page holds so many of their numbers.
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

    `data` is (X, y) or (X, y, sample_weight), or several of them by name; `row` is one row whose path is
    explained. For a tree with more than `max_nodes` nodes, the page begins at the first step of its path that
    has no more, or leaves out the lightest nodes. Nodes, competitors and distributions refer to nodes by
    their place in the lists; "id" is the number that a node keeps when the tree is pruned or edited.
    """
    tree_of(model, asker)
    check_title(title)
    Whole(1).read(max_nodes, "max_nodes")
    steps = steps_of(model, asker)
    first = steps.first_within(max_nodes)
    tree, nodes = steps.tree, kept_nodes(steps, first, max_nodes)
    classes = PageClasses.of(tree)
    counted = {name: _counted(model, tree, name, rows) for name, rows in _named(data).items()}
    competitors, surrogates = other_lists(nodes)
    values = np.zeros(1) if classes is not None else tree.array("value")
    without = left_out(tree).removeprefix(",") if counted else ""
    return {
        "version": _VERSION,
        "title": "Decision tree" if title is None else title,
        "subtitle": _subtitle(tree, classes) + (f"; data are counted{without}" if without else ""),
        "classes": None if classes is None else classes.names,
        "n_merged_classes": 0 if classes is None else classes.n_merged,
        "impurity": impurity_name(tree.criterion),
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
        "row": None if row is None else _row_lists(model, row, nodes, steps.shown, asker),
        "data": [_data(name, rows, nodes, classes) for name, rows in counted.items()],
        "distributions": _distributions(nodes, classes, counted),
        "dependence": dependence_lists(tree_of(model, asker), classes, steps.shown, _first_table(counted)),
        **_colours(tree, classes),
        "value_range": None if classes is not None else plain(np.array([values.min(), values.max()])),
    }


def _subtitle(tree: Tree, classes: PageClasses | None) -> str:
    """Return the size of the training data and the target, in one line."""
    root = tree.root
    weight = f" of weight {number(root.weight)}" if differ(root.weight, root.n_rows) else ""
    size = f"{rows_text(root.n_rows)}{weight}, {many(len(tree.columns), 'column')}"
    target = "a number to predict"
    if classes is not None:
        n_classes = len(classes.names) - bool(classes.n_merged) + classes.n_merged
        names = ", ".join(classes.names[:_SHOWN_CLASSES]) + (", …" if n_classes > _SHOWN_CLASSES else "")
        target = f"{n_classes:,} class{'es' if n_classes != 1 else ''}: {names}"
    return f"{size}; {target}" + ("; edited by hand" if tree.edits else "")


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


# --- rows


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
    owner = "this tree" if isinstance(model, Tree) else type(model).__name__
    try:
        return rows_in_nodes(tree, rows, named=getattr(model, "_named", None), owner=owner)
    except (DataError, DataTypeError) as error:
        if name == "data":
            raise
        raise type(error)(f"data[{name!r}]: {error}") from error


def _first_table(counted: Mapping[str, NodeRows]) -> Dataset | None:
    return next((rows.table for rows in counted.values()), None)


def _row_lists(model: Any, row: Any, nodes: PageNodes, step: int, asker: str) -> dict[str, Any]:
    """Return the path of a row through the tree of the page, and what the model, at this step, predicts.

    The page can also show smaller trees, where the path ends sooner.
    """
    named = has_names(model, tree_of(model, asker))
    path = row_path(nodes.tree, row, named=named)
    parents = nodes.tree.array("parent").tolist()
    left = {parents[number] for number in path.nodes}  # nodes that the row leaves again
    sentences = iter(path.sentences)
    reasons = {number: next(sentences) if number in left else None for number in path.nodes}
    here = [number for number in path.nodes if number in nodes.place]
    return {
        "nodes": [nodes.place[number] for number in here],
        "sentences": [reasons[number] for number in here],
        "conclusion": row_path(tree_of(model, asker), row, named=named).conclusion,
        "step": step,
    }


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
    """Return the distributions of the first table for the heaviest nodes, by place."""
    found_lists: Lists = {}
    for name, rows in list(counted.items())[:1]:
        weight = rows.weight[nodes.numbers]
        room = _MOST_NUMBERS
        for place in np.argsort(-weight, kind="stable")[:_MOST_DISTRIBUTIONS].tolist():
            found, cut = _distribution(nodes, place, rows)
            if found is None:
                continue
            listed = _distribution_lists(found, classes, cut)
            room -= sum(_size(value) for value in listed.values())
            if room < 0:
                break
            found_lists[str(place)] = listed | {"data": name}
    return found_lists


def _distribution(nodes: PageNodes, place: int, rows: NodeRows) -> tuple[Distribution | None, str | None]:
    """Return the distribution at a node, if it has one, and its threshold, as short as on the card."""
    number = int(nodes.numbers[place])
    if rows.n_rows[number] and nodes.asks[place]:
        question = nodes.tree.node(number).question
        cut = threshold_text(question) if isinstance(question, Threshold | Linear) else None
        return distribution(nodes.tree, number, rows), cut
    if rows.n_rows[number] and nodes.tree.target.classes is None:
        return target_distribution(nodes.tree, number, rows), None
    return None, None


def _distribution_lists(found: Distribution, classes: PageClasses | None, cut: str | None) -> Lists:
    merge = (lambda counts: counts) if classes is None else classes.merge
    optional = {name: getattr(found, name) for name in ("edges", "child", "mean")}
    points = None if found.points is None else [[_short(x) for x in row] for row in found.points.tolist()]
    return {
        "kind": found.kind,
        "title": found.title,
        "names": None if found.names is None else bar_names(found.names),
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
    """Return a number with as many digits as a point needs."""
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
