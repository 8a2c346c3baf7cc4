"""The library's warnings on the command line: one note each, in its own words, and a list in the document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.command_line import document, run, say

from arboretum import ConstantColumnWarning
from arboretum._warning import give
from arboretum.cli.cautions import ConstantColumns

RANDOM = np.random.default_rng(3)
N = 300


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A table with an identifier, percentages, noise, and weights of which three count."""
    X = pd.DataFrame(
        {
            "name": [f"row {min(i, 280)}" for i in range(N)],
            "share": [f"{RANDOM.integers(1, 60)}%" for _ in range(N)],
            "x": RANDOM.normal(size=N).round(3),
            "weight": [1.0] * 3 + [1e-9] * (N - 3),
            "y": ["a", "b"] * (N // 2),
        }
    )
    X.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path / "rows.csv"


def warned(*words: object) -> list[str]:
    """Return the warnings that a command prints among its notes."""
    done = say(*words)
    assert done.exit_code == 0, done.output
    return [line for line in done.stderr.splitlines() if "arning" in line]


def test_fit_warns_in_its_own_words(rows: Path) -> None:
    """Options are written as flags, and hints are about them."""
    columns = warned("fit", rows, "-t", "y", "--prune", "none", "--drop", "weight")
    assert columns == [
        "warning: Nearly every value is there once, as in an identifier: column 'name'. What a tree learns "
        "from such values says nothing about other rows. Hint: --drop name leaves it out.",
        "warning: Numbers or dates are stored as text, so that each value is a level of its own, without "
        "order: column 'share' (numbers, such as '1%'). Hint: --numeric share shows the first value that is "
        "not a number, --missing-values makes it missing; --nominal share says that text is meant.",
    ]
    (leaf,) = warned("fit", rows, "-t", "y", "--drop", "name,share,weight", "--min-samples-leaf", 200)
    assert leaf == (
        "warning: The tree is one leaf and predicts 'a' for every row: --min-samples-leaf=200 needs 400 rows "
        "to divide, but there are 300. Hint: lower --min-samples-leaf."
    )
    (weights, *_) = warned("fit", rows, "-t", "y", "--drop", "name,share", "--weights", "weight")
    assert weights.startswith(
        "warning: --weights makes nearly all rows vanish: the 300 rows say as much as 3.0"
    )


def test_what_is_meant_is_no_warning(rows: Path) -> None:
    """`--nominal` says that text is meant, and `--drop` leaves the identifier out; `--quiet` silences all."""
    meant = ("fit", rows, "-t", "y", "--prune", "none", "--drop", "name,weight", "--nominal", "share")
    assert warned(*meant) == []
    assert document(*meant)["warnings"] == []
    assert warned("fit", rows, "-t", "y", "--prune", "none", "--quiet") == []


def test_notes_on_the_table_are_not_repeated(tmp_path: Path) -> None:
    """An id has its note beside the kinds of columns; the document has the warning as well."""
    path = tmp_path / "rows.csv"
    pd.DataFrame({"id": [f"n{i}" for i in range(60)], "x": range(60), "y": ["a", "b"] * 30}).to_csv(path)
    words = ("fit", path, "-t", "y", "--prune", "none", "--drop", "column_1")
    assert warned(*words) == []
    assert "to leave it out: --drop id" in say(*words).stderr
    (found,) = document(*words)["warnings"]
    assert (found["warning"], found["columns"]) == ("IdentifierWarning", ["id"])


def test_warnings_in_documents(rows: Path) -> None:
    """Class, message and columns of each, once."""
    found = document("fit", rows, "-t", "y", "--weights", "weight", "--min-samples-leaf", 200)["warnings"]
    names = ["IdentifierWarning", "TextWarning", "WeightWarning", "OneLeafWarning"]
    assert [each["warning"] for each in found] == names
    assert [each["columns"] for each in found] == [["name"], ["share"], [], []]
    assert all("Hint: " in each["message"] for each in found)
    grid = ("experiment", rows, "-t", "y", "--grid", "max_depth=1,2", "--drop", "weight", "--test")
    found = document(*grid)["warnings"]
    assert [each["warning"] for each in found[:2]] == ["IdentifierWarning", "TextWarning"]
    assert len({each["warning"] for each in found}) == len(found)


def test_nothing_like_a_traceback(rows: Path) -> None:
    """In a process of its own, too, a warning is one line without file and line number."""
    done = run(
        "fit", rows, "-t", "y", "--drop", "weight", "--prune", "none", env={"PYTHONWARNINGS": "always"}
    )
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    assert sum(line.startswith("warning: ") for line in lines) == 2
    assert not any(".py" in line for line in lines)


def test_constant_columns(tmp_path: Path) -> None:
    """A column that is the same in all rows of a table."""
    train, same, varied = tmp_path / "train.csv", tmp_path / "same.csv", tmp_path / "varied.csv"
    pd.DataFrame({"x": range(40), "y": ["a"] * 20 + ["b"] * 20}).to_csv(train, index=False)
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    assert say("fit", train, "-t", "y", "-o", model, "--prune", "none").exit_code == 0
    pd.DataFrame({"x": np.full(3_000, 7), "y": "a"}).to_csv(same, index=False)
    pd.DataFrame({"x": np.arange(3_000) // 2_999, "y": "a"}).to_csv(varied, index=False)
    sentence = (
        "warning: The tree asks about columns that varied when it was fitted, but are the same in all 3,000 "
        "rows now: 'x'. Hint: check that they were filled in; if the rows are alike on purpose, ignore "
        "this warning."
    )
    assert warned("predict", model, same, "--only", "-o", out) == [sentence]
    assert warned("evaluate", model, same, "-t", "y") == [sentence]
    (found,) = document("evaluate", model, same, "-t", "y")["warnings"]
    assert (found["warning"], found["columns"]) == ("ConstantColumnWarning", ["x"])
    assert warned("predict", model, varied, "--only", "-o", out) == []
    assert document("evaluate", model, varied, "-t", "y")["warnings"] == []


def test_constant_columns_of_several_blocks() -> None:
    """Blocks of a sorted file are all alike, but not the file. A last block of few rows says nothing."""

    def after(*blocks: tuple[int, dict[str, str | None]]) -> tuple[dict[str, str | None], int]:
        found = ConstantColumns()
        for n_rows, columns in blocks:
            with found.watching(n_rows):
                if columns:
                    give(ConstantColumnWarning("", columns))
                    give(ConstantColumnWarning("", columns))  # predict and predict_proba
        assert len(found.cautions.found) == bool(found.values)
        return found.values, found.n_rows

    same: dict[str, str | None] = {"x": "7", "z": None}
    assert after((5_000, same), (5_000, same), (10, {})) == (same, 10_000)
    assert after((5_000, same), (5_000, {"x": "7", "z": "0"})) == ({"x": "7"}, 10_000)
    assert after((5_000, {"x": "7"}), (5_000, {"x": "30"})) == ({}, 10_000)
    assert after((5_000, {}), (5_000, same)) == ({}, 10_000)
