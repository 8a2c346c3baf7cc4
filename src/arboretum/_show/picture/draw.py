"""A scene as a picture: cards in a tidy layout, edges between them, a legend above, the path of a row below.

A tree grows *down* or to the *right*; *across* is the other direction. An edge ends at its child with a tag,
the answer that leads there. It is as wide as the share of rows that take it, and dashed where missing values
go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from arboretum._options.rules import Flag, OneOf, refuse
from arboretum._show.picture.cards import HEAD, LINE, SMALL, Card, Style, draw_card, own_is_shown
from arboretum._show.picture.charts import draw_chart
from arboretum._show.picture.layout import lay_out
from arboretum._show.picture.marks import Box, Curve, Group, Mark, Picture, Text
from arboretum._show.picture.palette import class_colours, palette_of
from arboretum._show.picture.text_width import shorten, text_width, widest_piece, word_lines, wrap
from arboretum._show.scene import Scene, SceneNode, View, scene_of
from arboretum._show.words import rows_text, said
from arboretum._wording import many, percent
from arboretum.errors import ParameterError

DIRECTIONS: Final = ("down", "right")
_EDGE_OF_PAGE: Final = 16.0
_GAP: Final = 16.0  # between neighbours
_STEM: Final = 34.0  # between a parent and the tags of its children
_TAG_WIDTH: Final = 150.0
_TAG_LINES: Final = 3
_WIDEST_TAG: Final = 18.0  # em
_WIDEST_EDGE: Final = 9.0
_ENDS_DOWN: Final = 12  # with more ends, a tree that grows to the right is easier to read
_LEGEND_NAME: Final = 40.0  # em


@dataclass(frozen=True, slots=True)
class _Placed:
    """A card with the tag of its edge, and the place of its upper left corner."""

    node: SceneNode
    card: Card
    tag: list[str]
    x: float
    y: float


def draw_tree(
    model: Any,
    view: View,
    *,
    theme: Any = "light",
    direction: Any = None,
    charts: Any = False,
    title: Any = None,
    asker: str = "to_svg()",
) -> Picture:
    """Return the picture of a fitted estimator or a tree."""
    OneOf((*DIRECTIONS, None)).read(direction, "direction")
    check_title(title)
    if not isinstance(charts, bool):
        raise refuse(charts, "charts", "", Flag.words)
    if charts and view.data is None:
        raise ParameterError("charts=True shows the rows of data, but none are given.\nHint: data=(X, y).")
    scene = scene_of(model, view, asker)
    palette = palette_of(theme)
    style = Style(palette, class_colours(scene.tree, palette) if scene.classes else [])
    if direction is None:
        n_ends = sum(node.is_end for node in scene.nodes)
        direction = "down" if n_ends <= _ENDS_DOWN else "right"
    cards = [
        draw_card(scene, node, style, draw_chart(scene, node, style) if charts else None)
        for node in scene.nodes
    ]
    placed, width, height = _place(scene, cards, direction)
    above = _legend(scene, style, title, max(width, 320.0))
    below = _words(scene, style, max(width, 320.0))
    boxes = [
        Group(item.x, item.y, item.card.marks, _description(item.node), f"node {item.node.number}")
        for item in placed
    ]
    tree = [*_edges(placed, style, direction), *boxes]
    return _page(scene, style, title, [above, (tree, width, height), below])


def check_title(title: Any) -> None:
    """Refuse a title that is not text."""
    if title is not None and not isinstance(title, str):
        raise refuse(title, "title", "", "a text or None")


def _place(scene: Scene, cards: list[Card], direction: str) -> tuple[list[_Placed], float, float]:
    """Lay out the cards; return them with their total size."""
    down = direction == "down"
    tags = [
        _tag(node, max(card.width, 90.0) if down else _TAG_WIDTH)
        for node, card in zip(scene.nodes, cards, strict=True)
    ]
    sizes = [_tag_size(tag) for tag in tags]
    if down:
        breadth = [max(card.width, size[0]) for card, size in zip(cards, sizes, strict=True)]
        length, room = [card.height for card in cards], [size[1] for size in sizes]
    else:
        breadth = [max(card.height, size[1]) for card, size in zip(cards, sizes, strict=True)]
        length, room = [card.width for card in cards], [size[0] for size in sizes]
    across = lay_out(scene.children, breadth, _GAP if down else _GAP / 2)
    begins, end = _levels(scene, length, room)
    placed = []
    for node, card, tag, middle in zip(scene.nodes, cards, tags, across, strict=True):
        begin = begins[node.level]
        x, y = (middle - card.width / 2, begin) if down else (begin, middle - card.height / 2)
        placed.append(_Placed(node, card, tag, x, y))
    far = max(middle + room_across / 2 for middle, room_across in zip(across, breadth, strict=True))
    return placed, *((far, end) if down else (end, far))


def _levels(scene: Scene, length: list[float], room: list[float]) -> tuple[list[float], float]:
    """Return where each level begins, and where the last one ends."""
    n_levels = scene.nodes[-1].level + 1
    longest, tags = [0.0] * n_levels, [0.0] * n_levels
    for node, card_length, tag_room in zip(scene.nodes, length, room, strict=True):
        longest[node.level] = max(longest[node.level], card_length)
        tags[node.level] = max(tags[node.level], tag_room)
    begins = [0.0]
    for level in range(1, n_levels):
        begins.append(begins[-1] + longest[level - 1] + _STEM + tags[level])
    return begins, begins[-1] + longest[-1] + 8.0  # room for the boxes behind a card


def _tag(node: SceneNode, width: float) -> list[str]:
    """Return the text on the edge to a node, in lines."""
    if node.answer is None:
        return []
    text = said(node.answer, node.takes_missing)
    room = max(width / SMALL, min(widest_piece(text), _WIDEST_TAG))
    lines = wrap(text, room, _TAG_LINES)
    if node.takes_missing and not lines[-1].endswith("missing"):
        lines[-1] = "\N{HORIZONTAL ELLIPSIS} or missing"
    return lines


def _tag_size(tag: list[str]) -> tuple[float, float]:
    """Return the width and height of a tag with some room around it; 0 for the root."""
    if not tag:
        return 0.0, 0.0
    return max(text_width(line) for line in tag) * SMALL + 14.0, LINE * len(tag) + 7.0


def _tag_room(placed: _Placed, direction: str) -> float:
    """Return the room of the tag between the end of the edge and the card."""
    return _tag_size(placed.tag)[direction == "down"] - 2.0


def _edges(placed: list[_Placed], style: Style, direction: str) -> list[Mark]:
    edges: list[Mark] = []
    tags: list[Mark] = []
    for above in placed:
        for place in above.node.children:
            below = placed[place]
            edges.append(_edge(above, below, style, direction))
            tags.extend(_tag_marks(below, style, direction))
    return edges + tags


def _edge(above: _Placed, below: _Placed, style: Style, direction: str) -> Curve:
    node, palette = below.node, style.palette
    if direction == "down":
        begin = above.x + above.card.width / 2, above.y + above.card.height
        end = below.x + below.card.width / 2, below.y - _tag_room(below, direction)
        middle = (begin[1] + end[1]) / 2
        bends = (begin[0], middle), (end[0], middle)
    else:
        begin = above.x + above.card.width, above.y + above.card.height / 2
        end = below.x - _tag_room(below, direction), below.y + below.card.height / 2
        turn = begin[0] + _STEM
        bends = (turn, begin[1]), (begin[0] + 4.0, end[1])
    colour = palette.highlight if node.on_path and above.node.on_path else palette.line
    width = max(1.2, _WIDEST_EDGE * node.share)
    return Curve((begin, *bends, end), colour, width, dashed=node.takes_missing)


def _tag_marks(placed: _Placed, style: Style, direction: str) -> list[Mark]:
    palette, lines = style.palette, placed.tag
    fill = palette.highlight if placed.node.on_path else palette.ink
    if direction == "down":
        x, y = placed.x + placed.card.width / 2, placed.y - 6.0 - LINE * (len(lines) - 1)
    else:
        x, y = placed.x - 8.0, placed.y + placed.card.height / 2 + 4.0 - LINE * (len(lines) - 1) / 2
    anchor: Any = "middle" if direction == "down" else "end"
    return [Text(x, y + LINE * i, line, SMALL, fill, anchor) for i, line in enumerate(lines)]


def _description(node: SceneNode) -> str:
    """Return a full description of a node, for tooltips and screen readers."""
    parts = [] if node.outcome is None else [said(node.outcome, node.takes_missing)]
    parts.append(rows_text(node.n_rows))
    sure = "" if node.confidence is None else f" ({percent(node.confidence)})"
    parts.append(f"predicts {node.label}{sure}")
    if node.own is not None:
        parts.append(node.own)
    if node.question is not None:
        parts.append(f"asks {node.question}")
    return "; ".join(parts)


Block = tuple[list[Mark], float, float]  # marks with their width and height


def _legend(scene: Scene, style: Style, title: str | None, width: float) -> Block:
    """Return the title, the colours of the classes, and a note on what is not shown."""
    marks: list[Mark] = []
    y = 0.0
    if title:
        marks.append(Text(0.0, y + 14.0, shorten(title, width / 15.0), 15.0, style.palette.ink, bold=True))
        y += 24.0
    x = 0.0
    far = 0.0
    for name, colour in _legend_entries(scene, style):
        shown = shorten(name, min(_LEGEND_NAME, (width - 30.0) / SMALL))
        room = 16.0 + text_width(shown) * SMALL + 14.0
        if x and x + room > width:
            x, y = 0.0, y + 18.0
        marks.append(Box(x, y + 1.0, 11.0, 11.0, colour, radius=2.0))
        marks.append(Text(x + 16.0, y + 11.0, shown, SMALL, style.palette.ink))
        x += room
        far = max(far, x)
    if x:
        y += 18.0
    note = _note(scene)
    lines = word_lines(note, width / SMALL) if note else []
    for i, line in enumerate(lines):
        marks.append(Text(0.0, y + 11.0 + LINE * i, line, SMALL, style.palette.faint))
        far = max(far, text_width(line) * SMALL)
    y += 18.0 + LINE * (len(lines) - 1) if lines else 0.0
    return marks, far, y + (6.0 if y else 0.0)


def _legend_entries(scene: Scene, style: Style) -> list[tuple[str, str]]:
    entries = list(zip(scene.classes, style.classes, strict=True))
    own = [(name, colour) for name, colour in entries if colour != style.palette.other]
    if len(own) == len(entries):
        return entries
    n_others = len(entries) - len(own)
    return [*own, (f"{n_others:,} other class{'es' if n_others > 1 else ''}", style.palette.other)]


def _note(scene: Scene) -> str:
    parts = []
    if scene.counted:
        parts.append(scene.counted)
    elif scene.is_weighted:
        parts.append("shares and counts are by weight")
    if len(scene.nodes) < len(scene.tree):
        which = ", the heaviest" if scene.view.max_depth is None else ""
        parts.append(f"{len(scene.nodes):,} of {len(scene.tree):,} nodes are shown{which}")
    if scene.tree.edits:
        parts.append("edited by hand")
    return "; ".join(parts + _drawn_elsewhere(scene))


def _drawn_elsewhere(scene: Scene) -> list[str]:
    """Return which of two numbers is the prediction, where leaves show what their rows say as well."""
    ends = [node for node in scene.nodes if node.is_end and node.own is not None]
    if not any(own_is_shown(node, scene) for node in ends):
        return []
    if scene.classes:
        return ["probabilities are drawn towards the nodes above", "“of rows”: shares of a leaf's own rows"]
    centre = (ends[0].own or "").partition(" ")[0]
    return ["predictions are drawn towards the nodes above", f"“{centre}”: that of a leaf's own rows"]


def _words(scene: Scene, style: Style, width: float) -> Block:
    """Return the path of a row in words, a line for each question."""
    if scene.path is None:
        return [], 0.0, 0.0
    palette = style.palette
    marks: list[Mark] = [Text(0.0, 22.0, "The way of the row", HEAD, palette.highlight, bold=True)]
    y = 22.0
    lines = [f"{i}. {sentence}" for i, sentence in enumerate(scene.path.sentences, 1)]
    lines.append(scene.path.conclusion)
    far = 180.0  # the width of the heading
    for sentence in lines:
        for line in wrap(sentence, width / SMALL, 3):
            y += LINE
            marks.append(Text(0.0, y, line, SMALL, palette.ink))
            far = max(far, text_width(line) * SMALL)
    return marks, far, y + 6.0


def _rules(scene: Scene) -> Iterable[str]:
    """Return the rules of a tree in words; of several outputs, what its leaves say."""
    if not scene.nodes[0].outputs:
        return map(str, scene.tree.rules())
    said = {node.number: node.label for node in scene.nodes if node.is_end}
    rules = ((rule.node, str(rule).rpartition("→")[0]) for rule in scene.tree.rules())
    return [f"{words}→ {said[leaf]}" for leaf, words in rules if leaf in said]


def _page(scene: Scene, style: Style, title: str | None, blocks: list[Block]) -> Picture:
    """Stack blocks on a page, with the tree in the middle."""
    width = max(block[1] for block in blocks)
    y = _EDGE_OF_PAGE
    marks: list[Mark] = []
    for place, (drawn, own_width, height) in enumerate(blocks):
        if drawn:
            x = _EDGE_OF_PAGE + ((width - own_width) / 2 if place == 1 else 0.0)
            marks.append(Group(x, y, tuple(drawn)))
            y += height
    tree = scene.tree
    described = (
        f"A decision tree with {many(len(tree), 'node')} and {many(tree.n_leaves, 'leaf')}, "
        f"grown from {rows_text(tree.root.n_rows)}."
    )
    # The rules of a small tree are for those who cannot see the picture.
    rules = _rules(scene) if tree.n_leaves <= 20 else ()
    return Picture(
        width + 2 * _EDGE_OF_PAGE,
        y + _EDGE_OF_PAGE,
        style.palette.page,
        tuple(marks),
        title or described,
        "\n".join([described, *rules]),
    )
