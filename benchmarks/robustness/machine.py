"""Where and when something was seen, in one sentence that names neither the machine nor a folder."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

__all__ = ["circumstances", "processor"]

NUMBERS = "numpy", "scikit-learn", "pandas", "pyarrow"


def processor() -> str:
    """Return the name of the processor, how many cores it has here, and the memory."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{name}, {os.cpu_count()} cores, {memory:.0f} GB of memory"


def circumstances() -> str:
    """Return the date, the machine, the load when it is asked, and the versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in NUMBERS)
    busy = os.getloadavg()[1]
    return (
        f"Seen on {time.strftime('%Y-%m-%d')}: {processor()}, {platform.system()}, Python "
        f"{platform.python_version()}, {versions}; a load of {busy:.1f}, the mean of five minutes."
    )
