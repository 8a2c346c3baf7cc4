"""Messages of the library name options as Python does; here they get the names of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from arboretum.errors import DataError, ParameterError

__all__ = ["ESTIMATOR_FLAGS", "flag_of", "flags_of", "naming_options"]

_OTHER_NAMES: Final = {
    "nominal": "--nominal-questions",
    "monotonic_cst": "--monotonic",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "sample_weight": "--weights",
    "categorical_features": "--nominal",
    "ordered_features": "--ordered",
}
# Words that are options wherever they stand; the others are only where a value follows.
_ALWAYS: Final = ("priors", "significance")


def flag_of(name: str) -> str:
    """Return an option of the library as it is written on the command line.

    >>> flag_of("max_depth"), flag_of("n_jobs")
    ('--max-depth', '--jobs')
    """
    return _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")


def flags_of(names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, str]:
    """Return the flag of each option."""
    return {name: flag_of(name) for name in names}


ESTIMATOR_FLAGS: Final = flags_of(
    (
        *("criterion", "nominal", "thresholds", "questions", "search", "missing", "max_depth"),
        *("min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes"),
        *("min_impurity_decrease", "significance", "competitors", "max_bins", "prune", "leaf"),
        *("class_weight", "priors", "loss", "column_costs", "monotonic_cst", "random_state", "n_jobs"),
        *("sample_weight", "categorical_features", "ordered_features"),
    )
)


@contextmanager
def naming_options(flags: Mapping[str, str]) -> Iterator[None]:
    """Let what the library refuses name these options by their flags."""
    try:
        yield
    except (ParameterError, DataError) as error:
        raise type(error)(_renamed(str(error), flags)) from error


def _renamed(message: str, flags: Mapping[str, str]) -> str:
    """Return a message with flags for options.

    >>> _renamed("max_depth=0 is not allowed; give 1 or more, or None.", {"max_depth": "--max-depth"})
    '--max-depth=0 is not allowed; give 1 or more, or none.'
    """
    # Not inside of quotes or parentheses: there it is a name of the data, or an option of a strategy.
    found = re.compile(rf"(?<![\w'\"(.-])({'|'.join(map(re.escape, flags))})(=|\b(?![='\"(]))")

    def flag(match: re.Match[str]) -> str:
        name, sign = match[1], match[2]
        is_option = bool(sign) or "_" in name or name in _ALWAYS
        return f"{flags[name]}{sign}" if is_option else match[0]

    renamed = found.sub(flag, message).replace("--priors or loss", "--priors or --loss")
    return re.sub(r"\bNone\b", "none", renamed)
