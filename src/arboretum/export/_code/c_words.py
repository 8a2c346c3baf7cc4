"""Names, constants and tables as C spells them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from arboretum.errors import DataError
from arboretum.export._program.shared import flaw_of

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
    stored, flaw = text.encode("utf-8", "replace"), flaw_of(text)
    if flaw or len(stored) > _LONGEST_STRING:
        why = f"holds {flaw}" if flaw else f"is longer than {_LONGEST_STRING:,} bytes"
        raise DataError(
            f"to_c() cannot write {what}, {text[:40]!r}: it {why}.\nHint: rename it before fitting."
        )
    return f'"{"".join(_BYTES[byte] for byte in stored)}"'


# Two question marks begin a trigraph.
_BYTES: Final = tuple(
    f"\\{chr(byte)}" if chr(byte) in '"\\?' else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
    for byte in range(256)
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


def c_doubles(values: Iterable[float]) -> str:
    return f"{{{', '.join(map(c_double, values))}}}"


def c_array(kind: str, name: str, values: Iterable[str], inner: str = "") -> str:
    return c_lines(kind, name, [f"{value}," for value in values], inner)


def c_whole_array(name: str, values: list[int]) -> str:
    """Return a table of small numbers, many in a line."""
    lines = textwrap.wrap(", ".join(map(str, values)) + ",", 100)
    return c_lines("int32_t", name, lines, n_values=len(values))


def c_lines(kind: str, name: str, lines: list[str], inner: str = "", n_values: int | None = None) -> str:
    head = f"static const {kind} {name}[{n_values or len(lines)}]{inner} = {{"
    return "\n".join([head, *(f"  {line}" for line in lines), "};"])
