"""Forked processes that may end in any way: what became of each is told, and nothing else suffers.

A child inherits all that its parent has read and fitted, so that only what is looked at happens in it. It
reports by a pipe; a crash is seen by its signal, a hang by the end of patience.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["PATIENCE", "Child", "fork"]

PATIENCE = 60.0  # seconds without a word


@dataclass
class Child:
    """A process of its own, and the pipe by which it reports."""

    pid: int
    pipe: int

    def hear(self, patience: float = PATIENCE) -> Any:
        """Return the next report, or a text that begins with "crash" or "hang" and says what happened."""
        length = self._read(4, patience)
        content = self._read(int.from_bytes(length), patience) if isinstance(length, bytes) else length
        return pickle.loads(content) if isinstance(content, bytes) else content

    def _read(self, n: int, patience: float) -> bytes | str:
        content, until = b"", time.monotonic() + patience
        while len(content) < n:
            if not select.select([self.pipe], [], [], max(0.0, until - time.monotonic()))[0]:
                return f"hang: nothing for {patience:.0f} s"
            more = os.read(self.pipe, n - len(content))
            if not more:
                return f"crash: {self._how_it_ended()}"
            content += more
        return content

    def _how_it_ended(self) -> str:
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.pid = 0
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def end(self) -> None:
        """End it, whatever it does."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self.pipe)


def fork(life: Callable[[Callable[[Any], None]], None]) -> Child:
    """Start a child that calls `life(report)`; reports are anything that can be pickled."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading)
    code = 1
    try:
        os.close(reading)

        def report(what: Any) -> None:
            content = pickle.dumps(what)
            message = len(content).to_bytes(4) + content
            while message:
                message = message[os.write(writing, message) :]

        life(report)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
