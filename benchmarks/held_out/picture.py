"""The picture: mean differences by the number of training rows, a panel for each comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from arboretum._show.picture.palette import palette_of
from arboretum.plot._axes import add_grid, looks, style

from .differences import Shape, compare
from .kinds import DEPTHS
from .trials import ALL, ROWS

__all__ = ["PICTURE", "draw_differences"]

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "optimal-held-out.png"
COLOURS = 64
PANELS = (
    ("optimal", "greedy", "optimal - greedy"),
    ("optimal", "lookahead", "optimal - lookahead"),
    ("optimal, size chosen", "default", "optimal, size chosen - default"),
)


def draw_differences(records: pd.DataFrame) -> None:
    """Draw all comparisons, classes above numbers."""
    from io import BytesIO

    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(9.6, 5.6), layout="constrained")
    panels = figure.subplots(2, len(PANELS), sharex=True, sharey="row")
    for line, of_classes in zip(panels, (True, False), strict=True):
        for ax, (kind, other, title) in zip(line, PANELS, strict=True):
            draw_panel(ax, records, kind, other, of_classes=of_classes)
            if of_classes:
                ax.set_title(title, fontsize=10)
            else:
                ax.set_xlabel("training rows")
        line[0].set_ylabel("classes: wrong rows, %" if of_classes else "numbers: variance not explained, %")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, frameon=False, fontsize=9, loc="outside upper center", ncols=len(DEPTHS))
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110, facecolor=figure.get_facecolor())
    Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


def draw_panel(ax: Any, records: pd.DataFrame, kind: str, other: str, *, of_classes: bool) -> None:
    """Draw one comparison: a line for each depth, with intervals."""
    palette = palette_of("light")
    style(ax, palette)
    sizes = (*ROWS, ALL)
    ax.axhline(0.0, color=palette.faint, linewidth=1.0, linestyle="--", zorder=1)
    for place, (depth, look) in enumerate(zip(DEPTHS, looks(palette.classes[:3], palette), strict=True)):
        found = [compare(records, kind, other, Shape(of_classes, rows, depth)) for rows in sizes]
        at = [number for number, each in enumerate(found) if each is not None]
        known = [each for each in found if each is not None]
        ax.errorbar(
            [number + 0.12 * (place - 1) for number in at],
            [100 * each.mean for each in known],
            yerr=[100 * each.half for each in known],
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            linewidth=1.2,
            markersize=5,
            capsize=2,
            label=f"depth {depth}",
        )
    ax.set_xticks(range(len(sizes)), [f"{rows:,}" for rows in ROWS] + ["all"])
    add_grid(ax, palette, "y")
