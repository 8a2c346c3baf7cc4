"""Who is warned, and how often: the caller's own line, once for each call, however often it fits inside."""

from __future__ import annotations

import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import arboretum
from arboretum import (
    ArboretumWarning,
    CostComplexity,
    Experiment,
    IdentifierWarning,
    OneLeafWarning,
    TreeClassifier,
    UnknownLevelsWarning,
    complexity_curve,
    learning_curve,
    permutation_importance,
    plot,
)
from arboretum._warning import first_of_each, give, heard, unheard

N = 300
NUMBERS = np.arange(N)
X = pd.DataFrame(
    {"name": [f"row {i}" for i in NUMBERS], "x": NUMBERS * 1.0, "colour": ["red", "blue"] * (N // 2)}
)
Y = np.where(NUMBERS % 2 == 0, "even", "odd")
MODEL = TreeClassifier(prune=None)
NOISE = pd.DataFrame({"x": np.random.default_rng(1).normal(size=N)})


def names_of(call: Callable[[], object]) -> list[str]:
    """Return the classes of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [warning.category.__name__ for warning in caught]


@pytest.fixture
def fitted() -> TreeClassifier:
    """A tree that asks for the colour."""
    return TreeClassifier(prune=None).fit(X[["colour"]], Y)


def test_the_line_is_the_callers() -> None:
    """Neither a line of this package nor one of scikit-learn, whatever lies between."""
    pipeline, experiment = make_pipeline(TreeClassifier(prune=None)), Experiment(X, Y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MODEL.fit(X, Y)  # named
        pipeline.fit(X, Y)  # named
        experiment.try_(MODEL)  # named
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert [warning.filename for warning in caught] == [__file__] * 3
    assert all(lines[warning.lineno - 1].endswith("# named") for warning in caught)
    assert len({warning.lineno for warning in caught}) == 3


def test_every_fit_warns() -> None:
    """A second fit is another call."""
    assert names_of(lambda: (MODEL.fit(X, Y), MODEL.fit(X, Y))) == ["IdentifierWarning"] * 2


def test_folds_of_pruning_are_silent() -> None:
    """Ten folds grow ten trees; the caller hears of the one table."""
    pruner = CostComplexity(rule="min", measure="entropy")
    assert (
        names_of(lambda: TreeClassifier(prune=pruner).fit(X[["name", "colour"]], Y)).count(
            "IdentifierWarning"
        )
        == 1
    )


@pytest.mark.parametrize("split", [(0.7, 0.1, 0.2), (0.8, 0.2)], ids=["development", "cross-validation"])
def test_experiments(split: tuple[float, ...]) -> None:
    """One call tries many settings, folds and sizes, and warns of the table once."""
    experiment = Experiment(X, Y, split=split)
    grid = {"max_depth": [1, 2, 3]}
    once = ["IdentifierWarning"]
    assert names_of(lambda: experiment.try_(MODEL)) == once
    assert names_of(lambda: experiment.grid(MODEL, grid)) == once
    assert names_of(lambda: experiment.random(MODEL, grid, 2)) == once
    if len(split) == 3:
        assert names_of(lambda: experiment.learning_curve(MODEL, sizes=[0.5, 1.0])) == once
        assert names_of(lambda: experiment.complexity_curve(MODEL)) == once
        assert names_of(lambda: experiment.test(refit="train+dev")) == once


def test_searches_say_nothing_of_trees_of_one_leaf() -> None:
    """A search tries trees that are too small on purpose; a single setting is what the caller wants."""
    experiment = Experiment(X[["x"]], Y, split=(0.5, 0.5), folds=2)
    small = TreeClassifier(prune=None, min_samples_leaf=100)
    assert names_of(lambda: experiment.try_(small)) == ["OneLeafWarning"]
    assert names_of(lambda: experiment.grid(small, {"min_samples_leaf": [100, 120]})) == []


def test_curves() -> None:
    """Few rows are few on purpose: what the largest fit says is told."""
    sizes = [4, 60, 100]
    assert names_of(lambda: learning_curve(MODEL, X, Y, sizes=sizes)) == ["IdentifierWarning"]
    assert names_of(lambda: learning_curve(MODEL, X[["x"]], Y, sizes=[1, 60])) == []
    assert names_of(lambda: complexity_curve(MODEL, X, Y, X, Y)) == ["IdentifierWarning"]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("missing", ["category", "fractional"])
def test_permutation_importance(missing: Any, n_jobs: int) -> None:
    """The rows are predicted many times, in several threads."""
    model = TreeClassifier(prune=None, missing=missing).fit(X[["colour"]], Y)
    rows = X[["colour"]].replace("red", "mauve")
    found = names_of(lambda: permutation_importance(model, rows, Y, repeats=3, n_jobs=n_jobs))
    assert found == ["UnknownLevelsWarning"]


def test_charts(fitted: TreeClassifier) -> None:
    """A chart asks for labels and for probabilities."""
    rows = X[["colour"]].replace("red", "mauve")
    assert names_of(lambda: plot.roc(fitted, rows, Y)) == ["UnknownLevelsWarning"]


def test_inside_scikit_learn() -> None:
    """Its searches fit in their own way: every fit may warn, and all goes on."""
    few = X[["x", "colour"]]
    search = GridSearchCV(TreeClassifier(prune=None), {"max_depth": [1, 2]}, cv=3)
    assert names_of(lambda: cross_val_score(MODEL, few, Y, cv=3)) == []
    assert names_of(lambda: search.fit(few, Y)) == []
    assert "IdentifierWarning" in names_of(lambda: cross_val_score(MODEL, X, Y, cv=3))
    assert "IdentifierWarning" in names_of(lambda: search.fit(X, Y))


def test_silencing_and_refusing() -> None:
    """Filters take the classes, as with any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArboretumWarning)
        MODEL.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ArboretumWarning)
        with pytest.raises(IdentifierWarning, match="'name'"):
            MODEL.fit(X, Y)


def test_every_warning_is_public() -> None:
    """Whoever wants to filter a warning can name it."""
    found = {name for name in arboretum.__all__ if name.endswith("Warning")}
    assert {kind.__name__ for kind in ArboretumWarning.__subclasses__()} | {"ArboretumWarning"} == found
    assert all(issubclass(getattr(arboretum, name), UserWarning) for name in found)


def test_messages_are_safe_and_short() -> None:
    """As those of errors: nothing steers a terminal, and nothing is endless; columns survive pickling."""
    warning = IdentifierWarning(f"Column {'x' * 10**5!r} \x1b[31m", {"x": None})
    assert len(str(warning)) < 400
    assert r"\x1b[31m" in str(warning)
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.columns) == (str(warning), {"x": None})


class TestListening:
    """Calls that fit inside listen to their own fits."""

    def test_the_first_of_each_class(self) -> None:
        """Nested listeners pass on what they have not heard of yet."""
        with heard() as found, first_of_each(OneLeafWarning), first_of_each():
            for text in ("one", "two"):
                give(IdentifierWarning(text))
                give(OneLeafWarning(text))
                give(UnknownLevelsWarning(text))
        assert [str(warning) for warning in found] == ["one", "one"]
        assert [type(warning) for warning in found] == [IdentifierWarning, UnknownLevelsWarning]

    def test_a_block_that_fails_listens_no_longer(self) -> None:
        """The next warning reaches its caller."""
        with pytest.raises(ZeroDivisionError), unheard():
            give(OneLeafWarning(f"nobody hears {1 / 0}"))
        with pytest.warns(OneLeafWarning, match="loud"):
            give(OneLeafWarning("loud"))

    def test_threads_listen_for_themselves(self) -> None:
        """A listener in one thread does not silence a fit in another."""
        found: list[str] = []

        def fit() -> None:
            with heard() as own:
                MODEL.fit(X, Y)
            found.extend(type(warning).__name__ for warning in own)

        with unheard():
            other = threading.Thread(target=fit)
            other.start()
            other.join()
        assert found == ["IdentifierWarning"]
