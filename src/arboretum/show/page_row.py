"""The way of one row as the page tells it: the nodes that it passes, and why it goes on from each.

Words: those of row_path.py. The page can show smaller trees than the one the row was asked in: there the way
ends sooner, and only of the tree that the model is, the *conclusion* is told here.
Nothing is drawn here.
"""

from __future__ import annotations

from typing import Any

from arboretum.fitted import has_names, tree_of
from arboretum.show.page_nodes import PageNodes
from arboretum.show.row_path import row_path

__all__ = ["row_lists"]


def row_lists(model: Any, row: Any, nodes: PageNodes, step: int, asker: str) -> dict[str, Any]:
    """Return the way of a row through the tree of the page, and what the model, at this step, concludes."""
    named = has_names(model, tree_of(model, asker))
    way = row_path(nodes.tree, row, named=named)
    parents = nodes.tree.array("parent").tolist()
    left = {parents[number] for number in way.nodes}  # nodes from which the row goes on
    sentences = iter(way.sentences)
    told = {number: next(sentences) if number in left else None for number in way.nodes}
    here = [number for number in way.nodes if number in nodes.place]
    return {
        "nodes": [nodes.place[number] for number in here],
        "sentences": [told[number] for number in here],
        "conclusion": row_path(tree_of(model, asker), row, named=named).conclusion,
        "step": step,
    }
