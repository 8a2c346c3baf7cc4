"""A tree as text: one line per node, drawn with branches, read from top to bottom.

Words: *line* is what one node shows: the outcome that leads to it, its size, and what it holds or predicts.
It draws nothing but characters; numbers are rounded for reading, the tree has them in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from arboretum.criteria import impurity_of
from arboretum.tree import Node, Rule, Tree

__all__ = ["rule_to_text", "to_text"]

_SHOWN_CLASSES = 4
_SHOWN_EDITS = 8
_LONGEST_EDIT = 80
_LISTS: Final = re.compile(r"(at least [0-9]+|fewer than [0-9]+|all|not all|any|none) of: ")


def to_text(tree: Tree, *, max_depth: int | None = None, max_nodes: int | None = None) -> str:
    """Return the tree as text; what lies below `max_depth` questions is counted, not shown.

    Of a tree with more than `max_nodes` nodes the first ones by number are shown, which is its upper part.
    """
    shown = tree.array("depth") <= (np.inf if max_depth is None else max_depth)
    shown[len(tree) if max_nodes is None else max(1, max_nodes) :] = False
    # Children are shown together or not at all.
    whole = np.ones(len(tree), dtype=np.bool_)
    whole[tree.array("parent")[1:][~shown[1:]]] = False
    edited = [_edits(tree)] if tree.edits else []
    return "\n".join([*_lines(tree, whole.tolist()), *edited])


def rule_to_text(rule: Rule) -> str:
    """Return a rule in one line: what holds, what is predicted, and on how many rows this rests."""
    several = len(rule.outcomes) > 1
    parts = [f"({part})" if several and _is_loose(part) else part for part in rule.outcomes]
    label = _number(rule.label) if rule.confidence is None else str(rule.label)
    sure = "" if rule.confidence is None else f"{_percent(rule.confidence)}, "
    return f"{' and '.join(parts) or 'always'} → {label} ({sure}{_rows(rule.n_rows)})"


def _is_loose(outcome: str) -> bool:
    """Tell whether an outcome could be misread in front of an "and"."""
    return outcome.endswith(" or missing") or _LISTS.match(outcome) is not None


def _lines(tree: Tree, whole: list[bool]) -> Iterator[str]:
    # A stack of (node, what stands in front of its line, what stands in front of its children's lines).
    todo: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    below: list[int] = []
    n_shown = 0
    while todo:
        n_shown += 1
        node, lead, indent = todo.pop()
        yield lead + _line(node)
        if not whole[node.number]:
            below = below or _count_below(tree)
            yield f"{indent}└── … {below[node.number]:,} more nodes"
            continue
        for i, child in reversed(list(enumerate(node.children))):
            last = i == len(node.children) - 1
            todo.append((child, indent + ("└── " if last else "├── "), indent + ("    " if last else "│   ")))
    if n_shown < len(tree):
        yield f"({n_shown:,} of {len(tree):,} nodes are shown)"


def _edits(tree: Tree) -> str:
    """What was changed by hand, in one line."""
    texts = [str(edit) for edit in tree.edits[:_SHOWN_EDITS]]
    shown = [text if len(text) <= _LONGEST_EDIT else f"{text[: _LONGEST_EDIT - 1]}…" for text in texts]
    more = [f"{len(tree.edits) - _SHOWN_EDITS} more"] if len(tree.edits) > _SHOWN_EDITS else []
    return f"edited: {'; '.join(shown + more)}"


def _count_below(tree: Tree) -> list[int]:
    """Return for each node how many there are below it; children come after their parents."""
    parents = tree.array("parent").tolist()
    below = [0] * len(parents)
    for number in range(len(parents) - 1, 0, -1):
        below[parents[number]] += below[number] + 1
    return below


def _line(node: Node) -> str:
    outcome = "" if node.outcome is None else node.outcome
    if node.takes_missing:
        outcome += " or missing"
    shown = _prediction(node) if node.is_leaf else _mix(node)
    size = _rows(node.n_rows)
    if node.tree.missing == "fractions":  # rows may be here in part
        size += f", weight {node.weight:.5g}"
    return "  ".join(part for part in (outcome, f"[{size}]", shown) if part)


def _prediction(node: Node) -> str:
    if node.confidence is None:
        return f"→ {_number(node.label)}"
    return f"→ {node.label} ({_percent(node.confidence)})"


def _mix(node: Node) -> str:
    """What an inner node holds: its impurity, and the classes by share or the value."""
    impurity = f"{impurity_of(node.tree.criterion)} {node.impurity:.3g}"
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


def _rows(n_rows: int) -> str:
    return f"{n_rows:,} row{'s' if n_rows != 1 else ''}"


def _number(value: Any) -> str:
    return f"{value:.6g}"
