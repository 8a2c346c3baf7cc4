"""XML as text: elements are written in one pass, however deeply nested, and all text is escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_DEEPEST_INDENT: Final = 40
# All that XML 1.0 may hold, even escaped.
_ALLOWED: Final = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
# White space is written as numbers; else a reader would turn it into spaces.
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
    """Return an element; attributes are written as `str` writes them."""
    given = {name: None if value is None else str(value) for name, value in attributes.items()}
    return Element(tag, given, list(children), text)


def can_be_written(text: str) -> bool:
    """Return whether XML can hold the text.

    >>> can_be_written("a < b\\n"), can_be_written("a\\0")
    (True, False)
    """
    return _ALLOWED.fullmatch(text) is not None


def write_xml(root: Element) -> str:
    """Return a document; from some depth on, elements are not indented further."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    todo: list[tuple[Element | str, int]] = [(root, 0)]
    while todo:
        part, depth = todo.pop()
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
            todo.append((part.tag, depth))
            todo += [(child, depth + 1) for child in reversed(part.children)]
        else:
            lines.append(f"{indent}<{head}/>")
    return "\n".join(lines) + "\n"
