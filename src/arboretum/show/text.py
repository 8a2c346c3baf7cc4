"""A tree as text: one line per node, drawn with branches, read from top to bottom.

Words: *line* is what one node shows: the outcome that leads to it, its size, and what it holds or predicts.
It draws nothing but characters; numbers are rounded for reading, the tree has them in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arboretum.tree import Node, Tree

__all__ = ["to_text"]

_SHOWN_CLASSES = 4


def to_text(tree: Tree, *, max_depth: int | None = None) -> str:
    """Return the tree as text; what lies below `max_depth` questions is counted, not shown."""
    return "\n".join(_lines(tree, max_depth))


def _lines(tree: Tree, max_depth: int | None) -> Iterator[str]:
    # A stack of (node, what stands in front of its line, what stands in front of its children's lines).
    todo: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while todo:
        node, lead, indent = todo.pop()
        yield lead + _line(node)
        if max_depth is not None and node.depth >= max_depth and not node.is_leaf:
            yield f"{indent}└── … {_count_below(node)} more nodes"
            continue
        for i, child in reversed(list(enumerate(node.children))):
            last = i == len(node.children) - 1
            todo.append((child, indent + ("└── " if last else "├── "), indent + ("    " if last else "│   ")))


def _count_below(node: Node) -> int:
    count, todo = 0, list(node.children)
    while todo:
        below = todo.pop()
        count += 1
        todo.extend(below.children)
    return count


def _line(node: Node) -> str:
    outcome = "" if node.outcome is None else node.outcome
    if node.takes_missing:
        outcome += " or missing"
    size = f"{node.n_rows:,} row{'s' if node.n_rows != 1 else ''}"
    shown = _prediction(node) if node.is_leaf else _mix(node)
    return "  ".join(part for part in (outcome, f"[{size}]", shown) if part)


def _prediction(node: Node) -> str:
    if node.confidence is None:
        return f"→ {_number(node.label)}"
    return f"→ {node.label} ({_percent(node.confidence)})"


def _mix(node: Node) -> str:
    """What an inner node holds: its impurity, and the classes by share or the value."""
    impurity = f"{node.tree.criterion} {node.impurity:.3g}"
    if node.probability is None or node.tree.target.classes is None:
        return f"{impurity}, value {_number(node.value)}"
    shares = sorted(zip(node.tree.target.classes, node.probability, strict=True), key=lambda s: -s[1])
    present = [f"{name} {_percent(share)}" for name, share in shares if share > 0]
    more = [f"{len(present) - _SHOWN_CLASSES} more"] if len(present) > _SHOWN_CLASSES else []
    return f"{impurity}: {', '.join(present[:_SHOWN_CLASSES] + more)}"


def _percent(share: float) -> str:
    """Return a share as a percentage that never rounds to 0 % or 100 % what is neither."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def _number(value: Any) -> str:
    return f"{value:.6g}"
