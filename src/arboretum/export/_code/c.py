"""Export to C: one header of C99 that predicts a row, without allocation.

The struct of a row has a member for each field. A code numbers the levels of a field from 1; 0 stands for
missing and unknown ones. Doubles are written in hexadecimal, so that every bit is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

from arboretum._data.levels import level_text
from arboretum.errors import DataError
from arboretum.export._code.c_outputs import (
    answers_of,
    class_number,
    class_tables,
    sample_members,
    template_values,
)
from arboretum.export._code.c_words import (
    c_array,
    c_double,
    c_doubles,
    c_integer,
    c_lines,
    c_string,
    c_whole_array,
    member_names,
)
from arboretum.export._code.script import filled
from arboretum.export._code.tables import FlatQuestion, Part, Reader, flat_question, is_mixed, needs, readers
from arboretum.export._program.program import Program, Step, program_of, stored_value
from arboretum.export._program.samples import Answer, expected_of_each, samples
from arboretum.export._program.shared import (
    about_lines,
    checked_name,
    harmless,
    question_line,
    saved,
)

_ASKER: Final = "to_c()"
_REAL, _WHOLE = 1, 2
_QUESTIONS: Final = {"among": 3, "is_missing": 4, "vote": 5, "sum": 6}
_IS_LEVEL: Final = 3
_UNITS: Final = {86_400 * 10**9: "days", 10**9: "seconds", 10**6: "milliseconds", 10**3: "microseconds"}
_BIG: Final = "UINT64_C(0x8000000000000000)"


def to_c(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "tree",
    n_samples: int = 32,
) -> str:
    """Return a C header that predicts rows as the model does: `<name>_predict(&row)`, `<name>_predict_proba`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> header = to_c(TreeClassifier().fit(X, y), name="iris")
    >>> "static inline int iris_predict(const struct iris_row *row)" in header
    True

    Parameters
    ----------
    model : a fitted tree estimator, a Tree, or an ensemble of at most 200,000 nodes
    path : a file to write the result to, or None
    name : the beginning of all names in the header
        Of several outputs, both functions return structs with a member for each.
    n_samples : the number of rows with known answers in the header; `cc -DTREE_SELF_TEST -x c tree.h -lm`
        makes a program that compares them (with the name in capitals)
    """
    program = program_of(model, _ASKER, ensembles=True, models=True, outputs=True)
    checked_name(name, _ASKER)
    return saved(_Header(program, name).text(n_samples), path)


class _Header:
    """The header while it is written: the names of members, and the tables that grow with the steps."""

    def __init__(self, program: Program, name: str) -> None:
        self.program, self.name = program, name
        self.members = list(
            zip(readers(program), member_names([field.name for field in program.fields]), strict=True)
        )
        self.answers = answers_of(program)
        self.questions: list[str] = []
        self.levels: list[tuple[int, int]] = []
        self.parts: list[str] = []
        self.shares: list[str] = []
        self.outcomes: list[Step] = []

    def text(self, n_samples: int) -> str:
        program = self.program
        first, *others = about_lines(program, f"{program.noun} as a C header")
        head = "\n".join([f"/* {first}", *(f"   {line}" for line in others), "*/"])
        lookups = [table for reader, (member, _) in self.members for table in self._lookup(reader, member)]
        widest = max((len(step.children) for step in program.steps), default=1)
        lines = list(self._samples(n_samples))
        values = {
            "CAPITALS": self.name.upper(),
            "ROW": self._row(),
            "LOOKUPS": "\n\n".join(lookups),
            "TABLES": f"{self._tables()}\n\n{self._read()}",
            "WIDTH": str(program.width),
            **template_values(self.name, self.answers),
            "N_TREES": str(len(program.trees)),
            "N_CELLS": str(max(1, len(program.fields))),
            "N_OPEN": str(program.depth * widest + 2),
            "SAMPLES": c_array(f"struct {self.name}_sample", f"{self.name}_samples", lines),
            "N_SAMPLES": str(len(lines)),
            "LOOPS": "\n".join(self._lookup_checks()),
        }
        wanted = needs(program) | ({"lookups"} if lookups else set())
        return f"{head}\n\n" + filled("tree.h.txt", wanted, self.name, values, "\n\n")

    # --- inputs

    def _row(self) -> str:
        lines = [line for reader, names in self.members for line in _member(reader, *names)]
        listed = [f"  {line}" for line in lines or ["char nothing_is_asked;"]]
        return "\n".join([f"struct {self.name}_row {{", *listed, "};"])

    def _lookup(self, reader: Reader, member: str) -> Iterator[str]:
        """Yield the table and the function that find the code of a level by its text."""
        if not reader.keys:
            return
        field = reader.field
        texts = [level_text(level) for level in field.levels or ()]
        if len(set(texts)) < len(texts):  # such as 1 and "1"
            twice = next(text for text in texts if texts.count(text) > 1)
            raise DataError(
                f"to_c() looks levels up by their text, but column {field.name!r} has several that read "
                f"{twice!r}.\nHint: make the levels text before fitting."
            )
        where = f"a level of column {field.name!r}"
        written = [(text, c_string(text, where), code) for code, text in enumerate(texts, start=1)]
        written.sort(key=lambda each: each[0].encode())  # as strcmp compares them
        table = f"{self.name}_levels_of_{member}"
        yield c_array(f"struct {self.name}_name", table, [f"{{{text}, {code}}}" for _, text, code in written])
        yield (
            f"/* The code of a level by its text, for the member {member}; 0 if it is not known. */\n"
            f"static inline int32_t {self.name}_level_of_{member}(const char *text) {{\n"
            f"  return {self.name}_find({table}, {len(written)}, text);\n}}"
        )

    def _lookup_checks(self) -> Iterator[str]:
        for reader, (member, _) in self.members:
            if reader.keys:
                table, n = f"{self.name}_levels_of_{member}", len(reader.keys)
                found = f"{self.name}_find({table}, {n}, {table}[i].text)"
                yield f"  for (i = 0; i < {n}; ++i)\n    failures += {found} != {table}[i].code;"

    def _read(self) -> str:
        lines = []
        for place, (reader, (member, known)) in enumerate(self.members):
            lines += _reading(reader, f"cells[{place}]", f"row->{member}", f"row->{known}")
        body = "\n".join(f"  {line}" for line in lines or ["(void)row;", "cells[0].known = 0;"])
        name = self.name
        parameters = f"const struct {name}_row *row, struct {name}_cell *cells"
        return f"static inline void {name}_read({parameters}) {{\n{body}\n}}"

    # --- tables

    def _tables(self) -> str:
        steps = [
            f"{self._step(step)}, /* {question_line(self.program, step)} */" for step in self.program.steps
        ]
        name, asks = self.name, self.questions or ["{0, 0, 0.0, 0, 0, 0, 0, 0}"]
        blocks = [
            c_lines(f"struct {name}_step", f"{name}_steps", steps),
            c_array(f"struct {name}_ask", f"{name}_asks", asks),
        ]
        if self.levels:
            blocks.append(c_whole_array(f"{name}_levels", [level for level, _ in self.levels]))
            blocks.append(c_whole_array(f"{name}_places", [place for _, place in self.levels]))
        if self.parts:
            blocks.append(c_array(f"struct {name}_part", f"{name}_parts", self.parts))
        if self.shares:
            blocks.append(c_array("double", f"{name}_shares", self.shares))
        if is_mixed(self.program):
            blocks.append(c_whole_array(f"{name}_roots", list(self.program.roots)))
        inner = f"[{self.program.width}]"
        if self.program.has_models:
            blocks += self._models()
        else:
            outcomes = [c_doubles(self._outcome(step)) for step in self.outcomes]
            blocks.append(c_array("double", f"{name}_outcomes", outcomes, inner))
        if self.program.outputs:
            blocks += class_tables(name, self.answers, self.outcomes)
        elif self.program.classes is not None:
            texts = [c_string(level_text(label), "a class") for label in self.program.classes]
            blocks.append(c_array("char *const", f"{name}_classes", texts))
            if not is_mixed(self.program):
                labels = [self.program.labels[step.number] for step in self.outcomes]
                blocks.append(c_whole_array(f"{name}_labels", labels))
            elif self.program.loss is not None:
                blocks.append(c_array("double", f"{name}_loss", map(c_doubles, self.program.loss), inner))
        return "\n\n".join(blocks)

    def _outcome(self, step: Step) -> tuple[float, ...]:
        """Return what is predicted at a step, the numbers of all outputs one after the other."""
        return tuple(number for output in self.program.answers for number in output.at(step).outcome)

    def _models(self) -> list[str]:
        """Return the tables of the terms and of the linear models that stand in place of outcomes."""
        place = {field.name: number for number, field in enumerate(self.program.fields)}
        terms: list[str] = []
        models: list[str] = []
        for step in self.outcomes:
            assert step.model is not None
            begin = len(terms)
            for term in step.model.terms:
                field = place[term.column.name]
                whole = int(self._kind(field) == _WHOLE)
                terms.append(f"{{{c_double(term.coefficient)}, {c_double(term.fill)}, {field}, {whole}}}")
            bounds = (step.model.intercept, step.model.low, step.model.high)
            models.append(f"{{{', '.join(map(c_double, bounds))}, {begin}, {len(terms)}}}")
        return [
            c_array(f"struct {self.name}_term", f"{self.name}_terms", terms or ["{0.0, 0.0, 0, 0}"]),
            c_array(f"struct {self.name}_linear", f"{self.name}_outcomes", models),
        ]

    def _step(self, step: Step) -> str:
        outcome = -1
        if self.program.can_stop_at(step):
            outcome = len(self.outcomes)
            self.outcomes.append(step)
        if step.question is None:
            return f"{{-1, 0, 0, 0, {outcome}}}"
        first = len(self.questions)
        for i, question in enumerate(step.questions, start=1):
            flat = flat_question(self.program, question)
            self.questions.append(self._question(flat, is_last=i == len(step.questions)))
        places = [-1 if place is None else place for place in (step.missing_child, step.unseen_child)]
        if self.program.missing == "fractions":
            places = [len(step.children), len(self.shares)]
            self.shares += [c_double(part) for part in step.shares]
        return f"{{{first}, {step.children[0]}, {places[0]}, {places[1]}, {outcome}}}"

    def _question(self, flat: FlatQuestion, *, is_last: bool) -> str:
        kind, real, whole, begin, end = _QUESTIONS.get(flat.kind, 0), "0.0", "0", 0, 0
        match flat.kind:
            case "at_most":
                kind, real, whole = self._bound(flat.field, flat.bound)
            case "among":
                begin = len(self.levels)
                self.levels += flat.places
                end = len(self.levels)
            case "vote" | "sum":
                in_sum = flat.kind == "sum"
                begin = len(self.parts)
                self.parts += [self._part(part, in_sum=in_sum) for part in flat.parts]
                end = len(self.parts)
                real, whole = (c_double(flat.bound), "0") if in_sum else ("0.0", str(flat.bound))
        after = int(not is_last)
        return f"{{{kind}, {flat.field}, {real}, {whole}, {begin}, {end}, {int(flat.flipped)}, {after}}}"

    def _part(self, part: Part, *, in_sum: bool) -> str:
        kind, real, whole = self._bound(part.field, part.threshold or 0)
        if part.level is not None:
            kind, real, whole = _IS_LEVEL, "0.0", str(part.level)
        if in_sum:
            real, whole = c_double(part.coefficient), whole if part.level is not None else "0"
        return f"{{{kind}, {part.field}, {real}, {c_double(part.fill)}, {whole}, {int(part.negated)}}}"

    def _kind(self, field: int) -> int:
        return _REAL if self.program.fields[field].column.kind == "number" else _WHOLE

    def _bound(self, field: int, threshold: float | int) -> tuple[int, str, str]:
        """Return how a threshold is compared, as a double and as an integer; whole values round it down."""
        if self._kind(field) == _REAL:
            return _REAL, c_double(threshold), "0"
        return _WHOLE, "0.0", c_integer(int(threshold // 1) - self.program.fields[field].column.offset)

    # --- samples

    def _samples(self, n_samples: int) -> Iterator[str]:
        rows = samples(self.program, n_samples)
        for row, answers in zip(rows, expected_of_each(self.program, rows), strict=True):
            inputs = ", ".join(self._inputs(row)) or ".nothing_is_asked = 0"
            yield f"{{{{{inputs}}}, {self._known(answers)}}}"

    def _known(self, answers: Sequence[Answer]) -> str:
        """Return the members of a sample that hold what is expected."""
        if self.answers:
            return sample_members(self.answers, answers)
        ((answer, shares),) = answers
        label = 0 if self.program.classes is None else class_number(self.program.classes, answer)
        return f"{label}, {c_doubles(shares or (answer,))}"

    def _inputs(self, row: dict[str, object]) -> Iterator[str]:
        for reader, (member, known) in self.members:
            column = reader.field.column
            stored = stored_value(column, row[reader.field.name])
            if reader.keys:
                yield f".{member} = {0 if stored is None else int(stored) + 1}"
            elif column.kind == "number":
                yield f".{member} = {'NAN' if stored is None else c_double(stored)}"
            else:
                yield f".{known} = {int(stored is not None)}"
                if stored is not None:
                    value = int(stored) + column.offset
                    yield f".{member} = {f'UINT64_C({value})' if column.offset else c_integer(value)}"


def _member(reader: Reader, member: str, known: str) -> list[str]:
    """Return the lines of the struct for one field."""
    name = harmless(repr(reader.field.name), 200)
    if reader.keys:
        n_levels = len(reader.keys)
        return [f"int32_t {member}; /* {name}: code of a level, 1 to {n_levels}; 0 if missing or unknown */"]
    column = reader.field.column
    if column.kind == "number":
        return [f"double {member}; /* {name}: NAN if missing */"]
    what = "an integer"
    if reader.kind != "number":
        unit = _UNITS.get(reader.unit, "nanoseconds")
        since = " since 1970-01-01" + (" UTC" if reader.aware else "") if reader.kind == "instant" else ""
        what = f"whole {unit}{since}, rounded down"
    kind = "uint64_t" if column.offset else "int64_t"
    return [f"{kind} {member}; /* {name}: {what} */", f"int {known}; /* 0 if it is missing, else 1 */"]


def _reading(reader: Reader, cell: str, value: str, known: str) -> list[str]:
    """Return the statements that turn a member into a cell."""
    if reader.keys:
        n_levels = len(reader.keys)
        return [
            f"{cell}.real = 0.0;",
            f"{cell}.whole = (int64_t){value} - 1;",
            f"{cell}.known = {value} > 0 && {value} <= {n_levels};",
        ]
    if reader.field.column.kind == "number":
        return [f"{cell}.real = {value};", f"{cell}.whole = 0;", f"{cell}.known = {value} == {value};"]
    whole = value
    if reader.field.column.offset:
        whole = f"{value} >= {_BIG} ? (int64_t)({value} - {_BIG}) : (int64_t){value} - INT64_MAX - 1"
    return [f"{cell}.real = 0.0;", f"{cell}.whole = {whole};", f"{cell}.known = {known} != 0;"]
