"""XML as text: elements that are written in one pass, however deep they lie in each other.

Words: an *element* has a tag, attributes, and either text or children. Names of strangers are escaped here
and nowhere else. What the elements mean is known elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Element", "can_be_written", "element", "write_xml"]

_DEEPEST_INDENT: Final = 40
# What XML 1.0 may hold at all, even escaped.
_ALLOWED: Final = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
# White space is written as numbers, or a reader would make spaces of it.
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


@dataclass
class Element:
    """One element; attributes that are None are left out."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element] = field(default_factory=list)
    text: str | None = None


def element(tag: str, *children: Element, text: str | None = None, **attributes: object) -> Element:
    """Return an element; attributes are given as words, and written as `str` does."""
    given = {name: None if value is None else str(value) for name, value in attributes.items()}
    return Element(tag, given, list(children), text)


def can_be_written(text: str) -> bool:
    """Tell whether XML can hold the text.

    >>> can_be_written("a < b\\n"), can_be_written("a\\0")
    (True, False)
    """
    return _ALLOWED.fullmatch(text) is not None


def write_xml(root: Element) -> str:
    """Return a document; elements that lie deep are no longer indented."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    still: list[tuple[Element | str, int]] = [(root, 0)]
    while still:
        part, depth = still.pop()
        indent = "  " * min(depth, _DEEPEST_INDENT)
        if isinstance(part, str):
            lines.append(f"{indent}</{part}>")
            continue
        head = part.tag + "".join(
            f' {name}="{value.translate(_ESCAPES)}"'
            for name, value in part.attributes.items()
            if value is not None
        )
        if part.text is not None:
            lines.append(f"{indent}<{head}>{part.text.translate(_ESCAPES)}</{part.tag}>")
        elif part.children:
            lines.append(f"{indent}<{head}>")
            still.append((part.tag, depth))
            still += [(child, depth + 1) for child in reversed(part.children)]
        else:
            lines.append(f"{indent}<{head}/>")
    return "\n".join(lines) + "\n"
