"""Ways: which rows go from a node to each of its children, as pieces of single columns.

The ways of a node divide the rows that come to it: no row has two. They follow the router (core/route.cpp)
in all it does with missing values and with levels that had no rows at a node. Where a question adds up
columns, a way also has a `Sum`, which is no piece of one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal
from arboretum._tree.kinds import COMPOSITE
from arboretum._tree.questions import Levels, Missing, Threshold, exact_threshold
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Node, Tree
from arboretum.inspection.counterfactual.pieces import Piece, everything

RESTS: Final = -1  # the row goes no further
DIVIDED: Final = -2  # the row goes to all children, in shares
Region = Mapping[int, Piece]  # by the place of the column; what is not there is not limited

_MISSING: Final = Piece(known=False)


@dataclass(frozen=True)
class Sum:
    """A sum of columns that is at most a threshold, or above it. Missing values count as a term's fill."""

    terms: tuple[tuple[int, LinearTerm], ...]  # each with the place of its column
    threshold: float
    above: bool


@dataclass(frozen=True)
class Way:
    """A child, or RESTS or DIVIDED, and what a row must be to go there."""

    child: int
    pieces: Region
    sums: tuple[Sum, ...] = ()


@dataclass(frozen=True)
class Answers:
    """The pieces of a column that a question sends to each child, and those it has no answer for."""

    column: int
    pieces: tuple[tuple[int, Piece], ...]
    none: Piece


@dataclass(eq=False)
class Ways:
    """The ways of all nodes of a tree, made when they are asked for."""

    tree: Tree
    _lists: dict[str, list[Any]] = field(default_factory=dict)
    _answers: dict[int, Answers] = field(default_factory=dict)
    _stand_ins: dict[int, list[Answers]] = field(default_factory=dict)

    def _of(self, name: str) -> list[Any]:
        """Return an array of the nodes as a list, from which single numbers are read faster."""
        if name not in self._lists:
            self._lists[name] = self.tree.array(name).tolist()
        return self._lists[name]

    def child(self, node: int, place: int) -> int:
        """Return the number of a child."""
        return int(self._of("first_child")[node]) + place

    def is_leaf(self, node: int) -> bool:
        """Return whether a node asks nothing."""
        return bool(self._of("n_children")[node] == 0)

    def shares(self, node: int) -> list[tuple[int, float]]:
        """Return the children of a node that divides rows, with their shares, as the router has them."""
        first = self._of("first_child")[node]
        weights = self._of("weight")[first : first + self._of("n_children")[node]]
        total = 0.0  # added up one by one, as the router does
        for weight in weights:
            total += weight
        return [(child, weight / total) for child, weight in enumerate(weights) if weight > 0]

    def of(self, node: int, region: Region) -> Iterable[Way]:
        """Return the ways of a node that are open to rows of a region, which has all columns."""
        kind = self._of("kind")[node]
        if kind in COMPOSITE:
            question = Node(self.tree, node).question
            if isinstance(question, AtLeast):
                return self._votes(question, region)
            assert isinstance(question, Linear)
            return self._sides(question, region)
        asked = self.answers(node)
        if kind == Missing.kind:
            return [Way(child, {asked.column: piece}) for child, piece in asked.pieces]
        if self.tree.missing == "child":
            return self._with_child(node, asked)
        ways = [Way(child, {asked.column: piece}) for child, piece in asked.pieces]
        if self.tree.missing == "fractions":
            return [*ways, Way(DIVIDED, {asked.column: asked.none})]
        return [*ways, *self._by_surrogates(node, asked)]

    # --- questions about one column

    def answers(self, node: int) -> Answers:
        """Return the answers of a node's own question, which is about one column."""
        if node not in self._answers:
            row = {name: self._of(name)[node] for name in ("kind", "column", "threshold", "threshold_floor")}
            row["n_children"] = self._of("n_children")[node]
            row["levels"] = self._level_groups(self.tree._arrays, node)
            self._answers[node] = self._read(row)
        return self._answers[node]

    def _read(self, row: Mapping[str, Any]) -> Answers:
        place, kind = int(row["column"]), row["kind"]
        column = self.tree.columns[place]
        if kind == Missing.kind:
            return Answers(
                place, ((0, _MISSING), (1, Piece(missing=False))), Piece(known=False, missing=False)
            )
        if kind == Threshold.kind:
            threshold = exact_threshold(column, row["threshold"], row["threshold_floor"])
            sides = [Piece(high=threshold, missing=False), Piece(low=threshold, missing=False)]
            first, second = sides[::-1] if row.get("flipped") else sides
            return Answers(place, ((0, first), (1, second)), _MISSING)
        assert kind == Levels.kind
        groups = [0] * row["n_children"]
        for level, child in row["levels"]:
            groups[child] |= 1 << level
        seen = 0
        for group in groups:
            seen |= group
        unseen = (everything(column, missing=True).levels or 0) & ~seen
        pieces = tuple(
            (child, Piece(levels=group, missing=False)) for child, group in enumerate(groups) if group
        )
        return Answers(place, pieces, Piece(levels=unseen, missing=True))

    @staticmethod
    def _level_groups(arrays: Mapping[str, Any], number: int) -> list[tuple[int, int]]:
        begin, end = arrays["level_begin"][number : number + 2].tolist()
        return list(
            zip(arrays["level"][begin:end].tolist(), arrays["level_child"][begin:end].tolist(), strict=True)
        )

    def _with_child(self, node: int, asked: Answers) -> list[Way]:
        """Return the ways where missing values follow a child, and levels without rows the heavier one."""
        takes = self._of("missing_child")[node]
        unseen = asked.none.levels or 0
        if takes < 0:
            ways = [Way(child, {asked.column: piece}) for child, piece in asked.pieces]
            return [*ways, Way(RESTS, {asked.column: asked.none})]
        heavier = self._heavier(node) if unseen else RESTS
        pieces = dict(asked.pieces)
        ways = []
        for child in range(self._of("n_children")[node]):
            piece = pieces.get(child, Piece(levels=0) if asked.none.levels is not None else _MISSING)
            if child == heavier:
                piece = piece._replace(levels=(piece.levels or 0) | unseen)
            ways.append(Way(child, {asked.column: piece._replace(missing=child == takes)}))
        return ways

    def _heavier(self, node: int) -> int:
        first, n = self._of("first_child")[node], self._of("n_children")[node]
        weights = self._of("weight")[first : first + n]
        return int(weights.index(max(weights)))

    def _by_surrogates(self, node: int, asked: Answers) -> Iterator[Way]:
        """Yield the ways of rows without an answer: the first surrogate that can tell sends them."""
        left: dict[int, Piece] = {asked.column: asked.none}
        for surrogate in self._surrogates(node):
            place = surrogate.column
            before = left.get(place, Piece())
            for child, piece in surrogate.pieces:
                yield Way(child, {**left, place: before.both(piece)})
            left = {**left, place: before.both(surrogate.none)}
        takes = self._of("missing_child")[node]
        yield Way(RESTS if takes < 0 else takes, left)

    def _surrogates(self, node: int) -> list[Answers]:
        """Return the answers of a node's surrogates, in the order they are tried."""
        if node not in self._stand_ins:
            others = self.tree.remembered
            begin, end = others["begin"][node : node + 2].tolist() if others else (0, 0)
            names = ("kind", "column", "threshold", "threshold_floor", "n_children", "flipped")
            self._stand_ins[node] = [
                self._read(
                    {name: others[name][i].item() for name in names}
                    | {"levels": self._level_groups(others, i)}
                )
                for i in range(begin, end)
                if others["role"][i] == SURROGATE
            ]
        return self._stand_ins[node]

    # --- questions about several columns

    def _votes(self, question: AtLeast, region: Region) -> Iterator[Way]:
        """Yield the ways of "at least m of": literals are decided one by one, until the answer is known."""
        parts = [(self.tree._place_of(part.about.name), _holding(part)) for part in question.literals]

        def decide(number: int, n_true: int, here: dict[int, Piece]) -> Iterator[Way]:
            if n_true >= question.m:
                yield Way(0, here)
            elif n_true + len(parts) - number < question.m:
                yield Way(1, here)
            else:
                place, (holding, not_holding) = parts[number]
                before = here.get(place, region[place])
                for piece, counts in ((holding, 1), (not_holding, 0)):
                    left = before.both(piece)
                    if _may_exist(left):
                        yield from decide(number + 1, n_true + counts, {**here, place: left})

        yield from decide(0, 0, {})

    def _sides(self, question: Linear, region: Region) -> list[Way]:
        """Return the two sides of a sum, for each choice of which of its values are missing."""
        terms = tuple((self.tree._place_of(term.about.name), term) for term in question.terms)
        cases: list[dict[int, Piece]] = [{}]
        for place in dict.fromkeys(place for place, _ in terms):
            before = region[place]
            states = [before._replace(missing=False)] if before.known else []
            states += [before._replace(known=False)] if before.missing else []
            cases = [{**case, place: state} for case in cases for state in states]
        return [
            Way(side, case, (Sum(terms, question.threshold, above=bool(side)),))
            for case in cases
            for side in (0, 1)
        ]


def _holding(literal: Literal) -> tuple[Piece, Piece]:
    """Return where a literal holds, and where it does not: also where its value is missing."""
    if literal.level is not None:
        yes, no = (
            Piece(levels=1 << literal.level, missing=False),
            Piece(levels=~(1 << literal.level), missing=True),
        )
    else:
        yes, no = Piece(high=literal.threshold, missing=False), Piece(low=literal.threshold, missing=True)
    if not literal.negated:
        return yes, no
    return no._replace(missing=False), yes._replace(missing=True)


def _may_exist(piece: Piece) -> bool:
    """Return whether a piece may hold anything: what is empty for other reasons is found by its price."""
    return piece.missing or (piece.known and piece.levels != 0)


def ways_of(tree: Tree) -> Ways:
    """Return the ways of a tree, which keeps them: a tree never changes."""
    kept = vars(tree).get("_ways")
    if kept is None:
        kept = vars(tree)["_ways"] = Ways(tree)
    assert isinstance(kept, Ways)
    return kept
