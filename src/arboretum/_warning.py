"""Giving warnings: to the line of the caller's own code, or to whoever listens.

A call that fits or predicts many times listens to its own fits, so that its caller is warned once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from arboretum.errors import ArboretumWarning

Listener = Callable[[ArboretumWarning], object]

_LISTENER: ContextVar[Listener | None] = ContextVar("arboretum_listener", default=None)
# Lines of these packages are not the caller's own: a search or a pipeline calls `fit` for somebody.
_NOT_THE_CALLER: Final = ("arboretum", "sklearn", "joblib", "optuna")


def give(warning: ArboretumWarning) -> None:
    """Warn the caller, at the line of their own code that led here."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(warning)
    else:
        warnings.warn(warning, stacklevel=level_of_caller())


def level_of_caller() -> int:
    """Return the `stacklevel` of the innermost frame outside of these packages, as seen by the caller."""
    frame, level = sys._getframe(1), 1
    while _is_ours(frame.f_globals.get("__name__")) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level


def _is_ours(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _NOT_THE_CALLER


@contextmanager
def _listening(listener: Listener | None) -> Iterator[None]:
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def heard() -> Iterator[list[ArboretumWarning]]:
    """Collect the warnings of a block, in place of giving them."""
    found: list[ArboretumWarning] = []
    with _listening(found.append):
        yield found


@contextmanager
def unheard() -> Iterator[None]:
    """Give no warning: the block fits or predicts for the caller's own call, which has warned already."""
    with heard():
        yield


@contextmanager
def first_of_each(*silent: type[ArboretumWarning]) -> Iterator[None]:
    """Give the first warning of each class; none of those that are `silent`."""
    seen, outside = set(silent), _LISTENER.get()

    def pass_on(warning: ArboretumWarning) -> None:
        if type(warning) in seen:
            return
        seen.add(type(warning))
        with _listening(outside):
            give(warning)

    with _listening(pass_on):
        yield
