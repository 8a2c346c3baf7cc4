"""Differences of held-out errors in `benchmarks/held_out`: each table counts once, whatever its splits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.held_out.differences import Shape, compare, in_per_cent

SHAPE = Shape(of_classes=True, rows=100, depth=3)


def made_records(errors: dict[str, list[list[float]]], depth: int = 3) -> pd.DataFrame:
    """Records of kinds of trees: by table and split, the held-out error."""
    return pd.DataFrame(
        {
            "kind": kind,
            "of_classes": True,
            "rows": 100,
            "depth": 0 if kind == "default" else depth,
            "table": f"t{table}",
            "training": 0.0,
            "held_out": error,
            "leaves": 4,
        }
        for kind, of_tables in errors.items()
        for table, of_splits in enumerate(of_tables)
        for error in of_splits
    )


def test_the_interval_is_students_over_tables() -> None:
    """Splits are averaged first; a table with many splits weighs no more than the others."""
    records = made_records(
        {"optimal": [[0.1, 0.3], [0.2], [0.3], [0.1]], "greedy": [[0.3, 0.3], [0.2], [0.2], [0.3]]}
    )
    found = compare(records, "optimal", "greedy", SHAPE)
    assert found is not None
    apart = np.array([-0.1, 0.0, 0.1, -0.2])
    low, high = stats.t.interval(0.95, 3, loc=apart.mean(), scale=stats.sem(apart))
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx((low, high))
    assert found.tables == "2 : 1"


def test_only_tables_that_have_both_count() -> None:
    """Trees of any depth are compared with those of every depth; of three tables there is no interval."""
    errors = {"optimal": [[0.1]] * 4, "default": [[0.2]] * 5}
    found = compare(made_records(errors), "optimal", "default", SHAPE)
    assert found is not None
    assert str(found) == "-10.0 ± 0.0"
    assert compare(made_records(errors, depth=2), "optimal", "default", SHAPE) is None
    assert compare(made_records({**errors, "optimal": [[0.1]] * 3}), "optimal", "default", SHAPE) is None


def test_nothing_has_no_sign() -> None:
    """A difference that is shown as 0.0 is neither above nor below."""
    assert [in_per_cent(difference) for difference in (0.012, -0.0004, 0.0, -0.02)] == [
        "+1.2",
        "0.0",
        "0.0",
        "-2.0",
    ]
