"""Text from data, made safe to print: what would steer a terminal, break a line or hide is spelt out.

Names of columns, levels, classes and files may come from anywhere. Every text for people passes through here
on its way out; data that are written to files never do.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Final

__all__ = ["for_terminal", "is_visible", "visible", "visible_json", "visible_lines"]

# Zero-width joiners are part of how Persian, Hindi and some emoji are spelt, and harmless.
_JOINERS: Final = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_UNUSUAL: Final = re.compile(r"[^\n -~]")


def is_visible(text: str) -> bool:
    """Return whether a text is one line that any terminal shows as it is; spaces of any width are fine.

    >>> is_visible("petal length"), is_visible("petal\\nlength"), is_visible("\\x1b[31mred")
    (True, False, False)
    """
    return text.isprintable() or all(map(_is_shown, text))


def visible(text: str) -> str:
    r"""Return a text on one line, with everything that is not visible spelt out as Python escapes it.

    >>> print(visible("one\ntwo \x1b[31mred \u202e"))
    one\ntwo \x1b[31mred \u202e
    """
    return text if text.isprintable() else visible_lines(text).replace("\n", r"\n")


def visible_lines(text: str) -> str:
    """Return a text of several lines, with everything else that is not visible spelt out."""
    return _spelt_out(text, lambda sign: repr(sign)[1:-1])


def for_terminal(content: str) -> str:
    """Return a file's content as a terminal may show it: lines and tabs stay, the rest is spelt out."""
    return "\t".join(map(visible_lines, content.split("\t")))


def visible_json(text: str) -> str:
    r"""Return JSON that means the same, with everything that is not visible as \u escapes."""
    return _spelt_out(text, lambda sign: json.dumps(sign)[1:-1])


def _spelt_out(text: str, spell: Callable[[str], str]) -> str:
    def shown(found: re.Match[str]) -> str:
        return found[0] if _is_shown(found[0]) else spell(found[0])

    return _UNUSUAL.sub(shown, text)


def _is_shown(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs" or sign in _JOINERS
