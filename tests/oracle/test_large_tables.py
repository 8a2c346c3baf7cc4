"""The best split in every node of large tables, against sums over sorted columns.

A summary is one row of numbers that adds up: class weights, or weight and weighted target. Small tables are
compared with exact fractions elsewhere; these are large enough for the engine's other ways: codes of two and
four bytes, the radix sort, nodes that are small beside the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from support.tables import categorical
from support.trees import estimator

from arboretum import Node
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.questions import Levels, Missing, Threshold

Numbers = npt.NDArray[np.float64]


def times_log(x: Numbers) -> Numbers:
    safe: Numbers = np.where(x > 0, x, 1.0)
    return safe * np.log(safe)


def spread(criterion: str, summary: Numbers) -> Numbers:
    """Weight times impurity, up to a constant that cancels in gains."""
    weight = summary.sum(axis=-1) if criterion in CLASS_CRITERIA else summary[..., 0]
    result: dict[str, Callable[[], Numbers]] = {
        "gini": lambda: weight - (summary**2).sum(axis=-1) / weight,
        "entropy": lambda: (times_log(weight) - times_log(summary).sum(axis=-1)) / math.log(2),
        "misclassification": lambda: weight - summary.max(axis=-1),
        "squared_error": lambda: -(summary[..., 1] ** 2) / weight,
        "poisson": lambda: times_log(weight) * summary[..., 1] / weight - times_log(summary[..., 1]),
    }
    return result[criterion]()


def gains(criterion: str, left: Numbers, total: Numbers) -> Numbers:
    """The gain of each way to divide the total into a left part and the rest."""
    weight = total.sum() if criterion in CLASS_CRITERIA else total[0]
    found: Numbers = spread(criterion, total) - spread(criterion, left) - spread(criterion, total - left)
    return np.asarray(found / weight)


def ways_left(values: Any, summary: Numbers) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """The summary and the number of rows on the left of every question about a column."""
    gone = pd.isna(values).to_numpy()
    apart, n_gone = summary[gone].sum(axis=0), int(gone.sum())
    known, parts = values[~gone], summary[~gone]
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes = known.cat.codes.to_numpy()
        sizes = np.bincount(codes, minlength=1)
        present = np.flatnonzero(sizes)
        sums = np.array([parts[codes == code].sum(axis=0) for code in present]).reshape(-1, summary.shape[1])
        sizes = sizes[present]
        if len(present) < 2:
            sums, sizes = sums[:0], sizes[:0]
    else:
        order = np.argsort(known.to_numpy(), kind="stable")
        ordered = known.to_numpy()[order]
        ends = np.flatnonzero(ordered[1:] > ordered[:-1])
        sums, sizes = np.cumsum(parts[order], axis=0)[ends], ends + 1
    if n_gone and n_gone < len(values):
        sums = np.vstack([sums, sums + apart, apart[None]])
        sizes = np.concatenate([sizes, sizes + n_gone, [n_gone]])
    return sums, sizes


def best_gain(criterion: str, X: pd.DataFrame, summary: Numbers, min_leaf: int) -> float | None:
    """The largest gain of all questions; None if none can be asked."""
    best: float | None = None
    for name in X.columns:
        left, sizes = ways_left(X[name], summary)
        allowed = (sizes >= min_leaf) & (len(X) - sizes >= min_leaf)
        if criterion == "poisson":
            # What a sum of targets loses to rounding is no target.
            least = 1e-9 * summary[:, 1].sum()
            allowed &= (left[:, 1] > least) & (summary[:, 1].sum() - left[:, 1] > least)
        if allowed.any():
            found = float(gains(criterion, left[allowed], summary.sum(axis=0)).max())
            best = found if best is None else max(best, found)
    return best


def goes_left(node: Node, X: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows of a data frame answer yes."""
    question = node.question
    assert question is not None
    values = X[question.column]
    gone = pd.isna(values).to_numpy()
    if isinstance(question, Missing):
        return gone
    if isinstance(question, Levels):
        yes = values.isin(list(question.levels[0])).to_numpy()
    else:
        assert isinstance(question, Threshold)
        yes = values.to_numpy() <= question.threshold
    return np.where(gone, question.missing_child == 0, yes)


def make_table(criterion: str, n_rows: int, seed: int) -> tuple[pd.DataFrame, Any, Numbers]:
    """Distinct floats with infinities, float32 with ties, integers far apart, levels; missing values too."""
    rng = np.random.default_rng(seed)
    distinct = rng.standard_cauchy(n_rows)
    distinct[rng.random(n_rows) < 0.03] = np.nan
    distinct[:6] = [np.inf, -np.inf, 0.0, -0.0, np.inf, 5e-324]
    whole = rng.integers(-(2**62), 2**62, n_rows) if seed % 2 else rng.permutation(n_rows) - n_rows // 2
    X = pd.DataFrame(
        {
            "distinct": distinct,
            "tied": rng.normal(size=n_rows).round(2).astype(np.float32),
            "whole": whole,
            "colour": categorical(rng.integers(-1, 7, n_rows), "abcdefg"),
        }
    )
    signal = np.arctan(np.nan_to_num(distinct)) + X["tied"].to_numpy() + (X["colour"] == "c").to_numpy()
    noisy = signal + rng.normal(size=n_rows)
    y = np.digitize(noisy, [-0.5, 1.0]) if criterion in CLASS_CRITERIA else np.maximum(0, noisy).round(3)
    return X, y, rng.random(n_rows) + 0.25


CASES = [
    pytest.param("gini", 3000, {"max_depth": 10}, id="gini"),
    pytest.param("gini", 1200, {"max_depth": 9, "min_samples_leaf": 7}, id="gini, large leaves"),
    pytest.param("entropy", 1500, {"max_depth": 8}, id="entropy"),
    pytest.param("misclassification", 1500, {"max_depth": 8}, id="misclassification"),
    pytest.param("squared_error", 3000, {"max_depth": 10}, id="squared error"),
    pytest.param(
        "squared_error", 1201, {"max_depth": 9, "min_samples_leaf": 7}, id="squared error, large leaves"
    ),
    pytest.param("poisson", 1500, {"max_depth": 8}, id="poisson"),
    pytest.param("gini", 70_000, {"max_depth": 3}, id="gini, 70,000 values"),
    pytest.param("squared_error", 70_000, {"max_depth": 3}, id="squared error, 70,000 values"),
]


@pytest.mark.parametrize(("criterion", "n_rows", "limits"), CASES)
def test_every_node_has_the_best_gain(criterion: str, n_rows: int, limits: dict[str, int]) -> None:
    """In each node of a large tree, no question about its rows gains more than the one that is asked."""
    X, y, weights = make_table(criterion, n_rows, seed=n_rows)
    if criterion in CLASS_CRITERIA:
        summary: Numbers = weights[:, None] * np.eye(3)[y]
    else:
        summary = np.column_stack([weights, weights * y])
    model = estimator(criterion, nominal="one_vs_rest", **limits).fit(X, y, sample_weight=weights)
    assert len(model.tree_) > 2 ** min(5, limits["max_depth"])
    rows = {0: np.arange(n_rows)}
    for node in model.tree_.walk():
        inside = rows.pop(node.number)
        assert node.n_rows == len(inside)
        if node.is_leaf:
            continue
        part = X.iloc[inside]
        best = best_gain(criterion, part, summary[inside], limits.get("min_samples_leaf", 1))
        assert node.gain == pytest.approx(best, rel=1e-9, abs=1e-11)
        left = goes_left(node, part)
        rows |= dict(
            zip((child.number for child in node.children), (inside[left], inside[~left]), strict=True)
        )
