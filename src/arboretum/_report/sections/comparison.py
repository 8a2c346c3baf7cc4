"""Comparison: the tree beside a guess, neighbours, a linear model and a forest."""

from __future__ import annotations

import numpy as np

from arboretum._report.blocks import Cell, facts, paragraph, table
from arboretum._report.evidence.evidence import Compared, Comparison, Evidence
from arboretum._report.sections.errors import score_text
from arboretum._report.words import DASH, between, figure


def write(evidence: Evidence) -> str:
    """Return the section."""
    found = evidence.comparison
    n_folds = found.n_folds
    words = (
        f"Every method was fitted {n_folds} times, each time without one of {n_folds} parts of the rows, and "
        f"judged by the part it had not seen ({evidence.sample_text}). All saw the same "
        "parts. None was tuned "
        "to this table."
    )
    blocks = [paragraph(words, "lead"), _table(found), paragraph(verdict(evidence))]
    blocks += [paragraph(f"{sentence}.") for sentence in found.failed]
    unweighted = [method.name for method in found.methods if not method.has_weights]
    if evidence.subject.weights is not None and unweighted:
        blocks.append(paragraph(f"{unweighted[0]} cannot learn from weights, but is judged by them."))
    return "".join(blocks)


def _table(found: Comparison) -> str:
    names = [score.name for score in found.tree.scores]
    shares = names[0] == "accuracy"
    header = ["method", names[0], "95% interval", "against the tree", *names[1:]]
    best = [_best(found, place) for place in range(len(names))]
    lines = [_line(method, best, shares) for method in found.methods]
    how = facts([(method.name, f"{method.says}.") for method in found.methods])
    return table(header, lines, caption="The best of each measure is printed bold") + how


def _line(method: Compared, best: list[float], shares: bool) -> list[str | Cell]:
    cells = [
        Cell(score_text(score), strong=score.value == top)
        for score, top in zip(method.scores, best, strict=True)
    ]
    gap = DASH if method.behind is None else _gap(method.behind, shares)
    return [method.name, cells[0], between(method.interval, shares=shares), gap, *cells[1:]]


def _gap(behind: tuple[float, float, float], shares: bool) -> str:
    """Return by how much a method does better (+) or worse (-) than the tree, with its interval."""
    ahead = tuple(-each for each in (behind[0], behind[2], behind[1]))
    if not np.isfinite(ahead).all():
        return DASH
    if shares:
        return f"{100 * ahead[0]:+.1f} points ({100 * ahead[1]:+.1f} to {100 * ahead[2]:+.1f})"
    return f"{ahead[0]:+.3g} ({ahead[1]:+.3g} to {ahead[2]:+.3g})"


def _best(found: Comparison, place: int) -> float:
    scores = [method.scores[place] for method in found.methods]
    values = [score.value for score in scores if not np.isnan(score.value)]
    if not values:
        return float("nan")
    return max(values) if scores[0].more_is_better else min(values)


def verdict(evidence: Evidence) -> str:
    """Return how the tree compares with the best of the others, in a sentence or two."""
    found = evidence.comparison
    rival = found.best_rival
    if rival is None or rival.behind is None:
        return "No other method that looks at the columns could be fitted."
    mean, low, high = rival.behind
    gap = (
        f"{100 * abs(mean):.1f} points of"
        if evidence.subject.task == "classes"
        else f"{figure(abs(mean))} of"
    )
    name, own, other = found.tree.scores[0].name, found.tree.scores[0], rival.scores[0]
    what = f"{rival.name}, by {gap} {name} ({score_text(other)} against {score_text(own)})"
    if high < 0:
        return f"Better than the tree: {what}. That is the price of a tree that can be read."
    if low > 0:
        return f"The tree is better than the best of the others: {what}."
    return (
        f"The best of the others cannot be told from the tree on these rows: {rival.name}, "
        f"{score_text(other)} against {score_text(own)} ({name}); the difference may well be chance."
    )
