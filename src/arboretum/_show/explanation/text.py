"""An explanation as text."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from arboretum._data.levels import level_text
from arboretum._show.rule_text import wording_of
from arboretum._show.words import mix_text, rows_text
from arboretum._tree.digits import computed_text, figure
from arboretum._tree.node import Node
from arboretum._tree.question_values import quote
from arboretum._wording import LONGEST_NAME, many, percent, visible, without_middle
from arboretum.inspection.certainty import Certainty
from arboretum.inspection.rules.figures import counts_rows, own_shares
from arboretum.inspection.similar_rows import SimilarRow

if TYPE_CHECKING:
    from arboretum._show.explanation.explanation import Contribution, Explanation, Place, Step

_SHOWN_LEAVES: Final = 5
_MOST_STEPS: Final = 60  # of more, those at both ends are shown
_STEPS_AT_AN_END: Final = 20
_ROUNDING: Final = 1e-9
_SHOWN_CONTRIBUTIONS: Final = 10


def explanation_to_text(explanation: Explanation) -> str:
    """Return an explanation as text."""
    lines = [f"→ {explanation.conclusion}", "", f"the start: {place_text(explanation, explanation.start)}"]
    before, after, n_left = steps_at_ends(explanation)
    lines += _step_lines(explanation, before, 1)
    if n_left:
        lines.append(left_out_text(n_left))
        lines += _step_lines(explanation, after, len(before) + n_left + 1)
    if not before:
        lines.append("nothing is asked")
    lines += other_ways(explanation)
    lines += ["", *certainty_lines(explanation)]
    lines += _contributions(explanation)
    lines += _similar(explanation)
    lines += _counterfactuals(explanation)
    return "\n".join(map(visible, lines))


def shown_steps(explanation: Explanation) -> list[Step]:
    """Return the steps that are shown: of a divided row, those that lead to its largest parts.

    Each of them shows only such places as do so.
    """
    if len(explanation.certainty) <= _SHOWN_LEAVES:
        return list(explanation.steps)
    shown, parents = set[int](), explanation.tree.array("parent").tolist()
    for each in explanation.certainty[:_SHOWN_LEAVES]:
        node = each.node
        while node >= 0 and node not in shown:
            shown.add(node)
            node = parents[node]
    kept = [
        replace(step, to=tuple(place for place in step.to if place.node in shown))
        for step in explanation.steps
        if step.place.node in shown
    ]
    return [step for step in kept if step.to]


def _step_lines(explanation: Explanation, steps: Sequence[Step], first: int) -> Iterator[str]:
    parts = parts_of(explanation)
    for count, step in enumerate(steps, first):
        yield f"{count}. {parts.get(step.place.node, '')}{step.reason}"
        yield from (f"   {arrival_text(explanation, step, place)}" for place in step.to)


def parts_of(explanation: Explanation) -> dict[int, str]:
    """Return which part of a divided row comes to a node, as the beginning of a sentence.

    Only the nodes right below a question that divides the row have one; the other steps follow those before.
    """
    divided = [step for step in explanation.steps if step.decider == "shares" and len(step.to) > 1]
    if not divided:
        return {}
    shares = _shares_of_nodes(explanation)
    parts = {}
    for step, place in ((above, place) for above in divided for place in above.to):
        share = percent(shares[place.node])
        parts[place.node] = f"where {_answer_text(explanation, step, place)} ({share} of the row), "
    return parts


def _shares_of_nodes(explanation: Explanation) -> Mapping[int, float]:
    """Return how much of the row comes to each node."""
    shares = defaultdict[int, float](float)
    parents = explanation.tree.array("parent").tolist()
    for each in explanation.certainty:
        node = each.node
        while node >= 0:
            shares[node] += each.share
            node = parents[node]
    return shares


def steps_at_ends(explanation: Explanation) -> tuple[list[Step], list[Step], int]:
    """Return the first and the last of the shown steps, and how many between them are left out.

    All are among the first, unless there are very many.
    """
    steps = shown_steps(explanation)
    if len(steps) <= _MOST_STEPS:
        return steps, [], 0
    return steps[:_STEPS_AT_AN_END], steps[-_STEPS_AT_AN_END:], len(steps) - 2 * _STEPS_AT_AN_END


def left_out_text(n_steps: int) -> str:
    """Return the line that stands for steps that are not shown."""
    return f"… {many(n_steps, 'more question')}; to_frame() and to_json() have them all"


def other_ways(explanation: Explanation) -> list[str]:
    """Return a line about the parts of a divided row that are not shown, if there are any."""
    others = explanation.certainty[_SHOWN_LEAVES:]
    if not others:
        return []
    share = percent(math.fsum(each.share for each in others))
    return [
        f"Shown are the ways to the {_SHOWN_LEAVES} largest parts of the row. {share} of it "
        f"{'goes one other way' if len(others) == 1 else f'goes {len(others):,} other ways'}."
    ]


def place_text(explanation: Explanation, place: Place) -> str:
    """Return the rows of a node, and what they are."""
    if place.shares is None:
        return f"{rows_text(place.n_rows)}, {centre(explanation)} {amount_text(explanation, place.value)}"
    return f"{rows_text(place.n_rows)}: {mix_text(explanation.classes or (), place.shares)}"


def centre(explanation: Explanation) -> str:
    """Return what the number of a node is called."""
    return "median" if explanation.tree.criterion == "absolute_error" else "mean"


def arrival_text(explanation: Explanation, step: Step, place: Place) -> str:
    """Return what a row finds where a step leads; if it is divided, with the answer that leads there."""
    told = place_text(explanation, place)
    return told if step.decider != "shares" else f"with {_answer_text(explanation, step, place)}: {told}"


def _answer_text(explanation: Explanation, step: Step, place: Place) -> str:
    """Return the answer that leads from a step to a place."""
    node = Node(explanation.tree, step.place.node)
    assert node.question is not None
    answer = place.node - node.children[0].number
    return wording_of(explanation.tree, explanation.digits).outcome(node.question, answer)


def amount_text(explanation: Explanation, value: float | None) -> str:
    """Return a number that is predicted, or the mean of some rows."""
    return figure(0.0 if value is None else value, explanation.digits)


def certainty_lines(explanation: Explanation) -> list[str]:
    """Return how sure the prediction is, a sentence for each leaf that has a part of the row."""
    shown = explanation.certainty[:_SHOWN_LEAVES]
    several = len(explanation.certainty) > 1
    lines = [
        (f"{percent(each.share)} of the row: " if several else "how sure: ")
        + certainty_text(explanation, each)
        for each in shown
    ]
    more = explanation.certainty[_SHOWN_LEAVES:]
    share = percent(math.fsum(each.share for each in more))
    leaves = "leaf" if len(more) == 1 else "leaves"
    return [*lines, *([f"… and {len(more):,} more {leaves}, with {share} of the row"] if more else [])]


def certainty_text(explanation: Explanation, each: Certainty) -> str:
    """Return what the rows of a leaf say, their interval, and that the prediction is drawn elsewhere."""
    numbers = explanation.probability is None
    write = partial(amount_text, explanation) if numbers else percent
    told = _own_text(explanation, each)
    if each.low is not None and each.high is not None:
        told += (
            f" ({percent(each.confidence)} interval {write(each.low)} to {write(each.high)}, {each.method})"
        )
    if explanation.tree.shrinkage and each.node:
        told += f"; drawn towards the nodes above, {write(each.predicted)} is predicted"
    elif abs(each.predicted - each.own) > _ROUNDING * (1.0 + abs(each.own)):
        told += f"; {write(each.predicted)} is predicted"
    return told


def _own_text(explanation: Explanation, each: Certainty) -> str:
    """Return what the rows of a leaf say by themselves, and which class they would rather have."""
    one = each.n_rows == 1
    if explanation.probability is None:
        own = amount_text(explanation, each.own)
        if one:
            return f"the only row of this leaf has the value {own}"
        return f"the {rows_text(each.n_rows)} of this leaf have the {centre(explanation)} {own}"
    label = level_text(explanation.prediction)
    if one:
        return f"the only row of this leaf is {'not ' if each.own < 0.5 else ''}{label}"
    rows = f"the {rows_text(each.n_rows)} of this leaf"
    counted = f"{rows} are" if counts_rows(explanation.tree) else f"the weight of {rows} is"
    told = f"{percent(each.own)} of {counted} {label}"
    if each.most_frequent is None or explanation.classes is None:
        return told
    other = explanation.classes[each.most_frequent]
    share = float(own_shares(explanation.tree, [each.node])[0, each.most_frequent])
    return (
        told if not share > each.own else f"{told}, while {other} is most frequent there ({percent(share)})"
    )


def _contributions(explanation: Explanation) -> Iterator[str]:
    moving, n_more = moving_columns(explanation)
    if not moving:
        return
    yield ""
    yield f"what moves the {moved_text(explanation)}, from {base_text(explanation)} on average:"
    yield from _aligned([[contribution_text(explanation, each.amount), value_of(each)] for each in moving])
    if n_more:
        yield f"… and {n_more} more"


def contribution_text(explanation: Explanation, amount: float) -> str:
    """Return by how much a column moves the prediction."""
    return computed_text(amount, explanation.digits, "+")


def base_text(explanation: Explanation) -> str:
    """Return what contributions start from."""
    return amount_text(explanation, explanation.base)


def moved_text(explanation: Explanation) -> str:
    """Return what contributions move."""
    if explanation.probability is None:
        return "prediction"
    return f"probability of {level_text(explanation.prediction)}"


def moving_columns(explanation: Explanation) -> tuple[list[Contribution], int]:
    """Return the contributions that are shown, the largest first, and how many more there are."""
    moving = [each for each in explanation.contributions if each.amount]
    moving.sort(key=lambda each: -abs(each.amount))
    return moving[:_SHOWN_CONTRIBUTIONS], max(0, len(moving) - _SHOWN_CONTRIBUTIONS)


def value_of(contribution: Contribution) -> str:
    """Return a column and its value."""
    name = without_middle(quote(contribution.column), LONGEST_NAME)
    value = "missing" if contribution.value is None else contribution.value
    return f"{name} = {without_middle(value, LONGEST_NAME)}"


def _similar(explanation: Explanation) -> Iterator[str]:
    if explanation.similar is None:
        return
    yield ""
    if not explanation.similar:
        yield f"similar rows: none of the given rows is in {leaf_text(explanation)}"
        return
    yield f"{similar_title(explanation)}:"
    rows = [
        [row_name(each), f"distance {each.distance:.3g}", target_text(explanation, each.target)]
        for each in explanation.similar
    ]
    yield from _aligned(rows)


def row_name(row: SimilarRow) -> str:
    """Return what a row is called: its label, and its number if others have the same label or it has none."""
    if row.label is None:
        return f"row {row.number}"
    name = f"row {without_middle(label_text(row.label), LONGEST_NAME)}"
    return name if row.unique else f"{name} (number {row.number})"


def label_text(label: object) -> str:
    """Return a label of an index as text; the parts of a label of several levels are joined."""
    return ", ".join(map(level_text, label)) if isinstance(label, tuple) else level_text(label)


def similar_title(explanation: Explanation) -> str:
    """Return which rows the similar ones are."""
    if explanation.n_similar == 1:
        return f"similar row, the only given one in {leaf_text(explanation)}"
    return f"similar rows, of {explanation.n_similar:,} given ones in {leaf_text(explanation)}"


def leaf_text(explanation: Explanation) -> str:
    """Return which leaf similar rows are in: that of the row, or of its largest part."""
    if len(explanation.certainty) < 2:
        return "this leaf"
    return f"the leaf with the largest part of the row ({percent(explanation.certainty[0].share)})"


def target_text(explanation: Explanation, target: object) -> str:
    """Return the target of a row as text; nothing if it is not known."""
    if target is None:
        return ""
    return amount_text(explanation, target) if isinstance(target, float) else level_text(target)


def _counterfactuals(explanation: Explanation) -> Iterator[str]:
    if explanation.desired is None:
        return
    yield ""
    yield f"what would give {explanation.desired}:"
    for answer in explanation.counterfactuals:
        yield f"  {answer.to_text(digits=explanation.digits)}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
