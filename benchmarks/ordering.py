"""NDCG@10 of held-out queries: our trees for order, our regression tree, and the rankers of others.

`python benchmarks/ordering.py` writes the section "Order within queries" of ACCURACY.md beside this file.
LightGBM and XGBoost are asked if they are installed. Five minutes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Report, write_section

from arboretum import TreeRanker, TreeRegressor, datasets, ranking

HERE = Path(__file__).parent
TITLE = "## Order within queries"
CRITERIA = ("ndcg", "pairwise", "within_query")
TABLES: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "no query effect": {"query_effect": 0.0},
    "position noise": {"position_noise": 0.5},
    "twice the noise": {"noise": 2.0},
    "60 queries": {"n_queries": 60},
    "50 long queries": {"n_queries": 50, "rows_per_query": 80},
}
NOTES = """\
Tables of `datasets.make_ranking()`, 150 queries of 20 rows or as it says; NDCG@10 (gains are the
relevance, ties count as the mean over their orders) on 400 other queries, a mean over {seeds} tables ±
its standard error. Our trees are as they come, pruned by cross-validation over queries; the regression
tree keeps queries together in its folds. LightGBM (lambdarank) and XGBoost (rank:ndcg) have their
default parameters and 1 or 100 trees; nominal columns are categories for all. Seconds are of the
processor, for one fit, on a machine with other work."""


def fits() -> dict[str, Callable[[Any, Any, Any], Any]]:
    """Return all methods by name: each takes columns, relevance and queries, and returns a fitted model."""
    found: dict[str, Callable[[Any, Any, Any], Any]] = {
        f'`TreeRanker("{criterion}")`': lambda X, y, q, c=criterion: TreeRanker(criterion=c).fit(
            X, y, groups=q
        )
        for criterion in CRITERIA
    }
    found["`TreeRegressor()`"] = lambda X, y, q: TreeRegressor().fit(X, y, groups=q)
    for n_trees in (1, 100):
        trees = "1 tree" if n_trees == 1 else f"{n_trees} trees"
        if find_spec("lightgbm"):
            found[f"LightGBM, {trees}"] = lambda X, y, q, n=n_trees: lightgbm_of(n, X, y, q)
        if find_spec("xgboost"):
            found[f"XGBoost, {trees}"] = lambda X, y, q, n=n_trees: xgboost_of(n, X, y, q)
    return found


def lightgbm_of(n_trees: int, X: Any, y: Any, queries: Any) -> Any:
    """LightGBM's ranker; the rows of a query are side by side."""
    from lightgbm import LGBMRanker

    model = LGBMRanker(n_estimators=n_trees, n_jobs=1, verbose=-1)
    return model.fit(X, y, group=queries.groupby(queries, sort=False).size())


def xgboost_of(n_trees: int, X: Any, y: Any, queries: Any) -> Any:
    """XGBoost's ranker."""
    from xgboost import XGBRanker

    model = XGBRanker(n_estimators=n_trees, n_jobs=1, enable_categorical=True, objective="rank:ndcg")
    return model.fit(X, y, qid=queries.factorize()[0])


def measured(options: dict[str, Any], seeds: int) -> dict[str, tuple[list[float], list[float], list[int]]]:
    """Return for each method NDCG@10, seconds and leaves (of our trees) on each table."""
    found: dict[str, tuple[list[float], list[float], list[int]]] = {name: ([], [], []) for name in fits()}
    for seed in range(seeds):
        given = {"n_queries": 150, **options, "backend": "pandas"}
        X, y, queries = datasets.make_ranking(**given, random_state=seed)
        new, truth, asked = datasets.make_ranking(**given | {"n_queries": 400}, random_state=1000 + seed)
        X, new = (table.astype({"market": "category"}) for table in (X, new))
        for name, fit in fits().items():
            start = time.process_time()
            model = fit(X, y, queries)
            found[name][1].append(time.process_time() - start)
            found[name][0].append(ranking.ndcg(truth, model.predict(new), asked, k=10))
            if hasattr(model, "get_n_leaves"):
                found[name][2].append(model.get_n_leaves())
    return found


def main() -> None:
    """Compare on all tables, write down what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="tables of each kind")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    report = Report()
    report.say(f"{TITLE}\n")
    report.say(NOTES.format(seeds=arguments.seeds))
    results = {name: measured(options, arguments.seeds) for name, options in TABLES.items()}
    names = list(fits())
    report.begin_table("table", *names)
    for table, found in results.items():
        cells = [np.array(found[name][0]) for name in names]
        errors = [cell.std(ddof=1) / np.sqrt(len(cell)) if len(cell) > 1 else np.nan for cell in cells]
        report.add_row(
            table, *(f"{cell.mean():.3f} ± {error:.3f}" for cell, error in zip(cells, errors, strict=True))
        )
    for title, place, write in (("mean NDCG@10", 0, "{:.4f}"), ("seconds", 1, "{:.2f}")):
        means = [np.mean([np.mean(found[name][place]) for found in results.values()]) for name in names]
        report.add_row(title, *(write.format(mean) for mean in means))
    leaves = [
        "" if not found_any else f"{np.mean(found_any):.0f}"
        for found_any in ([n for found in results.values() for n in found[name][2]] for name in names)
    ]
    report.add_row("leaves", *leaves)
    ours = np.concatenate([np.array(found[names[0]][0]) for found in results.values()])
    theirs = np.concatenate([np.array(found["`TreeRegressor()`"][0]) for found in results.values()])
    report.say(
        f"\nSeen: {names[0]} is better than the regression tree on {(ours > theirs).sum()} of {len(ours)} "
        f"tables, by {(ours - theirs).mean():.4f} on average."
    )
    if not arguments.dry:
        write_section(HERE / "ACCURACY.md", TITLE, report.lines)


if __name__ == "__main__":
    main()
