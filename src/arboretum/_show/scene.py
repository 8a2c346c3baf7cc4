"""What a picture shows of a tree: the visible nodes, with the words and numbers of each.

Large trees show their heaviest nodes; hidden nodes are counted. Numbers are those of the training rows, or of
other `data`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from arboretum._options.criteria import impurity_name
from arboretum._options.rules import OneOf, Whole
from arboretum._show.output_words import outputs_said
from arboretum._show.own_rows import own_texts
from arboretum._show.rows.node_rows import NodeRows, rows_in_nodes
from arboretum._show.rows.row_path import RowPath, row_path
from arboretum._show.words import answers, asked_text, class_names, level_names_once, number, rows_text
from arboretum._tree.fitted import has_names, refuse_several, tree_of
from arboretum._tree.linear_models import formula_of, models_of
from arboretum._tree.multi_tree import MultiTree, several_of
from arboretum._tree.questions import Question
from arboretum._tree.tree import Node, Tree
from arboretum._types import Numbers
from arboretum._wording import percent
from arboretum.errors import ParameterError, listing

FIGURES: Final = (
    "number",
    "rows",
    "weight",
    "mix",
    "impurity",
    "gain",
    "p_value",
    "label",
    "confidence",
    "loss",
)
_TERMS: Final = 6  # of a linear model
_USUAL: Final = ("rows", "mix", "impurity", "p_value", "label", "confidence")
_USUAL_OF_DATA: Final = ("rows", "mix", "label", "confidence", "loss")


@dataclass(frozen=True)
class View:
    """What the user asks for; names of options are those of the public functions."""

    max_depth: int | None = None
    max_nodes: int | None = None
    figures: Sequence[str] | None = None
    amounts: Any = "shares"
    row: Any = None
    data: Any = None

    def __post_init__(self) -> None:
        Whole(0, or_none=True).read(self.max_depth, "max_depth")
        Whole(1, or_none=True).read(self.max_nodes, "max_nodes")
        if self.figures is not None and not isinstance(self.figures, list | tuple | str):
            kind = type(self.figures).__name__
            raise ParameterError(f"figures is of type {kind}; give a list, of {listing(FIGURES, 20)}.")
        if isinstance(self.figures, str):
            raise ParameterError(
                f"figures={self.figures!r} is not allowed; give a list of names, such as [{self.figures!r}]."
            )
        for figure in self.figures or ():
            OneOf(FIGURES).read(figure, "figures")
            if self.data is None and figure == "loss":
                raise ParameterError(
                    "figures holds 'loss', which is counted on other rows.\nHint: give data=(X, y)."
                )
            if self.data is not None and figure in ("impurity", "gain", "p_value"):
                raise ParameterError(
                    f"figures holds {figure!r}, which is known of the training rows alone.\n"
                    "Hint: leave data out, or show 'loss'."
                )
        OneOf(("shares", "counts")).read(self.amounts, "amounts")

    @property
    def shown_figures(self) -> tuple[str, ...]:
        """The figures to show: those asked for, or the usual ones."""
        if self.figures is not None:
            return tuple(self.figures)
        return _USUAL if self.data is None else _USUAL_OF_DATA


@dataclass(frozen=True, slots=True)
class SceneNode:
    """One visible node."""

    number: int
    level: int
    children: tuple[int, ...]  # places in the scene
    question: Question | None  # None in a leaf of the tree
    asked: str | None  # the question on a card
    answer: str | None  # the outcome that leads here, without the column's name
    outcome: str | None  # the outcome that leads here, in full
    takes_missing: bool
    n_rows: int
    weight: float
    share: float  # of the weight at the root
    mix: Numbers | None  # share or weight of each class, as the view asks
    value: float | None
    spread: float | None  # standard deviation of the targets, if the criterion gives it
    impurity: float
    gain: float
    p_value: float | None
    label: str
    label_class: int | None
    confidence: float | None
    own: str | None  # what the node's own rows say, where predictions are drawn towards the nodes above
    loss: float | None  # on other data
    n_hidden: int
    on_path: bool
    outputs: tuple[str, ...] = ()  # what each says, where there are several

    @property
    def is_end(self) -> bool:
        """Whether nothing is shown below."""
        return not self.children


@dataclass(frozen=True)
class Scene:
    """The visible nodes of a tree; the root comes first."""

    tree: Tree
    view: View
    nodes: list[SceneNode]
    classes: list[str]
    impurity: str  # its name
    value_range: tuple[float, float] | None  # of the values of all nodes
    path: RowPath | None
    rows: NodeRows | None

    @cached_property
    def is_weighted(self) -> bool:
        """Whether rows have weights, so that a weight is not a number of rows."""
        return any(abs(node.weight - node.n_rows) > 1e-9 * abs(node.weight) for node in self.nodes)

    @property
    def counted(self) -> str:
        """The rows that are counted, if they are not the training rows; else nothing."""
        if self.rows is None:
            return ""
        how = ", by weight" if self.is_weighted else ""
        return f"counted on {rows_text(int(self.rows.n_rows[0]))} of the data given{how}{left_out(self.tree)}"

    @property
    def children(self) -> list[tuple[int, ...]]:
        """The places of the children of each node."""
        return [node.children for node in self.nodes]


def scene_of(model: Any, view: View, asker: str = "to_svg()") -> Scene:
    """Return what a picture of a fitted estimator or a tree shows."""
    several = several_of(model)
    if several is not None:
        return _scene_of_several(several, view, asker)
    tree = tree_of(model, asker, models=True)
    named = has_names(model, tree)
    rows = None if view.data is None else rows_in_nodes(tree, view.data, named=named)
    path = None if view.row is None else row_path(tree, view.row, named=named)
    on_path = set() if path is None else set(path.nodes)
    deepest = len(tree) if view.max_depth is None else view.max_depth
    may_open = (tree.array("depth") < deepest).tolist()
    shown = opened_nodes(tree, view.max_nodes, may_open, on_path)
    values = tree.array("value") if tree.target.classes is None else None
    value_range = None if values is None else (float(values.min()), float(values.max()))
    names = class_names(tree.target.classes)
    nodes = _scene_nodes(tree, view, shown, names, rows, on_path)
    return Scene(tree, view, nodes, names, impurity_name(tree.criterion), value_range, path, rows)


def _scene_of_several(several: MultiTree, view: View, asker: str) -> Scene:
    """Return the scene of one of the outputs, with what all of them say in each node."""
    if view.data is not None or view.row is not None:
        refuse_several(
            asker.replace("()", "(data=…, row=…)"), f"tree[{several.names[0]!r}]", len(several.outputs)
        )
    figures = [figure for figure in view.shown_figures if figure in ("number", "rows", "weight", "label")]
    scene = scene_of(several.outputs[0], replace(view, figures=figures), asker)
    nodes = [_with_outputs(node, several) for node in scene.nodes]
    return replace(scene, nodes=nodes, classes=[], value_range=None)


def _with_outputs(node: SceneNode, several: MultiTree) -> SceneNode:
    said = outputs_said(several, node.number, is_leaf=node.is_end)
    nothing: dict[str, Any] = {
        "mix": None,
        "value": None,
        "spread": None,
        "label_class": None,
        "confidence": None,
    }
    return replace(node, **nothing, own=None, label="; ".join(said), outputs=said)


def loss_text(node: SceneNode) -> str:
    """Return the loss of a node on other data; nothing if it has no rows there."""
    if node.loss is None or node.loss != node.loss:
        return ""
    return f"wrong {percent(node.loss)}" if node.label_class is not None else f"MSE {node.loss:.3g}"


def left_out(tree: Tree) -> str:
    """Return the options that shaped the tree but do not affect counts of other rows, as ", without …".

    A loss changes labels, but every mistake counts as one.
    """
    if tree.rule is None:
        return ""
    options = tree.rule.changes_shares + (() if tree.rule.loss is None else ("loss",))
    return f", without the tree's {' and '.join(options)}" if options else ""


def count_below(tree: Tree, counted: Sequence[int]) -> list[int]:
    """Return how many of the counted nodes are below each node, as far as all between them are counted too.

    They are in ascending order: children come after their parents.
    """
    parents = tree.array("parent").tolist()
    below = [0] * len(parents)
    for node in reversed(counted):
        below[parents[node]] += below[node] + 1
    return below


def opened_nodes(
    tree: Tree, max_nodes: int | None, may_open: Sequence[bool], wanted: Set[int] = frozenset()
) -> set[int]:
    """Return the inner nodes to open: the heaviest first, while no more than `max_nodes` are shown.

    Opening a node shows all of its children. `may_open` says which nodes may be opened at all; `wanted` nodes
    are opened even if there is no room for their children.
    """
    weight = tree.array("weight").tolist()
    first, n_children = tree.array("first_child").tolist(), tree.array("n_children").tolist()
    room = (len(tree) if max_nodes is None else max_nodes) - 1
    opened: set[int] = set()
    todo = [(0 not in wanted, -weight[0], 0)]
    while todo:
        unwanted, _, node = heapq.heappop(todo)
        if not n_children[node] or not may_open[node] or (n_children[node] > room and unwanted):
            continue
        opened.add(node)
        room -= n_children[node]
        for child in range(first[node], first[node] + n_children[node]):
            heapq.heappush(todo, (child not in wanted, -weight[child], child))
    return opened


def _scene_nodes(
    tree: Tree, view: View, opened: set[int], names: list[str], rows: NodeRows | None, on_path: set[int]
) -> list[SceneNode]:
    """Return the visible nodes, level by level."""
    first, n_children = tree.array("first_child").tolist(), tree.array("n_children").tolist()
    numbers = [0]
    children: list[tuple[int, ...]] = []
    for node in numbers:  # grows in the loop
        below = range(first[node], first[node] + n_children[node]) if node in opened else ()
        children.append(tuple(range(len(numbers), len(numbers) + len(below))))
        numbers.extend(below)
    hidden = count_below(tree, range(1, len(tree)) if len(numbers) < len(tree) else ())
    said: list[tuple[str | None, str | None, bool]] = [(None, None, False)] * len(numbers)
    level = [0] * len(numbers)
    scene: list[SceneNode] = []
    levels: dict[str, list[str]] = {}
    of_nodes = _figures(tree, view, rows, numbers, names)
    for place, (node, figures) in enumerate(zip(numbers, of_nodes, strict=True)):
        question = Node(tree, node).question
        answered = () if question is None else answers(question, level_names_once(question, levels))
        outcomes = question.outcomes if question is not None and children[place] else ()
        for child, answer, outcome in zip(children[place], answered, outcomes, strict=False):
            # Here, while the tree has the question in its cache.
            said[child] = (answer, outcome, Node(tree, numbers[child]).takes_missing)
            level[child] = level[place] + 1
        scene.append(
            SceneNode(
                number=node,
                level=level[place],
                children=children[place],
                question=question,
                asked=None if question is None else asked_text(question, answered),
                answer=said[place][0],
                outcome=said[place][1],
                takes_missing=said[place][2],
                n_hidden=0 if children[place] else hidden[node],
                on_path=node in on_path,
                **figures,
            )
        )
    return scene


def number_labels(tree: Tree, numbers: Sequence[int]) -> list[str]:
    """Return what nodes predict: a number, or a linear model with the terms that there is room for."""
    if models_of(tree) is not None:
        return [formula_of(tree, node, most=_TERMS) for node in numbers]
    return list(map(number, tree.array("value")[list(numbers)].tolist()))


def _figures(
    tree: Tree, view: View, rows: NodeRows | None, numbers: list[int], names: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the figures of nodes by their names in a scene: of the training rows, or of other data."""
    nothing: list[Any] = [None] * len(numbers)
    mix, label, confidence, p_value, own_text = nothing, nothing, nothing, nothing, nothing
    n_rows, weight = (
        tree.array(name) if rows is None else getattr(rows, name) for name in ("n_rows", "weight")
    )
    impurity, weight_here = tree.array("impurity")[numbers], weight[numbers]
    if tree.target.classes is not None:
        classes = tree.array("label")[numbers]
        label, own = classes.tolist(), (np.arange(len(numbers)), classes)
        counts, shares = tree.array("counts")[numbers], tree.array("probability")[numbers]
        confidence = shares[own].tolist()
        if tree.shrinkage and tree.rule is not None:
            # The mix is that of the rows; what is made of it is the confidence.
            shares = tree.rule.probability(counts)
            own_text = [f"{share} of rows" for share in own_texts(tree, numbers) or ()]
        if rows is not None and rows.counts is not None:
            counts = rows.counts[numbers]
            total = counts.sum(axis=1, keepdims=True)
            shares = counts / np.where(total > 0, total, 1.0)
            known = zip(counts[own].tolist(), weight_here.tolist(), strict=True)
            confidence, own_text = [count / whole if whole else None for count, whole in known], nothing
        mix = list(counts if view.amounts == "counts" else shares)
    if "p_value" in tree._arrays:
        p_value = [None if p != p else p for p in tree.array("p_value")[numbers].tolist()]
    value = nothing if tree.target.classes is not None else tree.array("value")[numbers].tolist()
    if tree.target.classes is None and rows is None:
        own_text = own_texts(tree, numbers) or nothing
    figures = {
        "n_rows": n_rows[numbers].tolist(),
        "weight": weight_here.tolist(),
        "share": (weight_here / (float(weight[0]) or 1.0)).tolist(),
        "mix": mix,
        "value": value,
        "spread": np.sqrt(impurity).tolist() if tree.criterion == "squared_error" else nothing,
        "impurity": impurity.tolist(),
        "gain": tree.array("gain")[numbers].tolist(),
        "p_value": p_value,
        "label": number_labels(tree, numbers) if label is nothing else [names[place] for place in label],
        "label_class": label,
        "confidence": confidence,
        "own": own_text,
        "loss": nothing if rows is None else rows.loss[numbers].tolist(),
    }
    for values in zip(*figures.values(), strict=True):
        yield dict(zip(figures, values, strict=True))
