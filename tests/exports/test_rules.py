"""Rules: the text that people read, and JSON whose evaluation gives the tree's own answers."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from support.export_models import ALL, deep, exported, rows_of
from support.export_rules import run_rules
from support.export_running import differences, run_python

from arboretum import TreeClassifier
from arboretum.errors import ParameterError
from arboretum.export._rule_list import to_rules


@pytest.mark.parametrize("simplify", [False, True])
@pytest.mark.parametrize("kind", ALL)
def test_rules_answer_as_the_core_does(kind: str, simplify: bool) -> None:
    model, X, _ = exported(kind)
    rows = rows_of(model, X, 60)[::3]
    assert not differences(model, rows, run_rules(model, rows, simplify=simplify))


def _conditions(model: Any, simplify: bool) -> int:
    document = json.loads(to_rules(model, format="json", simplify=simplify))
    assert document["simplified"] is simplify
    return sum(len(rule["conditions"]) for rule in document["rules"])


def test_simple_rules_name_each_column_once() -> None:
    model, _, _ = exported("numbers")
    assert _conditions(model, True) < _conditions(model, False)
    for rule in json.loads(to_rules(model, format="json"))["rules"]:
        columns = [condition["column"] for condition in rule["conditions"]]
        assert len(columns) == len(set(columns))


def test_text_merges_bounds() -> None:
    X = [[float(x)] for x in range(8)]
    model = TreeClassifier(prune=None, leaf="frequency").fit(X, list("aaabbaab"))
    lines = [line for line in to_rules(model, figures=False).splitlines() if not line.startswith("#")]
    assert lines == [
        "1. x0 <= 2.5 → a (100%, 3 rows)",
        "2. 2.5 < x0 <= 4.5 → b (100%, 2 rows)",
        "3. 4.5 < x0 <= 6.5 → a (100%, 2 rows)",
        "4. x0 > 6.5 → b (100%, 1 row)",
    ]
    raw = to_rules(model, simplify=False)
    assert "x0 > 2.5 and x0 <= 4.5" in raw or "x0 <= 4.5 and x0 > 2.5" in raw


def test_rules_are_those_of_the_leaves_in_order() -> None:
    for kind in ("penguins", "typed", "multiway", "at least m", "numbers"):
        model, _, _ = exported(kind)
        document = json.loads(to_rules(model, format="json"))
        leaves = list(model.tree_.leaves())
        assert [rule["node"] for rule in document["rules"]] == [leaf.number for leaf in leaves]
        assert [rule["n_rows"] for rule in document["rules"]] == [leaf.n_rows for leaf in leaves]


def test_empty_branches_have_rules() -> None:
    """A branch that gets no share of a divided row is still the way of a row that holds its level."""
    level = pd.Categorical(["a", "b"] * 10, categories=["a", "b", "never"])
    X = pd.DataFrame({"level": level, "x": range(20)})
    model = TreeClassifier(missing="fractional", nominal="multiway", prune=None).fit(X, [0, 1] * 9 + [1, 0])
    assert any(leaf.n_rows == 0 for leaf in model.tree_.leaves())
    rows: list[dict[str, object]] = [{"level": level, "x": 3} for level in ("a", "b", "never", None)]
    assert not differences(model, rows, run_rules(model, rows, simplify=True))
    assert not differences(model, rows, run_python(model, rows))


def test_rows_that_rest_have_rules() -> None:
    model, _, _ = exported("rows that rest")
    document = json.loads(to_rules(model, format="json"))
    inner = [rule for rule in document["rules"] if not model.tree_.node(rule["node"]).is_leaf]
    assert len(inner) > 5


@pytest.mark.parametrize("kind", ["hostile", "evil names", "hostile, surrogates"])
def test_every_rule_is_one_line(kind: str) -> None:
    model, _, _ = exported(kind)
    text = to_rules(model)
    rules = json.loads(to_rules(model, format="json"))["rules"]
    assert len(text.splitlines()) == 4 + len(rules)


def test_deep_trees_have_rules() -> None:
    tree, _, _ = deep()
    lines = to_rules(tree, figures=False).splitlines()
    assert len(lines) == 4 + 2_001
    assert lines[-1] == "2001. x0 > 1999.5 → 0 (100%, 1 row)"


def test_files_and_formats(tmp_path: Any) -> None:
    model, _, _ = exported("iris")
    assert to_rules(model, tmp_path / "rules.txt") + "\n" == (tmp_path / "rules.txt").read_text()
    with pytest.raises(ParameterError, match="format='xml' is not known; choose 'text', 'json'"):
        to_rules(model, format="xml")


@pytest.mark.parametrize("kind", ["penguins", "numbers", "sums", "dates", "fractions"])
def test_the_json_carries_rows_with_their_answers(kind: str) -> None:
    """The rows of the self-test, read back as they stand there, are answered by the rules as it says."""
    model, _, _ = exported(kind)
    document = json.loads(to_rules(model, format="json", n_samples=20))
    assert len(document["self_test"]) == 20
    plain = [test for test in document["self_test"] if not _has_dates(test["row"])]
    found = run_rules(model, [_read(test["row"]) for test in plain], simplify=True)
    for test, (label, shares) in zip(plain, found, strict=True):
        if shares is None:
            assert label == test["value"]
        else:
            assert (str(label), list(shares)) == (str(test["label"]), test["probability"])


def _has_dates(row: dict[str, Any]) -> bool:
    return any(isinstance(value, dict) for value in row.values())


def _read(row: dict[str, Any]) -> dict[str, Any]:
    infinite = {"inf": float("inf"), "-inf": float("-inf")}
    return {
        name: infinite.get(value, value) if isinstance(value, str) else value for name, value in row.items()
    }
