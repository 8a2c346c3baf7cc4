"""What a chart draws of a partial dependence, or of accumulated effects: some of the targets, some lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from arboretum._data import ColumnData
from arboretum._data.levels import level_text
from arboretum._types import Numbers
from arboretum._wording import many, shown
from arboretum.errors import ParameterError, choices
from arboretum.inspection.dependence.accumulated_effects import AccumulatedEffects
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import PartialDependence, evenly
from arboretum.plot._axes import plain

_SAID: Final = {
    "tree": "by the weights of the tree, without rows",
    "exact": "mean over {rows}, through the tree",
    "brute": "mean over {rows}",
}


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn of a result: targets by places along the axes, and how it is called."""

    axes: tuple[GridColumn, ...]
    values: Numbers
    individual: Numbers | None
    classes: tuple[Any, ...] | None
    rows: tuple[ColumnData, ...] | None
    label: str
    notes: tuple[str, ...]
    is_probability: bool = False  # from 0 to 1, and no difference


def choose(
    found: PartialDependence | AccumulatedEffects, target: Any, *, centred: bool, most_lines: int
) -> Drawn:
    if isinstance(found, AccumulatedEffects):
        if centred or most_lines:
            raise ParameterError(
                "centred and individual are for partial dependence; accumulated effects have their mean at 0 "
                "and no lines of single rows."
            )
        chosen = _targets(found.classes, len(found.values), target, single=False)
        note = f"steps added up over {many(len(found.rows[0].values), 'row')}"
        label = "accumulated effect" + _of_class(found.classes, chosen)
        classes = _some(found.classes, chosen)
        return Drawn((found.axis,), found.values[chosen], None, classes, found.rows, label, (note,))
    found = found.centred() if centred else found
    lines = found.individual if most_lines else None
    if most_lines and lines is None:
        raise ParameterError(
            "individual=… draws the lines of single rows, but the result has none.\n"
            "Hint: partial_dependence(…, individual=True) keeps them."
        )
    if lines is not None and len(found.axes) == 2:
        raise ParameterError("individual=… draws lines along one column; a heat map of two has none.")
    single = len(found.axes) == 2 or lines is not None
    chosen = _targets(found.classes, len(found.values), target, single=single)
    notes = [_SAID[found.kind].format(rows=many(_n_rows(found), "row"))]
    if lines is not None:
        lines = lines[chosen[0]][evenly(lines.shape[1], most_lines)]
        if len(lines) < _n_rows(found):
            notes.append(f"{len(lines):,} of {many(_n_rows(found), 'line')} are drawn")
    probable = found.classes is not None and not found.is_centred
    what = "prediction" if found.classes is None else "probability"
    label = f"change of the mean {what}" if found.is_centred else f"mean {what}"
    label += _of_class(found.classes, chosen)
    classes = _some(found.classes, chosen)
    return Drawn(found.axes, found.values[chosen], lines, classes, found.rows, label, tuple(notes), probable)


def _n_rows(found: PartialDependence) -> int:
    return 0 if found.rows is None else len(found.rows[0].values)


def _targets(classes: tuple[Any, ...] | None, n_targets: int, target: Any, *, single: bool) -> list[int]:
    """Return the numbers of the targets to draw."""
    if target is not None:
        if classes is None:
            raise ParameterError(f"target={shown(target)} names a class, but the model predicts numbers.")
        if target not in classes:
            raise ParameterError(choices("target", target, classes))
        return [classes.index(target)]
    if not single or n_targets == 1:
        return list(range(n_targets))
    if n_targets == 2:
        return [1]
    some = "" if classes is None else f", such as target={classes[0]!r}"
    raise ParameterError(f"There are {n_targets} classes, of which this chart shows one; name it{some}.")


def _some(classes: tuple[Any, ...] | None, chosen: Sequence[int]) -> tuple[Any, ...] | None:
    return None if classes is None else tuple(classes[number] for number in chosen)


def _of_class(classes: tuple[Any, ...] | None, chosen: Sequence[int]) -> str:
    one = classes is not None and len(chosen) == 1
    return f" of {plain(level_text(classes[chosen[0]]))}" if one and classes is not None else ""
