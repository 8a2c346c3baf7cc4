"""Rules in words: conditions, whole rules and lists of them, wherever they are shown.

A threshold is written with as many digits as a reader needs: six, or more where two thresholds of the tree
would look the same. Level sets are written from their shorter side: `colour in {…}` or `colour not in {…}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from arboretum._data import Column
from arboretum._data.levels import level_text
from arboretum._options.rules import Whole
from arboretum._show.output_words import outputs_said
from arboretum._show.own_rows import support_text
from arboretum._show.words import number, rows_text
from arboretum._tree.composites import AtLeast, Composite, Linear, Literal
from arboretum._tree.digits import DIGITS, digits_apart, rounded, short_text, text_beside, texts_beside
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.question_values import quote, value_text
from arboretum._tree.questions import Question, Threshold
from arboretum._tree.tree import Tree
from arboretum._types import Array, Mask
from arboretum._wording import many, percent, visible
from arboretum.inspection.rules.conditions import Allowed, Answered, Bound, Condition
from arboretum.inspection.rules.rule import Rule
from arboretum.inspection.rules.rule_list import ListedRule, RuleList

_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_SHOWN_LEVELS: Final = 12
# Such conditions could be misread before an "and".
_LOOSE: Final = re.compile(r"^(at least [0-9]+|fewer than [0-9]+|all|not all|any|none) of: | or missing\Z")


@dataclass(frozen=True, eq=False)
class Wording:
    """How the conditions of a tree are written; None shows all digits, or every level."""

    tree: Tree
    digits: int | None = DIGITS
    max_levels: int | None = _SHOWN_LEVELS

    def __post_init__(self) -> None:
        Whole(1, or_none=True).read(self.digits, "digits")
        object.__setattr__(self, "_known_thresholds", {})

    # --- conditions

    def premise(self, conditions: Iterable[Condition]) -> str:
        """Return conditions in one line."""
        parts = [self.condition(condition) for condition in conditions]
        several = len(parts) > 1
        # In brackets, if a condition could be misread before an "and".
        return " and ".join([f"({part})" if several and _LOOSE.search(part) else part for part in parts])

    def condition(self, condition: Condition) -> str:
        """Return one condition."""
        if isinstance(condition, Answered):
            return self._answered(condition)
        known = self._known(condition)
        if known is None:
            gone = condition.levels is not None and not condition.levels
            return f"{quote(condition.about.name)} is {'missing' if gone else 'known'}"
        return f"{known} or missing" if condition.missing and condition.missing_seen else known

    def _known(self, allowed: Allowed) -> str | None:
        """Return the known values that are allowed; None if all or none are."""
        name, levels = quote(allowed.about.name), allowed.levels
        if levels is not None:
            n_levels = len(allowed.about.levels or ())
            return None if not levels or len(levels) == n_levels else self._levels(allowed.about, levels)
        above = None if allowed.above is None else self.threshold(allowed.about, allowed.above)
        at_most = None if allowed.at_most is None else self.threshold(allowed.about, allowed.at_most)
        if above is not None and at_most is not None:
            return f"{above} < {name} <= {at_most}"
        if above is not None:
            return f"{name} > {above}"
        return None if at_most is None else f"{name} <= {at_most}"

    def _levels(self, column: Column, levels: frozenset[int]) -> str:
        if column.kind == "ordered" and (text := _range_text(column, levels)) is not None:
            return text
        n_levels = len(column.levels or ())
        # Short from the other side, unless both sides are short.
        if n_levels > 2 and (len(levels) == n_levels - 1 or 2 * len(levels) > n_levels + 4):
            return self._listed(column, frozenset(range(n_levels)) - levels, ("!=", "not in"))
        return self._listed(column, levels, ("=", "in"))

    def _listed(self, column: Column, levels: frozenset[int], signs: tuple[str, str]) -> str:
        name, most = quote(column.name), len(levels) if self.max_levels is None else self.max_levels
        names = [value_text(column, level) for level in sorted(levels)[:most]]
        if len(levels) == 1:
            return f"{name} {signs[0]} {names[0]}"
        more = [f"{_MORE} {len(levels) - most} more"] if len(levels) > most else []
        return f"{name} {signs[1]} {{{', '.join([*names, *more])}}}"

    def _answered(self, condition: Answered) -> str:
        question = condition.question
        if self.digits is not None and isinstance(question, Linear):
            terms = [
                replace(term, coefficient=rounded(term.coefficient, self.digits)) for term in question.terms
            ]
            question = replace(question, terms=tuple(terms))
        outcome = question.outcomes[0 if condition.holds else 1]
        if isinstance(question, AtLeast) and self.digits is not None:
            listed = ", ".join([self._literal(literal) for literal in question.literals])
            outcome = f"{outcome.partition(' of: ')[0]} of: {listed}"
        return outcome

    def _literal(self, literal: Literal) -> str:
        value = literal.value
        if literal.level is None and literal.about.levels is None:
            value = self.threshold(literal.about, literal)
        return f"{literal.beginning}{value}"

    # --- thresholds

    def threshold(self, column: Column, bound: Bound) -> str:
        """Return a threshold with the digits that a reader needs."""
        assert bound.threshold is not None
        return short_text(column, bound.threshold, self._thresholds(column)[1])

    def value(self, column: Column, value: float | int) -> str:
        """Return a value of a row, with enough digits to lie on its side of every threshold of the tree."""
        thresholds, digits = self._thresholds(column)
        return text_beside(column, value, thresholds, self.digits, digits)

    def _thresholds(self, column: Column) -> tuple[list[float | int], int | None]:
        """Return the thresholds of a column in order, and with how many digits they look different."""
        known: dict[str, tuple[list[float | int], int | None]] = self.__dict__["_known_thresholds"]
        if column.name not in known:
            thresholds = sorted(thresholds_of(self.tree, column))
            known[column.name] = thresholds, digits_apart(column, thresholds, self.digits)
        return known[column.name]

    # --- outcomes

    def outcome(self, question: Question, child: int) -> str:
        """Return the answer that leads to a child of a question."""
        if isinstance(question, Composite):
            return self._answered(Answered(question, holds=child == 0))
        if isinstance(question, Threshold):
            return _side(question, child, self.threshold(question.about, question))
        return question.outcomes[child]

    def value_and_outcome(self, question: Threshold, child: int, value: float | int) -> tuple[str, str]:
        """Return the value of a row that a question sends to a child, and this answer."""
        needed = self._thresholds(question.about)[1]
        value_text, threshold = texts_beside(question.about, value, question.threshold, self.digits, needed)
        return value_text, _side(question, child, threshold)


def _side(question: Threshold, child: int, threshold: str) -> str:
    sign = "<=" if (child == 0) is not question.flipped else ">"
    return f"{quote(question.column)} {sign} {threshold}"


def wording_of(tree: Tree, digits: int | None = DIGITS) -> Wording:
    """Return a wording that all rules of a tree share: which digits they need is found out only once."""
    Whole(1, or_none=True).read(digits, "digits")
    kept: dict[int | None, Wording] = tree.__dict__.setdefault("_wordings", {})
    return kept.setdefault(digits, Wording(tree, digits))


def thresholds_of(tree: Tree, column: Column) -> list[float | int]:
    """Return the thresholds of all questions of a tree about a column, those of parts included."""
    place = tree._place_of(column.name)
    kept: list[float | int] = []
    for table in (tree._arrays, tree.terms):
        if table:
            asks: Mask = (table["column"] == place) & (table["kind"] == Threshold.kind)
            kept += _stored(column, table, asks)
    return kept


def _stored(column: Column, table: Any, chosen: Mask) -> list[float | int]:
    real, floor = (_numbers(table, name, chosen) for name in ("threshold", "threshold_floor"))
    return [Literal(column, False, *both).threshold or 0 for both in zip(real, floor, strict=True)]


def _numbers(table: Any, name: str, chosen: Mask) -> list[Any]:
    found: Array = table[name][chosen]
    listed: list[Any] = found.tolist()
    return listed


def _range_text(column: Column, levels: frozenset[int]) -> str | None:
    """Return neighbouring levels of an ordered column as a range; None if they are not neighbours."""
    low, high, last = min(levels), max(levels), len(column.levels or ()) - 1
    if high - low + 1 != len(levels):
        return None
    name = quote(column.name)
    if low == high:
        return f"{name} = {value_text(column, low)}"
    if low == 0:
        return f"{name} <= {value_text(column, high)}"
    above = value_text(column, low - 1)
    return f"{name} > {above}" if high == last else f"{above} < {name} <= {value_text(column, high)}"


# --- rules


def condition_texts(tree: Tree, conditions: Iterable[Condition]) -> tuple[str, ...]:
    """Return conditions one by one, safe to print."""
    wording = wording_of(tree)
    return tuple([visible(wording.condition(condition)) for condition in conditions])


def premise_text(tree: Tree, conditions: Iterable[Condition]) -> str:
    """Return conditions in one line, safe to print; "always" if there are none."""
    return visible(wording_of(tree).premise(conditions) or "always")


def rule_to_text(rule: Rule, *, digits: int | None = DIGITS, figures: bool = False) -> str:
    """Return a rule in one line: conditions, prediction, and what it rests on."""
    return rule_line(rule, wording_of(rule.tree, digits), figures=figures)


def rule_line(rule: Rule, wording: Wording, *, figures: bool = False) -> str:
    """Return a rule in one line, in a wording that many rules share."""
    premise = wording.premise(rule.conditions) or "always"
    rests_on = support_text(rule) + (figures_text(rule) if figures else "")
    return visible(f"{premise} → {label_of(rule)} ({rests_on})")


def rule_line_of_outputs(rule: Rule, tree: MultiTree, wording: Wording, *, figures: bool) -> str:
    """Return a rule in one line, with what all outputs predict at its leaf."""
    premise = wording.premise(rule.conditions) or "always"
    said = "; ".join(outputs_said(tree, rule.node, is_leaf=True))
    share = f"; {percent(rule.share)} of all rows" if figures else ""
    return visible(f"{premise} → {said} ({rows_text(rule.n_rows)}{share})")


def label_of(rule: Rule) -> str:
    """Return what a rule predicts."""
    return number(rule.label) if rule.confidence is None else level_text(rule.label)


def interval_text(interval: tuple[float, float], *, shares: bool) -> str:
    """Return the bounds of an interval of shares or means."""
    low, high = (percent(bound) if shares else f"{bound:.4g}" for bound in interval)
    return f"between {low} and {high}"


def figures_text(rule: Rule) -> str:
    """Return the interval, the share of all rows and the lift of a rule."""
    parts = (
        [] if rule.interval is None else [interval_text(rule.interval, shares=rule.confidence is not None)]
    )
    parts.append(f"{percent(rule.share)} of all rows")
    parts += [] if rule.lift is None else [f"lift {rule.lift:.3g}"]
    return "; " + ", ".join(parts)


# --- lists of simplified rules


def listed_rule_to_text(rule: ListedRule) -> str:
    """Return a rule of a list in one line."""
    return _listed_line(rule, wording_of(rule.tree))


def rule_list_to_text(rules: RuleList, *, digits: int | None = DIGITS) -> str:
    """Return a list in the order its rules are tried, and how well it does beside the tree."""
    wording = wording_of(rules.tree, digits)
    lines = [
        f"{place}. {_listed_line(rule, wording, figures=True)}" for place, rule in enumerate(rules, start=1)
    ]
    else_text = "otherwise" if lines else "always"
    lines.append(visible(f"{else_text} → {level_text(rules.default)} ({rows_text(rules.n_default)})"))
    tree = f"the tree's {many(rules.tree.n_leaves, 'leaf')}: {_accuracy(rules.tree_accuracy)}"
    size = f"{many(len(rules), 'rule')} of {many(rules.n_conditions, 'condition')}"
    lines.append(f"{size}: {_accuracy(rules.accuracy)} of {rows_text(rules.n_rows)} right; {tree}")
    return "\n".join(lines)


def _accuracy(share: float) -> str:
    return f"{100 * share:.1f}%"


def _listed_line(rule: ListedRule, wording: Wording, *, figures: bool = False) -> str:
    premise = wording.premise(rule.conditions_read) or "always"
    rests_on = f"{percent(rule.confidence)} of {rows_text(rule.n_rows)}"
    if figures:
        parts = [] if rule.interval is None else [interval_text(rule.interval, shares=True)]
        rests_on += "; " + ", ".join([*parts, f"decides about {rule.n_decided:,}", f"lift {rule.lift:.3g}"])
    return visible(f"{premise} → {level_text(rule.label)} ({rests_on})")
