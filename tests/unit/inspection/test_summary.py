"""Summaries: every number against an independent count, what is not known, and text that stays text."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from support.export_models import ALL, exported, hostile
from support.marks import allow_identifier, allow_one_leaf, allow_text
from support.pages import EVIL, evil, fitted

from arboretum import (
    ArboretumError,
    CostComplexity,
    ParameterError,
    Pessimistic,
    Summary,
    TreeClassifier,
    TreeRegressor,
    datasets,
    load,
    save,
)
from arboretum.inspection.summary.summary import summary_of

V1 = Path(__file__).parents[2] / "files" / "v1"
WITH_STYLE = {"div", "style", "h4", "section", "table", "thead", "tbody", "tr", "th", "td"}
TAGS = WITH_STYLE | {"span", "p", "dl", "dt", "dd", "ul", "li"}


class Tags(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert all(name in ("class", "style") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def table() -> tuple[pd.DataFrame, Any]:
    """A table with gaps, levels, an identifier and numbers as text."""
    rng = np.random.default_rng(4)
    n = 120
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "n": rng.integers(0, 9, n),
            "colour": pd.Categorical(rng.choice(["red", "blue"], n), categories=["blue", "red", "never"]),
            "id": [f"key {i}" for i in range(n)],
            "price": [f"{value}.5" for value in rng.integers(0, 20, n)],
        }
    )
    y = np.where((X["x"] > 0) ^ (X["colour"] == "red"), "yes", "no")
    X.loc[::7, "x"] = np.nan
    X.loc[::11, "colour"] = None
    return X, y


@allow_identifier
@allow_text
def test_columns_are_counted() -> None:
    X, y = table()
    model = TreeClassifier().fit(X, y)
    summary = model.summary()
    assert [column.name for column in summary.columns] == list(X.columns)
    assert [column.missing for column in summary.columns] == X.isna().sum().tolist()
    kinds = ["number", "integer", "nominal", "nominal", "nominal"]
    assert [column.kind for column in summary.columns] == kinds
    levels = [None, None, *(X[name].nunique() for name in ("colour", "id", "price"))]
    assert [column.levels for column in summary.columns] == levels
    found = [(each.column, each.looks_like) for each in summary.suspicions or ()]
    assert found == [("id", "identifier"), ("price", "numbers")]
    assert [column.importance for column in summary.columns] == pytest.approx(model.feature_importances_)
    asked = [node.question.columns for node in model.tree_.walk() if node.question is not None]
    counts = [sum(name in columns for columns in asked) for name in X.columns]
    assert [column.n_questions for column in summary.columns] == counts
    assert "Leave out 'id'" in summary.advice[0]
    assert summary.advice[1] == "Convert 'price': its text reads as numbers."


@pytest.mark.parametrize("kind", ALL)
def test_the_tree_is_measured(kind: str) -> None:
    model, X, y = exported(kind)
    tree, summary = model.tree_, model.summary()
    leaves = list(tree.leaves())
    rows = [leaf.n_rows for leaf in leaves]
    assert (summary.shape.n_leaves, summary.shape.depth) == (len(leaves), tree.depth)
    assert (summary.shape.smallest_leaf, summary.shape.largest_leaf) == (min(rows), max(rows))
    questions = sum(leaf.depth * leaf.n_rows for leaf in leaves) / sum(rows)
    assert summary.shape.mean_questions == pytest.approx(questions)
    asked = [node.question.columns for node in tree.walk() if node.question is not None]
    for column in summary.columns:
        assert column.n_questions == sum(column.name in columns for columns in asked)
    whole = y is not None and tree.root.n_rows == len(y) and kind != "weighted"
    assert summary.n_rows_held_out == (0 if y is None else len(y) - tree.root.n_rows)
    if summary.fit is not None and whole:
        assert summary.fit == pytest.approx(model.score(X, y))
    if summary.classes is not None and whole:
        shares = pd.Series(np.asarray(y, dtype=object)).value_counts(normalize=True)
        assert dict(summary.classes) == pytest.approx(shares.to_dict())
    assert json.loads(summary.to_json())["shape"]["n_nodes"] == len(tree)
    assert str(summary).splitlines()[0].startswith(f"{type(model).__name__}: {tree.root.n_rows:,} rows")
    assert set(Tags(summary._repr_html_()).tags) <= TAGS


def test_the_surest_and_the_least_sure_leaves() -> None:
    X, y = datasets.load_penguins()
    summary = TreeClassifier().fit(X, y).summary()
    sure = sorted(rule.confidence for rule in summary.tree.rules())  # type: ignore[type-var]
    assert [rule.confidence for rule in summary.most_sure] == sure[::-1][:3]
    assert [rule.confidence for rule in summary.least_sure] == sure[:3]
    numbers = fitted("numbers")[0].summary()
    width = [rule.interval[1] - rule.interval[0] for rule in numbers.tree.rules() if rule.interval]
    found = [rule.interval[1] - rule.interval[0] for rule in numbers.least_sure if rule.interval]
    assert found == sorted(width, reverse=True)[:3]
    assert fitted("medians")[0].summary().most_sure == ()


# --- size


def test_the_size_has_the_score_that_chose_it() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier(leaf="frequency").fit(X, y)
    path, size = model.pruning_path_, model.summary().size
    assert path.chosen is not None
    assert (size.measure, size.grown_leaves) == ("log_loss", model.unpruned().get_n_leaves())
    assert (size.score, size.error) == (path.cv_risk[path.chosen], path.cv_se[path.chosen])
    assert (size.training, size.root_score) == (path.risk[path.chosen], path.cv_risk[-1])
    assert "rule='average'" in size.how
    assert TreeClassifier().fit(X, y).summary().size.training is None  # what is predicted was drawn elsewhere
    judged = TreeRegressor(prune=CostComplexity(rule="1se")).fit(X[["petal_width"]], X["petal_length"])
    assert judged.summary().size.measure == "squared_error"


def test_how_other_sizes_were_chosen() -> None:
    X, y = datasets.load_penguins()
    how = {
        "as grown, without pruning": TreeClassifier(prune=None).fit(X, y),
        "pessimistic pruning: ": TreeClassifier(prune=Pessimistic()).fit(X, y),
        "reduced-error pruning: ": TreeClassifier(prune="reduced_error").fit(X, y),
        "cost-complexity pruning with the price alpha=": TreeClassifier(prune=CostComplexity(alpha=0.01)).fit(
            X, y
        ),
    }
    for words, model in how.items():
        assert model.summary().size.how.startswith(words)
    edited = how["as grown, without pruning"]
    edited = edited.with_tree(edited.tree_.prune_at(edited.tree_.root.children[0]))
    assert edited.summary().size.how == "edited by hand"
    chosen = TreeClassifier().fit(X, y).pruned(leaves=3).summary()
    assert chosen.shape.n_leaves == 3
    assert "3 of 15 leaves: cost-complexity pruning, alpha=" in str(chosen)


def test_settings_that_matter() -> None:
    X, y = datasets.load_iris()
    settings = TreeClassifier(max_depth=2, n_jobs=1, criterion="entropy").fit(X, y).summary().settings
    assert settings is not None
    assert {each.name: each.is_default for each in settings} == {
        "criterion": False,
        "max_depth": False,
        "missing": True,
        "prune": True,
        "leaf": True,
    }


# --- what to try next


@allow_one_leaf
def test_advice_follows_from_facts() -> None:
    X, y = datasets.load_iris()
    rng = np.random.default_rng(0)

    def advice(model: Any) -> str:
        return " ".join(model.summary().advice)

    assert "max_depth=1 ended growth" in advice(TreeClassifier(max_depth=1).fit(X, y))
    assert "max_leaf_nodes=2 ended growth" in advice(TreeClassifier(max_leaf_nodes=2).fit(X, y))
    assert "prune='cost_complexity' keeps" in advice(TreeClassifier(prune=None).fit(X, y))
    noise = TreeClassifier().fit(rng.normal(size=(60, 3)), rng.integers(0, 2, 60))
    assert "The tree asks nothing, but was grown with" in advice(noise)
    constant = TreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert "check that the target varies" in advice(constant)
    many = pd.DataFrame({"city": rng.choice([f"c{i}" for i in range(80)], 800)})
    labels = np.where(many["city"].str[1:].astype(int) < 40, "a", "b")
    assert "Join rare levels of 'city' (80)" in advice(TreeClassifier().fit(many, labels))
    rare = np.where(rng.random(1000) < 0.04, "rare", np.where(np.arange(1000) < 500, "a", "b"))
    silent = TreeClassifier(max_depth=2).fit(np.arange(1000.0).reshape(-1, 1), rare)
    assert "No leaf predicts 'rare'" in advice(silent)
    gaps = pd.DataFrame({"x": np.where(rng.random(300) < 0.7, np.nan, rng.normal(size=300))})
    holes = np.where(gaps["x"].isna(), "none", np.where(gaps["x"] > 0, "up", "down"))
    assert "'x' is asked about but mostly missing" in advice(TreeClassifier().fit(gaps, holes))
    clear = TreeClassifier(min_samples_leaf=20).fit(
        [[float(i // 50)] for i in range(100)], [0] * 50 + [1] * 50
    )
    assert "Nothing stands out." in str(clear.summary())


# --- files


@allow_identifier
@allow_text
def test_a_saved_model_has_the_same_summary(tmp_path: Path) -> None:
    X, y = table()
    model = TreeClassifier().fit(X, y)
    for grown in (True, False):
        save(model, tmp_path / "model.json", grown=grown)
        again = load(tmp_path / "model.json")
        assert again.training_data_ == model.training_data_
    save(model, tmp_path / "model.json")
    assert str(load(tmp_path / "model.json").summary()) == str(model.summary())


def test_old_files_say_what_they_do_not_know() -> None:
    summary = load(V1 / "penguins.model.json.gz").summary()
    assert summary.suspicions is None
    assert not summary.knows_columns
    text = str(summary)
    assert "suspicious columns: not known" in text
    assert "does not say what was missing" in text
    assert "rule=" not in summary.size.how
    document = summary.to_dict()
    assert document["suspicions"] is None
    assert {column["missing"] for column in document["columns"]} == {None}


@pytest.mark.parametrize("name", sorted(path.name for path in V1.glob("*.model.json*")))
def test_every_old_file_has_a_summary(name: str) -> None:
    """But for leaves that are models, whose summary is refused."""
    if name.startswith("linear_leaves"):
        with pytest.raises(ArboretumError):
            summary_of(load(V1 / name))
        return
    summary = summary_of(load(V1 / name))
    assert isinstance(summary, Summary)
    assert "what to try next" in str(summary)
    json.loads(summary.to_json())


def test_a_tree_alone_knows_less() -> None:
    summary = summary_of(fitted("penguins")[0].tree_)
    assert (summary.settings, summary.suspicions, summary.n_rows_dropped) == (None, None, None)
    assert "settings: not known of a tree by itself" in str(summary)


# --- text and HTML


@pytest.mark.parametrize("make", [hostile, evil])
def test_names_stay_names(make: Any) -> None:
    """No name ends an element, begins one, or steers a terminal."""
    model = make()[0]
    summary = model.summary()
    read = Tags(summary._repr_html_())
    assert set(read.tags) <= TAGS
    assert read.tags.count("style") == 1
    text = str(summary)
    assert all(line.isprintable() for line in text.splitlines())
    if make is evil:
        assert any(EVIL[:20] in words for words in read.words)


def test_many_columns_are_counted_not_listed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 44))
    summary = TreeClassifier().fit(X, X[:, 3] > 0).summary()
    assert "\nand 32 others\n" in str(summary)
    html = summary._repr_html_()
    assert "<p>and 32 others</p>" in html
    assert html.count("<tr>") == 1 + 12
    assert str(summary).splitlines()[3].startswith("x3 ")


def test_a_notebook_shows_the_tree_and_the_summary() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier()
    diagram = model._repr_mimebundle_()["text/html"]
    assert "arboretum-summary" not in diagram
    assert "arboretum-summary" not in model._repr_html_()
    shown = model.fit(X, y)._repr_mimebundle_()
    assert shown["text/plain"] == repr(model)
    assert "<iframe" in shown["text/html"]
    assert shown["text/html"].endswith(model.summary()._repr_html_())
    assert model._repr_html_() == shown["text/html"]
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_a_page_of_its_own_is_light_or_dark() -> None:
    summary = TreeClassifier().fit(*datasets.load_iris()).summary()
    pages = {theme: summary.to_html(title="a < b", theme=theme) for theme in ("auto", "light", "dark")}
    for page in pages.values():
        assert page.startswith("<!doctype html>")
        assert "<title>a &lt; b</title>" in page
        assert summary._repr_html_() in page
    assert ["prefers-color-scheme" in page for page in pages.values()] == [True, False, False]
    assert ['content="dark"' in page for page in pages.values()] == [False, False, True]
    with pytest.raises(ParameterError, match="theme='blue'"):
        summary.to_html(theme="blue")
