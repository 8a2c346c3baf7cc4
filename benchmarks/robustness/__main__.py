"""Look how robust the package is, and write it down: `python -m benchmarks.robustness [piece …]`.

python -m benchmarks.robustness                       every piece, about an hour; writes ROBUSTNESS.md
python -m benchmarks.robustness memory --size 0.1     less of one of them
python -m benchmarks.robustness memory --look         nothing is written
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.measuring import write_section

PIECES = {
    "memory": "memory",
    "threads": "threads",
    "interruptions": "interruptions",
    "commands": "commands",
    "soak": "soak",
    "dask": "on_dask",
    "sanitizers": "sanitizers",
    "free-threading": "free_threading",
}
PATH = Path(__file__).parents[1] / "ROBUSTNESS.md"


def main() -> int:
    """Look at some pieces or all; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pieces", nargs="*", choices=[[], *PIECES], help="which pieces; all if none is named")
    parser.add_argument("--size", type=float, default=1.0, help="how much of each")
    parser.add_argument("--look", action="store_true", help="write nothing down")
    given = parser.parse_args()
    n_faults = 0
    for name in given.pieces or PIECES:
        section, lines, faults = import_module(f".{PIECES[name]}", __package__).look(given.size)
        n_faults += faults
        if not given.look:
            write_section(PATH, section, lines)
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
