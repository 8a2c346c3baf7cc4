"""Why a question was not chosen, and why a node was not divided: one short sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._grow.significance.choosing import ColumnTest
from arboretum._options.settings import Settings
from arboretum._show.trace.node_tables import SAME, NodeTable, NodeTables
from arboretum._tree.composites import AtLeast, Composite
from arboretum._tree.node import Node
from arboretum._wording import many

if TYPE_CHECKING:
    import pandas as pd

ORDER_OF_TIES = "ties go to the earlier column, then to the lower cut"
BEST = "chosen"


def lost_by(table: NodeTable, node: Node, settings: Settings, digits: int) -> list[str]:
    """Return for each question of a node why it was not chosen; "chosen" for the one that was."""
    frame, question = table.frame, node.question
    if question is None:
        return ["not asked: the node is a leaf"] * len(frame)
    if isinstance(question, Composite):
        kind = "at least m of" if isinstance(question, AtLeast) else "a sum"
        return [f"gains less than {kind}: {_less(gain, node.gain, digits)}" for gain in gains_of(frame)]
    if table.chosen is None:
        return ["is not what the search chose"] * len(frame)
    chosen = frame.iloc[table.chosen]
    lines = frame.to_dict("records")
    return [
        BEST
        if place == table.chosen
        else _reason(line, chosen, frame, place > table.chosen, settings, digits)
        for place, line in enumerate(lines)
    ]


def gains_of(frame: pd.DataFrame) -> list[float]:
    """Return the gains, in the unit of the table."""
    return [float(gain) for gain in frame["gain"]]


def _less(own: float, best: float, digits: int) -> str:
    return f"{own:.{digits}f} against {best:.{digits}f}"


def _reason(
    line: dict[Any, Any], chosen: pd.Series, frame: pd.DataFrame, after: bool, settings: Settings, digits: int
) -> str:
    if sum(rows > 0 for rows in line["children"]) < 2:
        return "all rows have the same answer"
    if (
        settings.significance is not None
        and _chooses_columns(settings)
        and line["column"] != chosen["column"]
    ):
        return "its column has more to do with chance, by the test that chooses the column"
    if "worth" in frame:
        if np.isnan(line["worth"]):
            return "is not looked behind: others gain more, or a better cut is beside it"
        if _is_less(line["worth"], chosen["worth"]):
            return f"is worth less with what lies behind: {_less(line['worth'], chosen['worth'], digits)}"
        if _is_less(line["gain"], chosen["gain"]):
            return (
                f"is worth as much, but gains less by itself: {_less(line['gain'], chosen['gain'], digits)}"
            )
        return f"is worth as much, but comes later: {ORDER_OF_TIES}"
    if "allowed" in frame:
        if not line["allowed"]:
            return "its column gains less than the guard asks for"
        if line["column"] != chosen["column"] and _is_less(line["gain_ratio"], chosen["gain_ratio"]):
            return f"smaller gain ratio: {_less(line['gain_ratio'], chosen['gain_ratio'], digits)}"
        if line["column"] == chosen["column"] and _is_less(line["gain"], chosen["gain"]):
            return f"gains less: {_less(line['gain'], chosen['gain'], digits)}"
        if _is_less(line["gain_ratio"], chosen["gain_ratio"]):
            return f"smaller gain ratio: {_less(line['gain_ratio'], chosen['gain_ratio'], digits)}"
        if after and not _is_less(chosen["gain_ratio"], line["gain_ratio"]):
            return f"no better, and comes later: {ORDER_OF_TIES}"
        return "its column competes by another question, which gains more"
    merit = "corrected_gain" if "corrected_gain" in frame else "gain"
    own, best = line[merit] / line.get("cost", 1.0), chosen[merit] / chosen.get("cost", 1.0)
    if _is_less(own, best):
        if merit == "corrected_gain" and not _is_less(line["gain"], chosen["gain"]):
            by_chance = line["gain"] - line["corrected_gain"]
            return f"gains {by_chance:.{digits}f} of it by chance, having so many levels"
        if "cost" in frame and not _is_less(line[merit], chosen[merit]):
            return f"its column costs more: {_less(own, best, digits)}"
        return f"gains less: {_less(own, best, digits)}"
    if after:
        return f"gains as much, but comes later: {ORDER_OF_TIES}"
    if settings.monotonic_cst is not None:
        return "would break monotonic_cst"
    return f"gains as much but for rounding: {ORDER_OF_TIES}"


def _is_less(one: float, other: float) -> bool:
    return one < other - SAME * max(1.0, abs(other))


def _chooses_columns(settings: Settings) -> bool:
    return isinstance(settings.significance, ColumnTest)


def why_chosen(table: NodeTable, node: Node, settings: Settings) -> str:
    """Return why a node asks what it asks."""
    question = node.question
    if isinstance(question, AtLeast):
        return (
            "The climb from the best literal ends here; it gains more than every question about one column."
        )
    if isinstance(question, Composite):
        return "The sum gains more than every question about one column."
    if settings.significance is not None and _chooses_columns(settings):
        p = "" if node.p_value is None else f" (p = {node.p_value:.2g})"
        return f"Its column is related to the target, least likely by chance{p}; its best question is asked."
    if "worth" in table.frame:
        return "It gains most together with the best question below it."
    if "allowed" in table.frame:
        return "Of the columns that pass the guard, it has the largest gain ratio."
    if "cost" in table.frame:
        return "It gains most for what its column costs."
    if "corrected_gain" in table.frame:
        return "It gains most, less what so many levels gain by chance."
    gain = float(table.frame["gain"].iloc[table.chosen]) if table.chosen is not None else node.gain
    if gain <= SAME:
        return "No question gains anything; the first one that divides the rows is asked."
    return "It gains most."


def why_leaf(tables: NodeTables, node: Node, table: NodeTable | None) -> str:
    """Return why a node of the grown tree is a leaf, and what draws its label elsewhere if something does."""
    why = _why_no_question(tables, node, table)
    counts = node.counts
    if counts is None or not counts.any() or counts[node.tree.array("label")[node.number]] >= counts.max():
        return why
    return (
        f"{why} Its label is not that of most of its rows: predictions are smoothed, or mistakes have costs."
    )


def _why_no_question(tables: NodeTables, node: Node, table: NodeTable | None) -> str:
    settings, rules = tables.settings, tables.rules
    target = tables.target_of(node.number)
    if node.n_rows == 0:
        return "No row comes here: it has the label of the node above."
    if target.is_homogeneous:
        return "All rows have the same target."
    size = float(target.weights.sum()) if settings.missing == "fractional" else node.n_rows
    if node.depth >= rules.max_depth:
        return f"The largest depth is reached: max_depth={settings.max_depth}."
    if size < rules.min_samples_split:
        weighing = "" if size == node.n_rows else f"its rows weigh {size:.3f}, "
        return f"It is too small to be divided: {weighing}min_samples_split={settings.min_samples_split}."
    if node.p_value is not None and settings.significance is not None:
        level = settings.significance.level
        if node.p_value > level:
            adjusted = ", adjusted for the number of columns," if _is_adjusted(settings) else ""
            return f"Not significant: p = {node.p_value:.2g}{adjusted} is above the level {level:g}."
    assert table is not None
    several = [sum(rows > 0 for rows in each) > 1 for each in table.frame["children"]]
    divides = table.frame[np.array(several, dtype=bool)]
    if not len(divides):
        if len(table.refused):
            return (
                f"Every question has a child that is too small: min_samples_leaf={settings.min_samples_leaf}."
            )
        return "All rows look the same: there is nothing to ask."
    if settings.max_leaf_nodes is not None:
        return f"The largest number of leaves is reached: max_leaf_nodes={settings.max_leaf_nodes}."
    if "corrected_gain" in divides and (divides["corrected_gain"] <= SAME).all():
        return "No question gains more than it would by chance."
    if settings.min_impurity_decrease > 0:
        return f"No question gains enough: min_impurity_decrease={settings.min_impurity_decrease:g}."
    if "allowed" in divides and not divides["allowed"].any():
        return "No column passes the guard of the gain ratio."
    return "No question may be asked."


def _is_adjusted(settings: Settings) -> bool:
    return getattr(settings.significance, "adjust", None) is not None


def why_refused(settings: Settings, children: tuple[int, ...]) -> str:
    """Return why a question was never a candidate; divided rows count by their shares."""
    if settings.missing == "fractional":
        return "size limit: the rows of a child would weigh too little"
    return f"size limit: a child would have only {many(min(n for n in children if n), 'row')}"
