"""LightGBM and XGBoost on a Dask cluster, one tree each.

`python -m benchmarks.clusters.rivals NAME ROWS WORKERS` runs in an environment of its own, without arboretum,
and prints what it found as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

import dask.dataframe as dd
import numpy as np
from dask.delayed import delayed
from distributed import Client, LocalCluster, wait

from benchmarks.clusters.tables import held_out, make_columns, make_target, part_sizes

MAX_DEPTH = 8


def fit_lightgbm(client: Client, x: Any, y: Any) -> Any:
    """One tree of 255 bins; returns what predicts shares of the second class."""
    lightgbm = import_module("lightgbm")
    model = lightgbm.DaskLGBMClassifier(
        client=client,
        n_estimators=1,
        learning_rate=1.0,
        max_depth=MAX_DEPTH,
        num_leaves=2**MAX_DEPTH,
        min_child_samples=1,
        min_child_weight=0.0,
        max_bin=255,
        n_jobs=1,
        verbosity=-1,
    ).fit(x, y)
    return lambda table: model.to_local().predict_proba(table)[:, 1]


def fit_xgboost(client: Client, x: Any, y: Any) -> Any:
    """One tree of 256 bins; returns what predicts shares of the second class."""
    xgboost = import_module("xgboost")
    on_dask = import_module("xgboost.dask")
    options = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "max_depth": MAX_DEPTH,
        "learning_rate": 1.0,
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "nthread": 1,
    }
    data = on_dask.DaskQuantileDMatrix(client, x, y, max_bin=256)
    found = on_dask.train(client, options, data, num_boost_round=1)
    return lambda table: found["booster"].predict(xgboost.DMatrix(table))


def measure(name: str, n_rows: int, n_workers: int) -> dict[str, Any]:
    """Return seconds and the share of held-out rows that the tree gets right."""
    fits = {"lightgbm": fit_lightgbm, "xgboost": fit_xgboost}
    local: dict[str, Any] = {"dashboard_address": "127.0.0.1:0", "protocol": "tcp", "host": "127.0.0.1"}
    with (
        LocalCluster(n_workers=n_workers, processes=True, threads_per_worker=1, **local) as cluster,
        Client(cluster) as client,
    ):
        parts = [delayed(make_columns)(part, size) for part, size in enumerate(part_sizes(n_rows))]
        x = dd.from_delayed(parts, meta=make_columns(0, 2))
        y = dd.from_delayed(
            [delayed(make_target)(own, part) for part, own in enumerate(parts)],
            meta=make_target(make_columns(0, 2), 0),
        )
        x, y = client.persist([x, y])
        wait([x, y])
        client.run(import_module, name)
        begin = time.perf_counter()
        predict = fits[name](client, x, y)
        seconds = time.perf_counter() - begin
        table, target = held_out()
        right = float(np.mean((predict(table) > 0.5) == (target == 1)))
    return {"seconds": seconds, "right": right, "version": import_module(name).__version__}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
