"""Explanations: the path with its numbers, who stood in, how sure, similar rows; as text, HTML and JSON."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.chains import chain
from support.export_models import ALL, exported
from support.marks import allow_one_leaf
from support.pages import EVIL, evil, houses
from support.sweeps import every

from arboretum import (
    DataError,
    DataTypeError,
    MEstimate,
    ParameterError,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
    datasets,
    explain,
)
from arboretum._show.explanation import explain as module
from arboretum._show.explanation import text
from arboretum._show.rows.row_path import row_path
from arboretum._wording import percent
from arboretum.inspection.contributions import Contributions

PENGUINS, SPECIES = datasets.load_penguins(backend="pandas")
MODEL = TreeClassifier().fit(PENGUINS, SPECIES)


# --- the path


def test_the_path_is_that_of_pictures() -> None:
    """Words and routing are those of row_path; each step has the rows of its node and of the next."""
    found, path = explain(MODEL, PENGUINS.iloc[[0]]), row_path(MODEL.tree_, PENGUINS.iloc[[0]])
    assert [step.reason for step in found.steps] == list(path.sentences)
    assert found.conclusion == path.conclusion.removeprefix("→ ")
    places = [found.start, *(step.to[0] for step in found.steps)]
    assert [place.node for place in places] == list(path.nodes)
    for place in places:
        node = MODEL.tree_.node(place.node)
        assert place.n_rows == node.n_rows
        assert place.shares == tuple((node.counts / node.counts.sum()).tolist())
    assert found.prediction == MODEL.predict(PENGUINS.iloc[[0]])[0]
    assert found.probability == MODEL.predict_proba(PENGUINS.iloc[[0]]).max()


def test_who_decides() -> None:
    """An answer, a surrogate, the child that takes missing values, or shares."""
    gone = PENGUINS.iloc[[3]]  # no measure is known
    assert {step.decider for step in explain(MODEL, PENGUINS.iloc[[0]]).steps} == {"answer"}
    assert {step.decider for step in explain(MODEL, gone).steps} == {"child"}
    surrogates = TreeClassifier(missing="surrogate").fit(PENGUINS, SPECIES)
    assert explain(surrogates, gone).steps[0].decider == "surrogate"
    assert "because island in" in explain(surrogates, gone).steps[0].reason
    divided = explain(TreeClassifier(missing="fractional").fit(PENGUINS, SPECIES), gone)
    assert divided.steps[0].decider == "shares"
    assert len(divided.steps[0].to) == 2
    assert math.fsum(each.share for each in divided.certainty) == pytest.approx(1.0)
    assert "more leaves" in str(divided)


def test_an_unknown_level() -> None:
    """It is said that the tree does not know it."""
    X = pd.DataFrame({"colour": ["red", "blue"] * 10})
    model = TreeClassifier(prune=None).fit(X, ["a", "b"] * 10)
    (step,) = explain(model, {"colour": "pink"}).steps
    assert step.reason.startswith("colour is pink, which the tree does not know, so the row goes with")
    assert step.decider == "child"
    assert explain(model, {"colour": "pink"}).contributions[0].value == "pink (unknown)"
    assert "colour = missing" in str(explain(model, {"colour": None}))


def test_odd_names() -> None:
    """A name that could be misread is quoted on both sides of a step; a long one is cut in lists."""
    for name, said in (("$x^2$ _%{}", '"$x^2$ _%{}"'), ("", '""')):
        model = TreeClassifier(prune=None).fit(pd.DataFrame({name: [1.0, 2.0] * 5}), ["a", "b"] * 5)
        found = explain(model, [1.0])
        assert found.steps[0].reason == f"{said} is 1, so {said} <= 1.5"
        assert f"{said} = 1" in str(found)
    long = TreeClassifier(prune=None).fit(pd.DataFrame({"long " * 30: [1.0, 2.0] * 5}), ["a", "b"] * 5)
    assert "…" in str(explain(long, [1.0])).partition("on average:")[2]


def test_a_question_for_missing_values() -> None:
    """What is so is not said twice: "a is missing, so a is missing"."""
    X = pd.DataFrame({"a": [math.nan, 1.0, 2.0, 3.0] * 5})
    model = TreeClassifier(prune=None).fit(X, ["gone", "here", "here", "here"] * 5)
    assert [step.reason for step in explain(model, {"a": None}).steps] == ["a is missing"]
    assert [step.reason for step in explain(model, {"a": 2.0}).steps] == ["a is 2, so a is known"]
    assert "\n1. a is missing\n" in str(explain(model, {"a": None}))


@allow_one_leaf
def test_a_tree_that_asks_nothing() -> None:
    """There is no step, but a prediction."""
    model = TreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert "nothing is asked" in str(explain(model, [1.0]))
    assert "nothing is asked" in explain(model, [1.0]).to_html()


# --- how sure


def test_the_interval_of_a_share() -> None:
    """Wilson's, as scipy computes it, of the share of the leaf's own rows, which is not what is predicted."""
    (sure,) = explain(MODEL, PENGUINS.iloc[[3]], confidence=0.9).certainty
    node = MODEL.tree_.node(sure.node)
    label = list(MODEL.classes_).index("Adelie")
    assert node.counts is not None
    right = round(float(node.counts[label]))
    expected = stats.binomtest(right, node.n_rows).proportion_ci(0.9, method="wilson")
    assert (sure.low, sure.high) == pytest.approx((expected.low, expected.high))
    assert sure.own == right / node.n_rows
    assert node.probability is not None
    assert sure.predicted == node.probability[label] != sure.own
    assert "drawn towards the nodes above" in str(explain(MODEL, PENGUINS.iloc[[3]]))


def test_the_interval_of_a_mean() -> None:
    """Student's, as scipy computes it from the rows of the leaf; none for a median, or a single row."""
    X, y = houses()
    model = TreeRegressor(max_depth=3, prune=None).fit(X, y)
    (sure,) = explain(model, X.iloc[[5]]).certainty
    rows = y[model.apply(X) == sure.node]
    expected = stats.t.interval(0.95, len(rows) - 1, rows.mean(), stats.sem(rows))
    assert (sure.low, sure.high) == pytest.approx(expected)
    medians = TreeRegressor(criterion="absolute_error", max_depth=2, prune=None).fit(X, y)
    assert explain(medians, X.iloc[[5]]).certainty[0].low is None
    lone = TreeRegressor(prune=None).fit([[1.0], [2.0]], [1.0, 2.0])
    assert explain(lone, [1.0]).certainty[0].low is None
    assert "the only row of this leaf has the value 1" in str(explain(lone, [1.0]))


def test_smoothed_leaves() -> None:
    """Rows that are added to a leaf do not count among its own."""
    model = TreeClassifier(leaf=MEstimate(5), max_depth=1, prune=None).fit(
        [[0.0]] * 4 + [[1.0]] * 4, [0, 0, 0, 1, 1, 1, 1, 1]
    )
    (sure,) = explain(model, [0.0]).certainty
    assert sure.own == 0.75 != sure.predicted
    assert "75% of the 4 rows of this leaf are 0" in str(explain(model, [0.0]))


@pytest.mark.parametrize("leaf", ["shrinkage", "frequency"])
@pytest.mark.parametrize("option", ["class_weight", "priors", "sample_weight", "missing"])
def test_the_share_is_that_of_rules(option: str, leaf: str) -> None:
    """What the leaf's rows say is counted by hand, told alike in both lines, and has no false interval."""
    X, y = PENGUINS.select_dtypes("number").fillna(0.0), SPECIES
    weights = np.linspace(0.2, 3.0, len(y)) if option == "sample_weight" else None
    options: dict[str, Any] = {
        "class_weight": {"class_weight": "balanced"},
        "priors": {"priors": {"Adelie": 0.1, "Chinstrap": 0.8, "Gentoo": 0.1}},
        "missing": {"missing": "fractional"},
    }
    model = TreeClassifier(leaf=leaf, prune=None, max_depth=2, **options.get(option, {}))
    model.fit(X, y, sample_weight=weights)
    for number in (0, 200, 300):
        found = explain(model, X.iloc[[number]])
        (sure,) = found.certainty
        rows = model.apply(X) == sure.node
        counted = np.ones(len(y)) if weights is None else weights
        share = np.average(np.asarray(y)[rows] == found.prediction, weights=counted[rows])
        (rule,) = [each for each in model.tree_.rules() if each.node == sure.node]
        assert sure.own == pytest.approx(share)
        assert sure.own == rule.own_share
        assert (sure.low, sure.high, rule.interval) == (None, None, None)
        said = "the weight of " if weights is not None else ""
        assert f"{percent(share)} of {said}{rows.sum()} row" in found.conclusion
        assert f"{percent(share)} of {said}the {rows.sum()} rows of this leaf" in str(found)
        assert found.steps[-1].to[0].shares == pytest.approx(
            [np.average(np.asarray(y)[rows] == each, weights=counted[rows]) for each in model.classes_]
        )


def test_rows_that_are_mostly_of_another_class() -> None:
    """A label that most rows of the leaf do not have is explained."""
    y = ["no"] * 6 + ["yes"] * 2 + ["no"] * 12
    model = TreeClassifier(prune=None, max_depth=1, loss=[[0, 1], [10, 0]]).fit(np.arange(20.0)[:, None], y)
    found = explain(model, [0.0])
    assert found.prediction == "yes"
    assert "25% of the 8 rows of this leaf are yes, while no is most frequent there (75%)" in str(found)


@allow_one_leaf
def test_one_row_and_one_leaf() -> None:
    """Nothing is drawn towards nodes above where there are none; a single row is said to be one."""
    told = str(explain(TreeClassifier().fit([[1.0]] * 4, ["a"] * 4), [1.0]))
    assert "drawn towards" not in told
    lone = TreeClassifier(prune=None).fit([[1.0], [2.0]], ["a", "b"])
    assert "how sure: the only row of this leaf is a (" in str(explain(lone, [1.0]))
    assert "similar row, the only given one in this leaf:" in str(explain(lone, [1.0], [[1.0], [2.0]]))


# --- similar rows


def test_similar_rows() -> None:
    """Those of the same leaf, nearest first by the distance that is written down, ties in their order."""
    X, y = houses()
    model = TreeRegressor(max_depth=3, prune=None).fit(X, y)
    found = explain(model, X.iloc[[5]], (X, y), n_similar=400)
    leaf = model.apply(X)
    together = np.flatnonzero(leaf == leaf[5])
    assert found.n_similar == len(together)
    assert found.similar is not None
    assert sorted(each.number for each in found.similar) == together.tolist()
    spread = {
        name: float(np.diff(np.quantile(X[name].dropna(), [0.05, 0.95], method="inverted_cdf"))[0])
        for name in ("age", "area")
    }
    mine = X.iloc[5]
    distances = []
    for number in together.tolist():
        other = X.iloc[number]
        apart = sum(_apart(mine[name], other[name], spread[name]) for name in spread)
        distances.append((apart + float(mine["district"] != other["district"]), number))
    assert [each.number for each in found.similar] == [number for _, number in sorted(distances)]
    assert [each.distance for each in found.similar] == pytest.approx(
        [apart for apart, _ in sorted(distances)]
    )
    assert [each.target for each in found.similar] == [y[each.number] for each in found.similar]
    assert explain(model, X.iloc[[5]], X).similar[0].target is None  # type: ignore[index]
    assert explain(model, X.iloc[[5]]).similar is None


def _apart(one: float, other: float, spread: float) -> float:
    if math.isnan(one) or math.isnan(other):
        return 0.0 if math.isnan(one) and math.isnan(other) else 1.0
    return abs(one - other) / spread


def test_no_similar_row() -> None:
    """Data without a row in the leaf are said to have none."""
    told = str(explain(MODEL, PENGUINS.iloc[[0]], PENGUINS[SPECIES == "Gentoo"]))
    assert "none of the given rows is in this leaf" in told


# --- forms


def test_the_text() -> None:
    """All parts, in order."""
    told = str(explain(MODEL, PENGUINS.iloc[[0]], (PENGUINS, SPECIES), desired="Gentoo", n=2))
    begin = ["→ Adelie", "the start: 344 rows", "1. flipper_length_mm is 181", "how sure: "]
    parts = [*begin, "similar rows, of ", "what would give Gentoo:", "  if "]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize("kind", every(3, list(ALL)))
def test_every_kind(kind: str) -> None:
    """Each kind of model explains a row in all forms, and JSON holds what the value says."""
    model, X, _ = exported(kind)
    rows = [X.iloc[[5]], X.iloc[[0]]] if hasattr(X, "iloc") else [X[1:2], X[0:1]]
    for row in rows:
        found = explain(model, row, X)
        told = json.loads(found.to_json())
        assert len(told["steps"]) == len(found.steps)
        assert str(found)
        check_html(found.to_html())
        check_html(found._repr_html_())
        assert told["similar"]["rows_in_leaf"] >= 1


class Balanced(HTMLParser):
    """Follows the elements of a page, and collects what could run or be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta",):
            self.open.append(tag)
        names = {name for name, _ in attrs}
        if tag in ("script", "img", "iframe", "link", "object") or any(
            name.startswith("on") for name in names
        ):
            self.active.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_html(page: str) -> None:
    """Elements close in order, and nothing in the page can run or be fetched."""
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert parser.active == []


def test_names_are_not_code() -> None:
    """Names of columns, levels and classes are text, whatever they are."""
    model, X, y = evil()
    found = explain(model, X.iloc[[10]], (X, y), desired=y[0])
    check_html(found.to_html(title=EVIL))
    assert EVIL not in found.to_html(title=EVIL)
    assert EVIL in found.to_json()


def test_light_and_dark() -> None:
    """A page follows the reader's system unless told otherwise; both have their own colours."""
    found = explain(MODEL, PENGUINS.iloc[[0]])
    auto, light, dark = (found.to_html(theme=theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme: dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert re.findall(r"--page: (#\w+)", light) != re.findall(r"--page: (#\w+)", dark)
    with pytest.raises(ParameterError, match="theme='blue' is not known"):
        found.to_html(theme="blue")


# --- contributions


def test_contributions_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the predicted class, the largest first; columns that move nothing are left out."""
    values = np.zeros((1, 7, 3))
    values[0, :3, 0] = [0.1, -0.4, 0.2]
    given: list[Any] = []

    def contributions(model: Any, X: Any, background: Any = None) -> Any:
        given.append(X)
        return Contributions((), values, np.array([0.44, 0.2, 0.36]), None)

    monkeypatch.setattr(module, "contributions", contributions)
    found = explain(MODEL, PENGUINS.iloc[[0]])
    assert found.base == 0.44
    told = str(found)
    assert "what moves the probability of Adelie, from 0.44 on average:" in told
    assert re.findall(r"^ +([-+][0-9.]+)  (\w+) = ", told, re.MULTILINE) == [
        ("-0.4", "bill_length_mm"), ("+0.2", "bill_depth_mm"), ("+0.1", "island"),
    ]  # fmt: skip
    assert json.loads(found.to_json())["contributions"]["columns"]["bill_length_mm"] == -0.4
    check_html(found.to_html())
    assert len(given) == 1


def test_rounding_is_no_contribution() -> None:
    """A column that moved a probability by 4e-20, and an average of -6e-17, were told as if they meant it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 300), "b": rng.normal(size=300), "c": rng.normal(size=300)}
    )
    relevance = np.round(X["b"].clip(0, 2) + (X["a"] == "x"))
    queries = np.repeat(np.arange(30), 10)
    ranker = TreeRanker(max_leaf_nodes=5).fit(X, relevance, groups=queries)
    found = [explain(ranker, X.iloc[[place]]) for place in range(20)]
    numbers = [each.amount for one in found for each in one.contributions] + [one.base for one in found]
    assert not [number for number in numbers if 0 < abs(number) < 1e-12]
    assert not re.search(r"e-1\d", "".join(map(str, found)))


def test_contributions_add_up() -> None:
    """Base and contributions make the prediction."""
    found = explain(MODEL, PENGUINS.iloc[[0]])
    total = found.base + math.fsum(each.amount for each in found.contributions)
    assert total == pytest.approx(found.probability)


# --- bad input


def test_refused() -> None:
    """Each in one sentence."""
    row = PENGUINS.iloc[[0]]
    for given, options, kind, sentence in (
        (PENGUINS.head(2), {}, DataError, "row must be one row, but it holds 2"),
        ({"island": "Dream"}, {}, DataError, "it lacks the columns 'bill_length_mm', 'bill_depth_mm'"),
        (row[["island"]], {}, DataError, "it lacks the columns"),
        (row, {"confidence": 1.0}, ParameterError, "confidence=1.0 is not allowed"),
        (row, {"n_similar": -1}, ParameterError, "n_similar=-1 is not allowed"),
        (row, {"data": (PENGUINS,)}, DataError, "data is (X, y)"),
        (row, {"data": PENGUINS[["island"]]}, DataError, "data lacks the columns"),
        (row, {"desired": "penguin"}, ParameterError, "is not a class"),
        (row, {"fixed": ["island"]}, DataTypeError, "give desired= as well"),
        (row, {"fixd": ["island"]}, DataTypeError, "has no option 'fixd'"),
        (row, {"desired": "Gentoo", "fixd": ["island"]}, DataTypeError, "Did you mean 'fixed'?"),
    ):
        with pytest.raises(kind) as error:
            explain(MODEL, given, **options)
        assert sentence in str(error.value)
    with pytest.raises(DataTypeError, match=r"explain\(\) needs a fitted tree"):
        explain(None, row)


# --- digits


def test_digits_that_tell_apart() -> None:
    """A value and a threshold that differ in the ninth digit are shown with nine; the others with six."""
    X = pd.DataFrame({"a": np.array([0.12345678901, 0.12345679012] * 10), "b": np.arange(20.0) / 3})
    model = TreeClassifier(prune=None).fit(X, ["x", "y"] * 10)
    found = explain(model, X.iloc[[1]])
    ((shown, cut),) = re.findall(r"1\. a is (\S+), so a > (\S+)", str(found))
    assert float(shown) > float(cut)
    assert len(shown) < len("0.12345679012")
    assert len(cut) < len("0.12345679012")
    assert "1. a is 0.12345679012, so" in found.to_text(digits=None)
    assert "1. a is 0.12345679012, so" in found.to_html(digits=None).replace("<li>", "1. ")
    numbers = TreeRegressor(max_leaf_nodes=2, prune=None, leaf="mean").fit(X[["b"]], X["b"] / 7)
    assert "b is 2, so b <= 3.17" in explain(numbers, {"b": 2.0}).to_text(digits=3)
    assert "mean 0.452" in explain(numbers, {"b": 2.0}).to_text(digits=3)
    with pytest.raises(ParameterError, match="digits=0 is not allowed"):
        found.to_text(digits=0)


def test_digits_of_every_number() -> None:
    """The headline, targets of similar rows and what other rows get have the digits asked for, too."""
    X = pd.DataFrame({"b": np.arange(20.0)})
    y = np.where(X["b"] < 10, 1 / 7, 2 / 7)
    for leaf, headline in (("mean", "→ 0.14 (10 rows)"), ("shrinkage", "→ 0.17 (mean 0.14 of 10 rows)")):
        model = TreeRegressor(max_leaf_nodes=2, prune=None, leaf=leaf).fit(X, y)
        found = explain(model, {"b": 2.0}, (X, y), desired=0.25, n_similar=1)
        short = found.to_text(digits=2)
        assert short.splitlines()[0] == headline
        assert re.search(r"^  row 2  distance 0  0\.14$", short, re.MULTILINE)
        assert re.search(r"instead of 2: 0\.2[69]$", short, re.MULTILINE)
        assert not re.search(r"0\.\d{3}", short.partition("similar")[2])
        full = found.to_text(digits=None)
        assert f"→ {found.prediction!r} (" in full
        assert f"distance 0  {1 / 7!r}" in full
        assert f": {found.counterfactuals[0].prediction!r}" in full
        assert "0.142857" in str(found)
        assert "0.1428571" not in str(found).partition("how sure")[0]
        assert short.splitlines()[0].removeprefix("→ ") in found.to_html(digits=2)


# --- very long paths


def test_both_ends_of_a_long_path_are_shown() -> None:
    """Of 500 questions text and page show twenty at both ends, with their own numbers; JSON has all."""
    found = explain(chain(500), {"x": 1e9})
    assert len(found.steps) == 500
    left_out = "… 460 more questions; to_frame() and to_json() have them all"
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", str(found), re.MULTILINE)]
    assert numbers == [*range(1, 21), *range(481, 501)]
    assert f"{left_out}\n481. {found.steps[480].reason}\n" in str(found)
    page = found.to_html()
    assert f'{left_out}</p><ol start="481"><li>{found.steps[480].reason.replace(">", "&gt;")}<p' in page
    assert f"<li>{found.steps[20].reason.replace('>', '&gt;')}<p" not in page
    assert len(found.to_dict()["steps"]) == 500
    assert len(found.to_frame()) == 501
    short = explain(chain(60), {"x": 1e9})
    assert "more question" not in str(short)
    assert "60. x is" in str(short)


# --- rows that are divided among many leaves


def divided() -> Any:
    """The explanation of a row of which nothing is known, by a tree that divides it among all leaves."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(600, 3)), columns=list("abc"))
    X["colour"] = rng.choice([f"colour {number}" for number in range(20)], 600)
    y = np.where(X["a"] * X["b"] + (X["colour"] < "colour 15") > 0, "yes", "no")
    model = TreeClassifier(missing="fractional", nominal="multiway", prune=None).fit(X, y)
    return explain(model, dict.fromkeys(X))


def test_the_largest_parts_are_shown() -> None:
    """Text and page show the ways to five leaves, and how much of the row goes elsewhere; JSON has all."""
    found = divided()
    n_leaves = len(found.certainty)
    assert n_leaves > 60
    left = percent(math.fsum(each.share for each in found.certainty[5:]))
    lines = str(found).splitlines()
    assert len(lines) < 90
    assert max(map(len, lines)) < 300
    said = (
        f"Shown are the ways to the 5 largest parts of the row. {left} of it goes {n_leaves - 5} other ways."
    )
    assert said in lines
    assert f"… and {n_leaves - 5} more leaves, with {left} of the row" in lines
    assert said in found.to_html()
    assert len(found.to_html()) < 30_000
    assert len(json.loads(found.to_json())["certainty"]) == n_leaves
    assert len(json.loads(found.to_json())["steps"]) == len(found.steps)
    # Every shown leaf is reached by shown answers, from the root down.
    arrived = {place.node for step in text.shown_steps(found) for place in step.to}
    parents = found.tree.array("parent")
    for each in found.certainty[:5]:
        node = each.node
        while node:
            assert node in arrived
            node = int(parents[node])


def test_a_step_says_which_part_of_the_row_it_is_about() -> None:
    """Below a division a question begins with the answer that leads to it, and the share that comes there."""
    X = pd.DataFrame({"a": [0.0, 0.0, 0.0, 1.0, 1.0] * 10, "b": [0.0, 1.0] * 25})
    y = np.where(X["a"] > 0.5, "big", np.where(X["b"] > 0.5, "yes", "no"))
    found = explain(TreeClassifier(missing="fractional", prune=None).fit(X, y), {"a": None, "b": 1.0})
    said = "where a <= 0.5 (60% of the row), b is 1, so b > 0.5"
    assert f"2. {said}" in str(found).splitlines()
    assert said.replace("<", "&lt;").replace(">", "&gt;") in found.to_html()
    assert [step.reason for step in found.steps][1:] == ["b is 1, so b > 0.5"]


def test_a_frame_of_the_steps() -> None:
    """One line for each node, with what the text shows of it; the interval where the row ends."""
    frame = explain(MODEL, PENGUINS.iloc[[0]]).to_frame()
    found = explain(MODEL, PENGUINS.iloc[[0]])
    assert frame["node"].tolist() == list(found.path.nodes)
    assert frame["reason"].tolist()[:-1] == [step.reason for step in found.steps]
    assert frame["rows"].tolist() == [found.start.n_rows, *(step.to[0].n_rows for step in found.steps)]
    assert frame["share of Adelie"].iloc[0] == (found.start.shares or ())[0]
    (sure,) = found.certainty
    assert frame[["part", "own", "low", "high", "predicted"]].iloc[-1].tolist() == [
        1.0, sure.own, sure.low, sure.high, sure.predicted,
    ]  # fmt: skip
    assert frame["low"].isna().tolist() == [True] * (len(frame) - 1) + [False]
    parts = divided()
    assert parts.to_frame()["part"].sum() == pytest.approx(1.0)
    assert len(parts.to_frame()) == len(parts.path.nodes)


# --- labels of an index


def test_similar_rows_have_the_labels_of_the_index() -> None:
    """Labels of any type; those that other rows have too come with the number of the row."""
    X, y = houses()
    model = TreeRegressor(max_depth=1, prune=None).fit(X, y)
    labels = [f"house {number}" for number in range(len(X))]
    for index, names in (
        (labels, labels),
        ([*range(1, len(X) + 1)], [str(number + 1) for number in range(len(X))]),
        (["a", "b"] * (len(X) // 2), [f"{'ab'[i % 2]} (number {i})" for i in range(len(X))]),
        (pd.MultiIndex.from_product([["a", 1], range(len(X) // 2)]), None),
        (pd.date_range("2024-01-01", periods=len(X)), None),
        (pd.Index([None, 1.5, ("x", 2), *range(len(X) - 3)], dtype=object), None),
    ):
        found = explain(model, X.iloc[[5]], X.set_axis(index), n_similar=4)
        assert found.similar is not None
        told = str(found)
        for row in found.similar:
            name = text.row_name(row)
            assert names is None or name == f"row {names[row.number]}"
            assert name in told
        assert json.loads(found.to_json())["similar"]["rows"][0]["number"] == found.similar[0].number
        check_html(found.to_html())
    plain = explain(model, X.iloc[[5]], X.set_axis(np.arange(len(X))), n_similar=1)
    assert [(row.label, text.row_name(row)) for row in plain.similar or ()] == [(None, "row 5")]


def test_an_infinite_value() -> None:
    """It is at distance 1 from others, so that JSON has a number for it, and no word that JSON lacks."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.inf] * 5, "b": np.arange(20.0)})
    model = TreeClassifier(prune=None).fit(X, np.where(X["b"] > 9, "yes", "no"))
    found = explain(model, {"a": np.inf, "b": 0.0}, X, n_similar=3, desired="yes")
    assert [row.distance for row in found.similar or ()] == pytest.approx([3 / 18, 7 / 18, 1.0])
    told = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert told["counterfactuals"][0]["row"]["a"] == "inf"
