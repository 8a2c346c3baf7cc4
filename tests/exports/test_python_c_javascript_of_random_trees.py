"""Random tables: their trees, exported to Python, C and JavaScript, answer as the core does.

Labels exactly, doubles bit by bit, on the rows of the table and on rows with values beside thresholds, gaps
and unknown levels. Rules and Python are cheap and tried most; C is compiled for each example.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from support.export_models import rows_of
from support.export_rules import run_rules
from support.export_running import COMPILERS, NODE, differences, run_c, run_javascript, run_python
from support.export_tables import cases
from support.marks import allow_one_leaf
from support.sweeps import few

pytestmark = allow_one_leaf  # random tables may have nothing to ask about


@given(cases())
def test_python(case: tuple[Any, Any]) -> None:
    model, X = case
    rows = rows_of(model, X, 60)
    assert not differences(model, rows, run_python(model, rows))


@given(cases())
def test_rules(case: tuple[Any, Any]) -> None:
    model, X = case
    rows = rows_of(model, X, 40)
    for simplify in (False, True):
        assert not differences(model, rows, run_rules(model, rows, simplify=simplify))


@pytest.mark.skipif(not COMPILERS, reason="no C compiler is installed")
@settings(max_examples=few(0.25))
@given(cases())
def test_c(case: tuple[Any, Any]) -> None:
    model, X = case
    rows = rows_of(model, X, 60)
    with tempfile.TemporaryDirectory() as folder:
        answers = run_c(model, rows, Path(folder), compiler=COMPILERS[0])
    assert not differences(model, rows, answers)


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@settings(max_examples=few(0.25))
@given(cases())
def test_javascript(case: tuple[Any, Any]) -> None:
    model, X = case
    rows = rows_of(model, X, 60)
    with tempfile.TemporaryDirectory() as folder:
        assert not differences(model, rows, run_javascript(model, rows, Path(folder)))
