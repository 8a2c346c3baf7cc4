"""The best threshold of a numeric column: sort, list the candidates, compute each gain, choose."""

from __future__ import annotations

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, Name, Several, tidy
from arboretum.exercises.drawing import MARGIN, draw_until
from arboretum.exercises.exercise import Exercise, Step
from arboretum.information import gini
from arboretum.reference import determine_candidate_numeric_splits

_N_ROWS = 6


def make_threshold(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about the thresholds of one column."""
    values, targets = draw_until(random, _draw, _is_clear)
    order = np.argsort(values)
    ordered, classes = values[order], targets[order]
    cuts = (ordered[:-1] + ordered[1:]) / 2
    gains = _gains(classes)
    best = int(np.argmax(gains))
    rows = [{"weight": float(value)} for value in values]
    changes = [
        split.threshold for split in determine_candidate_numeric_splits(rows, targets.tolist(), "weight")
    ]
    before = gini(targets)
    steps = [
        Step(
            "thresholds",
            "List the thresholds halfway between neighbouring values.",
            Several(tuple(cuts)),
            f"Sorted: {', '.join(tidy(v, 1) for v in ordered)}. A threshold is the mean of two neighbours.",
            f"Sort the values first; {_N_ROWS} different values have {_N_ROWS - 1} thresholds between them.",
        ),
        Step(
            "class changes",
            "Which of them lie between rows of different classes?",
            Several(tuple(changes)),
            f"In this order the classes are {', '.join(classes)}.",
            "Write the classes below the sorted values, and see where they change.",
        ),
        Step(
            "gini",
            "What is the Gini index before any question?",
            Amount(before),
            f"1 − {' − '.join(f'({n}/{_N_ROWS})²' for n in _counts(classes))} = {tidy(before, 3)}.",
            "It is 1 less the sum of the squared shares of both classes.",
        ),
    ]
    for place, (cut, gain) in enumerate(zip(cuts, gains, strict=True), 1):
        left, right = classes[:place], classes[place:]
        sides = f"{place}/{_N_ROWS} · {tidy(gini(left), 4)} − {len(right)}/{_N_ROWS} · {tidy(gini(right), 4)}"
        steps.append(
            Step(
                f"gain {tidy(cut, 2)}",
                f"How much does weight <= {tidy(cut, 2)} lower the Gini index?",
                Amount(gain),
                f"{tidy(before, 4)} − {sides} = {tidy(gain, 3)}.",
                "Take the Gini index of each side times its share of the rows, and subtract both.",
            )
        )
    steps.append(
        Step(
            "best",
            "Which threshold is best?",
            Amount(float(cuts[best])),
            f"weight <= {tidy(cuts[best], 2)} gains most: {tidy(gains[best], 3)}.",
            "Compare the gains above.",
        )
    )
    for side, part in (("left", classes[: best + 1]), ("right", classes[best + 1 :])):
        label = max(("no", "yes"), key=list(part).count)
        steps.append(
            Step(
                f"label {side}",
                f"What does the {side} child of this question predict?",
                Name(label),
                f"Its rows are {', '.join(part)}.",
                "The most frequent class there.",
            )
        )
    text = Paragraph(
        "Find the best question weight <= t about these rows, by the Gini index. Give fractions, or decimals "
        "to three places."
    )
    table = Grid(
        ("row", "weight", "class"),
        tuple((str(i), tidy(v, 1), str(t)) for i, (v, t) in enumerate(zip(values, targets, strict=True), 1)),
    )
    return Exercise("threshold", "The best threshold", (text, table), tuple(steps))


def _draw(random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    # Even numbers: the midpoints are whole.
    values = 2.0 * random.choice(np.arange(20, 50), _N_ROWS, replace=False)
    return values, random.choice(["no", "yes"], _N_ROWS)


def _is_clear(drawn: tuple[np.ndarray, np.ndarray]) -> bool:
    """Return whether one threshold is clearly best, neither side is tied, and the classes change often."""
    values, targets = drawn
    classes = targets[np.argsort(values)]
    changes = int((classes[1:] != classes[:-1]).sum())
    if not 2 <= changes <= 3:
        return False
    gains = np.sort(_gains(classes))
    best = int(np.argmax(_gains(classes))) + 1
    tied = any(
        len(_counts(part)) == 2 and len(set(_counts(part))) == 1 for part in (classes[:best], classes[best:])
    )
    return bool(gains[-1] - gains[-2] > MARGIN) and not tied


def _gains(classes: np.ndarray) -> np.ndarray:
    """Return how much each cut of rows in order lowers the Gini index."""
    n_rows = len(classes)
    sides = [(classes[:cut], classes[cut:]) for cut in range(1, n_rows)]
    left = [sum(len(side) / n_rows * gini(side) for side in both) for both in sides]
    return gini(classes) - np.array(left)


def _counts(classes: np.ndarray) -> list[int]:
    return [int(count) for count in np.unique(classes, return_counts=True)[1]]
