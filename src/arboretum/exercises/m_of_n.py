"""m-of-n by hand: the hill climb from the best single literal, with its two operators."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, Name, tidy
from arboretum.exercises.drawing import MARGIN, draw_until
from arboretum.exercises.exercise import Exercise, Step
from arboretum.information import entropy
from arboretum.reference.m_of_n import AtLeast, Literal, climb, operators, start
from arboretum.reference.make_subtree import divide, info_gain

_SIGNS: Final = ("cough", "fever", "headache", "rash")
_N_ROWS: Final = 8


_LITERALS: Final = [Literal(sign, "=", 1) for sign in _SIGNS]


class Patients(NamedTuple):
    """Signs as zeros and ones, and who is ill."""

    signs: list[dict[str, int]]
    ill: list[bool]


def make_m_of_n(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about the hill climb of m-of-n questions."""
    patients = draw_until(random, _draw, _is_clear)
    path = _climb(patients)
    before = entropy(patients.ill)
    steps = [
        Step(
            "entropy",
            "What is the entropy of the class, in bits?",
            Amount(before),
            f"{sum(patients.ill)} of {_N_ROWS} are ill: {tidy(before, 3)}.",
            "Add up −p · log₂ p of both classes.",
        )
    ]
    for number, (candidates, chosen) in enumerate(path):
        steps += [_gain_of(patients, question, number) for question in candidates]
        asked = "Which is the best single literal?"
        if number > 0:
            asked = "Which step is best? Write it as in the questions above, or stop if none gains more."
        steps.append(
            Step(
                f"choice {number}",
                asked,
                Name(text_of(chosen) if chosen else "stop"),
                f"{text_of(chosen)} gains most."
                if chosen
                else "No step gains more than the question itself.",
                "Compare the gains, also with that of the question so far.",
            )
        )
    text = Paragraph(
        "Find an m-of-n question by hill climbing. Start with the best single literal, 1 of one sign. Each "
        "step adds one sign, as m of n + 1 or as m + 1 of n + 1, whichever gains most; stop when no "
        "step gains more. Give numbers to three places."
    )
    rows = tuple(
        (str(i), *map(str, row.values()), "ill" if ill else "well")
        for i, (row, ill) in enumerate(zip(patients.signs, patients.ill, strict=True), 1)
    )
    return Exercise(
        "m_of_n", "m-of-n questions", (text, Grid(("row", *_SIGNS, "patient"), rows)), tuple(steps)
    )


def text_of(question: AtLeast) -> str:
    """Return the question as it is written here: a literal is a sign that is there."""
    signs = {literal.column for literal in question.literals}
    return f"{question.m} of {{{', '.join(sign for sign in _SIGNS if sign in signs)}}}"


def _gain_of(patients: Patients, question: AtLeast, number: int) -> Step:
    parts = divide(patients.signs, patients.ill, question)
    sides = ", ".join(
        f"{name}: {sum(ill)} ill of {len(ill)}"
        for name, (_, ill) in (("yes", parts.get(True, ([], []))), ("no", parts.get(False, ([], []))))
    )
    gain = info_gain(*patients, question)
    return Step(
        f"gain {number}: {text_of(question)}",
        f"What is the information gain of {text_of(question)}?",
        Amount(gain),
        f"{sides}. The gain is {tidy(gain, 3)}.",
        f"The question holds for rows with at least {question.m} of these signs.",
    )


def _climb(patients: Patients) -> list[tuple[list[AtLeast], AtLeast | None]]:
    """Return the candidates of every step and the one that is chosen; None where the climb ends."""
    path = climb(*patients, _LITERALS)
    candidates = [start(_LITERALS), *(operators(question, _LITERALS) for question in path)]
    return [(step, chosen) for step, chosen in zip(candidates, [*path, None], strict=True) if step]


def _draw(random: np.random.RandomState) -> Patients:
    signs = random.randint(0, 2, size=(_N_ROWS, len(_SIGNS)))
    m, n = ((2, 2), (2, 3), (1, 2), (2, 3))[random.randint(4)]
    chosen = random.permutation(len(_SIGNS))[:n]
    rows = [dict(zip(_SIGNS, row, strict=True)) for row in signs.tolist()]
    return Patients(rows, (signs[:, chosen].sum(axis=1) >= m).tolist())


def _is_clear(patients: Patients) -> bool:
    """Return whether the climb takes one or two steps, each clearly the best, and ends in a pure question."""
    if sum(patients.ill) not in (2, 4, 6):
        return False
    path = _climb(patients)
    taken = [chosen for _, chosen in path if chosen is not None]
    if not 2 <= len(taken) <= 3 or info_gain(*patients, taken[-1]) < entropy(patients.ill) - 1e-9:
        return False
    for candidates, chosen in path:
        gains = sorted(info_gain(*patients, question) for question in candidates)
        if chosen is not None and gains[-1] - gains[-2] <= MARGIN:
            return False
    return True
