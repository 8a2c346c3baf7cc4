"""Small bundled tables, and generators of concepts: each gives a data frame and a target.

README.md here has the sources and licences of the tables. `backend` names the library whose data frame is
returned. Nothing is downloaded.
"""

from __future__ import annotations

from arboretum.datasets.bundled import load_iris, load_penguins, load_shoppers, load_tennis
from arboretum.datasets.concepts import (
    make_checkerboard,
    make_k_of_n,
    make_majority,
    make_parity,
    make_rotated_box,
)
from arboretum.datasets.numbers import make_additive, make_friedman, make_houses
from arboretum.datasets.orders import make_ranking

__all__ = [
    "load_iris",
    "load_penguins",
    "load_shoppers",
    "load_tennis",
    "make_additive",
    "make_checkerboard",
    "make_friedman",
    "make_houses",
    "make_k_of_n",
    "make_majority",
    "make_parity",
    "make_ranking",
    "make_rotated_box",
]


def __dir__() -> list[str]:
    return sorted(__all__)
