"""Subgroups: whether the tree is as good for some rows as for others, by the values of named columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arboretum._data import ColumnData
from arboretum._data.levels import level_text
from arboretum._report.blocks import Cell, paragraph, table
from arboretum._report.evidence.evidence import Evidence, Judged
from arboretum._report.evidence.scores import error_interval, losses_of
from arboretum._report.sections.importance import gain_shares
from arboretum._report.subject import NotShownError
from arboretum._report.words import DASH, between, figure, named, share
from arboretum._tree.digits import short_value
from arboretum._types import Indices, Mask, Numbers
from arboretum._wording import many

_MOST_COLUMNS = 4  # that are chosen if none are named
_MOST_LEVELS = 12  # of a column
_PARTS = 4  # of a column of numbers
_FEWEST = 5  # rows that a share is told of


@dataclass(frozen=True, eq=False)
class Subgroup:
    """Some rows, and what the tree loses there."""

    column: str
    name: str
    rows: Indices
    loss: float
    interval: tuple[float, float] | None


def write(evidence: Evidence) -> str:
    """Return the section."""
    if evidence.subject.task == "order":
        raise NotShownError(
            "An order is judged query by query, and rows of several subgroups may share a query."
        )
    judged = evidence.judged
    chosen = columns_for(evidence)
    if not chosen:
        raise NotShownError('There is no column to divide the rows by: report(…, by=["region"]) names some.')
    blocks = [paragraph(_lead(evidence, chosen), "lead")]
    blocks += [] if judged.is_fair else [paragraph(judged.how, "caution")]
    losses, weight, _ = losses_of(judged.subject, judged.predictions)
    whole = float(np.average(losses, weights=weight))
    for name, data in chosen.items():
        found = list(_of_column(judged, name, data.take(judged.subject.places), losses))
        blocks.append(_table(judged, name, found, whole))
    worst = _worst(evidence, whole)
    return "".join([*blocks, paragraph(worst)])


def columns_for(evidence: Evidence) -> Mapping[str, ColumnData]:
    """Return the columns that were named; else those with few levels, and the most important ones."""
    if evidence.options.by is not None:
        return evidence.options.by
    subject = evidence.subject
    gains = gain_shares(subject.tree)
    order = np.argsort(-gains, kind="stable").tolist()
    few = [k for k in order if 2 <= len(subject.tree.columns[k].levels or ()) <= _MOST_LEVELS]
    rest = [k for k in order if subject.tree.columns[k].levels is None and gains[k] > 0]
    whole = np.full(int(subject.places.max()) + 1, -1)
    whole[subject.places] = np.arange(subject.n_rows)
    places = whole.clip(min=0)
    chosen = [*few, *rest][:_MOST_COLUMNS]
    return {subject.data.columns[k].column.name: subject.data.columns[k].take(places) for k in chosen}


def worst_subgroup(evidence: Evidence) -> tuple[Subgroup, float] | None:
    """Return the subgroup where the tree is surely worse than overall, and worst; and the overall loss."""
    judged = evidence.judged
    losses, weight, _ = losses_of(judged.subject, judged.predictions)
    whole = float(np.average(losses, weights=weight))
    found = [
        group
        for name, data in columns_for(evidence).items()
        for group in _of_column(judged, name, data.take(judged.subject.places), losses)
        if group.interval is not None and group.interval[0] > whole
    ]
    return (max(found, key=lambda group: group.loss), whole) if found else None


def _lead(evidence: Evidence, chosen: Mapping[str, ColumnData]) -> str:
    what = "share of wrong predictions" if evidence.subject.task == "classes" else "mean absolute error"
    words = f"The {what} among the rows of each subgroup, with its 95% interval."
    if evidence.options.by is None:
        words += " No columns were named, so the report chose some; report(…, by=[…]) names others."
    return words + " Of many subgroups, a few look worse than they are by chance."


def _of_column(judged: Judged, name: str, data: ColumnData, losses: Numbers) -> Iterator[Subgroup]:
    weight = judged.subject.weight
    for part, rows in _parts(data):
        loss = float(np.average(losses[rows], weights=weight[rows]))
        interval = error_interval(judged.subject, judged.predictions, rows) if len(rows) >= _FEWEST else None
        yield Subgroup(name, part, rows, loss, interval)


def _parts(data: ColumnData) -> Iterator[tuple[str, Indices]]:
    """Yield the rows of each level, or of each quarter of the values, and those without a value."""
    missing = data.is_missing()
    known = np.flatnonzero(~missing)
    if data.column.levels is not None:
        counts = np.bincount(data.values[known], minlength=len(data.column.levels))
        shown = np.sort(np.argsort(-counts, kind="stable")[:_MOST_LEVELS])
        for level in shown.tolist():
            if counts[level]:
                yield named(level_text(data.column.levels[level])), known[data.values[known] == level]
        others = known[~np.isin(data.values[known], shown)]
        if len(others):
            yield f"{many(int((counts > 0).sum()) - len(shown), 'other level')}", others
    elif len(known):
        yield from _quarters(data, known)
    if missing.any():
        yield "missing", np.flatnonzero(missing)


def _quarters(data: ColumnData, known: Indices) -> Iterator[tuple[str, Indices]]:
    values = data.values[known]
    cuts = np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS, method="inverted_cdf"))
    place = np.searchsorted(cuts, values, side="left")
    for part in np.unique(place).tolist():
        rows = known[place == part]
        own = data.values[rows]
        low, high = (_text(data, value) for value in (own.min(), own.max()))
        yield (low if low == high else f"{low} to {high}"), rows


def _text(data: ColumnData, value: float | int) -> str:
    if data.column.kind == "number":
        return f"{float(value):.6g}"
    return short_value(data.column.format(value.item() if isinstance(value, np.generic) else value))


def _table(judged: Judged, name: str, found: list[Subgroup], whole: float) -> str:
    of_classes = judged.subject.task == "classes"
    write = share if of_classes else figure
    most = max([group.loss for group in found], default=0.0)
    lines = []
    for group in found:
        surely = group.interval is not None and group.interval[0] > whole
        mark = Cell("worse than overall", strong=True) if surely else ""
        bar = Cell(write(group.loss), bar=group.loss / most if most > 0 else 0.0)
        few = "too few rows" if group.interval is None else between(group.interval, shares=of_classes)
        lines.append([group.name, f"{len(group.rows):,}", bar, few, *_means(judged, group.rows), mark])
    all_rows = np.arange(judged.subject.n_rows)
    whole_bar = Cell(write(whole), bar=whole / most if most > 0 else 0.0)
    lines.append(["all rows", f"{len(all_rows):,}", whole_bar, "", *_means(judged, all_rows), ""])
    error = "wrong" if of_classes else "mean absolute error"
    header = [named(name), "rows", error, "95% interval", *_mean_names(judged), ""]
    return table(header, lines, words={0, len(header) - 1}, caption=f"By {named(name)}")


def _mean_names(judged: Judged) -> list[str]:
    if judged.subject.task == "numbers":
        return ["true mean", "predicted mean"]
    if len(judged.subject.class_names) != 2:
        return []
    name = named(judged.subject.class_names[1])
    return [f"are {name}", f"called {name}", f"{name} missed", f"falsely called {name}"]


def _means(judged: Judged, rows: Indices) -> list[str]:
    """Return what is true and what is predicted on average; of two classes, also both kinds of mistakes."""
    truth, weight = judged.subject.need_truth()[rows], judged.subject.weight[rows]
    if judged.subject.task == "numbers":
        said = judged.predictions.values[rows]
        return [figure(float(np.average(each, weights=weight))) for each in (truth, said)]
    if len(judged.subject.class_names) != 2:
        return []
    is_one, says_one = truth == 1, judged.predictions.labels[rows] == 1
    shares = [float(np.average(each, weights=weight)) for each in (is_one, says_one)]
    missed = _share_of(~says_one, is_one, weight)
    false = _share_of(says_one, ~is_one, weight)
    return [*map(share, shares), missed, false]


def _share_of(held: Mask, among: Mask, weight: Numbers) -> str:
    total = float(weight[among].sum())
    return share(float(weight[among & held].sum()) / total) if total > 0 else DASH


def _worst(evidence: Evidence, whole: float) -> str:
    write = share if evidence.subject.task == "classes" else figure
    found = worst_subgroup(evidence)
    if found is None:
        return "In no subgroup is the interval wholly above the error of all rows."
    return worst_text(found[0], whole, write)


def worst_text(group: Subgroup, whole: float, write: object) -> str:
    """Return the sentence about a subgroup in which the tree is worse."""
    assert callable(write)
    return (
        f"The tree is worst where {named(group.column)} is {group.name}: its error is "
        f"{write(group.loss)} there, "
        f"and {write(whole)} overall."
    )
