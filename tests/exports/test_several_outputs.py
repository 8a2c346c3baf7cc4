"""Several outputs as programs, queries and documents: each answers as its own tree, to the last bit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.export_models import HOSTILE, rows_of, table_rows
from support.export_rules import outputs_of_rules
from support.export_running import (
    COMPILERS,
    NODE,
    Answers,
    differences,
    outputs_in_c,
    outputs_in_javascript,
    outputs_in_python,
)
from support.onnx_running import outputs_in_onnx, session_of
from support.pmml_scoring import WHY_NOT, Scorer, given_to_pmml
from support.sql_engines import POSTGRES, Database, as_number, databases, load_rows

from arboretum import TreeClassifier, TreeMixed, TreeRegressor
from arboretum.errors import ArboretumError
from arboretum.export import check_onnx, to_c, to_javascript, to_onnx, to_pmml, to_python, to_rules, to_sql
from arboretum.export._program.program import program_of
from arboretum.export._program.samples import expected_of_each

Rows = list[dict[str, object]]


def table(seed: int, n: int = 250) -> pd.DataFrame:
    """Numbers, integers, dates and levels of several kinds, with missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "n": rng.integers(-9, 9, n),
            "colour": rng.choice(list("pqrstuv"), n),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), ["s", "m", "l"], ordered=True),
            "day": pd.date_range("2023-12-25", periods=n, freq="7h"),
        }
    )
    for place, name in enumerate(("x", "colour", "size")):
        X.loc[rng.random(n) < 0.1 * (place + 1), name] = None
    return X


def targets(X: pd.DataFrame, seed: int, names: Any) -> pd.DataFrame:
    """A column for each name, in turn of text, numbers, truth values, and numbers of another size."""
    rng = np.random.default_rng(seed + 1)
    base = X.iloc[:, 0].fillna(0).to_numpy(float) + 0.3 * (X.iloc[:, 2] == X.iloc[0, 2])
    Y = {}
    for place, name in enumerate(names):
        noisy = base * (-1) ** place + 0.2 * place * X["n"].to_numpy(float) + rng.normal(size=len(X)) / 2
        kinds = (
            np.where(noisy > 0.5, "hi\"'\\", np.where(noisy < -0.5, "low </script>", "é漢")),
            noisy,
            noisy > 0,
            noisy * 1e9,
        )
        Y[name] = kinds[place % 4]
    return pd.DataFrame(Y)


# Names that become one identifier, are words of some language, or are long.
COLLAPSING = ["a b", "a.b", "A_B", "a_b_2", "class", "select", "1", "__proto__", "é" * 40, "prediction"]


@cache
def made(kind: str) -> tuple[Any, pd.DataFrame]:
    """A tree of several outputs, and its table."""
    X = table(3)
    match kind:
        case "mixed":
            Y = targets(X, 3, ["label", "value", "probability", "x"])
            return TreeMixed(prune=None, max_depth=5).fit(X, Y), X
        case "levels":
            Y = targets(X, 5, ["u", "v", "w"])
            return TreeMixed(prune=None, max_depth=3, nominal="multiway", levels="raw").fit(X, Y), X
        case "numbers":
            return TreeRegressor(prune=None, max_depth=4).fit(X, np.c_[X["n"] * X["x"].fillna(1), X["n"]]), X
        case "classes":
            Y = np.c_[X["n"] > 0, X["x"] > 0, X["colour"] == "q"]
            return TreeClassifier(prune=None, min_samples_leaf=5).fit(X, Y), X
        case "whole classes":  # which are numbers
            Y = pd.DataFrame({"a": X["n"] // 5, "b": X["n"] % 3})
            return TreeMixed(max_depth=4, prune=None, class_outputs=["a", "b"]).fit(X, Y), X
        case "hostile":
            Y = targets(X, 7, HOSTILE)
            X = X.set_axis([HOSTILE[place] for place in (0, 1, 8, 4, 5)], axis=1)
            return TreeMixed(prune=None, max_depth=5).fit(X, Y), X
        case "collapsing":
            return TreeMixed(prune=None, max_depth=4).fit(X, targets(X, 9, COLLAPSING)), X
    return TreeMixed(prune=None, max_depth=0).fit(X, targets(X, 3, ["a", "b"])), X


KINDS = ["mixed", "levels", "numbers", "classes", "whole classes", "hostile", "collapsing", "root"]


def rows_for(kind: str) -> tuple[Any, Rows]:
    """A model, and rows with missing values and unknown levels."""
    model, X = made(kind)
    return model, rows_of(model.outputs_[0], X, 120)


def check(model: Any, rows: Rows, found: list[Answers], **options: Any) -> None:
    """Compare what each output answers with the tree of that output."""
    assert len(found) == len(model.outputs_)
    for own, answers in zip(model.outputs_, found, strict=True):
        assert not differences(own, rows, answers, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_expected_is_what_the_model_predicts(kind: str) -> None:
    """So that the other tests compare with `predict` and `predict_proba`."""
    model, X = made(kind)
    program = program_of(model, "the test", outputs=True)
    answers = expected_of_each(program, table_rows(model.outputs_[0], X))
    assert [[label for label, _ in row] for row in answers] == model.predict(X).tolist()
    if isinstance(model, TreeRegressor):
        return
    shares = model.predict_proba(X)
    listed = list(shares.values()) if isinstance(shares, dict) else shares
    places = [place for place, own in enumerate(model.outputs_) if isinstance(own, TreeClassifier)]
    for place, wanted in zip(places, listed, strict=True):
        assert [list(row[place][1] or ()) for row in answers] == wanted.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_programs(kind: str, tmp_path: Path) -> None:
    model, rows = rows_for(kind)
    check(model, rows, outputs_in_python(model, rows))
    check(model, rows, outputs_in_python(model.tree_, rows))
    if NODE:
        check(model, rows, outputs_in_javascript(model, rows, tmp_path))
    for compiler in COMPILERS:
        check(model, rows, outputs_in_c(model, rows, tmp_path, compiler=compiler))


@given(seed=st.integers(0, 10_000), names=st.lists(st.text(max_size=8), min_size=2, max_size=5, unique=True))
@settings(max_examples=15, deadline=None)
def test_python_of_random_trees(seed: int, names: list[str]) -> None:
    X = table(seed, 80)
    model = TreeMixed(prune=None, max_depth=4).fit(X, targets(X, seed, names))
    rows = rows_of(model.outputs_[0], X, 40)
    check(model, rows, outputs_in_python(model, rows))


@pytest.mark.skipif(not COMPILERS, reason="no C compiler is installed")
@pytest.mark.parametrize("kind", ["mixed", "numbers", "collapsing"])
def test_the_header_checks_itself(kind: str, tmp_path: Path) -> None:
    """And finds a wrong answer."""
    model, _ = made(kind)
    text = to_c(model)
    for header, code in ((text, 0), (_spoilt(text), 1)):
        (tmp_path / "tree.h").write_text(header)
        build = [COMPILERS[0], "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-DTREE_SELF_TEST"]
        subprocess.run(
            [*build, "-x", "c", str(tmp_path / "tree.h"), "-o", str(tmp_path / "check"), "-lm"], check=True
        )
        assert subprocess.run([str(tmp_path / "check")], capture_output=True).returncode == code


def _spoilt(header: str) -> str:
    """The header with one number of the first outcome changed."""
    head, _, rest = header.partition("_outcomes[")
    numbers, _, rest = rest.partition("},")
    *others, last = numbers.split(", ")
    return f"{head}_outcomes[{', '.join([*others, '0x1.5p+0'])}}},{rest}" if last else header


def test_self_tests_find_wrong_answers(tmp_path: Path) -> None:
    model, _ = made("mixed")
    module: dict[str, Any] = {"__name__": "exported"}
    text = to_python(model)
    first = text.index("_OUTCOMES = (")
    exec(text[:first] + text[first:].replace("0.", "0.1", 1), module)
    with pytest.raises(AssertionError, match="should give"):
        module["self_test"]()


def test_names_become_members_of_their_own() -> None:
    """Outputs whose names become the same identifier are told apart; comments tell which is which."""
    model, _ = made("collapsing")
    header = to_c(model)
    start = header.index("struct tree_answer {")
    struct = header[start : header.index("};", start)]
    members = [line.split(";")[0].split()[-1] for line in struct.splitlines()[1:]]
    wanted = "a_b a_b_2 a_b_3 a_b_2_2 class_ select x1 proto x prediction"
    assert members == wanted.split()
    assert "int a_b; /* 'a b': a class" in header
    assert "Object.fromEntries" in to_javascript(model)


def test_comments_say_all_outputs() -> None:
    model, _ = made("numbers")
    first, second = (next(iter(tree.leaves())).label for tree in model.tree_)
    for text in (to_python(model), to_javascript(model), to_c(model)):
        assert "Predicts 'y1': numbers." in text
        assert f"-> y0: {first}; y1: {second}" in text


# --- SQL


@pytest.fixture(scope="module")
def open_database() -> Iterator[Any]:
    with databases() as opened:
        yield opened


def spellings(label: object) -> list[str]:
    """How a class may come out of a database."""
    return [str(label), *([str(int(label)), "t" if label else "f"] if isinstance(label, bool) else [])]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", *(["postgres"] if POSTGRES else [])])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hostile"])
def test_sql(kind: str, dialect: str, open_database: Any) -> None:
    """One statement with a column for each output, and for each class of each."""
    model, rows = rows_for(kind)
    database: Database = open_database(dialect)
    load_rows(database, program_of(model, "the test", outputs=True), rows, "data", {})
    output = "label" if kind == "numbers" else "both"
    text = to_sql(model, dialect=dialect, keep="row number", output=output, n_samples=1)
    found = {int(row[0]): list(row[1:]) for row in database.run(text)}
    answers: list[Answers] = []
    for own in model.outputs_:
        classes = getattr(own, "classes_", None)
        answers.append([])
        for number in range(len(rows)):
            first = found[number].pop(0)
            if classes is None:
                answers[-1].append((as_number(first), None))
                continue
            shares = tuple(as_number(found[number].pop(0)) for _ in classes)
            spelled = {spelling: label for label in classes.tolist() for spelling in spellings(label)}
            answers[-1].append((spelled[str(first)], shares))
    assert not any(found.values())
    check(model, rows, answers, signed_zeros=False)
    test = to_sql(model, dialect=dialect, output=output, self_test=True)
    assert [int(row[0]) for row in database.run(test)] == [0]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql_of_hostile_names(dialect: str, open_database: Any) -> None:
    """The table has other names; outputs and classes keep theirs where they can be read."""
    model, _ = made("hostile")
    names = {name: f"c{place}" for place, name in enumerate(model.feature_names_in_)}
    for output in ("both", "label", "probabilities", "leaf"):
        test = to_sql(model, dialect=dialect, columns=names, output=output, self_test=True)
        assert [int(row[0]) for row in open_database(dialect).run(test)] == [0]


def sql_columns(text: str) -> list[str]:
    """The names of the columns of a statement, from its end."""
    last = text.rpartition("\nSELECT")[2].partition("-- Self-test")[0]
    return [line.rpartition(' AS "')[2].rstrip('",') for line in last.splitlines() if ' AS "' in line]


def test_columns_are_named_after_outputs() -> None:
    model, _ = made("whole classes")
    text = to_sql(model, output="both", dialect="duckdb")
    assert sql_columns(text)[:3] == ["a_prediction", "a_probability_-2", "a_probability_-1"]
    assert "-- a_probability_-2: of output 'a', class -2" in text
    assert sql_columns(to_sql(model, name="guess")) == ["a_guess", "b_guess"]
    long, _ = made("collapsing")  # one of its names is too long
    assert sql_columns(to_sql(long))[:2] == ["output_1_prediction", "output_2_prediction"]
    assert "-- output_1_prediction: of output 'a b'" in to_sql(long)


def test_sql_says_what_it_cannot() -> None:
    numbers, _ = made("numbers")
    with pytest.raises(ArboretumError, match="output='both' is for classes"):
        to_sql(numbers, output="both")
    mixed, _ = made("mixed")
    with pytest.raises(ArboretumError, match="'label_prediction' and 'label_prediction' would be the same"):
        to_sql(mixed, keep="label_prediction")


# --- ONNX


@pytest.mark.parametrize("kind", KINDS)
def test_onnx(kind: str) -> None:
    model, rows = rows_for(kind)
    check(model, rows, outputs_in_onnx(model, rows))
    assert check_onnx(to_onnx(model)) == 32


def test_tensors_are_named_after_outputs() -> None:
    """Columns keep their names, and so do outputs that are called as another one's probabilities would be."""
    X = table(3)[["x", "n"]]
    Y = targets(table(3), 3, ["a", "n", "a_probabilities", ""])
    model = TreeMixed(prune=None, max_depth=3).fit(X, Y)
    session = session_of(to_onnx(model))
    names = ["a", "a_probabilities_", "n_", "a_probabilities", "a_probabilities_probabilities", "output_3"]
    assert [output.name for output in session.get_outputs()] == names
    assert check_onnx(to_onnx(model, inputs="matrix", floats="float32")) == 32


# --- PMML


@pytest.fixture(scope="module")
def scorer() -> Iterator[Scorer]:
    started = Scorer()
    yield started
    started.close()


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hostile"])
def test_pmml(kind: str, scorer: Scorer) -> None:
    """A chain of models, one for each output, and fields with what all of them answer."""
    model, rows = rows_for(kind)
    program = program_of(model, "the test", outputs=True)
    names = {field.name for field in program.fields}
    found = scorer.score(to_pmml(model), given_to_pmml(program, rows))
    targets = [
        str(output.name) if output.name not in names else f"{output.name}_" for output in program.outputs
    ]
    for row, answer, known in zip(rows, found, expected_of_each(program, rows), strict=True):
        theirs = dict(answer)
        assert theirs.pop(targets[-1]) == known[-1][0]  # the answer of the whole is that of the last model
        for output, name, (ours, shares) in zip(program.outputs, targets, known, strict=True):
            assert theirs.pop(f"predicted({name})") == ours, row
            parts = [theirs.pop(f"probability({name}, {pmml_text(label)})") for label in output.classes or ()]
            assert np.allclose(parts, shares or (), rtol=1e-15, atol=0), row
        assert all(name.startswith("tree ") for name in theirs)  # the last model's own


def pmml_text(label: object) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)


def test_pmml_refuses_names_that_xml_cannot_hold() -> None:
    X = table(3)
    model = TreeMixed(prune=None, max_depth=1).fit(X, targets(X, 3, ["a", "b\0"]))
    with pytest.raises(ArboretumError, match=r"An output is called 'b.x00', and XML cannot hold"):
        to_pmml(model)


# --- rules


@pytest.mark.parametrize("kind", KINDS)
def test_rules_as_json(kind: str) -> None:
    model, rows = rows_for(kind)
    for simplify in (True, False):
        check(model, rows, outputs_of_rules(model, rows, simplify=simplify))


def test_rules_as_text() -> None:
    """The conditions of one output, and what all of them predict."""
    model, _ = made("mixed")
    lines = [line for line in to_rules(model).splitlines() if not line.startswith("#")]
    one = to_rules(model.outputs_["value"], figures=False).splitlines()[-len(lines) :]
    for line, other, leaf in zip(lines, one, model.tree_["value"].leaves(), strict=True):
        assert line.partition("→")[0] == other.partition("→")[0]
        assert f"; value: {leaf.label:.6g}; probability: " in line
        assert f"({leaf.n_rows} row" in line
        assert "% of all rows)" in line
