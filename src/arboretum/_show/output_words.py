"""What the outputs of a tree of several say at a node, in words: for texts, pictures and graphs."""

from __future__ import annotations

from arboretum._data.levels import level_text
from arboretum._show.words import mix_text, number
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.tree import Tree
from arboretum._wording import percent


def outputs_said(tree: MultiTree, place: int, *, is_leaf: bool) -> tuple[str, ...]:
    """Return what each output predicts at a leaf, or its classes or mean at an inner node."""
    say = prediction_text if is_leaf else mixture_text
    return tuple(f"{name}: {say(own, place)}" for name, own in zip(tree.names, tree.outputs, strict=True))


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
