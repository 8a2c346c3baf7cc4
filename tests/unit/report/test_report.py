"""The report says what is so, and of what cannot be known, why.

Forests are small here, and most trees are not pruned: how long a report takes is another question.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.pages import EVIL, evil, houses

import arboretum
from arboretum import (
    BaggedClassifier,
    CostComplexity,
    LinearModel,
    TreeClassifier,
    TreeMixed,
    TreeRanker,
    TreeRegressor,
    datasets,
)
from arboretum._warning import unheard
from arboretum.errors import ArboretumError, DataError, DataTypeError, ParameterError

SECTIONS = [
    *("findings", "data", "size", "tree", "rules", "importance", "dependence", "errors", "calibration"),
    *("curves", "stability", "subgroups", "comparison", "settings", "notes"),
]


@pytest.fixture(autouse=True)
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arboretum._report.evidence.rivals.N_TREES", 2)


def quick(**options: Any) -> TreeClassifier:
    """A tree that is grown in no time."""
    return TreeClassifier(**{"prune": None, "max_depth": 3} | options)


def sections(page: str) -> dict[str, str]:
    """The text of each section, without the tree, by its name."""
    found = re.findall(r'<section id="(\w+)">(.*?)</section>', page, re.DOTALL)
    return {name: html.unescape(re.sub(r"<[^>]+>", " ", body)) for name, body in found}


def not_shown(page: str) -> set[str]:
    """The sections that say why they are not shown."""
    return {name for name, text in sections(page).items() if "Not shown." in text[:200]}


@cache
def penguins() -> tuple[Any, Any, Any, str]:
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=CostComplexity(repeats=1)).fit(X, y)
    return model, X, y, arboretum.report(model, X, y, n_resamples=5, notes={0: "we checked this"})


def test_all_sections_of_a_classifier_are_filled() -> None:
    *_, page = penguins()
    assert list(sections(page)) == SECTIONS
    assert not_shown(page) == set()


def test_the_accuracy_is_that_of_trees_that_have_not_seen_the_rows() -> None:
    """Compared with folds by hand: the training rows themselves would look better."""
    from arboretum._prune.folds import deal_rows

    model, X, y, page = penguins()
    codes = np.unique(np.asarray(y, dtype=object), return_inverse=True)[1]
    fold = deal_rows(5, len(y), codes, None, 0)
    right = np.zeros(len(y), dtype=bool)
    for k in range(5):
        again = clone(model).fit(X[fold != k], y[fold != k])
        right[fold == k] = again.predict(X[fold == k]) == y[fold == k]
    share = f"{100 * right.mean():.1f}%"
    assert share in sections(page)["findings"][:200]
    assert f"{100 * model.score(X, y):.1f}%" != share
    assert "The fit was repeated from this table, and grew the same tree." in sections(page)["findings"]


def test_other_rows_are_predicted_by_the_tree_itself() -> None:
    X, y = datasets.load_penguins()
    model = quick().fit(X[::2], y[::2])
    found = sections(arboretum.report(model, X[1::2], y[1::2], n_resamples=2))
    assert f"{100 * model.score(X[1::2], y[1::2]):.1f}%" in found["findings"][:200]
    assert "another table than the tree was grown from" in found["data"]
    assert "The fit was not repeated" in found["settings"]


def test_the_same_call_writes_the_same_file(tmp_path: Path) -> None:
    X, y = datasets.load_tennis()
    model = TreeClassifier(prune=None).fit(X, y)
    pages = [arboretum.report(model, X, y, tmp_path / f"{k}.html", n_resamples=3, n_jobs=k) for k in (1, 2)]
    assert pages[0] == pages[1] == (tmp_path / "1.html").read_text(encoding="utf-8")


def test_a_tree_that_the_settings_do_not_grow_is_said_to_be_flattered() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier().fit(X, y).pruned(leaves=2)
    found = sections(arboretum.report(model, X, y, n_resamples=2))
    assert "judged by rows it has seen" in found["errors"]
    assert "grows another tree" in found["settings"]
    assert "66.7%" in found["findings"][:200]  # one of three species is never predicted


def test_weights_count() -> None:
    """Rows of weight 0 are as if they were not there, and 2 counts twice in every figure."""
    X, y = datasets.load_iris()
    weight = np.where(np.asarray(y) == "setosa", 0.0, 1.0)
    model = TreeClassifier(max_depth=1, prune=None).fit(X, y, sample_weight=weight)
    page = sections(arboretum.report(model, X, y, sample_weight=weight, n_resamples=2))
    assert "50 rows of weight 0 are left out" in page["data"]
    assert "This report looks at 100 rows" in page["data"]
    assert "The fit was repeated" in page["findings"]


def test_a_table_without_a_target() -> None:
    model, X, _, _ = penguins()
    page = arboretum.report(model, X)
    without = {"errors", "calibration", "curves", "stability", "subgroups", "comparison", "notes"}
    assert not_shown(page) == without
    assert "no target was given" in sections(page)["errors"]
    assert "The tree is 11 rules" in sections(page)["rules"]


def test_a_tree_by_itself() -> None:
    X, y = datasets.load_iris()
    tree = TreeClassifier().fit(X, y).tree_
    page = arboretum.report(tree, X, y)
    assert not_shown(page) == {"stability", "comparison", "notes"}
    assert "does not say which rows it was grown from" in sections(page)["errors"]


def test_a_model_from_a_file(tmp_path: Path) -> None:
    """A file keeps no rows, but the fingerprint of the table: the report is the same."""
    X, y = datasets.load_tennis()
    model = TreeClassifier(prune=None).fit(X, y)
    arboretum.save(model, tmp_path / "model.json")
    again = arboretum.load(tmp_path / "model.json")
    assert arboretum.report(again, X, y, n_resamples=3) == arboretum.report(model, X, y, n_resamples=3)


_TINY: dict[str, list[Any]] = {
    "classes": ["a", "b", "a"],
    "one class": ["a", "a", "a"],
    "numbers": [1.0, 2.0, 4.0],
}


@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("kind", ["classes", "one class", "numbers"])
def test_tiny_tables(n_rows: int, kind: str) -> None:
    """A tree of one leaf, hardly a row: each section is filled or says why not."""
    X = [[float(k)] for k in range(n_rows)]
    y = _TINY[kind][:n_rows]
    with unheard():
        model: Any = TreeRegressor() if kind == "numbers" else TreeClassifier()
        model.fit(X, y)
    page = arboretum.report(model, X, y, n_resamples=2)
    assert list(sections(page)) == SECTIONS
    assert "It asks nothing" in sections(page)["findings"] or n_rows > 1
    assert not re.search(r"\b(nan|inf|None)\b", sections(page)["findings"])


def test_names_that_would_run_if_they_were_code() -> None:
    model, X, y = evil()
    page = arboretum.report(model, X, y, by=[EVIL], notes={0: EVIL}, title=EVIL, target=EVIL, n_resamples=2)
    assert EVIL not in page
    assert html.escape(EVIL) in page


def test_odd_names_of_columns() -> None:
    X = pd.DataFrame({"": [1.0, 2, 3, 4] * 5, " ": list("aabb") * 5, "a" * 500: [0, 1] * 10})
    y = ["p", "p", "q", "q"] * 5
    model = TreeClassifier(prune=None).fit(X, y)
    assert list(sections(arboretum.report(model, X, y, n_resamples=2))) == SECTIONS


def test_numbers_and_their_residuals() -> None:
    X, y = houses()
    model = TreeRegressor(prune=None, max_depth=4).fit(X, y)
    found = arboretum.report(model, X, y, target="price", n_resamples=3)
    assert not_shown(found) == {"curves", "notes"}
    texts = sections(found)
    assert "predicts price with a mean error of" in texts["findings"]
    assert "the mean would be off by" in texts["findings"]
    assert "Residuals" in texts["errors"]


def test_an_order() -> None:
    X, y, queries = datasets.make_ranking(n_queries=40, rows_per_query=8, random_state=1)
    model = TreeRanker(max_depth=3, prune=None).fit(X, y, groups=queries)
    page = arboretum.report(model, X, y, groups=queries, n_resamples=2)
    assert not_shown(page) == {"calibration", "curves", "subgroups", "notes"}
    assert "NDCG@10" in sections(page)["findings"]
    with pytest.raises(DataError, match=r"report\(\) puts the rows of each query in an order, but groups"):
        arboretum.report(model, X, y)


def test_groups_stay_together() -> None:
    X, y = datasets.load_penguins()
    groups = np.arange(len(y)) // 4
    model = quick().fit(X, y, groups=groups)
    found = sections(arboretum.report(model, X, y, groups=groups, n_resamples=2))
    assert "86 groups" in found["data"]
    assert "the groups were dealt" in found["errors"]
    assert "The fit was repeated" in found["findings"]


def test_subgroups_by_name_and_by_value() -> None:
    X, y = datasets.load_penguins()
    model = quick().fit(X, y)
    X = X.assign(colony=np.where(np.arange(len(X)) % 2, "north", "south"))  # not in the model
    found = sections(arboretum.report(model, X, y, by=["colony", "sex"], n_resamples=2))["subgroups"]
    assert "By colony" in found
    assert "By sex" in found
    assert "missing" in found  # of 11 penguins the sex is not known
    page = arboretum.report(model, X, y, by={"heavy": X["body_mass_g"] > 4000}, n_resamples=2)
    assert re.search(r"heavy.*False\s+172.*True\s+172", " ".join(sections(page)["subgroups"].split()))


def test_rows_that_were_dropped_are_counted() -> None:
    X, y = datasets.load_penguins()
    model = TreeClassifier(missing="drop", max_depth=2, prune=None).fit(X, y)
    found = sections(arboretum.report(model, X, y, n_resamples=2))
    assert "11 rows were dropped for missing values" in found["data"]
    assert "The fit was repeated" in found["findings"]


def test_suspicious_columns_are_named() -> None:
    X, y = datasets.load_penguins()
    X = X.assign(ring=[f"P{k:04}" for k in range(len(X))], nothing=1)
    with unheard():
        model = TreeClassifier(max_depth=2, prune=None).fit(X, y)
    found = sections(arboretum.report(model, X, y, n_resamples=2))["data"]
    assert "ring (an identifier" in found
    assert "nothing (the same in all rows: 1)" in found


def test_the_comparison_is_that_of_scikit_learn() -> None:
    """k-NN, in the folds of the report: the matrix of columns is made by hand."""
    from sklearn.neighbors import KNeighborsClassifier

    from arboretum._prune.folds import deal_rows

    X, y = datasets.load_iris()
    model = quick().fit(X, y)
    found = sections(arboretum.report(model, X, y, n_resamples=2))["comparison"]
    values, labels = np.asarray(X, dtype=float), np.asarray(y, dtype=object)
    codes = np.unique(labels, return_inverse=True)[1]
    fold = deal_rows(5, len(y), codes, None, 0)
    right = np.zeros(len(y), dtype=bool)
    for k in range(5):
        learnt = values[fold != k]
        scaled = (values - learnt.mean(axis=0)) / learnt.std(axis=0)
        near = KNeighborsClassifier(11).fit(scaled[fold != k], codes[fold != k])
        right[fold == k] = near.predict(scaled[fold == k]) == codes[fold == k]
    share = f"{100 * right.mean():.1f}%".replace(".0%", "%")
    assert re.search(rf"k-NN\s+{share}", found)


def test_what_has_no_report_is_refused_in_one_sentence() -> None:
    X, y = datasets.load_iris()
    two = pd.DataFrame({"a": list(y), "b": list(y)[::-1]})
    numbers = np.asarray(X)[:, 0]
    models = [
        (TreeClassifier().fit(X, two), "is for one output, but 2 were learnt"),
        (TreeMixed().fit(X, two.assign(n=numbers)), "is for one output, but 3 were learnt"),
        (BaggedClassifier(n_trees=2).fit(X, y), "give one of its trees"),
        (TreeRegressor(leaf=LinearModel()).fit(X, numbers), "hold linear models"),
        (TreeClassifier, "not the class TreeClassifier"),
    ]
    for model, says in models:
        with pytest.raises((DataTypeError, DataError), match=says):
            arboretum.report(model, X, y)


def test_one_of_several_outputs_has_a_report() -> None:
    X, y = datasets.load_iris()
    two = pd.DataFrame({"a": list(y), "b": list(y)[::-1]})
    one = quick().fit(X, two).outputs_["a"]
    found = sections(arboretum.report(one, X, two["a"], n_resamples=2))
    assert "predicts a rightly" in found["findings"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"by": ["colour"]}, "by='colour' is not known; choose"),
        ({"by": {"colour": ["red"]}}, r"by\['colour'\] has 1 values, but X has 14 rows"),
        ({"by": 3}, "by=3 is not allowed"),
        ({"notes": {99: "x"}}, "notes has a note on node 99, but the nodes of this tree are numbered from 0"),
        ({"notes": {0: 1}}, r"notes\[0\] is 1; a note is text"),
        ({"notes": "x"}, "notes='x' is not allowed"),
        ({"n_resamples": 1}, "n_resamples=1 is not allowed"),
        ({"n_resamples": 10**6}, "n_resamples=1000000 is not allowed"),
        ({"theme": "pink"}, "theme='pink' is not known"),
        ({"target": 3}, "target=3 is not allowed"),
        ({"title": 3}, "title"),
        ({"path": "no/such/folder/report.html"}, "is in no folder"),
    ],
)
def test_wrong_options(options: dict[str, Any], says: str) -> None:
    X, y = datasets.load_tennis()
    model = TreeClassifier(prune=None).fit(X, y)
    with pytest.raises((ParameterError, DataError), match=says) as refused:
        arboretum.report(model, X, y, **options)
    assert isinstance(refused.value, ArboretumError)


def test_large_tables_are_sampled_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arboretum._report.evidence.evidence.MOST_ROWS", 100)
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=None, max_depth=2).fit(X, y)
    found = sections(arboretum.report(model, X, y, n_resamples=2))
    for name in ("errors", "stability", "comparison"):
        assert "100 of 344 rows, drawn at random" in found[name], name
    groups = np.arange(len(y)) // 3
    found = sections(arboretum.report(model, X, y, groups=groups, n_resamples=2))
    assert "99 of 344 rows, drawn at random" in found["comparison"]
