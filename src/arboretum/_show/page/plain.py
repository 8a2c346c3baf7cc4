"""A page of text and tables, without a script: light or dark, as told or as the reader's system is."""

from __future__ import annotations

from html import escape
from typing import Final

from arboretum._options.rules import OneOf
from arboretum._show.page.frame import html_file
from arboretum._show.picture.palette import DARK, LIGHT, Palette
from arboretum._show.picture.text_width import printable
from arboretum._wording import visible

_THEME: Final = OneOf(("auto", "light", "dark"))
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"  # no name in the data can become code
_FONT: Final = "margin: 1em clamp(0.5em, 3vw, 1.5em); font: 15px/1.45 system-ui, sans-serif;"


def whole_page(title: str, body: str, theme: str) -> str:
    """Return HTML as a file that needs no network."""
    chosen: str = _THEME.read(theme, "theme")
    style = f"body {{ {_FONT} {_colours(DARK if chosen == 'dark' else LIGHT)} }}"
    if chosen == "auto":
        style += f" @media (prefers-color-scheme: dark) {{ body {{ {_colours(DARK)} }} }}"
    return html_file(title, body, style, _POLICY, chosen)


def as_html(text: str) -> str:
    """Return text that may hold names from the data as it stands in a page."""
    return escape(printable(visible(text)))


def _colours(palette: Palette) -> str:
    return f"color: {palette.ink}; background: {palette.page};"
