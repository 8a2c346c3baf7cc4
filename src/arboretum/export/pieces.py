"""The running code of exports: texts in parts/, cut into pieces of which an export takes what it needs.

Words: a *piece* begins with a line that holds "piece:", its name, and after "if" the needs of which one at
least calls for it; a piece without needs is always taken. That line itself is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["pick_pieces"]

_HEAD: Final = re.compile(r"^.*\bpiece: *(\w+)(?: if ([\w ]+))?.*\n", re.M)


@cache
def _pieces(file: str) -> tuple[tuple[str, frozenset[str], str], ...]:
    text = files("arboretum.export").joinpath("parts", file).read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return tuple(
        (head[1], frozenset((head[2] or "").split()), text[head.end() : end].strip("\n"))
        for head, end in zip(heads, ends, strict=True)
    )


def pick_pieces(file: str, needs: Collection[str], between: str = "\n\n\n") -> str:
    """Return the pieces of a file of parts/ that are needed, in their order."""
    return between.join(
        text for _, called_by, text in _pieces(file) if not called_by or called_by & set(needs)
    )
