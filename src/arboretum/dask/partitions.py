"""The partitions of Dask collections: futures of tables, of targets and of weights, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from distributed import Client, Future

from arboretum.dask.cluster import OnWorkers
from arboretum.dask.runner import Handle
from arboretum.errors import ArboretumError, DataError, DataTypeError


def partitions_of(runner: OnWorkers, client: Client, given: Any, name: str) -> list[Handle]:
    """Return a future for each partition of a data frame, a series, an array or a list of delayed tables."""
    if hasattr(given, "to_delayed"):
        delayed = _delayed(given)
        if hasattr(delayed, "ndim"):
            delayed = _blocks(delayed, name)
        return runner.adopt(client.compute(list(delayed)))
    if isinstance(given, Sequence) and given and all(_is_remote(part) for part in given):
        return [
            part if isinstance(part, Future) else runner.adopt([client.compute(part)])[0] for part in given
        ]
    raise DataTypeError(
        f"{name} is of type {type(given).__name__}, which has no partitions.\n"
        "Hint: pass a Dask data frame or array, or a list of delayed tables; tables in memory are for "
        "arboretum.TreeClassifier and arboretum.TreeRegressor."
    )


def _delayed(given: Any) -> Any:
    """Return the partitions as they were declared.

    Dask's full optimisation joins files of which few columns are wanted: X and y would no longer match.
    """
    if hasattr(given, "simplify"):
        return given.simplify().to_delayed(optimize_graph=False)
    return given.to_delayed()


@contextmanager
def naming_partitions(parts: Mapping[str, Sequence[Handle] | None]) -> Iterator[None]:
    """Say which partition cannot be read, if the computation of one fails."""
    try:
        yield
    except ArboretumError:
        raise
    except Exception:
        for name, own in parts.items():
            for number, part in enumerate(own or ()):
                if getattr(part, "status", "") == "error":
                    reason: Any = part.exception()
                    text = f"{type(reason).__name__}: {str(reason).strip()}"
                    raise DataError(f"Partition {number} of {name} cannot be read: {text}") from reason
        raise


def _is_remote(part: Any) -> bool:
    return isinstance(part, Future) or hasattr(part, "dask")


def _blocks(delayed: Any, name: str) -> Any:
    """Return the blocks of rows of an array; refuse columns that lie in several blocks."""
    if delayed.ndim > 1 and delayed.shape[1] > 1:
        raise DataError(
            f"{name} is divided into {delayed.shape[1]} blocks of columns, but a part holds whole rows.\n"
            f"Hint: pass {name}.rechunk({{1: -1}})."
        )
    return delayed.ravel()


def refuse_uneven(parts: dict[str, list[Handle] | None]) -> None:
    """Refuse tables, targets and weights with different numbers of partitions."""
    sizes = {name: len(own) for name, own in parts.items() if own is not None}
    if len(set(sizes.values())) > 1:
        text = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise DataError(
            f"The numbers of partitions differ: {text}.\nHint: repartition them to the same divisions."
        )
