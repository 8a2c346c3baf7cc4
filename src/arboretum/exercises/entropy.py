"""Entropy by hand: shares, information, impurities, and the information gain of one question.

All shares are powers of one half, so that every logarithm is a whole number.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, listed, tidy
from arboretum.exercises.exercise import Exercise, Step
from arboretum.information import entropy, gini, information_content, misclassification

_CLASSES: Final = ("yes", "no", "maybe", "never")
# Numbers of rows of each class on both sides of the question, such that all shares are powers of one half.
_SIDES: Final = (
    ((4, 0, 0), (0, 2, 2)),
    ((2, 2, 0), (2, 0, 2)),
    ((4, 0), (0, 4)),
    ((2, 2, 0), (0, 0, 4)),
    ((2, 1, 1), (2, 1, 1)),
    ((4, 2, 2), (4, 2, 2)),
    ((8, 0, 0, 0), (0, 4, 2, 2)),
    ((4, 4, 0, 0), (4, 0, 2, 2)),
    ((4, 4, 0, 0), (0, 0, 4, 4)),
    ((4, 2, 2, 0), (4, 2, 0, 2)),
)


def make_entropy(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about impurities."""
    sides = np.array(_SIDES[random.randint(len(_SIDES))])
    sides = sides[:, random.permutation(sides.shape[1])]
    counts, names = sides.sum(axis=0), _CLASSES[: sides.shape[1]]
    n_rows, n_sides = int(counts.sum()), sides.sum(axis=1)
    shares = counts / n_rows
    below = [entropy(counts=side) for side in sides]
    whole = entropy(counts=counts)
    remaining = float(n_sides @ below / n_rows)
    steps = [
        Step(
            f"share {name}",
            f"What is the share of class {name}?",
            Amount(share),
            f"{count} of {n_rows} rows: {count}/{n_rows}.",
            "Divide the rows of the class by all rows.",
        )
        for name, count, share in zip(names, counts, shares, strict=True)
    ]
    steps.append(
        Step(
            "information",
            f"How many bits of information does it carry that a row is of class {names[0]}?",
            Amount(information_content(float(shares[0]))),
            f"−log₂ {tidy(shares[0], 4)} = {tidy(information_content(float(shares[0])), 3)}.",
            "It is −log₂ of the share.",
        )
    )
    terms = " + ".join(f"{tidy(p, 4)} · {tidy(information_content(float(p)), 3)}" for p in shares)
    steps += [
        Step(
            "entropy",
            "What is the entropy of the classes, in bits?",
            Amount(whole),
            f"{terms} = {tidy(whole, 3)}.",
            "Add up share · information of all classes.",
        ),
        Step(
            "gini",
            "What is the Gini index?",
            Amount(gini(counts=counts)),
            f"1 − ({' + '.join(f'{tidy(p, 4)}²' for p in shares)}) = {tidy(gini(counts=counts), 3)}.",
            "It is 1 less the sum of the squared shares.",
        ),
        Step(
            "misclassification",
            "What is the misclassification impurity?",
            Amount(misclassification(counts=counts)),
            f"1 − {tidy(shares.max(), 4)} = {tidy(misclassification(counts=counts), 3)}.",
            "It is 1 less the largest share.",
        ),
    ]
    for side, impurity, answer in zip(sides, below, ("left", "right"), strict=True):
        steps.append(
            Step(
                f"entropy {answer}",
                f"A question sends {_counted(side, names)} to the {answer}. What is the entropy there?",
                Amount(impurity),
                f"The shares are {listed([tidy(n / side.sum(), 4) for n in side if n])}: "
                f"{tidy(impurity, 3)} {'bit' if impurity == 1 else 'bits'}.",
                f"Only the rows on the {answer} count here.",
            )
        )
    weighted = " − ".join(
        f"{n}/{n_rows} · {tidy(impurity, 3)}" for n, impurity in zip(n_sides, below, strict=True)
    )
    steps.append(
        Step(
            "gain",
            "What is the information gain of the question?",
            Amount(whole - remaining),
            f"{tidy(whole, 3)} − {weighted} = {tidy(whole - remaining, 3)}.",
            "Take the entropy before, less that of both sides, each times its share of the rows.",
        )
    )
    table = Grid(("class", "rows"), tuple((n, str(c)) for n, c in zip(names, counts, strict=True)))
    text = Paragraph(f"A node holds {n_rows} rows. Give fractions, or decimals to three places.")
    return Exercise("entropy", "Impurity and information", (text, table), tuple(steps))


def _counted(counts: np.ndarray, names: tuple[str, ...]) -> str:
    """Return how many rows of each class there are, in words."""
    return listed([f"{count} {name}" for count, name in zip(counts, names, strict=True) if count])
