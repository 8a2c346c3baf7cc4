"""Works under a limit of memory: each ends as it should or by a MemoryError, and the process can go on.

The limit is that of the address space (RLIMIT_AS), some bytes above what the process has when it begins.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import resource
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arboretum import ArboretumError
from support.children import PATIENCE, fork
from support.works import Tables, Work, drafts_in, fit_a_small_table, run

__all__ = ["GOOD", "SPARE", "needed", "try_under"]

# What may become of a work. All else is a fault: another error, another result, a crash, a hang.
GOOD = ("done", "MemoryError", "refused")
SPARE = 16 << 20  # what the process is given beside, to show that it can still fit a small table


def address_space(field: str = "VmSize") -> int:
    """How many bytes of addresses this process has, or (VmPeak) had at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status does not say {field}")


def give_back() -> None:
    """Give the system what memory is free."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def limit_to(room: int) -> None:
    """Let this process have so many bytes of addresses beside what it has, which is used up."""
    give_back()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allocate = ctypes.CDLL(None).malloc
    allocate.argtypes, allocate.restype = [ctypes.c_size_t], ctypes.c_void_p
    _call_deeply(400)  # the stack cannot grow later either, and the system ends the process if it must
    now = address_space()
    resource.setrlimit(resource.RLIMIT_AS, (now, hard))
    for power in range(24, 11, -1):
        while allocate(1 << power):
            pass
    resource.setrlimit(resource.RLIMIT_AS, (now + room, hard))


def _call_deeply(n: int) -> int:
    return max(map(_call_deeply, [n - 1])) if n > 0 else 0


def raise_limit(room: int) -> None:
    """Let this process have so many bytes more."""
    limit, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit + room, hard))


def needed(work: Work, tables: Tables) -> tuple[int, bytes]:
    """How many bytes of addresses a work takes beside what there is, and what it finds."""

    def life(report: Callable[[Any], None]) -> None:
        give_back()
        before = address_space()
        found = run(work, tables)
        report((address_space("VmPeak") - before, found))

    child = fork(life)
    try:
        told = child.hear(10 * PATIENCE)
    finally:
        child.end()
    if isinstance(told, str):
        raise RuntimeError(f"the work ended without any limit: {told}")
    return told[0], told[1]


def try_under(room: int, work: Work, tables: Tables, expected: bytes, small: bytes) -> tuple[str, str]:
    """Do a work with so many bytes of room in a process of its own; return the verdict and its details."""

    def life(report: Callable[[Any], None]) -> None:
        faulthandler.enable()
        limit_to(room)
        verdict = _verdict_on(work, tables, expected)
        gc.collect()
        raise_limit(SPARE)
        try:
            usable = fit_a_small_table() == small
        except MemoryError:
            report(("unusable", f"no small table can be fitted after: {verdict}"))
            return
        report(verdict if usable else ("unusable", f"another tree of the small table after: {verdict}"))

    if drafts := drafts_in(tables.folder):
        raise RuntimeError(f"there are drafts already: {drafts}")

    child = fork(life)
    try:
        told = child.hear()
    finally:
        child.end()
    if isinstance(told, str):
        return told.partition(":")[0], told
    if drafts := drafts_in(tables.folder):
        for name in drafts:
            os.remove(os.path.join(tables.folder, name))
        return "fault", f"a draft was left behind after: {told}"
    return told[0], told[1]


def _verdict_on(work: Work, tables: Tables, expected: bytes) -> tuple[str, str]:
    try:
        found = run(work, tables)
    except MemoryError as error:
        return "MemoryError", str(error)
    except ArboretumError as error:
        return "refused", str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-3:]
        places = " < ".join(f"{Path(place.filename).name}:{place.lineno}" for place in reversed(last))
        return "fault", f"{type(error).__name__}: {error} at {places}"
    return ("done", "") if found == expected else ("fault", "another result than without a limit")
