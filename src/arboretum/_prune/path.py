"""The pruning path: what each tree of the weakest-link sequence costs, and which one was chosen.

Risk is the mean loss of the training rows, CV risk that of held-out rows. R's rpart prints alpha as CP, a
share of the risk of the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._types import Integers, Numbers
from arboretum._wording import many
from arboretum.errors import import_pandas

if TYPE_CHECKING:
    import pandas as pd


_SHORT: Final = 20  # trees of a path that is printed whole
_ENDS: Final = 4  # trees that are printed at either end of a longer path
_BESIDE: Final = 2  # and on either side of the chosen one


@dataclass(frozen=True, eq=False)
class PruningPath:
    """One entry per tree of the sequence, from the largest to the root alone; alphas rise from 0.

    Entry i is the smallest tree that minimises risk + alpha · leaves for every alpha from `alpha[i]` up to
    the next one. The first may be smaller than the tree as it was grown: what saves nothing costs nothing to
    remove. `cv_risk` and `cv_se` are NaN where nothing was held out; `chosen` is None where nothing was
    chosen.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(TreeClassifier().fit(X, y).pruning_path_)
         alpha  leaves       risk    CV risk       ± SE
             0       9          0    0.23675     0.0361
       0.01273       6   0.038191    0.23484     0.0356  chosen
      0.019388       5   0.057579    0.24731     0.0384
      0.032405       4   0.089983    0.24709     0.0379
      0.053193       3    0.14318    0.28896     0.0418
       0.31892       2     0.4621    0.52444     0.0248
       0.63651       1     1.0986     1.0986          0
    """

    alpha: Numbers
    leaves: Integers
    risk: Numbers
    cv_risk: Numbers
    cv_se: Numbers
    chosen: int | None = None

    def __post_init__(self) -> None:
        for array in (self.alpha, self.leaves, self.risk, self.cv_risk, self.cv_se):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.alpha)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per tree."""
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(self._columns())
        return frame

    def _columns(self) -> dict[str, Any]:
        return {
            "alpha": self.alpha,
            "leaves": self.leaves,
            "risk": self.risk,
            "cv_risk": self.cv_risk,
            "cv_se": self.cv_se,
            "chosen": np.arange(len(self)) == self.chosen,
        }

    def cp_table(self) -> pd.DataFrame:
        """Return the table that R's rpart prints: everything relative to the risk of the root.

        The root comes first; `nsplit` is the number of leaves less one, and the last `CP` is 0, where rpart
        writes the `cp` at which it stopped.
        """
        root = self.risk[-1] if self.risk[-1] > 0 else np.nan
        relative = {
            "CP": self.alpha / root,
            "nsplit": self.leaves - 1,
            "rel_error": self.risk / root,
            "xerror": self.cv_risk / root,
            "xstd": self.cv_se / root,
        }
        table = {name: values[::-1] for name, values in relative.items()}
        frame: pd.DataFrame = import_pandas("cp_table()").DataFrame(table)
        return frame

    def __str__(self) -> str:
        """Return a table as text; of a long path, its ends and the neighbours of the chosen tree."""
        lines = [f"{'alpha':>10} {'leaves':>7} {'risk':>10} {'CV risk':>10} {'± SE':>10}"]
        shown = self._shown()
        for before, i in zip([-1, *shown], shown, strict=False):
            if i > before + 1:
                n_left_out = i - before - 1
                lines.append(f"{'…':>10} {many(n_left_out, 'more tree')}")
            lines.append(self._line(i))
        if len(shown) < len(self):
            lines.append(f"{len(shown)} of {len(self):,} trees; to_frame() has them all.")
        return "\n".join(lines)

    def _shown(self) -> list[int]:
        n = len(self)
        if n <= _SHORT:
            return list(range(n))
        middle = [] if self.chosen is None else range(self.chosen - _BESIDE, self.chosen + _BESIDE + 1)
        return sorted({*range(_ENDS), *range(n - _ENDS, n), *(i for i in middle if 0 <= i < n)})

    def _line(self, i: int) -> str:
        held_out = "" if np.isnan(self.cv_risk[i]) else f" {self.cv_risk[i]:10.5g} {self.cv_se[i]:10.3g}"
        mark = "  chosen" if i == self.chosen else ""
        return f"{self.alpha[i]:10.5g} {self.leaves[i]:7d} {self.risk[i]:10.5g}{held_out}{mark}"

    def __repr__(self) -> str:
        down = " to 1" if len(self) > 1 else ""
        return f"<PruningPath: {many(len(self), 'tree')} of {many(int(self.leaves[0]), 'leaf')}{down}>"
