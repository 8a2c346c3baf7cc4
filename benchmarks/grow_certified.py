"""Find one optimal tree with ConTree or STreeD, in an environment of its own.

`python grow_certified.py LIBRARY TABLE.npz DEPTH SECONDS` prints one line of JSON: the name, the CPU seconds
of the fit and the loss on the training rows. ConTree takes columns as they are; STreeD is given each
threshold as a column of its own, which are made beforehand. What needs more memory than MOST_BYTES fails.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from importlib.metadata import version
from typing import Any

import numpy as np

MOST_BYTES = 4 << 30  # so that the machine keeps what it needs


def main() -> None:
    """Fit once."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    library, path, depth, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    table = np.load(path)
    X, y, of_classes = table["X"], table["y"], bool(table["of_classes"])
    model = (make_contree if library == "contree" else make_streed)(depth, limit, of_classes)
    if library == "streed":
        X = np.column_stack([column[:, None] < np.unique(column)[1:] for column in X.T]).astype(int)
    start, begun = time.process_time(), time.perf_counter()
    model.fit(X, y)
    spent, waited = time.process_time() - start, time.perf_counter() - begun
    predicted = model.predict(X)
    loss = float((predicted != y).sum() if of_classes else ((predicted - y) ** 2).sum())
    package = {"contree": "pycontree", "streed": "pystreed"}[library]
    found = {"name": f"{package} {version(package)}", "seconds": spent, "loss": loss, "ended": waited < limit}
    print(json.dumps(found))


def make_contree(depth: int, limit: float, of_classes: bool) -> Any:
    """ConTree learns classes alone."""
    from pycontree import ConTree

    assert of_classes
    return ConTree(max_depth=depth, time_limit=limit)


def make_streed(depth: int, limit: float, of_classes: bool) -> Any:
    """STreeD on columns of zeros and ones, with all the nodes that the depth allows."""
    from pystreed import STreeDClassifier, STreeDRegressor

    if of_classes:
        return STreeDClassifier("accuracy", max_depth=depth, time_limit=limit)
    return STreeDRegressor("regression", max_depth=depth, time_limit=limit)


if __name__ == "__main__":
    main()
