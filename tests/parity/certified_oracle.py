"""What ConTree and STreeD prove to be the least loss of the tables in certified_tables.py.

They are not needed to compare, only to make `data/certified.json` anew, in the environment that `make bench`
gives them: `build/certified/bin/python tests/parity/certified_oracle.py`.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

try:
    from .certified_tables import CASES, Case
except ImportError:  # run as a program
    from certified_tables import CASES, Case  # type: ignore[import-not-found,no-redef]

STORED: Final = Path(__file__).parent / "data" / "certified.json"
SECONDS: Final = 300.0


def read_certified() -> dict[str, dict[str, float]]:
    """Return, for each case, the least loss that each program found."""
    losses: dict[str, dict[str, float]] = json.loads(STORED.read_text(encoding="utf-8"))["losses"]
    return losses


def loss_of(model: Any, X: Any, y: Any, case: Case) -> float:
    """Return the loss of the predictions on the rows that were learned from, with the price of the leaves."""
    predicted = model.predict(X)
    loss = float((predicted != y).sum() if case.classes else ((predicted - y) ** 2).sum())
    return loss + (case.price * case.rows * model.get_n_leaves() if case.price else 0.0)


def by_contree(case: Case) -> float | None:
    """Ask ConTree, which has depth as its only limit."""
    from pycontree import ConTree  # type: ignore[import-not-found]

    if not case.classes or case.leaves or case.least > 1 or case.price:
        return None
    X, y = case.table()
    model = ConTree(max_depth=case.depth, time_limit=SECONDS)
    model.fit(X.astype(float), y)
    return loss_of(model, X.astype(float), y, case)


def by_streed(case: Case) -> float | None:
    """Ask STreeD, which is given each threshold as a column."""
    from pystreed import STreeDClassifier, STreeDRegressor  # type: ignore[import-not-found]

    if not case.is_coarse:
        return None
    X, y = case.table()
    X = np.column_stack([column[:, None] < np.unique(column)[1:] for column in X.T]).astype(int)
    kind = STreeDClassifier if case.classes else STreeDRegressor
    task = "accuracy" if case.classes else "regression"
    if case.price:
        task, more = "cost-complex-accuracy", {"cost_complexity": case.price}
    else:
        more = {} if case.leaves is None else {"max_num_nodes": case.leaves - 1}
    limits = {"max_depth": case.depth, "min_leaf_node_size": case.least, "time_limit": SECONDS}
    model = kind(task, **limits, **more)
    model.fit(X, y)
    return loss_of(model, X, y, case)


def main() -> None:
    """Write down what they find."""
    warnings.simplefilter("ignore")
    losses: dict[str, dict[str, float]] = {}
    for case in CASES:
        found = {"pycontree": by_contree(case), "pystreed": by_streed(case)}
        losses[case.name] = {name: loss for name, loss in found.items() if loss is not None}
        print(case.name, losses[case.name], flush=True)
    versions = {name: version(name) for name in ("pycontree", "pystreed")}
    STORED.write_text(
        json.dumps({"versions": versions, "losses": losses}, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
