"""Exports to PMML answer as the core does, evaluated by JPMML: labels and numbers exactly.

Rows are those of the model's table, values at and beside thresholds, missing and unknown ones. JPMML divides
probabilities by their sum, so that theirs may differ from ours, which are in the document, by the last bits.
Where no Java machine is there, the evaluation is skipped; documents are looked at all the same.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support.composites import TREE, A, plant, total
from support.export_models import ALL, HOSTILE, deep, exported, rows_of, table_rows
from support.export_tables import cases
from support.marks import allow_one_leaf
from support.pmml_scoring import WHY_NOT, Scorer, given_to_pmml

from arboretum import MofN, Oblique, TreeClassifier, TreeRegressor
from arboretum._tree.composites import LinearTerm
from arboretum.errors import DataError, ParameterError
from arboretum.export._pmml.pmml import to_pmml
from arboretum.export._program.program import program_of
from arboretum.export._program.samples import expected, samples

needs_java = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))

DIVIDED = {"fractions", "multiway", "losses"} | {kind for kind in ALL if kind.endswith("fractions")}
REFUSED = (
    DIVIDED
    | {kind for kind in ALL if kind.startswith("typed")}
    | {"big integers", "bigger integers", "levels of dates", "votes", "sums of all kinds"}
)
TAKEN = [kind for kind in ALL if kind not in REFUSED]
SPACE = "{http://www.dmg.org/PMML-4_4}"


@pytest.fixture(scope="module")
def scorer() -> Iterator[Scorer]:
    started = Scorer()
    yield started
    started.close()


def agrees(scorer: Scorer, model: Any, rows: list[dict[str, Any]]) -> int:
    """Compare all answers; the document's own rows are verified besides. The number of rows is returned."""
    found = scorer.score(to_pmml(model), given_to_pmml(program_of(model, "the test"), rows))
    for row, answer, (ours, shares) in zip(rows, found, expected(model, rows), strict=True):
        theirs = list(answer.values())
        assert theirs[0] == ours, row
        assert isinstance(theirs[0], bool) == isinstance(ours, bool)
        assert np.allclose(theirs[1:], shares or (), rtol=1e-15, atol=0), row
    return len(found)


# --- evaluated


@needs_java
@pytest.mark.parametrize("kind", TAKEN)
def test_answers_as_the_core_does(kind: str, scorer: Scorer) -> None:
    model, X, _ = exported(kind)
    assert agrees(scorer, model, rows_of(model, X)) > 400


def typed() -> tuple[pd.DataFrame, Any]:
    """Columns of all types that PMML has."""
    _, X, y = exported("typed")
    X = X.drop(columns=["mixed", "code", "zoned", "stay"])
    rng = np.random.default_rng(6)
    return X.assign(whole=pd.Categorical(rng.choice([10, 20, 0, -7], len(X)))), y


@needs_java
@pytest.mark.parametrize(
    "options",
    [
        {"nominal": "subset"},
        {"nominal": "one_vs_rest"},
        {"nominal": "multiway"},
        {"missing": "surrogate"},
        {"questions": MofN()},
        {"questions": Oblique()},
    ],
    ids=str,
)
def test_columns_of_all_types(options: dict[str, Any], scorer: Scorer) -> None:
    X, y = typed()
    model = TreeClassifier(prune=None, max_depth=9, **options).fit(X, y)
    assert {field.type for field in program_of(model, "the test").fields} >= {"text", "number"}
    assert agrees(scorer, model, rows_of(model, X, 400)) > 800


@allow_one_leaf
@needs_java
@given(case=cases())
def test_random_tables(case: tuple[Any, Any], scorer: Scorer) -> None:
    """Where PMML cannot hold a column, it says so; everything else is answered as we do."""
    model, X = case
    try:
        to_pmml(model)
    except (DataError, ParameterError):
        return
    agrees(scorer, model, rows_of(model, X, 60))


@needs_java
def test_questions_about_several_columns_planted(scorer: Scorer) -> None:
    nothing = dict.fromkeys(column.name for column in TREE.columns)
    rows = [{**nothing, **row} for row in samples(program_of(TREE, "the test"), 2_000, 3)]
    assert agrees(scorer, TREE, rows) == 2_000


@needs_java
@pytest.mark.parametrize(
    "classes", [["no", "yes"], [False, True], [-3, 7], [-3, 2**40], HOSTILE[:2]], ids=str
)
def test_classes_of_all_types(classes: list[Any], scorer: Scorer) -> None:
    y = np.array(classes, dtype=object if isinstance(classes[0], str) else None)[np.arange(40) // 7 % 2]
    X = pd.DataFrame({"target": np.arange(40.0), "probability(no)": np.arange(40) % 3})
    model = TreeClassifier(prune=None).fit(X, y)
    found = scorer.score(to_pmml(model), table_rows(model, X))
    assert [next(iter(answer.values())) for answer in found] == y.tolist()


@needs_java
def test_zeros_of_both_signs(scorer: Scorer) -> None:
    """They are one number and one level, although objects of Java tell them apart."""
    for zero in (0.0, -0.0):
        X = pd.DataFrame({"x": [zero, 1.0] * 20, "y": pd.Categorical([zero, 2.5] * 20)})
        for column in X.columns:
            model = TreeClassifier(prune=None, thresholds="observed").fit(X[[column]], [0, 1] * 20)
            assert agrees(scorer, model, [{column: 0.0}, {column: -0.0}, {column: None}]) == 3


@needs_java
def test_sums_that_are_no_numbers(scorer: Scorer) -> None:
    """Infinity less infinity is not at most the bound, and no missing value either."""
    tree = plant({(): total(0.5, LinearTerm(A, 1.0, fill=7.0), LinearTerm(A, -1.0, fill=0.25))})
    nothing = dict.fromkeys(column.name for column in tree.columns)
    rows = [{**nothing, "a": value} for value in (np.inf, -np.inf, 1.0, None)]
    agrees(scorer, tree, rows)
    steps = [tree.node(number).label for number in (1, 2)]
    assert steps[0] != steps[1]
    assert [label for label, _ in expected(tree, rows)] == [steps[1], steps[1], steps[0], steps[1]]


@needs_java
def test_losses_decide_labels(scorer: Scorer) -> None:
    """The label is the cheapest class, which need not be the most probable."""
    X = pd.DataFrame({"x": np.arange(60) % 20})
    y = np.where(np.arange(60) % 3 == 0, "rare", "usual")
    model = TreeClassifier(loss=[[0, 9], [1, 0]], prune=None, max_depth=2).fit(X, y)
    labels, most = model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (labels != most).any()
    agrees(scorer, model, rows_of(model, X))


@needs_java
def test_instants_within_a_unit(scorer: Scorer) -> None:
    """An instant finer than the column's unit is on the side on which its unit is."""
    days = pd.date_range("2024-02-20", periods=30).astype("datetime64[s]")
    model = TreeRegressor(prune=None).fit(pd.DataFrame({"at": days}), np.arange(30) // 7 * 1.0)
    fine = pd.DataFrame({"at": [day + pd.Timedelta("0.75s") for day in days]}).astype("datetime64[ns]")
    given = [{"at": f"{instant:%Y-%m-%dT%H:%M:%S.%f}"} for instant in fine["at"]]
    found = scorer.score(to_pmml(model), given)
    assert [answer["target"] for answer in found] == model.predict(fine).tolist()


@needs_java
def test_deep_trees(scorer: Scorer) -> None:
    tree, X, _ = deep()
    assert agrees(scorer, tree, table_rows(tree, X)[::20]) == 101
    with pytest.raises(ParameterError, match="depth 2001; PMML nests its nodes"):
        to_pmml(deep(2_001)[0])


@needs_java
def test_verification_notices(scorer: Scorer) -> None:
    """A threshold that moved by a hair is found by the rows of the document."""
    model, _, _ = exported("iris")
    text = to_pmml(model)
    cut = model.tree_.root.question.real
    moved = text.replace(f'value="{cut!r}"', f'value="{float(np.nextafter(cut, -1))!r}"')
    assert moved != text
    scorer.score(text, [])
    with pytest.raises(ValueError, match="do not match"):
        scorer.score(moved, [])


# --- looked at


def read(kind: str, **options: Any) -> ET.Element:
    return ET.fromstring(to_pmml(exported(kind)[0], **options))


@pytest.mark.parametrize("kind", TAKEN)
def test_documents_are_whole(kind: str) -> None:
    """Parts in the order of the standard, fields that are declared, children that are there."""
    root = read(kind)
    assert [part.tag.removeprefix(SPACE) for part in root] == ["Header", "DataDictionary", "TreeModel"]
    tree = root.find(f"{SPACE}TreeModel")
    assert tree is not None
    order = ["MiningSchema", "Output", "LocalTransformations", "Node", "ModelVerification"]
    parts = [part.tag.removeprefix(SPACE) for part in tree]
    assert parts == [part for part in order if part in parts]
    declared = {field.get("name") for field in root.iter(f"{SPACE}DataField")}
    mined = {field.get("name") for field in root.iter(f"{SPACE}MiningField")}
    assert declared == mined
    known = declared | {field.get("name") for field in root.iter(f"{SPACE}DerivedField")}
    asked = {
        part.get("field") for part in root.iter() if "field" in part.attrib and "column" not in part.attrib
    }
    assert asked <= known
    model, _, _ = exported(kind)
    nodes = list(root.iter(f"{SPACE}Node"))
    assert sorted(int(str(node.get("id"))) for node in nodes) == list(range(len(model.tree_)))
    for node in nodes:
        children = [child.get("id") for child in node.findall(f"{SPACE}Node")]
        assert node.get("defaultChild") in (None, *children)
        number = int(str(node.get("id")))
        assert children == [str(child.number) for child in model.tree_.node(number).children]


def test_probabilities_have_all_their_digits() -> None:
    model, _, _ = exported("unseen levels, classes")
    nodes = read("unseen levels, classes").iter(f"{SPACE}Node")
    for node in nodes:
        parts = node.findall(f"{SPACE}ScoreDistribution")
        if parts:
            told = [float(str(part.get("probability"))) for part in parts]
            assert told == model.tree_.array("probability")[int(str(node.get("id")))].tolist()


def test_file_is_what_is_returned_and_the_same_each_time(tmp_path: Path) -> None:
    model, _, _ = exported("hostile")
    path = tmp_path / "tree.pmml"
    text = to_pmml(model, path, name="hostile")
    assert path.read_text(encoding="utf-8") == text == to_pmml(model, name="hostile")
    names = [field.get("name") for field in ET.fromstring(text).iter(f"{SPACE}DataField")]
    assert names == [*(field.name for field in program_of(model, "the test").fields), "target"]


def test_surrogates_are_those_of_pmml() -> None:
    root = read("surrogates")
    compounds = list(root.iter(f"{SPACE}CompoundPredicate"))
    assert {part.get("booleanOperator") for part in compounds} == {"surrogate"}
    assert root.find(f"{SPACE}TreeModel").get("missingValueStrategy") == "lastPrediction"
    assert read("penguins").find(f"{SPACE}TreeModel").get("missingValueStrategy") == "defaultChild"


# --- refusals


@pytest.mark.parametrize("kind", sorted(DIVIDED))
def test_divided_rows(kind: str) -> None:
    with pytest.raises(ParameterError, match="which PMML cannot express"):
        to_pmml(exported(kind)[0])


@pytest.mark.parametrize("kind", sorted(REFUSED - DIVIDED))
def test_what_pmml_cannot_hold(kind: str) -> None:
    with pytest.raises((DataError, ParameterError), match=r"(?s)[Nn]ode \d+ asks.*\nHint: "):
        to_pmml(exported(kind)[0])


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\ud800", "\ufffe"])
def test_signs_that_xml_cannot_hold(sign: str) -> None:
    numbers = np.arange(40)
    words = np.array(["x", f"a{sign}"], dtype=object)[numbers // 20]
    levels = pd.DataFrame({"c": pd.Series(words, dtype=object)})
    with pytest.raises(DataError, match=r"has the level .* XML cannot hold"):
        to_pmml(TreeClassifier(prune=None).fit(levels, numbers // 20))
    if sign != "\ud800":  # which pandas itself refuses
        named = pd.DataFrame({sign: numbers})
        with pytest.raises(DataError, match="A column is called"):
            to_pmml(TreeClassifier(prune=None).fit(named, numbers // 20))
    with pytest.raises(DataError, match="predicts the class"):
        to_pmml(TreeClassifier(prune=None).fit(numbers.reshape(-1, 1), words))


def test_names_that_are_none() -> None:
    nameless = pd.DataFrame({"": np.arange(40)})
    with pytest.raises(DataError, match=r"Column '' holds values under an empty name.*node 0 asks"):
        to_pmml(TreeClassifier(prune=None).fit(nameless, np.arange(40) // 20))
    with pytest.raises(ParameterError, match="name='a b' cannot be a name"):
        to_pmml(exported("iris")[0], name="a b")
