"""Blocks of text, which know nothing of the format that they are written in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Heading:
    """The title of a part."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table; all cells are text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()  # the columns that stand flush right


@dataclass(frozen=True)
class Listing:
    """Text whose lines and columns stay as they are, such as a tree."""

    text: str


@dataclass(frozen=True)
class Asked:
    """A numbered question, with room for an answer, or with the answer and how it comes about."""

    number: int
    text: str
    answer: str | None = None
    how: str = ""


Block: TypeAlias = Heading | Paragraph | Grid | Listing | Asked
