"""Names in tables, models and of files do not steer the terminal: no command prints them raw."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import say

from arboretum import TreeClassifier
from arboretum._store.model_files import save
from arboretum._wording import is_visible

# A title for the window, a colour, a new line, a line to write over, a screen to wipe, text from right to
# left, a line break of Unicode and a backspace.
HOSTILE = "a\x1b]0;owned\x07\x1b[31mred\nb\rc\x9b2Jd\u202ee\u2028f\x08g"

COMMANDS = {
    "fit": ("fit", "{rows}", "-t", "y{sign}"),
    "fit to a file": ("fit", "{rows}", "-t", "y{sign}", "-o", "new{sign}.json", "--test", "0.3"),
    "fit without a target": ("fit", "{rows}", "-t", "z{sign}"),
    "fit of a wrong class": ("fit", "{rows}", "-t", "y{sign}", "--class-weight", "{sign}=2"),
    "fit with a wrong criterion": ("fit", "{rows}", "-t", "y{sign}", "--criterion", "{sign}"),
    "fit of no table": ("fit", "no{sign}.csv", "-t", "y{sign}"),
    "fit of a wrong separator": ("fit", "{rows}", "-t", "y{sign}", "--separator", "{sign}"),
    "fit of an unknown option": ("fit", "{rows}", "--z{sign}"),
    "show": ("show", "{model}"),
    "show counts": ("show", "{model}", "--counts", "-o", "new{sign}.txt"),
    "show json": ("show", "{model}", "--json"),
    "predict to a file": ("predict", "{model}", "{rows}", "-o", "new{sign}.csv"),
    "predict without columns": ("predict", "{model}", "{strange}"),
    "predict text for a number": ("predict", "{model}", "{wrong}"),
    "predict and keep": ("predict", "{model}", "{rows}", "--keep", "z{sign}"),
    "explain": ("explain", "{model}", "{rows}", "--rows", "{rows}"),
    "explain json": ("explain", "{model}", "{rows}", "--json"),
    "explain a wrong class": ("explain", "{model}", "{rows}", "--desired", "{sign}"),
    "explain with a wrong column": ("explain", "{model}", "{rows}", "--desired", "a", "--fixed", "{sign}"),
    "evaluate": ("evaluate", "{model}", "{rows}", "-t", "y{sign}"),
    "evaluate json": ("evaluate", "{model}", "{rows}", "-t", "y{sign}", "--json"),
    "evaluate without target": ("evaluate", "{model}", "{rows}"),
    "evaluate the wrong target": ("evaluate", "{model}", "{rows}", "-t", "c{sign}"),
    "prune": ("prune", "{model}"),
    "prune to a file": ("prune", "{model}", "--leaves", "2", "-o", "new{sign}.json"),
    "export": ("export", "{model}", "--to", "rules"),
    "export to a file": ("export", "{model}", "--to", "sql", "-o", "new{sign}.sql"),
    "export to nothing known": ("export", "{model}", "--to", "{sign}"),
    "export with a wrong option": ("export", "{model}", "--to", "sql", "-O", "{sign}=1"),
    "experiment": ("experiment", "{rows}", "-t", "y{sign}", "--grid", "max_depth=1,2", "--test"),
    "experiment with a wrong grid": ("experiment", "{rows}", "-t", "y{sign}", "--grid", "{sign}=1"),
    "candidates": ("candidates", "{rows}", "-t", "y{sign}"),
    "candidates json": ("candidates", "{rows}", "-t", "y{sign}", "--json"),
    "demo": ("demo", "tennis", "-o", "new{sign}"),
    "demo of nothing": ("demo", "{sign}"),
    "no command": ("{sign}",),
}  # fmt: skip


def write(path: Path, rows: list[list[object]]) -> None:
    """Write a CSV file that holds the rows exactly."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def make(folder: Path, sign: str) -> dict[str, str]:
    """Fill a folder with tables and a model in which everything is named by the sign."""
    folder.mkdir()
    names = {
        name: str(folder / f"{name}{sign}") for name in ("rows.csv", "strange.csv", "wrong.csv", "m.json")
    }
    head: list[object] = [f"n{sign}", f"c{sign}", f"y{sign}"]
    rows = [[i % 7, f"{sign}{i % 3}", f"{sign}{'p' if i % 7 > 3 and i % 3 else 'q'}"] for i in range(90)]
    write(Path(names["rows.csv"]), [head, *rows])
    write(Path(names["strange.csv"]), [[f"z{sign}"], [f"{sign}"]])
    write(Path(names["wrong.csv"]), [head, [sign, sign, sign]])
    X = {head[0]: [row[0] for row in rows], head[1]: [row[1] for row in rows]}
    import pyarrow as pa

    save(TreeClassifier().fit(pa.table(X), [row[2] for row in rows]), names["m.json"])
    return {
        "rows": names["rows.csv"],
        "strange": names["strange.csv"],
        "wrong": names["wrong.csv"],
        "model": names["m.json"],
        "sign": sign,
    }


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, str]]]:
    """The same files twice: with plain names, and with hostile ones."""
    place = tmp_path_factory.mktemp("names")
    return {sign: (place / f"in{sign}", make(place / f"in{sign}", sign)) for sign in ("x", HOSTILE)}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_names_raw(
    command: str, folders: dict[str, tuple[Path, dict[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Class names with ESC, BEL or a newline were printed raw by show, evaluate and fit.

    Names change neither how many lines there are nor how the command ends.
    """
    counts = []
    for sign, (folder, words) in folders.items():
        monkeypatch.chdir(folder)
        extra = () if "csv" in command else ("--format", "csv")
        reads = COMMANDS[command][0] in ("fit", "predict", "explain", "evaluate", "experiment", "candidates")
        done = say(*(word.format(**words) for word in COMMANDS[command]), *(extra if reads else ()))
        for stream in (done.stdout, done.stderr):
            assert all(map(is_visible, stream.split("\n"))), (sign, stream)
        assert "should not have happened" not in done.stderr
        counts.append((done.exit_code, done.stdout.count("\n"), done.stderr.count("\n")))
    assert counts[0] == counts[1]


def test_documents_and_files_hold_the_names_exactly(
    folders: dict[str, tuple[Path, dict[str, str]]], tmp_path: Path
) -> None:
    """JSON is escaped in JSON's own way, and predictions are written byte for byte."""
    _, words = folders[HOSTILE]
    shown = json.loads(say("show", words["model"], "--json").stdout)
    assert shown["columns"][0]["name"] == f"n{HOSTILE}"
    assert set(shown["classes"]) == {f"{HOSTILE}p", f"{HOSTILE}q"}
    done = say("predict", words["model"], words["rows"], "--format", "csv", "-o", tmp_path / "out.csv")
    assert done.exit_code == 0
    piped = say("predict", words["model"], words["rows"], "--format", "csv")
    assert piped.stdout_bytes == (tmp_path / "out.csv").read_bytes()
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        head, first, *_ = csv.reader(file)
    assert head == [f"n{HOSTILE}", f"c{HOSTILE}", f"y{HOSTILE}", "prediction"]
    assert first[3] in (f"{HOSTILE}p", f"{HOSTILE}q")


def on_terminal(*words: str) -> tuple[int, str]:
    """Run a command whose standard output is a terminal; return its exit code and what is shown."""
    inner, outer = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "arboretum", *words], stdin=subprocess.DEVNULL, stdout=outer, stderr=outer
    )
    os.close(outer)
    shown = b""
    try:
        while piece := os.read(inner, 1 << 16):
            shown += piece
    except OSError:  # so a terminal says that nobody writes to it any more
        pass
    os.close(inner)
    return process.wait(), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "command",
    [
        ("predict", "{model}", "{rows}", "--format", "csv", "--output-format", "tsv"),
        ("export", "{model}", "--to", "dot"),
    ],
)
def test_rows_and_exports_on_a_terminal(
    command: tuple[str, ...], folders: dict[str, tuple[Path, dict[str, str]]]
) -> None:
    """What would go into a file byte for byte is escaped where somebody looks at it."""
    _, words = folders[HOSTILE]
    code, shown = on_terminal(*(word.format(**words) for word in command))
    assert code == 0, shown
    assert len(shown) > 500
    assert all(map(is_visible, shown.replace("\t", " ").split("\n")))


def test_bytes_are_not_shown_on_a_terminal(folders: dict[str, tuple[Path, dict[str, str]]]) -> None:
    """A binary table on a terminal is nothing but noise that may steer it."""
    _, words = folders["x"]
    code, shown = on_terminal("export", words["model"], "--to", "onnx")
    assert code == 2
    assert "cannot be shown on a terminal. Hint: -o FILE." in shown
