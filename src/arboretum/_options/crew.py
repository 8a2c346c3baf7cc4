"""Crew: threads of Python that share tasks with the one that called them.

The caller works as well and waits for nobody in vain, so that everything is done, or an error raised, where
the system has no thread or no memory to spare. `threading.Thread.start` would wait for ever for a thread that
lacked the memory to begin, and a pool has no caller who works.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, TypeVar

from arboretum import _core

__all__ = ["Crew"]

S = TypeVar("S")
T = TypeVar("T")
_PENDING: Final = object()
_LOST: Final = object()
_PATIENCE: Final = (
    0.1  # seconds until the caller looks itself, should a helper have had no memory for its news
)


class Crew(Generic[S, T]):
    """Tasks, taken one after the other by whoever is free, and their results.

    What helpers write has its place already, so that they need no memory for it. Ctrl-C reaches the caller
    between any two of its steps: it holds no lock then that helpers wait for.
    """

    def __init__(self, work: Callable[[S], T], tasks: Sequence[S], n_helpers: int) -> None:
        self._work, self._tasks = work, tasks
        self._n_taken = 0
        self._taking = threading.Lock()
        self._results: list[Any] = [_PENDING] * len(tasks)
        self._errors: list[BaseException | None] = [None] * len(tasks)
        self._busy = [False] * min(n_helpers, len(tasks))  # a helper that could not even begin is not
        self._stopped = False
        self._news: SimpleQueue[None] = SimpleQueue()

    def start(self) -> None:
        """Let the helpers begin, or as many as the system gives."""
        if not _core.has_room_for_threads(len(self._busy)):
            return
        for helper in range(len(self._busy)):
            try:
                _thread.start_new_thread(self._help, (helper,))
            except (RuntimeError, MemoryError):
                return

    def results(self) -> Iterator[T]:
        """Yield the results in the order of the tasks."""
        for number in range(len(self._tasks)):
            while self._results[number] is _PENDING:
                if not self._do_next(helps=False):
                    self._wait()
            result, self._results[number] = self._results[number], None  # the caller's from now on
            if (error := self._errors[number]) is not None:
                raise error
            if result is _LOST:
                raise MemoryError
            yield result

    def stop(self) -> None:
        """Drop the tasks that nobody has begun, and wait for those that helpers are at."""
        self._stopped = True
        while any(self._busy):
            self._wait()

    def _help(self, helper: int) -> None:
        self._busy[helper] = True
        try:
            _core.prepare_thread()
            while self._do_next(helps=True):
                self._tell()
        finally:
            self._busy[helper] = False
            self._tell()

    def _do_next(self, *, helps: bool) -> bool:
        """Do a task that nobody has taken; return whether there was one."""
        with self._taking:
            if self._stopped or self._n_taken == len(self._tasks):
                return False
            number = self._n_taken
            self._n_taken += 1
        result: Any = _LOST
        try:
            result = self._work(self._tasks[number])
        except BaseException as error:  # is raised when its turn has come
            self._errors[number] = error
            if not helps and not isinstance(error, Exception):
                raise  # Ctrl-C
        finally:
            self._results[number] = result
        return True

    def _tell(self) -> None:
        with suppress(MemoryError):
            self._news.put(None)

    def _wait(self) -> None:
        with suppress(Empty):
            self._news.get(timeout=_PATIENCE)
