"""The data: rows and columns, what is missing, what looks like a mistake, and the target."""

from __future__ import annotations

import numpy as np

from arboretum._data import ColumnData, read_dataset
from arboretum._data.levels import level_text
from arboretum._data.suspicions import Suspicion, suspicious_columns
from arboretum._report.blocks import Cell, bullets, figures, heading, paragraph, table
from arboretum._report.charts.axes import linear, named
from arboretum._report.charts.chart import Chart, colour
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.subject import Subject
from arboretum._report.words import figure, share, verb
from arboretum._report.words import named as shown_name
from arboretum._show.summary_text import suspicion_text
from arboretum._tree.digits import short_value
from arboretum._types import Numbers
from arboretum._wording import many
from arboretum.errors import ArboretumError
from arboretum.inspection.summary.summary import ColumnSummary

_MOST_COLUMNS = 40
_MOST_CLASSES = 12
_N_BINS = 24


def write(evidence: Evidence) -> str:
    """Return the section."""
    blocks = [paragraph(_rows(evidence), "lead"), bullets(_facts(evidence))]
    blocks += [heading("Suspicious columns"), _suspicions(evidence)]
    blocks += [heading("Columns"), _columns(evidence), _target(evidence.subject)]
    return "".join(blocks)


def _rows(evidence: Evidence) -> str:
    subject = evidence.subject
    table_of = {
        True: "the table that the tree was grown from",
        False: "another table than the tree was grown from",
    }
    known = evidence.training.is_same
    says = "" if known is None else f": {table_of[known]}"
    size = f"{many(subject.n_rows, 'row')} and {many(len(subject.data.columns), 'column')}"
    return f"This report looks at {size}{says}."


def _facts(evidence: Evidence) -> list[str]:
    subject, summary = evidence.subject, evidence.summary
    facts = [f"The tree was grown from {many(summary.n_rows, 'row')}."]
    if summary.n_rows_dropped:
        facts.append(
            f"{many(summary.n_rows_dropped, 'row')} "
            f"{verb(summary.n_rows_dropped, 'was', 'were')} dropped for "
            "missing values before that (missing='drop')."
        )
    elif summary.n_rows_dropped is not None:
        facts.append("No row was dropped for missing values.")
    if summary.n_rows_held_out:
        facts.append(f"{many(summary.n_rows_held_out, 'row')} were held out to prune by.")
    if subject.task == "order" and evidence.training.is_same:
        told = summary.n_rows + (summary.n_rows_dropped or 0) + (summary.n_rows_held_out or 0)
        if silent := subject.n_rows - told:
            facts.append(f"{many(silent, 'row')} left out: their queries say nothing about an order.")
    if subject.n_weightless:
        facts.append(
            f"{many(subject.n_weightless, 'row')} of weight 0 "
            f"{verb(subject.n_weightless, 'is', 'are')} left out."
        )
    incomplete = int(subject.data.incomplete_rows().sum())
    facts.append(
        f"{many(incomplete, 'row')} of this table ({share(incomplete / subject.n_rows)}) "
        f"{verb(incomplete, 'lacks', 'lack')} a value in some column."
    )
    if subject.weights is not None:
        low, high = float(subject.weights.min()), float(subject.weights.max())
        facts.append(
            f"Rows count by their weight, from {figure(low)} to {figure(high)}; all figures are weighted."
        )
    if subject.groups is not None and subject.task != "order":
        facts.append(
            f"The rows come in {many(len(np.unique(subject.groups)), 'group')}, which stay together."
        )
    if subject.queries is not None:
        facts.append(f"The rows come in {many(len(subject.queries), 'query')}, which stay together.")
    return facts


# --- suspicions


def _suspicions(evidence: Evidence) -> str:
    found = _found(evidence)
    if found is None:
        return paragraph("Not known: the table could not be read without the model.")
    if not found:
        return paragraph("None: no column looks like an identifier, text that means numbers, or a constant.")
    asked = {column.name for column in evidence.summary.columns if column.n_questions}
    said = [
        suspicion_text(each) + ("; the tree asks about it" if each.column in asked else "") for each in found
    ]
    return bullets(said)


def _found(evidence: Evidence) -> tuple[Suspicion, ...] | None:
    """Return what was found at the fit, or what this table shows if it is another."""
    if evidence.training.is_same and evidence.summary.suspicions is not None:
        return evidence.summary.suspicions
    model = evidence.subject.model
    kinds = [getattr(model, "categorical_features", "from_dtype"), getattr(model, "ordered_features", None)]
    try:
        return suspicious_columns(read_dataset(evidence.subject.X, *kinds))
    except ArboretumError:
        return None


def suspicious_asked(evidence: Evidence) -> list[str]:
    """Return the suspicious columns that the tree asks about, but those that never vary."""
    asked = {column.name for column in evidence.summary.columns if column.n_questions}
    return [each.column for each in _found(evidence) or () if each.column in asked]


# --- columns


def _columns(evidence: Evidence) -> str:
    data = evidence.subject.data
    ranked = sorted(range(len(data.columns)), key=lambda k: (-evidence.summary.columns[k].importance, k))
    shown = ranked[:_MOST_COLUMNS]
    lines = [_line(data.columns[k], evidence.summary.columns[k]) for k in shown]
    left_out = len(ranked) - len(shown)
    caption = "Columns, those that the tree asks most about first"
    caption += f"; {many(left_out, 'other')} left out" if left_out else ""
    header = ["column", "kind", "missing", "", "questions", "what it holds"]
    return table(header, lines, words={0, 1, 5}, caption=caption)


def _line(data: ColumnData, told: ColumnSummary) -> list[str | Cell]:
    missing, n_rows = int(data.is_missing().sum()), len(data.values)
    gone = missing / n_rows
    bar = Cell("", bar=gone) if missing else Cell("")
    return [
        shown_name(told.name),
        told.kind,
        f"{missing:,} ({share(gone)})" if missing else "0",
        bar,
        f"{told.n_questions:,}",
        _contents(data),
    ]


def _contents(data: ColumnData) -> str:
    known = data.values[~data.is_missing()]
    if not len(known):
        return "no value that the model knows"
    column = data.column
    if column.levels is not None:
        counts = np.bincount(known, minlength=len(column.levels))
        order = np.argsort(-counts, kind="stable")[:3]
        present = [
            f"{shown_name(level_text(column.levels[k]))} {share(counts[k] / len(known))}"
            for k in order.tolist()
            if counts[k]
        ]
        n_levels = int((counts > 0).sum())
        more = ", …" if n_levels > len(present) else ""
        return f"{many(n_levels, 'level')}: {', '.join(present)}{more}"
    ordered = np.sort(known)
    ends = [ordered[0], ordered[len(ordered) // 2], ordered[-1]]
    texts = [_value(data, value) for value in ends]
    return texts[0] if ordered[0] == ordered[-1] else f"{texts[0]} to {texts[2]}, half up to {texts[1]}"


def _value(data: ColumnData, value: float | int) -> str:
    if data.column.kind == "number":
        return f"{float(value):.6g}"
    return short_value(data.column.format(value.item() if isinstance(value, np.generic) else value))


# --- the target


def _target(subject: Subject) -> str:
    if subject.truth is None:
        return heading("Target") + paragraph(
            "The table does not say what is true of its rows: no target was given."
        )
    title = heading(f"Target: {shown_name(subject.target)}")
    if subject.task == "classes":
        return title + _classes(subject)
    return title + _numbers(subject, subject.truth.astype(np.float64))


def _classes(subject: Subject) -> str:
    weights = np.bincount(subject.need_truth(), subject.weight, len(subject.class_names))
    rows = np.bincount(subject.need_truth(), minlength=len(weights))
    shares = weights / weights.sum()
    order = np.argsort(-weights, kind="stable")[:_MOST_CLASSES]
    names = [shown_name(subject.class_names[k]) for k in order.tolist()]
    axis = linear(0.0, float(shares.max()), percent=True)
    chart = Chart(
        axis, named(tuple(names)), x_name="share", rows_of_names=True, height=46.0 + 22.0 * len(order)
    )
    for place, k in enumerate(order.tolist()):
        chart.box((0.0, float(shares[k])), (place + 0.2, place + 0.8), colour(k))
    left_out = len(weights) - len(order)
    more = f"; {many(left_out, 'other class')} left out" if left_out else ""
    rare = f"The rarest of {many(len(rows), 'class')} has {many(int(rows.min()), 'row')}{more}."
    return figures([(chart.svg("Shares of the classes"), rare)])


def _numbers(subject: Subject, truth: Numbers) -> str:
    axis = linear(float(truth.min()), float(truth.max()))
    counts, edges = np.histogram(truth, _N_BINS, (axis.low, axis.high), weights=subject.weight)
    chart = Chart(
        axis, linear(0.0, float(max(counts.max(), 1e-300))), x_name=shown_name(subject.target), y_name="rows"
    )
    for count, left, right in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count > 0:
            chart.box((left, right), (0.0, count), "c0")
    middle = np.quantile(truth, [0.25, 0.5, 0.75])
    words = (
        f"From {figure(float(truth.min()))} to {figure(float(truth.max()))}, half of the rows between "
        f"{figure(middle[0])} and {figure(middle[2])}, the mean "
        f"{figure(float(np.average(truth, weights=subject.weight)))}."
    )
    return figures([(chart.svg("Histogram of the target"), words)])
