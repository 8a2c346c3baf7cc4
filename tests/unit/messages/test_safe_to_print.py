"""Text from data never steers a terminal: every text that the library makes for people is safe to print."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import arboretum
from arboretum import Experiment, Tree, TreeClassifier, TreeRegressor
from arboretum._tree.edits import Edit
from arboretum._tree.question_text import read_question
from arboretum._wording import for_terminal, is_visible, visible, visible_json, visible_lines
from arboretum.errors import DataError, ParameterError
from arboretum.export import to_rules

# A title for the window, a colour, a new line, a line to write over, a screen to wipe, text from right to
# left, a line break of Unicode and a backspace.
HOSTILE = "a\x1b]0;owned\x07\x1b[31mred\nb\rc\x9b2Jd\u202ee\u2028f\x08g"


def table(sign: str) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Return rows whose names, levels and classes all hold the sign."""
    rng = np.random.default_rng(0)
    number, colour = rng.normal(size=120), rng.integers(0, 4, 120)
    X = pd.DataFrame({f"n{sign}": number, f"c{sign}": [f"{sign}{level}" for level in colour]})
    X[f"t{sign}"] = pd.Series(pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, 120), "D"))
    y = np.array([f"{sign}{'yes' if c % 2 and n > 0 else 'no'}" for n, c in zip(number, colour, strict=True)])
    return X, y


def texts(sign: str) -> dict[str, str]:
    """Return everything that the library says about such a table."""
    X, y = table(sign)
    model = TreeClassifier(prune=None, competitors=2, missing="surrogate").fit(X, y)
    tree = model.tree_
    edited = tree.replace((), f"n{sign} <= 0.25", (X, y)).regrow((0,), (X, y), max_depth=1)
    combined = TreeClassifier(questions=arboretum.MofN(max_n=2), max_depth=2).fit(X, y).tree_
    added = TreeClassifier(questions=arboretum.Oblique(max_terms=2), max_depth=2).fit(X, y).tree_
    multiway = TreeClassifier(nominal="multiway", max_depth=2).fit(X, y).tree_
    tried = Experiment(X, y)
    tried.try_(TreeClassifier(max_depth=1, class_weight={f"{sign}yes": 2, f"{sign}no": 1}), name=f"my{sign}")
    found = {
        "print": str(tree),
        "repr": repr(tree),
        "counts": tree.to_text(amounts="counts", row=X.iloc[0].to_dict()),
        "edited": str(edited),
        "edits": "; ".join(map(str, edited.edits)),
        "combined": str(combined),
        "added": str(added),
        "multiway": str(multiway),
        "nodes": "".join(map(repr, tree.walk())),
        "questions": "".join(str(node.question) for node in tree.walk()),
        "rules": "\n".join(map(str, tree.rules())),
        "repr of rules": repr(tree.rules()),
        "candidates": "\n".join(arboretum.candidates(X, y)["question"]),
        "results": str(tried.results),
        "best": str(tried.best),
        "importance": str(arboretum.permutation_importance(model, X, y, repeats=2)),
        "export": to_rules(model),
        "estimator": repr(TreeClassifier(class_weight={f"{sign}yes": 2})),
        "column": repr(tree.columns),
    }
    return {name: " ".join(text.split("  ")) if name == "estimator" else text for name, text in found.items()}


def test_every_text_is_safe_to_print() -> None:
    """Class names with ESC, BEL or a newline were printed raw, edits' questions too."""
    plain, hostile = texts("x"), texts(HOSTILE)
    for name, text in hostile.items():
        lines = text.split("\n")
        assert all(map(is_visible, lines)), (name, text)
        if name != "estimator":  # scikit-learn breaks its lines by their length
            assert len(lines) == len(plain[name].split("\n")), name


def test_messages_are_safe_to_print() -> None:
    """Also where a name stands in a message as it is."""
    X, y = table(HOSTILE)
    tree = TreeClassifier().fit(X, y).tree_
    for wrong in (f"n{HOSTILE} <= many", f"c{HOSTILE} = {HOSTILE}", f"{HOSTILE} <= 1", f'c = "{HOSTILE}'):
        with pytest.raises(ParameterError) as refusal:
            tree.replace((), wrong, (X, y))
        assert all(map(is_visible, str(refusal.value).split("\n")))
    error = DataError("one\ntwo \x1b[31m")
    assert str(error) == "one\ntwo \\x1b[31m"
    assert error.args == ("one\ntwo \x1b[31m",)


@pytest.mark.parametrize("name", [HOSTILE, "a\nb", "\x1b", "\u202e", "a\xa0b", "é", "\U000e0001", "a b\t"])
def test_questions_can_still_be_read_back(name: str) -> None:
    """Names are escaped as JSON does it, so what is printed means the same column; raw names count too."""
    X, y = pd.DataFrame({name: [0.0, 1, 2, 3] * 5, "z": [name, "r", "s", "t"] * 5}), [0, 0, 1, 1] * 5
    tree = TreeClassifier(prune=None).fit(X, y).tree_
    question = tree.root.question
    assert question is not None
    assert read_question(str(question), tree.columns) == question
    assert read_question(question.written(), tree.columns) == question
    if name == name.strip():
        assert read_question(f"{name} <= 1.5", tree.columns) == question
        assert read_question(f"z = {name}" if "\n" not in name else "z = r", tree.columns).column == "z"
    assert Tree.from_json(tree.to_json()) == tree
    assert tree.columns[0].name == name


def test_edits_of_a_file_are_safe_to_print() -> None:
    """A file may hold any question and any option."""
    assert str(Edit("replace", (0,), "x\x1b[2J <= \n1")) == "asks x\\x1b[2J <= \\n1 at node 0"
    assert str(Edit("regrow", (), options={"\x07": 1})) == "grown anew below the root with \\x07=1"


def test_what_is_harmless_stays() -> None:
    """Letters of all scripts, spaces of any width and joiners are no danger; names stay as they are."""
    for text in ("größe", "prix\xa0(€)", "名前\u3000", "می\u200cخواهم", "👩\u200d🔬", "a\\nb", "→ ≤"):
        assert visible(text) == visible_lines(text) == visible_json(text) == text
    model = TreeRegressor(prune=None).fit(pd.DataFrame({"prix\xa0(€)": [1.0, 2, 3, 4]}), [1.0, 1, 2, 2])
    assert "prix\xa0(€) <= 2.5" in str(model.tree_)


def test_the_spellings() -> None:
    """Python's escapes for people, JSON's for programs; lines and tabs stay where they have a meaning."""
    assert visible("a\n\x1b\U000e0001") == "a\\n\\x1b\\U000e0001"
    assert visible_lines("a\n\tb\r\n") == "a\n\\tb\\r\n"
    assert for_terminal("a\tb\n\x07") == "a\tb\n\\x07"
    assert visible_json('{\n"a": "\x9b\u202e\U000e0001"}') == '{\n"a": "\\u009b\\u202e\\udb40\\udc01"}'
