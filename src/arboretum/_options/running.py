"""Options about running rather than learning: random numbers, threads, and how much is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.utils import check_random_state

from arboretum._data.scalars import is_integer
from arboretum._options.crew import Crew
from arboretum._options.rules import refuse
from arboretum.errors import PackageError

S = TypeVar("S")
T = TypeVar("T")
_MOST_THREADS: Final = 256  # each has scratch memory


@dataclass(frozen=True)
class RandomState:
    """A seed, or a source of random numbers."""

    words: str = "an integer of 0 or more, a RandomState, or None, which always gives the same folds"

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        try:
            check_random_state(0 if value is None else value)
        except ValueError as error:
            raise refuse(value, name, owner, self.words) from error
        return value


@dataclass(frozen=True)
class Threads:
    """A number of threads; negative numbers count back from the number of cores."""

    words: str = "a number of threads, -1 for all cores, or None for one"

    def read(self, value: Any, name: str, owner: str = "") -> int:
        if value is not None and (not is_integer(value) or value == 0):
            raise refuse(value, name, owner, self.words)
        if value is None:
            return int(effective_n_jobs(None))  # one, unless joblib's settings around us say otherwise
        # Threads are counted here: joblib counts processes, and has none to give inside a worker of a pool.
        return min(int(value) if value > 0 else max(1, cpu_count() + 1 + int(value)), _MOST_THREADS)


@dataclass(frozen=True)
class Verbose:
    """Whether progress is shown."""

    words: str = "0 (quiet) or 1 (a progress bar)"

    def read(self, value: Any, name: str, owner: str = "") -> bool:
        if not (is_integer(value) or isinstance(value, bool)) or value < 0:
            raise refuse(value, name, owner, self.words)
        return bool(value)


def random_source(random_state: Any) -> np.random.RandomState:
    """Return the source of random numbers that `random_state` names; None is a fixed one."""
    RandomState().read(random_state, "random_state")
    source: np.random.RandomState = check_random_state(0 if random_state is None else random_state)
    return source


def in_order(work: Callable[[S], T], tasks: Iterable[S], n_threads: int) -> Iterator[T]:
    """Yield the results in the order of the tasks; when stopped, tasks not yet begun are dropped."""
    if n_threads == 1:
        yield from map(work, tasks)
        return
    crew = Crew(work, list(tasks), n_threads - 1)
    try:
        crew.start()
        yield from crew.results()
    finally:
        crew.stop()


def progress(items: Iterable[T], total: int | None, what: str, *, shown: bool) -> Iterator[T]:
    """Yield the items; if shown, with a bar on standard error that counts them."""
    if not shown:
        yield from items
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PackageError(
            "verbose=1 shows a bar of tqdm, which is not installed. Hint: pip install tqdm, or verbose=0."
        ) from error
    with tqdm(items, total=total, desc=what) as bar:
        yield from bar
