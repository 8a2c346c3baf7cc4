"""Settings: grids, random draws, Optuna; names that do not exist; bars; and Ctrl-C in the middle.

The recorder stands for tqdm and remembers what a bar was told. The real tqdm and Optuna are used where they
are installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.marks import allow_one_leaf

from arboretum import GainRatio, PackageError, ParameterError, TreeClassifier
from arboretum.experiment import Experiment
from arboretum.experiment.settings import draw, expand, setting_text


def experiment(**options: Any) -> Experiment:
    """Return an experiment with 60 rows of noise."""
    rng = np.random.default_rng(0)
    return Experiment(rng.normal(size=(60, 3)), rng.integers(0, 2, size=60), **options)


class Counting(ClassifierMixin, BaseEstimator):
    """Predicts 0 and counts its fits; is interrupted, or fails, when it comes to a number."""

    n_fits = 0

    def __init__(self, number: int = 0, stop_at: int | None = None, error: Any = KeyboardInterrupt) -> None:
        self.number = number
        self.stop_at = stop_at
        self.error = error

    def fit(self, X: Any, y: Any) -> Counting:
        if self.number == self.stop_at:
            raise self.error("stop")
        Counting.n_fits += 1
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


# --- grids


def test_a_grid_is_every_combination_in_order() -> None:
    """The first parameter changes slowest; grids come one after the other; NumPy's numbers become plain."""
    assert expand({"b": [1, 2], "a": ["x", "y"]}) == [
        {"b": 1, "a": "x"},
        {"b": 1, "a": "y"},
        {"b": 2, "a": "x"},
        {"b": 2, "a": "y"},
    ]
    assert expand([{"a": [1]}, {"b": (2, 3)}]) == [{"a": 1}, {"b": 2}, {"b": 3}]
    assert setting_text(expand({"a": np.arange(2)})[1]) == "a=1"
    assert expand({}) == [{}]


@allow_one_leaf
def test_a_grid_is_tried_in_order() -> None:
    """Six results, numbered on, with their settings."""
    tried = experiment()
    results = tried.grid(TreeClassifier(), {"max_depth": [1, 2, 3], "criterion": ["gini", "entropy"]})
    assert [r.number for r in results] == [1, 2, 3, 4, 5, 6]
    assert [tuple(r.setting.values()) for r in results][:3] == [(1, "gini"), (1, "entropy"), (2, "gini")]
    assert tried.grid(TreeClassifier(), {"max_depth": [1]})[0].number == 7


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"max_dept": [1]}, r"TreeClassifier has no parameter 'max_dept'\. Did you mean 'max_depth'\?"),
        ({"max_depth": [1], "zzz": [1]}, "TreeClassifier has no parameter 'zzz'; it has "),
        (
            {"criterion__guard": [None]},
            "criterion__guard cannot be set: criterion='gini' has no parameters of its own",
        ),
        ({"max_depth": 3}, r"max_depth=3 is one value, not a list of them.\nHint: \[3\]"),
        ({"criterion": "gini"}, "criterion='gini' is one value"),
        ({"max_depth": []}, r"max_depth=\[\] leaves nothing to try"),
        ([], r"grid=\[\] is not allowed; give \{parameter: values\}"),
        ("max_depth", "grid='max_depth' is not allowed"),
        (None, "grid=None is not allowed"),
        ([{"max_depth": [1]}, 3], "is not allowed"),
    ],
)
def test_bad_grids_are_refused_before_anything_is_fitted(grid: Any, words: str) -> None:
    """In one sentence; nothing was tried then."""
    tried = experiment()
    with pytest.raises(ParameterError, match=words):
        tried.grid(TreeClassifier(), grid)
    assert len(tried.results) == 0


def test_names_are_checked_first() -> None:
    """A bad name in the second of two grids keeps the first from being tried, too."""
    Counting.n_fits = 0
    with pytest.raises(ParameterError, match="Counting has no parameter 'nummer'"):
        experiment().grid(Counting(), [{"number": [1]}, {"nummer": [1]}])
    assert Counting.n_fits == 0


def test_names_inside_names() -> None:
    """Steps of pipelines and strategy objects have parameters of their own, also where the grid sets them."""
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert len(experiment().grid(pipeline, {"logisticregression__C": [0.1, 1.0]})) == 2
    with pytest.raises(ParameterError, match="Did you mean 'logisticregression__C'"):
        experiment().grid(pipeline, {"logisticregresion__C": [0.1]})
    ratio = GainRatio()
    results = experiment().grid(
        TreeClassifier(), {"criterion": [ratio], "criterion__guard": ["average", None]}
    )
    assert len(results) == 2
    assert ratio.guard == "average"  # a copy was changed


def test_a_value_that_is_refused_says_which_setting() -> None:
    """The estimator's own sentence, and a note; what was tried before stays."""
    tried = experiment()
    with pytest.raises(ParameterError, match="max_depth=-1 is not allowed") as caught:
        tried.grid(TreeClassifier(), {"max_depth": [2, -1]})
    assert caught.value.__notes__ == ["This happened while TreeClassifier was tried with max_depth=-1."]
    assert [r.setting for r in tried.results] == [{"max_depth": 2}]


# --- random draws


def test_lists_are_drawn_without_repetition() -> None:
    """As many as asked for, no more than there are."""
    lists = {"a": [1, 2, 3], "b": [4, 5]}
    drawn = draw(lists, 4, np.random.RandomState(0))
    assert len({tuple(sorted(setting.items())) for setting in drawn}) == 4
    assert len(draw(lists, 100, np.random.RandomState(0))) == 6


def test_distributions_are_drawn() -> None:
    """Anything with `rvs`, next to lists; numbers are plain ones."""
    tried = experiment()
    results = tried.random(
        TreeClassifier(), {"min_impurity_decrease": stats.uniform(0, 0.1), "max_depth": [1, 2]}, 5
    )
    values = [r.setting["min_impurity_decrease"] for r in results]
    assert len(set(values)) == 5
    assert all(type(value) is float and 0 <= value <= 0.1 for value in values)


def test_each_call_draws_others_and_all_are_reproducible() -> None:
    """Two calls differ; a new experiment repeats both; a random_state of its own repeats one."""
    space = {"min_impurity_decrease": stats.uniform(0, 0.1)}

    def two() -> list[Any]:
        tried = experiment()
        return [[r.setting for r in tried.random(TreeClassifier(), space, 2)] for _ in range(2)]

    first, second = two()
    assert first != second
    assert two() == [first, second]
    tried = experiment()
    seeded = [[r.setting for r in tried.random(TreeClassifier(), space, 2, random_state=9)] for _ in range(2)]
    assert seeded[0] == seeded[1]


@pytest.mark.parametrize("n", [0, -1, 1.5, "many", True])
def test_bad_numbers_of_settings(n: Any) -> None:
    """Whole numbers from 1 upwards."""
    with pytest.raises(ParameterError, match=f"n={n!r} is not allowed; give a whole number from 1 upwards"):
        experiment().random(TreeClassifier(), {"max_depth": [1]}, n)


def test_bad_names_in_draws() -> None:
    """The same sentence as for grids."""
    with pytest.raises(ParameterError, match=r"no parameter 'max_dept'\. Did you mean 'max_depth'"):
        experiment().random(TreeClassifier(), {"max_dept": [1, 2]}, 1)


# --- Optuna


def suggest(trial: Any) -> dict[str, Any]:
    return {"max_depth": trial.suggest_int("max_depth", 1, 4)}


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence and how to get it."""
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(PackageError, match=r"Experiment\.optuna needs Optuna, .* Hint: pip install optuna"):
        experiment().optuna(TreeClassifier(), suggest)


def test_with_optuna(capfd: pytest.CaptureFixture[str]) -> None:
    """Trials are results; the same seed proposes the same; nothing is printed; loudness is given back."""
    optuna = pytest.importorskip("optuna")
    before = optuna.logging.get_verbosity()
    runs = [experiment().optuna(TreeClassifier(), suggest, n_trials=6) for _ in range(2)]
    assert len(runs[0]) == 6
    assert [r.setting for r in runs[0]] == [r.setting for r in runs[1]]
    assert optuna.logging.get_verbosity() == before
    assert capfd.readouterr() == ("", "")


def test_an_optuna_study_of_ones_own() -> None:
    """It is gone on with, and knows the same losses; one that maximises is refused."""
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    tried = experiment()
    tried.optuna(TreeClassifier(), suggest, n_trials=2, study=study)
    tried.optuna(TreeClassifier(), suggest, n_trials=3, study=study)
    assert [trial.value for trial in study.trials] == [r.development_loss for r in tried.results]
    assert study.best_value == tried.best.result.development_loss
    with pytest.raises(ParameterError, match="study maximises, but a low loss is wanted"):
        tried.optuna(TreeClassifier(), suggest, study=optuna.create_study(direction="maximize"))


def test_bad_suggestions() -> None:
    """What is no setting, or names a parameter that is not there."""
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)  # it tells of failed trials itself
    try:
        with pytest.raises(ParameterError, match=r"suggest returned 3; it must return \{parameter: value\}"):
            experiment().optuna(TreeClassifier(), lambda trial: 3, n_trials=1)  # type: ignore[return-value]
        with pytest.raises(ParameterError, match="no parameter 'max_dept'"):
            experiment().optuna(TreeClassifier(), lambda trial: {"max_dept": 3}, n_trials=1)
    finally:
        optuna.logging.set_verbosity(optuna.logging.INFO)


def test_ctrl_c_in_optuna() -> None:
    """What is finished stays."""
    pytest.importorskip("optuna")
    tried = experiment()
    with pytest.raises(KeyboardInterrupt):
        tried.optuna(Counting(stop_at=2), lambda trial: {"number": trial.number}, n_trials=9)
    assert [r.setting["number"] for r in tried.results] == [0, 1]


# --- Ctrl-C


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_what_is_finished_stays(error: type[BaseException]) -> None:
    """The third of five settings is interrupted, or fails: it is raised, two results stay, all can go on."""
    tried, grid = experiment(), {"number": [1, 2, 3, 4, 5]}
    with pytest.raises(error, match="stop"):
        tried.grid(Counting(stop_at=3, error=error), grid)
    assert [r.setting["number"] for r in tried.results] == [1, 2]
    assert tried.best.result is tried.results[0]
    assert tried.best.estimator.number == 1
    # Again, nothing is skipped silently: the same settings are tried once more and numbered on.
    again = tried.grid(Counting(), grid)
    assert [r.number for r in again] == [3, 4, 5, 6, 7]
    assert tried.test().looks == 1


# --- bars


class Recorder:
    """Stands for tqdm."""

    bars: list[Recorder] = []

    def __init__(self, items: Iterable[Any], total: int, desc: str) -> None:
        self.items, self.total, self.desc, self.n, self.closed = items, total, desc, 0, False
        Recorder.bars.append(self)

    def __iter__(self) -> Iterator[Any]:
        for item in self.items:
            yield item
            self.n += 1

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Recorder]:
    """Return the bars that will be shown."""
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Recorder))
    Recorder.bars = []
    return Recorder.bars


def test_bars_count_settings(bars: list[Recorder]) -> None:
    """One step per setting, and one per fit of a learning curve; closed at the end."""
    tried = experiment(verbose=1)
    tried.grid(Counting(), {"number": [1, 2, 3]})
    tried.random(Counting(), {"number": [1, 2, 3]}, 2)
    tried.learning_curve(Counting(), sizes=[10, 42], repeats=3)
    assert [(bar.desc, bar.total, bar.n, bar.closed) for bar in bars] == [
        ("settings", 3, 3, True),
        ("settings", 2, 2, True),
        ("learning curve", 4, 4, True),
    ]


def test_an_interrupted_bar_stops(bars: list[Recorder]) -> None:
    """It shows how far it came."""
    with pytest.raises(KeyboardInterrupt):
        experiment(verbose=True).grid(Counting(stop_at=3), {"number": [1, 2, 3, 4]})
    assert [(bar.total, bar.n) for bar in bars] == [(4, 2)]


def test_quiet_by_default(bars: list[Recorder], capfd: pytest.CaptureFixture[str]) -> None:
    """No bar, no word, and tqdm is not even looked for."""
    tried = experiment()
    tried.grid(TreeClassifier(), {"max_depth": [1, 2]})
    tried.test()
    assert bars == []
    assert capfd.readouterr() == ("", "")


def test_a_bar_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, before anything is fitted."""
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    Counting.n_fits = 0
    tried = experiment(verbose=1)
    with pytest.raises(PackageError, match=r"verbose=1 shows a bar of tqdm, which is not installed"):
        tried.try_(Counting())
    assert Counting.n_fits == 0


def test_the_real_bar(capfd: pytest.CaptureFixture[str]) -> None:
    """On the error stream, up to the last setting."""
    pytest.importorskip("tqdm")
    experiment(verbose=1).grid(Counting(), {"number": [1, 2, 3]})
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "settings: 100%" in shown.err
    assert "3/3" in shown.err
