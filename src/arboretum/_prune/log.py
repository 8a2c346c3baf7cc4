"""The pruning log: every node that a pruner considered, and what it did there.

An action is "leaf" (the node became one), "raise" (its largest branch replaced it) or "keep".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from arboretum._types import Array, Codes, Mask, Numbers
from arboretum._wording import many
from arboretum.errors import import_pandas

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = 100


@dataclass(frozen=True, eq=False)
class PruningLog:
    """One entry per step: the node (by its id), the errors before and after, and what was done.

    Reduced-error pruning counts the errors of the whole tree on the tuning data; pessimistic pruning
    estimates those of the subtree, and of what would take its place.

    Attributes
    ----------
    action : what was done at each node: "leaf", "keep" or, by C4.5, "raise"
    """

    node: Codes
    before: Numbers
    after: Numbers
    action: tuple[str, ...]
    errors: str  # what is counted, in words

    @staticmethod
    def _from_core(ids: Codes, found: Mapping[str, Array], actions: Sequence[str], errors: str) -> PruningLog:
        """Return the log of the steps that the core reports; `actions` names what it did."""
        done = tuple(actions[action] for action in found["action"].tolist())
        return PruningLog(ids[found["node"]], found["before"], found["after"], done, errors)

    @property
    def pruned(self) -> Mask:
        """Whether the step changed the tree."""
        return np.array([action != "keep" for action in self.action], dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.node)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per step."""
        columns = {"node": self.node, "before": self.before, "after": self.after, "action": self.action}
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(columns)
        return frame

    def __str__(self) -> str:
        lines = [f"{'node':>7} {'before':>12} {'after':>12}  action   ({self.errors})"]
        lines += [
            f"{self.node[i]:7d} {self.before[i]:12.6g} {self.after[i]:12.6g}  {self.action[i]}"
            for i in range(min(len(self), _SHOWN))
        ]
        more = [f"… {many(len(self) - _SHOWN, 'more step')}"] if len(self) > _SHOWN else []
        return "\n".join(lines + more)

    def __repr__(self) -> str:
        return f"<PruningLog: {many(len(self), 'step')}, {int(self.pruned.sum())} of them pruned>"
