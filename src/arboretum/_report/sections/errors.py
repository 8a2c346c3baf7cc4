"""Where the tree is wrong: the confusion matrix, the residuals, or the order within queries."""

from __future__ import annotations

import numpy as np

from arboretum._options.measures.of_order import NDCG
from arboretum._report.blocks import Cell, figures, heading, paragraph, table
from arboretum._report.charts.axes import linear
from arboretum._report.charts.chart import Chart, range_of
from arboretum._report.evidence.evidence import Evidence, Judged
from arboretum._report.evidence.scores import PLACES, Score
from arboretum._report.words import DASH, between, figure, named, share
from arboretum._show.words import weight_text
from arboretum._types import Numbers
from arboretum._wording import many

_MOST_CLASSES = 12  # in a matrix
_MOST_MISTAKES = 12
_MOST_DOTS = 800
_N_BINS = 24


def write(evidence: Evidence) -> str:
    """Return the section."""
    judged = evidence.judged
    blocks = [paragraph(judged.how, "lead" if judged.is_fair else "caution"), _scores(judged)]
    kind = {"classes": _confusion, "numbers": _residuals, "order": _order}[evidence.subject.task]
    return "".join(blocks) + kind(judged)


def score_text(score: Score) -> str:
    """Return a score as people read it: an accuracy as a percentage."""
    return share(score.value) if score.name.endswith("accuracy") else figure(score.value)


def _scores(judged: Judged) -> str:
    shares = judged.scores[0].name == "accuracy"
    lines = [
        [score.name, score_text(score), between(judged.interval, shares=shares) if place == 0 else ""]
        for place, score in enumerate(judged.scores)
    ]
    return table(["measure", "value", "95% interval"], lines, caption=f"{many(judged.subject.n_rows, 'row')}")


# --- classes


def _confusion(judged: Judged) -> str:
    subject, predicted = judged.subject, judged.predictions
    truth = subject.need_truth()
    n_classes = len(subject.class_names)
    cells = np.zeros((n_classes, n_classes))
    np.add.at(cells, (truth, predicted.labels), subject.weight)
    if n_classes > _MOST_CLASSES:
        return _mistakes(cells, subject.class_names, n_classes)
    names = [named(name) for name in subject.class_names]
    lines: list[list[str | Cell]] = []
    for k, row in enumerate(cells):
        total = float(row.sum())
        found = [
            Cell(weight_text(cell), shade=cell / total if total > 0 else 0.0, strong=k == other)
            for other, cell in enumerate(row.tolist())
        ]
        lines.append([names[k], *found, share(row[k] / total) if total > 0 else DASH])
    called = cells.sum(axis=0)
    precision = [share(cells[k, k] / called[k]) if called[k] > 0 else DASH for k in range(n_classes)]
    lines.append([Cell("right when it says so"), *precision, ""])
    what = "rows" if subject.weights is None else "weight of rows"
    caption = f"Confusion matrix: {what} of each true class (down) by predicted class (across)"
    return table(["true \\ predicted", *names, "found"], lines, caption=caption)


def _mistakes(cells: Numbers, names: list[str], n_classes: int) -> str:
    """Return the most frequent confusions of many classes."""
    wrong = cells.copy()
    np.fill_diagonal(wrong, 0.0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_MISTAKES]
    lines = []
    for place in order.tolist():
        true, said = divmod(place, n_classes)
        if wrong[true, said] > 0:
            of = cells[true].sum()
            lines.append(
                [
                    named(names[true]),
                    named(names[said]),
                    weight_text(wrong[true, said]),
                    share(wrong[true, said] / of),
                ]
            )
    if not lines:
        return paragraph("No row is taken for another class.")
    caption = f"The most frequent of the confusions among {many(n_classes, 'class')}"
    return table(["true", "taken for", "rows", "of the class"], lines, words={0, 1}, caption=caption)


# --- numbers


def _residuals(judged: Judged) -> str:
    truth, said = judged.subject.need_truth(), judged.predictions.values
    residual = truth - said
    low, high = range_of(truth, said)
    y = linear(low, high)
    seen = Chart(y, y, x_name="predicted", y_name="true")
    seen.line([y.low, y.high], [y.low, y.high], "faint")
    chosen = _evenly(len(truth))
    seen.points(said[chosen], truth[chosen], "c0 light", 2.0)
    drawn = f" ({len(chosen):,} of {len(truth):,} rows)" if len(chosen) < len(truth) else ""
    charts = [
        (
            seen.svg("True by predicted numbers"),
            f"True by predicted numbers{drawn}; on the line, both are equal.",
        ),
        (_histogram(residual, judged.subject.weight), "Residuals: true less predicted numbers."),
    ]
    quantiles = np.quantile(np.abs(residual), [0.5, 0.9, 0.99])
    words = (
        f"Half of the predictions are off by at most {figure(quantiles[0])}, nine in ten by at most "
        f"{figure(quantiles[1])}, and 99 in 100 by at most {figure(quantiles[2])}. On average the truth is "
        f"{figure(float(np.average(residual, weights=judged.subject.weight)))} above the prediction."
    )
    return paragraph(words) + figures(charts)


def _histogram(residual: Numbers, weight: Numbers) -> str:
    low, high = np.quantile(residual, [0.005, 0.995]) if len(residual) > 200 else range_of(residual)
    x = linear(float(low), float(high))
    counts, edges = np.histogram(residual, _N_BINS, (x.low, x.high), weights=weight)
    chart = Chart(x, linear(0.0, float(max(counts.max(), 1e-300))), x_name="residual", y_name="rows")
    for count, left, right in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count > 0:
            chart.box((left, right), (0.0, count), "c0")
    if x.low < 0 < x.high:
        chart.upright(0.0, 0.0, float(counts.max()), "accent")
    return chart.svg("Histogram of residuals")


def _evenly(n_rows: int) -> Numbers:
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_DOTS)).astype(np.intp))


# --- an order


def _order(judged: Judged) -> str:
    subject = judged.subject
    assert subject.queries is not None
    values = NDCG(subject.need_truth(), subject.queries, PLACES, "above_lowest").values(
        judged.predictions.values
    )
    known = values[~np.isnan(values)]
    without = len(values) - len(known)
    words = f"{many(len(values), 'query')}"
    words += f", of which {without:,} have nothing to put in an order and are left out" if without else ""
    if not len(known):
        return paragraph(f"{words}: no query has rows of different relevance.")
    counts, edges = np.histogram(known, 20, (0.0, 1.0))
    chart = Chart(
        linear(0.0, 1.0), linear(0.0, float(max(counts.max(), 1))), x_name=f"NDCG@{PLACES}", y_name="queries"
    )
    for count, left, right in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            chart.box((left, right), (0.0, float(count)), "c0")
    worst = float(np.quantile(known, 0.1))
    return (
        heading("Order within queries")
        + paragraph(
            f"{words}. NDCG@{PLACES} is 1 where the most relevant rows come first; it is "
            f"below {figure(worst)} in "
            "one query of ten."
        )
        + figures(
            [
                (
                    chart.svg("Queries by how well their rows are ordered"),
                    "Queries by how well they are ordered.",
                )
            ]
        )
    )
