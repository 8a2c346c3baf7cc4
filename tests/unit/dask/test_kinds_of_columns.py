"""Columns of every type that Dask data frames and Parquet files have: the tree is that of memory."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from distributed import Client, LocalCluster
from support.clusters import LOCAL

import arboretum
from arboretum.dask import TreeClassifier, TreeRegressor

# Dask's own calls of pandas.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")

N_ROWS = 600
CUTS = (0, 150, 151, N_ROWS)  # one partition has a single row: hardly any level, perhaps nothing but gaps
CATEGORIES = ["red", "green", "blue"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two workers, in threads."""
    with LocalCluster(n_workers=2, processes=False, **LOCAL) as cluster, Client(cluster) as client:
        yield client


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    gap = rng.random(N_ROWS) < 0.15
    days = rng.integers(0, 400, N_ROWS)
    date, moment = datetime.date(2020, 1, 1), pd.Timestamp("2020-01-01")
    dates = [date + datetime.timedelta(days=int(day)) for day in days]
    words = pd.Series(rng.choice(list("uvwxyz"), N_ROWS))
    return {
        "float": rng.normal(size=N_ROWS).astype(np.float32),
        "arrow_float": pd.Series(rng.normal(size=N_ROWS), dtype="float64[pyarrow]").mask(gap),
        "arrow_int": pd.Series(rng.integers(0, 9, N_ROWS), dtype="int32[pyarrow]"),
        "nullable_int": pd.Series(rng.integers(0, 9, N_ROWS), dtype="Int64").mask(gap),
        "nullable_bool": pd.Series(rng.random(N_ROWS) < 0.4, dtype="boolean").mask(gap),
        "arrow_bool": pd.Series(rng.random(N_ROWS) < 0.4, dtype="bool[pyarrow]"),
        "string": words.astype("string"),
        "arrow_string": words.astype("string[pyarrow]").mask(gap),
        "category": pd.Categorical(rng.choice(CATEGORIES, N_ROWS), categories=CATEGORIES),
        "ordered": pd.Categorical(rng.choice(CATEGORIES, N_ROWS), categories=CATEGORIES, ordered=True),
        "day": moment + pd.to_timedelta(days, unit="D"),
        "zone": moment.tz_localize("UTC") + pd.to_timedelta(days, unit="h"),
        "arrow_date": pd.Series(dates, dtype=pd.ArrowDtype(pa.date32())),
        "span": pd.to_timedelta(days, unit="min"),
        "byte": rng.integers(0, 200, N_ROWS).astype(np.uint8),
    }


def classes(x: pd.DataFrame) -> pd.Series:
    """Classes that every column has to do with, and a tenth of which are wrong."""
    numbers = sum(pd.Series(pd.factorize(x[name])[0]).rank() for name in x)
    wrong = np.random.default_rng(1).random(len(x)) < 0.1
    return pd.Series(np.where((numbers > numbers.median()) ^ wrong, "yes", "no"))


def of_frames(x: pd.DataFrame, y: pd.Series, _: Path) -> tuple[Any, Any]:
    return dd.from_pandas(x, npartitions=3), dd.from_pandas(y, npartitions=3)


def of_files(x: pd.DataFrame, y: pd.Series, folder: Path) -> tuple[Any, Any]:
    """A data set of several files, as pandas writes them."""
    for number, (begin, end) in enumerate(pairwise(CUTS)):
        x.assign(target=y)[begin:end].to_parquet(folder / f"{number}.parquet", index=False)
    table = dd.read_parquet(folder)
    return table.drop(columns="target"), table["target"]


def of_dictionaries(x: pd.DataFrame, y: pd.Series, folder: Path) -> tuple[Any, Any]:
    """A list of files whose texts are dictionaries, with other words in each, read as Arrow's types."""
    for number, (begin, end) in enumerate(pairwise(CUTS)):
        given = pa.Table.from_pandas(x.assign(target=y)[begin:end], preserve_index=False)
        for place, field in enumerate(given.schema):
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
                given = given.set_column(place, field.name, given[field.name].dictionary_encode())
        pyarrow.parquet.write_table(given, folder / f"{number}.parquet")
    paths = [str(folder / f"{number}.parquet") for number in range(len(CUTS) - 1)]
    table = dd.read_parquet(paths, dtype_backend="pyarrow")
    return table.drop(columns="target"), table["target"]


@pytest.mark.parametrize("source", [of_frames, of_files, of_dictionaries])
@pytest.mark.parametrize(
    "names", [list(columns()), *(pytest.param([name], marks=pytest.mark.deep) for name in columns())]
)
def test_every_type_is_that_of_memory(client: Client, source: Any, names: list[str], tmp_path: Path) -> None:
    """Tree, fingerprint and predictions of partitions, of all columns together and of each alone."""
    assert_same(client, *source(*table_of(columns(), names), tmp_path))


def table_of(every: dict[str, Any], names: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    x = pd.DataFrame({name: every[name] for name in names})
    return x, classes(x)


def assert_same(client: Client, X: Any, y: Any) -> None:
    x = X.compute()
    ours = TreeClassifier(prune=None, min_samples_leaf=5).fit(X, y, client=client)
    its = arboretum.TreeClassifier(prune=None, min_samples_leaf=5).fit(x, y.compute())
    assert ours.tree_ == its.tree_
    assert ours.training_data_.fingerprint == its.training_data_.fingerprint
    assert list(X.map_partitions(ours.predict).compute()) == list(its.predict(x))


def test_partitions_predict_themselves(client: Client) -> None:
    """Classes that are text, shares of classes, numbers; from data frames and from arrays."""
    x, y = table_of(columns(), ["float", "string", "byte"])
    X = dd.from_pandas(x, npartitions=3)
    model = TreeClassifier(prune=None, max_depth=3).fit(X, dd.from_pandas(y, npartitions=3))
    predicted = X.map_partitions(model.predict)
    assert predicted.compute().tolist() == model.predict(x).tolist()
    shares = X.map_partitions(model.predict_proba)
    np.testing.assert_array_equal(shares.compute(), model.predict_proba(x))
    numbers = TreeRegressor(prune=None, max_depth=3).fit(X, dd.from_pandas(x["byte"], npartitions=3))
    np.testing.assert_array_equal(X.map_partitions(numbers.predict).compute(), numbers.predict(x))

    array = da.from_array(x[["float", "byte"]].to_numpy(dtype=np.float64), chunks=(200, 2))
    of_array = TreeClassifier(prune=None, max_depth=3).fit(array, da.from_array(y.to_numpy(), chunks=200))
    by_block = array.map_blocks(of_array.predict, dtype=object, drop_axis=1)
    assert by_block.compute().tolist() == of_array.predict(array.compute()).tolist()


def test_targets_and_columns_of_few_bytes_keep_their_files(client: Client, tmp_path: Path) -> None:
    """Dask reads several files at once where few of their columns are wanted: X and y still match."""
    x = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 12)), columns=list("abcdefghijkl"))
    dd.from_pandas(x.assign(y=x["a"] > x["b"]), npartitions=8).to_parquet(tmp_path / "x")
    read = dd.read_parquet(tmp_path / "x")
    assert len(read["y"].to_delayed()) < len(read.drop(columns="y").to_delayed()) == 8
    ours = TreeClassifier(prune=None).fit(read.drop(columns="y"), read["y"], sample_weight=abs(read["c"]))
    its = arboretum.TreeClassifier(prune=None).fit(x, x["a"] > x["b"], sample_weight=abs(x["c"]))
    assert ours.tree_ == its.tree_
