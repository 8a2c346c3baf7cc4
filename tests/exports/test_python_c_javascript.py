"""Exports to Python, C and JavaScript answer as the core does: run for real, on every kind of model.

Rows are those of the model's table, values at and beside thresholds, missing and unknown ones. Labels are
compared exactly and doubles bit by bit.
"""

from __future__ import annotations

import ast
import datetime as dt
import itertools
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.export_models import ALL, HOSTILE, deep, exported, rows_of, table_rows
from support.export_running import COMPILERS, NODE, STRICT, differences, run_c, run_javascript, run_python

from arboretum import TreeClassifier, TreeRegressor, datasets
from arboretum._data.times import duration_text
from arboretum._tree.composites import Linear
from arboretum.errors import DataError, ParameterError
from arboretum.export._code.c import to_c
from arboretum.export._code.javascript import to_javascript
from arboretum.export._code.python import to_python
from arboretum.export._onnx.onnx import to_onnx
from arboretum.export._pmml.pmml import to_pmml
from arboretum.export._program.program import stored_value
from arboretum.export._program.samples import _move_to_bound, samples
from arboretum.export._sql.sql import to_sql

# Flags with which the compiler multiplies and adds in one step where the machine can; -march=native would
# leave that to the compiler's taste.
CPU = Path("/proc/cpuinfo")
FUSING = ["-std=gnu99", "-O3", "-ffp-contract=fast"]
FUSING += ["-mfma"] if CPU.exists() and " fma " in CPU.read_text() else []

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")
needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no C compiler is installed")


@pytest.mark.parametrize("kind", ALL)
def test_python_answers_as_the_core_does(kind: str) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X)
    assert not differences(model, rows, run_python(model, rows))


@needs_compiler
@pytest.mark.parametrize("kind", ALL)
def test_c_answers_as_the_core_does(kind: str, tmp_path: Path) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X)
    for compiler in COMPILERS:
        assert not differences(model, rows, run_c(model, rows, tmp_path, compiler=compiler))


@needs_node
@pytest.mark.parametrize("kind", ALL)
def test_javascript_answers_as_the_core_does(kind: str, tmp_path: Path) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X)
    assert not differences(model, rows, run_javascript(model, rows, tmp_path))


# --- the files by themselves


def test_python_file_needs_nothing(tmp_path: Path) -> None:
    """Isolated and without site-packages; and nothing that Python 3.8 does not know."""
    for kind in ("typed", "hostile, fractions", "surrogates", "at least m", "sums"):
        path = tmp_path / "tree.py"
        text = to_python(exported(kind)[0], path)
        assert path.read_text(encoding="ascii") == text
        ast.parse(text, feature_version=(3, 8))
        done = subprocess.run([sys.executable, "-I", "-S", str(path)], capture_output=True, text=True)
        assert done.stdout == "32 rows agree\n", done.stderr


@needs_compiler
def test_c_header_tests_itself(tmp_path: Path) -> None:
    """Also where the compiler may fuse products and sums, which would round otherwise."""
    flags = [STRICT, FUSING]
    for kind in (
        "typed",
        "hostile, fractions",
        "surrogates",
        "at least m",
        "sums of all kinds",
        "losses",
        "numbers",
    ):
        header, program = tmp_path / "iris.h", tmp_path / "iris"
        to_c(exported(kind)[0], header, name="iris", n_samples=300)
        for how in flags:
            command = [
                COMPILERS[0],
                *how,
                "-DIRIS_SELF_TEST",
                "-x",
                "c",
                str(header),
                "-o",
                str(program),
                "-lm",
            ]
            made = subprocess.run(command, capture_output=True, text=True)
            assert made.returncode == 0, made.stderr[:2_000]
            done = subprocess.run([str(program)], capture_output=True, text=True)
            assert (done.returncode, done.stdout) == (0, "300 of 300 rows agree\n")


@needs_compiler
def test_c_headers_stand_side_by_side(tmp_path: Path) -> None:
    """Two trees in one program, included twice, of which only one function is used."""
    to_c(exported("typed")[0], tmp_path / "one.h", name="one")
    to_c(exported("numbers")[0], tmp_path / "two.h", name="two")
    source = tmp_path / "main.c"
    both = '#include "one.h"\n#include "two.h"\n'
    source.write_text(
        f"{both}{both}int main(void) {{ struct two_row row = {{0}}; return two_predict(&row) < 0; }}\n"
    )
    made = subprocess.run(
        [COMPILERS[0], *STRICT, str(source), "-o", str(tmp_path / "main"), "-lm"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    assert subprocess.run([str(tmp_path / "main")]).returncode == 0


@needs_compiler
def test_c_headers_refuse_fast_math(tmp_path: Path) -> None:
    to_c(exported("iris")[0], tmp_path / "tree.h")
    command = [
        COMPILERS[0],
        "-ffast-math",
        "-DTREE_SELF_TEST",
        "-x",
        "c",
        str(tmp_path / "tree.h"),
        "-o",
        "/dev/null",
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode != 0
    assert "-ffast-math" in made.stderr


def _python_disagrees(text: str, folder: Path) -> bool:
    path = folder / "tree.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    return done.returncode != 0 and "AssertionError" in done.stderr


def _c_disagrees(text: str, folder: Path) -> bool:
    path = folder / "tree.h"
    path.write_text(text)
    command = ["gcc", "-DTREE_SELF_TEST", "-x", "c", str(path), "-o", str(folder / "tree"), "-lm"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    return subprocess.run([str(folder / "tree")], capture_output=True).returncode == 1


def _javascript_disagrees(text: str, folder: Path) -> bool:
    path = folder / "tree.mjs"
    path.write_text(f"{text}\nselfTest();\n")
    done = subprocess.run([str(NODE), str(path)], capture_output=True, text=True)
    return done.returncode != 0 and "should give" in done.stderr


@pytest.mark.parametrize(
    ("write", "disagrees", "threshold"),
    [
        (to_python, _python_disagrees, repr),
        pytest.param(to_c, _c_disagrees, lambda t: t.hex(), marks=needs_compiler),
        pytest.param(to_javascript, _javascript_disagrees, repr, marks=needs_node),
    ],
)
def test_self_tests_can_fail(
    write: Callable[[Any], str], disagrees: Callable[[str, Path], bool], threshold: Any, tmp_path: Path
) -> None:
    """A threshold that is one bit too high is noticed."""
    model, _, _ = exported("iris")
    cut = model.tree_.root.question.real
    text = write(model)
    assert not disagrees(text, tmp_path)
    tables, mark, rest = text.partition("_SAMPLES" if write is to_python else "SAMPLES")
    if write is to_c:
        tables, mark, rest = text.partition("struct tree_sample {")
    wrong = tables.replace(threshold(cut), threshold(float(np.nextafter(cut, 9))), 1)
    assert wrong != tables
    assert disagrees(wrong + mark + rest, tmp_path)


@pytest.mark.parametrize("write", [to_python, to_c, to_javascript])
def test_the_same_text_each_time(write: Callable[..., str]) -> None:
    for kind in ("typed", "hostile", "fractions"):
        model, _, _ = exported(kind)
        text = write(model)
        assert text == write(model)
        assert text == write(model.tree_)
        assert text.isascii()


# --- deep trees


def test_deep_trees_in_python_and_javascript(tmp_path: Path) -> None:
    tree, X, _ = deep()
    rows = [*table_rows(tree, X)[::7], {"x0": None}, {"x0": float("inf")}]
    assert not differences(tree, rows, run_python(tree, rows))
    if NODE is not None:
        assert not differences(tree, rows, run_javascript(tree, rows, tmp_path))


@needs_compiler
def test_deep_trees_in_c(tmp_path: Path) -> None:
    tree, X, _ = deep()
    rows = [*table_rows(tree, X)[::7], {"x0": None}, {"x0": float("inf")}]
    assert not differences(tree, rows, run_c(tree, rows, tmp_path))


# --- what is given


def _python(model: Any) -> Callable[[dict[str, Any]], Any]:
    module: dict[str, Any] = {"__name__": "exported"}
    exec(to_python(model), module)
    predict: Callable[[dict[str, Any]], Any] = module["predict"]
    return predict


def test_python_takes_what_data_frames_hold() -> None:
    """Rows straight from pandas, with its scalars: they answer as `predict` does."""
    model, X, _ = exported("typed")
    predict = _python(model)
    rows = [row._asdict() for row in X.itertuples(index=False)]
    assert [predict(row) for row in rows] == model.predict(X).tolist()
    plain = [{name: None if value is pd.NaT else value for name, value in row.items()} for row in rows]
    assert [predict(row) for row in plain] == model.predict(X).tolist()


def test_python_compares_short_floats_exactly() -> None:
    """NumPy would round the threshold to the type of a float32, and the row would cross it."""
    cut = 0.1
    X = np.array([[0.1 - 1e-9], [0.1 + 1e-9]])
    model = TreeClassifier(prune=None).fit(X, [0, 1])
    assert abs(model.tree_.root.question.real - cut) < 1e-12
    assert _python(model)({"x0": np.float32(cut)}) == model.predict(np.array([[cut]], np.float32))[0] == 1


def test_times_are_rounded_down_to_the_units_of_the_column(tmp_path: Path) -> None:
    """Also before 1970 and below zero, where dividing whole numbers would round up; as `predict` does it."""
    days = pl.date_range(pl.date(1969, 12, 20), pl.date(1970, 1, 12), "1d", eager=True)
    stays = pl.Series([dt.timedelta(milliseconds=ms) for ms in range(-12, 12)], dtype=pl.Duration("ms"))
    model = TreeClassifier(prune=None).fit(pl.DataFrame({"day": days, "stay": stays}), np.arange(24) % 2)
    other = TreeClassifier(prune=None).fit(pl.DataFrame({"stay": stays}), np.arange(24) // 2 % 2)
    moments = [dt.datetime(1969, 12, 20) + dt.timedelta(hours=7, minutes=3) * k for k in range(80)]
    lengths = [dt.timedelta(microseconds=300 * k - 12_000) for k in range(80)]
    table = pl.DataFrame({"day": moments, "stay": lengths})
    for each in (model, other):
        wanted = each.predict(table).tolist()
        predict = _python(each)
        assert [predict(row) for row in table.iter_rows(named=True)] == wanted
        written: list[dict[str, object]] = [
            {
                "day": moment.isoformat(),
                "stay": duration_text(round(length / dt.timedelta(microseconds=1)), "us"),
            }
            for moment, length in zip(moments, lengths, strict=True)
        ]
        assert [predict(row) for row in written] == wanted
        if NODE is not None:
            assert [label for label, _ in run_javascript(each, written, tmp_path)] == wanted


@needs_compiler
def test_c_never_fuses_products_with_sums(tmp_path: Path) -> None:
    """Rows whose sum is on the other side of the bound if a product is not rounded before it is added."""
    model, X, _ = exported("sums of all kinds")
    question = model.tree_.root.question
    assert isinstance(question, Linear)
    rng, chance = np.random.default_rng(0), random.Random(0)
    rows: list[dict[str, object]] = []
    for row in itertools.islice(itertools.cycle(table_rows(model, X)), 20_000):
        changed: dict[str, Any] = {**row, "a": float(rng.normal())}
        _move_to_bound(changed, question, chance)
        plain, fused = _sums(question, changed)
        if (plain <= question.threshold) != (fused <= question.threshold):
            rows.append(changed)
    assert len(rows) > 20
    assert not differences(model, rows, run_c(model, rows, tmp_path, compiler=COMPILERS[0], flags=FUSING))


def _sums(question: Linear, row: dict[str, Any]) -> tuple[float, float]:
    """The sum of a row as the core has it, and as a machine has it that multiplies and adds in one step."""
    plain = fused = 0.0
    for term in question.terms:
        stored = stored_value(term.about, row[term.about.name])
        number = (
            term.fill if stored is None else float(stored if term.level is None else stored == term.level)
        )
        plain += term.coefficient * number
        fused = float(Fraction(fused) + Fraction(term.coefficient) * Fraction(number))
    return plain, fused


def test_python_refuses_what_is_not_of_the_kind() -> None:
    model, X, _ = exported("typed")
    predict = _python(model)
    row = X.iloc[1].to_dict()
    for name, wrong in {
        "x": "3",
        "size": 3,
        "day": "soon",
        "zoned": "2024-01-01",
        "stay": 5,
        "code": "10",
    }.items():
        with pytest.raises((TypeError, ValueError), match=name):
            predict({**row, name: wrong})
    with pytest.raises(KeyError, match="'x'; None stands for a missing value"):
        predict({name: value for name, value in row.items() if name != "x"})


@needs_node
def test_javascript_takes_and_refuses(tmp_path: Path) -> None:
    to_javascript(exported("typed")[0], tmp_path / "tree.mjs")
    script = """
      import { predict } from "./tree.mjs";
      import assert from "node:assert";
      const row = { size: "small", flag: true, code: 10, rate: 0.5, mixed: "a", n: 1, x: 0.25,
                    day: "1971-02-03", zoned: "2024-03-31T12:00:00+02:00", stay: "3 days 04:05:06" };
      const label = predict(row);
      assert.equal(predict({ ...row, code: 10n, n: 1n, flag: 1 }), label);
      const dates = { day: new Date("1971-02-03T00:00:00Z"), zoned: new Date("2024-03-31T10:00:00Z") };
      assert.equal(predict({ ...row, ...dates }), label);
      const gone = predict({});
      for (const nothing of [undefined, null])
        assert.equal(predict(Object.fromEntries(Object.keys(row).map((name) => [name, nothing]))), gone);
      assert.equal(predict({ x: NaN, day: new Date(NaN) }), gone);
      const wrongs = { x: "3", size: 3, day: "soon", zoned: "2024-01-01", stay: 5, code: "10" };
      for (const [name, wrong] of Object.entries(wrongs))
        assert.throws(
          () => predict({ ...row, [name]: wrong }),
          (error) => error instanceof TypeError && error.message.includes(name),
        );
    """
    (tmp_path / "check.mjs").write_text(script)
    done = subprocess.run([str(NODE), str(tmp_path / "check.mjs")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("write", [to_python, to_c, to_javascript])
def test_names_must_be_names(write: Callable[..., str]) -> None:
    model, _, _ = exported("iris")
    for name in ("", "two words", "1st", "a;b", "class", 5, "é", "x" * 100):
        with pytest.raises(ParameterError, match="cannot be a name in what to_"):
            write(model, name=name)
    assert "clever" in write(model, name="clever")


def test_names_do_not_hide_the_code() -> None:
    model, _, _ = exported("iris")
    for name in ("zip", "float", "self_test", "re"):
        with pytest.raises(ParameterError, match="cannot be a name"):
            to_python(model, name=name)
    for name in ("rest", "STEPS", "selfTest", "function", "eval"):
        with pytest.raises(ParameterError, match="cannot be a name"):
            to_javascript(model, name=name)


def test_c_refuses_texts_that_no_string_holds() -> None:
    y = [0, 1] * 10
    for level, why in (
        ("a\0b", "a zero byte"),
        ("\ud800", "half of a surrogate pair"),
        ("x" * 5_000, "longer than 4,095"),
    ):
        with pytest.raises(DataError, match=f"(?s)a level of column 'x0'.*{why}"):
            to_c(TreeClassifier(prune=None).fit([[level], ["b"]] * 10, y))
    X = pd.DataFrame({"a": pd.Series([1, "1"] * 10, dtype=object)})
    model = TreeClassifier(prune=None, categorical_features=["a"]).fit(X, y)
    with pytest.raises(DataError, match="several that read '1'"):
        to_c(model)
    rows: list[dict[str, object]] = [{"a": 1}, {"a": "1"}, {"a": 1.0}, {"a": True}]
    assert not differences(model, rows, run_python(model, rows))


def test_c_members_are_identifiers(tmp_path: Path) -> None:
    """Words of C, macros, names that differ only in signs, and names that another member would take."""
    names = [
        "int",
        "NAN",
        "unix",
        "a b",
        "a.b",
        "has_a_b",
        "A B",
        "_x",
        "9",
        "",
        "errno",
        "x" * 200,
        *HOSTILE[:8],
    ]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (400, len(names))), columns=names)
    y = (X.to_numpy() @ rng.normal(size=len(names))).round(3)
    model = TreeRegressor(prune=None, max_depth=9).fit(X, y)
    rows = rows_of(model, X)
    assert not differences(model, rows, run_c(model, rows, tmp_path))


def test_what_models_with_missing_error_do() -> None:
    """Their exports take missing values where the tree sends them; only the estimator refuses."""
    X, y = datasets.load_iris()
    model = TreeClassifier(missing="error").fit(X, y)
    rows = [{name: None for name in X.columns}]
    assert not differences(model, rows, run_python(model, rows))


def test_samples_are_asked_for_by_number() -> None:
    from arboretum.export._program.program import program_of

    model, _, _ = exported("penguins")
    module: dict[str, Any] = {"__name__": "exported"}
    exec(to_python(model, n_samples=100), module)
    assert module["self_test"]() == 100 == len(samples(program_of(model, "the test"), 100))


@pytest.mark.parametrize("name", ["row", "answer", "shares", "number", "share", "k", "label"])
def test_names_that_the_self_test_might_use(name: str, tmp_path: Path) -> None:
    """The function may be called as people call rows and answers; the self-test still finds it."""
    model = exported("penguins")[0]
    module: dict[str, Any] = {"__name__": "tree"}
    exec(to_python(model, name=name), module)
    assert module["self_test"]() == 32
    if NODE is not None:
        to_javascript(model, tmp_path / "tree.mjs", name=name)
        script = 'import { selfTest } from "./tree.mjs"; console.log(selfTest());'
        (tmp_path / "run.mjs").write_text(script)
        done = subprocess.run([NODE, "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == "32", done.stderr


@pytest.mark.parametrize("n_samples", ["a", None, 1.5, 0, -1, True, 10**9])
@pytest.mark.parametrize("write", [to_python, to_c, to_javascript, to_onnx, to_pmml, to_sql])
def test_numbers_of_samples_are_checked(write: Callable[..., Any], n_samples: Any) -> None:
    """In one place for all of them; PMML may have none."""
    model = exported("penguins")[0]
    if write is to_pmml and n_samples == 0 and n_samples is not False:
        assert "ModelVerification" not in write(model, n_samples=n_samples)
        return
    with pytest.raises(ParameterError, match=r"is not a number of rows; choose [01] to [0-9,]+"):
        write(model, n_samples=n_samples)
