"""Calibration: whether predicted probabilities, or numbers, are right on average."""

from __future__ import annotations

import numpy as np

from arboretum._report.blocks import figures, paragraph, table
from arboretum._report.charts.axes import linear, padded
from arboretum._report.charts.chart import Chart, colour, range_of
from arboretum._report.evidence.evidence import Evidence, Judged
from arboretum._report.subject import NotShownError
from arboretum._report.words import figure, named, share
from arboretum._types import Integers, Mask, Numbers
from arboretum._wording import many
from arboretum.inspection.rules.figures import wilson
from arboretum.plot._charts.calibration import Bins, in_bins

N_BINS = 10
_MOST_CLASSES = 6


def write(evidence: Evidence) -> str:
    """Return the section."""
    if evidence.subject.task == "order":
        raise NotShownError(
            "Scores of an order are compared with each other, so there is nothing to calibrate."
        )
    judged = evidence.judged
    seen = [] if judged.is_fair else [paragraph(judged.how, "caution")]
    return "".join(seen) + (
        _of_classes(judged) if evidence.subject.task == "classes" else _of_numbers(judged)
    )


def shown_classes(judged: Judged, most: int = _MOST_CLASSES) -> list[int]:
    """Return the classes to look at: the second of two, or the most frequent of more that some rows lack."""
    truth, weight = judged.subject.need_truth(), judged.subject.weight
    totals = np.bincount(truth, weight, len(judged.subject.class_names))
    if len(totals) == 2:
        return [1] if (totals > 0).all() else []
    order = np.argsort(-totals, kind="stable")[:most]
    return sorted([int(k) for k in order if 0 < totals[k] < totals.sum()])


def chances_of(judged: Judged, number: int) -> tuple[Mask, Numbers]:
    """Return which rows are of a class, and its probability in each."""
    return judged.subject.need_truth() == number, judged.predictions.chances[:, number]


def calibration_error(bins: Bins) -> float:
    """Return the mean distance between the share that was predicted and the share that was seen."""
    return float(np.average(np.abs(bins.predicted - bins.observed), weights=bins.weight))


# --- classes


def _of_classes(judged: Judged) -> str:
    numbers = shown_classes(judged)
    if not numbers:
        raise NotShownError("All rows are of one class, so that probabilities cannot be checked.")
    axis = linear(0.0, 1.0, percent=True)
    chart = Chart(
        axis,
        axis,
        x_name="probability that the tree gives",
        y_name="share of rows",
        width=420.0,
        height=320.0,
    )
    chart.line([0.0, 1.0], [0.0, 1.0], "faint")
    lines = []
    names = judged.subject.class_names
    for number in numbers:
        truth, chance = chances_of(judged, number)
        bins = in_bins(truth, chance, judged.subject.weight, N_BINS, "uniform")
        if len(numbers) == 1:
            _whiskers(chart, bins, number)
        chart.line(bins.predicted, bins.observed, colour(number))
        chart.points(bins.predicted, bins.observed, colour(number), 3.5)
        chart.legend(colour(number), named(names[number]))
        mean = float(np.average(chance, weights=judged.subject.weight))
        seen = float(np.average(truth, weights=judged.subject.weight))
        lines.append([named(names[number]), share(mean), share(seen), share(calibration_error(bins))])
    left_out = len(names) - len(numbers) if len(names) > 2 else 0
    more = (
        f" {many(left_out, 'other class')} {'is' if left_out == 1 else 'are'} left out." if left_out else ""
    )
    header = ["class", "predicted on average", "share of rows", "mean distance in bins"]
    words = (
        "Where the tree says 70%, about 70 of 100 such rows should be of the class: "
        "points on the line. Below "
        f"the line the tree is too sure.{more}"
    )
    caption = (
        f"Rows in {N_BINS} bins of probability; bars are 95% intervals."
        if len(numbers) == 1
        else f"Rows in {N_BINS} bins of probability."
    )
    drawn = figures([(chart.svg("Calibration"), caption)])
    return paragraph(words, "lead") + drawn + table(header, lines, caption="Calibration by class")


def _whiskers(chart: Chart, bins: Bins, number: int) -> None:
    low, high = wilson(bins.observed * bins.weight, bins.weight)
    for place, least, most in zip(bins.predicted.tolist(), low.tolist(), high.tolist(), strict=True):
        chart.upright(place, least, most, f"whisker {colour(number)}")


# --- numbers


def _of_numbers(judged: Judged) -> str:
    truth, said, weight = judged.subject.need_truth(), judged.predictions.values, judged.subject.weight
    order = np.argsort(said, kind="stable")
    # Rows of one prediction stay together: a tree predicts few different numbers.
    place = np.minimum((np.arange(len(said)) * N_BINS) // max(len(said), 1), N_BINS - 1)
    _, first = np.unique(said[order], return_index=True)
    bin_of = place[np.maximum.accumulate(_at(first, len(said)))]
    predicted, observed, n_rows, reach = [], [], [], []
    for number in np.unique(bin_of).tolist():
        rows = order[bin_of == number]
        predicted.append(float(np.average(said[rows], weights=weight[rows])))
        observed.append(float(np.average(truth[rows], weights=weight[rows])))
        n_rows.append(len(rows))
        reach.append(1.96 * float(truth[rows].std(ddof=1)) / len(rows) ** 0.5 if len(rows) > 1 else 0.0)
    ends = np.array(reach)
    low, high = range_of(predicted, np.array(observed) - ends, np.array(observed) + ends)
    axis = padded(low, high)
    chart = Chart(axis, axis, x_name="predicted", y_name="mean of the truth", width=420.0, height=320.0)
    chart.line([axis.low, axis.high], [axis.low, axis.high], "faint")
    for x, y, away in zip(predicted, observed, reach, strict=True):
        chart.upright(x, y - away, y + away, "whisker c0")
    chart.points(predicted, observed, "c0", 3.5)
    lines = [
        [figure(x), figure(y), figure(y - x), f"{count:,}"]
        for x, y, count in zip(predicted, observed, n_rows, strict=True)
    ]
    words = (
        "Rows are gathered by what is predicted for them, from the lowest to the highest. On the line, the "
        "truth is on average what the tree predicts; bars are 95% intervals of the mean."
    )
    header = ["predicted on average", "true on average", "difference", "rows"]
    drawn = figures([(chart.svg("Calibration"), f"Up to {N_BINS} groups of rows of similar predictions.")])
    return (
        paragraph(words, "lead")
        + drawn
        + table(header, lines, words=set(), caption="Groups of similar predictions", first_is_heading=False)
    )


def _at(first: Integers, n_rows: int) -> Integers:
    """Return an array with each of these places at itself, and 0 elsewhere."""
    placed = np.zeros(n_rows, dtype=np.int64)
    placed[first] = first
    return placed
