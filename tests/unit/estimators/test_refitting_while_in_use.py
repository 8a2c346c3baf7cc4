"""An estimator that is fitted again while others use it: every call answers for one fit, the old or the new.

The wide table has five classes and named columns, the narrow one two classes and no names.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.trees import unpruned_classifier

from arboretum import TreeClassifier
from arboretum._store.model_document import document_of

VALUES = np.arange(60.0).reshape(-1, 1)
WIDE = (pd.DataFrame({"x": VALUES[:, 0]}), np.repeat(["a", "b", "c", "d", "e"], 12))
NARROW = (VALUES, np.repeat(["y", "z"], 30))

ANSWERS: dict[str, Callable[[TreeClassifier, Any], Any]] = {
    "predict": lambda model, X: model.predict(X).tolist(),
    "predict_proba": lambda model, X: model.predict_proba(X).tolist(),
    "apply": lambda model, X: model.apply(X).tolist(),
    "decision_path": lambda model, X: model.decision_path(X).toarray().tolist(),
    "unpruned": lambda model, X: model.unpruned().predict(X).tolist(),
    "with fewer leaves": lambda model, X: model.pruned(leaves=2).predict(X).tolist(),
    "importances": lambda model, X: model.feature_importances_.tolist(),
    "to_sklearn": lambda model, X: model.to_sklearn().predict(X).tolist(),
    "document": lambda model, X: json.dumps(document_of(model)),
}
every_answer = pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)


class Refitting:
    """A table that fits the model again while it is being read."""

    def __init__(self, model: TreeClassifier) -> None:
        self.model = model

    def __array__(self, *_: Any, **__: Any) -> Any:
        self.model.fit(*NARROW)
        return VALUES


@pytest.mark.parametrize("name", ["predict", "predict_proba", "apply", "decision_path"])
def test_a_fit_in_the_middle_of_a_call(name: str) -> None:
    """The call goes on with the tree, the classes and the columns that it began with."""
    model = unpruned_classifier().fit(VALUES, WIDE[1])
    before = ANSWERS[name](model, VALUES)
    assert ANSWERS[name](model, Refitting(model)) == before
    assert model.classes_.tolist() == ["y", "z"]


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns a thousand times as often as usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@every_answer
def test_a_fit_in_another_thread(answer: Callable[[TreeClassifier, Any], Any]) -> None:
    """Once, classes of the new fit met the tree of the old one: IndexError, or labels of the wrong tree."""
    model = unpruned_classifier()
    allowed = [answer(model.fit(*table), VALUES) for table in (WIDE, NARROW)]
    found: list[Any] = []
    stop = threading.Event()

    def ask() -> None:
        try:
            while not stop.is_set():
                found.append(answer(model, VALUES))
        except Exception as error:  # a thread's error would otherwise only be printed
            found.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(10):
        model.fit(*WIDE)
        model.fit(*NARROW)
    stop.set()
    asking.join()
    assert found
    assert all(each in allowed for each in found)


def test_what_a_fit_found_cannot_be_set() -> None:
    """The tree, its classes and its columns belong together; `with_tree` is the way to another tree."""
    model = unpruned_classifier().fit(*NARROW)
    with pytest.raises(AttributeError, match=r"tree_ is what fit\(\) found .*\nHint: with_tree"):
        model.tree_ = unpruned_classifier().fit(*NARROW).tree_
    assert not hasattr(model, "feature_names_in_")
    assert model.fit(*WIDE).feature_names_in_.tolist() == ["x"]
    assert not hasattr(model.fit(*NARROW), "feature_names_in_")
    assert not hasattr(TreeClassifier(), "tree_")
