"""Documents as Markdown, as most tools read it: with tables, and listings between fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from arboretum._show.document.blocks import Asked, Block, Grid, Heading, Listing, Paragraph

_BLANK = "\\_" * 12


def to_markdown(title: str, blocks: Sequence[Block]) -> str:
    """Return the text of a file."""
    return f"# {_safe(title)}\n\n{write_blocks(blocks)}"


def write_blocks(blocks: Sequence[Block]) -> str:
    """Return blocks without the title of a document."""
    return "\n\n".join(map(_block, blocks)) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"## {_safe(text)}"
        case Paragraph(text):
            return _safe(text)
        case Listing(text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return f"{fence}text\n{text}\n{fence}"
        case Grid(header, rows, numbers):
            marks = ["---:" if place in numbers else "---" for place in range(len(header))]
            lines = [_line(header), f"| {' | '.join(marks)} |", *map(_line, rows)]
            return "\n".join(lines)
        case Asked(number, text, answer, how):
            given = _BLANK if answer is None else f"**{_safe(answer)}**"
            return f"{number}. {_safe(text)}\n\n   {given}" + (f"  \n   {_safe(how)}" if how else "")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_safe, cells))} |"


def _safe(text: str) -> str:
    """Return text in which no sign is taken for a mark."""
    return re.sub(r"([\\`*_\[\]<|#])", r"\\\1", text)
