"""How the size of the tree was chosen: the rule, and the curve of held-out losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum._options.settings import strategy_of
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._report.blocks import Cell, figures, paragraph, table
from arboretum._report.charts.axes import linear, logarithmic
from arboretum._report.charts.chart import Chart, range_of
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.words import DASH, figure
from arboretum._types import Indices
from arboretum._wording import many
from arboretum.errors import ArboretumError

_RULES = {
    "min": "the smallest tree of the lowest loss on held-out rows",
    "1se": (
        "the smallest tree that does worse on held-out rows than the best one by no more than one standard "
        "error of the difference, counted row by row"
    ),
    "1se_unpaired": (
        "the smallest tree whose loss on held-out rows is within one standard error of the lowest, as rpart "
        "counts it"
    ),
    "average": (
        "the size that trees of the lowest held-out loss have on average, if the rows "
        "are dealt out again and "
        "again: it depends less on chance than a single lowest point, and need not lie on it"
    ),
}
_MOST_STEPS = 12


def write(evidence: Evidence) -> str:
    """Return the section."""
    summary = evidence.summary
    size, kept = summary.size, summary.shape.n_leaves
    lead = f"The tree has {many(kept, 'leaf')}"
    lead += f" of the {size.grown_leaves:,} it was grown with" if kept < size.grown_leaves else ""
    blocks = [paragraph(f"{lead}: {size.how}.", "lead")]
    path = None if evidence.subject.is_alone else _path(evidence.subject.model)
    if path is None:
        return "".join(
            [*blocks, paragraph("No sequence of smaller trees is kept, so there is no curve to show.")]
        )
    rule = _rule(evidence.subject.model)
    judged = bool(np.isfinite(path.cv_risk).any())
    if judged and rule is not None:
        blocks.append(paragraph(f"The rule takes {rule}."))
    if not judged:
        blocks.append(
            paragraph(
                "No rows were held out to choose the size, so the curve shows only the loss of the training "
                "rows, which falls with every leaf."
            )
        )
    if size.score is not None and size.root_score is not None:
        error = "" if size.error is None else f" ± {size.error:.2g}"
        blocks.append(
            paragraph(
                f"On held-out rows the {size.measure} is {figure(size.score)}{error}; "
                "with one leaf, which asks "
                f"nothing, it is {figure(size.root_score)}."
            )
        )
    if len(path) > 1:
        says = "Loss by the number of leaves"
        with_error = "; bars reach one standard error to either side" if judged else ""
        caption = f"{says}; the larger mark is the tree of this report{with_error}."
        blocks.append(figures([(_curve(path, judged).svg(says), caption)]))
    return "".join([*blocks, _steps(path)])


def _path(model: Any) -> Any:
    try:
        return model.pruning_path_
    except ArboretumError:
        return None


def _rule(model: Any) -> str | None:
    try:
        pruner = strategy_of("prune", model.prune, of_classes=hasattr(model, "classes_"))
    except ArboretumError:
        return None
    return _RULES.get(str(pruner.rule)) if isinstance(pruner, CostComplexity) else None


def _curve(path: Any, judged: bool) -> Chart:
    leaves = path.leaves.astype(np.float64)
    error = np.nan_to_num(path.cv_se)
    seen = [path.risk, path.cv_risk - error, path.cv_risk + error] if judged else [path.risk]
    low, high = range_of(*seen)
    y = linear(min(0.0, low) if low < 0.3 * high else low, high)
    wide = logarithmic(1.0, float(leaves.max()))
    chart = Chart(wide, y, x_name="leaves", y_name="loss", width=560.0, height=280.0)
    chart.line(leaves, path.risk, "faint")
    chart.legend("faint", "training rows")
    if judged:
        known = np.flatnonzero(np.isfinite(path.cv_risk))
        for i in known.tolist():
            reach = float(error[i])
            chart.upright(leaves[i], path.cv_risk[i] - reach, path.cv_risk[i] + reach, "whisker c0")
        chart.line(leaves[known], path.cv_risk[known], "c0")
        chart.points(leaves[known], path.cv_risk[known], "c0", 2.5)
        chart.legend("c0", "held-out rows")
    if path.chosen is not None:
        shown = path.cv_risk if judged and np.isfinite(path.cv_risk[path.chosen]) else path.risk
        chart.points([leaves[path.chosen]], [shown[path.chosen]], "accent", 6.0)
        chart.legend("accent", "this tree")
    return chart


def _steps(path: Any) -> str:
    """Return the sequence as a table, or that part of it which is near the choice."""
    places = _near(len(path), path.chosen)
    rows = []
    for i in places.tolist():
        mark = Cell("this tree", strong=True) if i == path.chosen else ""
        held_out = DASH if np.isnan(path.cv_risk[i]) else f"{figure(path.cv_risk[i])} ± {path.cv_se[i]:.2g}"
        leaf = f"{path.leaves[i]:,}"
        rows.append([leaf, f"{path.alpha[i]:.4g}", figure(path.risk[i]), held_out, mark])
    header = ["leaves", "price of a leaf (alpha)", "loss, training rows", "loss, held-out rows", ""]
    left_out = len(path) - len(places)
    more = f"; {many(left_out, 'other')} left out" if left_out else ""
    return table(header, rows, words={4}, caption=f"The sequence of trees{more}")


def _near(n_steps: int, chosen: int | None) -> Indices:
    if n_steps <= _MOST_STEPS:
        return np.arange(n_steps)
    middle = n_steps - 1 if chosen is None else chosen
    order = np.argsort(np.abs(np.arange(n_steps) - middle), kind="stable")[: _MOST_STEPS - 2]
    return np.unique(np.concatenate([order, [0, n_steps - 1]]))
