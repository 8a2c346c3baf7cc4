"""The blocks that a section is made of, as HTML. Every text that is passed in is escaped here.

Nothing has a style of its own: the page allows only the style sheet that it carries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from arboretum._show.page.plain import as_html

_SHADES: Final = 10  # of cells, in the style sheet
_LONG: Final = 28  # letters in a cell that needs room, also on a phone


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, and perhaps how dark its ground is (0 to 1), a mark or a bar."""

    text: str
    shade: float | None = None
    strong: bool = False
    bar: float | None = None  # a share


def paragraph(text: str, kind: str | None = None) -> str:
    """Return sentences; a kind such as "lead" or "caution" sets them apart."""
    return f"<p{_class(kind)}>{as_html(text)}</p>"


def heading(text: str) -> str:
    """Return a heading within a section."""
    return f"<h3>{as_html(text)}</h3>"


def bullets(texts: Iterable[str]) -> str:
    """Return a list of sentences."""
    items = "".join([f"<li>{as_html(text)}</li>" for text in texts])
    return f"<ul>{items}</ul>" if items else ""


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names, each with what is said of it."""
    listed = "".join([f"<dt>{as_html(name)}</dt><dd>{as_html(text)}</dd>" for name, text in pairs])
    return f"<dl>{listed}</dl>"


def judgements(lines: Iterable[tuple[str, str, str]]) -> str:
    """Return a list of judgements: a kind ("good", "caution", "unknown"), a name, and a sentence."""
    signs = {"good": ("\N{CHECK MARK}", "good"), "caution": ("!", "take care"), "unknown": ("?", "not known")}
    items = []
    for kind, name, text in lines:
        sign, says = signs[kind]
        mark = f'<span class="sign" role="img" aria-label="{says}">{sign}</span>'
        items.append(f'<li class="{kind}">{mark}<div><b>{as_html(name)}</b> {as_html(text)}</div></li>')
    return f'<ul class="judgements">{"".join(items)}</ul>'


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    *,
    words: Collection[int] = (0,),
    caption: str | None = None,
    first_is_heading: bool = True,
) -> str:
    """Return a table; the columns of `words` stand flush left, the others flush right."""
    told = "" if caption is None else f"<caption>{as_html(caption)}</caption>"
    head = "".join([_head_cell(text, place in words) for place, text in enumerate(header)])
    lines = []
    for row in rows:
        cells = [
            _cell(each, place in words, is_heading=first_is_heading and place == 0)
            for place, each in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    inner = f"<table>{told}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    label = as_html(caption or (header[0] or header[-1]))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{inner}</div>'


def figures(drawn: Iterable[tuple[str, str]]) -> str:
    """Return charts side by side where there is room, each with its caption."""
    inner = "".join(
        [f"<figure>{svg}<figcaption>{as_html(caption)}</figcaption></figure>" for svg, caption in drawn]
    )
    return f'<div class="figures">{inner}</div>' if inner else ""


def _head_cell(text: str, is_words: bool) -> str:
    return f'<th scope="col"{_class("words" if is_words else None)}>{as_html(text)}</th>'


def _cell(given: str | Cell, is_words: bool, is_heading: bool) -> str:
    cell = given if isinstance(given, Cell) else Cell(given)
    kinds = ["words"] if is_words else []
    kinds += ["long"] if is_words and len(cell.text) > _LONG else []
    if cell.shade is not None:
        kinds.append(f"shade-{min(_SHADES, max(0, round(_SHADES * cell.shade)))}")
    text = as_html(cell.text)
    text = f"<b>{text}</b>" if cell.strong else text
    text += "" if cell.bar is None else _bar(cell.bar)
    tag, scope = ("th", ' scope="row"') if is_heading else ("td", "")
    return f"<{tag}{scope}{_class(' '.join(kinds) or None)}>{text}</{tag}>"


def _bar(share: float) -> str:
    width = 60 * min(1.0, max(0.0, share))
    return (
        '<svg class="bar" viewBox="0 0 60 8" aria-hidden="true">'
        '<rect class="ground" width="60" height="8"/>'
        f'<rect class="amount" width="{width:.1f}" height="8"/></svg>'
    )


def _class(kind: str | None) -> str:
    return "" if kind is None else f' class="{kind}"'
