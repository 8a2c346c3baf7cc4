"""Texts of megabytes as names, levels, classes and options: no message repeats them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from support.pages import fitted

from arboretum import CostComplexity, DataError, Tree, TreeClassifier, TreeRegressor
from arboretum._store.model_files import model_from_bytes, model_to_bytes
from arboretum._wording import did_you_mean, shortened, shown
from arboretum.errors import ArboretumError, choices

LONG = "x'\"\\ y" * 200_000  # with all that makes quotations hard to find
DOCUMENT = json.loads(model_to_bytes(fitted("penguins")[0]))


def stored(*path: Any) -> Callable[[], object]:
    """Read the document with a value, which is the last one, at a place."""
    *steps, key, value = path
    document = copy.deepcopy(DOCUMENT)
    inside = document
    for step in steps:
        inside = inside[step]
    inside[key] = value
    return lambda: model_from_bytes(json.dumps(document).encode())


def table(name: str = "a", cell: Any = 1.0) -> pd.DataFrame:
    return pd.DataFrame({name: [0.0, cell, 2.0], "b": [1.0, 2.0, 3.0]})


Y = ["u", "v", "v"]
CASES: dict[str, Callable[[], object]] = {
    "a field of a file": stored(LONG, 1),
    "a model of a file": stored("model", LONG),
    "a version of a file": stored("version", LONG),
    "a column of a file": stored("columns", 2, {"name": LONG, "kind": "nominal", "levels": [LONG]}),
    "a damaged column of a file": stored("columns", 0, {"name": LONG, "kind": "odd"}),
    "a column of an odd type": stored("columns", 0, [LONG]),
    "an unknown field of a column": stored("columns", 0, LONG, 1),
    "a kind of column": stored("columns", 0, "kind", LONG),
    "levels that are not": stored("columns", 0, {"name": LONG, "kind": "nominal", "levels": [[LONG]]}),
    "levels that are dates": stored(
        "columns", 0, {"name": "a", "kind": "nominal", "levels": [{"date": LONG}]}
    ),
    "a long list as a level": stored("columns", 0, {"name": "a", "kind": "nominal", "levels": [[1] * 10**6]}),
    "a level twice": stored("columns", 0, {"name": "a", "kind": "nominal", "levels": [LONG, LONG]}),
    "a class that does not fit": stored("classes", "type", LONG),
    "a criterion of a file": stored("grown", "criterion", LONG),
    "a rule for missing values": stored("grown", "missing", LONG),
    "a number of a file": stored("grown", "nodes", "weight", 0, LONG),
    "a parameter of a file": stored("parameters", LONG, 1),
    "a parameter's value": stored("parameters", "loss", {LONG: 1}),
    "a key twice": stored("parameters", "loss", {"dict": [[LONG, 1], [LONG, 2]]}),
    "a measure": stored("sequence", "measure", LONG),
    "a fingerprint": stored("training_data", "fingerprint", LONG),
    "a tree that is no tree": lambda: Tree.from_json(
        json.dumps({"format": "arboretum tree", "version": LONG})
    ),
    "a cell among numbers": lambda: TreeClassifier().fit(table(cell=LONG), Y),
    "a column that mixes": lambda: TreeClassifier().fit(table(LONG, "text"), Y),
    "a target that is no number": lambda: TreeRegressor().fit(table(), [1.0, LONG, 2.0]),
    "a column that is lacking": lambda: TreeClassifier(prune=None).fit(table(LONG), Y).predict(table()),
    "a column that is there": lambda: TreeClassifier(prune=None).fit(table(), Y).predict(table(LONG)),
    "a criterion": lambda: TreeClassifier(criterion=LONG).fit(table(), Y),
    "an option of another type": lambda: TreeClassifier(max_depth=LONG).fit(table(), Y),
    "an option of a strategy": lambda: TreeClassifier(prune=CostComplexity(rule=LONG)).fit(table(), Y),
    "a parameter": lambda: TreeClassifier(**{LONG: 1}),
    "a question": lambda: fitted("iris")[0].tree_.replace((), LONG, (fitted("iris")[1], fitted("iris")[2])),
    "a question about a column": lambda: fitted("iris")[0].tree_.replace(
        (), f"at least 1 of: {LONG} <= 1, petal_width <= 1", (fitted("iris")[1], fitted("iris")[2])
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_messages_stay_short(case: str) -> None:
    """A text of 20 MB in a column name gave a message of 20 MB."""
    with pytest.raises(ArboretumError) as caught:
        CASES[case]()
    assert 20 < len(str(caught.value)) < 3_000, case


def test_what_a_message_says_is_kept() -> None:
    """The words around a long quotation stay, and so do its beginning and its end."""
    message = (
        f"Column {'a' + LONG + 'z'!r} of the table's rows isn't known; it has {LONG!r}.\nHint: {'!' * 100}"
    )
    text = shortened(message)
    assert text.startswith(r"""Column 'ax\'"\\ yx""")
    assert r"""yz' of the table's rows isn't known; it has 'x\'""" in text
    assert text.endswith(f"""'.\nHint: {"!" * 100}""")
    assert len(text) < 700
    short = "The file 'a' has the levels 'b' and \"c's\"."
    assert shortened(short) == short
    path = f"There is no file {'/folder' * 30!r}."
    assert shortened(path) == path


@pytest.mark.parametrize(
    "text", ["'" * 10**5, "' '" * 10**5, "\\" * 10**5, "'\\" * 10**5, "a" * 10**5, ' "a' * 10**5]
)
def test_messages_that_quote_nothing(text: str) -> None:
    """Whatever a message holds, it is looked through once."""
    assert len(shortened(f"It says {text}")) <= 4_000


def test_values_and_guesses() -> None:
    assert shown([1, 2]) == "[1, 2]"
    assert len(shown(LONG)) == len(shown(list(range(1_000)))) == 60
    assert did_you_mean(LONG, ["gini"]) == did_you_mean("gini", [LONG]) == did_you_mean(3, ["3"]) == ""
    assert choices("criterion", "ginni", ["gini", None]).endswith("Did you mean 'gini'?")


def test_errors_are_copied_and_pickled() -> None:
    error = DataError(f"Column {LONG!r} is odd.")
    assert str(pickle.loads(pickle.dumps(error))) == str(copy.copy(error)) == str(error)
    assert str(DataError()) == ""
