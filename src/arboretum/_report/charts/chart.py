"""A chart: a frame with two axes, and lines, points, bars and whiskers in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from arboretum._report.charts.axes import Axis
from arboretum._show.page.plain import as_html
from arboretum._show.picture.text_width import shorten, text_width
from arboretum._types import Numbers

_FONT: Final = 11.0
_TEXT: Final = 15.0  # the height of a line of text
_N_COLOURS: Final = 8
_LARGE: Final = 500.0  # wider charts get more room on the page


def colour(number: int) -> str:
    """Return the class of a colour: the first eight are different, the others share one."""
    return f"c{number}" if number < _N_COLOURS else "other"


class Chart:
    """Marks in the space of two axes; y grows upwards, or downwards for an axis of names."""

    def __init__(
        self,
        x: Axis,
        y: Axis,
        *,
        x_name: str = "",
        y_name: str = "",
        width: float = 360.0,
        height: float = 240.0,
        rows_of_names: bool = False,
        longest_name: float = 11.0,
    ) -> None:
        self._x, self._y, self._downwards = x, y, rows_of_names
        self._width, self._height = width, height
        texts = [shorten(text, longest_name) if rows_of_names else text for _, text in y.ticks]
        self._y_texts = texts
        room = max([text_width(text) for text in texts], default=0.0) * _FONT
        self._left = 10.0 + room
        self._top = 8.0 + (_TEXT if y_name else 0.0)
        self._right, self._bottom = width - 14.0, height - (_TEXT + 8.0) - (_TEXT if x_name else 0.0)
        self._marks: list[str] = []
        self._legend: list[tuple[str, str]] = []
        self._names = x_name, y_name

    # --- places

    def _at(self, x: float, y: float) -> tuple[float, float]:
        across = self._left + self._x.share(x) * (self._right - self._left)
        share = self._y.share(y)
        share = share if self._downwards else 1.0 - share
        return across, self._top + share * (self._bottom - self._top)

    # --- marks

    def line(self, xs: Iterable[float], ys: Iterable[float], kind: str) -> None:
        """Draw a line through points."""
        places = [self._at(x, y) for x, y in zip(xs, ys, strict=True)]
        d = "M" + "L".join([f"{x:.1f} {y:.1f}" for x, y in places])
        self._marks.append(f'<path class="line {kind}" d="{d}"/>')

    def steps(self, edges: Sequence[float], ys: Sequence[float], kind: str) -> None:
        """Draw a line that is level between edges."""
        xs = [edge for pair in pairwise(edges) for edge in pair]
        self.line(xs, np.repeat(np.asarray(ys, dtype=np.float64), 2).tolist(), kind)

    def points(self, xs: Iterable[float], ys: Iterable[float], kind: str, size: float = 3.0) -> None:
        """Draw dots."""
        for x, y in zip(xs, ys, strict=True):
            across, down = self._at(x, y)
            self._marks.append(f'<circle class="dot {kind}" cx="{across:.1f}" cy="{down:.1f}" r="{size:g}"/>')

    def upright(self, x: float, low: float, high: float, kind: str) -> None:
        """Draw a line from one y to another."""
        (across, start), (_, end) = self._at(x, low), self._at(x, high)
        self._marks.append(f'<path class="line {kind}" d="M{across:.1f} {start:.1f}V{end:.1f}"/>')

    def level(self, y: float, low: float, high: float, kind: str) -> None:
        """Draw a line from one x to another."""
        (start, down), (end, _) = self._at(low, y), self._at(high, y)
        self._marks.append(f'<path class="line {kind}" d="M{start:.1f} {down:.1f}H{end:.1f}"/>')

    def box(self, x: tuple[float, float], y: tuple[float, float], kind: str) -> None:
        """Draw a rectangle between values."""
        (x0, y0), (x1, y1) = self._at(x[0], y[0]), self._at(x[1], y[1])
        left, top, width, height = min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
        self._marks.append(
            f'<rect class="fill {kind}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"/>'
        )

    def legend(self, kind: str, name: str) -> None:
        """Say what a kind of mark stands for."""
        self._legend.append((kind, name))

    # --- the whole

    def svg(self, says: str) -> str:
        """Return the chart; `says` describes it to those who cannot see it."""
        legend, extra = self._legend_marks()
        height = self._height + extra
        frame = [*self._x_axis(), *self._y_axis()]
        parts = "".join([*frame, *self._marks, *legend])
        box = f"0 0 {self._width:g} {height:g}"
        large = " large" if self._width > _LARGE else ""
        return (
            f'<svg class="chart{large}" viewBox="{box}" role="img" aria-label="{as_html(says)}">{parts}</svg>'
        )

    def _x_axis(self) -> list[str]:
        parts = []
        last = -np.inf
        for value, text in self._x.ticks:
            across, _ = self._at(value, self._y.low)
            parts.append(f'<path class="grid" d="M{across:.1f} {self._top:.1f}V{self._bottom:.1f}"/>')
            half = text_width(text) * _FONT / 2
            middle = min(max(across, half), self._width - half - 1)
            if middle - half > last + 4:
                parts.append(_text(middle, self._bottom + _TEXT, text, "middle"))
                last = middle + half
        name = self._names[0]
        if name:
            shown = shorten(name, self._width / _FONT)
            parts.append(
                _text((self._left + self._right) / 2, self._bottom + 2 * _TEXT, shown, "middle", "name")
            )
        parts.append(f'<path class="axis" d="M{self._left:.1f} {self._bottom:.1f}H{self._right:.1f}"/>')
        return parts

    def _y_axis(self) -> list[str]:
        parts = []
        for (value, _), text in zip(self._y.ticks, self._y_texts, strict=True):
            _, down = self._at(self._x.low, value)
            if not self._downwards:
                parts.append(f'<path class="grid" d="M{self._left:.1f} {down:.1f}H{self._right:.1f}"/>')
            parts.append(_text(self._left - 6.0, down + 4.0, text, "end"))
        name = self._names[1]
        return [
            *parts,
            *([_text(2.0, 11.0, shorten(name, self._width / _FONT), "start", "name")] if name else []),
        ]

    def _legend_marks(self) -> tuple[list[str], float]:
        """Return the legend below the chart, and how much room it takes."""
        parts: list[str] = []
        across, down = 4.0, self._height + 4.0
        most = (self._width - 24.0) / _FONT
        for kind, given in self._legend:
            name = shorten(given, most)
            wide = 20.0 + text_width(name) * _FONT + 10.0
            if across > 4.0 and across + wide > self._width:
                across, down = 4.0, down + _TEXT
            parts.append(f'<rect class="fill {kind}" x="{across:.1f}" y="{down:.1f}" width="12" height="8"/>')
            parts.append(_text(across + 16.0, down + 8.0, name, "start"))
            across += wide
        return parts, (down - self._height + _TEXT) if parts else 0.0


def _text(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> str:
    extra = "" if kind is None else f' class="{kind}"'
    return f'<text{extra} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{as_html(text)}</text>'


def range_of(*several: Numbers | Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest finite value of all."""
    values = np.concatenate([np.asarray(each, dtype=np.float64).ravel() for each in several])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
