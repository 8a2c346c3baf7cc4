"""Options of an estimator as text: numbers, words, strategies, lists, matrices.

A strategy is written `name` or `name(option=value, …)`. Its name comes from a fixed table, and its values are
numbers, words, true, false and none: no text is ever run as code.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable
from typing import Any, Final

from arboretum.errors import ParameterError, choices

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
    if not isinstance(value, str):
        return value
    # A word that the estimators know themselves is theirs.
    is_word = any(value in kind._names for kind in _strategies().values())
    return value if is_word or key_of(value) not in _strategies() else _make(value, "", option)


def parse_scalar(written: str) -> Any:
    """Return a number, none, true, false, or the word itself; quotes make anything a word."""
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
    kind = _strategies().get(key_of(name))
    if kind is None:
        known = [strategy.__name__ for strategy in _strategies().values()]
        raise ParameterError(choices(f"--{option}", name, known))
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


def key_of(name: str) -> str:
    """Return the small letters and digits of a name, by which it is looked up."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _strategies() -> dict[str, Any]:
    """Return the library's strategies, by their names in small letters alone."""
    import arboretum.estimators  # noqa: F401 - it loads all of them
    from arboretum._options.strategy import STRATEGIES

    return {key_of(name): STRATEGIES[name] for name in sorted(STRATEGIES)}


def names_of(written: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names in comma-separated lists, in order; a name with a comma is quoted."""
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
            f"--{option} {written!r} is not a square matrix of numbers.\nHint: write rows like '0,10;1,0'."
        ) from error
