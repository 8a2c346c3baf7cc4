"""The rules of `to_rules(format="json")`, evaluated by a program that knows nothing but their words.

A rule's share of a row is 1 or 0, or between them where rows are divided. Values are in user form.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from arboretum._data import Column
from arboretum._data.levels import level_from_json, level_key
from arboretum._tree.leaves import cheapest
from arboretum._tree.question_values import read_value
from arboretum.export._rule_list import to_rules
from support.export_running import Answers

__all__ = ["outputs_of_rules", "run_rules", "share_of"]

Row = dict[str, Any]


def run_rules(model: Any, rows: Sequence[Row], *, simplify: bool) -> Answers:
    """What the rules say of each row: exactly one holds, or their shares add up to one."""
    return _answers(json.loads(to_rules(model, format="json", simplify=simplify)), rows)


def outputs_of_rules(model: Any, rows: Sequence[Row], *, simplify: bool) -> list[Answers]:
    """The same for each of several outputs: rules have what they predict under its name."""
    document = json.loads(to_rules(model, format="json", simplify=simplify))
    found = []
    for output in document["outputs"]:
        rules = [rule | rule["outputs"][output["name"]] for rule in document["rules"]]
        found.append(_answers({**document, "classes": output["classes"], "rules": rules}, rows))
    return found


def _answers(document: Any, rows: Sequence[Row]) -> Answers:
    columns = {stored["name"]: Column.from_dict(stored) for stored in document["columns"]}
    divided = document["missing"] == "fractions"
    return [_answer(document, columns, row, divided=divided) for row in rows]


def _answer(document: Any, columns: dict[str, Column], row: Row, *, divided: bool) -> tuple[Any, Any]:
    held = [(rule, share_of(rule["conditions"], columns, row)) for rule in document["rules"]]
    held = [(rule, share) for rule, share in held if share]
    if not divided:
        assert len(held) == 1, f"{len(held)} rules hold for {row}"
        if document["classes"] is None:
            return held[0][0]["value"], None
        return level_from_json(held[0][0]["label"]), tuple(held[0][0]["probability"])
    width = len(document["classes"] or [0])
    mixed = [0.0] * width
    for rule, share in held:
        for k, value in enumerate(rule.get("probability") or [rule["value"]]):
            mixed[k] += share * value
    if document["classes"] is None:
        return mixed[0], None
    classes = [level_from_json(label) for label in document["classes"]]
    loss = None if document["loss"] is None else np.array(document["loss"])
    return classes[int(cheapest(np.array([mixed]), loss)[0])], tuple(mixed)


def share_of(conditions: Any, columns: dict[str, Column], row: Row) -> float:
    """The share of a row for which all conditions hold: 1 or 0, or between them where it is divided."""
    share = 1.0
    for condition in conditions:
        share *= _part(condition, columns, row)
        if not share:
            return 0.0
    return share


def _part(condition: Any, columns: dict[str, Column], row: Row) -> float:
    if "holds" in condition:
        return float(_composite(condition, columns, row) == condition["holds"])
    answered = _answered(condition, columns[condition["column"]], row)
    if answered is not None:
        return float(answered)
    if "share" in condition:
        return float(condition["share"])
    for other in condition.get("surrogates", ()):
        sent = _answered(other, columns[other["column"]], row)
        if sent is not None:
            return float(sent)
    return float(condition["missing"])


def _answered(condition: Any, column: Column, row: Row) -> bool | None:
    """Whether a known value is allowed; None if it is missing, unknown, or has no answer."""
    value = row[column.name]
    if value is None or value != value:
        return None
    if column.levels is not None:
        key = level_key(value)
        if key not in {level_key(level) for level in column.levels}:
            return None
        if "answered" in condition and not _among(value, condition["answered"]):
            return None
        return "in" not in condition or _among(value, condition["in"])
    if condition.get("in") == []:
        return False
    above = "above" not in condition or not _at_most(column, value, condition["above"])
    return above and ("at_most" not in condition or _at_most(column, value, condition["at_most"]))


def _among(value: Any, levels: Any) -> bool:
    return level_key(value) in {level_key(level_from_json(level)) for level in levels}


def _at_most(column: Column, value: Any, bound: Any) -> bool:
    if column.kind in ("number", "integer"):
        return bool(value <= (float(bound) if isinstance(bound, str) else bound))
    return read_value(column, value)[1] <= read_value(column, bound)[1]


def _composite(condition: Any, columns: dict[str, Column], row: Row) -> bool:
    if "sum" in condition:
        total = 0.0
        for term in condition["sum"]:
            total += term["coefficient"] * _number(term, columns[term["column"]], row)
        return bool(total <= condition["at_most"])
    held = 0
    for literal in condition["of"]:
        column = columns[literal["column"]]
        asked = dict(literal)
        if "equals" in asked:
            asked["in"] = [asked.pop("equals")]
        so = _answered(asked, column, row)
        held += so is not None and so != literal["negated"]
    return bool(held >= condition["at_least"])


def _number(term: Any, column: Column, row: Row) -> float:
    known = _answered({"in": [term["equals"]]} if "equals" in term else {}, column, row)
    if known is None:
        return float(term["missing_counts_as"])
    return float(known) if "equals" in term else float(row[column.name])
