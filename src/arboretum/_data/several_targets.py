"""Several targets: a table with one column for each output, taken apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from arboretum._data.targets import as_array
from arboretum._types import Array
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError, listing


@dataclass(frozen=True)
class Outputs:
    """The targets of several outputs, one after the other, and their names."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]

    def classes(self, chosen: Any) -> set[int]:
        """Return the places of the outputs that are classes: those chosen; or text, categories, booleans."""
        if isinstance(chosen, str) and chosen == "from_dtype":
            return {place for place, column in enumerate(self.columns) if not _holds_numbers(column)}
        if isinstance(chosen, str) or not hasattr(chosen, "__iter__"):
            raise ParameterError(
                f"class_outputs={shown(chosen)} is not allowed; give 'from_dtype', or a list of "
                "names or places."
            )
        return self.positions(chosen, "class_outputs")

    def positions(self, chosen: Any, option: str) -> set[int]:
        """Return the places of some outputs that are given by name or by place."""
        places = set()
        for each in chosen:
            if isinstance(each, str) and each in self.names:
                places.add(self.names.index(each))
            elif isinstance(each, int | np.integer) and 0 <= each < len(self.names):
                places.add(int(each))
            else:
                raise DataError(f"{option} names {each!r}, which is no output; y has {listing(self.names)}.")
        return places


def split_outputs(y: Any) -> Outputs | None:
    """Return the columns of a target that has two or more; None if it is a single target."""
    try:
        frame = nw.from_native(y, pass_through=True, eager_only=False)
    except DuplicateError:
        names = getattr(y, "column_names", None)  # of Arrow tables
        _refuse_same([str(name) for name in (y.columns if names is None else names)])
        raise
    if isinstance(frame, nw.DataFrame):
        if len(frame.columns) < 2:
            return None
        named = [str(name) for name in frame.columns]
        _refuse_same(named)
        return Outputs(tuple(named), tuple(column.to_native() for column in frame.iter_columns()))
    if isinstance(y, Sequence) and not isinstance(y, str) and not _holds_rows(y):
        return None
    if not isinstance(y, Sequence) and getattr(y, "ndim", 1) != 2:
        return None
    given = as_array(y, "y")
    if given.ndim != 2 or given.shape[1] < 2:
        return None
    names = tuple(f"y{place}" for place in range(given.shape[1]))
    return Outputs(names, tuple(_plain(given[:, place]) for place in range(given.shape[1])))


def _refuse_same(names: list[str]) -> None:
    """Refuse outputs that could not be told apart by name."""
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DataError(
            f"y has several columns called {twice[0]!r}, but outputs are told apart by their names.\n"
            "Hint: rename them before fitting."
        )


def _holds_rows(y: Sequence[Any]) -> bool:
    """Return whether a list holds rows rather than single targets."""
    return len(y) > 0 and not isinstance(y[0], str) and (isinstance(y[0], Sequence) or np.ndim(y[0]) == 1)


def _plain(column: Array) -> Array:
    """Return a column of its own memory; objects that are all of one kind of number as such numbers."""
    if column.dtype.kind == "O" and len({type(value) for value in column.tolist()}) == 1:
        plain = np.array(column.tolist())
        return plain if plain.ndim == 1 and plain.dtype.kind in "biuf" else column.copy()
    return np.ascontiguousarray(column)


def _holds_numbers(column: Any) -> bool:
    if hasattr(column, "cat"):  # of pandas: also categories that are numbers
        return not isinstance(getattr(column.dtype, "categories", None), Iterable)
    given = as_array(column, "y")
    if given.dtype.kind != "O":
        return given.dtype.kind in "iuf"
    return not any(isinstance(value, str | bool | np.bool_) for value in given.tolist())


def output_weights(given: Any, names: tuple[str, ...]) -> tuple[float, ...]:
    """Return what each output counts, from a list in their order or {name: weight}; 1 for those not named."""
    if given is None:
        return (1.0,) * len(names)
    if hasattr(given, "keys"):
        if unknown := [name for name in given if name not in names]:
            raise DataError(f"output_weights names {listing(unknown)}, but the outputs are {listing(names)}.")
        values = [given.get(name, 1.0) for name in names]
    else:
        values = list(given) if isinstance(given, Sequence | np.ndarray) else [given]
        if len(values) != len(names):
            raise DataError(
                f"output_weights holds {many(len(values), 'weight')}, but y has {len(names)} outputs."
            )
    numbers = [_weight(value, name) for value, name in zip(values, names, strict=True)]
    if not any(numbers):
        raise DataError("output_weights are all zero, so there is nothing to learn.")
    return tuple(numbers)


def _weight(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1e9:
        raise DataError(f"The weight of output {name!r} is {value!r}; weights are numbers from 0 to 1e9.")
    return float(value)


def refuse_output_weights(given: Any) -> None:
    """Refuse weights of outputs where there is one output."""
    if given is not None:
        raise DataError("output_weights are for several outputs, but y is a single target.")
