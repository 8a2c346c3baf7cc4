"""Optimal trees: what is refused, the certificate, and the size that is chosen."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    CostComplexity,
    DataError,
    MofN,
    Optimal,
    ParameterError,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
    UnprovenWarning,
    datasets,
    load,
    save,
)
from arboretum._options.exclusions import OUTPUTS, exclusions
from arboretum._options.optimal import WHOLE

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"max_depth": None}, "needs a limit"),
    ({"missing": "surrogate"}, 'does not go with missing="surrogate"'),
    ({"missing": "fractional"}, 'does not go with missing="fractional"'),
    ({"nominal": "multiway"}, 'does not go with nominal="multiway"'),
    ({"criterion": "gain_ratio"}, 'does not go with criterion="gain_ratio"'),
    ({"significance": 0.05}, "does not go with significance"),
    ({"column_costs": [1, 2, 1, 1]}, "does not go with column_costs"),
    ({"monotonic_cst": [1, 0, 0, 0]}, "does not go with monotonic_cst"),
    ({"questions": MofN()}, "MofN or Oblique does not go with search=Optimal"),
    ({"competitors": 1}, "does not go with competitors"),
    ({"max_bins": 9}, "does not go with max_bins"),
    ({"min_impurity_decrease": 0.1}, "does not go with min_impurity_decrease"),
    ({"min_weight_fraction_leaf": 0.1}, "does not go with min_weight_fraction_leaf"),
    ({"prune": "reduced_error"}, 'does not go with prune="reduced_error"'),
    ({"prune": "pessimistic"}, 'does not go with prune="pessimistic"'),
    ({"search": Optimal(leaf_penalty=-1)}, "leaf_penalty=-1"),
    ({"search": Optimal(time_limit=0)}, "time_limit=0"),
    ({"search": Optimal(gap=2)}, "gap=2"),
    ({"search": Optimal(on_interrupt="stay")}, "on_interrupt"),
]
OF_NUMBERS: dict[str, dict[str, Any]] = {
    'criterion="absolute_error"': {"criterion": "absolute_error"},
    'criterion="poisson"': {"criterion": "poisson"},
    "leaf=LinearModel": {"leaf": "linear"},
    "order within queries": {},
}


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_refusals(options: dict[str, Any], words: str) -> None:
    X, y = datasets.load_iris()
    given = {"search": Optimal(), "max_depth": 2, "prune": None} | options
    with pytest.raises(ParameterError, match=words):
        TreeClassifier(**given).fit(X, y)


def test_every_refusal_of_the_table_is_met() -> None:
    """Those of several outputs are met in tests/unit/outputs/test_refusals.py."""
    lines = [{line.first, line.second} for line in exclusions() if WHOLE in {line.first, line.second}]
    others = {name for line in lines for name in line - {WHOLE}} - {OUTPUTS}
    met = " ".join(words for _, words in REFUSED) + " ".join(OF_NUMBERS)
    assert len(others) >= 15
    assert [name for name in others if name.removeprefix("questions=") not in met] == []


@pytest.mark.parametrize("words", OF_NUMBERS)
def test_refusals_of_numbers(words: str) -> None:
    options = OF_NUMBERS[words]
    kind = TreeRanker if words == "order within queries" else TreeRegressor
    more = {"groups": [0, 0, 0]} if kind is TreeRanker else {}
    with pytest.raises(ParameterError, match=words):
        kind(search=Optimal(), max_depth=2, **options).fit([[1], [2], [3]], [1, 2, 3], **more)


def test_many_levels_are_refused() -> None:
    X = pd.DataFrame({"city": pd.Categorical([f"c{i}" for i in range(12)] * 3)})
    y = np.arange(36) % 5 > 2
    with pytest.raises(DataError, match="'city' has 12 levels"):
        TreeClassifier(search=Optimal(), max_depth=2, prune=None).fit(X, y)
    model = TreeClassifier(search=Optimal(), max_depth=2, prune=None, nominal="one_vs_rest").fit(X, y)
    assert model.optimality_.proven


@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
@pytest.mark.parametrize("rows", [1, 2])
def test_tiny_tables(rows: int) -> None:
    X, y = np.arange(rows)[:, None], np.arange(rows)
    model = TreeRegressor(search=Optimal(), max_depth=3, prune=None, leaf="mean").fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.optimality_.objective == 0


def test_the_price_of_a_leaf_chosen_by_held_out_rows() -> None:
    """Only one column says anything; the path begins with the tree that was asked for, ends with the root."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] > 0) ^ (random.random(200) < 0.1)
    model = TreeClassifier(search=Optimal(), max_depth=3).fit(X, y)
    path = model.pruning_path_
    assert model.get_n_leaves() == 2
    assert model.optimality_.proven
    assert path.leaves[-1] == 1
    assert (np.diff(path.leaves) < 0).all()
    assert (np.diff(path.risk) >= 0).all()
    assert model.pruned(leaves=1).get_n_leaves() == 1
    largest = model.pruned(leaves=100)
    assert largest.get_n_leaves() == path.leaves[0]
    full = TreeClassifier(search=Optimal(), max_depth=3, prune=None).fit(X, y)
    assert largest.tree_ == full.tree_
    priced = TreeClassifier(search=Optimal(), max_depth=3, prune=CostComplexity(alpha=0.05)).fit(X, y)
    asked = TreeClassifier(search=Optimal(leaf_penalty=0.05), max_depth=3, prune=None).fit(X, y)
    assert priced.tree_ == asked.tree_


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
def test_the_certificate_of_a_chosen_size_is_that_at_its_price(kind: Any, seed: int) -> None:
    """Every tree of the path costs at `alpha_` what it says, and is the best there; prices of other searches
    once stood in its objective."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 12, size=(60, 2)).astype(float)
    y = random.integers(0, 3, 60) if kind is TreeClassifier else random.normal(size=60) + (X[:, 0] > 5)
    weights = random.integers(1, 4, 60).astype(float)
    options: dict[str, Any] = {"max_depth": 3, "leaf": "frequency" if kind is TreeClassifier else "mean"}
    model = kind(search=Optimal(leaf_penalty=0.004 * (seed % 2)), **options).fit(X, y, weights)
    for leaves in model.pruning_path_.leaves:
        sized = model.pruned(leaves=int(leaves))
        found, alpha = sized.optimality_, sized.alpha_
        wrong = sized.predict(X) != y if kind is TreeClassifier else (sized.predict(X) - y) ** 2
        assert found.objective == pytest.approx((wrong * weights).sum() + alpha * weights.sum() * leaves)
        best = kind(search=Optimal(leaf_penalty=alpha), prune=None, **options).fit(X, y, weights).optimality_
        assert found.proven
        assert found.lower_bound == pytest.approx(best.objective)
        assert found.history[-1] == (found.seconds, found.objective, found.bound)


@pytest.mark.parametrize(
    "costs",
    [
        {"loss": [[0, 1e-3, 5e-3], [2e-3, 0, 1e-3], [1e-3, 3e-3, 0]]},
        {"loss": [[0, 1, 5], [2, 0, 1], [0.5, 3, 0]]},
        {"class_weight": {0: 0.1, 1: 7, 2: 1.3}},
    ],
)
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
def test_a_chosen_size_is_proven_with_losses_and_weights(costs: Any) -> None:
    """A search rounds losses and prices a little; that is no reason to call its certificate unproven."""
    random = np.random.default_rng(23)
    X, y = random.integers(0, 12, size=(80, 2)).astype(float), random.integers(0, 3, 80)
    weights = random.uniform(0.01, 2, 80)
    model = TreeClassifier(search=Optimal(), max_depth=2, **costs).fit(X, y, weights)
    assert len(model.pruning_path_.leaves) > 1
    assert all(model.pruned(leaves=int(n)).optimality_.proven for n in model.pruning_path_.leaves)


@pytest.mark.filterwarnings("ignore::arboretum.UnprovenWarning")
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
@pytest.mark.parametrize("work_limit", [1, 20, 100, 400])
def test_the_bound_of_a_chosen_size_holds_when_searches_are_stopped(work_limit: int) -> None:
    X, y = (part[:100] for part in hard_table())
    model = TreeClassifier(search=Optimal(work_limit=work_limit), max_depth=3).fit(X, y)
    for leaves in model.pruning_path_.leaves:
        sized = model.pruned(leaves=int(leaves))
        found = sized.optimality_
        best = TreeClassifier(search=Optimal(leaf_penalty=sized.alpha_), max_depth=3, prune=None).fit(X, y)
        assert best.optimality_.proven
        least = best.optimality_.objective
        assert found.bound - 1e-9 <= least <= found.objective + 1e-9
        assert (found.stopped_by == "proof") == found.proven


def test_the_memory_limit_counts_the_ranks_of_all_rows() -> None:
    """The rows of a column take 0.48 MB here; the ranks for faultless trees 0.64 MB more."""
    X = np.arange(20_000.0)[:, None]
    y = (X[:, 0] > 5_000) ^ (X[:, 0] == 19_000)
    enough, little = (
        TreeClassifier(search=Optimal(memory_limit=limit), max_depth=2, prune=None) for limit in (1.2, 0.8)
    )
    assert enough.fit(X, y).optimality_.proven
    with pytest.warns(UnprovenWarning, match="stopped by memory"):
        little.fit(X, y)


def test_threads_find_the_same_objective() -> None:
    X, y = datasets.load_penguins()
    one, two = (TreeClassifier(search=Optimal(), max_depth=3, prune=None, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.optimality_.objective == two.optimality_.objective == 1.0
    assert one.get_n_leaves() == two.get_n_leaves()


def test_a_gap_ends_the_search_early() -> None:
    random = np.random.default_rng(1)
    X, y = random.normal(size=(300, 4)), random.integers(0, 2, 300)
    with pytest.warns(UnprovenWarning, match="stopped by gap"):
        model = TreeClassifier(search=Optimal(gap=0.5), max_depth=3, prune=None).fit(X, y)
    assert model.optimality_.gap <= 0.5
    assert "stopped by gap" in str(model.optimality_)


def test_a_model_file_keeps_the_tree(tmp_path: Any) -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier(search=Optimal(), max_depth=2, prune=None).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.tree_ == model.tree_
    assert again.get_params()["search__nominal_levels"] == 8


def hard_table() -> tuple[Any, Any]:
    """Noise, on which a proof takes minutes."""
    random = np.random.default_rng(2)
    return random.normal(size=(2000, 6)), random.integers(0, 2, 2000)


@pytest.mark.filterwarnings("ignore::arboretum.UnprovenWarning")
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
@pytest.mark.parametrize("prune", [None, "cost_complexity"])
def test_the_time_limit_is_that_of_the_whole_fit(prune: Any) -> None:
    """All searches share it, and the trees to compare an unproven one with. Busy machines get slack."""
    X, y = hard_table()
    begun = time.monotonic()
    TreeClassifier(search=Optimal(time_limit=0.6), max_depth=4, prune=prune).fit(X, y)
    assert time.monotonic() - begun < 0.6 * 1.05 + 0.6


@pytest.mark.filterwarnings("ignore::arboretum.UnprovenWarning")
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
@pytest.mark.parametrize("prune", [None, "cost_complexity"])
def test_an_interrupted_search_keeps_its_tree_where_asked(prune: Any) -> None:
    """At once: no other size is looked for, and no fold is solved."""
    X, y = hard_table()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    search = Optimal(time_limit=30.0, on_interrupt="keep")
    model = TreeClassifier(search=search, max_depth=4, prune=prune).fit(X, y)
    timer.join()
    assert time.monotonic() - begun < 10
    assert model.optimality_.stopped_by == "interrupt"
    assert model.get_n_leaves() > 2
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        TreeClassifier(search=Optimal(time_limit=30.0), max_depth=4, prune=prune).fit(X, y)
    timer.join()


def test_the_history_is_of_news_and_ends_with_the_certificate() -> None:
    X, y = datasets.load_penguins()
    found = TreeClassifier(search=Optimal(), max_depth=3, prune=None).fit(X, y).optimality_
    seconds, objectives, bounds = map(np.array, zip(*found.history, strict=True))
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(objectives) <= 0).all()
    assert (bounds <= found.objective).all()
    assert (objectives[-1], bounds[-1]) == (found.objective, found.bound)


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = hard_table()
    with pytest.warns(UnprovenWarning, match="stopped by time"):
        TreeClassifier(search=Optimal(time_limit=1.5), max_depth=4, prune=None, verbose=1).fit(X, y)
    assert re.search(r"1 s: objective \d+, bound \d+\n", capsys.readouterr().err)
