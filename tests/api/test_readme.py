"""The README: its lines run as they stand, and its figures are those of the reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.readme_tables import README, updated

TEXT = README.read_text(encoding="utf-8")


def test_the_first_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who copies them gets the picture."""
    monkeypatch.chdir(tmp_path)
    lines = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert lines is not None
    exec(compile(lines[1], "README.md", "exec"), {})
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")


def test_figures_are_those_of_the_reports() -> None:
    """If this fails after a new measurement, run `python tools/readme_tables.py`."""
    assert updated(TEXT) == TEXT
    assert TEXT.count("\n| 1M x 20") == 3
    assert "\n| rpart |" in TEXT
