"""Surrogates by hand: a question that stands in where a value is missing, and how well it agrees."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, Name, tidy
from arboretum.exercises.drawing import draw_until
from arboretum.exercises.exercise import Exercise, Step

_N_KNOWN: Final = 8  # rows whose temperature is known; another has only a pulse, and one neither
_SIDES: Final = ("left", "right")


class People(NamedTuple):
    """Temperatures and pulses of people, the threshold of the question, and the pulse of the row without."""

    temperature: np.ndarray
    pulse: np.ndarray
    threshold: float
    pulse_only: int


def make_surrogates(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about the surrogate of one question."""
    people = draw_until(random, _draw, _is_clear)
    goes_left = people.temperature <= people.threshold
    n_left = int(goes_left.sum())
    larger = _SIDES[int(n_left < _N_KNOWN - n_left)]
    majority = max(n_left, _N_KNOWN - n_left)
    cuts = _cuts(people)
    agreeing = [int(((people.pulse <= cut) == goes_left).sum()) for cut in cuts]
    best = int(np.argmax(agreeing))
    agrees, cut = agreeing[best], cuts[best]
    adjusted = (agrees - majority) / (_N_KNOWN - majority)
    goes = _SIDES[int(people.pulse_only > cut)]
    asked = f"temperature <= {tidy(people.threshold, 2)}"
    steps = (
        Step(
            "left",
            f"How many of the rows with a known temperature does {asked} send left?",
            Amount(n_left, 0),
            f"{n_left} of {_N_KNOWN}.",
            "Count the temperatures up to the threshold.",
        ),
        Step(
            "blind",
            "In what share of them would you be right if you sent every row to the larger child?",
            Amount(majority / _N_KNOWN),
            f"{majority} of {_N_KNOWN} rows go {larger}.",
            "It is the share of the larger child.",
        ),
        Step(
            "cut",
            "Which question pulse <= t agrees best? Give t, halfway between two pulses.",
            Amount(cut, 1),
            f"pulse <= {tidy(cut, 1)} sends {agrees} of {_N_KNOWN} rows where the temperature does.",
            "For each threshold of the pulse, count the rows that go the same way by both questions. All "
            "pulses count, also those of rows without a temperature.",
        ),
        Step(
            "agreement",
            "What is its agreement?",
            Amount(agrees / _N_KNOWN),
            f"{agrees}/{_N_KNOWN}.",
            "It is the share of the rows that go the same way.",
        ),
        Step(
            "adjusted",
            "What is its adjusted agreement?",
            Amount(adjusted),
            f"({agrees} − {majority}) / ({_N_KNOWN} − {majority}) = {tidy(adjusted, 3)}.",
            "It is the share of the rows that the larger child gets wrong, and the surrogate gets right.",
        ),
        Step(
            "row 9",
            "Where does row 9 go?",
            Name(goes),
            f"Its temperature is missing; its pulse, {people.pulse_only}, says {goes}.",
            "Ask the surrogate: left is where its question holds.",
        ),
        Step(
            "row 10",
            "Where does row 10 go?",
            Name(larger),
            f"Nothing is known of it, so it goes to the larger child: {larger}.",
            "The last resort is the child with more rows.",
        ),
    )
    cells = [
        *((tidy(t, 1), str(p)) for t, p in zip(people.temperature, people.pulse.tolist(), strict=True)),
        ("missing", str(people.pulse_only)),
        ("missing", "missing"),
    ]
    table = tuple((str(i), *row) for i, row in enumerate(cells, 1))
    text = Paragraph(
        f"A node asks {asked}. Find the surrogate that stands in where the temperature is missing: the "
        "question pulse <= t, which sends rows left where it holds, that agrees with it best."
    )
    return Exercise("surrogates", "Surrogates", (text, Grid(("row", "temperature", "pulse"), table)), steps)


def _draw(random: np.random.RandomState) -> People:
    temperature = np.sort(random.choice(np.arange(360, 405), _N_KNOWN, replace=False) / 10)
    pulses = random.choice(np.arange(30, 55), _N_KNOWN + 1, replace=False) * 2
    # Mostly in the order of the temperatures, so that the pulse stands in for it.
    pulse = np.sort(pulses[:_N_KNOWN])
    swapped = random.choice(_N_KNOWN, 2, replace=False)
    pulse[swapped] = pulse[swapped[::-1]]
    place = int(random.randint(3, 6))
    threshold = (temperature[place - 1] + temperature[place]) / 2
    order = random.permutation(_N_KNOWN)
    return People(temperature[order], pulse[order], round(float(threshold), 2), int(pulses[_N_KNOWN]))


def _cuts(people: People) -> list[float]:
    """Return the thresholds halfway between neighbouring pulses that leave two known rows on each side."""
    values = np.sort(np.append(people.pulse, people.pulse_only))
    cuts = (values[:-1] + values[1:]) / 2
    return [float(cut) for cut in cuts if 2 <= (people.pulse <= cut).sum() <= _N_KNOWN - 2]


def _is_clear(people: People) -> bool:
    """Return whether one cut agrees best, better than sending rows blindly, and not with all of them."""
    goes_left = people.temperature <= people.threshold
    n_left = int(goes_left.sum())
    if 2 * n_left == _N_KNOWN:  # no child is larger
        return False
    agreeing = sorted(int(((people.pulse <= cut) == goes_left).sum()) for cut in _cuts(people))
    return max(n_left, _N_KNOWN - n_left) < agreeing[-1] < _N_KNOWN and agreeing[-1] > agreeing[-2]
