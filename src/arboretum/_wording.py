"""Wording: how messages count and quote, and how text from data is made safe to print.

Names, levels and options may come from anywhere, and may be megabytes long. `shown` quotes a value; every
error passes its message through `shortened`, so that no quotation is long. All text for people goes through
`visible` or one of its sisters: what would steer a terminal, break a line or hide is spelt out.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Final

_IRREGULAR: Final = {"query": "queries", "leaf": "leaves", "class": "classes", "entry": "entries"}
LONGEST_NAME: Final = 40  # of a column, in tables and lists
_LONGEST_VALUE: Final = 60
_LONGEST_QUOTATION: Final = 240  # enough for the path of a file
_LONGEST_MESSAGE: Final = 4_000
_LONGEST_WORD: Final = 200  # that may be a misspelling
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_PLAIN: Final = ("b", "i", "u", "f", "U")  # kinds of NumPy that Python has, too; "" is none of them
# A quotation as repr() writes it; an apostrophe within a word opens none.
_OPEN: Final = re.compile(r"(?<!\w)['\"]")
_REST: Final = {sign: re.compile(rf"(?:[^{sign}\\]|\\.)*+{sign}", re.DOTALL) for sign in "'\""}
# Where an object is in memory, as its default repr() says.
_PLACE: Final = re.compile(r" at 0x[0-9a-fA-F]{6,}(?=>)")
# Zero-width joiners are part of how Persian, Hindi and some emoji are spelt, and harmless.
_JOINERS: Final = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_UNUSUAL: Final = re.compile(r"[^\n -~]")


def many(count: int, noun: str) -> str:
    """Return a count with its noun: singular for one, plural for all other numbers.

    >>> many(1, "row"), many(1_200, "row"), many(0, "leaf")
    ('1 row', '1,200 rows', '0 leaves')
    """
    return f"{count:,} {noun if count == 1 else _IRREGULAR.get(noun, f'{noun}s')}"


def percent(share: float) -> str:
    """Return a share as a percentage; only 0 and 1 are written as 0% and 100%.

    >>> percent(0.001), percent(0.5), percent(0.999)
    ('<1%', '50%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def shown(value: object, longest: int = _LONGEST_VALUE) -> str:
    """Return a value as it may stand in a message: as Python writes it, without the middle if it is long.

    It is one line. A number or text that is NumPy's is written as Python's own.

    >>> import numpy as np
    >>> shown("red"), shown("red" * 100, 12), shown(np.int64(3)), shown(np.str_("red"))
    ("'red'", "'redred…red'", '3', "'red'")
    >>> shown(np.eye(2))
    'array([[1., 0.], [0., 1.]])'
    """
    if getattr(value, "shape", None) == () and getattr(getattr(value, "dtype", None), "kind", "") in _PLAIN:
        value = value.item()  # type: ignore[attr-defined]
    try:
        text = repr(value)
    except Exception:  # of somebody else's object
        text = f"a value of type {type(value).__name__}"
    return without_middle(text if isinstance(value, str) else _PLACE.sub("", " ".join(text.split())), longest)


def shortened(message: str) -> str:
    """Return a message that is not too long, has no quotations that are, and names no place in memory.

    >>> shortened(f"Column {'x' * 10**6!r} holds text.") == f"Column '{'x' * 158}…{'x' * 79}' holds text."
    True
    >>> shortened(f"{object()} is no number.")
    '<object object> is no number.'
    """
    if " at 0x" in message:
        message = _PLACE.sub("", message)
    if len(message) <= _LONGEST_QUOTATION:
        return message
    pieces: list[str] = []
    place = 0
    while (opening := _OPEN.search(message, place)) is not None:
        closing = _REST[opening[0]].match(message, opening.end())
        if closing is None:
            break
        pieces.append(message[place : opening.start()])
        pieces.append(without_middle(message[opening.start() : closing.end()], _LONGEST_QUOTATION))
        place = closing.end()
    return without_middle("".join([*pieces, message[place:]]), _LONGEST_MESSAGE)


def did_you_mean(found: object, known: Collection[object]) -> str:
    """Return a question about the known word that is most like the one found; nothing if none is like it.

    >>> did_you_mean("ginni", ["gini", "entropy"]), did_you_mean("x", ["gini"])
    (" Did you mean 'gini'?", '')
    """
    if not isinstance(found, str) or len(found) > _LONGEST_WORD:
        return ""
    words = [word for word in known if isinstance(word, str) and len(word) <= 2 * _LONGEST_WORD]
    near = difflib.get_close_matches(found, words, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def without_middle(text: str, longest: int) -> str:
    """Return a text of at most `longest` letters: of a longer one, the beginning and the end."""
    if len(text) <= longest:
        return text
    n_last = longest // 3
    return f"{text[: longest - n_last - 1]}{_MORE}{text[len(text) - n_last :]}"


def shown_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """Return names for a table: without the middle of long ones, unless two would then look the same.

    >>> shown_names(["income", "what is left of the income"], 12)
    ['income', 'what is…come']
    >>> shown_names(["income of the first year", "income of the third year"], 12)
    ['income of the first year', 'income of the third year']
    """
    whole = [visible(name) for name in names]
    short = [without_middle(name, longest) for name in whole]
    return short if len(set(short)) == len(set(whole)) else whole


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
