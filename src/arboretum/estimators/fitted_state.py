"""What a fit leaves behind: one value, which the next fit replaces in one step.

A method that reads it once per call sees one tree with its own classes and columns, even while another thread
fits the same estimator again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np

from arboretum._data.fingerprint import TrainingData
from arboretum._grow.optimality import Optimality
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.log import PruningLog
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned
from arboretum._prune.sequence import Sequence
from arboretum._tree.importance import column_importance
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum.errors import listing

if TYPE_CHECKING:
    from arboretum.estimators.base_tree import BaseTree

T = TypeVar("T")


class OutputModels(tuple["BaseTree", ...]):
    """The models of several outputs, by place or by name: `models[0]`, `models["price"]`."""

    names: tuple[str, ...]

    def __new__(cls, models: Iterable[BaseTree], names: tuple[str, ...]) -> OutputModels:
        made = super().__new__(cls, models)
        made.names = names
        return made

    def __getitem__(self, output: Any) -> Any:
        if not isinstance(output, str):
            return super().__getitem__(output)
        if output not in self.names:
            raise KeyError(f"no output is called {output!r}; there are {listing(self.names)}")
        return super().__getitem__(self.names.index(output))

    def __reduce__(self) -> tuple[Any, ...]:
        return OutputModels, (tuple(self), self.names)


@dataclass(frozen=True, eq=False)
class FittedState:
    """A tree and everything that belongs to it."""

    pruned: Pruned
    named: bool  # whether the columns have real names
    n_rows_dropped: int
    training_data: TrainingData
    sequencer: CostComplexity  # makes the pruning path, whatever becomes of the parameters later
    classes: Array | None = None
    models: OutputModels | None = None  # of several outputs

    @property
    def shown(self) -> Any:
        """The tree as users see it."""
        return self.tree

    @property
    def output_names(self) -> list[str] | None:
        """The names of several outputs."""
        return None

    @property
    def labels(self) -> Any:
        """The classes as users see them."""
        return self.classes

    @property
    def tree(self) -> Tree:
        """The tree that predicts."""
        return self.pruned.tree

    @property
    def grown(self) -> Tree:
        """The tree as it was grown."""
        return self.pruned.grown

    @property
    def alpha(self) -> float | None:
        """The price of a leaf, if pruning chose one."""
        return self.pruned.alpha

    @property
    def log(self) -> PruningLog | None:
        """What pruning did at each node, if it kept a record."""
        return self.pruned.log

    @property
    def optimality(self) -> Optimality | None:
        """The certificate of a tree that was searched for as a whole."""
        return self.pruned.optimality

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.tree.columns)

    @property
    def feature_names(self) -> Array | None:
        """The names of the columns, if they have any."""
        names = [column.name for column in self.tree.columns]
        return np.array(names, dtype=object) if self.named else None

    @cached_property
    def path(self) -> PruningPath:
        """What each tree of the weakest-link sequence costs; computed on first use."""
        return self.sequence().path() if self.pruned.path is None else self.pruned.path

    def importances(self) -> Numbers:
        """Return how much each column lowers the impurity."""
        return column_importance(self.tree)

    def sequence(self) -> Sequence:
        """Return the weakest-link sequence of the tree as it was grown."""
        return self.sequencer._sequence(self.grown)


class Kept(Generic[T]):
    """A fitted attribute of an estimator, read from its state; absent if the state has none.

    `text` says in the reference what it holds.
    """

    def __init__(self, field: str, text: str = "") -> None:
        self._field = field
        self.__doc__ = text

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, model: None, owner: type) -> Self: ...
    @overload
    def __get__(self, model: object, owner: type) -> T: ...
    def __get__(self, model: object | None, owner: type) -> Self | T:
        if model is None:
            return self
        state = vars(model).get("_state")
        value = None if state is None else getattr(state, self._field)
        if value is None:
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self._name!r}")
        return value  # type: ignore[no-any-return]

    def __set__(self, model: object, value: object) -> None:
        other = "\nHint: with_tree() returns the same estimator with another tree."
        hint = other if hasattr(model, "with_tree") else ""
        raise AttributeError(f"{self._name} is what fit() found and cannot be set.{hint}")
