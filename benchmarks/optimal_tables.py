"""The tables of the benchmark of optimal trees, and the goals that were set for some of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import concepts
import numpy as np
from sklearn import datasets as of_sklearn

__all__ = ["STOPPED", "Case", "list_cases", "read_cases"]

# CPU seconds until the proof, by table and depth. Tables are called as the files that hold them.
GOALS = {
    ("rice", 3): 0.5,
    ("magic", 3): 1.7,
    ("htru", 3): 2.5,
    ("fault", 3): 3.5,
    ("bean", 3): 6.0,
    ("raisin", 4): 4.0,
    ("room", 4): 12.0,
    ("r_concrete", 3): 0.2,
    ("r_concrete", 4): 12.0,
    ("r_grid", 3): 40.0,
}
# Too large for a proof: when the search is stopped, and the objective and the bound to be reached by then.
STOPPED = {("rice", 4): (10.0, 170.0, 140.0)}


@dataclass(frozen=True)
class Case:
    """A table, and the depth of the tree."""

    name: str
    X: Any
    y: Any
    depth: int

    @property
    def of_classes(self) -> bool:
        """Whether targets are classes."""
        return bool(self.y.dtype.kind in "iu")

    @property
    def title(self) -> str:
        """The name, and how large it is."""
        rows, columns = self.X.shape
        classes = f", {len(np.unique(self.y))} classes" if self.of_classes else ""
        return f"{self.name}, {rows:,} x {columns}{classes}"

    @property
    def n_thresholds(self) -> int:
        """How many columns of zeros and ones it makes."""
        return sum(len(np.unique(column)) - 1 for column in self.X.T)

    @property
    def goal(self) -> float | None:
        """CPU seconds that ours is to take at most."""
        return GOALS.get((self.name, self.depth))


def list_cases(share: float = 1.0) -> list[Case]:
    """Observed tables that come with packages, and made ones."""
    iris, cancer, diabetes, wine = (
        getattr(of_sklearn, f"load_{name}")(return_X_y=True)
        for name in ("iris", "breast_cancer", "diabetes", "wine")
    )
    made = of_sklearn.make_classification(int(5_000 * share), 10, n_informative=5, flip_y=0.1, random_state=0)
    four = of_sklearn.make_classification(
        int(2_000 * share), 10, n_informative=5, n_classes=4, flip_y=0.1, random_state=0
    )
    xor = concepts.rotated_xor(int(5_000 * share), 5, noise=0.1, seed=0)
    friedman = of_sklearn.make_friedman1(int(2_000 * share), noise=1.0, random_state=0)
    tables: list[tuple[str, Any, tuple[int, ...]]] = [
        ("iris", iris, (3, 4)),
        ("wine", wine, (3,)),
        ("breast cancer", cancer, (2, 3, 4)),
        ("make_classification", made, (2, 3)),
        ("make_classification", four, (3,)),
        ("rotated xor", xor, (3,)),
        ("diabetes", diabetes, (2, 3)),
        ("Friedman 1", friedman, (2, 3)),
        ("zeros and ones", _zeros_and_ones(int(1_000 * share), 40), (3, 4)),
    ]
    return [_make_case(name, *table, depth) for name, table, depths in tables for depth in depths]


def _zeros_and_ones(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Columns of two values, which the others are made for; the classes depend on seven of them."""
    rng = np.random.default_rng(0)
    X = (rng.random((n_rows, n_columns)) < 0.5).astype(float)
    signal = X[:, 0] * X[:, 1] + X[:, 2] * (1 - X[:, 3]) + X[:, 4] * X[:, 5] * X[:, 6]
    return X, (signal + 0.3 * rng.normal(size=n_rows) > 0.7).astype(int)


def read_cases(folder: Path, depths: list[int]) -> list[Case]:
    """Return the tables of a folder, at each of the depths, small depths and small tables first."""
    paths = sorted(folder.glob("*.txt*"))
    if not paths:
        raise SystemExit(f"--folder: '{folder}' holds no file whose name ends in .txt or .txt.gz.")
    tables = [(path.name.partition(".")[0], np.loadtxt(path)) for path in paths]
    tables.sort(key=lambda named: named[1].size)
    return [
        _make_case(
            name, table[:, 1:], table[:, 0] if name.startswith("r_") else table[:, 0].astype(int), depth
        )
        for depth in depths
        for name, table in tables
    ]


def _make_case(name: str, X: Any, y: Any, depth: int) -> Case:
    y = np.asarray(y)
    if y.dtype.kind != "f":
        y = np.unique(y, return_inverse=True)[1].astype(np.int64)
    return Case(name, np.ascontiguousarray(X, dtype=float), y, depth)
