"""The pruning path of a model: that of the fit, not shared with copies, and shown in part if it is long.

Its laws are in properties/test_pruning_path.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from arboretum import CostComplexity, TreeClassifier, TreeRegressor, datasets

IRIS, KINDS = datasets.load_iris()
RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 3))


def test_the_sequence_is_that_of_the_fit() -> None:
    """Parameters that are set afterwards change neither the path nor what it is cut from."""
    model = TreeClassifier(prune=CostComplexity(alpha=0.01)).fit(IRIS, KINDS)
    before = [model.pruned(leaves=n).tree_ for n in (2, 3, 4)]
    model.set_params(prune__measure="entropy")
    assert [model.pruned(leaves=n).tree_ for n in (2, 3, 4)] == before


def test_nothing_is_shared_with_a_pruned_copy() -> None:
    """Neither parameters nor the path can be changed through it."""
    model = TreeClassifier(prune=CostComplexity(alpha=0.01)).fit(IRIS, KINDS)
    other = model.pruned(leaves=2)
    other.set_params(prune__rule="min")
    assert model.prune.rule == "average"
    with pytest.raises(ValueError, match="read-only"):
        other.pruning_path_.alpha[0] = 9.0


def test_losses_that_are_all_the_same_have_no_spread() -> None:
    """Three classes of the same size cost ln 3 at the root, row for row: rounding is no standard error."""
    kept = np.arange(150) % 5 > 0
    model = TreeClassifier(prune=CostComplexity(measure="log_loss")).fit(IRIS[kept], KINDS[kept])
    path = model.pruning_path_
    assert path.cv_risk[-1] == pytest.approx(np.log(3))
    assert path.cv_se[-1] == 0.0
    assert (path.cv_se[:-1] > 0.0).all()


def test_long_paths_are_shown_in_part() -> None:
    """A path of a hundred trees was a hundred lines, and the chosen tree was hard to find."""
    model = TreeRegressor().fit(X, X[:, 0] + 0.1 * RNG.normal(size=120))
    path = model.pruning_path_
    assert len(path) > 60
    assert path.chosen is not None
    header, *lines, last = str(path).splitlines()
    assert len(lines) < 20
    assert "CV risk" in header
    assert [line for line in lines if line.endswith("chosen")] == [path._line(path.chosen)]
    assert lines[0].split()[1] == str(path.leaves[0])
    assert lines[-1].split()[1] == "1"
    n_more = sum(int(line.split()[1].replace(",", "")) for line in lines if line.split()[0] == "…")
    n_lines = sum(line.split()[0] != "…" for line in lines)
    assert n_more + n_lines == len(path) == len(path.to_frame())
    assert last == f"{n_lines} of {len(path)} trees; to_frame() has them all."


def test_short_paths_are_shown_whole() -> None:
    path = TreeClassifier(prune=None).fit(X, X[:, 0] > 0).pruning_path_
    assert len(str(path).splitlines()) == 1 + len(path)
