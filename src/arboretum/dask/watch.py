"""A watch over the workers while a fit waits: workers that stand still or die over and over end it.

Dask itself waits for ever for a worker whose memory is full and cannot become free.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from distributed import Client

_INTERVAL: Final = 2.0  # seconds between looks
_STANDSTILL: Final = 15  # looks without anything done; worker memory is freed and spilled in less
_DEATHS: Final = 3  # of each worker, on average, without an answer


@dataclass(frozen=True)
class _Workers:
    """What the scheduler knows of its workers."""

    names: frozenset[str]
    all_paused: bool
    busy: bool
    spilled: int
    limit: int


class Watch:
    """Looks after the workers from a thread of its own."""

    hint: Final = (
        "Hint: give the workers more memory, use more of them, or make the partitions smaller; docs/dask.md "
        "says what a fit needs."
    )

    def __init__(self, client: Client) -> None:
        self._client = client
        self._over = threading.Event()
        self._n_answers = 0
        self.verdict: str = ""  # why the fit was ended

    def start(self, end: Callable[[], None]) -> None:
        """Begin; `end` is called where the fit cannot go on."""
        threading.Thread(target=self._look_after, args=(end,), daemon=True, name="arboretum-watch").start()

    def stop(self) -> None:
        """End the watch."""
        self._over.set()

    def answered(self) -> None:
        """Note that the fit goes on."""
        self._n_answers += 1

    def _look_after(self, end: Callable[[], None]) -> None:
        still, died, before, answers = 0, 0, None, self._n_answers
        while not self._over.wait(_INTERVAL):
            if self._client.status != "running":
                return  # the fit has heard of it
            try:
                now = workers_of(self._client.scheduler_info()["workers"])
            except Exception:
                continue  # so has it of a lost connection
            if answers != self._n_answers:
                still, died, answers = 0, 0, self._n_answers
            elif before is not None:
                died += len(before.names - now.names)
                stands = now.all_paused and not now.busy and now.spilled == before.spilled
                still = still + 1 if stands else 0
            self.verdict = _verdict(now, still, died)
            if self.verdict:
                end()
                return
            before = now


def workers_of(known: Mapping[str, Mapping[str, Any]]) -> _Workers:
    """Return what is known of workers from the scheduler's account of them."""
    each = list(known.values())
    metrics = [worker.get("metrics", {}) for worker in each]
    return _Workers(
        frozenset(known),
        bool(each) and all(worker.get("status") == "paused" for worker in each),
        any(own.get("task_counts", {}).get("executing", 0) for own in metrics),
        sum(own.get("spilled_bytes", {}).get("disk", 0) for own in metrics),
        sum(int(worker.get("memory_limit") or 0) for worker in each),
    )


def _verdict(now: _Workers, still: int, died: int) -> str:
    """Return why the fit cannot go on; empty if it can."""
    if still >= _STANDSTILL:
        count = f"{len(now.names)} workers have" if len(now.names) > 1 else "The worker has"
        return (
            f"{count} stopped, since their memory is full: their limits come to {now.limit / 1e6:,.0f} MB."
            f"\n{Watch.hint}"
        )
    if died > _DEATHS * max(1, len(now.names)):
        return (
            f"{died} workers died one after the other before any had an answer; most often, their memory was "
            f"too small.\n{Watch.hint}"
        )
    return ""
