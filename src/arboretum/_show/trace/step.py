"""The steps of a trace: a node and what was decided there, with everything that could have been decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Kind: TypeAlias = Literal["ask", "leaf", "prune", "keep", "choose"]


@dataclass(frozen=True)
class Climb:
    """One step of the search for "at least m of": the question so far, and what it gains."""

    question: str
    gain: float


@dataclass(frozen=True)
class SurrogateLine:
    """A question that stands in for the choice where the value asked for is missing."""

    question: str
    agreement: float
    adjusted_agreement: float


@dataclass(frozen=True, eq=False)
class Step:
    """What happens at a node: "ask" a question, make it a "leaf", "prune" what is below it, or "keep" that;
    at last "choose" a tree of the path of weakest links.

    `node` is its id, which survives pruning, and `where` lists the answers that lead there. `candidates` is
    the table of all questions with a column `lost_by` that says why each was not chosen; None where nothing
    was asked. `before` and `after` are what pruning compares, in the words of `counted`. A step of
    cost-complexity pruning may cut off several `nodes`.

    Attributes
    ----------
    number : its place in the trace, from 1
    kind : "ask", "leaf", "prune", "keep" or "choose"
    n_rows, weight, counts : the rows of the node, their weight, and that of each class
    impurity, label : of the node
    choice, gain : the question that won, as text, and its gain; of "choose", the tree that is taken
    why : the reason, a sentence
    climb : how a question about several columns was found, step by step
    surrogates : the questions that stand in where a value is missing
    """

    number: int
    kind: Kind
    node: int
    where: tuple[str, ...]
    n_rows: int
    weight: float
    counts: tuple[tuple[str, float], ...]  # class, weight; empty for numbers
    impurity: float
    label: str
    choice: str | None
    gain: float | None
    why: str
    candidates: pd.DataFrame | None = None
    climb: tuple[Climb, ...] = ()
    surrogates: tuple[SurrogateLine, ...] = ()
    nodes: tuple[int, ...] = field(default=())
    before: float | None = None
    after: float | None = None
    counted: str = ""

    @property
    def place(self) -> str:
        """The answers from the root to the node, or "the root"."""
        return ", then ".join(self.where) if self.where else "the root"

    def __repr__(self) -> str:
        return f"<Step {self.number}: {self.title}>"

    @property
    def title(self) -> str:
        """The step in one line."""
        done = {
            "ask": f"asks {self.choice}",
            "leaf": f"becomes a leaf: {self.label}",
            "prune": f"is pruned: {self.label}" if len(self.nodes) == 1 else "are pruned",
            "keep": "keeps its branches",
            "choose": f"Of the path of weakest links, {self.choice} is chosen",
        }[self.kind]
        if self.kind == "choose":
            return done
        if len(self.nodes) > 1:
            return f"Nodes {', '.join(map(str, self.nodes))} {done}"
        return f"Node {self.node} ({self.place}) {done}"
