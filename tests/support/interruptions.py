"""Works that are interrupted by Ctrl-C at any moment: the process answers, has cleaned up, and can go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.children import PATIENCE, fork
from support.works import Tables, Work, drafts_in, fit_a_small_table, run

__all__ = ["Answer", "interrupt"]


@dataclass(frozen=True)
class Answer:
    """What became of an interrupted work.

    The verdict is "interrupted", or "finished" if the work was over before; all else is a fault: the process
    did not answer, could not go on, or left a file half written. `seconds` passed until it answered.
    """

    verdict: str
    seconds: float
    details: str = ""


def interrupt(work: Work, tables: Tables, after: float, small: bytes) -> Answer:
    """Do a work in a process of its own, send Ctrl-C so many seconds later, and see what happens."""

    def life(report: Callable[[Any], None]) -> None:
        # A process that was started in the background ignores Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        finished = float("inf")
        try:
            report("ready")
            run(work, tables)
            finished = time.monotonic()
            time.sleep(PATIENCE / 2)  # the signal is on its way
            report("swallowed")
        except KeyboardInterrupt:
            answered = time.monotonic()
            report((finished, answered, fit_a_small_table() == small))

    child = fork(life)
    try:
        told = child.hear()
        if told == "ready":
            time.sleep(after)
            sent = time.monotonic()
            child.send(signal.SIGINT)
            told = child.hear()
    finally:
        child.end()
    if isinstance(told, str):
        return Answer(told.partition(":")[0], PATIENCE, told)
    finished, answered, usable = told
    drafts = drafts_in(tables.folder)
    for name in drafts:
        os.remove(os.path.join(tables.folder, name))
    if drafts:
        return Answer("draft left", answered - sent, str(drafts))
    if not usable:
        return Answer("unusable", answered - sent)
    return Answer("finished" if finished < sent else "interrupted", answered - sent)
