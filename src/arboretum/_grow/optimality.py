"""Optimality: the certificate of a tree that was searched for as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arboretum._tree.tree import Tree
from arboretum.errors import import_pandas

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Alternative:
    """The best tree whose root asks about one column; no such tree costs less than `bound`."""

    column: str
    objective: float
    bound: float
    tree: Tree

    @property
    def proven(self) -> bool:
        """Whether no tree with that root costs less."""
        return self.bound >= self.objective


@dataclass(frozen=True, eq=False)
class Optimality:
    """What is known of the tree that `search=Optimal(…)` found: its cost, and how much less another may cost.

    The objective is the weight of the rows that the leaves get wrong (or what that costs by the loss matrix),
    for numbers the weighted sum of squared errors; and the price of all leaves, which is `alpha_` where data
    chose it. Leaves count by their own rows, whatever `leaf` makes of them. Squared errors are equal if they
    differ by less than a billionth of that of the root.

    >>> from arboretum import Optimal, TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(search=Optimal(), max_depth=2, prune=None).fit(X, y)
    >>> model.optimality_.objective, model.optimality_.gap, model.optimality_.stopped_by
    (6.0, 0.0, 'proof')

    Attributes
    ----------
    objective : what the tree costs
    bound, lower_bound : no tree within the limits costs less
    stopped_by : "proof", "gap", "time", "work", "memory" or "interrupt"
    seconds : how long the search took, or all searches whose trees the size was chosen from
    work : how often it passed over the rows of a node
    history : how objective and bound came closer, as (seconds, objective, bound)
    alternatives : with `Optimal(alternatives=True)`, the best tree for each column of the root:
        the best first, each with `column`, `objective`, `bound`, `proven` and `tree`
    """

    objective: float
    bound: float
    stopped_by: str  # "proof", "gap", "time", "work", "memory" or "interrupt"
    seconds: float
    work: int  # passes over the rows of a node
    history: tuple[tuple[float, float, float], ...]  # (seconds, objective, bound)
    alternatives: tuple[Alternative, ...] = ()  # the best first

    @property
    def lower_bound(self) -> float:
        """What every tree within the limits costs at least."""
        return self.bound

    @property
    def gap(self) -> float:
        """How much less another tree may cost, as a share of the objective."""
        return 0.0 if self.proven else (self.objective - self.bound) / self.objective

    @property
    def proven(self) -> bool:
        """Whether no tree within the limits costs less."""
        return self.bound >= self.objective

    def __str__(self) -> str:
        spent = f"{self.seconds:.3g} s, {self.work:,} passes"
        if self.proven:
            return f"optimal: {self.objective:.6g}, proven ({spent})"
        return (
            f"at most {self.gap:.1%} above the optimum: {self.objective:.6g}, bound {self.bound:.6g}, "
            f"stopped by {self.stopped_by} ({spent})"
        )

    def __repr__(self) -> str:
        return f"<Optimality: {self}>"

    def to_frame(self) -> pd.DataFrame:
        """Return the alternatives as a pandas data frame: the best tree for each root column."""
        columns: dict[str, list[Any]] = {
            "column": [each.column for each in self.alternatives],
            "objective": [each.objective for each in self.alternatives],
            "bound": [each.bound for each in self.alternatives],
            "leaves": [each.tree.n_leaves for each in self.alternatives],
        }
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(columns)
        return frame
