"""How wide text is on a picture, without a font at hand, and how it is broken to fit.

Widths are in em, the size of the font, for a wide sans-serif (DejaVu Sans), so text in narrower fonts also
stays inside its card.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

BOLD: Final = 1.12  # bold text is wider by this factor

_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"
_CLASSES: Final = {
    0.28: "'ijl",
    0.30: "IJ",
    0.32: " ,.\N{MIDDLE DOT}",
    0.36: "/:;\\|f-",
    0.41: "()[]t!r",
    0.50: '"*_`',
    0.56: "sz?cL",
    0.60: "FkvxyP",
    0.64: "TYaoeESbdghnpqu$0123456789{}",
    0.70: "KAVBRXZC",
    0.77: "UHNDG&",
    0.82: "OQw",
    0.86: "#+<=>^~M",
    1.00: "%mW@" + _ELLIPSIS,
}
_WIDTHS: Final = {letter: width for width, letters in _CLASSES.items() for letter in letters}
_ROUNDING: Final = 1e-6
_LONGEST: Final = 2_000  # letters of a text that are considered
# Control characters and surrogate halves, which XML cannot hold and fonts do not have.
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_OTHER, _WIDE = 0.72, 1.05  # other alphabets; East Asian letters and pictures
# A line may end after a space or one of these, but not after a sign or inside a number.
_BREAK: Final = r"(?:[\s;/_]|-(?!\d)|[:,.](?!\w))"
# A number that was cut off: its beginning would be another number.
_CUT_NUMBER: Final = re.compile(r"[-\N{MINUS SIGN}+]?[\d.,:-]*\d(?:[.,:-]|[eE][-+]?|T)?$")
_WITHIN_NUMBER: Final = re.compile(r"\d|[.,:]\d|[eE][-+\d]|-\d|T\d")
_PIECES: Final = re.compile(rf"(?:(?:<=|>=|!=|[<>=]) )?(?:(?!{_BREAK}).)*(?:{_BREAK}+|$)")


def writable(text: str) -> str:
    """Return text with a replacement for characters that some renderer cannot write."""
    return text if text.isascii() and text.isprintable() else _UNPRINTABLE.sub(_UNKNOWN, text)


def printable(text: str) -> str:
    """Return text as one line that every renderer can write.

    >>> printable("one\\n two")
    'one two'
    """
    return writable(" ".join(text.split()))


def shorten_middle(text: str, width: float) -> str:
    """Return the text, or its beginning and end with an ellipsis between, so that it fits into a width.

    >>> shorten_middle("department of cardiology", 8.0)
    'depart…iology'
    """
    text = printable(text[:_LONGEST])
    if text_width(text) <= width + _ROUNDING:
        return text
    half = (width - text_width(_ELLIPSIS)) / 2
    return f"{_fitting(text, half).rstrip()}{_ELLIPSIS}{_fitting(text[::-1], half)[::-1].lstrip()}"


def widest_piece(text: str) -> float:
    """Return the width of the widest unbreakable part of a text.

    >>> widest_piece("when <= 2024-03-01T12:00:00") > widest_piece("when <= 3")
    True
    """
    return max(
        (text_width(piece.group().rstrip()) for piece in _PIECES.finditer(printable(text))), default=0.0
    )


def text_width(text: str) -> float:
    """Return the largest likely width of a text, in em.

    >>> round(text_width("iii"), 2), round(text_width("WWW"), 2)
    (0.84, 3.0)
    """
    return sum(map(_letter_width, text))


@lru_cache(maxsize=4096)
def _letter_width(letter: str) -> float:
    known = _WIDTHS.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Mn"):
        return 0.0
    wide = unicodedata.east_asian_width(letter) in "WF" or ord(letter) > 0xFFFF
    return _WIDE if wide else _OTHER


def shorten(text: str, width: float) -> str:
    """Return the text, or as much of its beginning as fits with an ellipsis.

    A number is written whole or not at all.

    >>> shorten("petal_length", 4.0), shorten("joined > 2020-03-09T05:17:47", 12.0)
    ('petal…', 'joined >…')
    """
    text = printable(text[: _most_letters(width)])
    if text_width(text) <= width + _ROUNDING:
        return text
    kept = _fitting(text, width - text_width(_ELLIPSIS))
    if _WITHIN_NUMBER.match(text, len(kept)):
        kept = _CUT_NUMBER.sub("", kept)
    return kept.rstrip() + _ELLIPSIS


def wrap(text: str, width: float, max_lines: int) -> list[str]:
    """Return the text in lines that fit into a width; the last ends in an ellipsis if there is more.

    >>> wrap("petal_length <= 2.45", 7.0, 2)
    ['petal_length', '<= 2.45']
    >>> wrap("a very long name of a column", 5.0, 2)
    ['a very', 'long na…']
    """
    rest = printable(text[: _most_letters(width) * max_lines])
    if text_width(rest) <= width + _ROUNDING:
        return [rest]
    lines: list[str] = []
    while rest and len(lines) < max_lines - 1:
        line = _beginning(rest, width)
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    if rest:
        lines.append(shorten(rest, width))
    return lines


def word_lines(sentence: str, width: float) -> list[str]:
    """Return a sentence in lines of whole words.

    >>> word_lines("counted without class_weight", 12.0)
    ['counted without', 'class_weight']
    """
    lines: list[str] = []
    for word in sentence.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer) <= width + _ROUNDING:
            lines[-1] = longer
        else:
            lines.append(shorten(word, width))
    return lines


def _most_letters(width: float) -> int:
    """Return a number of letters that is too many for a width, to bound the work on long texts."""
    return max(8, int(width / 0.2))


def _beginning(text: str, width: float) -> str:
    """Return as many unbreakable parts of a text as fit into a width, or else as many letters."""
    taken = 0
    for piece in _PIECES.finditer(text):
        if text_width(text[: piece.end()].rstrip()) > width + _ROUNDING:
            break
        taken = piece.end()
        if taken == len(text):
            break
    return text[:taken] if taken else _fitting(text, width) or text[:1]


def _fitting(text: str, width: float) -> str:
    """Return as many letters of a text as fit into a width."""
    room = width + _ROUNDING
    for end, letter in enumerate(text):
        room -= _letter_width(letter)
        if room < 0:
            return text[:end]
    return text
