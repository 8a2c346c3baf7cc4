"""The kinds of exercises by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from arboretum._options.running import random_source
from arboretum.errors import ParameterError, choices
from arboretum.exercises.entropy import make_entropy
from arboretum.exercises.exercise import Exercise
from arboretum.exercises.id3 import make_id3
from arboretum.exercises.m_of_n import make_m_of_n
from arboretum.exercises.pruning import make_reduced_error, make_weakest_link
from arboretum.exercises.surrogates import make_surrogates
from arboretum.exercises.threshold import make_threshold

KINDS: Final[dict[str, Callable[[np.random.RandomState], Exercise]]] = {
    "entropy": make_entropy,
    "threshold": make_threshold,
    "id3": make_id3,
    "reduced_error": make_reduced_error,
    "weakest_link": make_weakest_link,
    "surrogates": make_surrogates,
    "m_of_n": make_m_of_n,
}


def exercise(kind: str, random_state: Any = None) -> Exercise:
    """Return an exercise with small, tidy numbers and one right answer to every step.

    Parameters
    ----------
    kind : {"entropy", "threshold", "id3", "reduced_error", "weakest_link", "surrogates", "m_of_n"}
        Impurities and information gain by hand; the best threshold of a column; ID3 on a small table; pruning
        with rows held aside; the weakest links of cost-complexity pruning; surrogates of a question; the hill
        climb of m-of-n questions.
    random_state : another whole number draws another exercise; None and 0 are the same

    >>> print(exercise("entropy").steps[0].asked)
    What is the share of class yes?
    """
    if kind not in KINDS:
        raise ParameterError(choices("kind", kind, list(KINDS)))
    return KINDS[kind](random_source(random_state))
