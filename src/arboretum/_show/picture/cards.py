"""Cards: one node of a scene as a small box with words, numbers and its mix of classes.

The marks of a card are relative to its upper left corner. Its head is the question, or the label where
nothing is asked; its strip shows the mix of classes, or a number between the least and the greatest of the
tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arboretum._show.picture.marks import Box, Dots, Group, Line, Mark, Text
from arboretum._show.picture.palette import Palette, mixed, shade
from arboretum._show.picture.text_width import BOLD, shorten, text_width, wrap
from arboretum._show.scene import Scene, SceneNode, loss_text
from arboretum._show.words import rows_text, weight_text
from arboretum._tree.composites import Composite
from arboretum._wording import many, percent

HEAD: Final = 12.5  # sizes of text
SMALL: Final = 11.0
LINE: Final = 15.0  # from one line to the next
_MARGIN: Final = 9.0
_STRIP: Final = 8.0
_NARROWEST, _WIDEST = 84.0, 222.0
_HEAD_LINES: Final = 3
_COMPOSITE_LINES: Final = 10  # enough for all parts of a question about several columns
_DOT: Final = "\N{MIDDLE DOT}"
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"
_MOST_CLASSES: Final = 12
_MIX_LINES: Final = 2
_MOST_OUTPUTS: Final = 10
_NAME_WIDTH: Final = 11.0  # em, of the name of a class


@dataclass(frozen=True)
class Style:
    """Colours of a picture."""

    palette: Palette
    classes: list[str]


@dataclass(frozen=True, slots=True)
class Card:
    """The box of one node."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def draw_card(scene: Scene, node: SceneNode, style: Style, body: Card | None = None) -> Card:
    """Return the card of a node; `body` is a chart instead of its strip."""
    most = _COMPOSITE_LINES if isinstance(node.question, Composite) else _HEAD_LINES
    room = (_WIDEST - 2 * _MARGIN) / HEAD / BOLD
    if node.outputs and node.is_end and "label" in scene.view.shown_figures:
        heads = [line for said in _first(node.outputs) for line in wrap(said, room, 2)]
    else:
        heads = wrap(_head_text(node, scene), room, most)
    figures, mix = _packed(_figures(node, scene), f" {_DOT} "), _mix_lines(node, scene)
    lines = [*figures, *([] if body is not None else mix)]
    if node.n_hidden:
        lines.append(f"+ {many(node.n_hidden, 'node')} below")
    inside = max(
        [text_width(line) * HEAD * BOLD for line in heads]
        + [text_width(line) * SMALL for line in lines]
        + [0.0 if body is None else body.width]
    )
    width = min(max(inside, _NARROWEST - 2 * _MARGIN), _WIDEST - 2 * _MARGIN) + 2 * _MARGIN
    marks: list[Mark] = []
    y = _MARGIN + HEAD - 2.0
    for line in heads:
        marks.append(Text(_MARGIN, y, line, HEAD, style.palette.ink, bold=True))
        y += LINE
    for i, line in enumerate(lines):
        fill = style.palette.faint if i < len(figures) else style.palette.ink
        marks.append(Text(_MARGIN, y, line, SMALL, fill))
        y += LINE
    y -= LINE - 5.0
    if body is not None:
        marks.append(Group((width - body.width) / 2, y, body.marks))
        y += body.height + 3.0
    elif "mix" in scene.view.shown_figures:
        strip = _value_strip if node.mix is None else _mix_strip
        marks.extend(strip(scene, node, style, _MARGIN, y + 2.0, width - 2 * _MARGIN))
        y += _STRIP + 4.0
    height = y + _MARGIN - 3.0
    return Card(width, height, (*_frame(node, style, width, height), *marks))


def _frame(node: SceneNode, style: Style, width: float, height: float) -> list[Mark]:
    """Return the box: tinted by the label at the end of a path, with others behind it if nodes are hidden."""
    palette = style.palette
    line, line_width = (palette.highlight, 2.6) if node.on_path else (palette.line, 1.0)
    fill = palette.card
    if node.is_end and node.label_class is not None:
        colour = style.classes[node.label_class]
        fill = mixed(palette.card, colour, 0.10 + 0.16 * round(node.confidence or 0.0, 2))
        if not node.on_path:
            line = mixed(palette.line, colour, 0.7)
    behind: list[Mark] = []
    if node.n_hidden:
        behind = [Box(4.0 * i, 4.0 * i, width, height, palette.card, palette.line, 1.0, 6.0) for i in (2, 1)]
    return [*behind, Box(0, 0, width, height, fill, line, line_width, 6.0)]


def _packed(parts: list[str], between: str, spare: float = 0.0) -> list[str]:
    """Return parts in lines, as many in each as fit; only a part that is too long by itself is cut."""
    room = (_WIDEST - 2 * _MARGIN) / SMALL - spare
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{between}{part}" if lines else part
        if lines and text_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(shorten(part, room))
    return lines


def _head_text(node: SceneNode, scene: Scene) -> str:
    """Return the head of a card: the question, or the prediction."""
    if node.asked is not None and not node.is_end:
        return node.asked
    shown = scene.view.shown_figures
    if "label" not in shown:
        return rows_text(node.n_rows)
    return f"{node.label} {percent(node.confidence or 0.0)}" if _is_sure(node, scene) else node.label


def own_is_shown(node: SceneNode, scene: Scene) -> bool:
    """Whether a leaf shows what its rows say by themselves: where it shows what is made of that."""
    return "label" in scene.view.shown_figures and (node.confidence is None or _is_sure(node, scene))


def _is_sure(node: SceneNode, scene: Scene) -> bool:
    """Whether the probability of the label stands beside it."""
    asked = "confidence" in scene.view.shown_figures and scene.view.amounts == "shares"
    return asked and node.confidence is not None


def _figures(node: SceneNode, scene: Scene) -> list[str]:
    """Return the numbers below the head."""
    shown = scene.view.shown_figures
    parts = []
    if "number" in shown:
        parts.append(f"node {node.number}")
    if "rows" in shown:
        parts.append(rows_text(node.n_rows))
    if "weight" in shown or ("rows" in shown and scene.is_weighted):
        parts.append(f"weight {weight_text(node.weight)}")
    if node.own is not None and node.is_end and own_is_shown(node, scene):
        parts.append(node.own)
    if "impurity" in shown and scene.rows is None:
        parts.append(f"{scene.impurity} {node.impurity:.3g}")
    if "gain" in shown and not node.is_end:
        parts.append(f"gain {node.gain:.3g}")
    if "p_value" in shown and node.p_value is not None:
        parts.append(f"p {node.p_value:.2g}")
    if "loss" in shown and node.loss is not None:
        parts.append(loss_text(node) or "no rows")
    return parts


def _mix_lines(node: SceneNode, scene: Scene) -> list[str]:
    """Return the classes that are present, the most frequent first, or the value of an inner node."""
    shown = scene.view.shown_figures
    if node.outputs:
        wide = (_WIDEST - 2 * _MARGIN) / SMALL
        hidden = node.is_end or "label" not in shown
        return [] if hidden else [line for said in _first(node.outputs) for line in wrap(said, wide, 2)]
    if node.mix is None:
        return [] if node.is_end or "label" not in shown else [f"value {node.label}"]
    counted = scene.view.amounts == "counts"
    if "mix" not in shown or (node.is_end and not counted):
        return []
    present = [place for place in (-node.mix).argsort(kind="stable").tolist() if node.mix[place] > 0]
    parts = []
    for place in present[: _MOST_CLASSES + 1]:
        amount = weight_text(float(node.mix[place])) if counted else percent(float(node.mix[place]))
        parts.append(f"{shorten(scene.classes[place], _NAME_WIDTH)} {amount}")
    ends = [*(f"{part}," for part in parts[:-1]), *parts[-1:]]
    lines = _packed(ends, " ", text_width(f", {_MORE}"))
    if len(lines) > _MIX_LINES or len(parts) > _MOST_CLASSES:
        lines = [*lines[: _MIX_LINES - 1], f"{lines[_MIX_LINES - 1].rstrip(',')}, {_MORE}"][:_MIX_LINES]
    return lines


def _first(outputs: tuple[str, ...]) -> list[str]:
    """Return what the outputs say, of very many only the first."""
    if len(outputs) <= _MOST_OUTPUTS:
        return list(outputs)
    return [*outputs[: _MOST_OUTPUTS - 1], f"and {len(outputs) - _MOST_OUTPUTS + 1} more outputs"]


def _mix_strip(scene: Scene, node: SceneNode, style: Style, x: float, y: float, width: float) -> list[Mark]:
    """Return a bar of the classes in order, each as long as its share."""
    marks: list[Mark] = [Box(x, y, width, _STRIP, mixed(style.palette.card, style.palette.line, 0.35))]
    mix = [] if node.mix is None else node.mix.tolist()
    total = sum(mix)
    for weight, colour in zip(mix, style.classes, strict=True):
        if weight > 0:
            part = width * weight / total
            marks.append(Box(x, y, part, _STRIP, colour))
            x += part
    return marks


def _value_strip(scene: Scene, node: SceneNode, style: Style, x: float, y: float, width: float) -> list[Mark]:
    """Return a scale from the least to the greatest value of the tree, with this value and its spread."""
    low, high = scene.value_range or (0.0, 1.0)
    value = 0.0 if node.value is None else node.value
    span = high - low or 1.0
    middle = y + _STRIP / 2
    palette = style.palette

    def place(number: float) -> float:
        return x + width * min(1.0, max(0.0, (number - low) / span))

    colour = shade(palette, 0.25 + 0.75 * (value - low) / span)
    marks: list[Mark] = [
        Box(x, middle - 1.0, width, 2.0, mixed(palette.card, palette.line, 0.5)),
    ]
    if node.spread is not None and node.spread > 0:
        ends = (place(value - node.spread), middle), (place(value + node.spread), middle)
        marks.append(Line(ends, mixed(palette.card, colour, 0.55), 5.0))
    marks.append(Dots(((place(value), middle),), 4.5, colour))
    return marks
