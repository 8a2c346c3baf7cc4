"""Several outputs in a C header: structs with a member for each, and the lines that fill and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arboretum._data.levels import level_text
from arboretum.export._code.c_words import c_array, c_double, c_doubles, c_string, c_whole_array, member_names
from arboretum.export._program.program import Output, Program, Step
from arboretum.export._program.samples import Answer
from arboretum.export._program.shared import harmless


@dataclass(frozen=True)
class Member:
    """One of several outputs, and the member that holds its answer."""

    output: Output
    name: str
    begin: int  # of its numbers in an outcome

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes; none of numbers."""
        return self.output.classes or ()

    @property
    def comment(self) -> str:
        """The output's own name, in quotes."""
        return harmless(repr(self.output.name), 200)


def answers_of(program: Program) -> list[Member]:
    """Return the members for several outputs; none for a single one."""
    names = member_names([output.name or "" for output in program.outputs])
    members, begin = [], 0
    for output, (name, _) in zip(program.outputs, names, strict=True):
        members.append(Member(output, name, begin))
        begin += output.program.width
    return members


def class_tables(name: str, members: Sequence[Member], outcomes: Sequence[Step]) -> list[str]:
    """Return the tables of the names of classes, and of the class that is predicted at each outcome."""
    tables = []
    for each in members:
        if each.classes:
            what = f"a class of output {each.output.name!r}"
            texts = [c_string(level_text(label), what) for label in each.classes]
            tables.append(c_array("char *const", f"{name}_classes_of_{each.name}", texts))
            labels = [each.output.class_at(step) for step in outcomes]
            tables.append(c_whole_array(f"{name}_labels_of_{each.name}", labels))
    return tables


def template_values(name: str, members: Sequence[Member]) -> dict[str, str]:
    """Return what the template says about several outputs."""
    classes = [each for each in members if each.classes]
    structs = [_struct(f"{name}_answer", [_declared(name, each) for each in members])]
    if classes:
        shares = [f"double {each.name}[{len(each.classes)}]; /* {each.comment} */" for each in classes]
        structs.append(_struct(f"{name}_probabilities", shares))
    return {
        "ANSWER": "\n\n".join(structs),
        "NAMES": "\n\n".join(_class_name(name, each) for each in classes),
        "FILLED": "\n".join(f"  answer.{each.name} = {_found(name, each)};" for each in members),
        "COPIED": "\n".join(
            f"  memcpy(shares.{each.name}, found + {each.begin}, sizeof(shares.{each.name}));"
            for each in classes
        ),
        "COMPARED": "\n".join(f"    differ |= {test};" for each in members for test in _tests(each)),
    }


def sample_members(members: Sequence[Member], answers: Sequence[Answer]) -> str:
    """Return the members of a sample that hold the expected answers and probabilities."""
    known, parts = [], []
    for each, (label, shares) in zip(members, answers, strict=True):
        known.append(str(class_number(each.classes, label)) if each.classes else c_double(label))
        parts += [] if shares is None else [c_doubles(shares)]
    return f"{{{', '.join(known)}}}" + (f", {{{', '.join(parts)}}}" if parts else "")


def class_number(classes: Sequence[Any], label: object) -> int:
    """Return the number of a class, which is one of these very objects."""
    return next(number for number, each in enumerate(classes) if each is label)


def _struct(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"struct {name} {{", *(f"  {line}" for line in lines), "};"])


def _declared(name: str, each: Member) -> str:
    if not each.classes:
        return f"double {each.name}; /* {each.comment} */"
    return f"int {each.name}; /* {each.comment}: a class, whose text is {name}_class_name_of_{each.name}() */"


def _class_name(name: str, each: Member) -> str:
    n_classes = len(each.classes)
    return (
        f"/* The name of a class of {each.comment} by its number; a null pointer if there is none. */\n"
        f"static inline const char *{name}_class_name_of_{each.name}(int number) {{\n"
        f"  return number >= 0 && number < {n_classes} ? "
        f"{name}_classes_of_{each.name}[number] : (const char *)0;\n}}"
    )


def _found(name: str, each: Member) -> str:
    return f"{name}_labels_of_{each.name}[at]" if each.classes else f"{name}_outcomes[at][{each.begin}]"


def _tests(each: Member) -> list[str]:
    """Return what is true where an answer is not the expected one, bit by bit."""
    member = each.name
    if not each.classes:
        return [f"memcmp(&answer.{member}, &sample->answer.{member}, sizeof(double)) != 0"]
    return [
        f"answer.{member} != sample->answer.{member}",
        f"memcmp(shares.{member}, sample->shares.{member}, sizeof(shares.{member})) != 0",
    ]
