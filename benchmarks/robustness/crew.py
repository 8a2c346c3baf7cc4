"""A crew: threads of Python that work at the same time."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

__all__ = ["at_once"]


def at_once(work: Callable[[int], None], n_threads: int) -> None:
    """Let threads work, each with a number of its own, and wait for them; no warning is shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        crew = [threading.Thread(target=work, args=(number,)) for number in range(n_threads)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
