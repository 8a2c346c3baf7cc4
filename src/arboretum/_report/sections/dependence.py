"""Partial dependence: what the tree predicts on average if a column has a certain value in every row."""

from __future__ import annotations

import numpy as np

from arboretum._report.blocks import figures, paragraph
from arboretum._report.charts.axes import Axis, linear, named, padded
from arboretum._report.charts.chart import Chart, colour, range_of
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.sections.importance import gain_shares
from arboretum._report.subject import NotShownError, Subject
from arboretum._report.words import named as shown_name
from arboretum._show.words import bar_names, compact, level_names
from arboretum._tree.digits import short_value
from arboretum._types import Indices, Numbers
from arboretum._wording import many
from arboretum.errors import ArboretumError
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import PartialDependence, partial_dependence

_MOST_COLUMNS = 6
_MOST_LEVELS = 12
_MOST_CLASSES = 4
_MOST_ROWS = 2_000


def write(evidence: Evidence) -> str:
    """Return the section."""
    subject = _some(evidence.subject)
    gains = gain_shares(subject.tree)
    places = [k for k in np.argsort(-gains, kind="stable").tolist() if gains[k] > 0][:_MOST_COLUMNS]
    if not places:
        raise NotShownError("The tree asks nothing, so its predictions depend on no column.")
    drawn, failed = [], []
    for place in places:
        name = subject.tree.columns[place].name
        try:
            found = partial_dependence(subject.model, place, subject.X, sample_weight=subject.weights)
        except ArboretumError as error:
            failed.append(f"{shown_name(name)}: {str(error).splitlines()[0]}")
            continue
        if found.axes[0].size > 1:
            drawn.append((_chart(subject, found, name), f"Mean prediction by {shown_name(name)}"))
    rows = many(subject.n_rows, "row")
    some = f"{rows} of the table" if subject.n_rows < evidence.subject.n_rows else rows
    more = len([k for k in range(len(gains)) if gains[k] > 0]) - len(places)
    words = (
        "Each chart shows the mean prediction if the column had that value in every one "
        f"of the {some}, all else "
        "as it is. It shows what the tree does, not what causes what."
    )
    words += f" {many(more, 'less important column')} left out." if more > 0 else ""
    return "".join([paragraph(words, "lead"), figures(drawn), *map(paragraph, failed)])


def _some(subject: Subject) -> Subject:
    if subject.n_rows <= _MOST_ROWS:
        return subject
    return subject.take(np.linspace(0, subject.n_rows - 1, _MOST_ROWS).astype(np.intp))


def _shown(subject: Subject) -> list[int | None]:
    """Return the classes with a line: the second of two, or the most frequent; None stands for numbers."""
    n_classes = len(subject.class_names)
    if subject.tree.target.classes is None:
        return [None]
    if n_classes == 2:
        return [1]
    root = subject.tree.array("counts")[0]
    return sorted(np.argsort(-root, kind="stable")[:_MOST_CLASSES].tolist())


def _chart(subject: Subject, found: PartialDependence, name: str) -> str:
    numbers = _shown(subject)
    values = {number: found.values[number or 0] for number in numbers}
    (grid,) = found.axes
    of_classes = subject.tree.target.classes is not None
    low, high = range_of(*values.values())
    y = linear(0.0, min(1.0, max(1.05 * high, 0.05)), percent=True) if of_classes else padded(low, high)
    if grid.column.levels is not None:
        chart = _levels(grid, values, y, name)
    else:
        chart = _steps(grid, values, y, name)
    if of_classes:
        for number in numbers:
            assert number is not None
            chart.legend(colour(number), shown_name(subject.class_names[number]))
    return chart.svg(f"Mean prediction by {name}")


def _steps(grid: GridColumn, values: dict[int | None, Numbers], y: Axis, name: str) -> Chart:
    edges = grid.edges()
    x = linear(float(edges[0]), float(edges[-1]))
    if grid.column.kind in ("datetime", "duration"):
        ends = [(float(edge), short_value(grid.column.format(int(edge)))) for edge in (edges[0], edges[-1])]
        x = Axis(x.low, x.high, tuple(ends))
    elif grid.column.offset:
        ends = [(float(edge), compact(float(edge) + grid.column.offset)) for edge in (edges[0], edges[-1])]
        x = Axis(x.low, x.high, tuple(ends))
    chart = Chart(x, y, x_name=shown_name(name))
    for number, own in values.items():
        chart.steps(edges.tolist(), own.tolist(), colour(number or 0))
    return chart


def _levels(grid: GridColumn, values: dict[int | None, Numbers], y: Axis, name: str) -> Chart:
    """Return dots by level; of many levels, those that are furthest from the middle."""
    names = bar_names(level_names(grid.column))
    places = _telling(np.array(list(values.values())))
    shown = tuple([names[place] for place in places.tolist()])
    height = 52.0 + 20.0 * len(shown)
    chart = Chart(y, named(shown), x_name=shown_name(name), rows_of_names=True, height=height)
    for number, own in values.items():
        kind = colour(number or 0)
        rows = (np.arange(len(places)) + 0.5).tolist()
        if grid.column.kind == "ordered":
            chart.line(own[places].tolist(), rows, kind)
        chart.points(own[places].tolist(), rows, kind, 4.5)
    return chart


def _telling(values: Numbers) -> Indices:
    n_levels = values.shape[1]
    if n_levels <= _MOST_LEVELS:
        return np.arange(n_levels)
    away = np.abs(values - np.median(values, axis=1, keepdims=True)).max(axis=0)
    return np.sort(np.argsort(-away, kind="stable")[:_MOST_LEVELS])
