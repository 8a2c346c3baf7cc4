"""Good manners: threads, processes, forks and Ctrl-C, and nothing printed.

Speed belongs to benchmarks/; these tests only ask that other threads and processes get their turn.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier

from arboretum import Tree, TreeClassifier, TreeRegressor
from arboretum._data import read_dataset
from arboretum._tree.tree import core_dataset


def noise(seed: int, n_rows: int, n_columns: int = 5) -> tuple[Any, Any]:
    """Return columns and classes that have nothing to do with each other, so that trees grow large."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), rng.integers(0, 2, size=n_rows)


def grow(seed: int, n_rows: int = 3_000, n_jobs: int | None = None) -> Tree:
    """Return the tree of a noisy table; large enough for threads to be used."""
    return unpruned_classifier(n_jobs=n_jobs).fit(*noise(seed, n_rows)).tree_


def wide(n_jobs: int | None) -> Tree:
    """Return a tree from a table so large that the core shares it among threads."""
    return unpruned_classifier(n_jobs=n_jobs, max_depth=4).fit(*noise(0, 30_000)).tree_


# Threads


def test_fits_in_threads_are_those_in_series() -> None:
    """Eight fits in four Python threads give the trees that they give one after the other."""
    serial = [grow(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(grow, range(8))) == serial


def test_one_model_predicts_in_many_threads() -> None:
    """A fitted model is only read when predicting, so that threads may share it."""
    X, y = noise(1, 20_000)
    model = unpruned_classifier().fit(X, y)
    expected = model.predict_proba(X)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(model.predict_proba, [X] * 8):
            np.testing.assert_array_equal(found, expected)


def count_while(work: Callable[[], Any]) -> tuple[int, float]:
    """Return how many short turns another Python thread had while the work ran, and how long it took."""
    turns, over = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not over.wait(0.001):
            turns += 1

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    try:
        work()
    finally:
        seconds = time.perf_counter() - start
        over.set()
        counter.join()
    return turns, seconds


def test_the_interpreter_is_free_while_growing() -> None:
    """Another Python thread, which wakes up every millisecond, keeps its turns during a fit.

    Were the interpreter's lock held, it would have none; a busy machine leaves it fewer than it asks for.
    """
    X, y = noise(2, 300_000)
    turns, seconds = count_while(lambda: unpruned_classifier().fit(X, y))
    assert seconds > 0.1, "too short to tell"
    assert turns > 20 * seconds


def test_the_interpreter_is_free_while_predicting() -> None:
    """The same for predicting many rows."""
    X, y = noise(3, 200_000)
    model = unpruned_classifier().fit(X[:20_000], y[:20_000])
    leaves = model.tree_._leaves_of
    data = read_dataset(np.tile(X, (30, 1)))
    turns, seconds = count_while(lambda: leaves(data))
    assert seconds > 0.1, "too short to tell"
    assert turns > 20 * seconds


# Processes


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_fits_inside_joblib(backend: str) -> None:
    """Workers of every kind give the same trees, also when each uses threads of its own."""
    expected = [grow(seed) for seed in range(3)]
    for n_jobs in (None, 2):
        parallel = joblib.Parallel(n_jobs=2, backend=backend)
        assert parallel(joblib.delayed(_grow)(seed, n_jobs) for seed in range(3)) == expected


def _grow(seed: int, n_jobs: int | None) -> Tree:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a worker of a pool must not complain about threads
        return grow(seed, n_jobs=n_jobs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_fits_after_a_fork() -> None:
    """A child forked after a fit with threads can fit with threads itself: no thread was left to wait for."""
    expected = wide(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks while other threads run
        child = os.fork()
    if child == 0:  # pragma: no cover - another process
        same = False
        try:
            signal.alarm(30)  # a child that hangs ends, and the test fails
            same = wide(2) == expected
        finally:
            os._exit(0 if same else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


# Ctrl-C

CHILD = """
import sys, time
import numpy as np
from arboretum import BaggedClassifier, CostComplexity, Lookahead, MofN, Oblique, Permutation
from arboretum import TreeClassifier, TreeRegressor

rng = np.random.default_rng(0)
X, y = rng.normal(size=(1_000_000, 10)), rng.integers(0, 2, size=1_000_000)
for fit in iter(sys.stdin.readline, ""):
    print("ready", flush=True)
    try:
        exec(compile(fit, "fit", "exec"))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    else:
        print("finished", flush=True)
    model = TreeClassifier(prune=None, n_jobs=2).fit([[0.0], [1.0]], ["a", "b"])
    print(*model.predict([[0.0], [1.0]]), "OK", flush=True)
"""


class Fitting:
    """A process that does the fits it is told, one after the other; a new one after a test that failed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def interrupt(self, fit: str, after: float) -> float:
        """Send Ctrl-C a while after a fit has begun; return how many seconds later it ended."""
        process = self.process or subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.process = None
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            print(fit, file=process.stdin, flush=True)
            assert process.stdout.readline() == "ready\n"
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            start = time.perf_counter()
            assert process.stdout.readline() == "interrupted\n"
            seconds = time.perf_counter() - start
            assert process.stdout.readline() == "a b OK\n"
        except BaseException:
            process.kill()
            process.communicate()
            raise
        self.process = process
        return seconds

    def end(self) -> None:
        """The process ends well and has complained of nothing."""
        if self.process is not None:
            assert self.process.communicate() == ("", "")
            assert self.process.returncode == 0


@pytest.fixture(scope="module")
def fitting() -> Iterator[Fitting]:
    process = Fitting()
    yield process
    process.end()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize(
    "fit",
    [
        "TreeClassifier().fit(X, y)",
        "TreeRegressor(criterion='absolute_error', n_jobs=2).fit(X, y)",
        "TreeClassifier(criterion='entropy').fit(X, np.arange(len(y)) % 20)",
        "TreeRegressor(criterion='absolute_error', categorical_features=[0]).fit(X.round(), X[:, 1])",
        "TreeClassifier(prune=CostComplexity(folds=200)).fit(X[:50_000], y[:50_000])",
        "TreeClassifier(search=Lookahead(top=None)).fit(X[:500_000], y[:500_000])",
        "TreeClassifier(questions=MofN()).fit(X, y)",
        "TreeClassifier(questions=Oblique()).fit(X, y)",
        "TreeClassifier(significance=Permutation(), prune=None).fit(X[:, :3], X[:, 0] + X[:, 1] > y)",
        "BaggedClassifier(n_trees=200, n_jobs=2).fit(X[:500_000], y[:500_000])",
    ],
    ids=[
        "one thread",
        "two threads",
        "one large node of many classes",
        "subsets of levels by medians",
        "folds",
        "lookahead",
        "m-of-n",
        "oblique",
        "permutations",
        "two trees at once",
    ],
)
@pytest.mark.parametrize("after", [0.1, pytest.param(1.0, marks=pytest.mark.deep)])
def test_ctrl_c_ends_a_long_fit(fit: str, after: float, fitting: Fitting) -> None:
    """A long fit ends soon after Ctrl-C, early or late in it, and the process can fit again."""
    seconds = fitting.interrupt(fit, after)
    assert seconds < 5.0  # a fraction of a second on an idle machine; the tests share theirs


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
@pytest.mark.parametrize("plain", [False, True], ids=["many rows at once", "row by row"])
def test_a_signal_ends_a_long_predict(plain: bool) -> None:
    """An exception from a signal's handler comes at once, not when all the leaves are found."""
    X, y = noise(5, 20_000)
    tree = unpruned_classifier().fit(X, y).tree_
    data = core_dataset(read_dataset(np.broadcast_to(X[0], (5_000_000, X.shape[1]))))

    def predict() -> float:
        start = time.perf_counter()
        with contextlib.suppress(TimeoutError):
            tree._router.leaves_of(data, plain=plain)
        return time.perf_counter() - start

    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    whole = predict()
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, whole / 10)
        assert predict() < whole * 0.7
    finally:
        signal.signal(signal.SIGALRM, before)


# Silence


@allow_one_leaf
def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Fitting, predicting and looking write nothing to either stream of the screen, the core included."""
    X, y = noise(4, 500)
    X[0, 0] = np.nan
    model = TreeClassifier(n_jobs=2).fit(X, y)
    model.predict_log_proba(X)
    model.decision_path(X)
    TreeRegressor(criterion="poisson", max_bins=8).fit(X, y).predict(X)
    str(model.tree_)
    repr(model)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_nothing_is_printed_at_the_end() -> None:
    """A model that is still alive when Python ends, as one in a cache may be, is not complained about."""
    program = """
import ctypes
from arboretum import TreeClassifier
model = TreeClassifier(prune=None).fit([[1.0], [2.0]], ["a", "b"])
ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))  # so that it outlives everything
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
