"""What Python and JavaScript exports have in common: tables of fields, steps and outcomes.

The fixed code of the template loops over the tables, so that deep trees meet no limit of recursion. A
subclass says how one language spells values and tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from arboretum._data.levels import level_text, plain_level
from arboretum._tree.questions import Question
from arboretum.export._code.tables import (
    Among,
    AtMost,
    IsMissing,
    Part,
    Reader,
    Sum,
    Vote,
    flat_question,
    needs,
    readers,
)
from arboretum.export._code.template import filled
from arboretum.export._program.program import Program, Step
from arboretum.export._program.samples import expected, samples
from arboretum.export._program.shared import question_line


class Script(ABC):
    """A program in one language."""

    template: ClassVar[str]
    between: ClassVar[str]  # sections
    comment: ClassVar[str]  # behind a line of code
    functions: ClassVar[dict[type, str]]  # that answer each kind of question
    first_tables: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Program) -> None:
        self.program = program
        self.needs = needs(program)

    def text(self, head: str, name: str, n_samples: int) -> str:
        """Return the whole file; `head` stands first."""
        values = {"TABLES": self._tables(), "SAMPLES": self.table("SAMPLES", self._samples(n_samples))}
        return f"{head}{self.between}{filled(self.template, self.needs, name, values, self.between)}"

    @abstractmethod
    def literal(self, value: object) -> str:
        """Return a value as ASCII code that gives the same value, to the last bit."""

    @abstractmethod
    def row(self, *items: str) -> str:
        """Return code that holds some items."""

    @abstractmethod
    def listed(self, items: Sequence[str]) -> str:
        """Return code that holds any number of items."""

    @abstractmethod
    def record(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Return code for one row of data."""

    @abstractmethod
    def mapping(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Return code that looks values up by keys."""

    @abstractmethod
    def constant(self, name: str, value: str) -> str:
        """Return the definition of a name."""

    @abstractmethod
    def table(self, name: str, lines: Iterable[str]) -> str:
        """Return the definition of a table, line by line."""

    @abstractmethod
    def reader(self, reader: Reader) -> str:
        """Return the line of a field: its name, and how its values are read."""

    def surrogates(self, questions: Sequence[str]) -> str:
        """Return the questions that stand in for another."""
        return self.listed(questions)

    def _tables(self) -> str:
        program = self.program
        steps = [f"{self._step(step)},{self.comment}{question_line(step)}" for step in program.steps]
        blocks = [
            *self.first_tables,
            self.table("FIELDS", [f"{self.reader(reader)}," for reader in readers(program)]),
            self.table("STEPS", steps),
            self.table("OUTCOMES", [f"{self._outcome(step)}," for step in program.steps]),
        ]
        if program.classes is not None:
            blocks.append(self.table("CLASSES", [f"{self.literal(label)}," for label in program.classes]))
            if program.missing == "fractions":
                blocks.append(self.constant("LOSS", self.literal(program.loss)))
            else:
                numbers = tuple(program.tree.array("label").tolist())
                blocks.append(self.constant("LABELS", self.literal(numbers)))
        if program.missing == "fractions":
            blocks.append(self.constant("WIDTH", str(program.width)))
        return "\n".join(blocks)

    def _outcome(self, step: Step) -> str:
        return self.literal(step.outcome if self.program.can_stop_at(step) else None)

    def _step(self, step: Step) -> str:
        if step.question is None:
            return self.literal(None)
        begin = *self._question(step.question), str(step.children[0])
        if self.program.missing == "fractions":
            return self.row(*begin, self.literal(step.shares))
        missing = self.literal(step.missing_child)
        if self.program.missing == "surrogates":
            others = self.surrogates([self.row(*self._question(other)) for other in step.surrogates])
            return self.row(*begin, missing, others)
        return self.row(*begin, missing, self.literal(step.unseen_child))

    def _question(self, question: Question) -> tuple[str, str]:
        """Return the function that answers a question, and its arguments."""
        flat = flat_question(self.program, question)
        match flat:
            case AtMost():
                flipped = [self.literal(True)] if flat.flipped else []
                arguments = [str(flat.field), self.literal(flat.threshold), *flipped]
            case Among():
                places = self.mapping((str(level), str(place)) for level, place in flat.places)
                arguments = [str(flat.field), places]
            case IsMissing():
                arguments = [str(flat.field)]
            case Vote():
                arguments = [str(flat.least), self.listed([self._literal_row(part) for part in flat.parts])]
            case Sum():
                terms = self.listed([self._term_row(part) for part in flat.parts])
                arguments = [self.literal(flat.bound), terms]
        return self.functions[type(flat)], self.row(*arguments)

    def _literal_row(self, part: Part) -> str:
        equals = part.level is not None
        bound = self.literal(part.level if equals else part.threshold)
        return self.row(str(part.field), self.literal(equals), bound, self.literal(part.negated))

    def _term_row(self, part: Part) -> str:
        level = self.literal(part.level)
        return self.row(self.literal(part.coefficient), str(part.field), level, self.literal(part.fill))

    def _samples(self, n_samples: int) -> Iterable[str]:
        rows = samples(self.program, n_samples)
        for row, (answer, shares) in zip(rows, expected(self.program.tree, rows), strict=True):
            given = self.record((self.literal(key), self._sample_value(cell)) for key, cell in row.items())
            yield f"{self.row(given, self.literal(answer), self.literal(shares))},"

    def _sample_value(self, value: object) -> str:
        plain = isinstance(value, str | bool | int | float) or value is None
        return self.literal(value if plain else level_text(plain_level(value)))  # levels that are times
