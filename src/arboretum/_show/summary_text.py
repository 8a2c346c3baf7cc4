"""A summary in words: the lines and tables that text and HTML share, and the text itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arboretum._data.levels import level_text
from arboretum._data.suspicions import Suspicion
from arboretum._show.rule_text import Wording, rule_line, wording_of
from arboretum._show.words import number, rows_text, weight_text
from arboretum._wording import LONGEST_NAME, many, percent, shown, visible, without_middle
from arboretum.errors import some_of
from arboretum.inspection.rules.rule import Rule
from arboretum.inspection.summary.summary import ColumnSummary, Summary

SHOWN_COLUMNS: Final = 12
_SHOWN_CLASSES: Final = 6
_SHOWN_SUSPICIONS: Final = 6
_LONGEST_VALUE: Final = 80
_HEADINGS: Final = ("column", "importance", "questions", "kind", "missing", "levels")
WORDS: Final = ("column", "kind")  # the others are numbers
_UNKNOWN: Final = "?"


@dataclass(frozen=True)
class Told:
    """A summary as texts: what stands at the top, a table of columns, facts by name, rules and advice."""

    title: str
    headings: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...]  # the importance of each column, for a bar
    more_columns: str | None
    facts: tuple[tuple[str, str], ...]
    most_sure: tuple[str, ...]
    least_sure: tuple[str, ...]
    advice: tuple[str, ...]


def told(summary: Summary) -> Told:
    """Return the texts of a summary, safe to print."""
    ranked = sorted(summary.columns, key=lambda column: -column.importance)[:SHOWN_COLUMNS]
    n_more = len(summary.columns) - len(ranked)
    wording = wording_of(summary.tree)
    cells = [_column(column) for column in ranked]
    kept = [i for i in range(len(_HEADINGS)) if any(row[i] for row in cells)]
    return Told(
        visible(_title(summary)),
        tuple([_HEADINGS[i] for i in kept]),
        tuple([tuple([row[i] for i in kept]) for row in cells]),
        tuple([column.importance for column in ranked]),
        f"and {many(n_more, 'other')}" if n_more else None,
        tuple([(name, visible(text)) for name, text in _facts(summary)]),
        _rules(summary.most_sure, wording),
        _rules(summary.least_sure, wording),
        tuple([visible(sentence) for sentence in summary.advice]) or ("Nothing stands out.",),
    )


def _title(summary: Summary) -> str:
    weight = summary.weight
    weighed = abs(weight - summary.n_rows) > 1e-9 * max(abs(weight), 1.0)
    rows = rows_text(summary.n_rows) + (f" of weight {weight_text(weight)}" if weighed else "")
    aside = [f"{summary.n_rows_dropped:,} left out for missing values"] if summary.n_rows_dropped else []
    aside += [f"{summary.n_rows_held_out:,} held out to prune by"] if summary.n_rows_held_out else []
    but = f" ({', '.join(aside)})" if aside else ""
    size = f"{rows}{but}, {many(len(summary.columns), 'column')}"
    if summary.classes is None:
        mean = "" if summary.mean is None else f" ({number(summary.mean)} over all rows)"
        return f"{summary.model}: {size} → a number{mean}"
    ranked = sorted(summary.classes, key=lambda entry: -entry[1])
    named = [f"{shown_name(level_text(label))} {percent(share)}" for label, share in ranked]
    return f"{summary.model}: {size} → {many(len(ranked), 'class')}: {some_of(named, _SHOWN_CLASSES)}"


def shown_name(name: str) -> str:
    """Return a name without its middle if it is long."""
    return without_middle(visible(name), LONGEST_NAME)


def _column(column: ColumnSummary) -> tuple[str, ...]:
    has_levels = column.kind in ("nominal", "ordered")
    return (
        shown_name(column.name),
        percent(column.importance),
        f"{column.n_questions:,}",
        column.kind,
        _UNKNOWN if column.missing is None else f"{column.missing:,}",
        "" if not has_levels else _UNKNOWN if column.levels is None else f"{column.levels:,}",
    )


def _rules(rules: Sequence[Rule], wording: Wording) -> tuple[str, ...]:
    return tuple([rule_line(rule, wording, figures=True) for rule in rules])


# --- facts


def _facts(summary: Summary) -> list[tuple[str, str]]:
    facts = [("suspicious columns", _suspicions(summary)), ("settings", _settings(summary))]
    facts += [("size", _size(summary)), ("tree", _shape(summary))]
    if summary.fit is not None:
        says = (
            f"{100 * summary.fit:.1f}% of the training rows are right"
            if summary.classes is not None
            else f"explains {100 * summary.fit:.1f}% of the variance of the training rows"
        )
        facts.append(("fit", says))
    if not summary.knows_columns:
        facts.append(("not known", "the file of the model does not say what was missing, or how many levels"))
    return facts


def _suspicions(summary: Summary) -> str:
    if summary.suspicions is None:
        return "not known"
    found = [suspicion_text(each) for each in summary.suspicions]
    return some_of(found, _SHOWN_SUSPICIONS) if found else "none"


def suspicion_text(found: Suspicion) -> str:
    """Return why a column is suspicious."""
    example = shown(without_middle(found.example, LONGEST_NAME))
    if found.looks_like == "identifier":
        times = f"{found.count:,} of {found.of:,} rows alone have their value"
        says = f"an identifier: {times}, such as {example}"
    elif found.looks_like == "row number":
        says = f"a row number: {without_middle(found.example, LONGEST_NAME)}, and one more in each row"
    elif found.looks_like == "constant":
        says = f"the same in all rows: {without_middle(found.example, LONGEST_NAME)}"
    elif found.looks_like == "empty":
        says = "without a value in any row"
    else:
        says = f"{found.looks_like} as text, such as {example}"
    return f"{shown_name(found.column)} ({says})"


def _settings(summary: Summary) -> str:
    if summary.settings is None:
        return "not known of a tree by itself"
    given = [f"{each.name}={_value(each.value)}" for each in summary.settings if not each.is_default]
    usual = [f"{each.name}={_value(each.value)}" for each in summary.settings if each.is_default]
    parts = [", ".join(given)] if given else []
    return "; ".join([*parts, *([f"by default {', '.join(usual)}"] if usual else [])])


def _value(text: str) -> str:
    return without_middle(" ".join(text.split()), _LONGEST_VALUE)


def _size(summary: Summary) -> str:
    size, kept = summary.size, summary.shape.n_leaves
    leaves = (
        f"{kept:,} of {many(size.grown_leaves, 'leaf')}" if kept < size.grown_leaves else many(kept, "leaf")
    )
    if size.score is None:
        return f"{leaves}: {size.how}"
    error = "" if size.error is None else f" ± {size.error:.2g}"
    parts = [f"{size.measure} {size.score:.4g}{error} on held-out rows"]
    parts += [] if size.training is None else [f"{size.training:.4g} on training rows"]
    parts += [] if size.root_score is None else [f"{size.root_score:.4g} with one leaf"]
    return f"{leaves}: {size.how}; {', '.join(parts)}"


def _shape(summary: Summary) -> str:
    shape = summary.shape
    if shape.n_leaves == 1:
        return "one leaf: nothing is asked"
    rows = (
        rows_text(shape.largest_leaf)
        if shape.smallest_leaf == shape.largest_leaf
        else f"{shape.smallest_leaf:,} to {rows_text(shape.largest_leaf)}"
    )
    return (
        f"{many(shape.n_leaves, 'leaf')}, depth {shape.depth}; a row is asked "
        f"{shape.mean_questions:.1f} questions on average, {shape.least_questions:.1f} if the tree were "
        f"balanced; leaves of {rows}"
    )


# --- text


def summary_to_text(summary: Summary) -> str:
    """Return a summary as text."""
    parts = told(summary)
    lines = [parts.title, "", *_table(parts)]
    lines += [parts.more_columns] if parts.more_columns else []
    lines += ["", *[f"{name}: {text}" for name, text in parts.facts]]
    for heading, rules in (("surest leaves", parts.most_sure), ("least sure leaves", parts.least_sure)):
        lines += ["", f"{heading}:", *[f"  {rule}" for rule in rules]] if rules else []
    return "\n".join([*lines, "", "what to try next:", *[f"  {sentence}" for sentence in parts.advice]])


def _table(parts: Told) -> list[str]:
    """Return the columns below their headings: words to the left, numbers to the right."""
    table = (parts.headings, *parts.columns)
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    return ["  ".join(map(_aligned, row, widths, parts.headings)).rstrip() for row in table]


def _aligned(cell: str, width: int, heading: str) -> str:
    return cell.ljust(width) if heading in WORDS else cell.rjust(width)
