"""A summary for a notebook, alone and below the tree of a fitted model; and as a page of its own.

It takes the colours of what is around it, so that it suits light and dark themes; where an untrusted output
loses its style, plain headings, tables and lists are left. Names from the data are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from arboretum._show.page.html import notebook_html
from arboretum._show.page.plain import whole_page
from arboretum._show.summary_text import WORDS, Told, told
from arboretum._tree.multi_tree import several_of
from arboretum.inspection.summary.summary import Summary, summary_of

_CLASS: Final = "arboretum-summary"
_STYLE: Final = """
.arboretum-summary { color: inherit; font-size: 0.9em; line-height: 1.45; max-width: 76rem; }
.arboretum-summary h4 { margin: 0.9em 0 0.3em; font-size: 1em; overflow-wrap: anywhere; }
.arboretum-summary .parts { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 35rem), 1fr)); }
.arboretum-summary .wide { overflow-x: auto; }
.arboretum-summary table { border-collapse: collapse; margin: 0; font-size: inherit;
  background: none; color: inherit; }
.arboretum-summary :is(th, td) { padding: 0.15em 0.5em; text-align: right; color: inherit; background: none;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); white-space: nowrap; }
.arboretum-summary :is(th, td).words { text-align: left; }
.arboretum-summary td.name { white-space: normal; overflow-wrap: anywhere; min-width: 8em; }
.arboretum-summary .bar { display: inline-block; width: 4em; height: 0.55em; margin-left: 0.5em;
  background: color-mix(in srgb, currentColor 12%, transparent); text-align: left; }
.arboretum-summary .bar span { display: block; height: 100%; background: currentColor; opacity: 0.55; }
@media (max-width: 40rem) { .arboretum-summary .bar { display: none; } }
.arboretum-summary dl { margin: 0; }
.arboretum-summary dt { font-weight: 600; margin-top: 0.3em; }
.arboretum-summary dd { margin: 0 0 0 1em; overflow-wrap: anywhere; }
.arboretum-summary :is(ul, ol) { margin: 0; padding-left: 1.3em; }
.arboretum-summary li { overflow-wrap: anywhere; }
"""


def summary_to_html(summary: Summary) -> str:
    """Return a summary as HTML."""
    parts = told(summary)
    facts = "".join([f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts.facts])
    blocks = [
        _block(
            "columns", _table(parts) + (f"<p>{escape(parts.more_columns)}</p>" if parts.more_columns else "")
        ),
        _block("model", f"<dl>{facts}</dl>"),
        _list("surest leaves", parts.most_sure),
        _list("least sure leaves", parts.least_sure),
        _list("what to try next", parts.advice),
    ]
    body = f'<h4>{escape(parts.title)}</h4><div class="parts">{"".join(blocks)}</div>'
    return f'<div class="{_CLASS}"><style>{_STYLE}</style>{body}</div>'


def summary_page(summary: Summary, title: str | None, theme: str) -> str:
    """Return a summary as one HTML file."""
    return whole_page(title or f"Summary of a {summary.model}", summary_to_html(summary), theme)


def model_html(model: Any) -> str:
    """Return what a fitted model shows at the end of a notebook's cell: its tree and its summary."""
    if several_of(model) is not None:  # whose outputs have a summary each
        return notebook_html(model)
    return notebook_html(model) + summary_to_html(summary_of(model))


def _block(heading: str, body: str) -> str:
    return f"<section><h4>{escape(heading)}</h4>{body}</section>"


def _list(heading: str, sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    return _block(heading, f"<ul>{''.join([f'<li>{escape(text)}</li>' for text in sentences])}</ul>")


def _table(parts: Told) -> str:
    head = "".join([f"<th{_class(name)}>{escape(name)}</th>" for name in parts.headings])
    rows = "".join([_row(parts, row, share) for row, share in zip(parts.columns, parts.shares, strict=True)])
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _row(parts: Told, row: Sequence[str], share: float) -> str:
    cells = [
        f"<td{_class(name)}>{escape(cell)}{_bar(share) if name == 'importance' else ''}</td>"
        for name, cell in zip(parts.headings, row, strict=True)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _class(heading: str) -> str:
    if heading not in WORDS:
        return ""
    return ' class="words name"' if heading == "column" else ' class="words"'


def _bar(share: float) -> str:
    return f'<span class="bar"><span style="width: {100 * share:.0f}%"></span></span>'
