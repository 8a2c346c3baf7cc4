"""An explanation: the path of a row with the numbers of each step, how sure the prediction is, and what for.

It is a value; text.py writes it and html.py draws it. The path and its words are those of pictures
(rows/row_path.py), and so are the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arboretum._data.levels import level_text, level_to_json
from arboretum._show.explanation.html import explanation_page, explanation_to_html
from arboretum._show.explanation.text import explanation_to_text
from arboretum._show.rows.row_path import Decider
from arboretum._tree.tree import Tree
from arboretum._wording import visible_json
from arboretum.inspection.certainty import Certainty
from arboretum.inspection.counterfactual.answers import Counterfactual
from arboretum.inspection.similar_rows import SimilarRow


@dataclass(frozen=True)
class Place:
    """A node on the path: how many rows it had when the tree was grown, and what they were."""

    node: int
    outcome: str | None  # the answer that leads there
    n_rows: int
    shares: tuple[float, ...] | None  # of the classes, among its rows; None for numbers
    value: float | None  # the mean or median of its rows; None for classes


@dataclass(frozen=True)
class Step:
    """A question on the path: why the row goes where it goes, and from which numbers to which."""

    place: Place
    question: str
    reason: str
    decider: Decider
    to: tuple[Place, ...]  # several if the row is divided


@dataclass(frozen=True)
class Contribution:
    """By how much the value of a column moves the prediction, and that value as text; see `contributions`."""

    column: str
    value: str | None
    amount: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a tree predicts what it predicts for one row; see `explain`.

    `str` writes it, notebooks show it, `to_html` returns a page and `to_json` text for machines.
    """

    tree: Tree
    prediction: object
    probability: float | None  # of the predicted class; None for numbers
    conclusion: str
    start: Place
    steps: tuple[Step, ...]
    certainty: tuple[Certainty, ...]  # of the leaf, or of each leaf that has a part of the row
    similar: tuple[SimilarRow, ...] | None  # None if no data were given
    n_similar: int  # rows of the data in the same leaf
    base: float  # what the contributions start from
    contributions: tuple[Contribution, ...]
    counterfactuals: tuple[Counterfactual, ...]
    desired: str | None

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes; None for numbers."""
        known = self.tree.target.classes
        return None if known is None else tuple(map(level_text, known))

    def __str__(self) -> str:
        return explanation_to_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the explanation for a notebook."""
        return explanation_to_html(self)

    def to_html(self, *, title: str | None = None, theme: str = "auto") -> str:
        """Return the explanation as one HTML file, which needs no network."""
        return explanation_page(self, title, theme)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation in JSON's own types."""
        told: dict[str, Any] = {
            "prediction": _plain(self.prediction),
            "probability": self.probability,
            "conclusion": self.conclusion,
            "start": self._place(self.start),
            "steps": [
                {
                    "node": step.place.node,
                    "question": step.question,
                    "reason": step.reason,
                    "decided_by": step.decider,
                    "to": [self._place(place) for place in step.to],
                }
                for step in self.steps
            ],
            "certainty": [vars(each) for each in self.certainty],
            "contributions": {
                "base": self.base,
                "columns": {each.column: each.amount for each in self.contributions},
            },
            "similar": None
            if self.similar is None
            else {
                "rows_in_leaf": self.n_similar,
                "rows": [{**vars(each), "target": _plain(each.target)} for each in self.similar],
            },
        }
        if self.desired is not None:
            told["desired"] = self.desired
            told["counterfactuals"] = [answer.to_dict() for answer in self.counterfactuals]
        return told

    def to_json(self) -> str:
        """Return the explanation as JSON text."""
        return visible_json(json.dumps(self.to_dict(), ensure_ascii=False, indent=2))

    def _place(self, place: Place) -> dict[str, Any]:
        told: dict[str, Any] = {"node": place.node, "outcome": place.outcome, "rows": place.n_rows}
        if place.shares is None:
            return {**told, "value": place.value}
        return {**told, "shares": dict(zip(self.classes or (), place.shares, strict=True))}


def _plain(value: object) -> object:
    stored = level_to_json(value)
    return level_text(value) if isinstance(stored, Mapping) else stored
