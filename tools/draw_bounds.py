"""Draw the pictures of docs/optimal.md anew: python -m tools.draw_bounds

They are made from real searches, with costs and bounds worked out once more in plain Python and compared with
those of the search. Times are counted in passes, so that every machine draws the same. That of held-out rows
is drawn by benchmarks/held_out. Look at every picture afterwards.
"""

from __future__ import annotations

import heapq
import warnings
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import pandas as pd

from arboretum import Optimal, TreeClassifier, datasets, plot
from arboretum._show.picture.palette import Palette, mixed, palette_of
from arboretum.plot._axes import add_grid, add_legend, looks, style, write_over
from tools.draw_images import keep

COLUMNS = ["body_mass_g", "bill_depth_mm", "bill_length_mm", "flipper_length_mm"]
ROOT, SECOND = COLUMNS[:2]
N_CUTS = 16
STOPS = 80  # searches that are stopped, for the history

Array = npt.NDArray[Any]


def load_rows() -> tuple[pd.DataFrame, Array]:
    """Return the measures of penguins of known sex, in the order of the root column, and who is female."""
    X, _ = datasets.load_penguins()
    X = X.dropna(subset=["sex", *COLUMNS]).sort_values(ROOT, kind="stable").reset_index(drop=True)
    return X[COLUMNS], (X["sex"] == "female").to_numpy()


def open_panels(n: int, size: tuple[float, float]) -> tuple[Any, Palette]:
    """Return axes side by side, in light colours."""
    palette = palette_of("light")
    _, axes = plt.subplots(1, n, figsize=size, layout="constrained", squeeze=False)
    for ax in axes[0]:
        style(ax, palette)
    return axes[0], palette


def least_cost(X: pd.DataFrame, y: Array, depth: int) -> int:
    """Return how many rows the best tree gets wrong."""
    if len(np.unique(y)) < 2:
        return 0
    search = Optimal(time_limit=None)
    model = TreeClassifier(search=search, max_depth=depth, prune=None).fit(X, y)
    assert model.optimality_ is not None
    assert model.optimality_.proven
    return int(model.optimality_.objective)


def cut_places(values: Array) -> list[int]:
    """Return the numbers of rows that a question about sorted values can send to the left."""
    return [place for place in range(1, len(values)) if values[place - 1] != values[place]]


# --- sixteen questions at once


def draw_pass() -> None:
    """One walk in the order of a second column: the rows, and the running sums of the left sides."""
    X, is_female = load_rows()
    mass, depth = X[ROOT].to_numpy(), X[SECOND].to_numpy()
    places = cut_places(mass)
    cuts = [places[len(places) * (2 * number + 1) // (2 * N_CUTS)] for number in range(N_CUTS)]
    order = np.argsort(depth, kind="stable")
    ends = np.append(depth[order][1:] != depth[order][:-1], True)  # where a question can divide the walk
    steps = np.where(is_female[order], 1, -1)
    sums = [np.cumsum(steps * (order < cut)) for cut in cuts]
    costs = []
    for cut, run in zip(cuts, sums, strict=True):
        females, males = int(is_female[:cut].sum()), int((~is_female[:cut]).sum())
        costs.append(min(females - max(0, int(run[ends].max())), males + min(0, int(run[ends].min()))))
        assert costs[-1] == least_cost(X[[SECOND]][:cut], is_female[:cut], 1)
    (left, right), palette = open_panels(2, (10.4, 4.3))
    shown = 9
    draw_rows(left, palette, mass, depth, is_female, cuts, shown)
    draw_sums(right, palette, sums, np.where(ends, sums[shown], -1), shown)
    females, greatest = int(is_female[: cuts[shown]].sum()), int(sums[shown][ends].max())
    right.set_title(
        f"with the best second question {females} - {greatest} = {costs[shown]} of these rows are wrong",
        fontsize=9,
        color=palette.ink,
    )
    keep(left, "optimal-pass")


def draw_rows(
    ax: Any, palette: Palette, mass: Array, depth: Array, is_female: Array, cuts: list[int], shown: int
) -> None:
    """Draw the penguins in the plane of both columns, with the questions of one pass."""
    for look, of_class, name in zip(
        looks(palette.classes[:2], palette), (is_female, ~is_female), ("female: +1", "male: -1"), strict=True
    ):
        ax.scatter(
            mass[of_class],
            depth[of_class],
            s=13,
            marker=look.marker,
            color=mixed(palette.card, look.colour, 0.75),
            linewidths=0,
            label=name,
        )
    at = [(mass[cut - 1] + mass[cut]) / 2 for cut in cuts]
    for number, place in enumerate(at):
        is_shown = number == shown
        colour = palette.accent if is_shown else palette.line
        ax.axvline(place, color=colour, linewidth=2.0 if is_shown else 0.9, zorder=1)
    ax.annotate(
        "",
        xy=(at[0] - 240, depth.max()),
        xytext=(at[0] - 240, depth.min()),
        arrowprops={"arrowstyle": "->", "color": palette.faint},
    )
    write_over(ax, palette, at[0] - 300, float(np.median(depth)), "the walk", rotation=90, fontsize=8)
    ax.set_xlim(at[0] - 380, mass.max() + 60)
    ax.set(xlabel=f"{ROOT}: {N_CUTS} root questions", ylabel=f"{SECOND}: the order of the walk")
    handles, names = ax.get_legend_handles_labels()
    add_legend(
        ax, palette, handles, names, loc="upper right", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=True
    )


def draw_sums(ax: Any, palette: Palette, sums: list[Array], at_ends: Array, shown: int) -> None:
    """Draw what the lanes of the vector hold, row by row."""
    add_grid(ax, palette, "y")
    for number, run in enumerate(sums):
        if number != shown:
            ax.plot(np.arange(1, len(run) + 1), run, color=palette.line, linewidth=0.9)
    ax.plot(np.arange(1, len(at_ends) + 1), sums[shown], color=palette.accent, linewidth=2.0)
    best = int(at_ends.argmax())
    ax.plot([best + 1], [at_ends[best]], "o", color=palette.accent, markersize=7)
    write_over(ax, palette, best + 1, float(at_ends[best]) + 4.5, f"greatest sum: {at_ends[best]}")
    ax.set(xlabel="rows walked", ylabel="females less males, left of each root question")
    ax.set_ylim(top=max(int(run.max()) for run in sums) + 10)


# --- intervals of cuts


@dataclass(frozen=True)
class Point:
    """A cut that was solved: so many rows on its left, and what both sides cost at least."""

    at: int
    left: int
    right: int

    @property
    def cost(self) -> int:
        """What the best tree with this root costs."""
        return self.left + self.right


@dataclass(frozen=True)
class Column:
    """The root column: where it can be cut, and what the best trees of two levels on both sides cost."""

    X: pd.DataFrame
    y: Array
    places: list[int]

    def solve(self, at: int) -> Point:
        """Return a cut with its costs."""
        return Point(at, least_cost(self.X[:at], self.y[:at], 2), least_cost(self.X[at:], self.y[at:], 2))


def solve_column(column: Column) -> list[Point]:
    """Halve the interval with the least bound until none can hold anything better; return what was solved."""
    whole = least_cost(column.X, column.y, 2)
    solved = [Point(0, 0, whole), Point(len(column.y), whole, 0)]
    best, open_ones = whole, [(0, 0, solved[0], solved[1])]
    while open_ones:
        bound, _, low, high = heapq.heappop(open_ones)
        # So many rows further on, as many mistakes fewer at most.
        inside = [
            at
            for at in column.places
            if low.at < at < high.at and at - low.at > low.cost - best and high.at - at > high.cost - best
        ]
        if bound >= best or not inside:
            continue
        middle = column.solve(inside[len(inside) // 2])
        solved.append(middle)
        best = min(best, middle.cost)
        for one, other in ((low, middle), (middle, high)):
            heapq.heappush(open_ones, (one.left + other.right, one.at, one, other))
    return sorted(solved, key=lambda point: point.at)


def bound_at(solved: list[Point], at: int) -> int:
    """Return what the solved cuts say about another: by both sides, and by the rows between."""
    low = max((point for point in solved if point.at <= at), key=lambda point: point.at)
    high = min((point for point in solved if point.at >= at), key=lambda point: point.at)
    return max(low.left + high.right, low.cost - (at - low.at), high.cost - (high.at - at))


def draw_intervals() -> None:
    """The cost of every cut of a root column, those that were solved, and the bound on all others."""
    X, is_female = load_rows()
    column = Column(X, is_female, cut_places(X[ROOT].to_numpy()))
    solved = solve_column(column)
    costs = {at: column.solve(at).cost for at in column.places}
    best = min(costs.values())
    check_column(X, is_female, best, solved, costs)
    (ax,), palette = open_panels(1, (8.6, 4.4))
    rows = np.array([0, *column.places, len(is_female)])
    bounds = np.array([bound_at(solved, int(at)) for at in rows])
    colour = palette.classes[0]
    ax.fill_between(
        rows, 0, bounds, color=mixed(palette.card, colour, 0.18), linewidth=0, label="no tree is in here"
    )
    ax.plot(rows, bounds, color=colour, linewidth=1.2, label="lower bound of the cuts there")
    ax.axhline(
        best, color=palette.accent, linewidth=1.2, linestyle="--", label=f"best tree: {best} rows wrong"
    )
    tried = [point for point in solved if 0 < point.at < len(is_female)]
    others = [at for at in column.places if at not in {point.at for point in tried}]
    ax.plot(
        others,
        [costs[at] for at in others],
        "o",
        color=palette.faint,
        markerfacecolor=palette.card,
        markersize=4,
        label=f"{len(others)} cuts that were never looked at",
    )
    ax.plot(
        [point.at for point in tried],
        [point.cost for point in tried],
        "o",
        color=palette.ink,
        markersize=6,
        label=f"{len(tried)} cuts that were solved",
    )
    ax.set(
        xlabel=f"rows left of the cut of {ROOT}",
        ylabel="rows that the best tree with this root gets wrong",
        xlim=(0, len(is_female)),
        ylim=(0, None),
    )
    add_legend(
        ax,
        palette,
        *ax.get_legend_handles_labels(),
        loc="lower center",
        bbox_to_anchor=(0.5, 0.02),
        frameon=True,
    )
    keep(ax, "optimal-intervals")


def check_column(X: pd.DataFrame, y: Array, best: int, solved: list[Point], costs: dict[int, int]) -> None:
    """Compare with the search, and the bounds with the costs."""
    search = Optimal(time_limit=None, alternatives=True)
    found = TreeClassifier(search=search, max_depth=3, prune=None).fit(X, y).optimality_
    assert found is not None
    assert best == next(each.objective for each in found.alternatives if each.column == ROOT)
    assert best == min(point.cost for point in solved)
    assert all(best <= bound_at(solved, at) <= cost for at, cost in costs.items())


# --- the certificate


def draw_history() -> None:
    """What is known of a tree of four levels when the search is stopped after so many passes."""
    X, y = datasets.make_checkerboard(500, squares=3, noise=0.1)
    stops = np.unique(np.geomspace(10, 20_000, STOPS).astype(int))
    found: list[Any] = []
    for passes in stops:
        search = Optimal(time_limit=None, work_limit=int(passes))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = TreeClassifier(search=search, max_depth=4, prune=None).fit(X, y)
        found.append(model.optimality_)
        if found[-1].proven:
            break
    spent = np.append(stops[: len(found) - 1], found[-1].work)
    objective = np.array([each.objective for each in found])
    bound = np.array([each.bound for each in found])
    assert found[-1].proven
    assert (bound <= objective[-1]).all()
    (ax,), palette = open_panels(1, (8.0, 3.8))
    add_grid(ax, palette, "y")
    colours = palette.classes
    ax.fill_between(
        spent, bound, objective, step="post", color=mixed(palette.card, colours[1], 0.25), linewidth=0
    )
    ax.step(
        spent,
        objective,
        where="post",
        color=palette.accent,
        linewidth=2.0,
        label="objective: the best tree so far",
    )
    ax.step(spent, bound, where="post", color=colours[0], linewidth=2.0, label="bound: no tree costs less")
    ax.plot([spent[-1]], [bound[-1]], "o", color=palette.ink, markersize=7)
    ax.annotate(
        f"proven: {bound[-1]:.0f} rows,\nafter {spent[-1]:,} passes",
        (spent[-1], bound[-1]),
        xytext=(spent[-1], 12),
        arrowprops={"arrowstyle": "-", "color": palette.line, "shrinkB": 5},
        color=palette.ink,
        ha="right",
        fontsize=9,
    )
    ax.set_xscale("log")
    ax.set(xlabel="passes over the rows of a node", ylabel="rows that the tree gets wrong", ylim=(0, None))
    add_legend(ax, palette, *ax.get_legend_handles_labels(), loc="lower left", bbox_to_anchor=(0.02, 0.06))
    keep(ax, "optimal-history")


def draw_alternatives() -> None:
    """The best tree for each root column."""
    search = Optimal(time_limit=None, alternatives=True)
    model = TreeClassifier(search=search, max_depth=3, prune=None).fit(*load_rows())
    keep(plot.alternatives(model), "optimal-alternatives")


if __name__ == "__main__":
    draw_pass()
    draw_intervals()
    draw_history()
    draw_alternatives()
