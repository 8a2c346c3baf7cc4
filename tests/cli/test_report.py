"""`arboretum report`: a model file and a table become one page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.command_line import document, refused, say

from arboretum import datasets


@pytest.fixture(autouse=True)
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arboretum._report.evidence.rivals.N_TREES", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and the model that was fitted to it."""
    folder = tmp_path_factory.mktemp("report")
    X, y = datasets.load_penguins()
    X.assign(species=y, colony=["a", "b"] * 172).to_csv(folder / "penguins.csv", index=False)
    fit = ("fit", folder / "penguins.csv", "--target", "species", "--drop", "colony", "--prune", "none")
    document(*fit, "-o", folder / "model.json")
    return folder


def test_a_report_is_written_to_a_file(folder: Path) -> None:
    """The table is that of the fit, read from the file: so the fit can be repeated."""
    path = folder / "report.html"
    given = ("report", folder / "model.json", folder / "penguins.csv", "--target", "species")
    also = ("--by", "sex,colony", "--note", "0=we looked", "--resamples", 2, "--title", "Penguins")
    found = document(*given, *also, "-o", path)
    assert found["rows"] == 344
    page = path.read_text(encoding="utf-8")
    assert "<title>Penguins</title>" in page
    assert "grew the same tree again" in page
    assert "By colony" in page
    assert "we looked" in page
    assert say(*given, *also, "-o", path).output.endswith(f"wrote {path}\n")
    assert say(*given, *also).stdout == page


def test_the_target_is_found_or_asked_for(folder: Path, tmp_path: Path) -> None:
    table = folder / "penguins.csv"
    given = ("report", folder / "model.json", table, "--resamples", 2)
    assert "--target is not given, and of columns the model does not ask about there are" in refused(*given)
    assert "target: 'species'" in say(*given, "--by", "colony", "-o", tmp_path / "report.html").stderr
    X, _ = datasets.load_penguins()
    X.to_csv(tmp_path / "alone.csv", index=False)
    alone = say("report", folder / "model.json", tmp_path / "alone.csv", "-o", tmp_path / "report.html")
    assert "no column holds the truth" in alone.stderr
    assert "no target was given" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_weights_groups_and_an_order(tmp_path: Path) -> None:
    X, y, queries = datasets.make_ranking(n_queries=30, rows_per_query=6, random_state=1)
    rows, model, path = tmp_path / "rows.csv", tmp_path / "model.json", tmp_path / "report.html"
    X.assign(relevance=y, query=queries, weight=np.arange(len(y)) % 2 + 1).to_csv(rows, index=False)
    also = ("--target", "relevance", "--groups", "query", "--weights", "weight")
    document("fit", rows, *also, "--task", "ranking", "--prune", "none", "--max-depth", 2, "-o", model)
    document("report", model, rows, *also, "--resamples", 2, "-o", path)
    page = path.read_text(encoding="utf-8")
    assert "NDCG@10" in page
    assert "grew the same tree again" in page
    assert "--groups is not given" in refused(
        "report", model, rows, "--target", "relevance", "--by", "weight,query"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--by", "colour"), "--by"),
        (
            ("--note", "x"),
            "--note 'x' cannot be read; write the number of the node and the text: '3=checked'",
        ),
        (("--note", "9999=x"), "has a note on node 9999"),
        (("--resamples", 1), "--resamples=1 is not allowed"),
        (("-o", "no/such/report.html"), "is in no folder"),
        (("--weights", "colony"), "the column 'colony' is to hold a number"),
        (("--groups", "sex"), "the column 'sex' has no value in row 4 of the table"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(folder: Path, words: tuple[object, ...], says: str) -> None:
    given = ("report", folder / "model.json", folder / "penguins.csv", "--target", "species")
    assert says in refused(*given, *words)


def test_no_table_is_replaced(folder: Path) -> None:
    given = ("report", folder / "model.json", folder / "penguins.csv")
    assert re.search("would be lost", refused(*given, "-o", folder / "penguins.csv"))
