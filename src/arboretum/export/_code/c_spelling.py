"""How C spells names, texts and numbers; what it cannot hold is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from arboretum.errors import DataError
from arboretum.export._program.program import Field

_LONGEST_STRING: Final = 4095  # bytes; compilers of C99 need not take more
_LONGEST_MEMBER: Final = 40
# Words of C and C++, and what common headers define as macros.
_RESERVED: Final = frozenset(
    word
    for line in (
        "alignas alignof and asm assert atomic auto bitand bitor bool break case catch char class complex",
        "const constexpr continue default delete do double else enum errno explicit export extern false far",
        "float for friend goto if imaginary inline int interface linux long mutable namespace near new",
        "noexcept not nullptr operator or private protected public register restrict return short signed",
        "sizeof small static static_assert stderr stdin stdout struct switch template this thread_local",
        "throw true try typedef typeid typename typeof union unix unsigned using virtual void volatile",
        "wchar_t while xor",
    )
    for word in line.split()
)


def member_names(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return for each column the member that holds its value, and the one for whether it is known.

    >>> [member for member, known in member_names(["a length", "class", "has_n", "n", "1st", "a.length"])]
    ['a_length', 'class_', 'has_n', 'n_2', 'x1st', 'a_length_2']
    """
    taken: set[str] = set()
    members = []
    for column in columns:
        plain = re.sub(r"[^a-z0-9]+", "_", column.lower())[:_LONGEST_MEMBER].strip("_") or "x"
        if plain[0].isdigit():
            plain = f"x{plain}"
        if plain in _RESERVED:
            plain = f"{plain}_"
        member, number = plain, 1
        while {member, f"has_{member}"} & taken:
            number += 1
            member = f"{plain}_{number}"
        taken |= {member, f"has_{member}"}
        members.append((member, f"has_{member}"))
    return members


def c_string(text: str, what: str) -> str:
    """Return a string constant of C in ASCII; refuse a text that no C string can hold.

    >>> print(c_string('say "??/" \\n é', "a level"))
    "say \\"\\?\\?/\\" \\012 \\303\\251"
    """
    try:
        stored = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"to_c() cannot write {what}, {text!r}: it holds half of a surrogate pair, which UTF-8 cannot "
            "encode.\nHint: rename it before fitting."
        ) from error
    if b"\0" in stored or len(stored) > _LONGEST_STRING:
        why = "holds a zero byte" if b"\0" in stored else f"is longer than {_LONGEST_STRING:,} bytes"
        raise DataError(
            f"to_c() cannot write {what}, {text[:40]!r}: it {why}.\nHint: rename it before fitting."
        )
    return f'"{"".join(map(_escaped, stored))}"'


def _escaped(byte: int) -> str:
    sign = chr(byte)
    if sign in '"\\?':  # two question marks begin a trigraph
        return f"\\{sign}"
    return sign if 32 <= byte < 127 else f"\\{byte:03o}"


def refuse_same_texts(field: Field, texts: Sequence[str]) -> None:
    """Refuse levels that read the same, such as 1 and "1": a look-up by text could not tell them apart."""
    twice = [text for text in texts if texts.count(text) > 1] if len(set(texts)) < len(texts) else []
    if twice:
        raise DataError(
            f"to_c() looks levels up by their text, but column {field.name!r} has several that read "
            f"{twice[0]!r}.\nHint: make the levels text before fitting."
        )


def c_double(value: float) -> str:
    """Return a double as a constant of C99, to the last bit."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return float(value).hex()


def c_integer(value: int) -> str:
    """Return an integer as a constant of C99 in 64 bits; the nearest one if it needs more."""
    if value <= -(2**63):
        return "(-INT64_C(9223372036854775807) - 1)"
    return f"INT64_C({min(value, 2**63 - 1)})" if value >= 0 else f"(-INT64_C({-value}))"
