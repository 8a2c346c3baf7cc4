"""Notes on nodes: what people wrote about them, and what was changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arboretum._report.blocks import bullets, heading, paragraph, table
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.subject import NotShownError
from arboretum._report.words import label_text
from arboretum._show.rule_text import wording_of
from arboretum._tree.tree import Node, Tree
from arboretum._wording import visible
from arboretum.inspection.rules.premises import premises


def write(evidence: Evidence) -> str:
    """Return the section."""
    tree, notes = evidence.subject.tree, evidence.options.notes
    if not notes and not tree.edits:
        raise NotShownError(
            'No notes were given, and no node was changed by hand. report(…, notes={3: "why we trust it"}) '
            "adds notes, by the number of the node."
        )
    blocks = [_table(tree, [(number, notes[number]) for number in sorted(notes)])] if notes else []
    if tree.edits:
        blocks += [
            heading("Changes by hand"),
            paragraph("In this order, the tree was changed after it was grown:"),
        ]
        blocks.append(bullets([visible(str(edit)) for edit in tree.edits]))
    return "".join(blocks)


def _table(tree: Tree, notes: Sequence[tuple[int, str]]) -> str:
    wanted = {number for number, _ in notes}
    wording = wording_of(tree)
    places: dict[int, Any] = {}
    for each in premises(tree):
        if each.number in wanted:
            places.setdefault(each.number, each.premise)  # rows that stop there come second
    lines = []
    for number, note in notes:
        node = Node(tree, number)
        where = visible(wording.premise(places[number].conditions.values())) or "all rows"
        asks = (
            "predicts " + label_text(node.label)
            if node.question is None
            else f"asks {visible(str(node.question))}"
        )
        lines.append([str(number), note, where, asks, f"{node.n_rows:,}"])
    header = ["node", "note", "rows with", "what it does", "rows"]
    return table(header, lines, words={1, 2, 3}, caption="Notes on nodes")
