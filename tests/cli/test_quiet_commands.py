"""--quiet: no notes, and no word about files that were written; what was asked for is still printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import say


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("fit iris.csv -t species --prune none", "model.json"),
        ("predict iris.json iris.csv", "rows.csv"),
        ("show iris.json", "tree.svg"),
        ("show iris.json --summary", "summary.html"),
        ("explain iris.json iris.csv --row 1", "row.html"),
        ("trace iris.csv -t species", "steps.html"),
        ("prune iris.json --leaves 2", "small.json"),
        ("export iris.json --to sql", "tree.sql"),
        ("report iris.json iris.csv --resamples 2", "report.html"),
    ],
)
def test_nothing_is_said_of_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, output: str
) -> None:
    """`predict -o FILE --quiet` said how many rows it had predicted, `export` and `prune` what they wrote."""
    monkeypatch.chdir(folder)
    done = say(*command.split(), "-o", output, "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    assert Path(output).stat().st_size > 0


def test_results_are_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that were asked for are a result, and so is a tree that goes into no file."""
    monkeypatch.chdir(folder)
    tested = say(
        *["fit", "iris.csv", "-t", "species", "--prune", "none", "--test", "0.3", "-o", "tested.json", "-q"]
    )
    assert (tested.exit_code, tested.stderr) == (0, "")
    assert tested.stdout.startswith("tested on 45 rows held out:\n")
    tried = say(
        *["experiment", "iris.csv", "-t", "species", "--grid", "max_depth=1,2", "-o", "best.json", "-q"]
    )
    assert (tried.exit_code, tried.stderr) == (0, "")
    assert "best: " in tried.stdout
    assert "wrote" not in tried.stdout
    shown = say("demo", "iris", "-o", "shown", "-q")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.endswith("of the rows it was grown from\n")
    assert len(list(Path("shown").iterdir())) == 3
