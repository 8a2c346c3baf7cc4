"""What Python and JavaScript exports have in common: tables of fields, steps and outcomes.

The fixed code loops over the tables, so that deep trees meet no limit of recursion. It stands in templates/,
cut into sections. A section begins with a line "section: name if a+b c": it is used where the program needs a
and b, or needs c, and always without an "if". A line that begins with "@a" is used where the program needs a.
Other words after "@" stand for values, and "@" alone for the name that the user gave.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Final

from arboretum._data.levels import level_text, plain_level
from arboretum._tree.questions import Question
from arboretum.export._code.tables import Reader, flat_question, is_mixed, needs, readers
from arboretum.export._program.program import Program, Step, program_of
from arboretum.export._program.samples import expected_of_each, samples
from arboretum.export._program.shared import about_lines, checked_name, question_line, saved

_HEAD: Final = re.compile(r"^.*\bsection: *\w+(?: if ([\w+ ]+))?.*\n", re.M)
_MARKED_LINE: Final = re.compile(r"^@([a-z]+)(.*\n)", re.M)
_FUNCTIONS: Final = (
    *("number", "instant", "duration", "text", "level"),
    *("at_most", "among", "is_missing", "vote", "sum"),
)


@cache
def _sections(file: str) -> tuple[tuple[tuple[frozenset[str], ...], str], ...]:
    """Return the sections of a file: the sets of needs that call for each, and its text."""
    text = files("arboretum.export._code").joinpath("templates", file).read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return tuple(
        (
            tuple(frozenset(term.split("+")) for term in (head[1] or "").split()),
            text[head.end() : end].strip("\n"),
        )
        for head, end in zip(heads, ends, strict=True)
    )


def filled(file: str, needs: Collection[str], name: str, values: Mapping[str, str], between: str) -> str:
    """Return the sections of a template that a program needs, with its name and values put in."""
    wanted = [
        text for terms, text in _sections(file) if not terms or any(term <= set(needs) for term in terms)
    ]
    code = between.join(wanted) + "\n"
    code = _MARKED_LINE.sub(lambda line: line[2] if line[1] in needs else "", code)
    # In one pass, since values may hold any text, "@" included.
    words = "|".join(sorted(values, key=len, reverse=True))
    return re.sub(f"@({words})?", lambda found: values[found[1]] if found[1] else name, code)


def named(functions: str) -> dict[str, str]:
    """Return what a template calls its functions: its readers, then its questions."""
    return dict(zip(_FUNCTIONS, functions.split(), strict=True))


class Script(ABC):
    """A program in one language, which a subclass describes.

    Texts with braces are patterns of `str.format`. Where there are two, one is for the whole and one for each
    of its parts.
    """

    title: ClassVar[str]
    usage: ClassVar[str]
    self_test: ClassVar[str]
    taken: ClassVar[frozenset[str]]  # names that the function cannot have
    template: ClassVar[str]
    between: ClassVar[str]  # sections
    line_comment: ClassVar[str]
    comment: ClassVar[str]  # behind a line of code
    functions: ClassVar[Mapping[str, str]]
    constant: ClassVar[str]
    table: ClassVar[tuple[str, str, str]]  # first line, each line, last line
    record: ClassVar[tuple[str, str]]  # a row of data
    mapping: ClassVar[tuple[str, str]]  # looks values up by keys
    surrogates: ClassVar[tuple[str, str, str]]  # the whole, each question, what separates them
    first_tables: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Program) -> None:
        self.program = program
        self.needs = needs(program)

    @classmethod
    def export(
        cls, model: Any, path: str | os.PathLike[str] | None, name: str, n_samples: int, asker: str
    ) -> str:
        """Return the whole file; write it to the path if there is one."""
        program = program_of(model, asker, ensembles=True, models=True, outputs=True)
        checked_name(name, asker, cls.taken)
        script = cls(program)
        usage = f"{name}{cls.usage} {cls.self_test} checks it."
        about = [*about_lines(program, f"{program.noun} as {cls.title}"), usage]
        head = "\n".join([*(f"{cls.line_comment}{line}" for line in about), *script.imports()])
        lines = {"TABLES": script._tables(), "SAMPLES": script._table("SAMPLES", script._samples(n_samples))}
        code = filled(cls.template, script.needs, name, lines, cls.between)
        return saved(f"{head}{cls.between}{code}", path)

    def imports(self) -> list[str]:
        """Return the lines that load modules."""
        return []

    @abstractmethod
    def literal(self, value: object) -> str:
        """Return a value as ASCII code that gives the same value, to the last bit."""

    @abstractmethod
    def row(self, *items: str) -> str:
        """Return code that holds some items."""

    @abstractmethod
    def listed(self, items: Sequence[str]) -> str:
        """Return code that holds one item or more."""

    @abstractmethod
    def field(self, name: str, function: str, arguments: Sequence[str]) -> str:
        """Return the line of a field: its name, the function that reads its values, and what that takes."""

    def nanoseconds(self, unit: int) -> str:
        """Return the code of a unit of time."""
        return str(unit)

    def key(self, reader: Reader, key: Any) -> str:
        """Return what the template makes of a level to look it up."""
        return self.literal(key)

    def _table(self, name: str, lines: Iterable[str]) -> str:
        first, each, last = self.table
        return "\n".join([first.format(name), *map(each.format, lines), last])

    def _pairs(self, form: tuple[str, str], pairs: Iterable[tuple[object, object]]) -> str:
        return form[0].format(", ".join(form[1].format(*pair) for pair in pairs))

    def _tables(self) -> str:
        program = self.program
        steps = [f"{self._step(step)},{self.comment}{question_line(program, step)}" for step in program.steps]
        stops = [self._outcome(step) if program.can_stop_at(step) else None for step in program.steps]
        blocks = [
            *self.first_tables,
            self._table("FIELDS", [f"{self._reader(reader)}," for reader in readers(program)]),
            self._table("STEPS", steps),
            self._table("OUTCOMES", [f"{self.literal(outcome)}," for outcome in stops]),
        ]
        if program.outputs:
            heads = [(output.name, output.classes) for output in program.outputs]
            blocks.append(self._table("OUTPUTS", [f"{self.literal(head)}," for head in heads]))
        elif program.classes is not None:
            blocks.append(self._table("CLASSES", [f"{self.literal(label)}," for label in program.classes]))
            if is_mixed(program):
                blocks.append(self.constant.format("LOSS", self.literal(program.loss)))
            else:
                blocks.append(self.constant.format("LABELS", self.literal(program.labels)))
        if is_mixed(program):
            blocks.append(self.constant.format("WIDTH", program.width))
            blocks.append(self.constant.format("ROOTS", self.literal(program.roots)))
        return "\n".join(blocks)

    def _outcome(self, step: Step) -> tuple[object, ...]:
        """Return what is predicted at rest: the outcome, or the intercept, bounds and terms of a model.

        Of several outputs, it is for each the number, or the number of the class with the probabilities.
        """
        if self.program.outputs:
            return tuple(
                output.at(step).value
                if output.classes is None
                else (output.class_at(step), output.at(step).outcome)
                for output in self.program.outputs
            )
        if step.model is None:
            return step.outcome
        place = {field.name: number for number, field in enumerate(self.program.fields)}
        terms = tuple((term.coefficient, place[term.column.name], term.fill) for term in step.model.terms)
        return step.model.intercept, step.model.low, step.model.high, terms

    def _reader(self, reader: Reader) -> str:
        arguments: list[str] = []
        if reader.field.levels is not None:
            keys = ((self.key(reader, key), number) for number, key in enumerate(reader.keys))
            arguments.append(self._pairs(self.mapping, keys))
        match reader.kind:
            case "instant":
                arguments = [self.nanoseconds(reader.unit), self.literal(reader.aware)]
            case "duration":
                arguments = [self.nanoseconds(reader.unit)]
            case "level":
                arguments.append(self.literal(reader.families))
        return self.field(self.literal(reader.field.name), self.functions[reader.kind], arguments)

    def _step(self, step: Step) -> str:
        if step.question is None:
            return self.literal(None)
        begin = *self._question(step.question), str(step.children[0])
        if self.program.missing == "fractions":
            return self.row(*begin, self.literal(step.shares))
        missing = self.literal(step.missing_child)
        if self.program.missing == "surrogates":
            whole, each, between = self.surrogates
            others = (each.format(self.row(*self._question(other))) for other in step.surrogates)
            return self.row(*begin, missing, whole.format(between.join(others)))
        return self.row(*begin, missing, self.literal(step.unseen_child))

    def _question(self, question: Question) -> tuple[str, str]:
        """Return the function that answers a question, and its arguments."""
        flat = flat_question(self.program, question)
        arguments = [str(flat.field)]
        match flat.kind:
            case "at_most":
                arguments += [self.literal(flat.bound), *([self.literal(True)] if flat.flipped else [])]
            case "among":
                arguments.append(self._pairs(self.mapping, flat.places))
            case "vote":
                bounds = [part.threshold if part.level is None else part.level for part in flat.parts]
                literals = [
                    (part.field, part.level is not None, bound, part.negated)
                    for part, bound in zip(flat.parts, bounds, strict=True)
                ]
                arguments = [self.literal(flat.bound), self._rows(literals)]
            case "sum":
                terms = [(part.coefficient, part.field, part.level, part.fill) for part in flat.parts]
                arguments = [self.literal(flat.bound), self._rows(terms)]
        return self.functions[flat.kind], self.row(*arguments)

    def _rows(self, rows: Iterable[tuple[object, ...]]) -> str:
        return self.listed([self.row(*map(self.literal, row)) for row in rows])

    def _samples(self, n_samples: int) -> Iterable[str]:
        rows = samples(self.program, n_samples)
        for row, answers in zip(rows, expected_of_each(self.program, rows), strict=True):
            cells = ((self.literal(key), self._sample_value(cell)) for key, cell in row.items())
            given = self._pairs(self.record, cells)
            labels, shares = map(tuple, zip(*answers, strict=True))
            if self.program.outputs:
                known = labels, tuple(each for each in shares if each is not None)
            else:
                known = labels[0], shares[0]
            yield f"{self.row(given, *map(self.literal, known))},"

    def _sample_value(self, value: object) -> str:
        plain = isinstance(value, str | bool | int | float | None)
        return self.literal(value if plain else level_text(plain_level(value)))  # levels that are times
