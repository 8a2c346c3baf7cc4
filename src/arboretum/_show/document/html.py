"""Documents as HTML: a page of its own, or a part of a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final

from arboretum._show.document.blocks import Asked, Block, Grid, Heading, Listing, Paragraph
from arboretum._show.page.plain import as_html, whole_page

_WIDTH: Final = "max-width: 46em; margin: auto; overflow-wrap: anywhere"
_TABLE: Final = "border-collapse: collapse; display: block; overflow-x: auto"
_CELL: Final = "padding: 0.15em 1.1em 0.15em 0; border-bottom: 1px solid #8886"
_LINE: Final = "border-bottom: 1px dotted currentColor; height: 1.6em; max-width: 24em; margin-left: 1.6em"
_ANSWER: Final = "margin: 0.2em 0 0.2em 1.6em"


def to_html(title: str, blocks: Sequence[Block], theme: str) -> str:
    """Return the text of a file."""
    return whole_page(title, write_body(title, blocks), theme)


def write_body(title: str, blocks: Sequence[Block]) -> str:
    """Return the document without what makes a page of it."""
    written = "\n".join([f"<h1>{as_html(title)}</h1>", *map(_block, blocks)])
    return f'<div style="{_WIDTH}">{written}</div>'


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{as_html(text)}</h2>"
        case Paragraph(text):
            return f"<p>{as_html(text)}</p>"
        case Listing(text):
            lines = "\n".join(_indented(line) for line in text.split("\n"))
            return f'<pre style="overflow-x: auto">{lines}</pre>'
        case Grid(header, rows, numbers):
            body = "".join(_line(row, "td", numbers) for row in rows)
            return f'<table style="{_TABLE}">{_line(header, "th", numbers)}{body}</table>'
        case Asked(number, text, answer, how):
            given = f'<div style="{_LINE}"></div>'
            if answer is not None:
                given = f'<p style="{_ANSWER}"><b>{as_html(answer)}</b></p>'
                given += f'<p style="{_ANSWER}">{as_html(how)}</p>' if how else ""
            return f"<p><b>{number}.</b> {as_html(text)}</p>{given}"


def _indented(line: str) -> str:
    """Return a line of a listing; the spaces that it begins with stay."""
    text = line.lstrip(" ")
    return " " * (len(line) - len(text)) + as_html(text)


def _line(cells: Iterable[str], kind: str, numbers: frozenset[int]) -> str:
    aligned = ("right" if place in numbers else "left" for place in count())
    written = (
        f'<{kind} style="text-align: {side}; {_CELL}">{as_html(cell)}</{kind}>'
        for cell, side in zip(cells, aligned, strict=False)
    )
    return f"<tr>{''.join(written)}</tr>"
