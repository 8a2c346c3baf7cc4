"""Surrogates: questions about other columns that stand in where the value asked for is missing.
Words: primary (the question asked), agreement (the weight that both send to the same child), majority.
Does not say which rows need a surrogate: `missing` sends them.

A surrogate is the cut of a column, in either direction, or the grouping of its levels, that agrees best with
the primary. It must do better than sending everything to the child that the primary sends more weight to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from arboretum.errors import ParameterError, choices
from arboretum.reference.nodes import Split
from arboretum.reference.parts import Part, Table, weight_of
from arboretum.reference.questions import Question, Subset, Threshold, questions_about

__all__ = ["Agreeing", "Surrogate", "as_surrogate", "surrogates_of"]

Sending: TypeAlias = Mapping[int, int]  # the child of each row that the primary can send

LEAST_ROWS = 2  # that a surrogate must send each way, or chance would pass for agreement
LEAST_ADJUSTED = Fraction(1, 10**10)


@dataclass(frozen=True)
class Surrogate:
    """How many surrogates a node keeps, what they are used for, and what their agreement is a share of.

    send: "always" (by surrogates, else as the majority), "surrogates" (else the row stays), "never" (stays).
    agreement: a share of the weight that the primary sends in this "node", or that has both values "known".
    """

    max_surrogates: int = 5
    send: str = "always"
    agreement: str = "node"


class Agreeing(NamedTuple):
    """A question with its agreement and its adjusted agreement."""

    question: Question
    agreement: Fraction
    adjusted: Fraction


def as_surrogate(missing: Any) -> Surrogate:
    """The options of any object that has them."""
    if missing.send not in ("always", "surrogates", "never"):
        raise ParameterError(choices("send", missing.send, ("always", "surrogates", "never")))
    if missing.agreement not in ("node", "known"):
        raise ParameterError(choices("agreement", missing.agreement, ("node", "known")))
    return Surrogate(missing.max_surrogates, missing.send, missing.agreement)


def surrogates_of(
    table: Table, part: Part, primary: Split, options: Surrogate, thresholds: str
) -> list[Agreeing]:
    """The best surrogate of each other column, in order of agreement; equals stay in the order of columns."""
    sent = {row: child for child, rows in enumerate(primary.children) for row in rows}
    found = []
    for column in range(len(table.columns)):
        if column == primary.question.column:
            continue
        if table.kinds[column] == "nominal":
            questions = groups(table, part, sent, column)
        else:
            questions = cuts(table, part, column, thresholds)
        surrogate = best_surrogate(table, part, sent, column, questions, options.agreement)
        if surrogate is not None and surrogate.adjusted > LEAST_ADJUSTED:
            found.append(surrogate)
    return sorted(found, key=lambda surrogate: -surrogate.agreement)[: options.max_surrogates]


def best_surrogate(
    table: Table, part: Part, sent: Sending, column: int, questions: Iterator[Question], agreement: str
) -> Agreeing | None:
    """The question that agrees best with what the primary has sent, the first among equals."""
    values = values_sent(table, sent, column)

    def agreeing(question: Question) -> Fraction:
        return weight_of(part, [row for row in values if question.child(values[row]) == sent[row]])

    def sends_enough(question: Question) -> bool:
        ways = [question.child(value) for value in values.values()]
        return min(ways.count(0), ways.count(1)) >= LEAST_ROWS

    best = max(filter(sends_enough, questions), key=agreeing, default=None)
    if best is None:
        return None
    judged = list(values if agreement == "known" else sent)
    agree, whole = agreeing(best), weight_of(part, judged)
    majority = max(weights_sent(part, sent, judged))
    if majority == whole:  # whatever is sent to that child is right
        return None
    return Agreeing(best, agree / whole, (agree - majority) / (whole - majority))


def cuts(table: Table, part: Part, column: int, thresholds: str) -> Iterator[Question]:
    """Every cut of the node's values, ascending, each first as it is and then flipped.

    A value is a neighbour also if the primary cannot send its row: that row is in need of a surrogate.
    """
    values = [value for value in table.values(column, part) if value is not None]
    everywhere = [value for value in table.values(column, table.rows) if value is not None]
    for cut in questions_about(column, table.kinds[column], values, thresholds=thresholds, table=everywhere):
        assert isinstance(cut, Threshold)
        yield cut
        yield replace(cut, flipped=True)


def groups(table: Table, part: Part, sent: Sending, column: int) -> Iterator[Question]:
    """The one question that sends each level to where more of its weight goes.

    A level in balance goes where more of the weight of all levels goes; if that is equal too, to child 0.
    """
    values = values_sent(table, sent, column)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for level in sorted(set(values.values())):
        left, right = weights_sent(part, sent, [row for row in values if values[row] == level])
        if left == right:
            left, right = weights_sent(part, sent, list(values))
        sides[0 if left >= right else 1].append(level)
    yield Subset(column, frozenset(sides[0]), others=frozenset(sides[1]))


def values_sent(table: Table, sent: Sending, column: int) -> dict[int, Any]:
    """The values of a column in the rows that the primary has sent, where they are known."""
    values = {row: table.columns[column][row] for row in sent}
    return {row: value for row, value in values.items() if value is not None}


def weights_sent(part: Part, sent: Sending, rows: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The weight of those of the rows that the primary sends to child 0, and to child 1."""
    left, right = ([row for row in rows if sent[row] == child] for child in (0, 1))
    return weight_of(part, left), weight_of(part, right)
