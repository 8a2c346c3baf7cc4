"""Importance as bars: the contribution of each column, the most important on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._options.rules import Whole
from arboretum._show.picture.palette import Palette
from arboretum._show.picture.text_width import shorten
from arboretum._tree.fitted import tree_of
from arboretum._tree.importance import has_surrogates
from arboretum._types import Indices, Mask, Numbers
from arboretum._wording import many
from arboretum.errors import ParameterError
from arboretum.inspection.importance import importance as sum_of_improvements
from arboretum.inspection.permutation_importance import PermutationImportance
from arboretum.plot._axes import add_grid, add_note, check_flag, open_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED_ZEROS: Final = 4  # columns at 0 that are named; more are counted
_LONGEST_ZERO: Final = 16.0  # em of a name among them


@dataclass(frozen=True, eq=False)
class Bars:
    """Lengths by column, with intervals where there are any."""

    names: list[str]
    length: Numbers
    low: Numbers | None
    high: Numbers | None
    title: str
    nothing: str  # the text where no bar is drawn

    @property
    def at_zero(self) -> Mask:
        """The columns that are 0, intervals included."""
        zero: Mask = self.length == 0
        for end in (self.low, self.high):
            if end is not None:
                zero &= (end == 0) | np.isnan(end)
        return zero


def importance(
    model_or_result: Any,
    *,
    surrogates: bool = False,
    top: int = 20,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw the importance of the columns as bars; needs matplotlib.

    Columns at 0 have no bar; a note above the chart names or counts them.

    Parameters
    ----------
    model_or_result : a fitted estimator or a Tree, for the sum of improvements of each column's questions; or
        what `arboretum.permutation_importance` returned, for means with their intervals
    surrogates : whether surrogates count, as in `arboretum.importance`; the tree must have been grown with
        missing="surrogate"
    top : the largest number of columns to draw
    ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = importance(TreeClassifier(max_depth=2).fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['petal_length', 'petal_width']
    >>> ax.get_title(loc="left")
    'at 0, not drawn: sepal_length, sepal_width'
    """
    Whole(1).read(top, "top")
    check_flag("surrogates", surrogates)
    bars = _bars_of(model_or_result, surrogates=bool(surrogates))
    order = np.argsort(-bars.length, kind="stable")
    order = order[~bars.at_zero[order]]
    kept, rest = order[:top], order[top:]
    ax, palette = open_axes(ax, theme, "importance()", size=(6.8, 1.4 + 0.3 * max(2, len(kept))))
    _draw(bars, kept, ax, palette)
    notes = [
        f"not drawn: {bars.names[i]}, infinite" for i in kept.tolist() if not np.isfinite(bars.length[i])
    ]
    if len(rest):
        together = float(bars.length[rest].sum())
        notes.append(f"{many(len(rest), 'more column')}, {together:.3g} together")
    at_zero = np.flatnonzero(bars.at_zero).tolist()
    if at_zero and len(kept):
        few = ", ".join(shorten(" ".join(bars.names[i].split()), _LONGEST_ZERO) for i in at_zero)
        notes.append(f"at 0, not drawn: {few if len(at_zero) <= _NAMED_ZEROS else f'{len(at_zero)} columns'}")
    add_note(ax, palette, notes)
    return ax


def _draw(bars: Bars, kept: Indices, ax: Axes, palette: Palette) -> None:
    if len(kept) == 0:
        ax.text(0.5, 0.5, bars.nothing, ha="center", va="center", color=palette.ink, transform=ax.transAxes)
        ax.set(xticks=[], yticks=[], xlabel=bars.title)
        return
    places = np.arange(len(kept))
    length = np.where(np.isfinite(bars.length[kept]), bars.length[kept], 0.0)
    ax.barh(places, length, height=0.68, color=palette.classes[0], zorder=2)
    if bars.low is not None and bars.high is not None:
        reach = np.array([length - bars.low[kept], bars.high[kept] - length])
        whiskers: dict[str, Any] = {"ecolor": palette.ink, "elinewidth": 1.2, "capsize": 3.0}
        reach = np.where(np.isfinite(reach), np.maximum(reach, 0.0), 0.0)
        ax.errorbar(length, places, xerr=reach, fmt="none", zorder=3, **whiskers)
    ax.axvline(0.0, color=palette.line, linewidth=1.0)
    ax.set_yticks(places, [plain(bars.names[i], longest=26.0) for i in kept.tolist()])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(kept) - 0.4, -0.6)
    if not length.any():  # all are infinite
        ax.set_xlim(0.0, 1.0)
    ax.set_xlabel(bars.title)
    add_grid(ax, palette, "x")


def _bars_of(given: Any, *, surrogates: bool) -> Bars:
    if isinstance(given, PermutationImportance):
        if surrogates:
            raise ParameterError("surrogates=True is for trees; a permutation importance has none to count.")
        title = f"rise of the {given.loss} loss if the column is shuffled"
        nothing = "Shuffling a column changes nothing."
        return Bars(list(given.columns), given.mean, given.low, given.high, title, nothing)
    found = sum_of_improvements(given, surrogates=surrogates)
    title, tree = "sum of improvements", tree_of(given, "importance()")
    if surrogates:
        title += ", surrogates included" if has_surrogates(tree) else " (no surrogate was found)"
    alone = len(tree) == 1
    nothing = "The tree asks no question: it is one leaf." if alone else "No question improves anything."
    return Bars(list(found), np.array(list(found.values())), None, None, title, nothing)
