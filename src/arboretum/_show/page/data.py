"""What the interactive page knows of a tree, in JSON's own types: one list per figure, one entry per node.

The page holds the tree as it was grown, so that it can show every step of its pruning path. Limits keep a
page small, and the page states each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np

from arboretum._data import Dataset
from arboretum._data.several_targets import split_outputs
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
    steps_of_outputs,
)
from arboretum._show.picture.draw import check_title
from arboretum._show.picture.palette import THEMES, class_colours
from arboretum._show.picture.text_width import printable
from arboretum._show.rows.distribution import Distribution, distribution, target_distribution
from arboretum._show.rows.node_rows import NodeRows, rows_in_nodes
from arboretum._show.rows.row_path import row_path
from arboretum._show.scene import left_out
from arboretum._show.words import bar_names, number, rows_text, threshold_text
from arboretum._tree.composites import Linear
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.multi_tree import MultiTree, several_of
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
    several = several_of(model)
    if several is None:
        tree_of(model, asker)
    check_title(title)
    Whole(1).read(max_nodes, "max_nodes")
    heading = "Decision tree" if title is None else title
    if several is not None:
        return _outputs_data(model, several, data, row, heading, max_nodes, asker)
    steps = steps_of(model, asker)
    first = steps.first_within(max_nodes)
    nodes = kept_nodes(steps, first, max_nodes)
    return _page_of(model, steps, nodes, first, data=_named(data), row=row, title=heading, asker=asker)


def _page_of(
    model: Any,
    steps: Steps,
    nodes: PageNodes,
    first: int,
    *,
    data: Mapping[str, Any],
    row: Any,
    title: str,
    asker: str,
    about: str = "",
) -> Lists:
    """Return the page of one output; `about` says which."""
    tree = steps.tree
    classes = PageClasses.of(tree)
    counted = {name: _counted(model, tree, name, rows) for name, rows in data.items()}
    competitors, surrogates = other_lists(nodes)
    values = np.zeros(1) if classes is not None else tree.array("value")
    without = left_out(tree).removeprefix(",") if counted else ""
    return {
        "version": _VERSION,
        "title": title,
        "subtitle": _subtitle(tree, classes, about) + (f"; data are counted{without}" if without else ""),
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


# --- several outputs


def _outputs_data(
    model: Any, several: MultiTree, data: Any, row: Any, title: str, max_nodes: int, asker: str
) -> Lists:
    """Return the page of the first output, with all that is different in each of them."""
    steps = steps_of_outputs(model, several)
    first = steps[0].first_within(max_nodes)
    kept = kept_nodes(steps[0], first, max_nodes)
    models = getattr(model, "outputs_", several.outputs)
    pages = []
    for place, (name, own, own_steps) in enumerate(zip(several.names, models, steps, strict=True)):
        rows = {table: _rows_of(several, place, table, each) for table, each in _named(data).items()}
        about = f"output {name} ({place + 1} of {len(several.names)}): "
        nodes = replace(kept, tree=own_steps.tree)
        pages.append(
            _page_of(own, own_steps, nodes, first, data=rows, row=row, title=title, asker=asker, about=about)
        )
    nodes_of = _differing([page["nodes"] for page in pages])
    rest = _differing([{key: value for key, value in page.items() if key != "nodes"} for page in pages])
    outputs = [
        {"name": printable(name), "page": own, "nodes": figures}
        for name, own, figures in zip(several.names, rest, nodes_of, strict=True)
    ]
    return pages[0] | {"outputs": outputs}


def _differing(lists: list[Lists]) -> list[Lists]:
    """Return what is not the same in all of these, for each of them."""
    keys = dict.fromkeys(key for each in lists for key in each)
    apart = [key for key in keys if any(each.get(key) != lists[0].get(key) for each in lists)]
    return [{key: each.get(key) for key in apart} for each in lists]


def _rows_of(several: MultiTree, place: int, table: str, rows: Any) -> Any:
    """Return (X, y[, sample_weight]) with the targets of one output."""
    if not isinstance(rows, tuple) or len(rows) not in (2, 3):
        return rows  # which is refused with what is wanted
    found = split_outputs(rows[1])
    if found is None or len(found.columns) != len(several.names):
        raise DataError(
            f"data: the y of {table!r} should be a table with a column for each of "
            f"{many(len(several.names), 'output')}."
        )
    return (rows[0], found.columns[place], *rows[2:])


def _subtitle(tree: Tree, classes: PageClasses | None, about: str) -> str:
    """Return the size of the training data and the target, in one line."""
    root = tree.root
    weight = f" of weight {number(root.weight)}" if differ(root.weight, root.n_rows) else ""
    size = f"{rows_text(root.n_rows)}{weight}, {many(len(tree.columns), 'column')}"
    target = "a number to predict"
    if classes is not None:
        n_classes = len(classes.names) - bool(classes.n_merged) + classes.n_merged
        names = ", ".join(classes.names[:_SHOWN_CLASSES]) + (", …" if n_classes > _SHOWN_CLASSES else "")
        target = f"{n_classes:,} class{'es' if n_classes != 1 else ''}: {names}"
    return f"{size}; {about}{target}" + ("; edited by hand" if tree.edits else "")


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
