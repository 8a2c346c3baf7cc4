"""Turn formulas into MathML, which browsers draw without a script.
Words: a formula stands on a page between dollars, as on GitHub; pymdownx.arithmatex finds it and marks it.
Does not look for dollars itself.
"""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_MARKED = re.compile(r'<(span|div) class="arithmatex">(?:\\\((.*?)\\\)|\\\[(.*?)\\\])</\1>', re.DOTALL)


def draw_formulas(page: str) -> str:
    """The HTML of a page, with MathML in place of its formulas."""
    return _MARKED.sub(_draw, page)


def _draw(match: re.Match[str]) -> str:
    """One formula, in a line or on its own."""
    inline, block = match[2], match[3]
    latex = html.unescape(inline if block is None else block).strip()
    return convert(latex, display="inline" if block is None else "block")
