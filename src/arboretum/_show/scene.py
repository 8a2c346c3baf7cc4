"""What a picture shows of a tree: the visible nodes, with the words and numbers of each.

Large trees show their heaviest nodes; hidden nodes are counted. Numbers are those of the training rows, or of
other `data`.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from arboretum._data.scalars import is_integer
from arboretum._options.criteria import impurity_of
from arboretum._show.rows.node_rows import NodeRows, rows_in_nodes
from arboretum._show.rows.row_path import RowPath, row_path
from arboretum._show.words import answers, asked_text, class_names, level_names_once, number, rows_text
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.questions import Question
from arboretum._tree.tree import Node, Tree
from arboretum._types import Numbers
from arboretum.errors import ParameterError, choices, listing

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
_USUAL: Final = ("rows", "mix", "impurity", "p_value", "label", "confidence")
_USUAL_OF_DATA: Final = ("rows", "mix", "label", "confidence", "loss")
_AMOUNTS: Final = ("shares", "counts")


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
        for name, least in (("max_depth", 0), ("max_nodes", 1)):
            value = getattr(self, name)
            if value is not None and (not is_integer(value) or value < least):
                raise ParameterError(
                    f"{name}={value!r} is not allowed; give None or an integer from {least} on."
                )
        if self.figures is not None and not isinstance(self.figures, list | tuple | str):
            kind = type(self.figures).__name__
            raise ParameterError(f"figures is of type {kind}; give a list, of {listing(FIGURES, 20)}.")
        if isinstance(self.figures, str):
            raise ParameterError(
                f"figures={self.figures!r} is not allowed; give a list of names, such as [{self.figures!r}]."
            )
        for figure in self.figures or ():
            if not isinstance(figure, str) or figure not in FIGURES:
                raise ParameterError(choices("figures", figure, FIGURES))
        if not isinstance(self.amounts, str) or self.amounts not in _AMOUNTS:
            raise ParameterError(choices("amounts", self.amounts, _AMOUNTS))
        self._refuse_figures_of_others()

    def _refuse_figures_of_others(self) -> None:
        """Refuse figures that are not known for the rows whose numbers are shown."""
        asked = self.figures or ()
        if self.data is None and "loss" in asked:
            raise ParameterError(
                "figures holds 'loss', which is counted on other rows.\nHint: give data=(X, y)."
            )
        of_training = [figure for figure in ("impurity", "gain", "p_value") if figure in asked]
        if self.data is not None and of_training:
            raise ParameterError(
                f"figures holds {of_training[0]!r}, which is known of the training rows alone.\n"
                "Hint: leave data out, or show 'loss'."
            )

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
    loss: float | None  # on other data
    n_hidden: int
    on_path: bool

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
    tree = tree_of(model, asker)
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
    return Scene(tree, view, nodes, names, impurity_of(tree.criterion), value_range, path, rows)


def left_out(tree: Tree) -> str:
    """Return the options that shaped the tree but do not affect counts of other rows, as ", without …".

    A loss changes labels, but every mistake counts as one.
    """
    if tree.rule is None:
        return ""
    options = tree.rule.changes_shares + (() if tree.rule.loss is None else ("loss",))
    return f", without the tree's {' and '.join(options)}" if options else ""


def count_below(tree: Tree) -> list[int]:
    """Return the number of nodes below each node; children come after their parents."""
    parents = tree.array("parent").tolist()
    below = [0] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
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
    hidden = count_below(tree) if len(numbers) < len(tree) else [0] * len(tree)
    figures = _Figures(tree, view, rows)
    said: list[tuple[str | None, str | None, bool]] = [(None, None, False)] * len(numbers)
    level = [0] * len(numbers)
    scene: list[SceneNode] = []
    levels: dict[str, list[str]] = {}
    for place, node in enumerate(numbers):
        question = Node(tree, node).question
        answered = () if question is None else answers(question, level_names_once(question, levels))
        if question is not None and children[place]:
            told = zip(children[place], answered, question.outcomes, strict=True)
            for child, answer, outcome in told:
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
                **figures.of(node, names),
            )
        )
    return scene


class _Figures:
    """The numbers of all nodes, read once."""

    def __init__(self, tree: Tree, view: View, rows: NodeRows | None) -> None:
        self.tree, self.rows = tree, rows
        self.of_classes = tree.target.classes is not None
        source: Any = tree.array if rows is None else (lambda name: getattr(rows, name))
        self.n_rows = source("n_rows").tolist()
        self.weight = source("weight").tolist()
        self.counts = source("counts") if self.of_classes else None
        self.impurity = tree.array("impurity").tolist()
        self.gain = tree.array("gain").tolist()
        self.label = tree.array("label").tolist() if self.of_classes else None
        self.value = None if self.of_classes else tree.array("value").tolist()
        self.probability = tree.array("probability") if self.of_classes else None
        self.mix = self.counts if view.amounts == "counts" else self._shares()
        self.p_value = tree.array("p_value").tolist() if "p_value" in tree._arrays else None
        self.loss = None if rows is None else rows.loss.tolist()
        self.is_variance = tree.criterion == "squared_error"
        self.total = self.weight[0] or 1.0

    def of(self, node: int, names: list[str]) -> dict[str, Any]:
        """Return the figures of one node by their names in a scene."""
        weight = self.weight[node]
        mix = None if self.mix is None else self.mix[node]
        label_class = None if self.label is None else self.label[node]
        value = None if self.value is None else self.value[node]
        p_value = None if self.p_value is None else self.p_value[node]
        return {
            "n_rows": self.n_rows[node],
            "weight": weight,
            "share": weight / self.total,
            "mix": mix,
            "value": value,
            "spread": self.impurity[node] ** 0.5 if self.is_variance else None,
            "impurity": self.impurity[node],
            "gain": self.gain[node],
            "p_value": None if p_value is None or p_value != p_value else p_value,
            "label": number(value) if label_class is None else names[label_class],
            "label_class": label_class,
            "confidence": self._confidence(node, label_class),
            "loss": None if self.loss is None else self.loss[node],
        }

    def _shares(self) -> Numbers | None:
        """Return the share of each class, as the tree estimates it or in other data."""
        if self.rows is None or self.counts is None:
            return self.probability
        total = self.counts.sum(axis=1, keepdims=True)
        shares: Numbers = self.counts / np.where(total > 0, total, 1.0)
        return shares

    def _confidence(self, node: int, label_class: int | None) -> float | None:
        """Return the estimated probability of the label, or its share in other data."""
        if label_class is None:
            return None
        if self.rows is None or self.counts is None:
            return None if self.probability is None else float(self.probability[node, label_class])
        weight = self.weight[node]
        return float(self.counts[node, label_class]) / weight if weight else None
