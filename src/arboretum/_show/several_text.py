"""The tree of several outputs as text: the lines of one tree, with all outputs in each of them."""

from __future__ import annotations

from arboretum._data.levels import level_text
from arboretum._show.scene import SceneNode, View, scene_of
from arboretum._show.text import lines_of
from arboretum._show.words import mix_text, number, rows_text, said
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.tree import Tree
from arboretum._wording import percent, visible


def several_text(tree: MultiTree, *, max_depth: int | None = None, max_nodes: int | None = None) -> str:
    """Return the tree as text; nodes below `max_depth` questions are counted, not shown."""
    scene = scene_of(tree.outputs[0], View(max_depth, max_nodes))

    def line(node: SceneNode) -> str:
        outcome = said(node.outcome or "", node.takes_missing)
        shown = outputs_text(tree, node.number, is_leaf=node.question is None)
        return "  ".join(part for part in (outcome, f"[{rows_text(node.n_rows)}]", shown) if part)

    lines = list(lines_of(scene, line))
    if len(scene.nodes) < len(tree):
        lines.append(f"({len(scene.nodes):,} of {len(tree):,} nodes are shown)")
    return "\n".join(map(visible, lines))


def outputs_text(tree: MultiTree, place: int, *, is_leaf: bool) -> str:
    """Return what all outputs say at a node."""
    say = prediction_text if is_leaf else mixture_text
    each = (f"{name}: {say(own, place)}" for name, own in zip(tree.names, tree.outputs, strict=True))
    return ("→ " if is_leaf else "") + "; ".join(each)


def prediction_text(tree: Tree, place: int) -> str:
    """Return what one output predicts at a leaf."""
    if tree.target.classes is None:
        return number(tree.array("value")[place])
    label = tree.array("label")[place]
    share = float(tree.array("probability")[place, label])
    return f"{level_text(tree.target.classes[label])} ({percent(share)})"


def mixture_text(tree: Tree, place: int) -> str:
    """Return the classes or the value of one output at an inner node."""
    if tree.target.classes is None:
        own = tree._arrays.get("own_value", tree.array("value"))  # of its own rows
        return f"mean {number(own[place])}"
    counts = tree.array("counts")[place]
    shares = counts / counts.sum() if counts.sum() > 0 else counts
    return mix_text([level_text(label) for label in tree.target.classes], shares.tolist())
