"""The words and numbers of a node, as every picture and text writes them.

An answer is an outcome without the name of the column, for places where that name is already clear. Numbers
are rounded for reading; the tree has them in full.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from arboretum._data import Column
from arboretum._data.levels import level_text, number_text
from arboretum._show.picture.text_width import shorten_middle
from arboretum._tree.composites import AtLeast, Linear, Literal
from arboretum._tree.digits import short_value
from arboretum._tree.question_values import quote, value_text
from arboretum._tree.questions import Levels, Question, Threshold
from arboretum._wording import many, percent

_SIGNS: Final = ("<=", ">")
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_SHOWN_LEVELS: Final = 12
_SHOWN_CLASSES: Final = 4
_LONG: Final = 18  # letters of a name that is worth shortening
_SAVED: Final = 5  # letters that this must save, at least
_COMPARED: Final = 1_000  # names; more are not compared
_LEVEL_WIDTH: Final = 14.0  # em
_BETWEEN: Final = (" ", "_", "-", "/", ".", ",", ":")


def rows_text(n_rows: int) -> str:
    """Return a number of rows as text."""
    return many(n_rows, "row")


def number(value: Any) -> str:
    """Return a number with as many digits as a reader needs."""
    return f"{value:.6g}"


def weight_text(weight: float) -> str:
    """Return a weight or a count: integers in full, unless they are huge.

    >>> weight_text(12345.0), weight_text(0.25), weight_text(1e22)
    ('12,345', '0.25', '1e+22')
    """
    whole = weight == math.floor(weight) and abs(weight) < 1e12 if math.isfinite(weight) else False
    return f"{weight:,.0f}" if whole else f"{weight:.4g}"


def said(outcome: str, takes_missing: bool) -> str:
    """Return an outcome, with "or missing" if missing values follow it."""
    return f"{outcome} or missing" if takes_missing else outcome


def class_names(classes: tuple[Any, ...] | None) -> list[str]:
    """Return the classes as text."""
    return [level_text(label) for label in classes or ()]


def mix_text(names: Sequence[str], amounts: Sequence[float], write: Callable[[float], str] = percent) -> str:
    """Return the classes that are present, the most frequent first.

    >>> mix_text(["no", "maybe", "yes"], [0.25, 0.0, 0.75])
    'yes 75%, no 25%'
    """
    order = sorted(zip(names, amounts, strict=True), key=lambda entry: -entry[1])
    present = [f"{name} {write(amount)}" for name, amount in order if amount > 0]
    more = [f"{len(present) - _SHOWN_CLASSES} more"] if len(present) > _SHOWN_CLASSES else []
    return ", ".join(present[:_SHOWN_CLASSES] + more)


def short_names(names: Sequence[str]) -> list[str]:
    """Return long names without the words that all of them begin or end with.

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
    before, after = (_MORE if begin else ""), ("" if begin or not end else _MORE)  # one ellipsis is enough
    return [f"{before}{name[len(begin) : len(name) - len(end)].strip()}{after}" for name in names]


def bar_names(names: Sequence[str]) -> list[str]:
    """Return the names of bars without what they share; bars of several levels keep theirs."""
    single = [place for place, name in enumerate(names) if not name.startswith(f"{_MORE} ")]
    short = dict(zip(single, short_names([names[place] for place in single]), strict=True))
    return [short.get(place, name) for place, name in enumerate(names)]


def _shared_beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with; the first and the last in order differ soonest."""
    least, greatest = min(names), max(names)
    shared = (one == two for one, two in zip(least, greatest, strict=False))
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[1], zip(least, shared, strict=False)))


def _whole_words(shared: str) -> str:
    """Return the part of a shared beginning that ends between words; nothing if that saves little."""
    kept = shared[: max(map(shared.rfind, _BETWEEN)) + 1]
    return kept if len(kept) > _SAVED else ""


def level_names(column: Column) -> list[str]:
    """Return the levels of a column for edges and cards, where there is little room."""
    named = [level_text(level) for level in column.levels or ()]
    if len(named) > _COMPARED:
        return [quote(name) for name in named]
    return [quote(shorten_middle(name, _LEVEL_WIDTH)) for name in short_names(named)]


def level_names_once(question: Question, known: dict[str, list[str]]) -> list[str]:
    """Return the names of the levels of a question's column; `known` caches them."""
    if not isinstance(question, Levels):
        return []
    if question.column not in known:
        known[question.column] = level_names(question.about)
    return known[question.column]


def compact(number: float) -> str:
    """Return a number in at most six characters, for the ends of an axis.

    >>> [compact(number) for number in (0.0, 123.0, 12345.0, -0.00123, 1e300, 5e6)]
    ['0', '123', '12.3k', '-1e-3', '1e300', '5M']
    """
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if max(unit, 1e4) <= abs(number) < 1e12:
            return f"{number / unit:.3g}{sign}"
    if 1e-2 <= abs(number) < 1e4:
        return f"{number:.4g}" if abs(number) >= 999.5 else f"{number:.3g}"
    return re.sub(r"e([+-])0*", lambda found: "e-" if found[1] == "-" else "e", f"{number:.0e}")


def threshold_text(question: Threshold | Linear) -> str:
    """Return a threshold as pictures write it: six digits, no fractions of seconds."""
    if isinstance(question, Linear):
        return short_value(number_text(question.threshold))
    text = value_text(question.about, question.threshold)
    return text if question.about.levels is not None else short_value(text)


def asked_text(question: Question, answered: Sequence[str]) -> str:
    """Return a question as a card writes it; `answered` are its answers."""
    name = quote(question.column)
    match question:
        case Threshold():
            return f"{name} {answered[0]}"
        case Linear():
            return f"{_sum_text(question)} {answered[0]}"
        case AtLeast():
            return f"{answered[0]} of: {', '.join(map(_literal_text, question.literals))}"
        case Levels() if not question.is_multiway:
            several = len(question.children[0]) > 1
            return f"{name} in {{{answered[0]}}}" if several else f"{name} = {answered[0]}"
    return str(question)


def answers(question: Question, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the outcomes of a question without what they share; `names` are the names of levels.

    >>> from arboretum._data import Column
    >>> from arboretum._tree.questions import Threshold
    >>> answers(Threshold(Column("x", "number"), 0, False, 2.5, 2))
    ('<= 2.5', '> 2.5')
    """
    match question:
        case AtLeast():
            return tuple(outcome.partition(" of: ")[0] for outcome in question.outcomes)
        case Linear() | Threshold():
            flipped = isinstance(question, Threshold) and question.flipped
            signs = _SIGNS[::-1] if flipped else _SIGNS
            return tuple(f"{sign} {threshold_text(question)}" for sign in signs)
        case Levels():
            known = level_names(question.about) if names is None else names
            return tuple(_group(group, known) for group in question.children)
    name = quote(question.column) + " "
    return tuple(outcome.removeprefix(name) for outcome in question.outcomes)


def _sum_text(question: Linear) -> str:
    """Return a sum with three digits of each coefficient."""
    short = [replace(term, coefficient=float(f"{term.coefficient:.3g}")) for term in question.terms]
    return replace(question, terms=tuple(short)).outcomes[0].rpartition(" <= ")[0]


def _literal_text(literal: Literal) -> str:
    """Return a literal with no more digits than a picture needs."""
    value = literal.value if literal.about.levels is not None else short_value(literal.value)
    return f"{literal.beginning}{value}"


def _group(group: tuple[int, ...], names: Sequence[str]) -> str:
    """Return the levels of a child: "red, blue"."""
    if not group:
        return "missing"
    more = [f"{_MORE} {len(group) - _SHOWN_LEVELS} more"] if len(group) > _SHOWN_LEVELS else []
    return ", ".join([*(names[number] for number in group[:_SHOWN_LEVELS]), *more])
