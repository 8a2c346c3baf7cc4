"""Studies: Optuna as another way to propose settings, if it is installed; imported when asked for.

Words: a *study* proposes one setting after the other and is told each one's loss. Optuna reports every
trial on the screen unless it is told not to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from arboretum.errors import PackageError, ParameterError
from arboretum.progress import progress

__all__ = ["run_study"]


def run_study(
    objective: Callable[[Any], float], n_trials: int, study: Any, seed: int, *, shown: bool
) -> None:
    """Let a study, or a new one of this seed, propose settings and lower the objective."""
    optuna = _import_optuna()
    with _quiet(optuna):
        if study is None:
            study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        elif study.direction != optuna.study.StudyDirection.MINIMIZE:
            raise ParameterError(
                "study maximises, but a loss is to be low; create it with direction='minimize'."
            )
        for _ in progress(range(n_trials), n_trials, "settings", shown=shown):
            study.optimize(objective, n_trials=1)


def _import_optuna() -> Any:
    try:
        return import_module("optuna")
    except ImportError as error:
        raise PackageError(
            "Experiment.optuna needs Optuna, which is not installed. Hint: pip install optuna, or use random."
        ) from error


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Let Optuna say nothing but warnings while the block runs."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(before, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
