"""What all charts share: axes to draw on, the look of a theme, legends, notes and scales.

Matplotlib is imported when something is drawn. Nothing is shown or saved, and none of its settings changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._show.picture.palette import Palette, mixed, palette_of
from arboretum._show.picture.text_width import shorten, shorten_middle, word_lines
from arboretum._show.words import class_names, short_names
from arboretum._tree.tree import Tree
from arboretum._wording import shown
from arboretum.errors import DataTypeError, PackageError, ParameterError
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1)), (0, (1, 1)))
_HATCHES: Final = ("", "//", "\\\\", "||", "--", "xx", "..", "oo")
TEXT_SIZE: Final = 8.5  # points
_SIZE: Final = (6.8, 4.8)  # inches
_LONGEST_NAME: Final = 16.0  # em
_NOTE_SIZE: Final = 8.0  # points
_NARROWEST_NOTE: Final = 16.0  # em
_USABLE: Final = 0.94  # of the room: small letters are wider on coarse screens
_NOTE_GAP: Final = 0.03  # of the figure's width, between a note and the next axes
_LARGEST_MARK: Final = 8.0  # points in a legend, whose lines are not much higher


@dataclass(frozen=True)
class Look:
    """How a class is drawn: colour, and marker, line and hatch for eyes and prints without colours.

    Classes beyond those that have a colour share one look.
    """

    colour: str
    marker: str
    line: Any
    hatch: str
    named: bool  # whether no other class looks the same


def looks(colours: Sequence[str], palette: Palette) -> list[Look]:
    """Return the looks of classes with these colours.

    >>> [look.marker for look in looks(palette_of("light").classes[:3], palette_of("light"))]
    ['o', 's', '^']
    """
    return [_look(colour, palette) for colour in colours]


def _look(colour: str, palette: Palette) -> Look:
    if colour not in palette.classes:
        return Look(colour, ".", "-", "", named=False)
    place = palette.classes.index(colour)
    return Look(colour, _MARKERS[place], _LINES[place], _HATCHES[place], named=True)


def import_matplotlib(asker: str) -> Any:
    """Return the optional matplotlib.pyplot, or say how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise PackageError(
            f"{asker} draws with matplotlib, which is not installed. "
            'Hint: pip install "arboretum[plot]", or pip install matplotlib.'
        ) from error
    return plt


def open_axes(
    ax: Any, theme: object, asker: str, *, size: tuple[float, float] = _SIZE
) -> tuple[Axes, Palette]:
    """Return the given axes, or new ones in a new figure, in the colours of the theme."""
    palette = palette_of(theme)
    plt = import_matplotlib(asker)
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    else:
        _check_axes(ax, asker)
    style(ax, palette)
    return ax, palette


def open_axes_3d(ax: Any, theme: object, asker: str, *, zoom: float) -> tuple[Any, Palette]:
    """Return the given 3D axes, or new ones in a new figure, in the colours of the theme.

    `zoom` is the size of new axes as a share of matplotlib's; the rest is for labels beside them.
    """
    palette = palette_of(theme)
    plt = import_matplotlib(asker)
    if ax is None:
        # No layout: matplotlib misjudges the labels beside 3D axes.
        _, ax = plt.subplots(figsize=_SIZE, subplot_kw={"projection": "3d"})
        ax.get_figure().subplots_adjust(left=0.0, right=0.96, bottom=0.05, top=0.88)
        ax.set_box_aspect(None, zoom=zoom)
    elif getattr(ax, "name", None) != "3d":
        raise DataTypeError(
            f"{asker} draws in space, but ax is {_found(ax)}.\n"
            'Hint: leave ax out, or give fig.add_subplot(projection="3d").'
        )
    style(ax, palette)
    return ax, palette


def _check_axes(ax: Any, asker: str) -> None:
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        several = isinstance(ax, Sequence) or hasattr(ax, "shape")
        hint = "give one of them, such as axes[0]" if several else "fig, ax = matplotlib.pyplot.subplots()"
        raise DataTypeError(
            f"{asker} draws on the axes of matplotlib, but ax is {_found(ax)}.\nHint: {hint}."
        )
    if ax.name != "rectilinear":
        raise DataTypeError(
            f"{asker} draws on plain axes, but ax is {_found(ax)} of projection {ax.name!r}.\n"
            "Hint: leave ax out, or make it without a projection."
        )


def _found(ax: Any) -> str:
    return f"an object of type {type(ax).__name__}"


def style(ax: Any, palette: Palette) -> None:
    """Give axes and their page the colours of a palette."""
    # The page too: light ink on a white page could not be read.
    ax.get_figure().set_facecolor(palette.page)
    ax.set_facecolor(palette.card)
    ax.tick_params(which="both", colors=palette.faint, labelcolor=palette.ink)
    for name in ("top", "right"):
        if name in ax.spines:
            ax.spines[name].set_visible(False)
    for spine in ax.spines.values():
        spine.set_color(palette.line)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(palette.ink)
    if ax.name == "3d":
        ax.set_facecolor(palette.page)
        ax.zaxis.label.set_color(palette.ink)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(palette.card)
            axis.line.set_color(palette.line)
            # The colour of a 3D grid has no public setter.
            getattr(axis, "_axinfo", {}).get("grid", {})["color"] = palette.line


def plain(text: object, *, longest: float = _LONGEST_NAME) -> str:
    """Return a name that matplotlib writes unchanged: no formula between dollars, one line, not too long.

    >>> plain("cost in $ and\\n$")
    'cost in \\\\$ and \\\\$'
    """
    return shorten(" ".join(str(text).split()), longest).replace("$", r"\$")


def add_legend(
    ax: Axes, palette: Palette, handles: Sequence[Artist], names: Sequence[str], **options: Any
) -> None:
    """Put a legend to the right of the axes, where it hides nothing; `names` come from `plain`."""
    if not handles:
        return
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(list(handles), list(names), **(place | {"frameon": False, "fontsize": 9} | options))
    for text in legend.get_texts():
        text.set_color(palette.ink)
    for handle in legend.legend_handles:
        if handle is not None and getattr(handle, "get_markersize", float)() > _LARGEST_MARK:
            handle.set(markersize=_LARGEST_MARK)
    legend.get_title().set_color(palette.ink)
    legend.get_title().set_fontsize(9)
    legend.get_frame().set_facecolor(palette.card)
    legend.get_frame().set_edgecolor(palette.line)


def add_class_legend(
    tree: Tree, seen: Iterable[int], looks: Sequence[Look], ax: Axes, palette: Palette, *, markers: bool
) -> None:
    """List the classes in a legend with their fills, and their markers if points are drawn.

    Classes that share one look share one line.
    """
    names = class_names(tree.target.classes)
    listed = sorted(number for number in seen if looks[number].named)
    handles = [_legend_handle(looks[number], palette, markers=markers) for number in listed]
    texts = [plain(names[number]) for number in listed]
    others = [number for number in seen if not looks[number].named]
    if others:
        handles.append(_legend_handle(looks[others[0]], palette, markers=markers))
        texts.append(plain(names[others[0]]) if len(others) == 1 else f"{len(others)} other classes")
    add_legend(ax, palette, handles, texts)


def add_handles(ax: Axes, palette: Palette, looks: Sequence[Look], names: Sequence[str]) -> None:
    """List classes that are drawn as areas and points in a legend."""
    add_legend(ax, palette, [_legend_handle(look, palette, markers=True) for look in looks], list(names))


def _legend_handle(look: Look, palette: Palette, *, markers: bool) -> Artist:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    edge = mixed(palette.card, look.colour, 0.7)
    patch = Patch(facecolor=mixed(palette.card, look.colour, 0.45), edgecolor=edge, hatch=look.hatch * 2)
    if not markers:
        return patch
    marker = Line2D([], [], linestyle="", marker=look.marker, color=look.colour, markeredgecolor=palette.card)
    return (patch, marker)  # type: ignore[return-value]


def add_note(ax: Axes, palette: Palette, sentences: Sequence[str]) -> Text | None:
    """Write what the chart cannot show, in small letters above its upper left corner; return the text.

    Call it after legends and colour bars, which decide how much room there is.
    """
    if not sentences:
        return None
    room = max(_NARROWEST_NOTE, _note_room(ax) / _NOTE_SIZE)
    note = "\n".join(line for sentence in sentences for line in word_lines(sentence, room))
    return ax.set_title(note, loc="left", fontsize=_NOTE_SIZE, color=palette.faint, parse_math=False)


def _note_room(ax: Axes) -> float:
    """Return the distance from the left of the axes to the next axes or the end of the figure, in points."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    part: Any = ax.figure  # the figure, or a part of it
    end, spec = 1.0, ax.get_subplotspec()
    if spec is not None:
        whole = spec.get_topmost_subplotspec()
        lefts = whole.get_gridspec().get_grid_positions(part)[2]
        end = float(lefts[whole.colspan.stop]) - _NOTE_GAP if whole.colspan.stop < len(lefts) else 1.0
    right = part.bbox.x0 + end * part.bbox.width
    room = float(right - ax.transAxes.transform((0.0, 0.0))[0]) * 72.0 / figure.dpi
    return _USABLE * room - _NOTE_SIZE


def figure_of(ax: Any) -> Figure:
    """Return the whole figure of axes, also if they are in a subfigure."""
    figure: Figure = ax.figure.figure
    return figure


def write_over(ax: Axes, palette: Palette, x: float, y: float, text: str, **options: Any) -> None:
    """Write text over a drawing, with a rim that keeps it legible."""
    from matplotlib import patheffects

    rim = [patheffects.withStroke(linewidth=2.2, foreground=palette.card)]
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": TEXT_SIZE, "color": palette.ink}
    ax.text(x, y, text, **(style | {"path_effects": rim, "zorder": 4, "clip_on": True} | options))


def scale(palette: Palette, *, from_page: bool = False) -> Any:
    """Return the palette's scale of numbers as a colour map; `from_page` starts at the page's colour."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [palette.card if from_page else palette.low, palette.high]
    return LinearSegmentedColormap.from_list(f"arboretum-{palette.name}", ends)


def number_scale(values: Any, palette: Palette) -> Any:
    """Return the colours of numbers, from the least to the greatest, as a mappable of matplotlib."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    low, high = float(min(values)), float(max(values))
    # A single value gets some room around it, and so a colour from the middle.
    room = 0.0 if low < high else max(1.0, abs(low)) / 2
    return ScalarMappable(Normalize(low - room, high + room), scale(palette))


def add_colour_bar(ax: Any, palette: Palette, colours: Any, **options: Any) -> None:
    """Put the scale of numbers beside the axes."""
    bar = ax.get_figure().colorbar(colours, ax=ax, **options)
    set_number_ticks(bar.ax.yaxis)
    bar.ax.tick_params(colors=palette.faint, labelcolor=palette.ink)
    bar.outline.set_edgecolor(palette.line)


def name_ticks(names: Sequence[str], longest: float) -> list[str]:
    """Return names for an axis; long names that begin or end alike keep only what differs.

    >>> name_ticks(["Department of Cardiology", "Department of Surgery"], 8.0)
    ['…Cardiology', '…Surgery']
    """
    return [plain(shorten_middle(name, longest), longest=longest) for name in short_names(names)]


def label_places(n_names: int, most: int = 40) -> list[int]:
    """Return the places that get a label on an axis: all, or at most `most` of them, evenly spaced.

    >>> label_places(3), label_places(100, most=40)[:4]
    ([0, 1, 2], [0, 3, 6, 9])
    """
    return list(range(0, n_names, -(-n_names // most) if n_names > most else 1))


def check_flag(name: str, value: object) -> None:
    """Refuse a value that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={shown(value)} is not allowed; give True or False.")


def add_grid(ax: Axes, palette: Palette, axis: Any = "both", alpha: float = 0.35) -> None:
    """Draw a faint grid below everything else."""
    ax.grid(axis=axis, color=palette.line, alpha=alpha, linewidth=0.6)
    ax.set_axisbelow(True)
