"""The demonstration: grow a tree on the bundled penguins, print it, and write files to look at.

`make demo` and `python -m arboretum.demo [folder]` run it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arboretum import TreeClassifier, datasets, report
from arboretum.export import to_html


def main(folder: str = "demo") -> None:
    """Print a tree; write `report.html`, `tree.html` (the interactive page) and `tree.json` to the folder."""
    X, y = datasets.load_penguins()
    model = TreeClassifier(competitors=3).fit(X, y)
    print("Which penguin is it? A tree for 344 penguins of Palmer Station:\n")
    print(model.tree_)
    print(f"\nright on {model.score(X, y):.1%} of the rows it was grown from")
    print("\nits size was chosen by cross-validation:\n")
    print(model.pruning_path_)
    told, page, tree = (Path(folder) / name for name in ("report.html", "tree.html", "tree.json"))
    page.parent.mkdir(parents=True, exist_ok=True)
    to_html(model, page, data={"penguins": (X, y)}, title="Which penguin is it?")
    tree.write_text(model.tree_.to_json() + "\n", encoding="utf-8")
    report(model, X, y, told, title="Which penguin is it?")
    print(f"\nwrote {told}: open it in a browser to see what the tree found, and how far to trust it")
    print(f"wrote {page}: the tree alone, to look around in")
    print(f"wrote {tree}: the same tree for programs")


if __name__ == "__main__":
    main(*sys.argv[1:2])
