"""The models whose files are kept for ever: one of every kind that a file can hold.

A case has a name, a function that makes the model, and some rows of its table with missing and unknown values
among them; `expected` is what the model said of these rows when its file was written. Files are written by
tools/store_model_files.py, once per version, and never again.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arboretum import (
    ChiSquare,
    Conditional,
    CostComplexity,
    FTest,
    GainRatio,
    Honest,
    LinearModel,
    Lookahead,
    Median,
    MEstimate,
    MofN,
    Oblique,
    Optimal,
    Permutation,
    Pessimistic,
    Quantiles,
    ReducedError,
    Shrinkage,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._data.levels import level_from_json, level_to_json, plain_level
from arboretum._store.model_files import model_to_bytes
from support.pages import KINDS, houses

__all__ = [
    "CASES",
    "FOLDER",
    "Case",
    "answers",
    "case_names",
    "expected_of",
    "file_of",
    "read_rows",
    "write_case",
]

FOLDER = Path(__file__).parent.parent / "files"

Case = tuple[Any, Any]  # a model or tree, and a table
_N_ROWS = 12


def _fit(model: Any, X: Any, y: Any, **fit: Any) -> Case:
    return model.fit(X, y, **fit), X


def _times() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    start = pd.Timestamp("2024-03-30 22:00", tz="UTC")
    X = pd.DataFrame(
        {
            "aware": start + pd.to_timedelta(rng.integers(0, 10_000, 60), unit="min"),
            "day": pd.Timestamp("2024-02-25") + pd.to_timedelta(rng.integers(0, 30, 60), unit="D"),
            "took": pd.to_timedelta(rng.integers(1, 10**9, 60), unit="us"),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], 60), ["S", "M", "L"], ordered=True),
            "on": rng.choice([True, False], 60),
            "level": pd.Categorical(rng.choice([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], 60)),
        }
    )
    y = X["aware"].dt.hour + 3 * X["on"] + 2 * (X["size"] == "L") + X["took"].dt.total_seconds() / 300
    return X, (y > y.median()).to_numpy()


def _numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    X[::9, 1], X[1::9, 2], X[2::9, 0] = np.nan, np.inf, -np.inf
    return X, (np.nan_to_num(X, posinf=9, neginf=-9).sum(axis=1) > 0).astype(np.int8)


def _counts() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2**64, (60, 2), dtype=np.uint64)
    return X, np.round(X[:, 0] / 2**62) + (X[:, 1] > 2**63)


def _noise() -> tuple[Any, Any]:
    rng = np.random.default_rng(26)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + rng.normal(0, 0.7, 60) > 0).astype(int)


def _edited() -> Case:
    X, y = datasets.load_penguins()
    model = TreeClassifier(max_depth=3).fit(X, y)
    tree = model.tree_.replace(model.tree_.root, "flipper_length_mm <= 200", (X, y))
    tree = tree.regrow((0,), (X, y), max_depth=2, min_samples_leaf=5)
    deepest = max((node for node in tree.walk() if not node.is_leaf), key=lambda node: node.depth)
    return model.with_tree(tree.prune_at(deepest)), X


def _small_houses() -> tuple[Any, Any]:
    return houses(120)


def _of_page(kind: str) -> Callable[[], Case]:
    return lambda: KINDS[kind]()[:2]


# The trees of these are too large to be kept.
_LARGE = {"numbers", "fractions"}
CASES: dict[str, Callable[[], Case]] = {
    **{kind.replace(" ", "_"): _of_page(kind) for kind in KINDS if kind not in _LARGE},
    "fractional": lambda: _fit(TreeClassifier(missing="fractional", max_depth=4), *datasets.load_penguins()),
    "regression": lambda: _fit(TreeRegressor(max_depth=4), *_small_houses()),
    "honest_quantiles": lambda: _fit(
        TreeRegressor(leaf=Quantiles(Honest(0.3, Median())), max_depth=2), *_small_houses()
    ),
    "linear_leaves": lambda: _fit(
        TreeRegressor(leaf=LinearModel(columns="path"), max_depth=2), *_small_houses()
    ),
    "poisson": lambda: _fit(TreeRegressor(criterion="poisson", max_depth=3), *_counts()),
    "times": lambda: _fit(TreeClassifier(max_depth=4), *_times()),
    "infinities": lambda: _fit(TreeClassifier(max_depth=4, prune=None), *_numbers()),
    "edited": _edited,
    "tennis_id3": lambda: _fit(TreeClassifier.id3(), *datasets.load_tennis()),
    "surrogate_object": lambda: _fit(
        TreeClassifier.cart(missing=Surrogate(max_surrogates=2, send="surrogates"), max_depth=3),
        *datasets.load_penguins(),
    ),
    "raised": lambda: _fit(TreeClassifier(prune=Pessimistic(confidence=0.25)), *_noise()),
    "gain_ratio": lambda: _fit(
        TreeClassifier(criterion=GainRatio(guard="c45", numeric_penalty=True), prune="pessimistic"),
        *datasets.load_iris(),
    ),
    "reduced": lambda: _fit(
        TreeRegressor(prune=ReducedError(fraction=0.4, order="bottom_up"), max_depth=4), *_small_houses()
    ),
    "by_depth": lambda: _fit(
        TreeClassifier(prune=CostComplexity(folds=3, rule="min", measure="entropy", complexity="depth")),
        *datasets.load_iris(),
    ),
    "losses": lambda: _fit(
        TreeClassifier(
            loss=np.array([[0, 1, 2], [1, 0, 5.5], [2, 1, 0]]), leaf=MEstimate(m=3), priors=(0.25, 0.25, 0.5)
        ),
        *datasets.load_iris(),
    ),
    "shrunken_classes": lambda: _fit(
        TreeClassifier(leaf="shrinkage", prune=CostComplexity(measure="entropy", rule="average", repeats=2)),
        *datasets.load_penguins(),
    ),
    "shrunken_numbers": lambda: _fit(TreeRegressor(leaf=Shrinkage(8), max_depth=4), *houses()),
    "class_weights": lambda: _fit(
        TreeClassifier(
            class_weight={"Adelie": 1, "Chinstrap": 2.5, "Gentoo": 1},
            categorical_features=["island"],
            max_depth=3,
            random_state=7,
        ),
        *datasets.load_penguins(),
    ),
    "few_literals": lambda: _fit(
        TreeRegressor(questions=MofN(max_n=3, beam=2), missing="drop", max_depth=3), *_small_houses()
    ),
    "few_terms": lambda: _fit(
        TreeRegressor(questions=Oblique(max_terms=2, restarts=1), max_depth=3), *_small_houses()
    ),
    "ahead": lambda: _fit(
        TreeClassifier(search=Lookahead(top=8), significance=Permutation(0.2, permutations=99), max_depth=3),
        *datasets.load_iris(),
    ),
    "optimal": lambda: _fit(
        TreeClassifier(search=Optimal(leaf_penalty=0.01, time_limit=None), max_depth=3, prune=None),
        *datasets.load_penguins(),
    ),
    "chi_square": lambda: _fit(
        TreeClassifier(significance=ChiSquare(0.01), nominal="one_vs_rest", competitors=1),
        *datasets.load_penguins(),
    ),
    "conditional": lambda: _fit(
        TreeClassifier(significance=Conditional(0.05), prune=None), *datasets.load_iris()
    ),
    "f_test": lambda: _fit(
        TreeRegressor(significance=FTest(0.01, adjust=None), monotonic_cst={"area": 1}), *_small_houses()
    ),
    "tree_alone": lambda: (_of_page("surrogates")()[0].tree_, _of_page("surrogates")()[1]),
    "tree_of_numbers": lambda: (
        _fit(TreeRegressor(max_depth=2), *_small_houses())[0].tree_,
        _small_houses()[0],
    ),
}
# These are packed, and those are stored without the tree before pruning.
_PACKED = {"fractional", "tree_alone", "times", "penguins"}
_BARE = {"reduced", "iris"}


def file_of(version: Path, name: str) -> Path:
    """The file of a case in the folder of a version."""
    found = sorted(version.glob(f"{name}.model.*"))
    assert len(found) == 1, (version, name)
    return found[0]


def case_names(version: Path) -> list[str]:
    """The names of the cases that are kept in the folder of a version."""
    return sorted(path.name.split(".")[0] for path in version.glob("*.expected.json"))


def expected_of(version: Path, name: str) -> dict[str, Any]:
    """Some rows of a case, and what the model said of them when its file was written."""
    expected: dict[str, Any] = json.loads((version / f"{name}.expected.json").read_text(encoding="utf-8"))
    return expected


def write_case(version: Path, name: str) -> None:
    """Write the file of a case, and what is expected of it."""
    model, table = CASES[name]()
    suffix = "json.gz" if name in _PACKED else "json"
    content = model_to_bytes(model, grown=name not in _BARE, packed=name in _PACKED)
    (version / f"{name}.model.{suffix}").write_bytes(content)
    rows = _stored_rows(table)
    expected = {"rows": rows} | answers(model, read_rows(rows))
    text = json.dumps(expected, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    (version / f"{name}.expected.json").write_text(text + "\n", encoding="utf-8")


def answers(model: Any, table: Any) -> dict[str, Any]:
    """All that a model says of a table, in JSON's own types."""
    tree = model if isinstance(model, Tree) else model.tree_
    of_classes = tree.target.classes is not None
    predictions = model.predict(table)
    return {
        "type": str(predictions.dtype),
        "predictions": [level_to_json(value) for value in predictions.tolist()],
        "probabilities": model.predict_proba(table).tolist() if of_classes else None,
        "leaves": model.apply(table).tolist(),
    }


def _stored_rows(table: Any) -> dict[str, list[Any]] | list[list[Any]]:
    """Some rows of a table, the last ones with values missing, then unknown, as they can be stored."""
    n_rows = len(table)
    chosen = np.linspace(0, n_rows - 1, min(n_rows, _N_ROWS)).astype(int).tolist()
    if not isinstance(table, pd.DataFrame):
        rows = [list(table[row]) for row in chosen]
        return [[_stored(value) for value in row] for row in rows] + [[None] * len(rows[0])]
    stored: dict[str, list[Any]] = {}
    for place, name in enumerate(table.columns):
        values = [_stored(table[name].iloc[row]) for row in chosen]
        if any(isinstance(value, str) for value in values):
            values[place % len(values)] = "unknown before"
        stored[str(name)] = [None if (row + place) % 4 == 3 else value for row, value in enumerate(values)]
    return stored


def _stored(value: Any) -> Any:
    return None if pd.isna(value) else level_to_json(plain_level(value))


def read_rows(stored: Any) -> Any:
    """The table that was stored."""
    if isinstance(stored, list):
        return np.array([[_value(value) for value in row] for row in stored], dtype=object)
    columns = {name: pd.Series([_value(v) for v in values], dtype=object) for name, values in stored.items()}
    return pd.DataFrame(columns)


def _value(stored: Any) -> Any:
    return None if stored is None else level_from_json(stored)
