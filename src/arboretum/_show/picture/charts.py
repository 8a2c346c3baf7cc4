"""Charts on cards: how the quantity that a node asks about is distributed over its rows, with the cut marked.

Numbers get a histogram by class, or points with the mean of each side if the target is a number; levels get
one bar each, grouped by child. Leaves get a pie of their classes, its area by their rows, or the targets of
their rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from arboretum._show.picture.cards import Card, Style
from arboretum._show.picture.marks import Box, Dots, Group, Line, Mark, Polygon, Text, Wedge
from arboretum._show.picture.palette import mixed, shade
from arboretum._show.picture.text_width import BOLD, shorten, shorten_middle, text_width
from arboretum._show.rows.distribution import Distribution, distribution, place_of_row, target_distribution
from arboretum._show.scene import Scene, SceneNode
from arboretum._show.words import bar_names, compact, weight_text
from arboretum._tree.digits import short_value
from arboretum._types import Numbers

_WIDTH: Final = 200.0
_HEIGHT: Final = 62.0
_TEXT: Final = 9.5
_LEFT: Final = 40.0  # the beginning of the axis
_AXIS: Final = 16.0  # room for the texts below an axis
_SECOND: Final = 11.0  # and for a second line of them
_BAR: Final = 12.0
_NAME: Final = 104.0  # the most room for the names of bars
_BINS: Final = 24
_BARS: Final = 9
_PIE: Final = (4.0, 30.0)  # the least and the greatest radius


def draw_chart(scene: Scene, node: SceneNode, style: Style) -> Card | None:
    """Return the chart of a node of a scene with data; None without rows."""
    if scene.rows is None or node.n_rows == 0:
        return None
    if node.is_end:
        if node.mix is not None:
            return _pie(node, style)
        shown = target_distribution(scene.tree, node.number, scene.rows, bins=_BINS)
        return _targets(shown, scene, node, style)
    found = distribution(scene.tree, node.number, scene.rows, bins=_BINS, bars=_BARS)
    if found is None:
        return None
    own = place_of_row(scene.tree, node.number, scene.path.table) if node.on_path and scene.path else None
    if found.kind == "bars":
        return _bars(found, scene, style, own)
    card = _histogram(found, style) if found.points is None else _scatter(found, scene, style)
    if own is None:
        return card
    # A mark on the axis: the value of the row whose path is shown.
    x, y = _scale(found)(float(own)), _HEIGHT + (_AXIS if found.missing.sum() else 0.0)
    mark = Polygon(((x, y), (x - 5.0, y + 7.0), (x + 5.0, y + 7.0)), style.palette.highlight)
    return Card(card.width, card.height, (*card.marks, mark))


# --- numbers


def _histogram(found: Distribution, style: Style, across: _Scale | None = None) -> Card:
    """Return bars of the rows between edges, with classes stacked, on their own axis or a given one."""
    palette = style.palette
    totals = found.counts.sum(axis=1)
    tallest = float(totals.max()) or 1.0
    across = across or _scale(found)
    marks = _heights(tallest, style)
    edges = _edges(found).tolist()
    for left, right, counts in zip(edges[:-1], edges[1:], found.counts.tolist(), strict=True):
        y = _HEIGHT
        width = max(0.6, across(right) - across(left) - 0.5)
        for count, colour in zip(counts, style.classes or [palette.high], strict=False):
            height = (_HEIGHT - 4.0) * count / tallest
            if height > 0:
                y -= height
                marks.append(Box(across(left), y, width, height, colour))
    return _with_axis(found, style, marks, across)


def _scatter(found: Distribution, scene: Scene, style: Style) -> Card:
    """Return points of value and target, and the mean on either side of the cut."""
    palette = style.palette
    across, up = _scale(found), _Scale(*_target_range(scene), _HEIGHT - 3.0, 3.0)
    points = [] if found.points is None else found.points.tolist()
    dots = tuple((across(x), up(y)) for x, y in points)
    marks: list[Mark] = [Dots(dots, 1.5, shade(palette, 0.7), 0.55)]
    for y, end in ((8.0, up.low + up.span), (_HEIGHT, up.low)):
        marks.append(Text(_LEFT - 3.0, y, compact(end), _TEXT, palette.faint, "end"))
    edges = _edges(found)
    at = len(edges) - 1 if found.cut is None else int(np.searchsorted(edges, found.cut))
    at = min(max(at, 0), len(edges) - 1)
    for begin, end in ((0, at), (at, len(edges) - 1)):
        side = slice(begin, end)
        counts, mean = found.counts[side, 0], found.mean[side] if found.mean is not None else np.zeros(0)
        present = counts > 0
        if present.any():
            level = up(float(np.average(mean[present], weights=counts[present])))
            ends = (across(float(edges[begin])), level), (across(float(edges[end])), level)
            marks.append(Line(ends, palette.ink, 1.6))
    return _with_axis(found, style, marks, across)


def _edges(found: Distribution) -> Numbers:
    return np.array([0.0, 1.0]) if found.edges is None else found.edges


def _with_axis(found: Distribution, style: Style, marks: list[Mark], across: _Scale) -> Card:
    """Add the axis, its texts, and the cut as a line with a wedge below."""
    palette = style.palette
    marks.append(Line(((_LEFT, _HEIGHT), (_WIDTH, _HEIGHT)), palette.line, 1.0))
    if found.cut is not None:
        x = across(found.cut)
        marks.append(Line(((x, 0.0), (x, _HEIGHT)), palette.accent, 1.4, dashed=True))
        marks.append(
            Polygon(((x, _HEIGHT), (x - 4.0, _HEIGHT + 5.0), (x + 4.0, _HEIGHT + 5.0)), palette.accent)
        )
    ticks, height = _tick_marks(found, style, across)
    marks.extend(ticks)
    lacking = float(found.missing.sum())
    if not lacking:
        return Card(_WIDTH, height, tuple(marks))
    note = Text(_WIDTH, 8.0, f"{weight_text(lacking)} missing", _TEXT, palette.faint, "end")
    return Card(_WIDTH, height + _AXIS, (note, Group(0.0, _AXIS, tuple(marks))))


def _tick_marks(found: Distribution, style: Style, across: _Scale) -> tuple[list[Mark], float]:
    """Return the texts below an axis; those that collide with the cut's go to a second line."""
    marks: list[Mark] = []
    taken: list[list[tuple[float, float]]] = [[], []]
    for place, text in sorted(found.ticks, key=lambda tick: tick[0] != found.cut):
        is_cut = place == found.cut
        shown = shorten(short_value(text), (_WIDTH - _LEFT) / _TEXT / BOLD)
        width = text_width(shown) * _TEXT * (BOLD if is_cut else 1.0)
        x = min(max(across(place) - width / 2, _LEFT), _WIDTH - width)
        for line, others in enumerate(taken):
            if all(x + width + 4.0 < begin or x > end + 4.0 for begin, end in others):
                fill = style.palette.accent if is_cut else style.palette.faint
                y = _HEIGHT + _AXIS + 1.0 + line * _SECOND
                marks.append(Text(x, y, shown, _TEXT, fill, bold=is_cut))
                others.append((x, x + width))
                break
    return marks, _HEIGHT + _AXIS + 4.0 + (_SECOND if taken[1] else 0.0)


def _heights(tallest: float, style: Style) -> list[Mark]:
    """Return the texts of the upward axis: 0 and the tallest bar."""
    faint, x = style.palette.faint, _LEFT - 3.0
    return [
        Text(x, 11.0, compact(tallest), _TEXT, faint, "end"),
        Text(x, _HEIGHT, "0", _TEXT, faint, "end"),
    ]


class _Scale:
    """Maps a range of numbers to a range of points."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self.low, self.span = low, (high - low) or 1.0
        self.begin, self.length = begin, end - begin

    def __call__(self, value: float) -> float:
        return self.begin + self.length * min(1.0, max(0.0, (value - self.low) / self.span))


def _scale(found: Distribution) -> _Scale:
    edges = _edges(found)
    return _Scale(float(edges[0]), float(edges[-1]), _LEFT, _WIDTH - 2.0)


# --- levels


def _bars(found: Distribution, scene: Scene, style: Style, own: float | str | None) -> Card:
    """Return one horizontal bar per level, with a line between different children."""
    palette = style.palette
    totals = found.counts.sum(axis=1)
    longest = float(totals.max()) or 1.0
    amounts = [weight_text(total) if total < 1e6 else compact(total) for total in totals.tolist()]
    names = bar_names(found.names or ())
    left = min(_NAME, max(text_width(name) for name in names) * _TEXT * BOLD + 6.0)
    room = _WIDTH - left - max(text_width(amount) for amount in amounts) * _TEXT - 6.0
    marks: list[Mark] = []
    y = 2.0
    child = [-1] * len(totals) if found.child is None else found.child.tolist()
    values = None if found.mean is None else _Scale(*(scene.value_range or (0.0, 1.0)), 0.25, 1.0)
    for place, name in enumerate(names):
        if place and child[place] != child[place - 1]:
            marks.append(Line(((0.0, y + 1.5), (_WIDTH, y + 1.5)), palette.accent, 1.2, dashed=True))
            y += 4.0
        is_own = own is not None and (found.names or ())[place] == own
        shown = shorten_middle(name, (left - 6.0) / _TEXT / BOLD)
        fill = palette.highlight if is_own else palette.ink
        marks.append(Text(left - 5.0, y + 9.0, shown, _TEXT, fill, "end", bold=is_own))
        x = left
        counts = found.counts[place].tolist()
        colours = style.classes
        if values is not None and found.mean is not None:
            colours = [shade(palette, values(float(found.mean[place])))]
        for count, colour in zip(counts, colours, strict=False):
            width = room * count / longest
            if width > 0:
                marks.append(Box(x, y + 1.0, width, _BAR - 3.0, colour))
                x += width
        marks.append(Text(x + 3.0, y + 9.0, amounts[place], _TEXT, palette.faint))
        y += _BAR
    lacking = float(found.missing.sum())
    if lacking:
        marks.append(Text(left, y + 9.0, f"{weight_text(lacking)} missing", _TEXT, palette.faint))
        y += _BAR
    return Card(_WIDTH, y + 2.0, tuple(marks))


# --- leaves


def _pie(node: SceneNode, style: Style) -> Card:
    """Return the classes of a leaf as a pie, its area the leaf's share of the rows."""
    least, greatest = _PIE
    radius = max(least, greatest * math.sqrt(node.share))
    marks: list[Mark] = []
    turn = 0.0
    mix = [] if node.mix is None else node.mix.tolist()
    total = sum(mix)
    for weight, colour in zip(mix, style.classes, strict=False):
        if weight > 0:
            marks.append(Wedge(radius, radius + 2.0, radius, turn, turn + weight / total, colour))
            turn += weight / total
    return Card(2 * radius, 2 * radius + 6.0, tuple(marks))


def _targets(found: Distribution, scene: Scene, node: SceneNode, style: Style) -> Card:
    """Return the targets of a leaf as a histogram with its prediction; all leaves share an axis."""
    low, high = _target_range(scene)
    across = _Scale(low, high, _LEFT, _WIDTH - 2.0)
    ends = ((low, compact(low)), (high, compact(high)))
    plain = Style(style.palette, [mixed(style.palette.card, style.palette.high, 0.55)])
    card = _histogram(replace(found, ticks=ends), plain, across)
    if node.value is None:
        return card
    x = across(node.value)
    line = Line(((x, 0.0), (x, _HEIGHT)), style.palette.ink, 1.6)
    return Card(card.width, card.height, (*card.marks, line))


def _target_range(scene: Scene) -> tuple[float, float]:
    targets = np.zeros(1) if scene.rows is None else scene.rows.targets
    return float(targets.min()), float(targets.max())
