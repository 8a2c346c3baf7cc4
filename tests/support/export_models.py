"""Models for exports: all kinds of columns, questions and ways with missing values, and rows to try them.

Rows are in user form, by the names of the columns. `rows_of` gives those of a model's own table, samples of
its program, and both with values taken away or replaced by unknown levels.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from arboretum import MofN, Oblique, Surrogate, TreeClassifier, TreeRegressor, datasets
from arboretum._data import match_dataset
from arboretum.export._program.program import Program, program_of, user_value
from arboretum.export._program.samples import samples, unknown_levels
from support.pages import KINDS, Fitted

__all__ = ["ALL", "HOSTILE", "deep", "exported", "hostile", "rows_of", "table_rows"]

# Names that end strings, comments and templates somewhere.
HOSTILE = [
    "'; DROP TABLE x; --",
    '"quoted" \\ back',
    "*/ int x; /*",
    "line\nbreak\r\t",
    "${alert(1)} `tick`",
    "??/ ??= %s %d {}",
    "</script><!--",
    "\u2028 \u202e é 漢 🌳",
    "__proto__",
    "",
]


def hostile(**options: Any) -> Fitted:
    """Columns, levels and classes with names that are code somewhere."""
    rng = np.random.default_rng(11)
    n = 240
    X = pd.DataFrame({name: rng.choice(HOSTILE, n) for name in HOSTILE[:4]})
    X = X.assign(**{name: rng.normal(size=n).round(2) for name in HOSTILE[4:]})
    y = np.where(X[HOSTILE[0]] == HOSTILE[1], HOSTILE[2], HOSTILE[3])
    y = np.where(X[HOSTILE[5]] > 0.5, HOSTILE[5], y)
    y = np.where(X[HOSTILE[8]] > 1.0, HOSTILE[4], y)
    y = np.where(X[HOSTILE[2]] == HOSTILE[9], HOSTILE[9], y)
    # Gains of levels count as they are: no tree asks for the column without a name, which PMML refuses.
    return TreeClassifier(prune=None, max_depth=6, levels="raw", **options).fit(X, y), X, y


def _classes(score: Any, n_classes: int = 3) -> Any:
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array(["low", "middle", "high"])[np.searchsorted(cuts, score)]


def _big_integers() -> Fitted:
    """Neighbouring integers that doubles cannot tell apart."""
    base = 2**60
    X = pd.DataFrame({"big": np.arange(40, dtype=np.int64) + base, "negative": -(np.arange(40) ** 2) - base})
    return TreeClassifier(prune=None).fit(X, np.arange(40) % 3 == 0), X, None


def _bigger_integers() -> Fitted:
    """Integers beyond 2**63, which are stored less an offset."""
    X = pd.DataFrame({"id": np.arange(40, dtype=np.uint64) * np.uint64(7) + np.uint64(2**63 + 5)})
    X.loc[0, "id"] = 3
    return TreeClassifier(prune=None, min_samples_leaf=2).fit(X, np.arange(40) // 5 % 2), X, None


def _typed(**options: Any) -> Fitted:
    """Ordered and nominal levels of every type, dates, durations, time zones, and missing values of each."""
    rng = np.random.default_rng(5)
    n = 300
    sizes = pd.CategoricalDtype(["small", "medium", "large", "huge"], ordered=True)
    X = pd.DataFrame(
        {
            "size": pd.Series(rng.choice(sizes.categories, n)).astype(sizes),
            "flag": rng.choice([True, False], n),
            "code": pd.Categorical(rng.choice([10, 20, 2**60 + 1], n)),
            "rate": pd.Categorical(rng.choice([0.5, 1.25, 3.0], n)),
            "mixed": pd.Series(rng.choice(np.array(["a", 1, 2.5, "1x"], dtype=object), n)).astype("category"),
            "day": pd.Series(pd.date_range("1965-03-01", periods=n, freq="37D"))
            .sample(frac=1, random_state=1)
            .array,
            "zoned": pd.date_range("2024-03-30T23:59:59.999999", periods=n, freq="37min", tz="Europe/Berlin"),
            "stay": pd.to_timedelta(rng.integers(-(10**15), 10**15, n), unit="ns"),
            "n": rng.integers(-5, 6, n),
            "x": rng.normal(size=n).astype(np.float32),
        }
    )
    codes = X["size"].cat.codes + 2 * X["flag"] + X["mixed"].map(str).map(len)
    score = codes + X["n"] / 3 + X["x"] + (X["code"] == 20) + (X["day"].dt.year % 7 > 3) * 2
    score = score + (X["zoned"].dt.hour > 12) * 1.5 + (X["stay"] > pd.Timedelta(0)) * 1.2
    y = _classes(score.to_numpy())
    for place, column in enumerate(X.columns):
        if column not in ("flag", "n"):
            X.loc[X.index[place::13], column] = None
    return TreeClassifier(**{"prune": None, "max_depth": 9, **options}).fit(X, y), X, y


def _day_column() -> Fitted:
    """Dates without a time of day, and levels that are dates."""
    import polars as pl

    days = pl.date_range(pl.date(1969, 12, 1), pl.date(1970, 2, 8), "1d", eager=True)
    rng = np.random.default_rng(1)
    X = pl.DataFrame({"day": days, "n": rng.integers(0, 4, len(days))})
    y = np.arange(len(days)) // 9 % 2
    return TreeRegressor(prune=None).fit(X, y.astype(float)), X, y


def _date_levels() -> Fitted:
    rng = np.random.default_rng(8)
    X = pd.DataFrame(
        {
            "day": pd.Series(rng.choice(pd.date_range("2024-01-30", periods=5), 80)),
            "wait": pd.Series(rng.choice(pd.to_timedelta([1, 3600, 90_000], unit="s"), 80)),
        }
    )
    y = (X["day"].dt.day % 2 == 0) ^ (X["wait"] > pd.Timedelta("1h"))
    return TreeClassifier(prune=None, categorical_features=["day", "wait"]).fit(X, y), X, y


def _unseen(**options: Any) -> Fitted:
    """Levels that nodes further down never saw."""
    rng = np.random.default_rng(9)
    n = 400
    X = pd.DataFrame(
        {"a": rng.choice(list("pqrstuvw"), n), "b": rng.choice(list("xyz"), n), "c": rng.normal(size=n)}
    )
    X.loc[::11, "a"] = None
    X.loc[::7, "c"] = np.nan
    y = X["a"].fillna("?").map(ord) * (X["b"] == "x") + X["c"].fillna(0) * 3 + rng.normal(0, 0.3, n)
    kind = options.pop("kind", TreeRegressor)
    target = y if kind is TreeRegressor else _classes(y.to_numpy())
    limits = {"prune": None, "max_depth": 8, "min_samples_leaf": 3, "levels": "raw"}
    return kind(**{**limits, **options}).fit(X, target), X, target


def _rests() -> Fitted:
    """Rows that no surrogate can send rest at inner nodes."""
    return _unseen(missing=Surrogate(send="surrogates"), kind=TreeClassifier)


def _losses() -> Fitted:
    X, y = datasets.load_penguins()
    loss = [[0, 1, 5], [2, 0, 1], [1, 8, 0]]
    return TreeClassifier(missing="fractional", loss=loss, min_samples_leaf=8, prune=None).fit(X, y), X, y


def _votes() -> Fitted:
    _, X, y = _typed(prune=None)
    X = X.drop(columns=["code", "rate", "mixed"])
    return TreeClassifier(questions=MofN(), prune=None, max_depth=4).fit(X, y), X, y


def _sums() -> Fitted:
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "n": rng.integers(-(2**55), 2**55, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "small": rng.integers(0, 9, n),
        }
    )
    score = X["a"] + X["n"] / 2**55 + (X["colour"] == "red") * 0.7 + X["small"] / 9
    X.loc[::9, "a"] = np.nan
    X.loc[::8, "colour"] = None
    return (
        TreeClassifier(questions=Oblique(), prune=None, max_depth=4).fit(X, score > score.median()),
        X,
        None,
    )


@cache
def deep(depth: int = 2_000) -> Fitted:
    """A tree that is a single long way down."""
    X = np.arange(depth + 1, dtype=np.float64).reshape(-1, 1)
    y = np.arange(depth + 1) % 2
    from arboretum import Tree

    tree = TreeClassifier(prune=None).fit(X, y).tree_
    return _comb(tree, depth, Tree), X, y


def _comb(tree: Any, depth: int, make: Any) -> Any:
    """Return the tree that asks x <= 0.5, then x <= 1.5, and so on."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    number = np.arange(n)
    arrays: dict[str, Any] = {name: np.zeros(n, tree.array(name).dtype) for name in tree._arrays}
    arrays["first_child"] = np.where(inner, number + 1, 0).astype(np.int32)
    arrays["n_children"] = np.where(inner, 2, 0).astype(np.int32)
    arrays["kind"] = inner.astype(np.uint8)
    arrays["threshold"] = np.where(inner, number / 2 + 0.5, 0.0)
    arrays["threshold_floor"] = np.where(inner, number // 2, 0)
    arrays["missing_child"] = np.where(inner, 1, -1).astype(np.int32)
    arrays["weight"] = np.where(number % 2 == 1, 1.0, (n - number + 1) // 2).astype(float)
    arrays["id"] = number.astype(np.int32)
    arrays["parent"] = (((number + 1) // 2) * 2 - 2).astype(np.int32)
    arrays["parent"][0] = -1
    arrays["depth"] = ((number + 1) // 2).astype(np.int32)
    arrays["n_rows"] = arrays["weight"].astype(np.int64)
    arrays["level_begin"] = np.zeros(n + 1, np.int64)
    arrays["level"] = arrays["level_child"] = np.zeros(0, np.int32)
    arrays["label"] = (number // 2 % 2).astype(np.int32)
    arrays["probability"] = np.column_stack([1.0 - arrays["label"], arrays["label"]]).astype(float)
    arrays["counts"] = arrays["probability"] * arrays["weight"][:, None]
    return make(tree.columns, tree.target, tree.criterion, arrays)


MORE: dict[str, Callable[[], Fitted]] = {
    "hostile": hostile,
    "hostile, fractions": lambda: hostile(missing="fractional"),
    "hostile, surrogates": lambda: hostile(missing="surrogate"),
    "big integers": _big_integers,
    "bigger integers": _bigger_integers,
    "typed": _typed,
    "typed, one against the rest": lambda: _typed(nominal="one_vs_rest"),
    "typed, multiway": lambda: _typed(nominal="multiway"),
    "typed, surrogates": lambda: _typed(missing="surrogate"),
    "typed, fractions": lambda: _typed(missing="fractional"),
    "days": _day_column,
    "levels of dates": _date_levels,
    "unseen levels": _unseen,
    "unseen levels, classes": lambda: _unseen(kind=TreeClassifier, leaf="laplace"),
    "unseen levels, surrogates": lambda: _unseen(missing="surrogate"),
    "unseen levels, fractions": lambda: _unseen(missing="fractional"),
    "unseen levels, multiway": lambda: _unseen(nominal="multiway"),
    "rows that rest": _rests,
    "losses": _losses,
    "votes": _votes,
    "sums of all kinds": _sums,
}
ALL: dict[str, Callable[[], Fitted]] = KINDS | MORE


@cache
def exported(kind: str) -> Fitted:
    """The model of a kind, fitted once."""
    return ALL[kind]()


def table_rows(model: Any, X: Any) -> list[dict[str, object]]:
    """The rows of a table in user form."""
    tree = model.trees_[0] if hasattr(model, "trees_") else getattr(model, "tree_", model)
    data = match_dataset(X, tree.columns, named=getattr(model, "_named", tree._is_named), owner="the test")
    columns = []
    for each in data.columns:
        gone = each.is_missing()
        columns.append(
            [
                None if missing else user_value(each.column, value)
                for value, missing in zip(each.values.tolist(), gone.tolist(), strict=True)
            ]
        )
    names = [column.name for column in tree.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def rows_of(model: Any, X: Any, n_samples: int = 200, seed: int = 1) -> list[dict[str, object]]:
    """Rows that ask much of an export: the model's table, samples, and both with values changed or gone."""
    program = program_of(model, "the test", ensembles=True, models=True)
    chance = random.Random(seed)
    known = table_rows(model, X)[:150]
    picked = samples(program, n_samples, seed)
    nothing = dict.fromkeys((column.name for column in program.columns), None)
    spoilt = [_spoilt(program, row, chance) for row in (*known, *picked)]
    return [{**nothing, **row} for row in (*known, *picked, *spoilt, nothing)]


def _spoilt(program: Program, row: dict[str, object], chance: random.Random) -> dict[str, object]:
    spoilt = dict(row)
    for field in program.fields:
        if chance.random() < 0.25:
            unknown = unknown_levels(field) if field.levels is not None else []
            spoilt[field.name] = chance.choice([None, *unknown])
    return spoilt
