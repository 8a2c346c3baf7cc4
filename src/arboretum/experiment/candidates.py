"""Candidates: estimators that are about to be tried, each with a name and its setting.

Words: the *name* is the caller's, or else that of the class. Trying them is the experiment's work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from arboretum.experiment.settings import Setting, make, one_line

__all__ = ["Candidate", "candidates", "single"]


class Candidate(NamedTuple):
    """An unfitted estimator that is to be tried."""

    estimator: Any
    name: str
    setting: Setting


def candidates(estimator: Any, name: str | None, settings: list[Setting]) -> list[Candidate]:
    """Return copies of the estimator, one for each setting."""
    return [
        Candidate(make(estimator, setting), name or type(estimator).__name__, setting) for setting in settings
    ]


def single(estimator: Any, name: str | None) -> Candidate:
    """Return a copy of the estimator as it is; its parameters are its name unless it has another."""
    return Candidate(make(estimator, {}), name or one_line(repr(estimator)), {})
