"""Grow treeple's oblique trees of one table, in an environment of its own: it wants an older scikit-learn.

`python grow_treeple.py TABLE.npz REPEATS` prints one line of JSON: its name, and for each seed the seconds of
the fit, the leaves and the share of the test rows it gets right.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from treeple.tree import ObliqueDecisionTreeClassifier


def main() -> None:
    """Fit with as many seeds as asked for."""
    table = np.load(sys.argv[1])
    found = []
    for seed in range(int(sys.argv[2])):
        model = ObliqueDecisionTreeClassifier(random_state=seed)
        start = time.perf_counter()
        model.fit(table["X"], table["y"])
        spent = time.perf_counter() - start
        right = float(np.mean(model.predict(table["X_test"]) == table["y_test"]))
        found.append({"seconds": spent, "leaves": int(model.get_n_leaves()), "accuracy": right})
    name = f"treeple {version('treeple')} (scikit-learn {version('scikit-learn')})"
    print(json.dumps({"name": name, "fits": found}))


if __name__ == "__main__":
    main()
