"""The parameters of an estimator in JSON's own types, and back.

What JSON lacks becomes an object with one name: {"tuple": […]}, {"object": {…}}. Only the strategies of a
fixed list, and trees, are made from their names. `fit` checks whether the values are allowed.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator

from arboretum._data.collisions import first_repeated
from arboretum._data.levels import level_from_json, level_to_json, plain_level
from arboretum._options.strategy import STRATEGIES
from arboretum._store.tree_document import array_from, listed
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError
from arboretum.estimators import TreeClassifier, TreeRanker, TreeRegressor

_TREES: Final = {kind.__name__: kind for kind in (TreeClassifier, TreeRegressor, TreeRanker)}
# What files mean that were written before there was such a parameter.
_BEFORE: Final[dict[str, dict[str, Any]]] = {
    "TreeClassifier": {"levels": "raw"},
    "TreeRegressor": {"levels": "raw", "leaf": "mean"},
    "CostComplexity": {"repeats": 1},
}
_DEEPEST: Final = 10  # lists within lists within …
_ARRAYS: Final = {"bool": np.bool_, "int64": np.int64, "uint64": np.uint64, "float64": np.float64}
_SCALARS: Final = (
    *(str, bool, int, float, dt.date, dt.timedelta),
    *(np.bool_, np.integer, np.floating, np.datetime64),  # durations of NumPy count as its integers
)


def parameters_of(model: BaseEstimator, prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the parameters of an estimator or strategy as they are stored."""
    return {
        name: _stored(value, prefix + name, depth) for name, value in model.get_params(deep=False).items()
    }


def parameters_from(stored: Any, kind: type[Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the parameters for an estimator or strategy of this kind.

    One that is not stored is left out, or has the value that it stood for before it was a parameter.
    """
    if not isinstance(stored, dict):
        raise DataError(f"The parameters of {kind.__name__} should be an object, but are {shown(stored)}.")
    if unknown := sorted(stored.keys() - set(kind._get_param_names())):
        raise DataError(
            f"{kind.__name__} has no parameter {shown(unknown[0])}; the file may be of a newer version."
        )
    given = {name: _restored(value, prefix + name, depth) for name, value in stored.items()}
    return _BEFORE.get(kind.__name__, {}) | given


def _stored(value: Any, name: str, depth: int) -> Any:
    """Return one value in JSON's own types."""
    if depth > _DEEPEST:
        raise ParameterError(f"{name} is nested more than {_DEEPEST} deep, and cannot be saved.")
    if value is None or isinstance(value, _SCALARS):
        return _stored_scalar(value, name)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": _stored_array(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "UO":
        value = value.tolist()
    if type(value) in (list, tuple):
        values = [_stored(item, name, depth + 1) for item in value]
        return values if type(value) is list else {"tuple": values}
    if type(value) is dict:
        return {"dict": [[_stored(part, name, depth + 1) for part in pair] for pair in value.items()]}
    if _objects_at(name).get(type(value).__name__) is type(value):
        parameters = parameters_of(value, f"{name}__", depth + 1)
        return {"object": {"name": type(value).__name__, "parameters": parameters}}
    raise ParameterError(
        f"{name} is of the type {type(value).__name__}, which a model file cannot hold.\n"
        f"Hint: model.set_params({name}=…) with text, a number, a list or None; the tree stays as it is."
    )


def _objects_at(name: str) -> Mapping[str, type[Any]]:
    """Return the classes of objects that a parameter may hold: the tree of an ensemble is an estimator."""
    return _TREES if name == "tree" else STRATEGIES


def _stored_scalar(value: Any, name: str) -> Any:
    if value is None:
        return None
    if value != value:
        raise ParameterError(f"{name} holds {value!r}, which equals nothing, and cannot be saved.")
    return level_to_json(plain_level(value))


def _stored_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    name = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64"}[array.dtype.kind]
    values = listed(array.ravel().astype(np.int64 if name == "bool" else _ARRAYS[name]))
    return {"type": name, "shape": list(array.shape), "values": values}


def _restored(stored: Any, name: str, depth: int) -> Any:
    """Return the value that `_stored` has written; anything else is refused."""
    if depth > _DEEPEST:
        raise DataError(f"The parameter {name} is nested more than {_DEEPEST} deep.")
    if isinstance(stored, list):
        return [_restored(item, name, depth + 1) for item in stored]
    if not isinstance(stored, dict):
        return stored
    if len(stored) == 1:
        ((tag, value),) = stored.items()
        match tag, value:
            case "tuple", list():
                return tuple(_restored(item, name, depth + 1) for item in value)
            case "dict", list():
                return _restored_dict(value, name, depth + 1)
            case "array", dict():
                return _restored_array(value, name)
            case "object", {"name": str(kind), "parameters": parameters} if kind in _objects_at(name):
                made = _objects_at(name)[kind]
                return made(**parameters_from(parameters, made, f"{name}__", depth + 1))
    try:
        return level_from_json(stored)
    except DataError as error:
        raise DataError(
            f"The parameter {name} is stored as {shown(stored)}, which cannot be read."
        ) from error


def _restored_dict(pairs: list[Any], name: str, depth: int) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise DataError(f"The parameter {name} should be a list of pairs, but is {shown(pairs)}.")
    keys = [_restored(key, name, depth) for key, _ in pairs]
    try:
        twice = first_repeated(keys, f"The keys of the parameter {name}")
    except TypeError as error:
        raise DataError(f"The parameter {name} has a key that cannot be one.") from error
    if twice is not None:
        raise DataError(f"The parameter {name} has the key {shown(keys[twice])} twice.")
    values = [_restored(value, name, depth) for _, value in pairs]
    return dict(zip(keys, values, strict=True))


def _restored_array(stored: dict[str, Any], name: str) -> np.ndarray[Any, Any]:
    kind, shape, values = stored.get("type"), stored.get("shape"), stored.get("values")
    if not isinstance(kind, str) or kind not in _ARRAYS or not isinstance(values, list):
        raise DataError(f"The parameter {name} is an array of a type that is not known, or without values.")
    sizes = isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape)
    if not isinstance(shape, list) or not sizes or len(shape) > 2 or math.prod(shape) != len(values):
        raise DataError(f"The parameter {name} is an array whose values do not fill its shape.")
    numbers = array_from(values, np.int64 if kind == "bool" else _ARRAYS[kind], f"The parameter {name}")
    return numbers.astype(_ARRAYS[kind]).reshape(shape)
