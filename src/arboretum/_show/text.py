"""A tree as text, one line per node, drawn with branches; and as a table, one row per node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from arboretum._show.scene import Scene, SceneNode, View, left_out, loss_text, scene_of
from arboretum._show.words import mix_text, rows_text, said, weight_text
from arboretum._tree.node import Node, answers_of
from arboretum._tree.tree import Tree
from arboretum._wording import many, percent, visible
from arboretum.errors import import_pandas

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_EDITS: Final = 8
_LONGEST_EDIT: Final = 80
# Deeper lines begin with their level and show the branches of the levels just above. Otherwise, a chain of a
# thousand questions would be a megabyte of blanks.
_DEEPEST: Final = 100
_ONE_STEP: Final = "│   "


def to_text(tree: Tree, *, max_depth: int | None = None, max_nodes: int | None = None) -> str:
    """Return the tree as text; nodes below `max_depth` questions are counted, not shown.

    Of a tree with more than `max_nodes` nodes, the heaviest are shown.
    """
    return scene_to_text(scene_of(tree, View(max_depth, max_nodes)))


def scene_to_text(scene: Scene) -> str:
    """Return a scene as text."""
    lines = list(lines_of(scene, partial(_line, scene)))
    if scene.counted and left_out(scene.tree):
        lines.append(f"({scene.counted})")
    if len(scene.nodes) < len(scene.tree):
        lines.append(f"({len(scene.nodes):,} of {len(scene.tree):,} nodes are shown)")
    if scene.tree.edits:
        lines.append(_edits(scene.tree))
    if scene.path is not None:
        told = "; ".join(scene.path.sentences or ("nothing is asked",))
        lines.append(f"the row: {told} {scene.path.conclusion}")
    return "\n".join(map(visible, lines))


def lines_of(scene: Scene, line: Callable[[SceneNode], str]) -> Iterator[str]:
    """Yield a line for each node, drawn with branches; `line` writes what follows them."""
    # A stack of (place, what precedes its line, what precedes its children's lines).
    todo: list[tuple[int, str, str]] = [(0, "", "")]
    while todo:
        place, lead, indent = todo.pop()
        node = scene.nodes[place]
        yield lead + line(node)
        deep = f"{node.level + 1}: " if node.level >= _DEEPEST else ""
        if node.n_hidden:
            yield f"{deep}{indent}└── … {many(node.n_hidden, 'more node')}"
        for i, child in reversed(list(enumerate(node.children))):
            last = i == len(node.children) - 1
            below = indent + ("    " if last else "│   ")
            todo.append(
                (child, deep + indent + ("└── " if last else "├── "), below[-len(_ONE_STEP) * _DEEPEST :])
            )


def _edits(tree: Tree) -> str:
    """Return the edits by hand, in one line."""
    texts = [str(edit) for edit in tree.edits[:_SHOWN_EDITS]]
    shown = [text if len(text) <= _LONGEST_EDIT else f"{text[: _LONGEST_EDIT - 1]}…" for text in texts]
    more = [f"{len(tree.edits) - _SHOWN_EDITS} more"] if len(tree.edits) > _SHOWN_EDITS else []
    return f"edited: {'; '.join(shown + more)}"


def _line(scene: Scene, node: SceneNode) -> str:
    outcome = said(node.outcome or "", node.takes_missing)
    size = _size(scene, node)
    shown = _prediction(scene, node) if node.question is None else _mix(scene, node)
    passed = "← the row" if node.on_path else ""
    return "  ".join(part for part in (outcome, f"[{size}]" if size else "", shown, passed) if part)


def _size(scene: Scene, node: SceneNode) -> str:
    shown = scene.view.shown_figures
    parts = [f"node {node.number}"] if "number" in shown else []
    if "rows" in shown:
        parts.append(rows_text(node.n_rows))
    # A node may hold parts of divided rows; with weights, shares are shares of weight.
    if "weight" in shown or ("rows" in shown and (scene.tree.missing == "fractions" or scene.is_weighted)):
        parts.append(f"weight {node.weight:.5g}")
    if "gain" in shown and node.question is not None:
        parts.append(f"gain {node.gain:.3g}")
    # Text shows p-values only if asked for by name.
    if "p_value" in (scene.view.figures or ()) and node.p_value is not None:
        parts.append(f"p {node.p_value:.2g}")
    if "loss" in shown:
        parts.append(loss_text(node))
    return ", ".join(filter(None, parts))


def _prediction(scene: Scene, node: SceneNode) -> str:
    shown = scene.view.shown_figures
    sure = ""
    if scene.view.amounts == "counts" and "mix" in shown:
        sure = f" ({_classes(scene, node)})" if node.mix is not None else ""
    elif "confidence" in shown and node.confidence is not None:
        sure = f" ({_with_own(percent(node.confidence), node)})"
    elif node.own is not None and node.confidence is None:
        sure = f" ({node.own})"
    return f"→ {node.label}{sure}" if "label" in shown else sure.strip()


def _with_own(prediction: str, node: SceneNode) -> str:
    """Return a probability, and what the rows alone say where that is something else."""
    return prediction if node.own is None else f"{prediction}; {node.own}"


def _mix(scene: Scene, node: SceneNode) -> str:
    """Return the impurity of an inner node, and its classes or value."""
    shown = scene.view.shown_figures
    impurity = f"{scene.impurity} {node.impurity:.3g}" if "impurity" in shown else ""
    if node.mix is None:
        # As for classes: what the rows say by themselves, where the prediction is drawn along the path.
        value = (node.own or f"value {node.label}") if "label" in shown else ""
        return ", ".join(part for part in (impurity, value) if part)
    mix = _classes(scene, node) if "mix" in shown else ""
    return ": ".join(part for part in (impurity, mix) if part)


def _classes(scene: Scene, node: SceneNode) -> str:
    """Return the classes that are present, the most frequent first."""
    if node.mix is None:
        return ""
    write = weight_text if scene.view.amounts == "counts" else percent
    return mix_text(scene.classes, node.mix.tolist(), write)


def to_frame(tree: Tree) -> pd.DataFrame:
    """Return a pandas data frame with one row per node."""
    frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(
        [_row(tree.node(i), *answer) for i, answer in enumerate(answers_of(tree))]
    )
    frame["parent"] = frame["parent"].astype("Int64")  # integers, and none for the root
    if "p_value" in frame:
        frame["p_value"] = frame["p_value"].astype("float64")  # also where nothing was tested
    return frame.set_index("node")


def _row(node: Node, answer: str | None, takes_missing: bool) -> dict[str, Any]:
    parent = node.parent
    row: dict[str, Any] = {
        "node": node.number,
        "parent": None if parent is None else parent.number,
        "depth": node.depth,
        "outcome": answer,
        "takes_missing": takes_missing,
        "question": None if node.question is None else str(node.question),
        "is_leaf": node.is_leaf,
        "n_rows": node.n_rows,
        "weight": node.weight,
        "impurity": node.impurity,
        "gain": node.gain,
        **({} if node.corrected_gain is None else {"corrected_gain": node.corrected_gain}),
        **({} if node.gain_ratio is None else {"gain_ratio": node.gain_ratio}),
        **({"p_value": node.p_value} if "p_value" in node.tree._arrays else {}),
        "improvement": node.improvement,
        "label": node.label,
        **({} if node.formula is None else {"formula": node.formula}),
    }
    if node.counts is not None and node.tree.target.classes is not None:
        row["confidence"] = node.confidence
        row |= {
            f"weight of {name}": float(count)
            for name, count in zip(node.tree.target.classes, node.counts, strict=True)
        }
    return row
