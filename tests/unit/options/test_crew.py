"""Crew: threads that share tasks with their caller, and what becomes of errors."""

from __future__ import annotations

import _thread
import threading
import time
from typing import Any

import pytest

from arboretum._options.crew import Crew
from arboretum._options.running import in_order


def test_results_come_in_the_order_of_the_tasks() -> None:
    """Whoever does a task, and however long it takes, the results are those of one thread."""

    def work(number: int) -> int:
        time.sleep(0.001 * (number % 3))
        return number * number

    expected = [number * number for number in range(40)]
    for n_threads in (1, 2, 7, 100):
        assert list(in_order(work, range(40), n_threads)) == expected


def test_others_help() -> None:
    """Two tasks that wait for each other end: each has a thread of its own."""
    both = threading.Barrier(2, timeout=30)
    assert sorted(in_order(lambda _: both.wait(), range(2), 2)) == [0, 1]


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
def test_without_a_thread_the_caller_does_it_all(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Where the system has none to spare, everything is done all the same."""

    def refuse(*_: Any) -> None:
        raise error

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    assert list(in_order(str, range(5), 4)) == ["0", "1", "2", "3", "4"]


def test_a_helper_that_cannot_begin_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that ends before its first line, for lack of memory, leaves its tasks to the others."""
    monkeypatch.setattr(_thread, "start_new_thread", lambda *_: 0)
    assert list(in_order(str, range(5), 4)) == ["0", "1", "2", "3", "4"]


def test_an_error_is_raised_in_its_turn_and_ends_the_rest() -> None:
    """The results before it are there; tasks that nobody had begun are dropped."""
    done: list[int] = []

    def work(number: int) -> int:
        if number == 3:
            raise ValueError("three")
        time.sleep(0.01)
        done.append(number)
        return number

    results = in_order(work, range(1_000), 3)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(done) < 100


def test_ctrl_c_in_the_caller_is_raised_at_once() -> None:
    """It does not wait for the turn of the task that the caller was at, only for what others have begun."""
    caller = threading.get_ident()

    def work(number: int) -> int:
        if threading.get_ident() == caller:
            raise KeyboardInterrupt
        time.sleep(0.05)
        return number

    crew = Crew(work, range(1_000), 1)
    crew.start()
    with pytest.raises(KeyboardInterrupt):
        list(crew.results())
    crew.stop()
    assert not any(crew._busy)
