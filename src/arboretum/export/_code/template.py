"""The fixed code of exports: the files in templates/, cut into sections that a program needs or not.

A section begins with a line "section: name if a+b c": it is used where the program needs a and b, or needs c,
and always without an "if". A line that begins with "@a" is used where the program needs a. Other words after
"@" stand for values, and "@" alone for the name that the user gave.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

_HEAD: Final = re.compile(r"^.*\bsection: *\w+(?: if ([\w+ ]+))?.*\n", re.M)
_MARKED_LINE: Final = re.compile(r"^@([a-z]+)(.*\n)", re.M)


@cache
def _sections(file: str) -> tuple[tuple[tuple[frozenset[str], ...], str], ...]:
    """Return the sections of a file: the sets of needs that call for each, and its text."""
    text = files("arboretum.export._code").joinpath("templates", file).read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return tuple(
        (
            tuple(frozenset(term.split("+")) for term in (head[1] or "").split()),
            text[head.end() : end].strip("\n"),
        )
        for head, end in zip(heads, ends, strict=True)
    )


def filled(file: str, needs: Collection[str], name: str, values: Mapping[str, str], between: str) -> str:
    """Return the sections of a template that a program needs, with its name and values put in."""
    wanted = [
        text for terms, text in _sections(file) if not terms or any(term <= set(needs) for term in terms)
    ]
    code = between.join(wanted) + "\n"
    code = _MARKED_LINE.sub(lambda line: line[2] if line[1] in needs else "", code)
    # In one pass, since values may hold any text, "@" included.
    words = "|".join(sorted(values, key=len, reverse=True))
    return re.sub(f"@({words})?", lambda found: values[found[1]] if found[1] else name, code)
