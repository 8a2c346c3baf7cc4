"""Rows whose value is missing: a category of their own, sent by surrogates, or divided among the children.

A surrogate is a question about another column that stands in where the value asked for is missing: the cut
(in either direction) or grouping of levels that agrees best with the primary question, the one asked. It must
do better than sending every row to the child to which the primary question sends more weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from arboretum.errors import ParameterError, choices
from arboretum.reference.nodes import Part, Split, SurrogateQuestion, Table, weight_of
from arboretum.reference.questions import Question, Subset, Threshold, check_choice, questions_about

Sending: TypeAlias = Mapping[int, int]  # the child of each row that the primary can send

LEAST_ROWS = 2  # a surrogate must send this many each way, or chance would pass for agreement
LEAST_ADJUSTED = Fraction(1, 10**10)


@dataclass(frozen=True)
class Surrogate:
    """How many surrogates a node keeps, how rows are sent, and what agreement is a share of.

    send: "always" (by surrogates, else with the majority), "surrogates" (else a row stays), "never" (stays).
    agreement: a share of the weight that the primary sends in this "node", or whose two values are "known".
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
    """Return the options of any object that has them."""
    check_choice("send", missing.send, ("always", "surrogates", "never"))
    check_choice("agreement", missing.agreement, ("node", "known"))
    return Surrogate(missing.max_surrogates, missing.send, missing.agreement)


def surrogates_of(
    table: Table, part: Part, primary: Split, options: Surrogate, thresholds: str, levels: str = "raw"
) -> list[Agreeing]:
    """Return the best surrogate of each other column, by agreement; equals stay in column order."""
    sent = {row: child for child, rows in enumerate(primary.children) for row in rows}
    found = []
    for column in range(len(table.columns)):
        if column == primary.question.column:
            continue
        if table.kinds[column] == "nominal":
            known = {value for value in table.values(column, table.rows) if value is not None}
            least = 2 if levels == "corrected" and len(known) > 2 else 1
            questions = groups(table, part, sent, column, least)
        else:
            questions = cuts(table, part, column, thresholds)
        surrogate = best_surrogate(table, part, sent, column, questions, options.agreement)
        if surrogate is not None and surrogate.adjusted > LEAST_ADJUSTED:
            found.append(surrogate)
    return sorted(found, key=lambda surrogate: -surrogate.agreement)[: options.max_surrogates]


def best_surrogate(
    table: Table, part: Part, sent: Sending, column: int, questions: Iterator[Question], agreement: str
) -> Agreeing | None:
    """Return the question that agrees best with the primary, the first of equals."""
    values = values_sent(table, sent, column)

    def agreeing(question: Question) -> Fraction:
        able = [row for row in values if question.knows(values[row])]
        return weight_of(part, [row for row in able if question.child(values[row]) == sent[row]])

    def sends_enough(question: Question) -> bool:
        ways = [question.child(value) for value in values.values() if question.knows(value)]
        return min(ways.count(0), ways.count(1)) >= LEAST_ROWS

    best = max(filter(sends_enough, questions), key=agreeing, default=None)
    if best is None:
        return None
    judged = list(values if agreement == "known" else sent)
    agree, whole = agreeing(best), weight_of(part, judged)
    majority = max(weights_sent(part, sent, judged))
    if majority == whole:  # sending everything there is always right
        return None
    return Agreeing(best, agree / whole, (agree - majority) / (whole - majority))


def cuts(table: Table, part: Part, column: int, thresholds: str) -> Iterator[Question]:
    """Yield every cut of the node's values, ascending, each first as it is and then flipped.

    Rows that the primary cannot send count too: they are the ones that need a surrogate.
    """
    values = [value for value in table.values(column, part) if value is not None]
    everywhere = [value for value in table.values(column, table.rows) if value is not None]
    for cut in questions_about(column, table.kinds[column], values, thresholds=thresholds, table=everywhere):
        assert isinstance(cut, Threshold)
        yield cut
        yield replace(cut, flipped=True)


def groups(table: Table, part: Part, sent: Sending, column: int, least: int = 1) -> Iterator[Question]:
    """Yield the one question that sends each level where most of its weight goes.

    A balanced level goes where most of the weight of all levels goes, or else to child 0. A level with fewer
    rows than `least` goes nowhere: a single row agrees with itself alone.
    """
    values = values_sent(table, sent, column)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for level in sorted(set(values.values())):
        rows = [row for row in values if values[row] == level]
        if len(rows) < least:
            continue
        left, right = weights_sent(part, sent, rows)
        if left == right:
            left, right = weights_sent(part, sent, list(values))
        sides[0 if left >= right else 1].append(level)
    yield Subset(column, frozenset(sides[0]), others=frozenset(sides[1]))


def values_sent(table: Table, sent: Sending, column: int) -> dict[int, Any]:
    """Return the known values of a column in the rows that the primary has sent."""
    values = {row: table.columns[column][row] for row in sent}
    return {row: value for row, value in values.items() if value is not None}


def weights_sent(part: Part, sent: Sending, rows: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Return the weight of these rows that the primary sends to child 0 and to child 1."""
    left, right = ([row for row in rows if sent[row] == child] for child in (0, 1))
    return weight_of(part, left), weight_of(part, right)


class Sent(NamedTuple):
    """The part of each child, and how the node treats rows that its question cannot send."""

    parts: Sequence[Part]
    missing: str
    missing_child: int
    surrogates: tuple[SurrogateQuestion, ...] = ()


class MissingPolicy:
    """How a node treats rows whose value is missing; by default, it judges questions without them."""

    unseen_answer = False  # whether a level without rows here answers "x = v?" with no

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        """Return the rows of the node by which questions about the column are judged."""
        return [row for row in part if table.columns[column][row] is not None]

    def size(self, part: Part, rows: Iterable[int]) -> Fraction | int:
        """Return how large a set of rows is, as limits count it."""
        return len(list(rows))

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        """Divide the node's rows among the children."""
        raise NotImplementedError


def missing_policy(missing: Any, thresholds: str, levels: str = "raw") -> MissingPolicy:
    """Return the policy of that name, or of an object with the options of surrogates."""
    named: dict[str, Callable[[], MissingPolicy]] = {
        "category": IsCategory,
        "surrogate": lambda: BySurrogates(Surrogate(), thresholds, levels),
        "fractional": ByFractions,
    }
    if isinstance(missing, str) and missing in named:
        return named[missing]()
    if all(hasattr(missing, name) for name in ("max_surrogates", "send", "agreement")):
        return BySurrogates(as_surrogate(missing), thresholds, levels)
    raise ParameterError(choices("missing", missing, named))


def heaviest(weights: Sequence[Fraction | float]) -> int:
    """Return the child with the most weight, the first of equals."""
    return max(range(len(weights)), key=lambda child: weights[child])


def take(part: Part, rows: Iterable[int]) -> Part:
    return {row: part[row] for row in rows}


class IsCategory(MissingPolicy):
    """Missing is a value like any other: the question says where it goes.

    Where no row of the node has a missing value, later ones follow the heaviest child.
    """

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        return list(part)

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        parts = [take(part, rows) for rows in split.children]
        if None in table.values(split.question.column, part):
            return Sent(parts, "child", split.question.child(None))
        return Sent(parts, "child", heaviest([weight_of(child) for child in parts]))


@dataclass(frozen=True)
class BySurrogates(MissingPolicy):
    """CART: the first surrogate that can sends the row; else it follows the majority, or stays."""

    options: Surrogate
    thresholds: str  # where surrogates cut, like all questions
    levels: str = "raw"  # "corrected": levels with a single row in the node say nothing

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        surrogates = surrogates_of(table, part, split, self.options, self.thresholds, self.levels)
        asked = [] if self.options.send == "never" else [surrogate.question for surrogate in surrogates]
        majority = heaviest([weight_of(part, rows) for rows in split.children])
        missing_child = majority if self.options.send == "always" else -1
        sent = {row: child for child, rows in enumerate(split.children) for row in rows}
        n_sent = [0] * len(surrogates)
        for row in part.keys() - sent.keys():
            values = [table.columns[question.column][row] for question in asked]
            able = [i for i, question in enumerate(asked) if question.knows(values[i])]
            if able:
                sent[row] = asked[able[0]].child(values[able[0]])
                n_sent[able[0]] += 1
            elif missing_child >= 0:
                sent[row] = missing_child
        parts = [take(part, [row for row in part if sent.get(row) == child]) for child in (0, 1)]
        listed = tuple(
            SurrogateQuestion(found.question, float(found.agreement), float(found.adjusted), n_rows)
            for found, n_rows in zip(surrogates, n_sent, strict=True)
        )
        return Sent(parts, "child" if self.options.send == "never" else "surrogates", missing_child, listed)


class ByFractions(MissingPolicy):
    """C4.5: the row goes to all children, to each with its share of the weight that is known.

    Limits count weight, because a node may hold many small pieces of rows.
    """

    unseen_answer = True

    def size(self, part: Part, rows: Iterable[int]) -> Fraction:
        return weight_of(part, rows)

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        weights = [weight_of(part, rows) for rows in split.children]
        column = table.columns[split.question.column]
        parts: list[Part] = []
        for rows, weight in zip(split.children, weights, strict=True):
            here, share = set(rows), weight / sum(weights)
            pieces = {
                row: part[row] if row in here else part[row] * share
                for row in part
                if row in here or (column[row] is None and share > 0)
            }
            parts.append(pieces)
        return Sent(parts, "fractions", heaviest(weights))
