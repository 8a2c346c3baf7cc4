"""Estimators over Dask collections: the same model as from the whole table, and clear refusals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import arboretum
from arboretum.dask import TreeClassifier, TreeRegressor
from arboretum.dask.estimators import fit_parts
from arboretum.dask.runner import Here
from arboretum.errors import DataError, DataTypeError, ParameterError


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two workers, in threads."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def mixed_table(n_rows: int) -> tuple[pd.DataFrame, pd.Series, pd.Series, pd.Series]:
    """Columns of every kind, two classes, numbers and weights."""
    rng = np.random.default_rng(3)
    x = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "count": rng.integers(0, 30, n_rows),
            "text": rng.choice(list("abcdefgh"), n_rows),
            "category": pd.Categorical(rng.choice(["u", "v", "w"], n_rows)),
            "day": np.datetime64("2020-01-01") + rng.integers(0, 400, n_rows).astype("timedelta64[D]"),
            "gaps": pd.Series(rng.normal(size=n_rows)).mask(rng.random(n_rows) < 0.2),
        }
    )
    score = x["number"] + (x["text"] < "d") + rng.normal(size=n_rows)
    return (
        x,
        pd.Series(np.where(score > 0.5, "yes", "no")),
        score,
        pd.Series(rng.integers(0, 4, n_rows) + 0.5),
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("of_numbers", [False, True])
def test_partitions_give_the_model_of_the_whole_table(
    client: Client, weighted: bool, of_numbers: bool
) -> None:
    """Tree, predictions, fingerprint and file are the same."""
    x, classes, numbers, weights = mixed_table(2_000)
    y = numbers if of_numbers else classes
    ours: Any = (TreeRegressor if of_numbers else TreeClassifier)(prune=None, min_samples_leaf=5)
    its: Any = (arboretum.TreeRegressor if of_numbers else arboretum.TreeClassifier)(
        prune=None, min_samples_leaf=5
    )
    its.fit(x, y, sample_weight=weights if weighted else None)
    parts = [dd.from_pandas(given, npartitions=4) for given in (x, y, weights)]
    ours.fit(parts[0], parts[1], parts[2] if weighted else None)
    assert ours.tree_ == its.tree_
    assert ours.training_data_.fingerprint == its.training_data_.fingerprint
    assert (ours.predict(x) == its.predict(x)).all()


def test_levels_and_classes_need_not_occur_in_every_partition() -> None:
    """A partition without rows, and one that knows a single level and class."""
    x, y, *_ = mixed_table(300)
    order = np.argsort(x["text"].to_numpy(), kind="stable")
    x, y = x.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)
    cuts = [0, 0, 40, 300]
    pieces = list(pairwise(cuts))
    parts: dict[str, Any] = {
        "X": [x.iloc[a:b] for a, b in pieces],
        "y": [y.iloc[a:b] for a, b in pieces],
        "sample_weight": None,
    }
    settings = TreeClassifier(prune=None)._settings()
    state, _ = fit_parts(Here(), parts, settings, "TreeClassifier", small_rows=20)
    assert state.tree == arboretum.TreeClassifier(prune=None).fit(x, y).tree_


def test_arrays_and_delayed_tables(client: Client) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(900, 3))
    y = (x[:, 0] + x[:, 1] > 0).astype(int)
    expected = arboretum.TreeClassifier(prune=None).fit(x, y).tree_
    array = TreeClassifier(prune=None).fit(da.from_array(x, chunks=(200, 3)), da.from_array(y, chunks=200))
    assert array.tree_ == expected
    pieces = np.split(np.arange(900), [100, 700])
    delayed = [[dask.delayed(given[own]) for own in pieces] for given in (x, y)]
    assert TreeClassifier(prune=None).fit(*delayed).tree_ == expected


def test_what_is_not_offered_is_refused(client: Client) -> None:
    x, y = da.zeros((4, 2), chunks=(2, 2)), da.zeros(4, chunks=2)
    with pytest.raises(ParameterError, match="pruning"):
        TreeClassifier().fit(x, y)
    with pytest.raises(ParameterError, match="max_leaf_nodes"):
        TreeClassifier(prune=None, max_leaf_nodes=3).fit(x, y)
    with pytest.raises(DataTypeError, match="no partitions"):
        TreeClassifier(prune=None).fit(np.zeros((4, 2)), y)
    with pytest.raises(DataError, match=r"X has 2, y has 1"):
        TreeClassifier(prune=None).fit(x, y.rechunk(4))
    with pytest.raises(DataError, match="blocks of columns"):
        TreeClassifier(prune=None).fit(x.rechunk({1: 1}), y)


def test_faults_of_partitions_name_them(client: Client) -> None:
    y = [dask.delayed(np.array)([0, 1])] * 2
    kinds = [dask.delayed(pd.DataFrame)({"a": a}) for a in ([1, 2], ["x", "y"])]
    with pytest.raises(DataError, match=r"'a' is of kind 'integer'.*partition 0.*'nominal'.*partition 1"):
        TreeClassifier(prune=None).fit(kinds, y)
    with pytest.raises(DataError, match="Partition 1: The target should be a number"):
        TreeRegressor(prune=None).fit([kinds[0]] * 2, [y[0], dask.delayed(np.array)(["a", "b"])])
