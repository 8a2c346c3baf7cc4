"""The words and numbers of a node, as every picture and text writes them.

Words: an *answer* is an outcome without the name of the column, for the place where that name stands above.
Numbers are rounded for reading; the tree has them in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from arboretum.dataset import Column
from arboretum.dataset.levels import level_text
from arboretum.questions import AtLeast, Levels, Linear, Question, quote

__all__ = [
    "answers",
    "asked_text",
    "class_names",
    "level_names",
    "number",
    "percent",
    "rows_text",
    "short_names",
    "weight_text",
]

_SIGNS: Final = ("<=", ">")
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_SHOWN_LEVELS: Final = 12
_LONG: Final = 18  # letters of a name that is worth shortening,
_SAVED: Final = 5  # those that must be saved by it,
_COMPARED: Final = 1_000  # and so many names are looked at to find what they share
_BETWEEN: Final = (" ", "_", "-", "/", ".", ",", ":")


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to 0 % or 100 % what is neither.

    >>> percent(0.001), percent(0.5), percent(0.999)
    ('<1%', '50%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def rows_text(n_rows: int) -> str:
    """Return a number of rows in words."""
    return f"{n_rows:,} row{'s' if n_rows != 1 else ''}"


def number(value: Any) -> str:
    """Return a number with as many digits as a reader needs."""
    return f"{value:.6g}"


def weight_text(weight: float) -> str:
    """Return a weight, or a count: whole numbers in full.

    >>> weight_text(12345.0), weight_text(0.25)
    ('12,345', '0.25')
    """
    return f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.4g}"


def class_names(classes: tuple[Any, ...] | None) -> list[str]:
    """Return the classes as text."""
    return [level_text(label) for label in classes or ()]


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without the words that all of them begin or end with, if they are long and alike.

    >>> short_names(["acute disease of the left lung", "acute disease of the right lung"])
    ['…left lung', '…right lung']
    >>> short_names(["left lung", "right lung"])
    ['left lung', 'right lung']
    """
    if len(names) < 2 or max(map(len, names)) <= _LONG:
        return list(names)
    begin = _whole_words(_shared_beginning(names))
    end = _whole_words(_shared_beginning([name[len(begin) :][::-1] for name in names]))
    if any(len(name) == len(begin) + len(end) for name in names):
        return list(names)
    before, after = (_MORE if begin else ""), ("" if begin or not end else _MORE)  # one sign says enough
    return [f"{before}{name[len(begin) : len(name) - len(end)].strip()}{after}" for name in names]


def _shared_beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with; the least and the greatest name differ first."""
    least, greatest = min(names), max(names)
    shared = (one == two for one, two in zip(least, greatest, strict=False))
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[1], zip(least, shared, strict=False)))


def _whole_words(shared: str) -> str:
    """Return as much of a shared beginning as ends between words; nothing if that saves little."""
    kept = shared[: max(map(shared.rfind, _BETWEEN)) + 1]
    return kept if len(kept) > _SAVED else ""


def level_names(column: Column) -> list[str]:
    """Return the levels of a column as they stand on edges and bars, where room is small."""
    named = [quote(level_text(level)) for level in column.levels or ()]
    return short_names(named) if len(named) <= _COMPARED else named


def asked_text(question: Question, names: Sequence[str]) -> str:
    """Return a question as a card writes it; `names` are those of the levels, where it asks about some."""
    if not isinstance(question, Levels) or question.is_multiway:
        return str(question)
    first = answers(question, names)[0]
    several = len(question.children[0]) > 1
    return f"{quote(question.column)} in {{{first}}}" if several else f"{quote(question.column)} = {first}"


def answers(question: Question, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the outcomes of a question without what is said of all of them; `names` are those of levels.

    >>> from arboretum.dataset import Column
    >>> from arboretum.questions import Threshold
    >>> answers(Threshold(Column("x", "number"), 0, False, 2.5, 2))
    ('<= 2.5', '> 2.5')
    """
    match question:
        case AtLeast():
            return tuple(outcome.partition(" of: ")[0] for outcome in question.outcomes)
        case Linear():
            bounds = [outcome.rpartition(" ")[2] for outcome in question.outcomes]
            return tuple(f"{sign} {bound}" for sign, bound in zip(_SIGNS, bounds, strict=True))
        case Levels():
            known = level_names(question.about) if names is None else names
            return tuple(_group(group, known) for group in question.children)
    name = quote(question.column) + " "
    return tuple(outcome.removeprefix(name) for outcome in question.outcomes)


def _group(group: tuple[int, ...], names: Sequence[str]) -> str:
    """Return the levels of a child: "red, blue"."""
    if not group:
        return "missing"
    more = [f"{_MORE} {len(group) - _SHOWN_LEVELS} more"] if len(group) > _SHOWN_LEVELS else []
    return ", ".join([*(names[number] for number in group[:_SHOWN_LEVELS]), *more])
