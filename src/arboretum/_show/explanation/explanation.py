"""An explanation: the path of a row with the numbers of each step, how sure the prediction is, and what for.

It is a value; text.py writes it and html.py draws it. The path and its words are those of pictures
(rows/row_path.py), and so are the numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arboretum._data.levels import level_text
from arboretum._options.rules import Whole
from arboretum._show.explanation.html import explanation_page, explanation_to_html
from arboretum._show.explanation.text import explanation_to_text
from arboretum._show.rows.row_path import Decider, RowPath, path_of
from arboretum._tree.digits import DIGITS
from arboretum._tree.tree import Tree
from arboretum._wording import visible_json
from arboretum.errors import import_pandas
from arboretum.inspection.certainty import Certainty
from arboretum.inspection.counterfactual.answers import Counterfactual, plain
from arboretum.inspection.similar_rows import SimilarRow

if TYPE_CHECKING:
    import pandas as pd


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

    Attributes
    ----------
    prediction, probability : what is predicted, and how probable the tree thinks it; None for numbers
    conclusion : the prediction as a sentence
    start, path, steps : the root, and each question with its answer, its reason and the rows after it
    certainty : how sure the leaf is; several entries where the row is divided among leaves
    similar, n_similar : the rows of the data that are most like this one, and how many share its leaf
    base, contributions : where the prediction starts, and what each column adds to it
    desired, counterfactuals : what was wished for, and the changes that lead there
    digits : to how many significant digits texts round
    tree : the tree that was asked
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
    path: RowPath  # what the steps are told from
    digits: int | None = DIGITS  # of thresholds, values and means, where they become text

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes; None for numbers."""
        known = self.tree.target.classes
        return None if known is None else tuple(map(level_text, known))

    def __str__(self) -> str:
        return explanation_to_text(self)

    __repr__ = __str__

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the explanation as text.

        Thresholds, values and means have so many `digits`, and more where two would look the same; None shows
        all. Of a row that is divided among many leaves, the largest parts are shown, and what is left is
        counted; `to_dict` and `to_frame` have all.
        """
        return explanation_to_text(self._with(digits))

    def _with(self, digits: int | None) -> Explanation:
        """Return the same explanation with other digits."""
        chosen = Whole(1, or_none=True).read(digits, "digits")
        if chosen == self.digits:
            return self
        path = path_of(self.tree, self.path.table, self.path.given, chosen)
        values = path.values(self.tree, chosen)
        return replace(
            self,
            digits=chosen,
            conclusion=path.conclusion.removeprefix("→ "),
            steps=tuple(map(_reworded, self.steps, path.sentences)),
            contributions=tuple(map(_revalued, self.contributions, values)),
        )

    def _repr_html_(self) -> str:
        """Return the explanation for a notebook."""
        return explanation_to_html(self)

    def to_html(self, *, title: str | None = None, theme: str = "auto", digits: int | None = DIGITS) -> str:
        """Return the explanation as the text of one HTML file, which needs no network.

        Write it to a file whose name ends in .html:
        `Path("why.html").write_text(page, encoding="utf-8")`. The `theme` is "light", "dark", or "auto",
        which follows the reader's system; `digits` are as in `to_text`.
        """
        return explanation_page(self._with(digits), title, theme)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line for each node that the row passes, from the root down.

        It has the answer that led there; the rows that passed there when the tree was grown, and their
        classes or mean; the question that is asked, and why the row goes where it goes. Where the row ends,
        or a part of it, `part` says how much of it, and `own`, `low`, `high` and `predicted` how sure that
        leaf is.
        """
        asked = {step.place.node: step for step in self.steps}
        sure = {each.node: each for each in self.certainty}
        places = {self.start.node: self.start} | {
            place.node: place for step in self.steps for place in step.to
        }
        lines = [self._line(places[node], asked.get(node), sure.get(node)) for node in self.path.nodes]
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(lines)
        return frame

    def _line(self, place: Place, step: Step | None, sure: Certainty | None) -> dict[str, Any]:
        told: dict[str, Any] = {
            "node": place.node,
            "outcome": place.outcome,
            "rows": place.n_rows,
            **({"value": place.value} if place.shares is None else {}),
            **{
                f"share of {name}": share
                for name, share in zip(self.classes or (), place.shares or (), strict=True)
            },
        }
        told |= {
            "question": None if step is None else step.question,
            "reason": None if step is None else step.reason,
            "decided_by": None if step is None else step.decider,
        }
        told["part"] = None if sure is None else sure.share
        return told | {name: getattr(sure, name, None) for name in ("own", "low", "high", "predicted")}

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation in JSON's own types."""
        told: dict[str, Any] = {
            "prediction": plain(self.prediction),
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
                "rows": [
                    {**vars(each), "target": plain(each.target), "label": plain(each.label)}
                    for each in self.similar
                ],
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


def _reworded(step: Step, reason: str) -> Step:
    return replace(step, reason=reason)


def _revalued(contribution: Contribution, value: str | None) -> Contribution:
    return replace(contribution, value=value)
