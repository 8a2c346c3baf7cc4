"""No command destroys a file that it was not told to: neither its input nor a file of another kind."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from support.command_line import refused, run, say

from arboretum import TreeClassifier
from arboretum._store.model_files import load, model_to_bytes
from arboretum.cli.outputs import Format, has_kind, kind_of_file
from arboretum.cli.tables.writing import open_writer

ROWS = "a,b,y\n" + "".join(f"{i},{i % 3},{'pq'[i > 5]}\n" for i in range(12))
TARGETS = ("sql", "python", "c", "javascript", "onnx", "pmml", "rules", "dot", "mermaid", "svg", "html")
# Every command that writes, with the words that name its inputs; the output follows.
WRITERS = {
    "fit": ("fit", "rows.csv", "-t", "y", "-o"),
    "experiment": ("experiment", "rows.csv", "-t", "y", "--split", "0.5,0.5", "--grid", "max_depth=1", "-o"),
    "predict": ("predict", "m.json", "rows.csv", "--output-format", "csv", "-o"),
    "prune": ("prune", "m.json", "--leaves", "1", "-o"),
    "show": ("show", "m.json", "--format", "svg", "-o"),
    "export": ("export", "m.json", "--to", "python", "-o"),
}


@pytest.fixture(scope="module")
def model() -> bytes:
    """A model of the table."""
    X, y = pa.table({"a": range(12), "b": [i % 3 for i in range(12)]}), ["pq"[i > 5] for i in range(12)]
    return model_to_bytes(TreeClassifier().fit(X, y))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: bytes) -> Path:
    """A folder with a table and a model, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS)
    Path("m.json").write_bytes(model)
    return tmp_path


def everything(place: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.mark.parametrize("link", ["same", "dotted", "symlink", "hard link"])
@pytest.mark.parametrize("command", WRITERS)
def test_an_input_is_never_the_output(place: Path, command: str, link: str) -> None:
    """`fit same.csv -o same.csv` replaced the table by the model; links to it count as the table."""
    words = WRITERS[command]
    for source in ("rows.csv", "m.json"):
        if source not in words:
            continue
        output = {"same": source, "dotted": f"../{place.name}/./{source}"}.get(link, "link")
        if link == "symlink":
            os.symlink(source, "link")
        elif link == "hard link":
            os.link(source, "link")
        before = everything(place)
        assert f"is the same file as the input '{source}'" in refused(*words, output)
        assert everything(place) == before
        Path("link").unlink(missing_ok=True)


@pytest.mark.parametrize("command", WRITERS)
def test_force_replaces_the_input(place: Path, command: str) -> None:
    """Who says --force means it."""
    source = "rows.csv" if "rows.csv" in WRITERS[command] else "m.json"
    before = Path(source).read_bytes()
    done = say(*WRITERS[command], source, "--force")
    assert done.exit_code == 0, done.output
    assert Path(source).read_bytes() != before


@pytest.mark.parametrize("command", WRITERS)
def test_another_kind_of_file_is_kept(place: Path, command: str) -> None:
    """A file of another kind is refused, one of the same kind or an empty one is replaced."""
    words = WRITERS[command]
    stranger = Path("notes.org")
    stranger.write_text("# My notes\n")
    sentence = refused(*words, stranger)
    assert "-o 'notes.org' would replace a file of another kind by" in sentence
    assert "--force" in sentence
    assert stranger.read_text() == "# My notes\n"
    assert say(*words, stranger, "--force", "-q").exit_code == 0
    assert stranger.read_text(errors="replace") != "# My notes\n"
    name = "out.csv" if command == "predict" else "out"
    for _ in range(2):
        assert say(*words, name, "-q").exit_code == 0
    Path("empty").touch()
    assert say(*words, "empty", "-q").exit_code == 0


@pytest.mark.parametrize("target", TARGETS)
def test_exports_replace_exports(place: Path, target: str) -> None:
    """Each export may be written again; a table, a model and a script of the user's own stay."""
    Path("own.py").write_text("# A script of my own\nprint(1)\n")
    Path("other.csv").write_text(ROWS)
    Path("other.json").write_bytes(Path("m.json").read_bytes())
    words = ("export", "m.json", "--to", target, "-o")
    for _ in range(2):
        assert say(*words, "out", "-q").exit_code == 0
    assert kind_of_file("out") == target
    for name, what in [
        ("own.py", "a file of another kind"),
        ("other.csv", "a CSV table"),
        ("other.json", "an arboretum model"),
    ]:
        assert f"-o '{name}' would replace {what} by " in refused(*words, name)


def test_exports_of_other_targets_stay(place: Path) -> None:
    """What one export wrote, another one does not take for its own."""
    for target in TARGETS:
        assert say("export", "m.json", "--to", target, "-o", f"out.{target}", "-q").exit_code == 0
    for written in TARGETS:
        assert [has_kind(f"out.{written}", target) for target in TARGETS] == [
            target == written for target in TARGETS
        ]
    rules = ("export", "m.json", "--to", "rules", "-O", "format=json", "-o", "rules.json", "-q")
    assert [say(*rules).exit_code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "arff", "parquet", "arrow", "csv.gz", "jsonl.gz"])
def test_predictions_replace_tables_of_their_format(place: Path, format: str) -> None:
    """A table may be written again; a model with a table's name stays, packed or not."""
    words = ("predict", "m.json", "rows.csv", "-q", "-o")
    for _ in range(2):
        assert say(*words, f"out.{format}").exit_code == 0
    Path(f"model.{format}").write_bytes(Path("m.json").read_bytes())
    assert "would replace an arboretum model by" in refused(*words, f"model.{format}")
    assert say("prune", "m.json", "--none", "-o", "packed.json.gz").exit_code == 0
    Path("packed.json.gz").rename(f"packed.{format}")
    assert "would replace an arboretum model by" in refused(*words, f"packed.{format}")


def test_a_model_replaces_models_only(place: Path) -> None:
    """JSON of others, tables and damaged files are no models."""
    words = ("fit", "rows.csv", "-t", "y", "-q", "-o")
    Path("settings.json").write_text('{"format": "mine"}\n')
    with open_writer("t.parquet", Format("parquet")) as writer:
        writer.write(pa.table({"a": [1]}))
    Path("bad.json.gz").write_bytes(b"\x1f\x8bnothing packed")
    for name in ("settings.json", "t.parquet", "bad.json.gz"):
        assert "by an arboretum model" in refused(*words, name)
    assert say("fit", "rows.csv", "-t", "y", "--min-samples-split", 99, "-q", "-o", "m.json").exit_code == 0
    assert load("m.json").get_n_leaves() == 1


def test_a_model_needs_a_file(place: Path) -> None:
    """`-o -` wrote a file that is called -."""
    assert "a model needs a file" in refused("fit", "rows.csv", "-t", "y", "-o", "-")
    assert not Path("-").exists()


def test_devices_and_pipes_are_no_files(place: Path) -> None:
    """They hold nothing that could be lost."""
    assert say("predict", "m.json", "rows.csv", "-o", "/dev/null", "--output-format", "csv").exit_code == 0
    assert say("fit", "rows.csv", "-t", "y", "-o", "/dev/null", "-q").exit_code == 0


def test_standard_streams_are_files_too(place: Path) -> None:
    """`fit - -o rows.csv < rows.csv` replaced the table, `predict m.json rows.csv >> rows.csv` spoilt it."""
    with open("rows.csv", "rb") as rows:
        done = run("fit", "-", "-t", "y", "-o", "rows.csv", input=rows, folder=place)
    assert done.returncode == 2
    assert b"-o 'rows.csv' is the same file as the input standard input" in done.stderr
    with open("rows.csv", "ab") as end:
        done = run("predict", "m.json", "rows.csv", output=end, folder=place)
    assert done.returncode == 2
    assert b"Standard output is the same file as the input 'rows.csv'" in done.stderr
    assert Path("rows.csv").read_text() == ROWS


def test_the_demo_replaces_nothing(place: Path) -> None:
    """`demo iris -o .` replaced the user's own iris.csv; if one of its files is there, it writes none."""
    for name in ("iris.csv", "iris.json", "iris.html"):
        Path(name).write_text("mine\n")
        before = everything(place)
        assert f"The file '{name}' already exists" in refused("demo", "iris", "-o", ".")
        assert everything(place) == before
        Path(name).unlink()
    Path("iris.csv").write_text("mine\n")
    assert say("demo", "iris", "-o", ".", "--force").exit_code == 0
    assert Path("iris.csv").read_text().startswith("sepal_length,")
