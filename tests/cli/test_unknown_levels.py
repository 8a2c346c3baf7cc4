"""Levels that the model does not know: predict and evaluate count them and say so."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from support.command_line import document, say

from arboretum import TreeClassifier
from arboretum._store.model_files import save


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that asks for a colour and for a size, whose levels are in order."""
    sizes = pd.Categorical(["S", "L", "S", "L"] * 5, categories=["S", "L"], ordered=True)
    X = pd.DataFrame(
        {"colour": ["red", "red", "blue", "blue"] * 5, "size": sizes, "id": [f"n{i}" for i in range(20)]}
    )
    save(TreeClassifier(prune=None).fit(X, ["a", "b", "c", "d"] * 5), tmp_path / "model.json")
    return tmp_path / "model.json"


ROWS = "colour,size,id,y\nred,S,0,a\nmauve,L,new,b\nblue,XL,new,c\nmauve,XXL,1,d\nNA,S,2,a\n"
SENTENCES = [
    "colour: 2 of 5 rows hold a level that the model does not know, such as 'mauve'; it counts as missing",
    "size: 2 of 5 rows hold a level that the model does not know, such as 'XL'; it counts as missing",
]
COUNTS = {"colour": {"rows": 2, "example": "mauve"}, "size": {"rows": 2, "example": "XL"}}


def test_unknown_levels_are_told(model: Path) -> None:
    """A mistyped level was treated as missing in silence; a column that is not asked about is left alone."""
    out = model.parent / "out.csv"
    for words in (("-o", out), ()):
        told = say("predict", model, "-", *words, input=ROWS)
        assert told.exit_code == 0
        assert told.stderr.splitlines() == SENTENCES
    judged = say("evaluate", model, "-", "-t", "y", input=ROWS)
    assert judged.stderr.splitlines() == SENTENCES
    assert say("predict", model, "-", "--quiet", input=ROWS).stderr == ""


def test_unknown_levels_in_documents(model: Path) -> None:
    """Machines find them in the document, which has the field whether there are some or not."""
    out = model.parent / "out.csv"
    assert document("predict", model, "-", "-o", out, input=ROWS)["unknown_levels"] == COUNTS
    assert document("evaluate", model, "-", "-t", "y", input=ROWS)["unknown_levels"] == COUNTS
    known = "colour,size,id,y\nred,S,0,a\n,,,b\n"
    assert document("evaluate", model, "-", "-t", "y", input=known)["unknown_levels"] == {}
    assert document("predict", model, "-", "-o", out, "--force", input=known)["unknown_levels"] == {}


def test_unknown_levels_of_the_other_formats(model: Path) -> None:
    """Columns with types of their own, and cells that are numbers or truth values."""
    rows = [{"colour": colour, "size": size, "id": "0", "y": "a"} for colour, size in ((1, "S"), (True, "M"))]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    found = document("evaluate", model, "-", "--format", "jsonl", "-t", "y", input=lines)["unknown_levels"]
    assert found == {"colour": {"rows": 2, "example": "1"}, "size": {"rows": 1, "example": "M"}}
    sizes = pd.Categorical(["S", "M"], categories=["S", "M"], ordered=True)
    path = model.parent / "rows.parquet"
    pd.DataFrame({"colour": ["red", "red"], "size": sizes, "id": ["0", "0"], "y": ["a", "a"]}).to_parquet(
        path
    )
    found = document("evaluate", model, path, "-t", "y")["unknown_levels"]
    assert found == {"size": {"rows": 1, "example": "M"}}
