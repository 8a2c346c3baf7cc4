"""Robustness, as seen: memory that runs out, many threads, Ctrl-C at any moment, hours of work, sanitizers.

Each piece is a module with `look(size)`, which returns the lines of its section of ROBUSTNESS.md and how many
faults there were. What models are asked to do is in tests/support/works.py, for the tests use it as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "tests")]
