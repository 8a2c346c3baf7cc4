"""What editors and type checkers know: a wrong name of a choice is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
from arboretum import CostComplexity, Surrogate, TreeClassifier, TreeRegressor

TreeClassifier(criterion="gini", prune="pessimistic", missing=Surrogate(send="never"))
TreeClassifier(criterion="gnii")  # wrong
TreeClassifier.c45(criterion="entropy")
TreeClassifier.c45(criterion="gnii")  # wrong
TreeRegressor(nominal="multiway", prune=CostComplexity(rule="min"))
TreeRegressor(nominal="subsets")  # wrong
TreeRegressor.cart(missing="ignore")  # wrong
CostComplexity(rule="2se")  # wrong
TreeClassifier(max_dept=3)  # wrong
"""


def test_wrong_names_are_refused_by_a_type_checker(tmp_path: Path) -> None:
    """Each wrong line is refused, and no other."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'program'}"
    found, errors, _ = api.run(["--config-file=", "--no-error-summary", cache, str(program)])
    assert not errors
    refused = {int(line.split(":")[1]) for line in found.splitlines() if ": error:" in line}
    wrong = {number for number, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line}
    assert refused == wrong, found
