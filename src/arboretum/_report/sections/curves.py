"""ROC and precision-recall curves of classes, with their areas."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from arboretum._report.blocks import figures, paragraph, table
from arboretum._report.charts.axes import linear
from arboretum._report.charts.chart import Chart, colour
from arboretum._report.evidence.evidence import Evidence, Judged
from arboretum._report.sections.calibration import chances_of, shown_classes
from arboretum._report.subject import NotShownError
from arboretum._report.words import named, share
from arboretum._wording import many

_MOST_POINTS = 300


def write(evidence: Evidence) -> str:
    """Return the section."""
    if evidence.subject.task != "classes":
        raise NotShownError("ROC and precision-recall curves are about classes, and this tree predicts none.")
    judged = evidence.judged
    numbers = shown_classes(judged)
    if not numbers:
        raise NotShownError("All rows are of one class, so that there is nothing to tell apart.")
    seen = [] if judged.is_fair else [paragraph(judged.how, "caution")]
    axis = linear(0.0, 1.0, percent=True)
    roc = Chart(axis, axis, x_name="false positives", y_name="true positives")
    roc.line([0.0, 1.0], [0.0, 1.0], "faint")
    precise = Chart(axis, axis, x_name="recall", y_name="precision")
    lines = [_draw(judged, number, roc, precise) for number in numbers]
    against = "" if len(judged.subject.class_names) == 2 else ", each against all others"
    left_out = len(judged.subject.class_names) - len(numbers)
    more = f" {many(left_out, 'class')} with fewer rows left out." if left_out and against else ""
    words = (
        f"A row is called positive if the probability of its class is above a threshold{against}. The curves "
        f"show what each threshold finds, and at what price.{more}"
    )
    drawn = [
        (roc.svg("ROC curve"), "ROC: the dotted line is chance."),
        (precise.svg("Precision-recall curve"), "Precision and recall."),
    ]
    header = ["class", "share of rows", "area under ROC", "average precision"]
    return "".join(
        [
            *seen,
            paragraph(words, "lead"),
            figures(drawn),
            table(header, lines, caption="Areas under the curves"),
        ]
    )


def _draw(judged: Judged, number: int, roc: Chart, precise: Chart) -> list[str]:
    truth, score = chances_of(judged, number)
    weight = judged.subject.weights
    kind, name = colour(number), named(judged.subject.class_names[number])
    false, true, _ = roc_curve(truth, score, sample_weight=weight)
    some = _some(len(false))
    roc.line(false[some], true[some], kind)
    roc.legend(kind, name)
    precision, recall, _ = precision_recall_curve(truth, score, sample_weight=weight)
    some = _some(len(recall))
    # Steps: between two thresholds, nothing more is found.
    across, down = recall[::-1][some], precision[::-1][some]
    precise.line(np.repeat(across, 2)[1:], np.repeat(down, 2)[:-1], kind)
    precise.legend(kind, name)
    area = float(roc_auc_score(truth, score, sample_weight=weight))
    average = float(average_precision_score(truth, score, sample_weight=weight))
    return [name, share(float(np.average(truth, weights=weight))), f"{area:.3f}", f"{average:.3f}"]


def _some(n_points: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.unique(np.linspace(0, n_points - 1, min(n_points, _MOST_POINTS)).astype(np.intp))
