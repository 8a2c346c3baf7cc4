"""Estimators over Dask collections: the same model as from the whole table, and clear refusals."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.delayed import delayed
from distributed import Client, LocalCluster
from sklearn.base import clone
from support.clusters import LOCAL

import arboretum
from arboretum.dask import TreeClassifier, TreeRegressor
from arboretum.dask.estimators import fit_parts
from arboretum.dask.runner import Here
from arboretum.errors import DataError, DataTypeError, ParameterError


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two workers, in threads."""
    with (
        LocalCluster(n_workers=2, processes=False, **LOCAL) as cluster,
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
    """By default: tree, path, size, predictions and fingerprint are the same."""
    x, classes, numbers, weights = mixed_table(2_000)
    y = numbers if of_numbers else classes
    ours: Any = (TreeRegressor if of_numbers else TreeClassifier)()
    its: Any = (arboretum.TreeRegressor if of_numbers else arboretum.TreeClassifier)()
    its.fit(x, y, sample_weight=weights if weighted else None)
    parts = [dd.from_pandas(given, npartitions=4) for given in (x, y, weights)]
    ours.fit(parts[0], parts[1], parts[2] if weighted else None)
    assert ours.tree_ == its.tree_
    assert ours.alpha_ == its.alpha_
    assert ours.pruning_path_.to_frame().equals(its.pruning_path_.to_frame())
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


def test_tuning_data_come_in_partitions_of_their_own(client: Client) -> None:
    x, y, *_ = mixed_table(900)
    parts = [dd.from_pandas(given[:600], npartitions=3) for given in (x, y)]
    held = [dd.from_pandas(given[600:], npartitions=2) for given in (x, y)]
    ours = TreeClassifier().fit(*parts, X_val=held[0], y_val=held[1])
    its = arboretum.TreeClassifier().fit(x[:600], y[:600], X_val=x[600:], y_val=y[600:])
    assert ours.tree_ == its.tree_
    assert ours.pruning_path_.to_frame().equals(its.pruning_path_.to_frame())
    with pytest.raises(DataError, match=r"X_val has 2, y_val has 3"):
        TreeClassifier().fit(*parts, X_val=held[0], y_val=parts[1])


def test_arrays_and_delayed_tables(client: Client) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(900, 3))
    y = (x[:, 0] + x[:, 1] > 0).astype(int)
    expected = arboretum.TreeClassifier(prune=None).fit(x, y).tree_
    array = TreeClassifier(prune=None).fit(da.from_array(x, chunks=(200, 3)), da.from_array(y, chunks=200))
    assert array.tree_ == expected
    pieces = np.split(np.arange(900), [100, 700])
    tables, targets = ([delayed(given[own]) for own in pieces] for given in (x, y))
    assert TreeClassifier(prune=None).fit(tables, targets).tree_ == expected


def test_what_is_not_offered_is_refused(client: Client) -> None:
    x, y = da.zeros((4, 2), chunks=(2, 2)), da.zeros(4, chunks=2)
    with pytest.raises(ParameterError, match=r"prune=Pessimistic\(\) is not offered"):
        TreeClassifier(prune="pessimistic").fit(x, y)
    with pytest.raises(DataTypeError, match="no partitions"):
        TreeClassifier(prune=None).fit(np.zeros((4, 2)), y)
    with pytest.raises(DataError, match=r"X has 2, y has 1"):
        TreeClassifier(prune=None).fit(x, y.rechunk(4))
    with pytest.raises(DataError, match="blocks of columns"):
        TreeClassifier(prune=None).fit(x.rechunk({1: 1}), y)


def test_faults_of_partitions_name_them(client: Client) -> None:
    y = [delayed(np.array)([0, 1])] * 2
    kinds = [delayed(pd.DataFrame)({"a": a}) for a in ([1, 2], ["x", "y"])]
    with pytest.raises(DataError, match=r"'a' is of kind 'integer'.*partition 0.*'nominal'.*partition 1"):
        TreeClassifier(prune=None).fit(kinds, y)
    with pytest.raises(DataError, match="Partition 1: The target should be a number"):
        TreeRegressor(prune=None).fit([kinds[0]] * 2, [y[0], delayed(np.array)(["a", "b"])])


def test_a_fitted_model_is_an_ordinary_one(client: Client, tmp_path: Path) -> None:
    """It is saved, exported, drawn, copied and predicts partitions like any other."""
    x, y, *_ = mixed_table(400)
    parts = [dd.from_pandas(given, npartitions=3) for given in (x, y)]
    ours = TreeClassifier(prune=None, max_depth=3).fit(*parts, client=client)
    its = arboretum.TreeClassifier(prune=None, max_depth=3).fit(x, y)
    arboretum.save(ours, tmp_path / "ours.json")
    loaded = arboretum.load(tmp_path / "ours.json")
    assert type(loaded) is arboretum.TreeClassifier
    assert loaded.tree_ == its.tree_
    assert (loaded.predict(x) == its.predict(x)).all()
    assert (pickle.loads(pickle.dumps(ours)).predict_proba(x) == its.predict_proba(x)).all()
    for export in (arboretum.export.to_svg, arboretum.export.to_python):
        assert export(ours) == export(its)
    assert arboretum.plot.tree(ours).get_figure() is not None
    assert clone(ours).get_params() == ours.get_params()
    predicted = parts[0].map_partitions(ours.predict, meta=np.array([], dtype=object)).compute()
    assert (predicted == its.predict(x)).all()
    levels = ours.growth_.levels
    assert [level.n_nodes for level in levels] == []  # all of it is small: one worker grew the tree


def test_processes_give_the_same_tree() -> None:
    """What travels between processes arrives whole."""
    x, y, *_ = mixed_table(60_000)
    with (
        LocalCluster(n_workers=1, processes=True, **LOCAL) as cluster,
        Client(cluster) as client,
    ):
        parts = [dd.from_pandas(given, npartitions=2) for given in (x, y)]
        ours = TreeClassifier(prune=None, max_depth=3).fit(*parts, client=client)
    assert ours.growth_.levels[0].n_nodes == 1
    assert ours.tree_ == arboretum.TreeClassifier(prune=None, max_depth=3).fit(x, y).tree_


def test_without_a_client_the_error_says_how_to_start_one() -> None:
    program = (
        "import dask.array as da\nfrom arboretum.dask import TreeRegressor\n"
        "try:\n    TreeRegressor(prune=None).fit(da.zeros((4, 2)), da.zeros(4))\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    assert "distributed.Client()" in run(program)


def test_without_the_packages_the_error_says_what_to_install() -> None:
    """Importing `arboretum` asks for none of them; `arboretum.dask` says which one is missing."""
    for name in ("dask", "distributed", "datasketches"):
        program = (
            f"import sys\nsys.modules[{name!r}] = None\nimport arboretum\n"
            "try:\n    import arboretum.dask\n"
            "except arboretum.PackageError as error:\n    print(error)"
        )
        assert 'pip install "arboretum[dask]"' in run(program)


def run(program: str) -> str:
    """Return what a program prints in a Python of its own."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
