"""Pictures of large trees: seconds of the layout, of the SVG, of the page, and how they grow with the nodes.

`python benchmarks/pictures.py` prints its part of RESULTS.md, with --write it takes its place there; speed.py
writes it down with the others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from measuring import Report, medians, write_section

from arboretum import TreeClassifier
from arboretum._show.picture.layout import lay_out
from arboretum._show.scene import View, scene_of
from arboretum.export import to_html, to_svg

TITLE = "## Pictures"
SIZES = (1_000, 10_000, 100_000)
NOTES = """\
{title}

Trees of two classes, grown from noise, all nodes drawn; the median of {repeats} runs each. The goal was one
second each for the layout and the SVG of 10,000 nodes."""


def run(report: Report, share: float = 1.0) -> None:
    """Seconds of each picture, for trees of several sizes."""
    report.say("\n" + NOTES.format(title=TITLE, repeats=3))
    report.begin_table("nodes", "layout", "SVG", "page", "SVG in MB", "page in MB")
    rng = np.random.default_rng(0)
    for size in SIZES:
        n_rows = int(size * 3 * share)
        X = rng.normal(size=(n_rows, 6))
        y = (X.sum(axis=1) + rng.normal(0, 4, n_rows) > 0).astype(int)
        tree = TreeClassifier(prune=None, max_leaf_nodes=size // 2).fit(X, y).tree_
        children = scene_of(tree, View()).children
        breadth = [100.0] * len(tree)
        works = {
            "layout": lambda children=children, breadth=breadth: lay_out(children, breadth, 10.0),
            "svg": lambda tree=tree: to_svg(tree, max_nodes=None),
            "page": lambda tree=tree: to_html(tree, max_nodes=len(tree)),
        }
        found = medians(works, 3)
        sizes = [f"{len(work().encode()) / 1e6:.1f}" for name, work in works.items() if name != "layout"]
        report.add_row(f"{len(tree):,}", *(f"{found[name]:.3f}" for name in works), *sizes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the result into RESULTS.md")
    arguments = parser.parse_args()
    written = Report()
    run(written)
    if arguments.write:
        write_section(Path(__file__).parent / "RESULTS.md", TITLE, written.lines)
