"""How messages quote what was given to the package: whatever it is, a message stays short enough to read.

Names, levels and options come from tables and files, where they may be megabytes long. A value is quoted by
`shown`; every error passes its message through `shortened`, so that no other quotation can be long either.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import Final

__all__ = ["did_you_mean", "shortened", "shown"]

_LONGEST_VALUE: Final = 60
_LONGEST_QUOTATION: Final = 240  # a path of a file should still be there in full
_LONGEST_MESSAGE: Final = 4_000
_LONGEST_WORD: Final = 200  # that may be a misspelling
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
# A quotation as repr() writes it; an apostrophe within a word opens none.
_OPEN: Final = re.compile(r"(?<!\w)['\"]")
_REST: Final = {sign: re.compile(rf"(?:[^{sign}\\]|\\.)*+{sign}", re.DOTALL) for sign in "'\""}


def shown(value: object, longest: int = _LONGEST_VALUE) -> str:
    """Return a value as it may stand in a message: as Python writes it, without the middle if it is long.

    >>> shown("red"), shown("red" * 100, 12)
    ("'red'", "'redred…red'")
    """
    return _without_middle(repr(value), longest)


def shortened(message: str) -> str:
    """Return a message whose quotations, and which itself, are not too long.

    >>> shortened(f"Column {'x' * 10**6!r} holds text.") == f"Column '{'x' * 158}…{'x' * 79}' holds text."
    True
    """
    if len(message) <= _LONGEST_QUOTATION:
        return message
    pieces: list[str] = []
    place = 0
    while (opening := _OPEN.search(message, place)) is not None:
        closing = _REST[opening[0]].match(message, opening.end())
        if closing is None:
            break
        pieces.append(message[place : opening.start()])
        pieces.append(_without_middle(message[opening.start() : closing.end()], _LONGEST_QUOTATION))
        place = closing.end()
    return _without_middle("".join([*pieces, message[place:]]), _LONGEST_MESSAGE)


def did_you_mean(found: object, known: Collection[object]) -> str:
    """Return a question about the known word that is most like the one found; nothing if none is.

    >>> did_you_mean("ginni", ["gini", "entropy"]), did_you_mean("x", ["gini"])
    (" Did you mean 'gini'?", '')
    """
    if not isinstance(found, str) or len(found) > _LONGEST_WORD:
        return ""
    words = [word for word in known if isinstance(word, str) and len(word) <= 2 * _LONGEST_WORD]
    near = difflib.get_close_matches(found, words, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _without_middle(text: str, longest: int) -> str:
    """Return a text of at most so many letters: the beginning and the end of one that is longer."""
    if len(text) <= longest:
        return text
    n_last = longest // 3
    return f"{text[: longest - n_last - 1]}{_MORE}{text[len(text) - n_last :]}"
