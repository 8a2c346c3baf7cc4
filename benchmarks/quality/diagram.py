"""The critical-difference diagrams: mean ranks on a line, bars over those that cannot be told apart."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from .peers import DEFAULT
from .ranks import Ranking, groups_alike

__all__ = ["draw_rankings"]

OURS, OTHERS, BAR = "#b3261e", "#333333", "#4a78a8"
COLOURS = 32
LINE = 0.42  # the height of a line of text, in units of the axes
INCHES = 0.56  # the height of a unit


def draw_rankings(path: Path, rankings: dict[str, Ranking]) -> None:
    """Draw one diagram per measure, below each other, and write them as a picture."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from PIL import Image

    heights = [needed_height(ranking) for ranking in rankings.values()]
    figure = Figure(figsize=(9.0, INCHES * sum(heights)), layout=ConstrainedLayoutEngine(h_pad=0.1))
    axes = figure.subplots(len(rankings), 1, height_ratios=heights, squeeze=False)[:, 0]
    for ax, (title, ranking), height in zip(axes, rankings.items(), heights, strict=True):
        draw_ranking(ax, title, ranking, height)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100, facecolor="white")
    # A few colours are enough, and make a file of a fifth of the size.
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def needed_height(ranking: Ranking) -> float:
    """Room for title and scale, for the bars, and for a line of text for every second peer."""
    return 2.0 + LINE * (len(bars_of(ranking)) / 2 + (len(ranking.mean_ranks) + 1) // 2)


def bars_of(ranking: Ranking) -> list[tuple[int, int]]:
    """The groups that a bar is drawn over."""
    return groups_alike(ranking.mean_ranks.to_numpy(), ranking.critical_difference)


def draw_ranking(ax: Any, title: str, ranking: Ranking, height: float) -> None:
    """The scale on top, bars below it, and then the names: the better half left, the worse half right."""
    ranks, names = ranking.mean_ranks.to_numpy(), list(ranking.mean_ranks.index)
    low, high = 1.0, float(len(ranks))
    room = 0.42 * (high - low)
    ax.set(xlim=(low - room, high + room), ylim=(-height + 1.3, 0.9))
    ax.axis("off")
    ax.set_title(f"{title}: mean rank on {ranking.n_tables} tables", loc="left", fontsize=11)
    ax.plot([low, high], [0, 0], color=OTHERS, linewidth=1)
    for tick in range(int(low), int(high) + 1):
        ax.plot([tick, tick], [0, 0.1], color=OTHERS, linewidth=1)
        ax.text(tick, 0.16, str(tick), ha="center", va="bottom", fontsize=8)
    ends = [low, low + ranking.critical_difference]
    ax.plot(ends, [0.68, 0.68], color=BAR, linewidth=2)
    ax.text(ends[1] + 0.1, 0.68, "critical difference", va="center", fontsize=8, color=BAR)
    bars = bars_of(ranking)
    for number, (first, last) in enumerate(bars):
        y = -0.18 - number * LINE / 2
        ax.plot([ranks[first] - 0.06, ranks[last] + 0.06], [y, y], color=BAR, linewidth=3)
    top = -0.35 - len(bars) * LINE / 2
    better = (len(ranks) + 1) // 2
    for number, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        left = number < better
        y = top - LINE * (number if left else len(ranks) - 1 - number)
        colour = OURS if name == DEFAULT else OTHERS
        end = low - 0.15 if left else high + 0.15
        ax.plot([rank, rank, end], [0, y, y], color=colour, linewidth=1.6 if name == DEFAULT else 0.8)
        label = f"{name}  {rank:.1f}" if left else f"{rank:.1f}  {name}"
        weight = "bold" if name == DEFAULT else "normal"
        side = "right" if left else "left"
        ax.text(end, y, f" {label} ", ha=side, va="center", fontsize=9, color=colour, weight=weight)
