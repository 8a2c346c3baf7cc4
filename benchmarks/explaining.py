"""Contributions (TreeSHAP) side by side with shap, LightGBM and XGBoost, each for a tree of its own size.

`make bench` runs it at the end; `python benchmarks/explaining.py [--rows 0.1]` runs it alone. shap is given
the same tree, through `to_sklearn()`; LightGBM and XGBoost cannot read it, and grow one with as many leaves
from the same table. Everybody may use two threads.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import rivals
import tables
from measuring import NOTHING, Report, once, processor, seconds

from arboretum import TreeRegressor, contributions

N_LEAVES = 12_800
N_THREADS = 2
PACKAGES = {"shap": "shap", "LightGBM": "lightgbm", "XGBoost": "xgboost"}


def run(report: Report, share: float) -> None:
    """Explain many rows with one large tree, then the other ways with a smaller one."""
    n_rows, n_leaves = int(10_000 * share), max(2, int(N_LEAVES * share))
    X, y = tables.friedman(int(100_000 * share), 20)
    X = X.astype(np.float64)
    model = TreeRegressor(prune=None, max_leaf_nodes=n_leaves).fit(X, y)
    works = {
        name: make(model, X, y, X[:n_rows])
        for name, make in MAKERS.items()
        if rivals.can_import(PACKAGES[name])
    }
    ours = seconds(lambda: contributions(model, X[:n_rows], n_jobs=N_THREADS), 3)
    titles = [f"contributions, {n_rows:,} rows, {model.get_n_leaves():,} leaves, 20 columns, two threads"]
    report.begin_table(*titles, "seconds", "times ours", "goal")
    report.add_row("arboretum", f"{ours:.2f}", "1.0", NOTHING)
    report.add_row("arboretum, one thread", *timed(lambda: contributions(model, X[:n_rows]), ours))
    for name in MAKERS:
        cells = timed(works[name], ours)[:2] if name in works else (NOTHING, NOTHING)
        report.add_row(name, *cells, "5")
    more(report, X, y, share)


def more(report: Report, X: Any, y: Any, share: float) -> None:
    """Background data and interactions, against shap."""
    model = TreeRegressor(prune=None, max_leaf_nodes=500).fit(X, y)
    rows, behind = X[: int(1_000 * share)], X[-int(100 * share) :]
    few = rows[: max(1, len(rows) // 10)]
    report.begin_table("a tree of 500 leaves, seconds", "arboretum, one thread", "shap", "shap / ours")
    cases: list[tuple[str, Callable[[], Any], Callable[[Any], Any]]] = [
        (
            f"{len(rows):,} rows against {len(behind)} of the background",
            lambda: contributions(model, rows, behind),
            lambda shap: shap.TreeExplainer(
                model.to_sklearn(), behind, feature_perturbation="interventional"
            ).shap_values(rows),
        ),
        (
            f"interactions of {len(few)} rows",
            lambda: contributions(model, few, interactions=True),
            lambda shap: shap.TreeExplainer(
                model.to_sklearn(), feature_perturbation="tree_path_dependent"
            ).shap_interaction_values(few),
        ),
    ]
    for name, ours, theirs in cases:
        found = seconds(ours, 3)
        if rivals.can_import("shap"):
            shaps = once(lambda theirs=theirs: theirs(import_module("shap")))
            report.add_row(name, f"{found:.3f}", f"{shaps:.3g}", f"{shaps / found:.1f}")
        else:
            report.add_row(name, f"{found:.3f}", NOTHING, NOTHING)


def timed(work: Callable[[], Any], ours: float) -> tuple[str, str, str]:
    """The cells of a row: seconds, and in parts of ours."""
    found = once(work)
    return f"{found:.2f}", f"{found / ours:.1f}", NOTHING


def shap_work(model: TreeRegressor, X: Any, y: Any, rows: Any) -> Callable[[], Any]:
    """The shap package, on the same tree; it uses one thread."""
    shap = import_module("shap")
    explainer = shap.TreeExplainer(model.to_sklearn(), feature_perturbation="tree_path_dependent")
    return lambda: explainer.shap_values(rows)


def lightgbm_work(model: TreeRegressor, X: Any, y: Any, rows: Any) -> Callable[[], Any]:
    order = rivals.Order(n_classes=0, max_depth=None, min_leaf=1, n_leaves=model.get_n_leaves())
    booster: Any = rivals.grow_lightgbm(X, y, order)
    return lambda: booster.predict(rows, pred_contrib=True, num_threads=N_THREADS)


def xgboost_work(model: TreeRegressor, X: Any, y: Any, rows: Any) -> Callable[[], Any]:
    xgboost = import_module("xgboost")
    options = {
        "objective": "reg:squarederror",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": model.get_n_leaves(),
        "max_depth": 0,
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "nthread": N_THREADS,
    }
    booster = xgboost.train(options, xgboost.DMatrix(X, y), num_boost_round=1)
    data = xgboost.DMatrix(rows)
    return lambda: booster.predict(data, pred_contribs=True)


MAKERS: dict[str, Callable[..., Callable[[], Any]]] = {
    "shap": shap_work,
    "LightGBM": lightgbm_work,
    "XGBoost": xgboost_work,
}


def main() -> None:
    """Run it alone, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows and leaves")
    report = Report()
    report.say(f"Measured in seconds on {processor()}.")
    run(report, parser.parse_args().rows)


if __name__ == "__main__":
    main()
