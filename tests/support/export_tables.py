"""Random tables, options and models for exports: hostile names, values beside each other, gaps everywhere.

A case is a fitted model and its table. Options are those that go together.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st

from arboretum import MofN, Oblique, Surrogate, TreeClassifier, TreeRegressor
from arboretum.errors import DataError, ParameterError

__all__ = ["cases"]

_EDGES = [
    0.0,
    -0.0,
    1.0,
    float(np.nextafter(1.0, 2)),
    float(np.nextafter(1.0, 0)),
    0.1,
    1e300,
    -1e-300,
    5e-324,
]
_names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
_reals = (
    st.sampled_from(_EDGES) | st.floats(allow_nan=False, allow_infinity=True) | st.integers(-3, 3).map(float)
)
_wholes = (
    st.sampled_from([2**53, 2**53 + 1, 2**62, -(2**62) - 1])
    | st.integers(-3, 3)
    | st.integers(-(2**62), 2**62)
)
_days = st.dates(dt.date(1678, 1, 1), dt.date(2261, 1, 1))
_pauses = st.timedeltas(dt.timedelta(days=-99), dt.timedelta(days=99))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, pd.DataFrame]:
    """A model that was fitted to a random table, and the table."""
    n_rows = draw(st.integers(6, 40))
    names = draw(st.lists(_names, min_size=1, max_size=4, unique=True))
    X = pd.DataFrame({name: draw(_columns(n_rows)) for name in names})
    options = draw(st.sampled_from(_OPTIONS))
    numbers = draw(st.booleans())
    if numbers:
        target: Any = draw(st.lists(st.floats(-1e6, 1e6), min_size=n_rows, max_size=n_rows))
    else:
        classes = draw(st.lists(_names, min_size=2, max_size=3, unique=True) | st.just([3, 7, 2**40]))
        target = draw(st.lists(st.sampled_from(classes), min_size=n_rows, max_size=n_rows))
    model = (TreeRegressor if numbers else TreeClassifier)(prune=None, **options)
    try:
        model.fit(X, target)
    except (DataError, ParameterError):
        assume(False)
    assume(len(model.tree_) > 1)
    return model, X


_OPTIONS: list[dict[str, Any]] = [
    *({"missing": "category", "nominal": nominal} for nominal in ("subset", "one_vs_rest", "multiway")),
    *({"missing": "fractional", "nominal": nominal} for nominal in ("subset", "one_vs_rest", "multiway")),
    *({"missing": "surrogate", "nominal": nominal} for nominal in ("subset", "one_vs_rest")),
    *({"missing": Surrogate(send=send)} for send in ("surrogates", "never")),
    {"missing": "drop"},
    *({"questions": questions} for questions in (MofN(), Oblique(), Oblique())),
]


@st.composite
def _columns(draw: st.DrawFn, n_rows: int) -> Any:
    kind = draw(
        st.sampled_from(
            ["real", "whole", "real", "short", "whole", "text", "truth", "ordered", "day", "pause", "numbers"]
        )
    )
    gaps = (
        draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
        if draw(st.booleans())
        else [False] * n_rows
    )

    def take(values: st.SearchStrategy[Any]) -> list[Any]:
        pool = draw(st.lists(values, min_size=2, max_size=6))
        found = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        return [None if gap else value for gap, value in zip(gaps, found, strict=True)]

    match kind:
        case "real":
            return pd.array(take(_reals), dtype="float64" if not any(gaps) else "Float64")
        case "short":
            return np.array(
                [np.nan if x is None else x for x in take(st.floats(width=32, allow_nan=False))], np.float32
            )
        case "whole":
            return pd.array(take(_wholes), dtype="Int64")
        case "text":
            return pd.array(take(_names), dtype=object)
        case "truth":
            return pd.array(take(st.booleans()), dtype="boolean")
        case "ordered":
            levels = draw(st.lists(_names, min_size=2, max_size=5, unique=True))
            return pd.Categorical(take(st.sampled_from(levels)), categories=levels, ordered=True)
        case "day":
            return pd.to_datetime(pd.Series(take(_days)))
        case "pause":
            return pd.to_timedelta(pd.Series(take(_pauses)))
        case _:
            return pd.Categorical(take(st.integers(-3, 3) | st.sampled_from([0.5, 2.0**60])))
