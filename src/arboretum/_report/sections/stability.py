"""Stability: how much the tree would change if other rows had been drawn."""

from __future__ import annotations

import numpy as np

from arboretum._data.levels import number_text
from arboretum._report.blocks import Cell, bullets, paragraph, table
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.words import DASH, named, share
from arboretum._tree.digits import short_value
from arboretum._wording import many
from arboretum.inspection.stability.result import Stability

_MOST = 12


def write(evidence: Evidence) -> str:
    """Return the section."""
    found = evidence.stability
    n_trees = len(found.trees)
    words = (
        f"{n_trees} trees were grown with the same settings, each from rows drawn anew, "
        "with replacement, from "
        f"{evidence.sample_text}. What they have in common can be relied on; what differs is chance."
    )
    return "".join([paragraph(words, "lead"), bullets(_facts(evidence, found)), _columns(found)])


def agreement_of(found: Stability) -> float:
    """Return how well two trees agree on average."""
    pairs = found.agreement[np.triu_indices(len(found.trees), 1)]
    return float(pairs.mean())


def _facts(evidence: Evidence, found: Stability) -> list[str]:
    leaves, own = found.leaves, evidence.subject.tree.n_leaves
    low, middle, high = (int(value) for value in np.quantile(leaves, [0.05, 0.5, 0.95], method="nearest"))
    facts = [
        f"Leaves: {low:,} to {high:,} in nine of ten trees, {middle:,} in the middle; this tree has {own:,}."
    ]
    agree = agreement_of(found)
    if found.disagreement is None:
        facts.append(
            f"The predictions of two trees have a concordance of {agree:.2f} on average (1: the same)."
        )
    else:
        facts.append(f"Two trees predict the same class for {share(agree)} of the rows on average.")
        unsure = float((found.disagreement > 0.25).mean())
        facts.append(
            f"For {share(unsure)} of the rows, more than a quarter of the trees say something else than most."
        )
    alone = int((leaves == 1).sum())
    if alone:
        facts.append(f"{many(alone, 'tree')} of {len(leaves)} found nothing to ask.")
    return facts


def _columns(found: Stability) -> str:
    order = [k for k in found.order.tolist() if found.anywhere[k] > 0]
    lines: list[list[str | Cell]] = []
    for k in order[:_MOST]:
        shares = [float(values[k]) for values in (found.root, found.first, found.anywhere)]
        cells = [Cell(share(each), bar=each) for each in shares]
        lines.append([named(found.columns[k]), *cells, _thresholds(found, found.columns[k])])
    left_out = len(order) - len(lines)
    more = f"; {many(left_out, 'other')} left out" if left_out > 0 else ""
    if not lines:
        return paragraph("None of the trees asks anything.")
    header = [
        "column",
        "asked at the root",
        f"in the first {found.levels} levels",
        "anywhere",
        "thresholds, 9 in 10",
    ]
    return table(header, lines, words={0, 4}, caption=f"How often the trees ask about each column{more}")


def _thresholds(found: Stability, column: str) -> str:
    """Return where a column is cut in the first levels."""
    cuts = found.thresholds(column, levels=found.levels)
    if not cuts:
        return DASH
    texts = [short_value(number_text(cut)) if isinstance(cut, float) else str(cut) for cut in _ends(cuts)]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _ends(cuts: list[object]) -> tuple[object, object]:
    try:
        ordered = sorted(cuts)  # type: ignore[type-var]
    except TypeError:  # levels of several types
        ordered = sorted(cuts, key=str)
    last = len(ordered) - 1
    return ordered[round(0.05 * last)], ordered[round(0.95 * last)]
