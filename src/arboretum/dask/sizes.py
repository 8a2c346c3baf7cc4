"""What parts take in memory, for Dask: by their sizes it decides what to write to disk and what to move."""

from __future__ import annotations

from dask.sizeof import sizeof

from arboretum.dask.part import OpenRows, Part

__all__ = ["size_of_part", "size_of_rows"]


def size_of_part(part: Part) -> int:
    """Return the bytes of a part, its codes included."""
    return part.nbytes


def size_of_rows(open_rows: OpenRows) -> int:
    """Return the bytes of row numbers."""
    return int(open_rows.rows.nbytes + open_rows.begins.nbytes)


sizeof.register(Part, size_of_part)
sizeof.register(OpenRows, size_of_rows)
