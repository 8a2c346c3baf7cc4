"""The demonstration: grow a tree on the bundled penguins, print it, and write it to a file.

Run by `make demo`, or by `python -m arboretum.demo [folder]`. Nothing else in the package prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arboretum import TreeClassifier, datasets

__all__ = ["main"]


def main(folder: str = "demo") -> None:
    """Print a tree and write it to `tree.json` in the folder."""
    X, y = datasets.load_penguins()
    model = TreeClassifier().fit(X, y)
    print("Which penguin is it? A tree for 344 penguins of Palmer Station:\n")
    print(model.tree_)
    print(f"\nright on {model.score(X, y):.1%} of the rows it was grown from")
    print("\nits size was chosen by cross-validation:\n")
    print(model.pruning_path_)
    path = Path(folder) / "tree.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(model.tree_.to_json() + "\n", encoding="utf-8")
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
