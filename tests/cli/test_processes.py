"""The command line in processes of its own: pipes, signals, colours, what it costs to start.

There are few of these tests, since each starts a Python.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.command_line import refused, run, say

ESCAPE = b"\x1b"


def deep(words: list[str]) -> Any:
    """A case for `make test-deep`: each case here starts a Python."""
    return pytest.param(words, marks=pytest.mark.deep)


def test_from_one_pipe_to_the_next(folder: Path) -> None:
    """fit reads standard input, predict writes standard output, evaluate reads what predict wrote."""
    rows = (folder / "iris.csv").read_bytes()
    fitted = run("fit", "-", "--target", "species", "-o", "piped.json", input=rows, folder=folder)
    assert (fitted.returncode, fitted.stderr.count(b"\n")) == (0, 8), fitted.stderr
    assert b"wrote piped.json" in fitted.stdout
    predicted = run("predict", "piped.json", "-", input=rows, folder=folder)
    assert (predicted.returncode, predicted.stderr) == (0, b"")
    assert predicted.stdout.count(b"\n") == 151
    evaluated = run(
        "evaluate", "piped.json", "-", "-t", "prediction", "--json", input=predicted.stdout, folder=folder
    )
    assert json.loads(evaluated.stdout)["accuracy"] == 1.0


@pytest.mark.deep
def test_other_formats_through_pipes(folder: Path) -> None:
    """gzip from a pipe is recognised by its first bytes; Parquet goes through standard output and back."""
    packed = run("predict", "iris.json", "iris.csv", "--output-format", "csv.gz", folder=folder)
    assert packed.stdout.startswith(b"\x1f\x8b")
    again = run(
        "evaluate", "iris.json", "-", "-t", "prediction", "--json", input=packed.stdout, folder=folder
    )
    assert json.loads(again.stdout)["accuracy"] == 1.0
    columns = run("predict", "iris.json", "iris.csv", "--output-format", "parquet", folder=folder)
    back = run(
        "evaluate",
        "iris.json",
        "-",
        "--format",
        "parquet",
        "-t",
        "prediction",
        "--json",
        input=columns.stdout,
        folder=folder,
    )
    assert json.loads(back.stdout)["rows"] == 150


def test_errors_of_a_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit codes 2 and 1, one sentence, no traceback unless it is asked for.

    One of them is seen from outside; the others differ in what is said only, which needs no process.
    """
    wrong = run("fit", "iris.csv", "--target", "colour", folder=folder)
    assert wrong.returncode == 2
    assert wrong.stdout == b""
    assert wrong.stderr.startswith(b"arboretum: --target names the column 'colour', which the table lacks")
    assert wrong.stderr.count(b"\n") == 1
    (folder / "empty.csv").write_text("sepal_length,sepal_width,petal_length,petal_width,species\n")
    failed = refused("evaluate", folder / "iris.json", folder / "empty.csv", "-t", "species", code=1)
    assert failed.startswith("There are no rows to evaluate")
    monkeypatch.setenv("ARBORETUM_DEBUG", "1")
    shown = say("fit", folder / "iris.csv", "--target", "colour")
    assert shown.exit_code == 2
    assert "Traceback" in shown.stderr


def test_terminals_that_know_few_letters(folder: Path) -> None:
    """Where the encoding lacks a sign, it is spelt out."""
    fitted = run("fit", "iris.csv", "-t", "species", "-q", folder=folder, env={"PYTHONIOENCODING": "ascii"})
    assert fitted.stdout.startswith(b"[150 rows]")
    assert b"\\u251c\\u2500" in fitted.stdout


@pytest.mark.deep
def test_a_model_on_terminals_that_know_few_letters(folder: Path) -> None:
    """The same for show, which has a table of its own."""
    shown = run("show", "iris.json", folder=folder, env={"PYTHONIOENCODING": "ascii"})
    assert (shown.returncode, shown.stderr) == (0, b"")


def test_names_of_files_that_are_no_text(folder: Path) -> None:
    """They are no fault: there is no such file, and that is said."""
    odd = run("show", b"no\xff.json".decode("utf-8", "surrogateescape"), folder=folder)
    assert odd.returncode == 2
    assert odd.stderr.startswith(b"arboretum: There is no file")


@pytest.mark.parametrize(
    "words", [["--help"], deep(["fit", "--help"]), ["fit", "iris.csv", "-t", "species"], ["fit"]]
)
def test_no_colour_in_pipes(folder: Path, words: list[str]) -> None:
    """Help, tables, errors: not one escape sequence where no terminal is."""
    done = run(*words, folder=folder, env={"TERM": "xterm-256color"})
    assert ESCAPE not in done.stdout + done.stderr


def on_terminal(*words: str, folder: Path, env: dict[str, str]) -> bytes:
    """Return what a command prints on a terminal."""
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "arboretum", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", **env},
        )
        os.close(slave)
        said = b""
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                part = os.read(master, 65536) if ready else b""
            except OSError:  # Linux tells the end of a terminal so
                part = b""
            if not part:
                break
            said += part
        assert process.wait() == 0
        return said
    finally:
        os.close(master)


def test_colour_on_terminals_unless_refused(folder: Path) -> None:
    """A terminal gets colours; NO_COLOR is respected."""
    words = ("fit", "iris.csv", "-t", "species")
    assert ESCAPE + b"[1m" in on_terminal(*words, folder=folder, env={})
    plain = on_terminal(*words, folder=folder, env={"NO_COLOR": "1"})
    assert b"species" in plain
    for colour in (b"[3", b"[9", b"[4"):
        assert ESCAPE + colour not in plain


def test_progress_on_terminals(folder: Path) -> None:
    """A bar is drawn on a terminal while rows are predicted into a file, and nowhere else."""
    words = ("predict", "iris.json", "iris.csv", "-o", "out.csv")
    assert b"predicting" in on_terminal(*words, folder=folder, env={})
    done = run(*words, folder=folder)
    assert done.stderr == b""


@pytest.mark.deep
def test_no_progress_where_it_must_be_quiet(folder: Path) -> None:
    words = ("predict", "iris.json", "iris.csv", "-o", "out.csv", "--quiet")
    assert b"predicting" not in on_terminal(*words, folder=folder, env={})


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_predictions_leave_no_half_file(
    folder: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """Interrupted amid the rows, the old file is untouched and no draft lies beside it."""
    (tmp_path / "out.csv").write_text("old\n")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "arboretum",
            "predict",
            str(folder / "iris.json"),
            "-",
            "-o",
            str(tmp_path / "out.csv"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    head, *rows = (folder / "iris.csv").read_bytes().splitlines(keepends=True)
    process.stdin.write(head + b"".join(rows) * 3_000)  # 12 MB: more than one block, and the pipe stays open
    process.stdin.flush()
    until = time.monotonic() + 60
    while not any(path.stat().st_size for path in tmp_path.glob(".arboretum-*")):
        assert time.monotonic() < until, "no draft was begun"
        time.sleep(0.05)
    process.send_signal(number)
    out, said = process.communicate()
    assert process.returncode == code, said
    assert out == b""
    assert b"Traceback" not in said
    if number == signal.SIGINT:
        assert said == b"arboretum: interrupted; no file was written.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old\n"


def test_a_reader_that_has_seen_enough(folder: Path) -> None:
    """`arboretum predict … | head -1` ends without a word."""
    head, *rows = (folder / "iris.csv").read_bytes().splitlines(keepends=True)
    (folder / "many.csv").write_bytes(head + b"".join(rows) * 1_000)
    with subprocess.Popen(
        [sys.executable, "-m", "arboretum", "predict", "iris.json", "many.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no disk that is always full")
@pytest.mark.parametrize(
    "words",
    [
        ["show", "iris.json"],
        ["predict", "iris.json", "iris.csv", "--output-format", "parquet"],
        ["predict", "iris.json", "iris.csv", "-o", "/dev/full", "--output-format", "csv"],
        deep(["predict", "iris.json", "iris.csv"]),
        deep(["predict", "iris.json", "iris.csv", "--output-format", "csv.gz"]),
        deep(["export", "iris.json", "--to", "python"]),
        deep(["export", "iris.json", "--to", "python", "-o", "/dev/full"]),
    ],
)
def test_a_full_disk(folder: Path, words: list[str]) -> None:
    """One sentence, and exit code 1: what was given is fine, but there is no room for what came out."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arboretum", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=folder,
            check=False,
        )
    named = "The file '/dev/full'" if "-o" in words else "Standard output"
    assert done.stderr.decode() == f"arboretum: {named} cannot be written: No space left on device.\n"
    assert done.returncode == 1


def peak_memory(*words: str, folder: Path) -> int:
    """Return the largest resident memory of a command, in kilobytes; it must end well."""
    process = subprocess.Popen([sys.executable, "-m", "arboretum", *words], cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


@pytest.mark.deep
def test_memory_does_not_grow_with_the_file(folder: Path) -> None:
    """Eight times as many rows, 128 MB, take about as much memory: rows are predicted in parts and let go.

    What differs is how the allocator happens to keep what it was given back.
    """
    head, *rows = (folder / "iris.csv").read_bytes().splitlines(keepends=True)
    several = b"".join(rows) * (16_000_000 // len(b"".join(rows)))
    (folder / "16.csv").write_bytes(head + several)
    with (folder / "128.csv").open("wb") as file:
        file.write(head)
        for _ in range(8):
            file.write(several)
    small, large = (
        peak_memory("predict", "iris.json", name, "--only", "-o", "large.csv", "-q", folder=folder)
        for name in ("16.csv", "128.csv")
    )
    assert (folder / "large.csv").stat().st_size > 10_000_000
    assert large - small < 90_000, (small, large)  # kB; the rows alone are 112,000 more


def test_starting_costs_little() -> None:
    """Help and versions load neither NumPy nor pyarrow nor scikit-learn."""
    program = (
        "import sys\n"
        "sys.argv = ['arboretum', 'version']\n"
        "from arboretum.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pyarrow', 'sklearn', 'pandas', 'polars', 'narwhals', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_completion() -> None:
    """Shells can ask for commands and options."""
    env = {"_ARBORETUM_COMPLETE": "complete_bash", "COMP_WORDS": "arboretum ev", "COMP_CWORD": "1"}
    program = "from arboretum.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **env}
    )
    assert done.stdout.split() == ["evaluate"], done
    # Which shell is running is found by looking at processes, and there may be none: it is told instead.
    script = run(env={**os.environ, "_ARBORETUM_COMPLETE": "source_bash"})
    assert b"_arboretum_completion()" in script.stdout


@pytest.mark.parametrize("package", ["typer", "sklearn"])
def test_ctrl_c_while_packages_are_loaded(package: str, tmp_path: Path) -> None:
    """Ctrl-C at start-up ended in a traceback; a package that takes its time stands for a slow start."""
    (tmp_path / f"{package}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    )
    done = run("demo", folder=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 130
    assert done.stdout == b""
    assert done.stderr == b"arboretum: interrupted; no file was written.\n"


def test_the_package_itself_loads_nothing_slow() -> None:
    """Nothing can catch Ctrl-C while the package is imported, so that takes no time."""
    program = "import sys; import arboretum.cli; print(*(name.partition('.')[0] for name in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert {"numpy", "sklearn", "typer", "email", "rich"} & set(loaded.split()) == set()
