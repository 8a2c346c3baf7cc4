"""Small bundled tables, each as a data frame and a target; README.md here has sources and licences.

`backend` names the library whose data frame is returned. Nothing is downloaded.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, cast

import narwhals.stable.v2 as nw

from arboretum.errors import ParameterError, choices

__all__ = ["load_iris", "load_penguins", "load_shoppers", "load_tennis"]

_BACKENDS = ("pandas", "polars", "pyarrow")


def load_iris(*, backend: str | None = None) -> tuple[Any, Any]:
    """Return four measures of 150 flowers, and their species.

    >>> X, y = load_iris()
    >>> X.shape
    (150, 4)
    """
    return _load("iris", "species", backend)


def load_penguins(*, backend: str | None = None) -> tuple[Any, Any]:
    """Return island, sex, year and four measures of 344 penguins, some missing, and their species."""
    return _load("penguins", "species", backend)


def load_tennis(*, backend: str | None = None) -> tuple[Any, Any]:
    """Return the weather of 14 days, four nominal columns, and whether tennis was played."""
    return _load("tennis", "play", backend)


def load_shoppers(*, backend: str | None = None) -> tuple[Any, Any]:
    """Return job, favourite goods and body weight of nine people, and their group.

    Their levels are declared, so that jobs and goods that nobody chose are known too.
    """
    levels = {
        "job": ["designer", "athlete", "professor", "doctor", "official", "NGO", "none"],
        "favourite": ["clothes", "electronics", "sports goods", "books", "food"],
    }
    return _load("shoppers", "group", backend, levels)


def _load(
    name: str, target: str, backend: str | None, levels: Mapping[str, Sequence[str]] | None = None
) -> tuple[Any, Any]:
    text = files("arboretum.datasets").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    columns = {column: _cells([row[i] for row in rows]) for i, column in enumerate(header)}
    schema = {column: nw.Enum(list(declared)) for column, declared in (levels or {}).items()}
    backend = _choose_backend(backend)
    if backend == "pyarrow":
        schema = {}  # Arrow's dictionaries do not tell declared levels from observed ones
    frame = nw.from_dict(columns, backend=cast(Any, backend)).with_columns(
        nw.col(c).cast(kind) for c, kind in schema.items()
    )
    X, y = frame.drop(target).to_native(), frame[target].to_native()
    if backend == "pandas":  # narwhals makes every enumeration ordered there
        X = X.assign(**{column: X[column].cat.as_unordered() for column in schema})
    return X, y


def _cells(cells: list[str]) -> list[Any]:
    """Return the cells of a column: numbers where all are numbers, missing where the field is empty."""
    try:
        return [float(cell) if "." in cell else int(cell) for cell in cells]
    except ValueError:
        pass
    try:
        return [float(cell) if cell else None for cell in cells]
    except ValueError:
        return [cell or None for cell in cells]


def _choose_backend(backend: str | None) -> Any:
    if backend is None:
        backend = next((name for name in _BACKENDS if find_spec(name) is not None), "")
        if not backend:
            raise ParameterError(
                "No data frame library is installed. Hint: pip install pandas, polars or pyarrow."
            )
    if backend not in _BACKENDS:
        raise ParameterError(choices("backend", backend, _BACKENDS))
    return backend


def __dir__() -> list[str]:
    return sorted(__all__)
