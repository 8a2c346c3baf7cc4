"""The peers that are called from R: rpart, ctree, C5.0, each once for all splits of a table.

The table and the splits are written as CSV, `fit_peers.R` fits and writes what it says, and we read that.
Where R or one of its packages is missing, `lacks` says so.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from .answers import Answer
from .splits import Split
from .tables import Table

__all__ = ["PEERS", "ask_r", "lacks", "versions"]

SCRIPT = Path(__file__).parent / "fit_peers.R"

# Name, package of R, and whether it takes numbers as targets.
PEERS = (
    ("rpart", "rpart", True),
    ("rpart, 1-SE", "rpart", True),
    ("ctree", "partykit", True),
    ("C5.0", "C50", False),
)


@cache
def installed() -> dict[str, str] | None:
    """The versions of R and its packages that are there, or None where there is no R."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    packages = ", ".join(f"'{package}'" for package in dict.fromkeys(package for _, package, _ in PEERS))
    ask = (
        f"for (p in c({packages})) if (requireNamespace(p, quietly = TRUE)) "
        "cat(p, format(packageVersion(p)), '\\n'); cat('R', format(getRversion()), '\\n')"
    )
    said = subprocess.run([rscript, "-e", ask], capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in said.splitlines() if line.strip())


def lacks(package: str) -> str | None:
    """What is missing for a peer, if anything is."""
    found = installed()
    if found is None:
        return "Rscript is not on the path"
    return None if package in found else f"the R package {package} is not installed"


def versions() -> list[str]:
    """R and its packages, with versions."""
    return [f"{name} {number}" for name, number in (installed() or {}).items()]


def ask_r(name: str, table: Table, splits: list[Split]) -> list[Answer]:
    """Have a peer answer all splits of a table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_question(folder, table, splits)
        command = ["Rscript", str(SCRIPT), name, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(" ".join(done.stderr.split())[-200:])
        return [read_answer(folder, table, split) for split in splits]


def write_question(folder: Path, table: Table, splits: list[Split]) -> None:
    """Write rows, kinds of columns, and who is held out when."""
    names = [f"x{number}" for number in range(table.X.shape[1])]
    target = table.numbered(table.y) if table.of_classes else table.y
    table.X.set_axis(names, axis=1).assign(target=target).to_csv(folder / "rows.csv", index=False, na_rep="")
    kinds = ["nominal" if name in table.nominal else "numeric" for name in table.X]
    kinds.append("nominal" if table.of_classes else "numeric")
    pd.DataFrame({"name": [*names, "target"], "kind": kinds}).to_csv(folder / "columns.csv", index=False)
    held_out = np.zeros((len(table.y), len(splits)), dtype=int)
    for position, split in enumerate(splits):
        held_out[split.test, position] = 1
    titles = [f"split{split.number}" for split in splits]
    pd.DataFrame(held_out, columns=titles).to_csv(folder / "held_out.csv", index=False)


def read_answer(folder: Path, table: Table, split: Split) -> Answer:
    """Read what was said about one split: a column per class or one of numbers, and two lines on the tree."""
    said = pd.read_csv(folder / f"said_split{split.number}.csv").to_numpy(dtype=np.float64)
    size = pd.read_csv(folder / f"tree_split{split.number}.csv").iloc[0]
    leaves, seconds = int(size["leaves"]), float(size["seconds"])
    if table.of_classes:
        return Answer(said.argmax(axis=1), said, leaves, seconds)
    return Answer(said[:, 0], None, leaves, seconds)
