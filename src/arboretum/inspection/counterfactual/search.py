"""The search for the nearest region of rows that is predicted as wanted: best first, down the tree.

A region is what the questions on a way down leave of each column. Its bound, the price of its nearest point,
never falls on the way down, because pieces only get smaller. So when the cheapest open region has nothing
left to ask, and is predicted as wanted, every other region costs at least as much: its own bound says so.
That is the proof, and the bounds are kept as such.

Pieces of different columns do not depend on each other, so the nearest point of a region is found column by
column. Only where the tree adds up columns do they, and a linear program finds it (sums.py).
"""

from __future__ import annotations

import heapq
import math
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from arboretum._tree.tree import Tree
from arboretum._types import Numbers
from arboretum.errors import DataError
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.pieces import Piece, Value, everything
from arboretum.inspection.counterfactual.sums import MARGINS, Solution, nearest_with_sums
from arboretum.inspection.counterfactual.wanted import Wanted
from arboretum.inspection.counterfactual.ways import DIVIDED, RESTS, Sum, Way, Ways, ways_of

Parts = tuple[tuple[int, float], ...]  # nodes, each with the share of the row that is there


# A tree has fewer regions, unless rows are divided among its leaves, or questions are about many columns:
# every way to divide a row, or to answer, is a region.
MOST_REGIONS, MOST_PER_NODE = 50_000, 4


@dataclass(frozen=True)
class State:
    """A region of rows, and how far down they have come."""

    open: Parts = ((0, 1.0),)
    ended: Parts = ()
    region: Mapping[int, Piece] = field(default_factory=dict)
    prices: Mapping[int, float] = field(default_factory=dict)
    sums: tuple[Sum, ...] = ()
    solution: Solution | None = None  # of the columns that are added up
    frozen: frozenset[int] = frozenset()  # columns that must stay as they are
    most: Numbers | None = None  # where rows are divided: how near the prediction can come to what is wanted

    @property
    def bound(self) -> float:
        """The least price of a row of the region."""
        if self.solution is None:
            return math.fsum(self.prices.values())
        apart = (price for place, price in self.prices.items() if place not in self.solution.values)
        return math.fsum(apart) + self.solution.price

    @property
    def place(self) -> int:
        """The node that stands for the region in a proof: the first that rows have come to."""
        return (*self.open, *self.ended)[0][0]


@dataclass(frozen=True)
class Found:
    """A region that is predicted as wanted, and its nearest point: the columns that change."""

    bound: float
    values: Mapping[int, Value]
    region: Mapping[int, Piece]
    ends: tuple[int, ...]
    joint: frozenset[int] = frozenset()  # columns that are added up: their pieces do not say all

    @property
    def changed(self) -> frozenset[int]:
        """The places of the columns that change."""
        return frozenset(self.values)


@dataclass(eq=False)
class Search:
    """A search for regions that are predicted as wanted, nearest first."""

    tree: Tree
    moves: tuple[Moves, ...]
    wanted: Wanted
    max_changes: int | None
    check: Callable[[Mapping[int, Value]], bool]  # whether the row with these changes is predicted as wanted
    bounds: list[tuple[int, float]] = field(
        default_factory=list
    )  # where the search ended, and the bound there

    def __post_init__(self) -> None:
        self._ways: Ways = ways_of(self.tree)
        self._heap: list[tuple[float, int, int, State]] = []
        self._number = count()
        self._n_regions = 0
        # Regions that are not empty, but of which no point was found that the tree predicts as wanted.
        self._unsettled: list[tuple[int, float]] = []
        # What columns are before anything is asked; a known value never becomes missing.
        self._whole = {
            place: everything(move.column, missing=move.value is None)
            for place, move in enumerate(self.moves)
        }
        # The columns that were frozen in each region, which is kept, so that its identity is its own.
        self._frozen: dict[tuple[int, frozenset[int]], Mapping[int, Piece]] = {}
        divides = self.tree.missing == "fractions"
        self._push(State(most=self.wanted.most_at(0) if divides else None))

    def next(self, excluded: Callable[[Found], frozenset[int] | None]) -> Found | None:
        """Return the nearest region; None if there is no further one.

        `excluded` returns columns of which at least one must not change, if an answer is not allowed.
        """
        while self._heap:
            bound, _, _, state = heapq.heappop(self._heap)
            if state.open:
                for further in self._expand(state):
                    self._count(bound)
                    self._push(further)
                continue
            found = self._found(bound, state)
            if found is None:
                self.bounds.append((state.place, bound))
                continue
            one_of = self._too_many(found) or excluded(found)
            # Whatever is allowed leaves one of these columns as it is. And so do further answers from the
            # same region, where columns are added up: others of them may change instead.
            others = one_of if one_of is not None else found.changed if found.joint else frozenset()
            for place in sorted(others - state.frozen):
                self._count(bound)
                self._push(self._freeze(state, place))
            if one_of is None:
                return found
        return None

    def _count(self, bound: float) -> None:
        """Count a region, and give up where there are too many."""
        self._n_regions += 1
        if self._n_regions > max(MOST_REGIONS, MOST_PER_NODE * len(self.tree)):
            raise _too_long(self._n_regions - 1, bound)

    def remaining(self) -> list[tuple[int, float]]:
        """Return where the search stands: for each open region a node, and the least price to come there."""
        return [*self._unsettled, *((state.place, bound) for bound, _, _, state in self._heap)]

    # --- states

    def _push(self, state: State | None) -> None:
        if state is None:
            return
        bound = state.bound
        n_changed = len(self._forced(state))
        if math.isinf(bound) or (self.max_changes is not None and n_changed > self.max_changes):
            return
        if state.open and not self._may_follow(state):
            self.bounds.append((state.place, bound))
            return
        # Of equals the last comes first: it is the farthest down, so that an end is soon found.
        heapq.heappush(self._heap, (bound, n_changed, -next(self._number), state))

    def _forced(self, state: State) -> list[int]:
        """Return the columns that every row of the region changes."""
        moves = self.moves
        return [place for place, piece in state.region.items() if not piece.holds(moves[place].value)]

    def _may_follow(self, state: State) -> bool:
        if state.most is None:
            return self.wanted.reaches[state.open[0][0]]
        return self.wanted.may_follow(state.most)

    def _expand(self, state: State) -> Iterator[State | None]:
        """Yield the regions into which the first open node divides a region."""
        (node, share), rest = state.open[0], state.open[1:]
        if self._ways.is_leaf(node):
            yield replace(state, open=rest, ended=(*state.ended, (node, share)))
            return
        for way in self._ways.of(node, ChainMap(dict(state.region), self._whole)):
            narrower = self._narrow(state, way)
            if narrower is None:
                yield None
                continue
            if way.child == RESTS:
                yield replace(narrower, open=rest, ended=(*state.ended, (node, share)))
            else:
                shares = self._ways.shares(node) if way.child == DIVIDED else ((way.child, 1.0),)
                parts = tuple((self._ways.child(node, child), share * part) for child, part in shares)
                yield replace(narrower, open=(*parts, *rest), most=self._most(state, node, share, parts))

    def _most(self, state: State, node: int, share: float, parts: Parts) -> Numbers | None:
        """Return how near the prediction can come after a node has passed its part of the row on."""
        if state.most is None:
            return None
        most = state.most - share * self.wanted.most_at(node)
        for child, part in parts:
            most += part * self.wanted.most_at(child)
        return most

    def _narrow(self, state: State, way: Way) -> State | None:
        """Return the part of a region that takes a way; None if no row of it can be reached."""
        region, prices = dict(state.region), dict(state.prices)
        for place, piece in way.pieces.items():
            region[place] = region.get(place, self._whole[place]).both(piece)
            prices[place] = self._price(place, region[place], state.frozen)
            if math.isinf(prices[place]):
                return None
        narrower = replace(state, region=region, prices=prices, sums=(*state.sums, *way.sums))
        return self._solved(narrower) if narrower.sums else narrower

    def _price(self, place: int, piece: Piece, frozen: frozenset[int]) -> float:
        move = self.moves[place]
        return math.inf if place in frozen and not piece.holds(move.value) else move.price(piece)

    def _freeze(self, state: State, place: int) -> State | None:
        """Return the part of a region in which a column stays as it is."""
        piece, key = state.region.get(place), (id(state.region), state.frozen | {place})
        if piece is None or not piece.holds(self.moves[place].value) or key in self._frozen:
            return None
        self._frozen[key] = state.region
        frozen = replace(state, frozen=state.frozen | {place})
        return self._solved(frozen) if frozen.sums else frozen

    def _solved(self, state: State) -> State | None:
        """Return a region with the nearest point of the columns that are added up."""
        solution = nearest_with_sums(self.moves, state.region, state.sums, state.frozen)
        return None if solution is None else replace(state, solution=solution)

    # --- ends

    def _found(self, bound: float, state: State) -> Found | None:
        """Return the nearest point of a region in which nothing is left to ask; None if it is not wanted."""
        ends = tuple(node for node, _ in state.ended)
        if self.tree.missing != "fractions" and not self.wanted.at_nodes[ends[0]]:
            return None
        apart = {} if state.solution is None else state.solution.values
        values = {p: self._landing(p, state.region[p]) for p in self._forced(state) if p not in apart}
        if state.solution is None:
            return Found(bound, values, state.region, ends) if self.check(values) else None
        for margin in MARGINS:
            joint = nearest_with_sums(self.moves, state.region, state.sums, state.frozen, margin)
            if joint is None:  # only the rim of the region is there, which belongs to another one
                break
            changed = {p: v for p, v in joint.values.items() if v is not None and v != self.moves[p].value}
            if self.check(values | changed):
                return Found(bound, values | changed, state.region, ends, frozenset(joint.values))
        else:
            self._unsettled.append((ends[0], bound))  # so that no proof ignores it
        return None

    def _landing(self, place: int, piece: Piece) -> Value:
        landed = self.moves[place].landing(piece)
        assert landed is not None
        return landed

    def _too_many(self, found: Found) -> frozenset[int] | None:
        too_many = self.max_changes is not None and len(found.values) > self.max_changes
        return found.changed if too_many else None


def _too_long(n_regions: int, bound: float) -> DataError:
    return DataError(
        f"The search looked at {n_regions:,} regions of rows and found no end: the tree divides rows with "
        "missing values among many leaves, or asks about many columns at once. Whatever is as desired costs "
        f"at least {bound:.4g}.\n"
        "Hint: fill in missing values of the row, name columns that stay in fixed, or ask a smaller tree, "
        "such as model.pruned(leaves=100)."
    )
