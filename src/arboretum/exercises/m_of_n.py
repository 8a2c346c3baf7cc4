"""m-of-n by hand: the hill climb from the best single literal, with its two operators."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, Name, tidy
from arboretum.exercises.drawing import MARGIN, draw_until
from arboretum.exercises.exercise import Exercise, Step
from arboretum.information import entropy, information_gain

_SIGNS: Final = ("cough", "fever", "headache", "rash")
_N_ROWS: Final = 8


class MofN(NamedTuple):
    """At least m of some signs are 1; signs by number, in the order in which they were added."""

    m: int
    signs: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.m} of {{{', '.join(_SIGNS[sign] for sign in sorted(self.signs))}}}"

    def steps(self) -> list[MofN]:
        """Return what both operators make of it: m-of-(n+1) and (m+1)-of-(n+1)."""
        more = [(*self.signs, sign) for sign in range(len(_SIGNS)) if sign not in self.signs]
        return [MofN(m, signs) for m in (self.m, self.m + 1) for signs in more]


class Patients(NamedTuple):
    """Signs as zeros and ones, and who is ill."""

    signs: np.ndarray
    ill: np.ndarray


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
            f"{int(patients.ill.sum())} of {_N_ROWS} are ill: {tidy(before, 3)}.",
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
                Name(str(chosen) if chosen else "stop"),
                f"{chosen} gains most." if chosen else "No step gains more than the question itself.",
                "Compare the gains, also with that of the question so far.",
            )
        )
    text = Paragraph(
        "Find an m-of-n question by hill climbing. Start with the best single literal, 1 of one sign. Each "
        "step adds one sign, as m of n + 1 or as m + 1 of n + 1, whichever gains most; stop when no "
        "step gains more. Give numbers to three places."
    )
    rows = tuple(
        (str(i), *map(str, row), "ill" if ill else "well")
        for i, (row, ill) in enumerate(zip(patients.signs.tolist(), patients.ill.tolist(), strict=True), 1)
    )
    return Exercise(
        "m_of_n", "m-of-n questions", (text, Grid(("row", *_SIGNS, "patient"), rows)), tuple(steps)
    )


def _gain_of(patients: Patients, question: MofN, number: int) -> Step:
    holds = _holds(patients, question)
    sides = ", ".join(
        f"{name}: {int(patients.ill[side].sum())} ill of {int(side.sum())}"
        for name, side in (("yes", holds), ("no", ~holds))
    )
    gain = _gain(patients, question)
    return Step(
        f"gain {number}: {question}",
        f"What is the information gain of {question}?",
        Amount(gain),
        f"{sides}. The gain is {tidy(gain, 3)}.",
        f"The question holds for rows with at least {question.m} of these signs.",
    )


def _holds(patients: Patients, question: MofN) -> np.ndarray:
    found: np.ndarray = patients.signs[:, list(question.signs)].sum(axis=1) >= question.m
    return found


def _gain(patients: Patients, question: MofN) -> float:
    return information_gain(patients.ill, _holds(patients, question))


def _climb(patients: Patients) -> list[tuple[list[MofN], MofN | None]]:
    """Return the candidates of every step and the one that is chosen; None where the climb ends."""
    candidates = [MofN(1, (sign,)) for sign in range(len(_SIGNS))]
    best = max(candidates, key=lambda question: _gain(patients, question))
    path: list[tuple[list[MofN], MofN | None]] = [(candidates, best)]
    while candidates := best.steps():
        found = max(candidates, key=lambda question: _gain(patients, question))
        if _gain(patients, found) <= _gain(patients, best) + 1e-12:
            path.append((candidates, None))
            break
        path.append((candidates, found))
        best = found
    return path


def _draw(random: np.random.RandomState) -> Patients:
    signs = random.randint(0, 2, size=(_N_ROWS, len(_SIGNS)))
    m, n = ((2, 2), (2, 3), (1, 2), (2, 3))[random.randint(4)]
    chosen = random.permutation(len(_SIGNS))[:n]
    return Patients(signs, signs[:, chosen].sum(axis=1) >= m)


def _is_clear(patients: Patients) -> bool:
    """Return whether the climb takes one or two steps, each clearly the best, and ends in a pure question."""
    if patients.ill.sum() not in (2, 4, 6):
        return False
    path = _climb(patients)
    taken = [chosen for _, chosen in path if chosen is not None]
    if not 2 <= len(taken) <= 3 or _gain(patients, taken[-1]) < entropy(patients.ill) - 1e-9:
        return False
    for candidates, chosen in path:
        gains = sorted(_gain(patients, question) for question in candidates)
        if chosen is not None and gains[-1] - gains[-2] <= MARGIN:
            return False
    return True
