"""Calls with hostile arguments: tables, targets, weights and rows that no one should give, made by number.

A call works, or is refused by an error of ours whose message is a sentence. What a fit accepts is predicted
again, and an ordinary table in disguise (another type of number, another order of the bytes, another library)
gives what it gives undisguised.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

import arboretum
from arboretum import (
    BaggedClassifier,
    BaggedRegressor,
    LinearModel,
    MofN,
    Oblique,
    Surrogate,
    TreeClassifier,
    TreeMixed,
    TreeRanker,
    TreeRegressor,
)
from arboretum.errors import ArboretumError
from support.hostile_values import DISGUISES, ODD, Theirs, hostile_column, hostile_table, hostile_vector
from support.verdicts import Fault, check_sentence

__all__ = ["KINDS", "judge", "mutant"]

KINDS: Final = ("fit", "predict", "disguise", "inspect", "tree")
_SHARES: Final = (0.35, 0.25, 0.1, 0.25, 0.05)
N: Final = 24
NAMES: Final = ("size", "count", "colour")
Call = Callable[[], str]


def mutant(seed: int, number: int) -> tuple[str, Call]:
    """Return the kind of a call, and the call: it tells whether the argument was used."""
    rng = random.Random(f"calls {seed} {number}")
    np.random.seed(number % 2**32)  # what other libraries draw without being given a seed
    kind = rng.choices(KINDS, _SHARES)[0]
    return kind, _MAKE[kind](rng)


def judge(call: Call) -> str:
    """Return "used" or "refused"; whatever else happens is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (ArboretumError, NotFittedError) as error:
            check_sentence(str(error), type(error).__name__)
            return "refused"
        except Theirs:  # what was given raises it
            return "refused"


# --- ordinary tables and models


@cache
def _tables() -> tuple[Any, Any, Any, Any]:
    """A frame with a nominal column, a matrix of small whole numbers, classes and numbers."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
            "count": rng.integers(0, 9, N),
            "colour": rng.choice(np.array(["red", "blue", "green"], dtype=object), N),
        }
    )
    matrix = rng.integers(0, 9, (N, 3)).astype(float)
    classes = np.where((frame["count"] > 4) ^ (frame["colour"] == "red"), "yes", "no").astype(object)
    return frame, matrix, classes, frame["count"] * 1.5 + rng.normal(size=N)


_GROUPS: Final = np.arange(N) // 4


@cache
def _models(of_matrix: bool) -> tuple[Any, ...]:
    """Fitted models of all kinds; those that are shared are never fitted again."""
    frame, matrix, classes, numbers = _tables()
    X = matrix if of_matrix else frame
    plain: dict[str, Any] = {"prune": None, "random_state": 0}
    found = [
        TreeClassifier(**plain).fit(X, classes),
        TreeClassifier(**plain, nominal="multiway", missing="fractional").fit(X, classes),
        TreeClassifier(**plain, missing=Surrogate(1)).fit(X, classes),
        TreeClassifier(**plain, questions=MofN(2), max_depth=2).fit(X, classes),
        TreeClassifier(**plain, questions=Oblique(), max_depth=2).fit(X, classes),
        TreeRegressor(**plain, max_depth=3).fit(X, numbers),
        TreeRegressor(**plain, leaf=LinearModel(), max_depth=2).fit(X, numbers),
        TreeRegressor(**plain, leaf="quantiles", max_depth=2).fit(X, numbers),
        TreeRegressor(**plain, max_depth=2).fit(X, np.c_[numbers, numbers**2]),
        TreeMixed(**plain, max_depth=2).fit(X, pd.DataFrame({"a": classes, "b": numbers})),
        BaggedClassifier(n_trees=3, random_state=0).fit(X, classes),
        BaggedRegressor(n_trees=3, random_state=0).fit(X, numbers),
        TreeRanker(**plain, max_depth=2).fit(X, np.asarray(numbers) > 6, groups=_GROUPS),
    ]
    return tuple(found)


def _odd(rng: random.Random) -> Any:
    return rng.choice(ODD)


def _table_for(rng: random.Random) -> Any:
    """A hostile table, or the ordinary frame with one hostile column."""
    if rng.random() < 0.5:
        return hostile_table(rng, N, NAMES)
    frame = _tables()[0].copy()
    for _ in range(rng.choice((1, 1, 2))):
        try:
            frame[rng.choice(NAMES)] = hostile_column(rng, N)
        except Exception:
            continue  # pandas has no such column
    return frame


# --- fits


_ARGUMENTS: Final = ("X", "X", "X", "y", "y", "weights", "kinds", "groups", "tuning")


def _fit(rng: random.Random) -> Call:
    frame, _, classes, numbers = _tables()
    X, y, weights = frame, classes, None
    make = rng.choice(
        (TreeClassifier, TreeClassifier, TreeRegressor, BaggedClassifier, TreeRanker, TreeMixed)
    )
    options: dict[str, Any] = {}
    if make is BaggedClassifier:
        options = {"n_trees": 2, "random_state": 0}
    elif rng.random() < 0.5:
        options["prune"] = None
    if rng.random() < 0.3:
        options["missing"] = rng.choice(("fractional", "surrogate", "drop", "error"))
    if make in (TreeRegressor, TreeRanker):
        y = numbers
    if make is TreeMixed:
        y = pd.DataFrame({"a": classes, "b": numbers})
    more: dict[str, Any] = {"groups": _GROUPS} if make is TreeRanker else {}
    for _ in range(rng.choice((1, 1, 1, 2))):
        match rng.choice(_ARGUMENTS[: None if make is not BaggedClassifier else -2]):
            case "X":
                X = _table_for(rng)
            case "y":
                y = hostile_vector(rng, N)
            case "weights":
                weights = hostile_vector(rng, N)
            case "groups":
                more["groups"] = hostile_vector(rng, N)
            case "tuning":
                more |= {"X_val": _table_for(rng), "y_val": rng.choice((y, hostile_vector(rng, N)))}
            case "kinds":
                name = rng.choice(
                    ("categorical_features", "ordered_features", "monotonic_cst", "class_weight")
                )
                options[name] = rng.choice((hostile_vector(rng, 3), _odd(rng), {"colour": _odd(rng)}))
    if make is TreeMixed and "class_weight" in options:
        del options["class_weight"]

    def call() -> str:
        try:
            model = make(**options)
        except TypeError as error:  # of an option that this estimator does not have
            if "unexpected keyword" not in str(error):
                raise
            return "refused"
        if model.fit(X, y, sample_weight=weights, **more) is not model:
            raise Fault("fit returned something else")
        n_rows = _n_rows(X)
        try:
            found = model.predict(X)
        except ArboretumError as error:
            if n_rows is None or not _walks_once(X):
                raise
            raise Fault(f"fitted, but not predicted: {error}") from error
        if n_rows is not None and len(found) != n_rows:
            raise Fault(f"{len(found)} predictions of {n_rows} rows")
        return "used"

    return call


def _n_rows(X: Any) -> int | None:
    """Return how many rows there are, of containers that say the truth."""
    return len(X) if type(X).__name__ in ("DataFrame", "ndarray", "Table", "RecordBatch") else None


def _walks_once(X: Any) -> bool:
    return type(X).__name__ in ("DataFrame", "ndarray", "Table", "RecordBatch")


# --- predictions

_METHODS: Final = (
    *("predict", "predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "score"),
    *("predict_interval", "rank", "proximities"),
)


def _predict(rng: random.Random) -> Call:
    model = rng.choice(_models(rng.random() < 0.3))
    methods = [name for name in _METHODS if hasattr(model, name)]
    name = rng.choice(methods)
    X = _table_for(rng)
    given: list[Any] = [X]
    if name == "score":
        given += [rng.choice((_tables()[2], hostile_vector(rng, N)))]
    elif name == "rank" or (name == "predict_interval" and rng.random() < 0.3):
        given += [hostile_vector(rng, N)]
    options: dict[str, Any] = {}
    if name not in ("score", "rank") and rng.random() < 0.2:
        options["unknown"] = rng.choice(("missing", "error", _odd(rng)))

    def call() -> str:
        found = getattr(model, name)(*given, **options)
        n_rows = _n_rows(X)
        if name.startswith("predict") or name == "apply":
            several = {list: lambda: found[0], dict: lambda: next(iter(found.values()))}
            one = several.get(type(found), lambda: found)()
            if n_rows is not None and len(one) != n_rows:
                raise Fault(f"{len(one)} answers of {n_rows} rows")
            if name == "predict_proba" and not np.allclose(np.sum(one, axis=1), 1):
                raise Fault("probabilities do not add up")
        return "used"

    return call


# --- disguises


def _disguise(rng: random.Random) -> Call:
    _, matrix, classes, numbers = _tables()
    name = rng.choice(list(DISGUISES))
    place = rng.randrange(len(_models(True)))
    model = _models(True)[place]
    y = classes if place in (0, 1, 2, 3, 4) else numbers

    def call() -> str:
        hidden = DISGUISES[name](matrix)
        _same(name, model.predict(hidden), model.predict(matrix))
        _same(name, model.apply(hidden), model.apply(matrix))
        if place < 8:
            again = type(model)(**model.get_params(deep=False)).fit(hidden, y)
            if again.tree_.n_leaves != model.tree_.n_leaves:
                raise Fault(f"{name}: another tree")
            _same(name, again.predict(matrix), model.predict(matrix))
        return "used"

    return call


def _same(name: str, found: Any, wanted: Any) -> None:
    if not pd.DataFrame(found).equals(pd.DataFrame(wanted)):
        raise Fault(f"{name}: other predictions than undisguised")


# --- what is asked of models and tables


def _inspect(rng: random.Random) -> Call:
    frame, _, classes, _ = _tables()
    models = _models(False)
    model = rng.choice(models)
    X, y, v = _table_for(rng), hostile_vector(rng, N), hostile_vector(rng, N)
    ordinary = rng.random() < 0.4
    table = frame if ordinary else X
    columns = rng.choice(("size", "colour", ["size", "count"], ("colour",), 0, -1, 9, "none", _odd(rng), v))
    row = rng.choice((frame.iloc[:1], frame.iloc[0], frame.iloc[0].tolist(), X, _odd(rng), v))
    truth = rng.choice((classes, y))
    weights = rng.choice((None, v))
    plain = TreeClassifier(prune=None, max_depth=2)
    calls: dict[str, Call] = {
        "partial_dependence": lambda: str(
            arboretum.partial_dependence(
                model,
                columns,
                table,
                sample_weight=weights,
                grid=rng.choice((None, None, v, _odd(rng), {"size": v})),
            )
        ),
        "accumulated_effects": lambda: str(
            arboretum.accumulated_effects(model, columns, table, sample_weight=weights)
        ),
        "interaction_strength": lambda: str(
            arboretum.interaction_strength(model, table, rng.choice((None, columns)), sample_weight=weights)
        ),
        "contributions": lambda: str(arboretum.contributions(model, X, rng.choice((None, frame, X)))),
        "permutation_importance": lambda: str(
            arboretum.permutation_importance(
                model, table, truth, sample_weight=weights, groups=rng.choice((None, v)), repeats=1
            )
        ),
        "counterfactual": lambda: str(
            arboretum.counterfactual(
                models[0],
                row,
                rng.choice(("yes", "no", _odd(rng))),
                fixed=rng.choice(((), columns)),
                costs=rng.choice((None, {"size": _odd(rng)}, v)),
                ranges=rng.choice((None, {"size": (_odd(rng), _odd(rng))}, v)),
                data=rng.choice((None, X)),
            )
        ),
        "explain": lambda: str(arboretum.explain(model, row, rng.choice((None, frame, X)))),
        "candidates": lambda: str(
            arboretum.candidates(
                table, truth, sample_weight=weights, categorical_features=rng.choice(("from_dtype", columns))
            )
        ),
        "stability": lambda: str(
            arboretum.stability(plain, table, truth, 2, random_state=0, sample_weight=weights)
        ),
        "trace": lambda: arboretum.trace(plain, table, truth, weights).to_text(),
        "nearest_tree": lambda: str(arboretum.nearest_tree(rng.choice((models[10], model)), table, truth)),
        "simplified_rules": lambda: str(arboretum.simplified_rules(models[0], table, truth, weights)),
        "tune_threshold": lambda: str(
            arboretum.tune_threshold(models[0], table, truth, folds=2, recall=0.5, sample_weight=weights)
        ),
        "learning_curve": lambda: str(
            arboretum.learning_curve(plain, table, truth, sizes=rng.choice(((0.5, 1.0), v)), repeats=1)
        ),
        "validation_curve": lambda: str(
            arboretum.validation_curve(
                plain, table, truth, "max_depth", rng.choice(([1, 2], [_odd(rng)])), repeats=1
            )
        ),
        "complexity_curve": lambda: str(
            arboretum.complexity_curve(
                TreeClassifier(), frame, classes, table, truth, sample_weight_dev=weights
            )
        ),
        "experiment": lambda: _experiment(table, truth, weights, v, rng),
        "page": lambda: arboretum.export.to_html(models[0], data=(table, truth)),
        "report": lambda: arboretum.report(models[0], table, truth, sample_weight=weights),
        "importance": lambda: str(arboretum.importance(rng.choice((model, _odd(rng), X)))),
    }
    names = [name for name in calls if name not in ("page", "report")]
    name = rng.choice(names) if rng.random() < 0.97 else rng.choice(("page", "report"))

    def call() -> str:
        calls[name]()
        return "used"

    return call


def _experiment(X: Any, y: Any, weights: Any, v: Any, rng: random.Random) -> str:
    found = arboretum.Experiment(
        X,
        y,
        rng.choice(((0.5, 0.25, 0.25), v)),
        groups=rng.choice((None, v)),
        time=rng.choice((None, None, v)),
        sample_weight=weights,
        random_state=0,
        folds=2,
    )
    return str(found.try_(TreeClassifier(prune=None, max_depth=1)))


# --- trees without an estimator


def _of_tree(rng: random.Random) -> Call:
    model = rng.choice(_models(rng.random() < 0.3)[:8])
    tree = model.tree_
    frame, _, classes, numbers = _tables()
    X, y = _table_for(rng), hostile_vector(rng, N)
    node = rng.choice((0, 1, 10**9, -1, _odd(rng), tree.root, (0,)))
    question = rng.choice(("size <= 1", "colour in {red}", "count > 2", _odd(rng), "x0 <= 1"))
    truth = classes if isinstance(model, TreeClassifier) else numbers
    data = rng.choice(((frame, truth), (X, truth), (frame, y), (X, y), X, _odd(rng), ()))
    calls: dict[str, Call] = {
        "predict": lambda: str(tree.predict(X)),
        "apply": lambda: str(tree.apply(X)),
        "predict_proba": lambda: str(tree.predict_proba(X)),
        "prune_at": lambda: str(tree.prune_at(node)),
        "replace": lambda: str(tree.replace(node, question, data)),
        "regrow": lambda: str(tree.regrow(node, data)),
        "with_tree": lambda: str(model.with_tree(rng.choice((tree, X)))),
        "node": lambda: str(tree.node(node)),
    }
    name = rng.choice(list(calls))

    def call() -> str:
        calls[name]()
        return "used"

    return call


_MAKE: Final[dict[str, Callable[[random.Random], Call]]] = {
    "fit": _fit,
    "predict": _predict,
    "disguise": _disguise,
    "inspect": _inspect,
    "tree": _of_tree,
}
