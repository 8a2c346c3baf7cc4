"""Check that users get a type for everything they can import: python tools/check_types.py [node]
Words: a type is known if pyright need not guess; scikit-learn and Typer state none for their classes.
Does not judge the code inside functions: that is mypy's work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYRIGHT = ROOT / "node_modules" / "pyright" / "index.js"
# What follows from a class of another package that has no types; it has no cure here.
FOREIGN = ("Type of base class", "Type of metaclass")
# What only repeats that a class named in it has such a base.
FOLLOWS = "partially unknown"


def ask_pyright(node: str) -> dict[str, Any]:
    """What pyright knows of the types that the package offers."""
    command = [node, str(PYRIGHT), "--pythonpath", sys.executable, "--verifytypes", "arboretum"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*command, "--ignoreexternal", "--outputjson"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
    )
    found: dict[str, Any] = json.loads(done.stdout)["typeCompleteness"]
    return found


def find_gaps(found: dict[str, Any]) -> list[str]:
    """The names whose types are missing or guessed, with what pyright says."""
    gaps = []
    for symbol in found["symbols"]:
        for fault in symbol["diagnostics"]:
            message = " ".join(fault["message"].split())
            if fault["severity"] == "error" and FOLLOWS not in message and not message.startswith(FOREIGN):
                gaps.append(f"{symbol['name']}: {message}")
    return sorted(gaps)


def main() -> None:
    """Ask, and end with what is missing."""
    found = ask_pyright(sys.argv[1] if len(sys.argv) > 1 else "node")
    if not found["symbols"]:
        sys.exit("pyright found nothing to look at in arboretum")
    gaps = find_gaps(found)
    if gaps:
        sys.exit("These have no type of their own:\n" + "\n".join(gaps))
    print(f"{len(found['symbols'])} names and members of arboretum have types")


if __name__ == "__main__":
    main()
