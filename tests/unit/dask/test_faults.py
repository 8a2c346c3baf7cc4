"""Faults of a cluster: lost workers do not show, all else is one clear error, and the cluster goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.delayed import delayed
from dask.sizeof import sizeof
from dask.utils import key_split
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker
from support.clusters import LOCAL

import arboretum
from arboretum import _core
from arboretum._data import read_dataset
from arboretum._grow.targets import Targets
from arboretum.dask import TreeClassifier
from arboretum.dask.cluster import OnWorkers, usable
from arboretum.dask.estimators import fit_parts
from arboretum.dask.growing import Level
from arboretum.dask.part import Coding, OpenRows, encode_part
from arboretum.dask.tree import Grown
from arboretum.dask.watch import Watch, workers_of
from arboretum.errors import ClusterError, DataError, ParameterError

# Dask's own calls of pandas.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


def table(number: int, n_rows: int = 30_000) -> pd.DataFrame:
    """One of several tables, made where it is asked for."""
    rng = np.random.default_rng(number)
    return pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("abcd"))


def target(x: pd.DataFrame) -> Any:
    return ((x["a"] + x["b"] * x["c"] + np.random.default_rng(0).normal(size=len(x))) > 0).astype(int)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two processes."""
    with LocalCluster(n_workers=2, processes=True, **LOCAL) as cluster, Client(cluster) as client:
        yield client


def small() -> TreeClassifier:
    return TreeClassifier(prune=None, min_samples_leaf=200, max_depth=5)


@pytest.fixture(scope="module")
def expected() -> arboretum.Tree:
    """The tree of four tables, in memory."""
    x = pd.concat([table(number) for number in range(4)], ignore_index=True)
    y = pd.concat([target(table(number)) for number in range(4)], ignore_index=True)
    fitted = arboretum.TreeClassifier(prune=None, min_samples_leaf=200, max_depth=5).fit(x, y)
    return fitted.tree_


def parts() -> tuple[list[Any], list[Any]]:
    tables = [delayed(table)(number) for number in range(4)]
    return tables, [delayed(target)(one) for one in tables]


def small_nodes(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have only nodes of so many rows finished in memory."""
    monkeypatch.setitem(fit_parts.__kwdefaults__, "small_rows", n_rows)


def assert_usable(client: Client) -> None:
    assert client.submit(sum, [1, 2], pure=False).result(timeout=60) == 3


def killing(client: Client, after_levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a worker killed as soon as so many levels are grown."""
    counter, plain = count(), OnWorkers.merged

    def merged(self: OnWorkers, *given: Any) -> Any:
        if self.level == after_levels and next(counter) == 0:
            found = client.run(os.getpid)
            os.kill(sorted(found.values())[0], signal.SIGKILL)
        return plain(self, *given)

    monkeypatch.setattr(OnWorkers, "merged", merged)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize("level", [1, *(pytest.param(n, marks=pytest.mark.deep) for n in (0, 2, 0, 1, 2))])
def test_a_killed_worker_does_not_show(
    client: Client, level: int, expected: arboretum.Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 in mid-fit: what the worker held is worked out again, and the tree is the same."""
    killing(client, level, monkeypatch)
    before = set(client.run(os.getpid).values())
    small_nodes(5_000, monkeypatch)
    x, y = parts()
    assert small().fit(x, y, client=client).tree_ == expected
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != before


def test_a_partition_that_cannot_be_made_is_named(client: Client) -> None:
    def broken(number: int) -> pd.DataFrame:
        raise OSError(f"disk {number} is gone")

    x, y = parts()
    with pytest.raises(DataError, match="Partition 2 of X cannot be read: OSError: disk 2 is gone") as caught:
        small().fit([x[0], x[1], delayed(broken)(2), x[3]], y, client=client)
    assert isinstance(caught.value.__cause__, OSError)
    assert_usable(client)


@pytest.mark.parametrize("fault", ["damaged", "gone"])
def test_a_file_that_cannot_be_read_is_named(client: Client, tmp_path: Path, fault: str) -> None:
    x = table(0, 400).assign(y=lambda x: target(x))
    dd.from_pandas(x, npartitions=4).to_parquet(tmp_path / "x")
    files = sorted((tmp_path / "x").glob("*.parquet"))
    read = dd.read_parquet(tmp_path / "x")
    if fault == "gone":
        files[1].unlink()
    else:
        files[1].write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(DataError, match=r"Partition 1 of (X|y) cannot be read: ") as caught:
        small().fit(read[["a", "b"]], read["y"], client=client)
    assert caught.value.__cause__ is not None


def test_what_a_partition_holds_is_refused_in_silence(client: Client) -> None:
    """Our own refusals are not logged at length by the workers, whose output is that of the terminal."""

    def failures() -> int:
        return str(client.get_worker_logs()).count("Compute Failed")

    before = failures()
    x = [delayed(table)(0, 50), delayed(table)(1, 50).assign(a=1j)]
    y = [delayed(target)(delayed(table)(n, 50)) for n in (0, 1)]
    with pytest.raises(DataError, match="Partition 1: "):
        small().fit(x, y, client=client)
    kinds = [x[0], x[0].assign(a="text")]
    with pytest.raises(DataError, match=r"'a' is of kind 'number' .*partition 0.* 'nominal' .*partition 1"):
        small().fit(kinds, y, client=client)
    assert_usable(client)
    assert failures() == before


def test_a_client_that_cannot_be_waited_for_is_refused(client: Client) -> None:
    closed = Client(client.scheduler.address)
    closed.close()
    with pytest.raises(ClusterError, match="connect a new client"):
        small().fit(*parts(), client=closed)
    waiting: Any = type("Waiting", (), {"asynchronous": True})()
    with pytest.raises(ParameterError, match="asynchronous"):
        usable(waiting)


def test_other_failures_of_a_cluster_are_one_sentence(client: Client) -> None:
    """Workers that die over and over, and tasks that others cancel."""
    worker: Any = type("Worker", (), {"address": "tcp://there"})()
    with (
        pytest.raises(ClusterError, match=r"4 workers died .* step 'count-buckets-level3' \(partition 7\)"),
        OnWorkers(client)._translated(),
    ):
        raise KilledWorker("count-buckets-level3-7-" + 8 * "0a1b", worker, 3)
    with OnWorkers(client) as runner:
        (slow,) = runner.each(time.sleep, [2])
        threading.Timer(0.3, slow.cancel).start()
        with pytest.raises(ClusterError, match="cancelled by others"):
            runner.values([slow])


def account(status: str, executing: int = 0) -> dict[str, Any]:
    """What a scheduler says of a worker."""
    metrics = {"task_counts": {"executing": executing}, "spilled_bytes": {"disk": 5}}
    return {"status": status, "memory_limit": 250_000_000, "metrics": metrics}


class Told:
    """A client of a scheduler that says what it is told to."""

    status = "running"

    def __init__(self, accounts: Any) -> None:
        self.accounts = iter(accounts)

    def scheduler_info(self) -> Any:
        return {"workers": next(self.accounts)}


@pytest.mark.parametrize(
    ("accounts", "verdict"),
    [
        ([{"a": account("paused")}] * 40, "The worker has stopped.* memory is full.* 250 MB"),
        ([{"a": account("paused"), "b": account("paused")}] * 40, "2 workers have stopped.* 500 MB"),
        ([{str(n): account("running")} for n in range(40)], "4 workers died"),
        ([{"a": account("paused"), "b": account("running")}] * 40, ""),
        ([{"a": account("paused", executing=1)}] * 40, ""),
        ([{}] * 40, ""),
        ([{"a": account("paused")}] * 10 + [{"a": account("running")}] * 10, ""),
    ],
    ids=["full", "all full", "dying", "one is free", "at work", "none yet", "free again"],
)
def test_workers_that_stand_still_or_die_are_noticed(
    accounts: Any, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask would wait for ever: the watch ends the fit, unless anything goes on."""
    monkeypatch.setattr("arboretum.dask.watch._INTERVAL", 0.0)
    told: Any = Told(accounts)
    watch, ended = Watch(told), []
    monkeypatch.setattr(watch._over, "wait", lambda _: told.accounts.__length_hint__() == 0)
    watch._look_after(lambda: ended.append(1))
    assert bool(re.match(verdict, watch.verdict, re.DOTALL)) if verdict else watch.verdict == ""
    assert len(ended) == bool(verdict)


def test_answers_are_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spot machines come and go: they are counted since the last answer only."""
    told: Any = Told({str(n): account("running")} for n in range(40))
    watch, looks = Watch(told), count()

    def wait(_: float) -> bool:
        if next(looks) % 3 == 0:
            watch.answered()
        return next(looks) > 70

    monkeypatch.setattr(watch._over, "wait", wait)
    watch._look_after(lambda: None)
    assert watch.verdict == ""


def test_what_the_scheduler_says_now_is_understood(client: Client) -> None:
    """The account that the watch reads has the fields that it looks for."""
    found = client.scheduler_info()["workers"]
    assert workers_of(found).names == set(found)
    for worker in found.values():
        assert worker["status"] == "running"
        assert worker["memory_limit"] > 0
        assert "disk" in worker["metrics"]["spilled_bytes"]
        assert "task_counts" in worker["metrics"]


# Processes of their own

PROGRAM = """
import os, signal, subprocess, sys, threading, time
import numpy as np, pandas as pd
from dask.delayed import delayed
from distributed import Client, LocalCluster
from arboretum.dask import TreeClassifier
from support.clusters import LOCAL

def table(number, seconds):
    if seconds:
        open(os.path.join(os.path.dirname(sys.argv[1]), f"made{number}"), "w").close()
    time.sleep(seconds)
    rng = np.random.default_rng(number)
    return pd.DataFrame(rng.normal(size=(200, 2)), columns=list("ab"))

def fit(seconds):
    x = [delayed(table)(number, seconds) for number in range(12)]
    return TreeClassifier(prune=None).fit(x, [delayed(np.arange)(200) % 2] * 12)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""

INTERRUPTED = """
    client = Client(LocalCluster(n_workers=2, processes=False, **LOCAL))
    threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        fit(1)
    except KeyboardInterrupt:
        print("interrupted")
    print(len(fit(0).tree_.root.children), len(os.listdir(os.path.dirname(sys.argv[1]))), flush=True)
    os._exit(0)
"""

LOST = """
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    command += ["--no-dashboard", "--scheduler-file", sys.argv[1]]
    scheduler = subprocess.Popen(command)
    client = Client(scheduler_file=sys.argv[1], timeout=60)
    threading.Timer(0.7, scheduler.kill).start()
    try:
        fit(1)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)
"""


def run(tmp_path: Path, rest: str) -> str:
    """Return what a program prints that has a cluster of its own."""
    (tmp_path / "program.py").write_text(PROGRAM + rest)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "scheduler.json")]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.run(
        command, env=environment, stdout=pipe, stderr=nowhere, text=True, timeout=120, check=True
    ).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_ctrl_c_cancels_the_tasks_and_leaves_the_cluster_usable(tmp_path: Path) -> None:
    """12 partitions of a second each are cancelled but for the two that are being made."""
    interrupted, told = run(tmp_path, INTERRUPTED).splitlines()
    children, files = map(int, told.split())
    assert (interrupted, children) == ("interrupted", 2)
    assert files < 10  # the program among them


def test_a_lost_scheduler_is_one_error(tmp_path: Path) -> None:
    """The fit waits for partitions, without any worker, when the scheduler is killed."""
    said = run(tmp_path, LOST)
    assert re.match(r"ClusterError The connection to the Dask scheduler tcp://\S+ was lost", said)


# What a fit tells


def test_levels_are_told(client: Client, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds and bytes per level as text and as a data frame, bars where verbose=1 asks for them."""
    small_nodes(20_000, monkeypatch)
    model = small().set_params(verbose=1, max_depth=2).fit(*parts(), client=client)
    bars = capsys.readouterr().err
    assert all(name in bars for name in ("partitions: 100%", "levels: 100%", "small nodes"))
    frame = model.growth_.to_frame()
    assert list(frame["depth"]) == [0, 1]
    assert (frame[["seconds", "bucket_bytes"]] > 0).all(axis=None)
    shown = repr(model.growth_).splitlines()
    assert shown[0].split() == list(frame.columns)
    assert repr(Grown((Level(0, 1, 2, 3_000, 4, 5.0),))).split()[-6:] == ["0", "1", "2", "3,000", "4", "5.00"]
    assert "small enough" in repr(Grown(()))


def test_dask_knows_the_sizes_of_parts() -> None:
    """So that it writes to disk what has no room, and moves what is small."""
    x = read_dataset(table(0))
    targets = Targets(len(x.columns[0].values), classes=np.zeros(30_000, dtype=np.int32), n_classes=2)
    form = _core.TargetForm("gini", 2, False)
    part = encode_part((x, targets), Coding(form, (np.array([2**64 - 1], dtype=np.uint64),) * 4))
    assert sizeof(part) >= 4 * 30_000 * (8 + 2)
    assert sizeof(OpenRows(np.zeros(1_000, dtype=np.uint32), np.zeros(2))) >= 4_000


def test_names_of_tasks_tell_step_and_level(client: Client) -> None:
    with OnWorkers(client) as runner:
        (before,) = runner.each(len, ["ab"])
        runner.level = 3
        (found,) = runner.each(len, ["ab"])
        total = runner.values([before, found])
    assert total == [2, 2]
    assert re.fullmatch(r"len-0-[0-9a-f]{32}", before.key)
    assert re.fullmatch(r"len-level3-0-[0-9a-f]{32}", found.key)
    assert key_split(before.key) == key_split(found.key) == "len"
