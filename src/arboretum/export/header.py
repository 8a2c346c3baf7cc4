"""What every export says about itself, and how names of strangers are made harmless in comments.

Words: *hostile* text is any name of a column, level or class: whoever made the data chose it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from arboretum.errors import ParameterError
from arboretum.export.program import Program
from arboretum.plurals import many

__all__ = ["about_lines", "checked_name", "harmless", "question_line"]

_MOST_NAMES: Final = 20
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MISSING: Final = {
    "child": "a missing value or unknown level follows one child",
    "surrogates": "other columns stand in for a missing value or unknown level",
    "fractions": "a row that misses a value is divided among the children",
}


def harmless(text: str, limit: int = 100) -> str:
    """Return a text in printable ASCII on one line, cut if it is long; for comments of any language.

    >>> harmless("a\\n*/ --\\u2028")
    'a\\\\n* / - -\\\\u2028'
    """
    plain = text.encode("unicode_escape").decode("ascii")
    for sign in ("*/", "/*", "--", "??", "<!"):
        while sign in plain:
            plain = plain.replace(sign, f"{sign[0]} {sign[1]}")
    cut = plain if len(plain) <= limit else f"{plain[: limit - 3]}..."
    return f"{cut} " if cut.endswith("\\") else cut


def about_lines(program: Program, what: str) -> list[str]:
    """Return the lines at the top of an export: what it is, of which columns and classes."""
    tree = program.tree
    leaves = f"{tree.n_leaves} of them {'a leaf' if tree.n_leaves == 1 else 'leaves'}"
    answers = "numbers" if program.classes is None else f"classes {_listed(program.classes)}"
    return [
        f"{what}, written by arboretum {version('arboretum')}.",
        f"{many(len(tree), 'node')}, {leaves}, depth {tree.depth}; {_MISSING[program.missing]}.",
        f"Asks about: {_listed([field.name for field in program.fields])}.",
        f"Predicts {answers}.",
    ]


def _listed(names: Sequence[object]) -> str:
    shown = ", ".join(f"'{harmless(str(name), 60)}'" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{shown}{more}" if shown else "nothing"


def question_line(program: Program, number: int) -> str:
    """Return one line about a step, for a comment."""
    step = program.steps[number]
    text = f"-> {step.label}" if step.question is None else str(step.question)
    return harmless(f"{number}: {text}")


def checked_name(name: object, asker: str, taken: frozenset[str] = frozenset()) -> str:
    """Return the name of a function in an export; refuse what is no plain identifier."""
    if (
        not isinstance(name, str)
        or not _WORD.fullmatch(name)
        or len(name) > 60
        or keyword.iskeyword(name)
        or name in taken
    ):
        raise ParameterError(
            f"name={name!r} is no name for what {asker} writes; take a letter, then letters, digits and "
            "underscores, 60 at most, and no word of the language."
        )
    return name
