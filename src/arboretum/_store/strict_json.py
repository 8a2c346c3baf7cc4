"""Reading JSON text that may have been made to do harm.

Text with too many lists, objects or texts, or nested too deeply, is refused by counting, before Python makes
anything of it. So are NaN, infinities and the same name twice in an object, which Python would read.
"""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np

_DEEPEST: Final = 64
# What Python makes of a small list, object or text is many times as large as what is written.
_MOST: Final = {b"{": 2_000_000, b"[": 10_000_000, b'"': 10_000_000}
_NAMES: Final = {b"{": "objects", b"[": "lists", b'"': "quotation marks"}


def parse_json(text: str) -> Any:
    """Return what JSON text says; ValueError says what is wrong with it."""
    content = text.encode("utf-8", "surrogatepass")
    _refuse_crowded(content)
    _refuse_deep(content)
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except RecursionError as error:  # if the caller is deep down already
        raise ValueError("it is nested too deeply") from error


def _refuse_crowded(content: bytes) -> None:
    for sign, most in _MOST.items():
        if content.count(sign) > most:
            raise ValueError(f"it holds more than {most:,} {_NAMES[sign]}")


def _refuse_deep(content: bytes) -> None:
    """Refuse lists within lists within lists: reading them would use up the stack of the program."""
    # Without what is escaped, every other piece between quotation marks is the content of a text.
    pieces = content.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
    signs = np.frombuffer(b"".join(pieces[::2]), dtype=np.uint8)
    opened = (signs == ord("[")) | (signs == ord("{"))
    closed = (signs == ord("]")) | (signs == ord("}"))
    steps = opened[opened | closed].astype(np.int8) * 2 - 1
    if len(steps) and int(np.cumsum(steps, dtype=np.int64).max()) > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} deep")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"the name {name[:60]!r} is there twice")
        fields[name] = value
    return fields
