"""An exercise: what is given, steps with right answers, a blank sheet, the solution, and the check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arboretum._show.document.blocks import Asked, Block
from arboretum._show.document.document import Document
from arboretum._wording import shown
from arboretum.errors import DataTypeError, ParameterError, choices
from arboretum.exercises.answers import Right


@dataclass(frozen=True)
class Step:
    """One thing to find out. `how` is the way to the answer, for the solution; `hint` says less."""

    name: str
    asked: str
    right: Right
    how: str
    hint: str


@dataclass(frozen=True)
class Mistake:
    """The first step that went wrong. Printed, it says what to look at again, and not the answer."""

    number: int
    step: str
    given: Any
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Exercise:
    """An exercise to print, to solve and to check.

    >>> from arboretum import exercise
    >>> entropy = exercise("entropy")
    >>> answers = {step.name: str(step.right) for step in entropy.steps}
    >>> entropy.check(answers) is None
    True

    Attributes
    ----------
    kind : what it is about, as `exercise` was asked
    title : its heading
    given : what the sheet shows: texts and tables
    steps : the questions, each with its answer
    """

    kind: str
    title: str
    given: tuple[Block, ...]
    steps: tuple[Step, ...]

    @property
    def sheet(self) -> Document:
        """The exercise with room for answers; prints as Markdown, and has `to_latex` and `to_html`."""
        asked = [Asked(number, step.asked) for number, step in enumerate(self.steps, 1)]
        return Document(self.title, (*self.given, *asked))

    @property
    def solution(self) -> Document:
        """The exercise with all answers, and how they come about."""
        asked = [
            Asked(number, step.asked, str(step.right), step.how) for number, step in enumerate(self.steps, 1)
        ]
        return Document(f"{self.title}: solution", (*self.given, *asked))

    def check(self, answers: Mapping[str, Any] | Sequence[Any]) -> Mistake | None:
        """Return the first step that is wrong or not answered; None if all are right.

        `answers` has the names of the steps, or is a list in their order. Numbers may be written as 0.375,
        "0,375", "3/8" or "37.5 %".
        """
        named = self._named(answers)
        for number, step in enumerate(self.steps, 1):
            given = named.get(step.name)
            if given is None or (isinstance(given, str) and not given.strip()):
                return Mistake(number, step.name, None, f"Step {number} ({step.name}) is not answered.")
            if not step.right.accepts(given):
                said = f"Step {number} ({step.name}) is wrong: {shown(given)} is not it.\nHint: {step.hint}"
                return Mistake(number, step.name, given, said)
        return None

    def _named(self, answers: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any]:
        names = [step.name for step in self.steps]
        if isinstance(answers, Mapping):
            for name in answers:
                if name not in names:
                    raise ParameterError(choices("step", name, names))
            return answers
        if isinstance(answers, str) or not isinstance(answers, Sequence):
            raise DataTypeError(
                f"answers is of type {type(answers).__name__}; give {{step: answer}}, or a list of answers "
                "in the order of the steps."
            )
        if len(answers) > len(names):
            raise ParameterError(
                f"There are {len(answers)} answers to {len(names)} steps; give one for each of them."
            )
        return dict(zip(names, answers, strict=False))

    def __str__(self) -> str:
        return str(self.sheet)

    def __repr__(self) -> str:
        return f"<Exercise: {self.kind}, {len(self.steps)} steps>"

    def _repr_html_(self) -> str:
        return self.sheet._repr_html_()
