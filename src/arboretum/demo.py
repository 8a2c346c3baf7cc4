"""The demonstration: grow a tree on the bundled penguins, print it, and write files to look at.

`make demo` and `python -m arboretum.demo [folder]` run it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arboretum import TreeClassifier, datasets
from arboretum.export import to_html


def main(folder: str = "demo") -> None:
    """Print a tree; write it to `tree.html`, an interactive page, and `tree.json` in the folder."""
    X, y = datasets.load_penguins()
    model = TreeClassifier(competitors=3).fit(X, y)
    print("Which penguin is it? A tree for 344 penguins of Palmer Station:\n")
    print(model.tree_)
    print(f"\nright on {model.score(X, y):.1%} of the rows it was grown from")
    print("\nits size was chosen by cross-validation:\n")
    print(model.pruning_path_)
    page, tree = Path(folder) / "tree.html", Path(folder) / "tree.json"
    page.parent.mkdir(parents=True, exist_ok=True)
    to_html(model, page, data={"penguins": (X, y)}, title="Which penguin is it?")
    tree.write_text(model.tree_.to_json() + "\n", encoding="utf-8")
    print(f"\nwrote {page}: open it in a browser to look around in the tree")
    print(f"wrote {tree}: the same tree for programs")


if __name__ == "__main__":
    main(*sys.argv[1:2])
