"""What the scripts of the gallery share: axes side by side, and a file to write."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

Draw = Callable[[Sequence[Any]], dict[str, float]]


def make_figure(draw: Draw, n_axes: int, path: Path, *, height: float = 4.0) -> dict[str, float]:
    """Draw on so many axes side by side, write the figure, and return the numbers that it shows."""
    figure, axes = plt.subplots(
        1, n_axes, figsize=(5.2 * n_axes, height), layout="constrained", squeeze=False
    )
    numbers = draw(list(axes[0]))
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return numbers


def run(draw: Draw, n_axes: int, *, height: float = 4.0) -> None:
    """Write the figure to the file that the command line names, and print its numbers."""
    name = Path(sys.argv[0]).with_suffix(".png").name
    path = Path(sys.argv[1] if len(sys.argv) > 1 else name)
    for what, number in make_figure(draw, n_axes, path, height=height).items():
        print(f"{what}: {number:.3f}")
    print(f"written: {path}")


def draw_lines(
    ax: Any, x: Sequence[Any], lines: dict[str, Sequence[float]], xlabel: str, ylabel: str
) -> None:
    """Draw named lines over the same values."""
    for (name, heights), style in zip(lines.items(), ("-o", "--s", "-.^", ":D", "-v", "--P"), strict=False):
        ax.plot(range(len(x)), heights, style, markersize=4, label=name)
    ax.set_xticks(range(len(x)), [str(value) for value in x])
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(frameon=False)
