"""The layout of the page is that of the still pictures, number for number."""

from __future__ import annotations

import numpy as np
from support.browser import Visits

from arboretum._show.page.script import _bare, view_file
from arboretum._show.picture.layout import lay_out

N_TREES = 300


def random_tree(rng: np.random.Generator) -> tuple[list[list[int]], list[float], float]:
    """Children, breadths and gap of a tree of any shape: chains, brooms and bushes."""
    n_nodes = int(rng.integers(1, 120))
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    reach = int(rng.integers(1, 40))
    for node in range(1, n_nodes):
        children[int(rng.integers(max(0, node - reach), node))].append(node)
    breadth = np.where(rng.random(n_nodes) < 0.1, 0.0, rng.gamma(2.0, 60.0, n_nodes))
    return children, breadth.tolist(), float(rng.integers(0, 40))


def test_both_layouts_agree(visits: Visits) -> None:
    rng = np.random.default_rng(1)
    trees = [random_tree(rng) for _ in range(N_TREES)]
    deep = ([[i + 1] for i in range(4_999)] + [[]], [10.0] * 5_000, 5.0)
    code = _bare("layout.js", view_file("layout.js"))
    with visits.visit(text="<!doctype html><meta charset=utf-8><title>empty</title>") as page:
        found = page.evaluate(
            f"(trees) => {{ {code}\nreturn trees.map((tree) => Array.from(layOut(...tree))); }}",
            [*trees, deep],
        )
    n_places = 0
    for tree, places in zip([*trees, deep], found, strict=True):
        np.testing.assert_allclose(places, lay_out(*tree), rtol=0, atol=1e-9)
        n_places += len(places)
    assert n_places > 10_000
