"""Laws of growth: what may be changed about the data or the options without changing the tree.

The shape is what a tree asks; a tree is nested in another if that one goes on where it stops. Which tree is
right is the business of `tests/oracle`; here two fits are compared with each other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import CRITERIA, KINDS, Table, categorical, tables
from support.trees import STRUCTURE, estimator, fit, shape

from arboretum import Tree
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
# Each law is tried for every criterion, so that a part of the usual number of tables is enough.
fewer = settings(max_examples=few(0.2))


def weights_of(table: Table) -> tuple[float, ...]:
    return table.weights or (1.0,) * table.n_rows


def same_arrays(ours: Tree, its: Tree, *, but: tuple[str, ...] = ()) -> bool:
    """Whether two trees agree to the last bit in all arrays but some."""
    return all(np.array_equal(ours.array(name), its.array(name)) for name in ours._arrays if name not in but)


# --- the order and the names of things --------------------------------------------------------------------


@every_criterion
@fewer
@given(data=st.data())
def test_row_order_does_not_matter(criterion: str, data: st.DataObject) -> None:
    """Shuffled rows give the same tree, to the last bit."""
    table = data.draw(tables(criterion), label="table")
    order = data.draw(st.permutations(range(table.n_rows)), label="order")
    max_bins = data.draw(st.sampled_from([None, 3]), label="max_bins")
    thresholds = data.draw(st.sampled_from(["midpoint", "observed"]), label="thresholds")
    ours, shuffled = (
        fit(t, criterion, max_bins=max_bins, thresholds=thresholds).tree_ for t in (table, table.take(order))
    )
    assert ours == shuffled
    assert ours.to_json() == shuffled.to_json()


@every_criterion
def test_row_order_does_not_matter_in_a_large_table(criterion: str) -> None:
    """Rough weights and targets, whose rounded sums would depend on their order: still the same bits."""
    rng = np.random.default_rng(3)
    X, y, weights = _large(criterion, rng, n_rows=2000)
    order = rng.permutation(len(y))
    ours = estimator(criterion, max_depth=8).fit(X, y, sample_weight=weights).tree_
    shuffled = (
        estimator(criterion, max_depth=8).fit(X.iloc[order], y[order], sample_weight=weights[order]).tree_
    )
    assert ours == shuffled


@every_criterion
@fewer
@given(data=st.data())
def test_names_of_columns_do_not_matter(criterion: str, data: st.DataObject) -> None:
    """Renamed columns give the same tree with other names in it."""
    table = data.draw(tables(criterion), label="table")
    ours = fit(table, criterion).tree_
    frame = table.frame().rename(columns=lambda name: f"other {name}")
    renamed = estimator(criterion).fit(frame, np.array(table.targets), sample_weight=table.weights).tree_
    assert same_arrays(ours, renamed)
    assert [column.name for column in renamed.columns] == [f"other {column.name}" for column in ours.columns]


@every_criterion
@fewer
@given(data=st.data())
def test_only_the_order_of_numbers_matters(criterion: str, data: st.DataObject) -> None:
    """Numbers replaced by their ranks: the same rows in every node, only the thresholds are others."""
    table = data.draw(tables(criterion, kinds=["float", "integer"]), label="table")

    def ranks(column: tuple[Any, ...]) -> tuple[int | None, ...]:
        order = sorted({value for value in column if value is not None})
        return tuple(None if value is None else order.index(value) for value in column)

    ranked = replace(table, kinds=("integer",) * len(table.kinds), columns=tuple(map(ranks, table.columns)))
    ours, its = fit(table, criterion).tree_, fit(ranked, criterion).tree_
    assert same_arrays(ours, its, but=("threshold", "threshold_floor"))


# --- weights ----------------------------------------------------------------------------------------------


@every_criterion
@fewer
@given(data=st.data())
def test_doubled_weights_change_nothing_but_weights(criterion: str, data: st.DataObject) -> None:
    """All weights times two: the same tree, whose weights and class counts are doubled."""
    table = data.draw(tables(criterion), label="table")
    doubled = replace(table, weights=tuple(2 * weight for weight in weights_of(table)))
    ours, its = fit(table, criterion).tree_, fit(doubled, criterion).tree_
    assert same_arrays(ours, its, but=("weight", "counts"))
    assert np.array_equal(2 * ours.array("weight"), its.array("weight"))
    if criterion in CLASS_CRITERIA:
        assert np.array_equal(2 * ours.array("counts"), its.array("counts"))


@every_criterion
@fewer
@given(data=st.data())
def test_a_row_of_weight_three_is_three_rows(criterion: str, data: st.DataObject) -> None:
    """Whole weights count like repeated rows, as long as sizes are not limited by numbers of rows."""
    table = data.draw(tables(criterion, exact=True), label="table")
    times = data.draw(
        st.lists(st.integers(1, 4), min_size=table.n_rows, max_size=table.n_rows), label="times"
    )
    weighted = replace(table, weights=tuple(map(float, times)))
    repeated = replace(table, weights=None).take([row for row, n in enumerate(times) for _ in range(n)])
    assume(criterion != "poisson" or any(table.targets))
    ours, its = fit(weighted, criterion).tree_, fit(repeated, criterion).tree_
    assert all(np.array_equal(ours.array(name), its.array(name)) for name in STRUCTURE)
    for name in ours._arrays.keys() - {*STRUCTURE, "n_rows"}:
        np.testing.assert_allclose(ours.array(name), its.array(name), rtol=1e-12, atol=1e-14)


@every_criterion
@fewer
@given(data=st.data())
def test_rows_of_weight_zero_are_absent(criterion: str, data: st.DataObject) -> None:
    """Rows that count nothing leave no trace: not in numbers of rows, thresholds or missing values."""
    table = data.draw(tables(criterion), label="table")
    ghosts = data.draw(st.lists(st.integers(0, table.n_rows - 1), min_size=1, max_size=10), label="ghosts")
    values = data.draw(st.permutations(range(table.n_rows)), label="other rows whose values they take")
    both = table.take([*range(table.n_rows), *ghosts])
    columns = tuple(
        (*column[: table.n_rows], *(column[values[g]] for g in ghosts)) for column in both.columns
    )
    haunted = replace(both, columns=columns, weights=(*weights_of(table), *(0.0 for _ in ghosts)))
    assert fit(table, criterion).tree_ == fit(haunted, criterion).tree_


@fewer
@given(data=st.data())
def test_class_weights_multiply_the_weights_of_rows(data: st.DataObject) -> None:
    """class_weight={…} is the same as sample weights that are larger by that factor in these classes."""
    table = data.draw(tables("gini", kinds=KINDS), label="table")
    factors = {
        name: data.draw(st.sampled_from([0.5, 1.0, 2.0, 3.3]), label=name) for name in set(table.targets)
    }
    criterion = data.draw(st.sampled_from(CLASS_CRITERIA), label="criterion")
    weighted = replace(
        table,
        weights=tuple(w * factors[name] for w, name in zip(weights_of(table), table.targets, strict=True)),
    )
    assert fit(table, criterion, class_weight=factors).tree_ == fit(weighted, criterion).tree_


@fewer
@given(data=st.data())
def test_balanced_classes_weigh_the_same(data: st.DataObject) -> None:
    """class_weight="balanced": every class has the same weight in the root when rows count alike."""
    table = replace(data.draw(tables("gini"), label="table"), weights=None)
    counts = fit(table, "gini", class_weight="balanced").tree_.root.counts
    np.testing.assert_allclose(counts, counts.mean(), rtol=1e-12)


def shares(table: Table) -> dict[Any, float]:
    weights = weights_of(table)
    totals = {name: 0.0 for name in sorted(set(table.targets))}
    for row in table.counted:
        totals[table.targets[row]] += weights[row]
    return {name: total / sum(totals.values()) for name, total in totals.items()}


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@fewer
@given(data=st.data())
def test_priors_equal_to_the_shares_change_nothing(criterion: str, data: st.DataObject) -> None:
    """Priors that say what the table says: the same questions, labels and probabilities."""
    table = data.draw(tables(criterion), label="table")
    priors = shares(table)
    assume(all(priors.values()))
    ours, its = fit(table, criterion).tree_, fit(table, criterion, priors=priors).tree_
    assert shape(ours) == shape(its)
    assert np.array_equal(ours.array("label"), its.array("label"))
    np.testing.assert_allclose(ours.array("probability"), its.array("probability"), rtol=1e-12)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@fewer
@given(data=st.data())
def test_a_loss_that_is_the_same_for_all_mistakes_changes_nothing(
    criterion: str, data: st.DataObject
) -> None:
    """Equal entries off the diagonal: the same questions, labels and probabilities."""
    table = data.draw(tables(criterion), label="table")
    n_classes = len(set(table.targets))
    assume(n_classes > 1)
    cost = data.draw(st.sampled_from([1.0, 2.0, 0.3, 7.0]), label="cost")
    loss = cost * (1.0 - np.eye(n_classes))
    ours, its = fit(table, criterion).tree_, fit(table, criterion, loss=loss).tree_
    assert shape(ours) == shape(its)
    assert np.array_equal(ours.array("label"), its.array("label"))
    assert np.array_equal(ours.array("probability"), its.array("probability"))


# --- targets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@fewer
@given(data=st.data(), shift=st.sampled_from([1.0, -64.0, 4096.0]))
def test_shifted_targets_shift_the_values(criterion: str, shift: float, data: st.DataObject) -> None:
    """y + c (without rounding): the same questions, impurities and gains; every value is larger by c."""
    table = data.draw(tables(criterion, exact=True), label="table")
    shifted = replace(table, targets=tuple(y + shift for y in table.targets))
    ours, its = fit(table, criterion).tree_, fit(shifted, criterion).tree_
    assert all(np.array_equal(ours.array(name), its.array(name)) for name in STRUCTURE)
    np.testing.assert_allclose(ours.array("value") + shift, its.array("value"), rtol=1e-12)
    for name in ("impurity", "gain", "improvement"):
        np.testing.assert_allclose(ours.array(name), its.array(name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@fewer
@given(data=st.data(), power=st.sampled_from([-30, -1, 1, 7, 40]))
def test_scaled_targets_scale_the_values(criterion: str, power: int, data: st.DataObject) -> None:
    """y times a power of two: the same questions; values scale with y, the squared error with its square."""
    table = data.draw(tables(criterion), label="table")
    factor = 2.0**power
    ours = fit(table, criterion).tree_
    its = fit(replace(table, targets=tuple(y * factor for y in table.targets)), criterion).tree_
    assert all(np.array_equal(ours.array(name), its.array(name)) for name in STRUCTURE)
    np.testing.assert_allclose(ours.array("value") * factor, its.array("value"), rtol=1e-12)
    of_impurity = factor**2 if criterion == "squared_error" else factor
    scale = ours.root.impurity * of_impurity
    for name in ("impurity", "gain"):
        np.testing.assert_allclose(
            ours.array(name) * of_impurity, its.array(name), rtol=1e-9, atol=1e-12 * scale
        )


@fewer
@given(data=st.data())
def test_names_of_classes_do_not_matter(data: st.DataObject) -> None:
    """Classes renamed in the same order: the same tree with other labels."""
    table = data.draw(tables("gini"), label="table")
    names = sorted(set(table.targets))
    numbered = replace(table, targets=tuple(10 * names.index(name) for name in table.targets))
    assert same_arrays(fit(table, "gini").tree_, fit(numbered, "gini").tree_)


# --- the form in which data come --------------------------------------------------------------------------


def _large(criterion: str, rng: np.random.Generator, n_rows: int) -> tuple[pd.DataFrame, Any, Any]:
    """A table large enough for threads, with rough numbers, levels, ties and missing values."""
    numbers = rng.normal(size=(n_rows, 3))
    numbers[rng.random((n_rows, 3)) < 0.05] = math.nan
    X = pd.DataFrame(numbers, columns=["x", "y", "z"])
    X["tied"] = rng.integers(0, 20, n_rows)
    X["colour"] = categorical(rng.integers(-1, 6, n_rows), "abcdef")
    signal = np.nan_to_num(numbers[:, 0]) + X["tied"].to_numpy() / 10 + (X["colour"] == "b").to_numpy()
    noisy = signal + rng.normal(size=n_rows) / 2
    target: Any = np.digitize(noisy, [0.5, 1.5]) if criterion in CLASS_CRITERIA else np.abs(noisy).round(2)
    return X, target, rng.random(n_rows) + 0.1


@every_criterion
def test_threads_do_not_change_the_tree(criterion: str) -> None:
    """One, two or three threads: the same tree. The table is large enough for the work to be shared."""
    X, y, weights = _large(criterion, np.random.default_rng(5), n_rows=21_000)
    assert X.size >= 100_000
    one, two, three = (
        estimator(criterion, n_jobs=n_jobs, max_depth=4).fit(X, y, sample_weight=weights).tree_
        for n_jobs in (1, 2, 3)
    )
    assert len(one) > 10
    assert one == two == three


@every_criterion
def test_type_and_layout_of_numbers_do_not_matter(criterion: str) -> None:
    """The same values as float32, float64 or integers, by rows, by columns, strided, reversed, read-only."""
    rng = np.random.default_rng(6)
    values = rng.integers(-100, 100, (300, 4))
    y = (
        (values[:, 0] + values[:, 1] > 20) + 0.0
        if criterion in CLASS_CRITERIA
        else np.abs(values[:, 0]) + 1.0
    )
    wide = np.repeat(values.astype(np.float64), 2, axis=1)
    read_only = values.astype(np.float64)
    read_only.flags.writeable = False
    forms = {
        "float32": values.astype(np.float32),
        "int8": values.astype(np.int8),
        "int16": values.astype(np.int16),
        "int32": values.astype(np.int32),
        "int64": values.astype(np.int64),
        "by columns": np.asfortranarray(values.astype(np.float64)),
        "strided": wide[:, ::2],
        "reversed twice": np.ascontiguousarray(values[::-1].astype(np.float64))[::-1],
        "other byte order": values.astype(">f8"),
        "read-only": read_only,
    }
    ours = estimator(criterion).fit(values.astype(np.float64), y)
    for form, X in forms.items():
        model = estimator(criterion).fit(X, y)
        assert same_arrays(ours.tree_, model.tree_), form
        assert np.array_equal(model.apply(X), ours.apply(values.astype(np.float64))), form
    assert read_only.tolist() == values.tolist()


@every_criterion
def test_libraries_of_data_frames_do_not_matter(criterion: str) -> None:
    """pandas, polars and pyarrow tables with the same columns give the same tree and the same predictions."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(7)
    n_rows = 200
    numbers: list[float | None] = [None if rng.random() < 0.1 else float(x) for x in rng.normal(size=n_rows)]
    whole: list[int | None] = [None if rng.random() < 0.1 else int(x) for x in rng.integers(0, 9, n_rows)]
    text = [None if rng.random() < 0.1 else str(rng.choice(["red", "green", "blue"])) for _ in range(n_rows)]
    truth = [bool(x) for x in rng.integers(0, 2, n_rows)]
    y = np.array(
        [(t == "red") + 2 * (b and (w or 0) > 4) for t, b, w in zip(text, truth, whole, strict=True)]
    )
    columns = {"number": numbers, "whole": whole, "text": text, "truth": truth}
    frames = [
        pd.DataFrame(columns | {"whole": pd.array(whole, dtype="Int64")}),
        pl.DataFrame(columns),
        pa.table(columns),
    ]
    models = [estimator(criterion).fit(X, y) for X in frames]
    for model, X in zip(models, frames, strict=True):
        assert model.tree_ == models[0].tree_
        assert np.array_equal(model.predict(X), models[0].predict(frames[0]))
