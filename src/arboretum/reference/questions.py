"""Every question that a node can ask about one column, by brute force and in the order that decides ties.

Cuts come in ascending order, each first with missing values going right (child 1) and then, if the node has
any, going left (child 0); last comes "is x missing?", whose child 0 holds the missing rows. A multiway
question is the only one about its column: it has a child for each level, and one for missing values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import count, pairwise
from typing import Any, ClassVar, TypeAlias, TypeVar

from arboretum.errors import ParameterError, choices

Meaning = TypeVar("Meaning")


@dataclass(frozen=True)
class Threshold:
    """Is `x <= threshold`? For ordered columns the threshold is a level number.

    A flipped question has its children exchanged, as a surrogate may need it.
    """

    column: int
    threshold: Any
    missing_left: bool = False
    flipped: bool = False
    n_children: ClassVar[int] = 2

    def child(self, value: Any) -> int:
        """Return the number of the child that a value goes to."""
        if value is None:
            return 0 if self.missing_left else 1
        return 0 if (value <= self.threshold) != self.flipped else 1

    def knows(self, value: Any) -> bool:
        """Return whether a value can be asked about."""
        return value is not None


@dataclass(frozen=True)
class Subset:
    """Is `x` one of the levels? With one level, this is "x = v?"."""

    column: int
    levels: frozenset[Any]
    missing_left: bool = False
    # The levels of child 1. A level in neither had no rows here; what is compared is the question itself.
    others: frozenset[Any] = field(default=frozenset(), compare=False, repr=False)
    n_children: ClassVar[int] = 2

    def child(self, value: Any) -> int:
        """Return the number of the child that a value goes to."""
        if value is None:
            return 0 if self.missing_left else 1
        return 0 if value in self.levels else 1

    def knows(self, value: Any) -> bool:
        """Return whether a value can be asked about."""
        return value in self.levels or value in self.others


@dataclass(frozen=True)
class Multiway:
    """Which level is `x`? A child for each declared level, then one for missing values if there are any."""

    column: int
    levels: tuple[Any, ...]
    missing_last: bool = False

    @property
    def n_children(self) -> int:
        """How many children a node with this question has."""
        return len(self.levels) + self.missing_last

    def child(self, value: Any) -> int:
        """Return the number of the child that a value goes to."""
        return len(self.levels) if value is None else self.levels.index(value)

    def knows(self, value: Any) -> bool:
        """Return whether a value can be asked about."""
        return value in self.levels


@dataclass(frozen=True)
class IsMissing:
    """Is the value of `x` missing?"""

    column: int
    n_children: ClassVar[int] = 2

    def child(self, value: Any) -> int:
        """Return the number of the child that a value goes to."""
        return 0 if value is None else 1

    def knows(self, value: Any) -> bool:
        """Return whether a value can be asked about."""
        return True


Question: TypeAlias = Threshold | Subset | Multiway | IsMissing


def questions_about(
    column: int,
    kind: str,
    values: Sequence[Any],
    *,
    nominal: str = "subset",
    thresholds: str = "midpoint",
    levels: Sequence[Any] = (),
    table: Sequence[Any] = (),
    unseen_answer: bool = False,
) -> Iterator[Question]:
    """Yield all questions about the values of one column in a node; None is a missing value.

    `levels` are those declared for the column, `table` its values in the whole table. With `unseen_answer`, a
    level without rows here answers "x = v?" with no; otherwise it does not answer.

    >>> for question in questions_about(0, "numeric", [1, 2, None]):
    ...     print(question)
    Threshold(column=0, threshold=1.5, missing_left=False, flipped=False)
    Threshold(column=0, threshold=1.5, missing_left=True, flipped=False)
    IsMissing(column=0)
    >>> list(questions_about(0, "nominal", ["a", None], nominal="multiway", levels=["a", "b"]))
    [Multiway(column=0, levels=('a', 'b'), missing_last=True)]
    """
    present = sorted({value for value in values if value is not None})
    some_missing = any(value is None for value in values)
    if kind == "nominal" and nominal == "multiway":
        yield Multiway(column, tuple(levels or present), some_missing)
        return
    for question in cuts_of(column, kind, present, nominal, thresholds, table):
        if isinstance(question, Subset) and nominal == "one_vs_rest" and unseen_answer:
            question = replace(question, others=frozenset(levels) - question.levels)
        yield question
        if some_missing:
            yield replace(question, missing_left=True)
    if some_missing and present:
        yield IsMissing(column)


def cuts_of(
    column: int, kind: str, present: Sequence[Any], nominal: str, thresholds: str, table: Sequence[Any]
) -> Iterator[Threshold | Subset]:
    """Yield the cuts of the values present, ascending, with missing values going right."""
    form = choice("kind", kind, {"numeric": Threshold, "ordered": Threshold, "nominal": Subset})
    if form is Subset:
        for left in sides(present, nominal):
            yield Subset(column, left, others=frozenset(present) - left)
        return

    def in_table(low: Any, high: Any) -> Any:
        return max(value for value in (low, *table) if value <= midpoint(low, high))

    # The lower neighbour separates as well as the midpoint.
    ways: dict[str, Callable[[Any, Any], Any]] = {
        "midpoint": midpoint,
        "observed": lambda low, high: low,
        "table": in_table,
        "round": midpoint if kind == "ordered" else round_between,  # the number of a level is not shown
    }
    between = choice("thresholds", thresholds, ways)
    yield from (Threshold(column, between(low, high)) for low, high in pairwise(present))


def sides(levels: Sequence[Any], nominal: str) -> Iterator[frozenset[Any]]:
    """Yield the levels of child 0 for each way to ask about a nominal column.

    "subset": every partition into two non-empty sides, once. The lowest level is always on the left; of the
    others, one changes sides at a time (a Gray code). "one_vs_rest": each level against the others.

    >>> [sorted(side) for side in sides("abc", "subset")]
    [['a'], ['a', 'b'], ['a', 'c']]
    >>> [sorted(side) for side in sides("abc", "one_vs_rest")]
    [['a'], ['b'], ['c']]
    """
    check_choice("nominal", nominal, ("subset", "one_vs_rest", "multiway"))
    if nominal == "subset":
        return subsets(levels)
    return (frozenset((level,)) for level in levels if len(levels) > 1)


def subsets(levels: Sequence[Any]) -> Iterator[frozenset[Any]]:
    lowest, others = levels[:1], levels[1:]
    for number in range(2 ** len(others)):
        bits = number ^ number >> 1
        joining = [level for position, level in enumerate(others) if bits >> position & 1]
        if len(joining) < len(others):
            yield frozenset((*lowest, *joining))


def midpoint(low: float, high: float) -> float:
    """Return the number halfway between two neighbouring values, or `low` where there is none.

    >>> [midpoint(low, low + 1) for low in (1, 2, 3, 4)]
    [1.5, 2.5, 3.5, 4.5]
    >>> midpoint(1.0, math.nextafter(1.0, 2.0))
    1.0
    >>> midpoint(77.8, 78.1), (77.8 + 78.1) / 2
    (77.95, 77.94999999999999)
    """
    if isinstance(low, int) and isinstance(high, int):
        # Halves, as long as a float has them; beyond that, the whole number below separates as well.
        whole, half = divmod(low + high, 2)
        return whole + 0.5 if half and abs(whole) < 2**51 else whole
    middle = (low + high) / 2
    if math.isinf(middle) and math.isfinite(low) and math.isfinite(high):
        middle = low / 2 + high / 2  # the sum is beyond the largest float, the halves are not
    tidy = to_digits(middle, 15)
    middle = tidy if low <= tidy < high else middle
    # False also for NaN, the middle of -inf and inf.
    return middle if low <= middle < high else low


def round_between(low: float, high: float) -> float:
    """Return the number with the fewest digits that separates two neighbouring values.

    Of equally short numbers it is the one nearest the midpoint; if two are equally near, the lower. Between
    whole numbers it is a whole number.

    >>> round_between(0.1412, 0.1499), round_between(14, 17), round_between(960, 2100), round_between(-3, 5.0)
    (0.146, 15, 2000, 0)
    """
    if low <= 0 < high:
        return 0
    centre = midpoint(low, high)
    if math.isinf(centre):
        centre = math.nextafter(high, -math.inf)  # beside an infinity there is no middle
    if math.isinf(centre):
        return centre
    whole = isinstance(low, int) and isinstance(high, int)
    below, above = (math.floor(centre), math.ceil(centre)) if whole else (centre, centre)
    middle = Decimal(low + high) / 2 if whole else Decimal(repr(centre))
    number = int if whole else float
    for digits in count(1):
        lower, upper = (
            Context(prec=digits, rounding=ROUND_FLOOR),
            Context(prec=digits, rounding=ROUND_CEILING),
        )
        near = lower.create_decimal(repr(below)), upper.create_decimal(repr(above))
        found = [t for t in near if low <= number(t) < high]
        if found:
            return number(min(found, key=lambda t: (abs(t - middle), t)))
    raise AssertionError("the midpoint itself separates")


def to_digits(number: float, digits: int) -> float:
    """Round to this many decimal digits, where one multiplication and one division can do it.

    >>> to_digits(57.949999999999996, 15), to_digits(1e-300, 15)
    (57.95, 1e-300)
    """
    if number == 0 or not math.isfinite(number):
        return number
    after_point = digits - 1 - math.floor(math.log10(abs(number)))
    if not 0 <= after_point <= 22:  # larger powers of ten are no floats
        return number
    power = float(10**after_point)
    return round(number * power) / power


def choice(option: str, name: str, known: dict[str, Meaning]) -> Meaning:
    """Return what a name stands for, or raise an error that lists the names."""
    check_choice(option, name, known)
    return known[name]


def check_choice(option: str, name: str | None, known: Iterable[str | None]) -> None:
    """Refuse a name that is not known."""
    if name not in known:
        raise ParameterError(choices(option, name, known))
