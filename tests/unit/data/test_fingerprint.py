"""The fingerprint of training data: it tells tables apart, and not how they are stored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arboretum import TreeClassifier, TreeRegressor, _core, datasets


def printed(X: object, y: object, **how: object) -> str:
    """The fingerprint that a fitted model keeps."""
    return TreeClassifier(prune=None, max_depth=1).fit(X, y, **how).training_data_.fingerprint


class TestColumns:
    def test_equal_values_have_equal_fingerprints_however_they_are_stored(self) -> None:
        values = np.array([1.5, -2.0, 0.0, 1e10], np.float64)
        expected = _core.fingerprint(values)
        wide = np.zeros(8)
        wide[::2] = values
        for same in (values.astype(np.float32), wide[::2], np.array([1.5, -2.0, -0.0, 1e10])):
            assert _core.fingerprint(same) == expected
        whole = np.array([1, 2, 100], np.int64)
        for kind in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64):
            assert _core.fingerprint(whole.astype(kind)) == _core.fingerprint(whole)

    def test_missing_values_are_alike(self) -> None:
        hidden = np.array([False, True, False])
        by_mask = [_core.fingerprint(np.array([1.0, filler, 3.0]), hidden) for filler in (0.0, 7.0, np.nan)]
        assert len({*by_mask, _core.fingerprint(np.array([1.0, np.nan, 3.0]))}) == 1

    def test_any_change_is_seen(self) -> None:
        """Each value changed by its last bit, two swapped, one more, one less: all different."""
        values = np.random.default_rng(0).normal(size=50)
        prints = {
            _core.fingerprint(values),
            _core.fingerprint(values[:-1]),
            _core.fingerprint(np.append(values, 0.0)),
        }
        for place in range(50):
            changed = values.copy()
            changed[place] = np.nextafter(changed[place], np.inf)
            prints.add(_core.fingerprint(changed))
            changed[place] = np.nan
            prints.add(_core.fingerprint(changed))
            swapped = values.copy()
            swapped[[place, place - 4]] = swapped[[place - 4, place]]
            prints.add(_core.fingerprint(swapped))
        assert len(prints) == 3 + 3 * 50

    def test_what_has_none_is_refused(self) -> None:
        with pytest.raises(ValueError, match="the mask has another length"):
            _core.fingerprint(np.zeros(3), np.zeros(2, np.bool_))
        with pytest.raises(ValueError, match="no fingerprint"):
            _core.fingerprint(np.zeros(3, np.complex128))

    def test_nothing_at_all(self) -> None:
        assert _core.fingerprint(np.zeros(0)) != _core.fingerprint(np.zeros(1))


class TestModels:
    def test_the_library_of_the_frame_does_not_count(self) -> None:
        polars = pytest.importorskip("polars")
        X, y = datasets.load_penguins()
        assert printed(polars.from_pandas(X), y.to_numpy()) == printed(X, y)

    def test_names_order_targets_and_weights_count(self) -> None:
        X, y = datasets.load_iris()
        weight = np.ones(len(y))
        weight[3] = 2.0
        other = y.copy()
        other[0] = "virginica"
        prints = [
            printed(X, y),
            printed(X.rename(columns={"petal_width": "width"}), y),
            printed(X[::-1], y[::-1]),
            printed(X, other),
            printed(X, y, sample_weight=weight),
            printed(X.iloc[:, :3], y),
        ]
        assert len(set(prints)) == len(prints)

    def test_the_same_table_has_the_same_fingerprint_whatever_is_grown(self) -> None:
        X, y = datasets.load_iris()
        model = TreeClassifier(criterion="entropy", n_jobs=2).fit(X, y)
        assert model.training_data_.fingerprint == printed(X, y)
        assert (model.training_data_.n_rows, model.training_data_.n_columns) == (150, 4)

    def test_rows_that_are_dropped_do_not_count(self) -> None:
        X = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0]})
        model = TreeRegressor(missing="drop", prune=None).fit(X, [1.0, 2.0, 3.0, 4.0])
        assert model.training_data_.n_rows == 3
