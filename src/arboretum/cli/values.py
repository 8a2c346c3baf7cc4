"""Options of an estimator as they are written on a command line: numbers, words, strategies, lists.

Words: a *strategy* is an object with options of its own, written `name` or `name(option=value, …)`. Names
come from a fixed table, and values are numbers, words, true, false and none: nothing that is written
here is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from arboretum.errors import ParameterError, choices

__all__ = ["STRATEGIES", "names_of", "pairs_of", "parse_matrix", "parse_scalar", "parse_value"]

STRATEGIES: Final = (
    "ChiSquare",
    "Conditional",
    "CostComplexity",
    "FTest",
    "GainRatio",
    "Lookahead",
    "MEstimate",
    "MofN",
    "Oblique",
    "Permutation",
    "Pessimistic",
    "ReducedError",
    "Surrogate",
)
# Words that the estimators know themselves; they mean what they mean there.
_WORDS: Final = {"gain_ratio", "surrogate", "cost_complexity", "reduced_error", "pessimistic"}
_CONSTANTS: Final = {"none": None, "true": True, "false": False}
_CALL: Final = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*\((.*)\)\s*", re.DOTALL)
_ARGUMENT: Final = re.compile(
    r"""\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*("[^"]*"|'[^']*'|[^,"'()\s]+)\s*(,|\Z)""", re.DOTALL
)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,30}")


def parse_value(written: str, option: str) -> Any:
    """Return what an option stands for: a scalar, or a strategy.

    >>> parse_value("0.05", "significance"), parse_value("none", "prune"), parse_value("gini", "criterion")
    (0.05, None, 'gini')
    >>> parse_value("cost_complexity(folds=5, rule=min)", "prune")
    CostComplexity(folds=5, rule='min')
    """
    call = _CALL.fullmatch(written)
    if call is not None:
        return _make(call[1], call[2], option)
    value = parse_scalar(written)
    if isinstance(value, str) and value not in _WORDS and _key(value) in _by_key():
        return _make(value, "", option)
    return value


def parse_scalar(written: str) -> Any:
    """Return a number, none, true, false, or else the word itself; quotes make anything a word."""
    text = written.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        return float(text) if text[:1] in "+-.0123456789" and "_" not in text else text
    except ValueError:
        return text


def _make(name: str, arguments: str, option: str) -> Any:
    import inspect

    import arboretum

    known = _by_key()
    if _key(name) not in known:
        raise ParameterError(choices(f"--{option}", name, STRATEGIES))
    kind: Any = getattr(arboretum, known[_key(name)])
    allowed = list(inspect.signature(kind).parameters)
    given: dict[str, Any] = {}
    place = 0
    while place < len(arguments.rstrip()):
        found = _ARGUMENT.match(arguments, place)
        if found is None:
            raise ParameterError(
                f"--{option} {name}({arguments}) cannot be read at {arguments[place:]!r}.\n"
                f"Hint: write {name}({allowed[0] if allowed else ''}=…)."
            )
        if found[1] not in allowed:
            raise ParameterError(choices(f"--{option} {name}(…): option", found[1], allowed))
        if found[1] in given:
            raise ParameterError(f"--{option} {name}(…) gives {found[1]!r} twice.")
        given[found[1]] = parse_scalar(found[2])
        place = found.end()
    return kind(**given)


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _by_key() -> dict[str, str]:
    return {_key(name): name for name in STRATEGIES}


def names_of(written: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of lists with commas, in order; a name with a comma is quoted."""
    names: list[str] = []
    for text in written or ():
        names += [
            (quoted or plain).strip()
            for quoted, plain in re.findall(r'"([^"]*)"|([^,"]+)', text)
            if (quoted or plain).strip()
        ]
    return tuple(dict.fromkeys(names))


def pairs_of(written: str, option: str) -> dict[str, str]:
    """Return a list `name=value,name=value` as pairs of texts."""
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in written.split(","))):
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip() or not value.strip():
            raise ParameterError(f"--{option} {written!r} cannot be read at {part!r}.\nHint: write a=1,b=2.")
        pairs[name.strip()] = value.strip()
    return pairs


def parse_matrix(written: str, option: str) -> list[list[float]]:
    """Return a matrix, written "0,10;1,0" or as JSON, [[0,10],[1,0]]."""
    try:
        if written.lstrip().startswith("["):
            rows = json.loads(written)
        else:
            rows = [row.split(",") for row in written.split(";")]
        matrix = [[float(cell) for cell in row] for row in rows]
        if any(len(row) != len(matrix) for row in matrix):
            raise ValueError("not a square")
        return matrix
    except (ValueError, TypeError, RecursionError) as error:
        raise ParameterError(
            f"--{option} {written!r} is no square matrix of numbers.\nHint: write rows like '0,10;1,0'."
        ) from error
