"""The nodes of a page: the steps at which it shows them, which of them it holds, and their figures.

There is one step for each tree of the weakest-link sequence. A tree that is larger than the first of its
sequence, because some of its questions save nothing, has a step of its own in front. Cross-validated risks
come from the model; nothing is fitted or pruned here.

A *place* is the position of a node in the lists of the page; a *number* is its position in the tree. Figures
that are not finite become None; none is rounded.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from arboretum._prune.cost_complexity import CostComplexity, choose_step
from arboretum._prune.path import PruningPath
from arboretum._prune.sequence import Sequence as PruningSequence
from arboretum._show.own_rows import own_texts
from arboretum._show.rule_text import Wording
from arboretum._show.scene import count_below, opened_nodes
from arboretum._show.words import answers, asked_text, class_names, level_names_once, said
from arboretum._show.words import number as number_words
from arboretum._tree.fitted import tree_of
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.tables import COMPETITOR, SURROGATE
from arboretum._tree.tree import Node, Tree
from arboretum._types import Array, Integers, Mask, Numbers
from arboretum._wording import visible
from arboretum.inspection.rules.figures import Figures
from arboretum.inspection.rules.premises import premises

Lists = dict[str, Any]

# More classes than these are too many for a page: the rare ones are merged.
MOST_CLASSES: Final = 32
_WHOLE: Final = 2.0**53  # up to here, integers are written without a point


@dataclass(frozen=True, eq=False)
class PageNodes:
    """The nodes that a page holds."""

    tree: Tree
    numbers: Integers  # rising, so that parents come before their children
    hidden: Integers  # how many nodes below are left out
    step: Integers  # the first step at which each is a leaf

    @cached_property
    def asks(self) -> Mask:
        """Whether each asks something at some step of the page; the others are leaves from its first step."""
        return np.isin(self.numbers, self.tree.array("parent")[self.numbers]) | (self.hidden > 0)

    @cached_property
    def place(self) -> dict[int, int]:
        """The place of each node of the page, by its number."""
        return {number: place for place, number in enumerate(self.numbers.tolist())}

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights, so that a weight is not a number of rows."""
        return differ(self.figure("weight"), self.figure("n_rows"))

    def figure(self, name: str) -> Array:
        """Return an array of the tree for the nodes of the page."""
        taken: Array = self.tree.array(name)[self.numbers]
        return taken


@dataclass(frozen=True, eq=False)
class PageClasses:
    """The classes of a page: those of the tree, or the frequent ones and all others merged."""

    names: list[str]
    own: Integers  # the classes of the tree that are not merged
    n_merged: int

    @staticmethod
    def of(tree: Tree) -> PageClasses | None:
        """Return the classes of a tree; None where it predicts numbers."""
        if tree.target.classes is None:
            return None
        texts = class_names(tree.target.classes)
        if len(texts) <= MOST_CLASSES:
            return PageClasses(texts, np.arange(len(texts)), 0)
        weight = tree.array("counts")[0]
        own = np.sort(np.argsort(-weight, kind="stable")[: MOST_CLASSES - 1])
        n_merged = len(texts) - len(own)
        return PageClasses([*(texts[i] for i in own), f"{n_merged:,} other classes"], own, n_merged)

    def merge(self, counts: Numbers) -> Numbers:
        """Return weights per class, along the last axis, for the classes of the page."""
        if not self.n_merged:
            return counts
        alone = counts[..., self.own]
        rest = counts.sum(axis=-1, keepdims=True) - alone.sum(axis=-1, keepdims=True)
        return np.concatenate([alone, np.maximum(rest, 0.0)], axis=-1)

    def pick(self, values: Sequence[str], other: str) -> list[str]:
        """Return the values of the classes of the page, and `other` for the merged ones."""
        return [values[i] for i in self.own] + [other] * bool(self.n_merged)


def differ(weight: Any, n_rows: Any) -> bool:
    """Return whether weights are anything but numbers of rows."""
    return bool(np.any(np.abs(weight - n_rows) > 1e-9 * np.abs(weight)))


def plain(values: Array) -> list[Any]:
    """Return numbers for JSON: None if not finite, integers without a point.

    >>> plain(np.array([[1.0, 0.5], [np.nan, -np.inf]]))
    [[1, 0.5], [None, None]]
    """
    if values.ndim > 1:
        return [plain(row) for row in values]
    if values.dtype.kind != "f":
        listed: list[Any] = values.tolist()
        return listed
    return [_plain(value) for value in values.tolist()]


def _plain(value: float) -> float | int | None:
    if value - value != 0.0:  # NaN and the infinite
        return None
    return int(value) if value.is_integer() and abs(value) <= _WHOLE else value


# --- steps


@dataclass(frozen=True, eq=False)
class Steps:
    """A tree, and how it shrinks step by step."""

    tree: Tree
    path: PruningPath | None  # None where there is only one size
    at: Integers  # of each node: the first step at which it is a leaf
    gone: Integers  # of each node: the first step at which it no longer exists
    shown: int  # the step of the model itself
    best: int | None = None
    one_se: int | None = None

    def n_nodes(self) -> Integers:
        """Return the number of nodes at each step."""
        n_steps = 1 if self.path is None else len(self.path)
        return np.cumsum(np.bincount(np.minimum(self.gone, n_steps), minlength=n_steps + 1)[::-1])[::-1][1:]

    def first_within(self, max_nodes: int) -> int:
        """Return the first step with at most `max_nodes` nodes, or that of the model if it comes earlier."""
        return min(self.shown, int(np.argmax(self.n_nodes() <= max_nodes)))


def steps_of(model: Any, asker: str) -> Steps:
    """Return the sizes of a model's tree: those of its pruning path if the tree is on it, else its own."""
    tree = tree_of(model, asker)
    if hasattr(model, "_grown"):  # a fitted estimator
        path = model.pruning_path_
        if model._grown is tree:
            return _steps(tree, model._sequence(), path, shown=None)
        if path.chosen is not None:
            return _steps(model._grown, model._sequence(), path, shown=path.chosen)
    # A tree without its model, or one that was not pruned along the sequence.
    sequence = CostComplexity(alpha=0.0)._sequence(tree)
    return _steps(tree, sequence, sequence.path(), shown=None)


def steps_of_outputs(model: Any, several: MultiTree) -> list[Steps]:
    """Return the same for each output of a model, or of a tree of several; all of them shrink alike."""
    if not hasattr(model, "_grown"):  # a tree without its model, whose outputs have no common price
        return [_one_size(tree) for tree in several.outputs]
    grown = [own._grown for own in model.outputs_]
    sequence, path = model._sequence(), model.pruning_path_
    if grown[0] is several.outputs[0]:
        shared = _steps(grown[0], sequence, path, shown=None)
    elif path.chosen is not None:
        shared = _steps(grown[0], sequence, path, shown=path.chosen)
    else:
        return [_one_size(tree) for tree in several.outputs]
    return [replace(shared, tree=tree) for tree in grown]


def _one_size(tree: Tree) -> Steps:
    nothing = np.where(tree.array("n_children") == 0, 0, 1)
    return Steps(tree, None, nothing, np.ones(len(tree), dtype=np.int64), 0)


def _steps(tree: Tree, sequence: PruningSequence, path: PruningPath, *, shown: int | None) -> Steps:
    """Return the steps of a sequence; without `shown`, the tree itself is shown."""
    at = sequence.steps_at(sequence.alphas).astype(np.int64)
    whole = shown is None and int(path.leaves[0]) < tree.n_leaves
    if whole:
        path = _with_whole_tree(path, tree)
        at[tree.array("n_children") > 0] += 1
    if len(path) < 2 or not np.isfinite(path.risk).all():
        return _one_size(tree)
    best, one_se = _advised(path, 1 if whole else 0)
    return Steps(tree, path, at, _gone(tree, at, len(path)), shown or 0, best, one_se)


def _with_whole_tree(path: PruningPath, tree: Tree) -> PruningPath:
    """Return the path with the whole tree in front; its risk is that of the first tree."""
    return PruningPath(
        np.append(0.0, path.alpha),
        np.append(tree.n_leaves, path.leaves),
        np.append(path.risk[0], path.risk),
        np.append(np.nan, path.cv_risk),
        np.append(np.nan, path.cv_se),
        None if path.chosen is None else path.chosen + 1,
    )


def _advised(path: PruningPath, begin: int) -> tuple[int | None, int | None]:
    """Return the step of least cross-validated risk, and the step of the 1-SE rule."""
    risk, error = path.cv_risk[begin:], path.cv_se[begin:]
    if np.isnan(risk).any():
        return None, None
    return begin + choose_step(risk, error, "min"), begin + choose_step(risk, error, "1se_unpaired")


def _gone(tree: Tree, at: Integers, n_steps: int) -> Integers:
    """Return the step at which each node goes: when the first node above it becomes a leaf."""
    parents, leaf_from = tree.array("parent").tolist(), at.tolist()
    gone = [n_steps] * len(parents)
    for number in range(1, len(parents)):  # parents come before their children
        above = parents[number]
        gone[number] = min(gone[above], leaf_from[above])
    return np.array(gone, dtype=np.int64)


# --- which nodes


def kept_nodes(steps: Steps, first: int, max_nodes: int) -> PageNodes:
    """Return the nodes of a page that begins at a step; the heaviest if there are more than `max_nodes`."""
    tree = steps.tree
    there = steps.gone > first
    kept = there if int(there.sum()) <= max_nodes else _heaviest(tree, there, max_nodes)
    numbers = np.flatnonzero(kept)
    # Nodes that are left out below a kept child count there.
    hidden = np.array(count_below(tree, np.flatnonzero(there & ~kept).tolist()), dtype=np.int64)
    return PageNodes(tree, numbers, hidden[numbers], steps.at[numbers])


def _heaviest(tree: Tree, there: Mask, max_nodes: int) -> Mask:
    """Return which nodes are shown when the heaviest are opened."""
    first, size = tree.array("first_child"), tree.array("n_children")
    may_open = (size > 0) & there[np.where(size > 0, first, 0)]
    kept = np.zeros(len(tree), dtype=np.bool_)
    kept[0] = True
    for node in opened_nodes(tree, max_nodes, may_open.tolist()):
        kept[first[node] : first[node] + size[node]] = True
    return kept


# --- their lists


def node_lists(nodes: PageNodes, classes: PageClasses | None) -> Lists:
    """Return one list per figure, each with one entry per node."""
    words = _words(nodes) | {"premise": _premises(nodes)}
    return _shape(nodes) | words | _figures(nodes) | _rule_figures(nodes) | _predictions(nodes, classes)


def _shape(nodes: PageNodes) -> Lists:
    parents = [nodes.place.get(number, -1) for number in nodes.figure("parent").tolist()]
    children: list[list[int]] = [[] for _ in parents]
    for place, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(place)
    return {
        "id": nodes.figure("id").tolist(),
        "parent": parents,
        "children": children,
        "depth": nodes.figure("depth").tolist(),
        "hidden": nodes.hidden.tolist(),
        "step": nodes.step.tolist(),
    }


def _words(nodes: PageNodes) -> Lists:
    """Return the question of each node, and the answers that lead to its children."""
    n_nodes, tree = len(nodes.numbers), nodes.tree
    number_of = {column.name: place for place, column in enumerate(tree.columns)}
    questions: list[str | None] = [None] * n_nodes
    headlines: list[str | None] = [None] * n_nodes
    names: dict[str, list[str]] = {}  # of levels, by column
    outcomes: list[str | None] = [None] * n_nodes
    short_answers: list[str | None] = [None] * n_nodes
    takes_missing = [False] * n_nodes
    asked: list[list[int]] = [[] for _ in range(n_nodes)]
    for place in np.flatnonzero(nodes.asks).tolist():
        node = Node(tree, int(nodes.numbers[place]))
        question = node.question
        if question is None:
            continue
        questions[place] = str(question)
        asked[place] = [number_of[name] for name in question.columns]
        short = answers(question, level_names_once(question, names))
        headlines[place] = asked_text(question, short)
        # Right after their parent, whose question the tree has in its cache.
        for child, answer in zip(node.children, short, strict=True):
            at = nodes.place.get(child.number)
            if at is not None:
                takes_missing[at] = child.takes_missing
                outcomes[at] = said(str(child.outcome), takes_missing[at])
                short_answers[at] = answer
    return {
        "question": questions,
        "headline": headlines,
        "outcome": outcomes,
        "answer": short_answers,
        "takes_missing": takes_missing,
        "asked": asked,
    }


def _premises(nodes: PageNodes) -> list[list[list[Any]]]:
    """Return what each node changes in the rule of the node above: texts by key, null where one is gone."""
    changed: list[list[list[Any]]] = [[] for _ in nodes.numbers]
    wording, keys = Wording(nodes.tree), dict[Hashable, int]()
    for reached in premises(nodes.tree):
        place = nodes.place.get(reached.number)
        if place is not None and not changed[place]:  # of rows that stop at a question, its node says enough
            changed[place] = [
                [keys.setdefault(key, len(keys)), None if to is None else visible(wording.condition(to))]
                for key, to in reached.changes.items()
            ]
    return changed


def _rule_figures(nodes: PageNodes) -> Lists:
    """Return the intervals and the lifts of the rules; nothing where they are not known."""
    figures = Figures.of(nodes.tree)
    lift = [None] * len(nodes.numbers) if figures.lift is None else plain(figures.lift[nodes.numbers])
    return {
        "share": plain(figures.share[nodes.numbers]),
        "low": plain(figures.low[nodes.numbers]),
        "high": plain(figures.high[nodes.numbers]),
        "lift": lift,
    }


def _figures(nodes: PageNodes) -> Lists:
    lists: Lists = {name: plain(nodes.figure(name)) for name in ("n_rows", "weight", "impurity")}
    shown = ["gain"] + ["gain_ratio"] * (nodes.tree.criterion == "gain_ratio")
    shown += ["corrected_gain"] * ("corrected_gain" in nodes.tree._arrays)
    for name in shown:
        lists[name] = plain(np.where(nodes.asks, nodes.figure(name), np.nan))
    tested = "p_value" in nodes.tree._arrays
    lists["p_value"] = plain(nodes.figure("p_value")) if tested else [None] * len(nodes.numbers)
    return lists


def _predictions(nodes: PageNodes, classes: PageClasses | None) -> Lists:
    nothing = [None] * len(nodes.numbers)
    own = own_texts(nodes.tree, nodes.numbers.tolist()) or nothing
    if classes is None:
        values = nodes.figure("value")
        texts = [number_words(value) for value in values.tolist()]
        mean = plain(nodes.figure("own_value")) if nodes.tree.shrinkage else plain(values)
        return {
            "label": texts,
            "confidence": nothing,
            "own": own,
            "value": plain(values),
            "mean": mean,
            "counts": None,
        }
    labels = nodes.figure("label")
    texts = class_names(nodes.tree.target.classes)
    place = np.full(len(texts), len(classes.own), dtype=np.int64)  # that of the merged ones
    place[classes.own] = np.arange(len(classes.own))
    confidence = nodes.figure("probability")[np.arange(len(labels)), labels]
    return {
        "label": [texts[label] for label in labels.tolist()],
        "class": place[labels].tolist(),
        "confidence": plain(confidence),
        "own": own,
        "value": nothing,
        "mean": nothing,
        "counts": plain(classes.merge(nodes.figure("counts"))),
    }


def other_lists(nodes: PageNodes) -> tuple[Lists, Lists]:
    """Return the competitors and the surrogates of nodes that have some, by place."""
    competitors: Lists = {}
    surrogates: Lists = {}
    if not nodes.tree.remembered:
        return competitors, surrogates
    begin, role = nodes.tree.remembered["begin"].tolist(), nodes.tree.remembered["role"]
    for place in np.flatnonzero(nodes.asks).tolist():
        number = int(nodes.numbers[place])
        roles = role[begin[number] : begin[number + 1]]
        node = Node(nodes.tree, number)
        if (roles == COMPETITOR).any():
            competitors[str(place)] = [
                {
                    "question": str(other.question),
                    "gain": _plain(other.gain),
                    "gain_ratio": other.gain_ratio,
                    "corrected_gain": other.corrected_gain,
                }
                for other in node.competitors
            ]
        if (roles == SURROGATE).any():
            surrogates[str(place)] = [
                {
                    "question": str(other.question),
                    "agreement": _plain(other.agreement),
                    "adjusted_agreement": _plain(other.adjusted_agreement),
                    "n_rows": other.n_rows,
                }
                for other in node.surrogates
            ]
    return competitors, surrogates
