"""The bundled tables. README.md here has their sources and licences."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from arboretum.datasets.frames import make_frame


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
    return make_frame(columns, target, backend, levels)


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
