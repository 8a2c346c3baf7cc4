"""Every command, within this process: results, documents for machines, exit codes, sentences.

A document is what --json prints. Predictions are compared with those of the library itself.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from importlib.metadata import metadata
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather
from support.command_line import document, refused, say

import arboretum
from arboretum import BaggedClassifier, CostComplexity, Tree, TreeClassifier, TreeMixed, datasets
from arboretum._store.model_files import load, save
from arboretum.cli.outputs import format_of
from arboretum.cli.tables import matching
from arboretum.cli.tables import table as table_module
from arboretum.cli.tables.reading import read_table
from arboretum.cli.tables.writing import open_writer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the penguins, a model of them, and a model of their weight."""
    place = tmp_path_factory.mktemp("penguins")
    X, y = datasets.load_penguins(backend="pandas")
    X.assign(species=y).to_csv(place / "penguins.csv", index=False)
    assert (
        say(
            "fit", place / "penguins.csv", "--target", "species", "-o", place / "species.json", "-q"
        ).exit_code
        == 0
    )
    heavy = X.assign(species=y).dropna()
    heavy.to_csv(place / "heavy.csv", index=False)
    words = ("--target", "body_mass_g", "-o", place / "mass.json", "-q")
    assert say("fit", place / "heavy.csv", *words).exit_code == 0
    return place


def penguins() -> tuple[pd.DataFrame, Any]:
    """The table of the model, as the library loads it."""
    X, y = datasets.load_penguins(backend="pandas")
    return X, y


# fit


def test_fit_prints_the_tree(folder: Path) -> None:
    """Without -o the tree is printed, what the columns were taken for goes to standard error."""
    done = say("fit", folder / "penguins.csv", "--target", "species")
    assert done.exit_code == 0
    assert done.stdout.strip() == str(TreeClassifier().fit(*penguins()).tree_)
    assert "344 rows, 8 columns" in done.stderr
    assert "year               integer" in done.stderr
    assert "11 ('' 11)" in done.stderr
    assert "task: classification, because the target 'species' is nominal" in done.stderr


def test_what_is_odd_about_columns_is_shown(tmp_path: Path) -> None:
    """Notes stand below the table of kinds; signs that would steer a terminal are spelt out."""
    rows = "".join(f"u{i},0{i},{i},{'pq'[i % 2]}\n" for i in range(20))
    (tmp_path / "rows.csv").write_text("id,zip,\x1b[31mred,y\n" + rows)
    done = say("fit", tmp_path / "rows.csv", "-t", "y")
    assert "id: every value is there once, as in an id; to leave it out: --drop id\n" in done.stderr
    assert "zip: some begin with 0, as codes do; to keep them as text: --nominal zip\n" in done.stderr
    assert "\x1b" not in done.stderr
    assert "\\x1b[31mred" in done.stderr
    quiet = say("fit", tmp_path / "rows.csv", "-t", "y", "--quiet")
    assert quiet.stderr == ""


def test_tables_of_many_columns(tmp_path: Path) -> None:
    """Of 300 columns the first hundred are shown, and all are in the document."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, (50, 300)), columns=[f"c{i}" for i in range(300)])
    frame.assign(y=np.where(frame["c7"] > 4, "a", "b")).to_csv(tmp_path / "wide.csv", index=False)
    done = say("fit", tmp_path / "wide.csv", "-t", "y")
    assert "… and 201 more columns (--json shows all)" in done.stderr
    assert done.stderr.count("integer") == 100
    assert "c7 <= 4.5" in done.stdout
    assert len(document("fit", tmp_path / "wide.csv", "-t", "y")["table"]) == 301


def test_fit_writes_the_model_of_the_library(folder: Path) -> None:
    """The model file holds the same tree as a fit in Python."""
    X, y = penguins()
    assert load(folder / "species.json").tree_ == TreeClassifier().fit(X, y).tree_


def test_fit_in_json(folder: Path) -> None:
    """One document: what was learnt, from what, and how it did on rows held out."""
    found = document("fit", folder / "penguins.csv", "-t", "species", "--test", "0.25", "--seed", 3)
    assert set(found) == {
        "task", "rows", "columns", "classes", "leaves", "depth", "alpha", "training_score", "optimality",
        "fingerprint", "test", "table", "warnings",
    }  # fmt: skip
    assert found["optimality"] is None
    assert found["table"][1] == {
        "name": "bill_length_mm", "kind": "number", "missing": 2, "missing_values": {"": 2}, "notes": [],
    }  # fmt: skip
    assert (found["task"], found["rows"], found["classes"]) == (
        "classification",
        258,
        ["Adelie", "Chinstrap", "Gentoo"],
    )
    assert set(found["test"]) == {"rows", "accuracy", "log_loss", "rows_held_impossible", "confusion"}
    assert found["test"]["rows"] == 86
    counts = np.array(found["test"]["confusion"]["counts"])
    assert counts.sum() == 86
    assert found["test"]["accuracy"] == np.trace(counts) / 86
    assert counts.sum(axis=1).tolist() == [38, 17, 31]  # a quarter of each class
    again = document("fit", folder / "penguins.csv", "-t", "species", "--test", "0.25", "--seed", 3)
    other = document("fit", folder / "penguins.csv", "-t", "species", "--test", "0.25", "--seed", 4)
    assert again == found
    assert other != found


@pytest.mark.parametrize(
    ("words", "model"),
    [
        (["--preset", "id3", "--missing", "category"], TreeClassifier.id3(missing="category")),
        (["--preset", "C4.5"], TreeClassifier.c45()),
        (["--preset", "cart", "--max-depth", "2"], TreeClassifier.cart(max_depth=2)),
        (["--prune", "none", "--criterion", "entropy"], TreeClassifier(prune=None, criterion="entropy")),
        (
            ["--prune", "CostComplexity(rule=min, folds=5)", "--seed", "1"],
            TreeClassifier(prune=arboretum.CostComplexity(rule="min", folds=5), random_state=1),
        ),
        (
            ["--nominal-questions", "multiway", "--max-leaf-nodes", "4"],
            TreeClassifier(nominal="multiway", max_leaf_nodes=4),
        ),
        (["--class-weight", "Gentoo=5,Adelie=1"], TreeClassifier(class_weight={"Gentoo": 5, "Adelie": 1})),
        (
            ["--class-weight", "balanced", "--leaf", "MEstimate(m=3)"],
            TreeClassifier(class_weight="balanced", leaf=arboretum.MEstimate(m=3)),
        ),
        (
            ["--loss", "0,9,1;1,0,1;1,1,0"],
            TreeClassifier(loss=[[0.0, 9.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]),
        ),
        (["--priors", "0.2,0.3,0.5"], TreeClassifier(priors=[0.2, 0.3, 0.5])),
        (
            ["--significance", "0.01", "--min-samples-leaf", "0.05"],
            TreeClassifier(significance=0.01, min_samples_leaf=0.05),
        ),
        (
            ["--questions", "mofn", "--max-bins", "16"],
            TreeClassifier(questions=arboretum.MofN(), max_bins=16),
        ),
        (
            ["--jobs", "2", "--competitors", "2", "--thresholds", "observed"],
            TreeClassifier(n_jobs=2, competitors=2, thresholds="observed"),
        ),
    ],
)
def test_options_of_fit(folder: Path, tmp_path: Path, words: list[str], model: TreeClassifier) -> None:
    """Options mean what the keywords of the estimator mean: the trees are equal."""
    path = tmp_path / "model.json"
    done = say("fit", folder / "penguins.csv", "-t", "species", "-o", path, *words)
    assert done.exit_code == 0, done.stderr
    fitted = load(path)
    assert repr(fitted) == repr(model)
    assert fitted.tree_ == model.fit(*penguins()).tree_


def test_the_certificate_of_an_optimal_tree(folder: Path, tmp_path: Path) -> None:
    """What is known of a tree that was searched for as a whole, as a line and in JSON."""
    table, model = folder / "penguins.csv", tmp_path / "model.json"
    search = ["--max-depth", "2", "--prune", "none", "--force", "--search"]
    words: list[Any] = ["fit", table, "-t", "species", "-o", model, *search]
    assert "\noptimal: 6, proven (" in say(*words, "Optimal").stdout
    proven = document(*words, "Optimal")["optimality"]
    names = ("objective", "bound", "gap", "proven", "stopped_by")
    assert [proven[name] for name in names] == [6.0, 6.0, 0.0, True, "proof"]
    assert document(*words, "Optimal(work_limit=1)")["optimality"]["stopped_by"] == "work"


def test_weights_and_groups_are_columns(tmp_path: Path) -> None:
    """They are taken out of the table, and used."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=200), "w": rng.integers(0, 4, 200), "g": rng.integers(0, 20, 200)}
    )
    frame["y"] = np.where(frame["x"] + rng.normal(size=200) > 0, "a", "b")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    words = ("-t", "y", "--weights", "w", "--groups", "g", "-o", tmp_path / "m.json")
    assert say("fit", tmp_path / "rows.csv", *words).exit_code == 0
    model = TreeClassifier().fit(frame[["x"]], frame["y"], frame["w"], groups=frame["g"])
    assert load(tmp_path / "m.json").tree_ == model.tree_
    found = document("fit", tmp_path / "rows.csv", *words[:6], "--test", "0.3")
    assert found["columns"] == ["x"]


def test_tasks(tmp_path: Path) -> None:
    """Numbers are regressed, two integers are classes, and either can be said."""
    rows = "".join(f"{i},{i * 0.5},{i % 2},{i % 5}\n" for i in range(40))
    (tmp_path / "rows.csv").write_text("x,f,two,five\n" + rows)

    def task(target: str, *words: str) -> str:
        return str(document("fit", tmp_path / "rows.csv", "-t", target, *words)["task"])

    assert task("f") == task("five") == task("two", "--task", "regression") == "regression"
    assert (
        task("two")
        == task("five", "--task", "classification")
        == task("five", "--nominal", "five")
        == "classification"
    )
    done = say("fit", tmp_path / "rows.csv", "-t", "five")
    assert (
        "task: regression, because the target 'five' is integer; --task classification does the other"
        in done.stderr
    )


def test_ordered_columns(tmp_path: Path) -> None:
    """Levels in order are asked about by their order, also when predicting."""
    rows = "small,a\nmedium,a\nlarge,b\nhuge,b\n" * 10
    (tmp_path / "rows.csv").write_text("size,y\n" + rows)
    words = ("-t", "y", "--ordered", "size=small,medium,large,huge", "-o", tmp_path / "m.json", "-q")
    assert say("fit", tmp_path / "rows.csv", *words).exit_code == 0
    assert str(load(tmp_path / "m.json").tree_.root.question) == "size <= medium"
    found = say("predict", tmp_path / "m.json", "-", "--only", input="size\nhuge\nsmall\n")
    assert found.stdout == "prediction\nb\na\n"


def test_files_that_list_their_levels_need_only_a_name(tmp_path: Path) -> None:
    """ARFF lists levels in order, and so do ordered dictionaries: `--ordered size` is enough.

    Levels that the file declares used to win over `--ordered size=…`: the column stayed nominal.
    """
    rows = [("small", "a"), ("medium", "a"), ("large", "b"), ("huge", "b")] * 10
    head = "@relation r\n@attribute size {small,medium,large,huge}\n@attribute y {a,b}\n@data\n"
    (tmp_path / "rows.arff").write_text(head + "".join(f"{size},{y}\n" for size, y in rows))
    sizes = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3] * 10), pa.array(["small", "medium", "large", "huge"]), ordered=True
    )
    feather.write_feather(pa.table({"size": sizes, "y": [y for _, y in rows]}), tmp_path / "rows.feather")
    for file in ("rows.arff", "rows.feather"):
        for ordered in ("size", "size=small,medium,large,huge"):
            words = ("-t", "y", "--ordered", ordered, "-o", tmp_path / "m.json", "-q", "--force")
            done = say("fit", tmp_path / file, *words)
            assert done.exit_code == 0, done.stderr
            model = load(tmp_path / "m.json")
            assert str(model.tree_.root.question) == "size <= medium"
            assert model.ordered_features == {"size": ("small", "medium", "large", "huge")}
            listed = say("candidates", tmp_path / file, "-t", "y", "--ordered", ordered, "--json", "-q")
            assert json.loads(listed.stdout)["candidates"][0]["question"] == "size <= medium"


def test_declared_levels_of_arff(tmp_path: Path) -> None:
    """Levels that are declared but do not occur are known to the tree."""
    rows = "".join(f"{colour},{size},{y}\n" for colour, size, y in [("red", 1, "no"), ("blue", 2, "yes")] * 8)
    head = "@relation r\n@attribute colour {red,blue,green}\n@attribute size numeric\n"
    head += "@attribute y {no,yes}\n@data\n"
    (tmp_path / "rows.arff").write_text(head + rows)
    words = ("-t", "y", "--nominal-questions", "multiway", "--drop", "size", "-o", tmp_path / "m.json", "-q")
    assert say("fit", tmp_path / "rows.arff", *words).exit_code == 0
    model = load(tmp_path / "m.json")
    assert model.tree_.columns[0].levels == ("red", "blue", "green")
    assert len(model.tree_.root.children) == 3
    found = say("predict", tmp_path / "m.json", tmp_path / "rows.arff", "-o", tmp_path / "out.arff")
    assert found.exit_code == 0, found.stderr
    text = (tmp_path / "out.arff").read_text()
    assert "@attribute colour {red,blue,green}\n" in text
    assert "@attribute prediction {no,yes}\n" in text
    assert (
        document("evaluate", tmp_path / "m.json", tmp_path / "out.arff", "-t", "prediction")["accuracy"]
        == 1.0
    )


def test_models_of_typed_tables_predict_text(tmp_path: Path) -> None:
    """Truth values, dates and aware instants: learnt from Parquet, predicted from CSV and JSON lines."""
    rng = np.random.default_rng(1)
    days = pd.date_range("2024-01-01", periods=300, freq="D")
    frame = pd.DataFrame(
        {
            "ok": rng.random(300) < 0.5,
            "day": days.date,
            "moment": days.tz_localize("UTC") + pd.to_timedelta(rng.integers(0, 86_400, 300), unit="s"),
            "size": rng.integers(0, 9, 300),
        }
    )
    late = (
        (days > pd.Timestamp("2024-06-01"))
        ^ frame["ok"].to_numpy()
        ^ (frame["moment"].dt.hour > 12).to_numpy()
    )
    frame["y"] = np.where(late, "late", "early")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for format in ("parquet", "csv", "jsonl"):
        path = str(tmp_path / f"rows.{format}")
        with open_writer(path, format_of(path)) as writer:
            writer.write(table)
    words = ("-t", "y", "--prune", "none", "--leaf", "frequency", "-o", tmp_path / "m.json", "-q")
    assert say("fit", tmp_path / "rows.parquet", *words).exit_code == 0
    model = load(tmp_path / "m.json")
    kinds = [column.kind for column in model.tree_.columns]
    assert kinds == ["nominal", "datetime", "datetime", "integer"]
    assert model.get_n_leaves() > 10
    for format in ("parquet", "csv", "jsonl"):
        found = document("evaluate", tmp_path / "m.json", tmp_path / f"rows.{format}", "-t", "y")
        assert found["accuracy"] == model.score(frame.drop(columns="y"), frame["y"]) == 1.0


# show


def test_show(folder: Path, tmp_path: Path) -> None:
    """Text, pictures and pages, to standard output or to files."""
    model = load(folder / "species.json")
    assert say("show", folder / "species.json").stdout == model.tree_.to_text() + "\n"
    shallow = say("show", folder / "species.json", "--max-depth", 1, "--counts").stdout
    assert shallow == model.tree_.to_text(max_depth=1, amounts="counts") + "\n"
    assert say("show", folder / "species.json", "--format", "svg").stdout == arboretum.export.to_svg(model)
    for name, beginning in (
        ("t.svg", b"<svg"),
        ("t.html", b"<!"),
        ("t.png", b"\x89PNG"),
        ("t.txt", b"[344 rows]"),
    ):
        done = say("show", folder / "species.json", "-o", tmp_path / name, "-q")
        assert (done.exit_code, done.stdout) == (0, "")
        assert (tmp_path / name).read_bytes().startswith(beginning)


def test_show_in_json_writes_the_file_as_well(folder: Path, tmp_path: Path) -> None:
    """`show --json -o FILE` ignored -o: the file is written, and the document names it."""
    found = document("show", folder / "species.json", "-o", tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text().lstrip().startswith("<svg")
    assert found["output"] == str(tmp_path / "tree.svg")
    assert "output" not in document("show", folder / "species.json")


def test_show_in_json(folder: Path) -> None:
    """Every node with its numbers."""
    found = document("show", folder / "species.json")
    tree = load(folder / "species.json").tree_
    assert found["model"] == "TreeClassifier"
    assert len(found["nodes"]) == len(tree)
    assert found["nodes"][0]["question"] == str(tree.root.question)
    assert [node["label"] for node in found["nodes"]] == [node.label for node in tree.walk()]


def test_show_the_summary(folder: Path, tmp_path: Path) -> None:
    """The summary as text, as a document, and in a file; a picture of it is refused."""
    summary = load(folder / "species.json").summary()
    assert say("show", folder / "species.json", "--summary").stdout == f"{summary}\n"
    assert document("show", folder / "species.json", "--summary") == json.loads(summary.to_json())
    done = say("show", folder / "species.json", "--summary", "-o", tmp_path / "summary.txt", "-q")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "summary.txt").read_text(encoding="utf-8") == f"{summary}\n"
    for words in (("--format", "svg"), ("-o", tmp_path / "summary.svg")):
        sentence = refused("show", folder / "species.json", "--summary", *words)
        assert sentence == "--summary is text or html, and does not go with svg."
    say("show", folder / "species.json", "--summary", "-o", tmp_path / "summary.html", "--dark", "-q")
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert page == summary.to_html(theme="dark")
    assert say("show", folder / "species.json", "--summary", "--format", "html").stdout == summary.to_html()
    assert "known are .txt" in refused("show", folder / "species.json", "--summary", "-o", tmp_path / "a.xyz")
    save(load(folder / "species.json").tree_, tmp_path / "tree.json")
    assert "not known of a tree by itself" in say("show", tmp_path / "tree.json", "--summary").stdout


# predict


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "arff", "parquet", "arrow", "csv.gz"])
@pytest.mark.parametrize("source", ["csv", "tsv.gz", "jsonl", "arff", "parquet", "arrow"])
def test_predictions_in_every_format(folder: Path, tmp_path: Path, source: str, to: str) -> None:
    """344 rows from six formats into seven: labels and probabilities are the library's, to the last bit."""
    X, _ = penguins()
    table = read_table(str(folder / "penguins.csv"), format_of("x.csv"))
    typed = pa.Table.from_pandas(X, preserve_index=False)
    path, out = str(tmp_path / f"rows.{source}"), str(tmp_path / f"out.{to}")
    with open_writer(path, format_of(path)) as writer:
        writer.write(typed if source in ("jsonl", "arff", "parquet", "arrow") else table.columns)
    done = say("predict", folder / "species.json", path, "-o", out, "--proba")
    assert done.exit_code == 0, done.stderr
    model = load(folder / "species.json")
    found = read_table(out, format_of(out)).columns
    assert found.column("prediction").to_pylist() == model.predict(X).tolist()
    probability = model.predict_proba(X)
    for place, label in enumerate(model.classes_):
        column = found.column(f"probability_{label}").to_pylist()
        assert [float(value) for value in column] == probability[:, place].tolist()
    assert found.num_rows == 344
    assert found.column_names[:2] == ["island", "bill_length_mm"]


def test_cells_are_kept_as_they_are(folder: Path) -> None:
    """What is not asked about comes through untouched: spaces, quotes, missing values as written."""
    X, _ = penguins()
    row = "Biscoe,39.10,18.7,181,NA,male,2007"
    text = ",".join(X.columns) + ",note\n" + row + ',"a ""b"", c"\n' + row + ", x \n"
    done = say("predict", folder / "species.json", "-", input=text)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == text.replace("note\n", "note,prediction\n").replace('c"\n', 'c",Adelie\n').replace(
        " x \n", " x ,Adelie\n"
    )
    kept = say("predict", folder / "species.json", "-", "--keep", "note,island", "--name", "p", input=text)
    assert kept.stdout == 'note,island,p\n"a ""b"", c",Biscoe,Adelie\n x ,Biscoe,Adelie\n'
    rows = say("predict", folder / "species.json", "-", "--only", "--json", input=text).stdout
    assert [json.loads(line) for line in rows.splitlines()] == [{"prediction": "Adelie"}] * 2
    head = say("predict", folder / "species.json", "-", "--only", input=text.splitlines()[0] + "\n")
    assert head.stdout == "prediction\n"


def test_predict_numbers(folder: Path, tmp_path: Path) -> None:
    """A regression tree adds numbers, with all their digits."""
    done = say("predict", folder / "mass.json", folder / "heavy.csv", "--only")
    model = load(folder / "mass.json")
    X = pd.read_csv(folder / "heavy.csv")
    assert list(map(float, done.stdout.split()[1:])) == model.predict(X).tolist()
    found = document(
        "predict", folder / "mass.json", folder / "heavy.csv", "--only", "-o", tmp_path / "o.csv"
    )
    assert found == {
        "rows": 333,
        "output": str(tmp_path / "o.csv"),
        "columns": ["prediction"],
        "unknown_levels": {},
        "warnings": [],
    }


def test_large_integers_cross_no_threshold(tmp_path: Path) -> None:
    """The same row has the same answer beside any other, also beyond 2**53; evaluate agrees."""
    X = pd.DataFrame({"x": [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2]})
    model = TreeClassifier(prune=None, leaf="frequency").fit(X, ["lo", "lo", "hi", "hi"])
    save(model, tmp_path / "m.json")
    for other, answer in (("0.5", "lo"), ("1e3", "lo"), ("-1", "lo"), (str(2**63 + 5), "hi")):
        table = f"x\n{2**53 + 1}\n{other}\n{-(2**53) - 1}\n{2**53}\n"
        found = say("predict", tmp_path / "m.json", "-", "--only", "--proba", input=table)
        lines = ["hi,1,0", f"{answer},{'1,0' if answer == 'hi' else '0,1'}", "lo,0,1", "lo,0,1"]
        assert [line.replace(".0", "") for line in found.stdout.split()[1:]] == lines, found.stdout
    judged = f"x,y\n{2**53 + 1},hi\n0.5,lo\n{2**53},lo\n"
    assert document("evaluate", tmp_path / "m.json", "-", "-t", "y", input=judged)["accuracy"] == 1.0


def test_numbers_as_levels_of_json_lines(tmp_path: Path) -> None:
    """A level that was a number beside text is known again where all are numbers."""
    rows = '{"c": "a", "y": "p"}\n' * 10 + '{"c": 1.0, "y": "q"}\n' * 10
    words = ("fit", "-", "--format", "jsonl", "-t", "y", "-o", tmp_path / "m.json", "-q")
    assert say(*words, input=rows).exit_code == 0
    for table, answers in (
        ('{"c": 1.0}\n' * 2, "qq"),
        ('{"c": 1.0}\n' * 2 + '{"c": "a"}\n', "qqp"),
        ('{"c": 1}\n', "q"),
    ):
        found = say("predict", tmp_path / "m.json", "-", "--format", "jsonl", "--only", input=table)
        assert found.stdout.split()[1:] == list(answers)


def test_many_classes_are_predicted_in_small_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One column, 50 classes and 4 million rows in a block ended in an error of Arrow's after 7 GB."""
    n_classes = 12
    X = pd.DataFrame({"x": np.arange(200) % 100})
    y = [f"c{x * n_classes // 100}" for x in X["x"]]
    save(TreeClassifier(prune=None).fit(X, y), tmp_path / "m.json")
    rows = X.assign(y=y).to_csv(index=False)
    jsonl = X.assign(y=y).to_json(orient="records", lines=True)
    predict = ("predict", tmp_path / "m.json", "-", "--proba")
    evaluate = ("evaluate", tmp_path / "m.json", "-", "-t", "y")
    whole = [say(*words, input=rows).stdout for words in (predict, evaluate)]
    sizes: list[int] = []

    def spy(piece: Any, *given: Any) -> Any:
        sizes.append(len(piece))
        return match_parts(piece, *given)

    match_parts = matching.match_parts
    monkeypatch.setattr(matching, "match_parts", spy)
    monkeypatch.setattr(table_module, "MOST_CELLS", 100)
    assert [say(*words, input=rows).stdout for words in (predict, evaluate)] == whole
    assert say(*predict, "--format", "jsonl", "--output-format", "csv", input=jsonl).stdout == whole[0]
    assert set(sizes) == {100 // (1 + n_classes), 200 % (100 // (1 + n_classes))}
    assert sum(sizes) == 600
    refusal = refused(*predict, "-o", tmp_path / "out.csv", input=rows + "z,c1\n")
    assert "line 202: the column 'x' is to hold a number" in refusal


def test_trees_and_models_of_arrays(tmp_path: Path) -> None:
    """A tree alone predicts too, and columns without names are taken by place."""
    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]])
    model = TreeClassifier(prune=None).fit(X, [10, 10, 20, 20])
    save(model, tmp_path / "array.json")
    save(model.tree_, tmp_path / "tree.json")
    assert isinstance(load(tmp_path / "tree.json"), Tree)
    for name in ("array.json", "tree.json"):
        found = say("predict", tmp_path / name, "-", "--only", input="p,q\n0.5,1\n2.5,0\n")
        assert found.stdout == "prediction\n10\n20\n", found.stderr
        # Standard output holds the rows alone, but what should be known is told beside it.
        assert found.stderr == (
            "the model knows its columns by place: they are taken in the order of the table\n"
        )
        quiet = say("predict", tmp_path / name, "-", "--only", "-q", input="p,q\n0.5,1\n2.5,0\n")
        assert (quiet.stdout, quiet.stderr) == (found.stdout, "")
        (tmp_path / "weighed.csv").write_text("p,w,q,y\n0.5,3,1,10\n2.5,1,0,10\n")
        words = ("evaluate", tmp_path / name, tmp_path / "weighed.csv", "-t", "y", "--weights", "w")
        assert document(*words)["accuracy"] == 0.75
    sentence = refused("predict", tmp_path / "array.json", "-", input="p\n1\n")
    assert sentence.startswith("The model knows its 2 columns by place, but the table has 1.")


# evaluate


def test_evaluate_classes(folder: Path) -> None:
    """Accuracy, log loss and the confusion matrix, as scikit-learn has them."""
    from sklearn.metrics import confusion_matrix, log_loss

    X, y = penguins()
    model = load(folder / "species.json")
    found = document("evaluate", folder / "species.json", folder / "penguins.csv", "--target", "species")
    assert found["rows"] == 344
    assert found["accuracy"] == model.score(X, y)
    assert found["confusion"]["counts"] == confusion_matrix(y, model.predict(X)).tolist()
    truth = model.predict_proba(X)[np.arange(344), np.searchsorted(model.classes_, y)]
    impossible = int((truth == 0).sum())
    assert found["rows_held_impossible"] == impossible
    assert (found["log_loss"] is None) == (impossible > 0)
    if not impossible:
        assert found["log_loss"] == pytest.approx(log_loss(y, model.predict_proba(X)))
    text = say("evaluate", folder / "species.json", folder / "penguins.csv", "--target", "species").stdout
    assert f"accuracy  {found['accuracy']:.4f}" in text
    assert "true \\ predicted" in text


def test_the_target_may_be_left_out(folder: Path, tmp_path: Path) -> None:
    """Where only one column is not asked about it is the target, and that is told."""
    named = document("evaluate", folder / "species.json", folder / "penguins.csv", "--target", "species")
    assert document("evaluate", folder / "species.json", folder / "penguins.csv") == named
    told = say("evaluate", folder / "species.json", folder / "penguins.csv").stderr
    assert told == "target: 'species', the only column that the model does not ask about\n"
    X, y = penguins()
    X.assign(a=y, b=y).to_csv(tmp_path / "two.csv", index=False)
    X.to_csv(tmp_path / "none.csv", index=False)
    assert "there are 'a', 'b'" in refused("evaluate", folder / "species.json", tmp_path / "two.csv")
    assert "there is none" in refused("evaluate", folder / "species.json", tmp_path / "none.csv")


def test_evaluate_with_weights_and_unknown_classes(tmp_path: Path) -> None:
    """Rows count by their weight; a class that the model does not know is a mistake, and is told."""
    save(
        TreeClassifier(leaf="laplace", prune=None).fit(pd.DataFrame({"x": [0, 1, 2, 3]}), list("aabb")),
        tmp_path / "m.json",
    )
    rows = "x,y,w\n0,a,2\n3,b,1\n3,a,1\n0,c,0\n"
    (tmp_path / "rows.csv").write_text(rows)
    found = document("evaluate", tmp_path / "m.json", tmp_path / "rows.csv", "-t", "y", "--weights", "w")
    assert found["accuracy"] == 0.75
    assert found["log_loss"] == pytest.approx((3 * -np.log(0.75) - np.log(0.25)) / 4)
    assert found["confusion"] == {
        "true": ["a", "b", "c"],
        "predicted": ["a", "b"],
        "counts": [[2, 1], [0, 1], [0, 0]],
    }
    text = say("evaluate", tmp_path / "m.json", tmp_path / "rows.csv", "-t", "y").stdout
    assert "infinite (1 row of a class held impossible; fit --leaf shrinkage avoids that)" in text
    assert "classes that the model does not know: c" in text
    (tmp_path / "none.csv").write_text("x,y\n")
    assert refused("evaluate", tmp_path / "m.json", tmp_path / "none.csv", "-t", "y", code=1).startswith(
        "There are no rows"
    )
    (tmp_path / "odd.csv").write_text("x,y,w\n0,a,-1\n")
    sentence = refused("evaluate", tmp_path / "m.json", tmp_path / "odd.csv", "-t", "y", "--weights", "w")
    assert "line 2: the weight 'w' is -1.0" in sentence


def test_evaluate_numbers(folder: Path) -> None:
    """MSE, MAE and R², as scikit-learn has them, added up over chunks."""
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    from arboretum.cli.scores import NumberScores

    X = pd.read_csv(folder / "heavy.csv")
    truth, predicted = X["body_mass_g"].to_numpy(), load(folder / "mass.json").predict(X)
    found = document("evaluate", folder / "mass.json", folder / "heavy.csv", "-t", "body_mass_g")
    expected = [
        mean_squared_error(truth, predicted),
        mean_absolute_error(truth, predicted),
        r2_score(truth, predicted),
    ]
    assert [found["mse"], found["mae"], found["r2"]] == pytest.approx(expected)
    parts = NumberScores()
    for begin in range(0, len(truth), 50):
        parts.add(truth[begin : begin + 50], predicted[begin : begin + 50], None, None)
    assert [parts.document()[name] for name in ("mse", "mae", "r2")] == pytest.approx(expected)


# prune


def test_prune(folder: Path, tmp_path: Path) -> None:
    """Other sizes of the same tree, those of the library."""
    model = load(folder / "species.json")
    classic = TreeClassifier(prune=CostComplexity(rule="1se_unpaired")).fit(*penguins())
    ways: list[tuple[list[str], Any]] = [
        (["--leaves", "3"], model.pruned(leaves=3)),
        (["--alpha", "0.02"], model.pruned(alpha=0.02)),
        (["--none"], model.unpruned()),
    ]
    for words, expected in ways:
        done = say("prune", folder / "species.json", *words, "-o", tmp_path / "small.json.gz")
        assert done.exit_code == 0, done.stderr
        assert load(tmp_path / "small.json.gz").tree_ == expected.tree_
    within = document("prune", folder / "species.json", "--1se")
    assert within["leaves"] == classic.get_n_leaves()
    least = document("prune", folder / "species.json", "--min")
    path = model.pruning_path_
    assert least["leaves"] == path.leaves[np.flatnonzero(path.cv_risk == path.cv_risk.min())[-1]]
    assert say("prune", folder / "species.json").stdout == f"{path}\n"
    found = document("prune", folder / "species.json")["path"]
    assert [step["leaves"] for step in found] == path.leaves.tolist()
    assert [step["chosen"] for step in found].index(True) == path.chosen


def test_prune_refuses(folder: Path, tmp_path: Path) -> None:
    """Two ways at once, -o without a way, trees alone, models without CV risk."""
    assert refused("prune", folder / "species.json", "--leaves", 2, "--none").startswith(
        "Give one of --leaves"
    )
    assert refused("prune", folder / "species.json", "-o", "x.json").startswith("-o writes another tree")
    assert "leaves=0 is not allowed" in refused("prune", folder / "species.json", "--leaves", 0)
    save(load(folder / "species.json").tree_, tmp_path / "tree.json")
    assert "holds a tree alone" in refused("prune", tmp_path / "tree.json")
    save(TreeClassifier(prune=None).fit(*datasets.load_iris()), tmp_path / "raw.json")
    assert "The model has no CV risk" in refused("prune", tmp_path / "raw.json", "--1se", code=1)


# export


def test_export_pictures(folder: Path, tmp_path: Path) -> None:
    """What is exported is what the exporter gives, with its options."""
    model = load(folder / "species.json")
    svg = arboretum.export.to_svg(model, theme="dark", max_depth=1)
    words = ("--to", "svg", "-O", "theme=dark", "-O", "max-depth=1")
    assert say("export", folder / "species.json", *words).stdout == svg
    assert say("export", folder / "species.json", *words, "-o", tmp_path / "t.svg").exit_code == 0
    assert (tmp_path / "t.svg").read_text() == svg
    found = document("export", folder / "species.json", *words)
    assert (found["to"], found["content"]) == ("svg", svg)


def test_commands_are_for_one_tree(tmp_path: Path) -> None:
    """A file of an ensemble, or of several outputs, is refused in words of the command line."""
    X, y = arboretum.datasets.load_iris()
    arboretum.save(arboretum.BaggedClassifier(n_trees=3).fit(X, y), tmp_path / "forest.json")
    arboretum.save(arboretum.TreeRegressor().fit(X, X.iloc[:, :2]), tmp_path / "two.json")
    X.to_csv(tmp_path / "iris.csv", index=False)
    for command, *words in (("show", "--summary"), ("explain", tmp_path / "iris.csv")):
        told = refused(command, tmp_path / "forest.json", *words)
        assert "holds 3 trees of a BaggedClassifier, but this command is for one" in told
        told = refused(command, tmp_path / "two.json", *words)
        assert "has 2 outputs, 'sepal_length', 'sepal_width', but this command is for one" in told


def test_predict_by_ensembles_and_several_outputs(tmp_path: Path) -> None:
    """Each output has columns of its own, by its name; a level is unknown once, whatever the outputs."""
    X, y = arboretum.datasets.load_penguins()
    outputs = X[["body_mass_g"]].fillna(4000).assign(species=y)
    X = X.drop(columns="body_mass_g").assign(island=X["island"].astype(str))
    X.assign(island=X["island"].where(X.index != 3, "Atlantis")).to_csv(tmp_path / "new.csv", index=False)
    known = pd.read_csv(tmp_path / "new.csv").replace("Atlantis", np.nan)
    mixed, forest = TreeMixed(max_depth=3).fit(X, outputs), BaggedClassifier(n_trees=5).fit(X, y)
    for file, model in (("mixed", mixed), ("forest", forest)):
        save(model, tmp_path / f"{file}.json")
    words = ("predict", tmp_path / "mixed.json", tmp_path / "new.csv", "--proba", "--only")
    done = say(*words, "--name", "said")
    assert done.stderr.count("Atlantis") == 1
    found = pd.read_csv(StringIO(done.stdout))
    assert list(found.columns[:3]) == ["body_mass_g_said", "species_said", "species_probability_Adelie"]
    by_hand = mixed.predict(known)
    assert found["body_mass_g_said"].tolist() == by_hand[:, 0].tolist()
    assert found["species_said"].tolist() == by_hand[:, 1].tolist()
    assert (found.iloc[:, 2:].to_numpy() == mixed.outputs_["species"].predict_proba(known)).all()
    found = pd.read_csv(
        StringIO(say("predict", tmp_path / "forest.json", tmp_path / "new.csv", "--proba").stdout)
    )
    assert found["prediction"].tolist() == forest.predict(known).tolist()
    assert (found.iloc[:, -3:].to_numpy() == forest.predict_proba(known)).all()
    known.assign(species=y).to_csv(tmp_path / "test.csv", index=False)
    told = document("evaluate", tmp_path / "forest.json", tmp_path / "test.csv")
    assert told["accuracy"] == pytest.approx(forest.score(known, y))
    assert "has 2 outputs" in refused("evaluate", tmp_path / "mixed.json", tmp_path / "test.csv")


def test_show_and_export_several_outputs(tmp_path: Path) -> None:
    """The texts, pages and programs are those of Python, and programs check themselves."""
    X, y = arboretum.datasets.load_iris()
    model = arboretum.TreeMixed(max_depth=2).fit(X.iloc[:, :3], X.iloc[:, 3:].assign(species=y))
    file = tmp_path / "two.json"
    arboretum.save(model, file)
    assert say("show", file).stdout == f"{model.tree_}\n"
    assert say("show", file, "--format", "html").stdout == arboretum.export.to_html(model)
    assert say("show", file, "--format", "svg").stdout == arboretum.export.to_svg(model)
    assert "--counts is for one output" in refused("show", file, "--counts")
    outputs = document("show", file)["outputs"]
    assert [each["model"] for each in outputs.values()] == ["TreeRegressor", "TreeClassifier"]
    for target in ("python", "sql", "pmml", "rules", "html", "dot"):
        done = say("export", file, "--to", target)
        assert done.stdout.rstrip("\n") == exporter(target)(model).rstrip("\n")
    assert "self-test: 32 rows agree" in say("export", file, "--to", "python", "--check").stderr


def exporter(target: str) -> Any:
    return getattr(arboretum.export, f"to_{target}")


def test_export_ensembles(tmp_path: Path) -> None:
    """A file may hold an ensemble; what is for one tree says so."""
    X, y = arboretum.datasets.load_iris()
    arboretum.save(arboretum.BaggedClassifier(n_trees=3).fit(X, y), tmp_path / "forest.json")
    found = document("export", tmp_path / "forest.json", "--to", "python", "--check")
    assert found["content"].startswith("# The mean of 3 decision trees")
    assert "32" in str(found["self_test"])
    assert "give one of its trees" in refused("export", tmp_path / "forest.json", "--to", "svg")


@pytest.mark.parametrize("target", ["python", "c", "javascript", "sql", "pmml"])
def test_numbers_of_samples_are_checked(folder: Path, target: str) -> None:
    """By the same sentence, whatever is written."""
    for given in ("abc", "1.5", "-1", "true"):
        words = ("export", folder / "mass.json", "--to", target, "-O", f"n_samples={given}")
        assert "is not a number of rows; choose " in refused(*words)


def test_export_refuses(folder: Path) -> None:
    """Unknown targets and options by name; --check only where something can be run."""
    assert "--to='sqll' is not known" in refused("export", folder / "species.json", "--to", "sqll")
    assert "--to svg: --option='colour' is not known" in refused(
        "export", folder / "species.json", "--to", "svg", "-O", "colour=red"
    )
    assert "--to svg: --dialect='dialect' is not known" in refused(
        "export", folder / "species.json", "--to", "svg", "--dialect", "sqlite"
    )
    assert "--option 'x' cannot be read" in refused(
        "export", folder / "species.json", "--to", "svg", "-O", "x"
    )
    assert "--check can run python" in refused("export", folder / "species.json", "--to", "svg", "--check")


def test_targets_follow_the_package(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the package exports is what --to offers: nothing else is to be changed for a new export."""
    monkeypatch.delattr(arboretum.export, "to_svg")
    sentence = refused("export", folder / "species.json", "--to", "svg")
    assert sentence.startswith("--to='svg' is not known; choose 'c', 'dot', 'html'")

    def to_haiku(model: Any, path: str | None = None, *, lines: int = 3) -> str:
        return f"{lines} lines, written by arboretum 1\n"

    monkeypatch.setattr(arboretum.export, "to_haiku", to_haiku, raising=False)
    made = tmp_path / "tree.haiku"
    assert "haiku" in say("export", "--help").stdout
    for n_lines in ("3", "5"):  # an export may replace an export
        say("export", folder / "species.json", "--to", "haiku", "-O", f"lines={n_lines}", "-o", made)
        assert made.read_text() == f"{n_lines} lines, written by arboretum 1\n"
    made.write_text("Of my own")
    sentence = refused("export", folder / "species.json", "--to", "haiku", "-o", made)
    assert "would replace a file of another kind by an export to haiku" in sentence


@pytest.mark.parametrize("target", ["python", "javascript", "c"])
def test_self_tests_are_run(folder: Path, target: str) -> None:
    """--check runs the self-test of the export; one that fails is exit code 1."""
    from arboretum.cli.commands.export import run_self_test
    from arboretum.cli.printing import WorkError

    program = {"python": sys.executable, "javascript": "node", "c": "cc"}[target]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    found = document("export", folder / "species.json", "--to", target, "--check")
    assert found["self_test"]
    wrong = {
        "python": "raise SystemExit('row 3 differs')",
        "javascript": "export function selfTest() { throw new Error('row 3 differs'); }",
        "c": "#ifdef T_SELF_TEST\nint puts(const char*);\n"
        'int main(void) { puts("row 3 differs"); return 1; }\n#endif\n',
    }
    with pytest.raises(WorkError, match=r"The self-test failed: .*row 3 differs"):
        run_self_test(target, wrong[target], {})


# experiment, candidates, demo, version


def test_experiment(folder: Path, tmp_path: Path) -> None:
    """The same results as the library's own experiment."""
    grid = ("--grid", "max_depth=1,2,none", "--grid", "prune=none,cost_complexity(folds=5, rule=min)")
    found = document(
        "experiment", folder / "penguins.csv", "-t", "species", *grid, "--test", "-o", tmp_path / "m.json"
    )
    X, y = penguins()
    own = arboretum.Experiment(X, y)
    pruners = [None, arboretum.CostComplexity(folds=5, rule="min")]
    own.grid(TreeClassifier(), {"max_depth": [1, 2, None], "prune": pruners})
    assert [each["development_loss"] for each in found["results"]] == [
        r.development_loss for r in own.results
    ]
    assert found["best"]["setting"]["max_depth"] == own.best.setting["max_depth"]
    score = own.test()
    assert (found["test"]["loss"], found["test"]["rows"]) == (score.loss, score.n_rows)
    assert tuple(found["test"]["interval"]) == pytest.approx(score.interval)
    assert load(tmp_path / "m.json").tree_ == score.estimator.tree_
    words = (
        "experiment",
        folder / "penguins.csv",
        "-t",
        "species",
        "--split",
        "0.8,0.2",
        "-g",
        "max_depth=1,2,3",
    )
    text = say(*words, "--random", 2, "-q").stdout
    assert "cross-validated" in text
    assert "best: " in text
    assert "test loss" not in text


def test_experiment_by_any_measure(folder: Path) -> None:
    """Names of measures, older ones too; also inside a strategy."""
    words = ("experiment", folder / "penguins.csv", "-t", "species", "-g", "max_depth=2", "--test", "-q")
    assert "test loss (1 - auc)" in say(*words, "--loss", "auc").stdout
    assert "test loss (brier)" in say(*words, "--loss", "brier").stdout
    assert "test loss (misclassification)" in say(*words, "--loss", "zero_one").stdout
    fitted = say("fit", folder / "penguins.csv", "-t", "species", "--prune", "CostComplexity(measure=auc)")
    assert "rows]" in fitted.stdout


def test_experiment_refuses(folder: Path) -> None:
    """Grids, splits and losses that cannot be read."""
    words = ("experiment", folder / "penguins.csv", "-t", "species")
    assert "--grid 'max_depth' cannot be read" in refused(*words, "--grid", "max_depth")
    assert "has no parameter 'max_dept'" in refused(*words, "--grid", "max_dept=1")
    assert "gives 'max_depth' twice" in refused(*words, "-g", "max_depth=1", "-g", "max-depth=2")
    assert "--split 'half' cannot be read" in refused(*words, "--split", "half")
    assert "--loss='some' is not known" in refused(*words, "--loss", "some")
    assert "is not a square matrix of numbers" in refused(*words, "--loss", "0,1")


def test_candidates(folder: Path) -> None:
    """The table of the library, best first."""
    X, y = penguins()
    own = arboretum.candidates(X, y, criterion="entropy")
    found = document(
        "candidates", folder / "penguins.csv", "-t", "species", "--criterion", "entropy", "--top", 7
    )
    assert found["count"] == len(own)
    assert [each["question"] for each in found["candidates"]] == [
        str(question) for question in own["question"][:7]
    ]
    assert [each["gain"] for each in found["candidates"]] == own["gain"][:7].tolist()
    text = say("candidates", folder / "penguins.csv", "-t", "species", "--top", 3, "-q").stdout
    assert text.splitlines()[0].split() == [
        "question",
        "gain",
        "gain_ratio",
        "impurity",
        "score",
        "p_value",
        "children",
    ]
    assert found["candidates"][0]["impurities"] == list(own["impurities"].iloc[0])
    assert "more (--top 0 lists all)" in text
    assert "--top -1 is not allowed" in refused(
        "candidates", folder / "penguins.csv", "-t", "species", "--top", -1
    )


def test_candidates_as_the_notes_write_them(folder: Path) -> None:
    """Digits in place of bits, times the number of rows, and with what lies behind a question."""
    X, y = penguins()
    options = ("--search", "Lookahead(top=3)", "--criterion", "entropy", "--base", 10, "--times-n")
    found = document("candidates", folder / "penguins.csv", "-t", "species", "--top", 1, *options)
    own = arboretum.candidates(
        X, y, search=arboretum.Lookahead(top=3), criterion="entropy", base=10, times_n=True
    )
    for name in ("question", "worth", "gain", "score"):
        assert found["candidates"][0][name] == own[name].iloc[0]


def test_trace(folder: Path, tmp_path: Path) -> None:
    """Growth step by step, in every writing; the same steps as the library tells."""
    data, options = folder / "penguins.csv", ("-t", "species", "--max-depth", 2, "--prune", "none")
    X, y = penguins()
    own = arboretum.trace(TreeClassifier(max_depth=2, prune=None), X, y)
    say("trace", data, *options, "--top", 2, "-o", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == f"{own.to_text(top=2)}\n"
    found = document("trace", data, *options, "--digits", 4)
    assert [step["title"] for step in found["steps"]] == [step.title for step in own.steps]
    assert found["digits"] == 4
    for name, begin in (
        ("a.html", "<!doctype html>"),
        ("a.md", "## Step 1"),
        ("a.tex", "\\subsection*{Step 1"),
    ):
        say("trace", data, *options, "-o", tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
    assert "--to='pdf' is not known" in refused("trace", data, *options, "--to", "pdf")
    assert "--base=1.0" in refused("trace", data, *options, "--base", 1)


@pytest.mark.parametrize("table", ["penguins", "iris", "tennis", "shoppers"])
def test_demo(table: str, tmp_path: Path) -> None:
    """Each bundled table; with -o, files that the other commands take."""
    assert "right on" in say("demo", table).stdout
    found = document("demo", table, "-o", tmp_path / "new" / "folder")
    rows, model, page = found["files"]
    assert Path(page).read_text().startswith("<!")
    target = {"tennis": "play", "shoppers": "group"}.get(table, "species")
    scored = document("evaluate", model, rows, "--target", target)
    assert scored["accuracy"] == found["accuracy"]
    assert "TABLE='pinguins' is not known" in refused("demo", "pinguins")


def test_version() -> None:
    """The package, Python and the libraries, those that are not installed as well."""
    found = document("version")
    assert found["arboretum"] == arboretum.__version__
    assert found["libraries"]["numpy"] == np.__version__
    offered = set(metadata("arboretum").get_all("Provides-Extra") or ())
    assert set(found["extras"]) == offered - {"all", "bench", "dev", "quality"}
    assert say("--version").stdout == f"arboretum {arboretum.__version__}\n"


def test_version_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is missing, too old or too new is named, with what is needed and how to get it."""
    module = importlib.import_module("arboretum.cli.commands.version")
    found = {"tqdm": None, "matplotlib": "3.7.5", "sqlglot": "31.0.1"}
    installed = module._found
    monkeypatch.setattr(module, "_found", lambda name: found.get(name, installed(name)))
    text = say("version").stdout
    assert "progress  no   progress bars: tqdm (missing; needed: >=4.66)" in text
    assert "matplotlib (3.7.5 is too old; needed: >=3.8)" in text
    assert "sqlglot (31.0.1 is too new; needed: <31,>=30)" in text
    assert 'pip install "arboretum[plot,export,progress]"' in text
    extras = document("version")["extras"]
    wrong = {name: state for name, state in extras.items() if state != "ok"}
    assert wrong == {"plot": "too old", "export": "too new", "progress": "missing"}


# Wrong usage


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fit"], "Missing"),
        (["fit", "rows.csv"], "Missing option '--target'"),
        (["fit", "none.csv", "-t", "y"], "The file 'none.csv' cannot be read: no such file or directory."),
        (["fit", "none.xlsx", "-t", "y"], "The name 'none.xlsx' does not tell a format"),
        (["fti"], "No such command 'fti'"),
        (["fit", "rows.csv", "-t", "y", "--maxdepth", "3"], "No such option: --maxdepth"),
        (["show", "none.json"], "There is no file 'none.json'."),
        (["show", "none.json", "--format", "pdf"], "--format='pdf' is not known"),
        (
            ["fit", "rows.csv", "-t", "y", "--test", "2"],
            "--test 2 is not allowed; give a share between 0 and 1",
        ),
        (["fit", "rows.csv", "-t", "y", "--test", "many"], "Invalid value for '--test'"),
    ],
)
def test_wrong_usage(words: list[str], sentence: str) -> None:
    """One sentence, exit code 2."""
    done = say(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"arboretum: {sentence}"), done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_columns_and_options(folder: Path, tmp_path: Path) -> None:
    """What cannot be used is named, with what there is instead."""
    rows = folder / "penguins.csv"
    assert "Did you mean 'species'?" in refused("fit", rows, "-t", "specis")
    assert "--weights names the column 'w', which the table lacks" in refused(
        "fit", rows, "-t", "species", "--weights", "w"
    )
    assert "must be different columns" in refused("fit", rows, "-t", "species", "--weights", "species")
    assert "which --drop leaves out" in refused("fit", rows, "-t", "species", "--drop", "species")
    assert "--preset='c5' is not known" in refused("fit", rows, "-t", "species", "--preset", "c5")
    assert "--task='guess' is not known" in refused("fit", rows, "-t", "species", "--task", "guess")
    assert "--task regression takes numbers, but the target 'species' is nominal" in refused(
        "fit", rows, "-t", "species", "--task", "regression"
    )
    assert "--leaf='laplace' is not known; choose 'mean', 'shrinkage'" in refused(
        "fit", rows, "-t", "year", "--leaf", "laplace"
    )
    assert "--preset id3 is not for the task regression" in refused(
        "fit", rows, "-t", "year", "--preset", "id3"
    )
    assert "criterion='ginni' is not known" in refused("fit", rows, "-t", "species", "--criterion", "ginni")
    assert "--class-weight: class='Emperor' is not known" in refused(
        "fit", rows, "-t", "species", "--class-weight", "Emperor=2"
    )
    assert "the target 'sex' is missing in 11 of 344 rows (first: line 5)" in refused(
        "fit", rows, "-t", "sex"
    )
    assert "--decimal ';' is not allowed" in refused("fit", rows, "-t", "species", "--decimal", ";")
    assert "--ordered 'sex=m,m' cannot be read" in refused(
        "fit", rows, "-t", "species", "--ordered", "sex=m,m"
    )
    assert "--ordered sex does not say in which order, and nor does" in refused(
        "fit", rows, "-t", "species", "--ordered", "sex"
    )
    assert "is in no folder that is there" in refused(
        "fit", rows, "-t", "species", "-o", tmp_path / "no" / "m.json"
    )
    assert "--proba is for classes" in refused(
        "predict", folder / "mass.json", folder / "heavy.csv", "--proba"
    )
    assert "--only keeps no column" in refused(
        "predict", folder / "species.json", rows, "--only", "--keep", "sex"
    )
    assert "has the column 'sex' already" in refused(
        "predict", folder / "species.json", rows, "--name", "sex"
    )
    assert "lacks the columns 'bill_length_mm', 'bill_depth_mm'" in refused(
        "predict", folder / "species.json", "-", input="a,island\n1,x\n"
    )
    (tmp_path / "semicolons.csv").write_text("a;y\n1;x\n2;z\n")
    assert "--separator ';'" in refused("fit", tmp_path / "semicolons.csv", "-t", "y")
    (tmp_path / "lonely.csv").write_text("y\nx\nz\n")
    assert "there is nothing to ask about" in refused("fit", tmp_path / "lonely.csv", "-t", "y")


def test_a_row_that_cannot_be_predicted_leaves_no_file(folder: Path, tmp_path: Path) -> None:
    """The old file stays, and nothing half-written lies beside it."""
    text = (folder / "penguins.csv").read_text()
    (tmp_path / "rows.csv").write_text(text + "Biscoe,x,18.7,181,3750,male,2007,Adelie\n")
    (tmp_path / "out.csv").write_text("old\n")
    sentence = refused("predict", folder / "species.json", tmp_path / "rows.csv", "-o", tmp_path / "out.csv")
    assert "line 346: the column 'bill_length_mm' is to hold a number, but holds 'x'" in sentence
    assert (tmp_path / "out.csv").read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "rows.csv"]


def test_what_should_not_happen_is_told_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of our own is one sentence and exit code 1; ARBORETUM_DEBUG=1 shows where."""

    def broken(path: str, *, outputs: bool) -> Any:
        raise ZeroDivisionError("oh no")

    monkeypatch.setattr("arboretum.cli.models.load_model", broken)
    sentence = refused("show", folder / "species.json", code=1)
    assert (
        sentence
        == "this should not have happened: ZeroDivisionError: oh no Hint: ARBORETUM_DEBUG=1 shows where."
    )
    monkeypatch.setenv("ARBORETUM_DEBUG", "1")
    done = say("show", folder / "species.json")
    assert done.exit_code == 1
    assert "Traceback" in done.stderr


def test_a_table_without_rows_must_have_the_columns_as_well(folder: Path) -> None:
    """A header alone, with none of the model's columns, was answered by a header."""
    sentence = refused("predict", folder / "species.json", "-", input="a,b,y\n")
    assert "with which the model was fitted; it has 'a', 'b', 'y'" in sentence


def test_targets_that_are_no_classes_are_not_evaluated(folder: Path) -> None:
    """An accuracy of 0 would hide that the wrong column was named."""
    words = ("evaluate", folder / "species.json", folder / "penguins.csv", "-t", "island")
    told = say(*words)
    assert told.exit_code == 1
    assert "None of the true values in 'island' is a class of the model" in told.stderr


# explain


def test_explain(folder: Path) -> None:
    """The text is that of the library; rows are counted from 1, also those that are similar."""
    X, y = penguins()
    model = load(folder / "species.json")
    words = ("explain", folder / "species.json", folder / "penguins.csv")
    said = say(*words, "--row", 5, "-q").stdout
    assert said == f"{arboretum.explain(model, X.iloc[[4]])}\n"
    told = document(*words, "--row", 5, "--rows", folder / "penguins.csv", "--similar", 2)
    own = arboretum.explain(model, X.iloc[[4]], (X, y), n_similar=2)
    assert told["row"] == 5
    assert own.similar is not None
    assert [(each["number"], each["target"]) for each in told["similar"]["rows"]] == [
        (each.number + 1, each.target) for each in own.similar
    ]
    assert told["steps"] == json.loads(own.to_json())["steps"]


def test_the_end_of_a_name_says_how_to_explain(folder: Path, tmp_path: Path) -> None:
    words = ("explain", folder / "species.json", folder / "penguins.csv")
    page = say(*words, "--html").stdout
    assert page.startswith("<!doctype html>")
    for name in ("why.html", "why.HTM"):
        say(*words, "-o", tmp_path / name, "-q")
        assert (tmp_path / name).read_text(encoding="utf-8") == page
    say(*words, "-o", tmp_path / "why.txt", "-q")
    assert (tmp_path / "why.txt").read_text(encoding="utf-8") == say(*words).stdout
    assert refused(*words, "-o", tmp_path / "why.png").endswith("an explanation; known are .txt, .html.")


def test_explain_what_would_change(folder: Path, tmp_path: Path) -> None:
    """--desired looks for the nearest change; limits and costs are those of the library."""
    X, _ = penguins()
    model = load(folder / "species.json")
    words = ("explain", folder / "species.json", folder / "penguins.csv", "--desired")
    limits = (
        "--answers",
        2,
        "--fixed",
        "year,island",
        "--costs",
        "bill_length_mm=3",
        "--rise",
        "body_mass_g",
    )
    told = document(*words, "Gentoo", *limits, "--max-changes", 2, "--rows", folder / "penguins.csv")
    own = arboretum.counterfactual(
        model,
        X.iloc[[0]],
        "Gentoo",
        data=X,
        n=2,
        fixed=["year", "island"],
        costs={"bill_length_mm": 3},
        ranges={"body_mass_g": "rise"},
        max_changes=2,
    )
    assert [each["text"] for each in told["counterfactuals"]] == [answer.text for answer in own]
    assert document(*words, "Gentoo>=0.9")["counterfactuals"][0]["probability"] >= 0.9
    assert document(*words, "Adelie<=0.2")["counterfactuals"][0]["prediction"] != "Adelie"
    mass = ("explain", folder / "mass.json", folder / "heavy.csv", "--desired")
    for written, low, high in ((">=4800", 4800, 1e9), ("3300..3600", 3300, 3600), ("4800", 4800, 1e9)):
        assert low <= document(*mass, written)["counterfactuals"][0]["prediction"] <= high
    page = tmp_path / "why.html"
    assert say(*words, "Gentoo", "--html", "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "What would give Gentoo" in page.read_text(encoding="utf-8")
    text = tmp_path / "why.txt"
    assert document(*words, "Gentoo", "-o", text)["output"] == str(text)
    assert "what would give Gentoo" in text.read_text(encoding="utf-8")


def test_explain_refuses(folder: Path) -> None:
    """A row beyond the table, an unknown class or column, limits without an aim: one sentence each."""
    words = ("explain", folder / "species.json", folder / "penguins.csv")
    assert "--row 345 is beyond the table, which has 344 rows" in refused(*words, "--row", 345)
    assert "has 344 rows" in refused(*words, "--row", 345)
    assert "rows are counted from 1" in refused(*words, "--row", 0)
    assert "Did you mean 'Gentoo'?" in refused(*words, "--desired", "Gento")
    assert "Did you mean 'island'?" in refused(*words, "--desired", "Gentoo", "--fixed", "iland")
    assert "--max-changes=0 is not allowed" in refused(*words, "--desired", "Gentoo", "--max-changes", 0)
    assert "--answers=0 is not allowed" in refused(*words, "--desired", "Gentoo", "--answers", 0)
    assert "--fixed goes with --desired" in refused(*words, "--fixed", "island")
    assert "--answers goes with --desired" in refused(*words, "--answers", 2)
    assert "cannot be read" in refused(*words, "--desired", "Gentoo", "--costs", "island")
    assert "give a number of 0 or more" in refused(*words, "--desired", "Gentoo", "--costs", "island=-1")
    mass = ("explain", folder / "mass.json", folder / "heavy.csv")
    assert "--desired 'heavy' cannot be read" in refused(*mass, "--desired", "heavy")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("Penguin",), "--desired 'Penguin' is not a class"),
        (("Gentoo>=1.5",), "--desired 'Gentoo>=1.5' is not allowed: a probability is a number from 0 to 1"),
        (("Gentoo", "--fixed", "iland"), "--fixed names the column 'iland'"),
        (("Gentoo", "--rise", "iland"), "--rise names the column 'iland', which the tree does not have"),
        (("Gentoo", "--fall", "island"), "--fall names the column 'island', which is nominal"),
        (("Gentoo", "--rise", "year", "--fall", "year"), "--rise and --fall both name the column 'year'"),
        (("Gentoo", "--costs", "iland=1"), "--costs names the column 'iland'"),
        (("Gentoo", "--costs", "island=-1"), "--costs island=-1 is not allowed"),
        (
            (
                "Gentoo",
                "--fixed",
                "island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year",
            ),
            "No change that is allowed by --fixed gives Gentoo",
        ),
    ],
)
def test_explain_refuses_in_the_words_of_the_command_line(
    words: tuple[str, ...], sentence: str, folder: Path
) -> None:
    """Options are written as they were given, not as Python has them."""
    said = refused("explain", folder / "species.json", folder / "penguins.csv", "--desired", *words)
    assert sentence in said
    assert "={" not in said
    assert "named in fixed" not in said
