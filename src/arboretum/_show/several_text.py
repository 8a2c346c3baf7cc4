"""The tree of several outputs as text: the lines of one tree, with all outputs in each of them."""

from __future__ import annotations

from arboretum._show.output_words import outputs_said
from arboretum._show.scene import SceneNode, View, scene_of
from arboretum._show.text import lines_of
from arboretum._show.words import rows_text, said
from arboretum._tree.multi_tree import MultiTree
from arboretum._wording import visible


def several_text(tree: MultiTree, *, max_depth: int | None = None, max_nodes: int | None = None) -> str:
    """Return the tree as text; nodes below `max_depth` questions are counted, not shown."""
    scene = scene_of(tree.outputs[0], View(max_depth, max_nodes))

    def line(node: SceneNode) -> str:
        outcome = said(node.outcome or "", node.takes_missing)
        is_leaf = node.question is None
        shown = ("→ " if is_leaf else "") + "; ".join(outputs_said(tree, node.number, is_leaf=is_leaf))
        return "  ".join(part for part in (outcome, f"[{rows_text(node.n_rows)}]", shown) if part)

    lines = list(lines_of(scene, line))
    if len(scene.nodes) < len(tree):
        lines.append(f"({len(scene.nodes):,} of {len(tree):,} nodes are shown)")
    return "\n".join(map(visible, lines))
