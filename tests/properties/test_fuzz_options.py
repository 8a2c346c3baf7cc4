"""Odd options and odd tables: fitting, predicting, saving and loading work, or are refused by a sentence.

A frame is a small table whose columns may be of any type that a data frame knows; an option is one that is
allowed, nearly allowed, or nonsense. Whatever is raised must be ours, or scikit-learn's own. What the models
are worth is tested elsewhere.
"""

from __future__ import annotations

import datetime as dt
import decimal
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from support.sweeps import few

from arboretum import (
    ChiSquare,
    Conditional,
    CostComplexity,
    FTest,
    GainRatio,
    Lookahead,
    MEstimate,
    MofN,
    Oblique,
    Optimal,
    Permutation,
    Pessimistic,
    ReducedError,
    Surrogate,
    TreeClassifier,
    TreeRegressor,
)
from arboretum._store.model_files import model_from_bytes, model_to_bytes
from arboretum.errors import ArboretumError

N_ROWS = 9
# What every option may be given by mistake.
NONSENSE = st.sampled_from(
    (
        *(
            None,
            True,
            -1,
            0,
            1,
            2,
            3,
            0.0,
            0.5,
            1.5,
            float("nan"),
            float("inf"),
            2**70,
            "",
            "x",
            "gini",
            [],
            {},
        ),
        *((), np.int8(3), np.float32(0.25), np.array([1.0]), object(), print, TreeClassifier, b"bytes", 1j),
    )
)
STRATEGIES = st.sampled_from(
    (
        *(ChiSquare(0.2), Conditional(), FTest(), GainRatio(), Lookahead(top=2), MEstimate(3), MofN(3)),
        *(Oblique(2), Permutation(0.3, permutations=9), Pessimistic(), ReducedError(), Surrogate(1)),
        *(CostComplexity(folds=2), CostComplexity(alpha=0.1), CostComplexity(measure="gini")),
        *(MEstimate(-1), ReducedError(2), MofN(0), Optimal(gap=2), Optimal(0.1, time_limit=0.5)),
    )
)
SENSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "criterion": st.sampled_from(["gini", "entropy", "gain_ratio", "misclassification", GainRatio()]),
    "nominal": st.sampled_from(["subset", "one_vs_rest", "multiway"]),
    "thresholds": st.sampled_from(["midpoint", "observed", "table", "round"]),
    "questions": st.sampled_from(["axis", MofN(2), Oblique(max_terms=2, restarts=0)]),
    "search": st.sampled_from(["greedy", Lookahead(top=2), Optimal(0.05, time_limit=0.5)]),
    "missing": st.sampled_from(["category", "surrogate", "fractional", "drop", "error", Surrogate(1)]),
    "max_depth": st.sampled_from([1, 2, None, np.int64(2)]),
    "min_samples_leaf": st.sampled_from([1, 3, 0.2]),
    "max_leaf_nodes": st.sampled_from([2, 4, None]),
    "significance": st.sampled_from(
        [None, 0.5, ChiSquare(0.5), FTest(0.5), Permutation(0.5, permutations=9)]
    ),
    "competitors": st.sampled_from([0, 2]),
    "max_bins": st.sampled_from([2, 255, None]),
    "prune": st.sampled_from(
        [None, "cost_complexity", "reduced_error", "pessimistic", CostComplexity(folds=2), ReducedError(0.4)]
    ),
    "leaf": st.sampled_from(["frequency", "laplace", MEstimate(1)]),
    "class_weight": st.sampled_from([None, "balanced", {"a": 2, "b": 1}]),
    "priors": st.sampled_from([None, [0.5, 0.5], (0.2, 0.3, 0.5)]),
    "loss": st.sampled_from([None, [[0, 1], [2, 0]]]),
    "monotonic_cst": st.sampled_from([None, [1], {"c0": -1}, [0, 1, 0]]),
    "ordered_features": st.sampled_from([None, [0], ["c0"], [True, False], {"c0": [2, 1, 3]}, {"c1": "ab"}]),
    "categorical_features": st.sampled_from(["from_dtype", [0], ["c0"], [True, False], {"c0": [1, 2, 3]}]),
    "random_state": st.sampled_from([None, 0, np.random.RandomState(1)]),
    "n_jobs": st.sampled_from([None, 1, 2, -1]),
}
OTHERS = ("min_samples_split", "min_weight_fraction_leaf", "min_impurity_decrease")
OF_NUMBERS = st.sampled_from(["squared_error", "absolute_error", "poisson"])
ONLY_CLASSES = {"leaf", "class_weight", "priors", "loss"}


@st.composite
def options(draw: st.DrawFn, *, of_classes: bool) -> dict[str, Any]:
    """Up to five options, most of them sensible."""
    chosen: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from([*SENSIBLE, *OTHERS]), max_size=5, unique=True)):
        if name in ONLY_CLASSES and not of_classes:
            continue
        sensible = SENSIBLE.get(name, NONSENSE)
        if name == "criterion" and not of_classes:
            sensible = OF_NUMBERS
        source = draw(st.sampled_from([sensible] * 12 + [NONSENSE, STRATEGIES]))
        chosen[name] = draw(source)
    return chosen


KINDS = (
    *("floats", "few", "few", "integers", "text", "letters", "letters", "truth", "dates", "instants"),
    *("spans", "decimals", "odd"),
)


FORMS = (
    "object",
    "own",
    "own",
    "own",
    "category",
    "category",
    "ordered",
    "string",
    "Float64",
    "bool",
    "sparse",
)


def _values(kind: str) -> st.SearchStrategy[Any]:
    return {
        "floats": st.floats(width=32),
        "few": st.sampled_from([1.0, 2.0, 3.0]),
        "integers": st.integers(-(2**63), 2**64),
        "text": st.text(max_size=3),
        "letters": st.sampled_from("abc"),
        "truth": st.booleans(),
        "dates": st.dates(dt.date(1000, 1, 1)),
        "instants": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
        "spans": st.timedeltas(dt.timedelta(-(10**4)), dt.timedelta(10**4)),
        "decimals": st.decimals(allow_nan=True, allow_infinity=True, places=2),
        "odd": st.sampled_from([None, 1, "a", 2.5, b"x", (1,), [1], {}, np.nan, pd.NA, pd.NaT, 1j, object]),
    }[kind]


@st.composite
def columns(draw: st.DrawFn) -> Any:
    """One column as pandas has it: of any type, some with missing values."""
    kind = draw(st.sampled_from(KINDS))
    values = draw(st.lists(_values(kind), min_size=N_ROWS, max_size=N_ROWS))
    for row in draw(st.lists(st.integers(0, N_ROWS - 1), max_size=3)):
        values[row] = None
    series = pd.Series(values, dtype=object)
    form = draw(
        st.sampled_from(["object", "own", "category", "ordered", "string", "Float64", "bool", "sparse"])
    )
    try:
        match form:
            case "own":
                return pd.Series(values)
            case "category":
                return series.astype("category")
            case "ordered":
                return pd.Series(pd.Categorical(values, ordered=True))
            case "sparse":
                return pd.Series(pd.arrays.SparseArray(pd.Series(values).to_numpy()))
            case "string" | "Float64" | "bool":
                return series.astype(form)
    except (
        TypeError,
        ValueError,
        OverflowError,
        decimal.InvalidOperation,
        NotImplementedError,
        AttributeError,
    ):
        pass  # pandas has no such column
    return series


@st.composite
def frames(draw: st.DrawFn) -> Any:
    """One to three columns, as a frame of one of three libraries, or as an array."""
    given_columns = draw(st.lists(columns(), min_size=1, max_size=3))
    frame = pd.DataFrame({f"c{place}": column for place, column in enumerate(given_columns)})
    form = draw(st.sampled_from(["pandas", "pandas", "polars", "arrow", "array", "list"]))
    try:
        match form:
            case "polars":
                return pl.from_pandas(frame)
            case "arrow":
                return pa.Table.from_pandas(frame, preserve_index=False)
            case "array":
                return frame.to_numpy()
            case "list":
                return frame.to_numpy(dtype=object).tolist()
    except Exception:
        pass  # the other library has no such column
    return frame


def _rows(values: st.SearchStrategy[Any], least: int = N_ROWS) -> st.SearchStrategy[Any]:
    return st.lists(values, min_size=least, max_size=N_ROWS)


def _mostly(sensible: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Eleven times out of twelve what can be used, so that most tables get further than the first check."""
    return st.sampled_from([sensible] * 11 + [odd]).flatmap(lambda chosen: chosen)


CLASSES = _mostly(
    st.one_of(
        _rows(st.sampled_from(["a", "b"])),
        _rows(st.booleans()),
        _rows(st.integers(0, 2)).map(np.array),
        _rows(st.text(max_size=1)),
    ),
    st.one_of(_rows(_values("odd")), _rows(st.text(max_size=2), N_ROWS - 1), _rows(st.floats())),
)
NUMBERS = _mostly(
    st.one_of(_rows(st.floats(0, 9)), _rows(st.integers(0, 9)).map(np.array), _rows(st.floats(-1e90, 1e90))),
    st.one_of(_rows(_values("odd")), _rows(st.floats()), _rows(st.integers(-(2**70), 2**70))),
)
WEIGHTS = _mostly(
    st.one_of(st.none(), _rows(st.sampled_from([0, 1, 2.5, 1e-30, 1e30]))),
    st.one_of(_rows(st.floats()), NONSENSE),
)
ENDS: Counter[str] = Counter()


def try_all(model: Any, table: Any, target: Any, weights: Any, other: Any) -> None:
    """Fit, predict, save, load and predict again; whatever is refused must be refused by us."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other libraries comment on odd tables
        try:
            model.fit(table, target, sample_weight=weights)
            ENDS["fitted"] += 1
            before = model.predict(table)
            assert len(before) == N_ROWS
            loaded = model_from_bytes(model_to_bytes(model))
            assert loaded.predict(table).tolist() == before.tolist()
            assert loaded.tree_ == model.tree_
            ENDS["loaded"] += 1
            assert str(loaded.pruned(leaves=2).tree_)
            loaded.predict(other)
            ENDS["predicted another table"] += 1
        except (ArboretumError, NotFittedError):
            ENDS["refused"] += 1


@settings(max_examples=few(4))
@given(st.data())
def test_classifiers(data: st.DataObject) -> None:
    model = TreeClassifier(**data.draw(options(of_classes=True)))
    try_all(model, data.draw(frames()), data.draw(CLASSES), data.draw(WEIGHTS), data.draw(frames()))


@settings(max_examples=few(4))
@given(st.data())
def test_regressors(data: st.DataObject) -> None:
    model = TreeRegressor(**data.draw(options(of_classes=False)))
    try_all(model, data.draw(frames()), data.draw(NUMBERS), data.draw(WEIGHTS), data.draw(frames()))


def test_enough_was_tried() -> None:
    """The tests above are worth something only if much of what they try is fitted, and much refused."""
    if ENDS.total():  # where tests are shared among processes, this one may have tried nothing
        tried = ENDS["fitted"] + ENDS["refused"]
        assert ENDS["loaded"] > tried / 8, ENDS
        assert ENDS["refused"] > tried / 8, ENDS
        assert ENDS["predicted another table"] > 5, ENDS
