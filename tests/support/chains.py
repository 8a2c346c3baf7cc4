"""Trees of odd shapes, made without a table: a chain is as deep as it can be for its number of nodes."""

from __future__ import annotations

import json

import numpy as np

from arboretum import Tree

__all__ = ["chain"]


def chain(depth: int, *, n_columns: int = 1) -> Tree:
    """A tree that asks `x <= 0.5`, then `x <= 1.5` and so on: the first child of each question is a leaf.

    With several columns, each question is about the next one.
    """
    step, nodes = np.arange(depth), np.arange(2 * depth + 1)
    inner = np.where(step > 0, 2 * step, 0)  # of each pair of siblings the second goes on
    parent = np.concatenate([[-1], np.repeat(inner, 2)])
    n_rows = np.concatenate([[depth + 1], np.column_stack([np.ones(depth), depth - step]).ravel()])

    def at_inner(values: np.ndarray, otherwise: int) -> list[int]:
        filled = np.full(len(nodes), otherwise)
        filled[inner] = values
        return list(filled.tolist())

    named = [f"c{i}" for i in range(n_columns)] if n_columns > 1 else ["x"]
    ones = np.ones(len(nodes), dtype=np.int64)
    lists = {
        "parent": parent.tolist(),
        "first_child": at_inner(2 * step + 1, -1),
        "n_children": at_inner(0 * step + 2, 0),
        "depth": ((nodes + 1) // 2).tolist(),
        "id": nodes.tolist(),
        "column": at_inner(step % n_columns, -1),
        "kind": at_inner(0 * step + 1, 0),
        "threshold": [t + 0.5 * (t >= 0) for t in at_inner(step, 0)],
        "threshold_floor": at_inner(step, 0),
        "missing_child": ones.tolist(),
        "missing_seen": (0 * ones).tolist(),
        "level_begin": [0] * (len(nodes) + 1),
        "level": [],
        "level_child": [],
        "n_rows": n_rows.astype(int).tolist(),
        "weight": n_rows.tolist(),
        "impurity": (0.25 * ones).tolist(),
        "gain": at_inner(0 * step, 0),
        "improvement": at_inner(0 * step, 0),
        "counts": [[n * (i % 2), n * (1 - i % 2)] for i, n in enumerate(n_rows.tolist())],
        "probability": [[i % 2, 1 - i % 2] for i in nodes.tolist()],
        "label": ((nodes + 1) % 2).tolist(),
    }
    document = {
        "format": "arboretum tree",
        "version": 1,
        "classes": ["no", "yes"],
        "columns": [{"name": name, "kind": "number"} for name in named],
        "criterion": "gini",
        "missing": "child",
        "leaf": None,
        "edits": [],
        "nodes": lists,
        "others": {},
        "terms": {},
    }
    return Tree.from_json(json.dumps(document))
