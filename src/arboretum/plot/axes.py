"""What all charts share: axes to draw on, the look of a theme, and text that is written as it stands.

Words: *axes* are matplotlib's; a *theme* is "light" or "dark"; a *note* is small text above a chart; the
*look* of a class is its colour with a marker, a line and a hatch, for eyes and prints without colours.
Matplotlib is imported when something is drawn. Nothing is shown or saved, none of its settings is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from arboretum.errors import DataTypeError, PackageError
from arboretum.show.palette import Palette, palette_of
from arboretum.show.text_width import shorten, shorten_middle, word_lines
from arboretum.show.words import short_names

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "TEXT_SIZE",
    "Look",
    "add_colour_bar",
    "add_legend",
    "add_note",
    "figure_of",
    "import_matplotlib",
    "label_places",
    "looks",
    "name_ticks",
    "number_scale",
    "open_axes",
    "open_axes_3d",
    "plain",
    "scale",
    "style",
    "write_over",
]

_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1)), (0, (1, 1)))
_HATCHES: Final = ("", "//", "\\\\", "||", "--", "xx", "..", "oo")
TEXT_SIZE: Final = 8.5  # points
_SIZE: Final = (6.8, 4.8)  # inches
_LONGEST_NAME: Final = 16.0  # em
_NOTE_SIZE: Final = 8.0  # points
_NARROWEST: Final = 16.0  # em of a note
_SURE: Final = 0.94  # of the room: small letters are wider on coarse screens
_APART: Final = 0.03  # of the figure's width, between a note and the next axes
_LARGEST_MARK: Final = 8.0  # points in a legend, whose lines are not much higher


@dataclass(frozen=True)
class Look:
    """How a class is drawn; classes beyond those that have a colour share one look."""

    colour: str
    marker: str
    line: Any
    hatch: str
    named: bool  # whether it is told apart from all others


def looks(colours: Sequence[str], palette: Palette) -> list[Look]:
    """Return the looks of classes that have these colours of the palette.

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
    """Return matplotlib.pyplot, which the package does not require, or say how to get it."""
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
    """Return the axes that were given, or new ones in a new figure, in the look of the theme."""
    palette = palette_of(theme)
    plt = import_matplotlib(asker)
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    else:
        _check_axes(ax, asker)
    style(ax, palette)
    return ax, palette


def open_axes_3d(ax: Any, theme: object, asker: str, *, zoom: float) -> tuple[Any, Palette]:
    """Return the axes in space that were given, or new ones in a new figure, in the look of the theme.

    `zoom` is the size of new ones, as a share of matplotlib's: the rest is for what stands beside them.
    """
    palette = palette_of(theme)
    plt = import_matplotlib(asker)
    if ax is None:
        # No layout: matplotlib's misjudge what stands beside axes in space.
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
    """Give axes, and the page they stand on, the colours of a palette."""
    # The page as well: light ink on a page that stayed white could not be read.
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
            # There is no public way to the colour of one picture's grid in space.
            getattr(axis, "_axinfo", {}).get("grid", {})["color"] = palette.line


def plain(text: object, *, longest: float = _LONGEST_NAME) -> str:
    """Return a name as matplotlib writes it unchanged: no formula between dollars, one line, not too long.

    >>> plain("cost in $ and\\n$")
    'cost in \\\\$ and \\\\$'
    """
    return shorten(" ".join(str(text).split()), longest).replace("$", r"\$")


def add_legend(
    ax: Axes, palette: Palette, handles: Sequence[Artist], names: Sequence[str], **how: Any
) -> None:
    """Put a legend to the right of the axes, where it hides nothing; `names` are as `plain` returns them."""
    if not handles:
        return
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(list(handles), list(names), **(place | {"frameon": False, "fontsize": 9} | how))
    for text in legend.get_texts():
        text.set_color(palette.ink)
    for handle in legend.legend_handles:
        if handle is not None and getattr(handle, "get_markersize", float)() > _LARGEST_MARK:
            handle.set(markersize=_LARGEST_MARK)
    legend.get_title().set_color(palette.ink)
    legend.get_title().set_fontsize(9)
    legend.get_frame().set_facecolor(palette.card)
    legend.get_frame().set_edgecolor(palette.line)


def add_note(ax: Axes, palette: Palette, sentences: Sequence[str]) -> None:
    """Write what the picture cannot show, in small letters above its upper left corner.

    Legends and colour bars must be there already: what they leave to the axes decides where lines end.
    """
    if sentences:
        room = max(_NARROWEST, _note_room(ax) / _NOTE_SIZE)
        note = "\n".join(line for sentence in sentences for line in word_lines(sentence, room))
        ax.set_title(note, loc="left", fontsize=_NOTE_SIZE, color=palette.faint, parse_math=False)


def _note_room(ax: Axes) -> float:
    """Return how far it is from the left end of the axes to the next ones or the figure's end, in points."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    part: Any = ax.figure  # the figure, or a part of it
    end, spec = 1.0, ax.get_subplotspec()
    if spec is not None:
        whole = spec.get_topmost_subplotspec()
        lefts = whole.get_gridspec().get_grid_positions(part)[2]
        end = float(lefts[whole.colspan.stop]) - _APART if whole.colspan.stop < len(lefts) else 1.0
    right = part.bbox.x0 + end * part.bbox.width
    room = float(right - ax.transAxes.transform((0.0, 0.0))[0]) * 72.0 / figure.dpi
    return _SURE * room - _NOTE_SIZE


def figure_of(ax: Any) -> Figure:
    """Return the whole figure that axes stand on, also if they are on a part of it."""
    figure: Figure = ax.figure.figure
    return figure


def write_over(ax: Axes, palette: Palette, x: float, y: float, text: str, **how: Any) -> None:
    """Write text over what is drawn, with a rim that keeps it legible."""
    from matplotlib import patheffects

    rim = [patheffects.withStroke(linewidth=2.2, foreground=palette.card)]
    looks: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": TEXT_SIZE, "color": palette.ink}
    ax.text(x, y, text, **(looks | {"path_effects": rim, "zorder": 4, "clip_on": True} | how))


def scale(palette: Palette, *, from_page: bool = False) -> Any:
    """Return the palette's scale of numbers as a colour map; `from_page` begins with the page's colour."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [palette.card if from_page else palette.low, palette.high]
    return LinearSegmentedColormap.from_list(f"arboretum-{palette.name}", ends)


def number_scale(values: Any, palette: Palette) -> Any:
    """Return the colours of numbers, from the least of them to the greatest, as a mappable of matplotlib."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    low, high = float(min(values)), float(max(values))
    # One value alone has no scale: it is given some room, so that it gets a colour from the middle.
    room = 0.0 if low < high else max(1.0, abs(low)) / 2
    return ScalarMappable(Normalize(low - room, high + room), scale(palette))


def add_colour_bar(ax: Any, palette: Palette, colours: Any, **how: Any) -> None:
    """Put the scale of numbers beside the axes."""
    from arboretum.plot.ticks import NumberTicks

    bar = ax.get_figure().colorbar(colours, ax=ax, format=NumberTicks(), **how)
    bar.ax.tick_params(colors=palette.faint, labelcolor=palette.ink)
    bar.outline.set_edgecolor(palette.line)


def name_ticks(names: Sequence[str], longest: float) -> list[str]:
    """Return names as they stand beside an axis; of long ones that begin or end alike only what differs.

    >>> name_ticks(["Department of Cardiology", "Department of Surgery"], 8.0)
    ['…Cardiology', '…Surgery']
    """
    return [plain(shorten_middle(name, longest), longest=longest) for name in short_names(names)]


def label_places(n_names: int, most: int = 40) -> list[int]:
    """Return the places that get a label on an axis: all, or so many at even distances as can be read.

    >>> label_places(3), label_places(100, most=40)[:4]
    ([0, 1, 2], [0, 3, 6, 9])
    """
    return list(range(0, n_names, -(-n_names // most) if n_names > most else 1))
