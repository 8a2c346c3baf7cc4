"""What all exports share: comments about themselves, checks of options, and saving.

Names of columns, levels and classes come from the data and may be hostile; `harmless` makes them safe in
comments.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from arboretum._data.scalars import is_integer
from arboretum._store.writing import write_text
from arboretum._wording import many, shown
from arboretum.errors import ParameterError
from arboretum.export._program.program import Output, Program, Step

_MOST_NAMES: Final = 20
_MOST_SAMPLES: Final = 100_000
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MISSING: Final = {
    "child": "a missing value or unknown level follows one child",
    "surrogates": "other columns stand in for a missing value or unknown level",
    "fractions": "a row that misses a value is divided among the children",
}


def harmless(text: str, limit: int = 100) -> str:
    """Return a text in printable ASCII on one line, cut if it is long, for comments of any language.

    >>> harmless("a\\n*/ --\\u2028")
    'a\\\\n* / - -\\\\u2028'
    """
    plain = text.encode("unicode_escape").decode("ascii")
    for sign in ("*/", "/*", "--", "??", "<!"):
        while sign in plain:
            plain = plain.replace(sign, f"{sign[0]} {sign[1]}")
    cut = plain if len(plain) <= limit else f"{plain[: limit - 3]}..."
    return f"{cut} " if cut.endswith("\\") else cut


def flaw_of(text: str) -> str | None:
    """Return what keeps a text out of most strings: a zero byte, or half of a surrogate pair."""
    if "\0" in text:
        return "a zero byte"
    return "half of a surrogate pair" if any("\ud800" <= sign <= "\udfff" for sign in text) else None


def about_lines(program: Program, what: str) -> list[str]:
    """Return the lines at the top of an export: what it is, its columns and its classes."""
    n_leaves = sum(tree.n_leaves for tree in program.trees)
    n_more = len(program.outputs) - _MOST_NAMES
    leaves = f"{n_leaves} of them {'a leaf' if n_leaves == 1 else 'leaves'}"
    return [
        f"{what}, written by arboretum {version('arboretum')}.",
        f"{many(len(program.steps), 'node')}, {leaves}, depth {program.depth}; {_MISSING[program.missing]}.",
        f"Asks about: {_listed([field.name for field in program.fields])}.",
        *map(_prediction_line, program.answers[:_MOST_NAMES]),
        *([f"And {n_more} more outputs."] if n_more > 0 else []),
    ]


def _prediction_line(output: Output) -> str:
    kind = "numbers" if output.classes is None else f"classes {_listed(output.classes)}"
    return f"Predicts {kind}." if output.name is None else f"Predicts {_listed([output.name])}: {kind}."


def _listed(names: Sequence[object]) -> str:
    shown = ", ".join(f"'{harmless(str(name), 60)}'" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{shown}{more}" if shown else "nothing"


def question_line(program: Program, step: Step) -> str:
    """Return one line about a step, for a comment."""
    text = str(step.question)
    if step.question is None:
        said = [(output.name, output.at(step)) for output in program.answers]
        parts = [f"{'' if name is None else f'{name}: '}{own.formula or own.label}" for name, own in said]
        text = f"-> {'; '.join(parts)}"
    return harmless(f"{step.number}: {text}")


def checked_name(name: object, asker: str, taken: frozenset[str] = frozenset()) -> str:
    """Return the name of a function in an export; refuse anything but a plain identifier."""
    plain = isinstance(name, str) and _WORD.fullmatch(name) is not None and len(name) <= 60
    if not isinstance(name, str) or not plain or keyword.iskeyword(name) or name in taken:
        raise ParameterError(
            f"name={shown(name)} cannot be a name in what {asker} writes; use a letter, then "
            "letters, digits and "
            "underscores, at most 60, and no reserved word."
        )
    return name


def checked_count(n_samples: Any, *, least: int = 1, most: int = _MOST_SAMPLES) -> int:
    """Return the number of samples; refuse what is not a number of rows."""
    if not is_integer(n_samples) or not least <= n_samples <= most:
        raise ParameterError(
            f"n_samples={shown(n_samples)} is not a number of rows; choose {least} to {most:,}."
        )
    return int(n_samples)


def saved(text: str, path: str | os.PathLike[str] | None, *, end: str = "") -> str:
    """Return the text, after writing it to a file if a path is given; the file gets `end` as well."""
    if path is not None:
        write_text(path, text + end)
    return text
