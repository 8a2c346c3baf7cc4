"""Answers: a row that is predicted as wanted, what changes in it, and the proof that nothing nearer does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data.levels import level_text, level_to_json
from arboretum._options.rules import Whole
from arboretum._tree.digits import DIGITS, figure
from arboretum._types import Integers, Mask, Numbers
from arboretum._wording import percent, visible
from arboretum.errors import import_pandas
from arboretum.inspection.counterfactual.words import ChangeWords, joined

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Change:
    """A column that changes: from what, to what, at what price; None stands for a missing value."""

    column: str
    before: object
    after: object
    cost: float
    words: ChangeWords = field(repr=False)

    @property
    def text(self) -> str:
        """The change in words."""
        return self.words.text()

    def __str__(self) -> str:
        return visible(f"if {self.text}")


@dataclass(frozen=True, eq=False)
class Proof:
    """Why nothing nearer is predicted as wanted: what every other part of the tree costs at least.

    `nodes` are where the search ended, and `bounds` has the least price of a row there. `open` marks those
    that are predicted as wanted, or may be, and were allowed. These parts and the answer's own are all parts
    of the tree that some allowed change leads to, so `cost` is the least if none that is open has a smaller
    bound.
    """

    cost: float
    nodes: Integers
    bounds: Numbers
    open: Mask

    @property
    def holds(self) -> bool:
        """Whether no open part is nearer."""
        return bool((self.bounds[self.open] >= self.cost - _ROUNDING * (1.0 + self.cost)).all())

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per part, the nearest first."""
        columns = {"node": self.nodes, "bound": self.bounds, "open": self.open}
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(columns)
        return frame.sort_values(["bound", "node"], kind="stable", ignore_index=True)


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """A row that is predicted as wanted, close to the row that was given.

    `row` has all values by the names of the columns, None where they are missing. `cost` is its distance, and
    `bound` the least cost of any row that is predicted as wanted, as `proof` shows; they differ only by the
    steps to readable values. `probability` is that of the predicted class, None for numbers; `asked` has
    those of the classes whose probability was asked for.

    Attributes
    ----------
    changes : the columns that differ, each with its value before and after
    text : the changes as a sentence
    prediction : what the changed row is predicted as
    """

    row: Mapping[str, object]
    changes: tuple[Change, ...]
    cost: float
    bound: float
    prediction: object
    probability: float | None
    proof: Proof = field(repr=False)
    asked: Mapping[Any, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Counterfactual: {self}>"

    @property
    def text(self) -> str:
        """All changes in words."""
        return self._condition(DIGITS)

    def _condition(self, digits: int | None) -> str:
        if not self.changes:
            return "if nothing changes"
        return f"if {joined([change.words.text(digits) for change in self.changes], 'and')}"

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the answer as one line.

        The numbers that the row has, and one that is predicted, have so many `digits`; None shows all.
        """
        chosen = Whole(1, or_none=True).read(digits, "digits")
        condition = self._condition(chosen)
        if isinstance(self.prediction, float) and self.probability is None:
            return visible(f"{condition}: {figure(self.prediction, chosen)}")
        predicted = f"{level_text(self.prediction)} ({percent(self.probability or 0.0)})"
        if not set(self.asked) - {self.prediction}:
            return visible(f"{condition}: {predicted}")
        asked = ", ".join(f"{level_text(label)} {percent(share)}" for label, share in self.asked.items())
        return visible(f"{condition}: {asked}; {predicted} is predicted")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in JSON's own types."""
        return {
            "row": {name: plain(value) for name, value in self.row.items()},
            "changes": [
                {
                    "column": change.column,
                    "before": plain(change.before),
                    "after": plain(change.after),
                    "cost": change.cost,
                }
                for change in self.changes
            ],
            "cost": self.cost,
            "bound": self.bound,
            "text": self.text,
            "prediction": plain(self.prediction),
            "probability": self.probability,
            "asked": {level_text(label): share for label, share in self.asked.items()},
        }


def plain(value: object) -> object:
    """Return a value in JSON's own types; what JSON lacks, such as times, is text."""
    stored = level_to_json(value.item() if isinstance(value, np.generic) else value)
    return stored if stored is None or isinstance(stored, bool | int | float | str) else level_text(value)


def proof_of(cost: float, parts: list[tuple[int, float]], open_parts: list[tuple[int, float]]) -> Proof:
    """Return the proof that the parts where a search ended make."""
    every = [*parts, *open_parts]
    return Proof(
        cost,
        np.array([node for node, _ in every], dtype=np.int64),
        np.array([bound for _, bound in every], dtype=np.float64),
        np.arange(len(every)) >= len(parts),
    )
