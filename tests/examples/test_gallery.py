"""The scripts of the gallery: each makes its figure, and its numbers bear out what its text says."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.draw_gallery import IMAGES, PAGE, write_page

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "gallery")

Numbers = dict[str, float]


@pytest.fixture(autouse=True)
def folder_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts import their neighbour as `gallery`, as they do when they are started."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in {"gallery", *SCRIPTS}:
            del sys.modules[name]


# What the text of each script says, in numbers.
CLAIMS: dict[str, Callable[[Numbers], bool]] = {
    "growth": lambda n: (
        n["accuracy with 2 leaves"] < n["accuracy with 4 leaves"] < n["accuracy with 16 leaves"]
    ),
    "depth": lambda n: (
        n["best depth"] < n["full tree"] < n["empty tree"]
        and abs(n["test loss of the best"] - n["best depth"]) < 0.05
    ),
    "noise": lambda n: (
        n["full tree, 20 % wrong labels"] > 0.15
        and n["pruned tree, 20 % wrong labels"] < 0.05
        and n["pruned tree, blur 0.2"] < n["full tree, blur 0.2"]
    ),
    "missing": lambda n: (
        min(n[f"{way}, random"] for way in ("category", "surrogate", "fractional", "median"))
        > n["drop, random"] + 0.05
        and n["category, large"] > n["surrogate, large"] + 0.2
        and n["category, large"] > n["drop, large"] + 0.2
    ),
    "hard_concepts": lambda n: (
        all(
            n[f"straight line, {table}"] > n[f"tree, {table}"] + 0.08
            for table in ("sum of 10", "majority of 11", "sparse words")
        )
        and n["straight line, parity of 5"] < 0.55
    ),
    "fragmentation": lambda n: n["two answers, 20 levels"] > n["one branch a level, 20 levels"] + 0.1,
    "neighbours": lambda n: (
        n["neighbours, 0 useless columns"] > n["tree, 0 useless columns"]
        and n["tree, 10 useless columns"] > n["neighbours, 10 useless columns"] + 0.1
    ),
    "probabilities": lambda n: (
        n["shrinkage, pruned (default)"] < n["Laplace, not pruned"] < n["frequency, not pruned"]
    ),
    "losses": lambda n: n["a missed yes costs five"] < n["mistakes count alike"] - 0.1,
    "instability": lambda n: n["largest share of trees with the same column at the root"] < 0.9,
    "myopia": lambda n: (
        n["stopped by a test, 10 useless columns"]
        < 0.6
        < n["pruned, 10 useless columns"]
        < n["lookahead, pruned, 10 useless columns"]
    ),
    "houses": lambda n: (
        n["rise with rooms, conditional average"] > 10 * n["rise with rooms"]
        and n["rise with income, centre"] > 1.3 * n["rise with income, new town"]
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_its_figure_and_keeps_its_word(name: str, tmp_path: Path) -> None:
    """The figure is written, and no more."""
    gallery: Any = importlib.import_module("gallery")
    script: Any = importlib.import_module(name)
    path = tmp_path / f"{name}.png"
    numbers = gallery.make_figure(script.draw, n_axes_of(name), path)
    assert path.stat().st_size > 5_000
    assert CLAIMS[name](numbers), numbers


def n_axes_of(name: str) -> int:
    """Return how many axes the script asks for when it is started."""
    script: Any = importlib.import_module(name)
    calls = [
        node
        for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "run"
    ]
    (call,) = calls
    return int(eval(ast.unparse(call.args[1]), vars(script)))


def test_every_script_is_told_about_and_has_two_paragraphs() -> None:
    """On the folder's page, which `tools/draw_gallery.py` writes, beside its figure, and at its own top."""
    told = PAGE.read_text(encoding="utf-8")
    assert told == write_page()
    assert sorted(path.stem for path in IMAGES.glob("*.png")) == SCRIPTS
    assert set(SCRIPTS) == set(CLAIMS)
    for name in SCRIPTS:
        assert f"[{name}.py]({name}.py)" in told
        text = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")))
        assert text is not None
        assert len(text.split("\n\n")) == 3
