"""Steps on the workers of a Dask cluster.

Answers are results of tasks, so that Dask works out again what a lost worker held. Tasks are named after
their steps, which is what the dashboard shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import uuid4

from distributed import Client, get_client

from arboretum.dask.runner import Handle
from arboretum.errors import DataError

_FAN_IN: Final = 8  # answers that are added up by one task


def current_client() -> Client:
    """Return the client that is there, or say that one is needed."""
    try:
        return get_client()
    except ValueError as error:
        raise DataError(
            "There is no Dask client, whose workers could grow the tree.\n"
            "Hint: client = distributed.Client() starts workers on this machine; or pass client=…."
        ) from error


class OnWorkers:
    """Runs steps as tasks of a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def each(
        self, step: Callable[..., Any], *parts: Sequence[Handle], common: tuple[Any, ...] = ()
    ) -> list[Handle]:
        """Run a step for each part, where the part is; what is common to all is sent once."""
        shared = self._submit(_as_is, common)
        return [
            self._submit(_with_common, step, shared, *own, name=step.__name__)
            for own in zip(*parts, strict=True)
        ]

    def together(self, step: Callable[..., Any], parts: Sequence[Handle], *common: Any) -> Handle:
        """Run a step once, with the answers of all parts in their order."""
        return self._submit(step, list(parts), *common)

    def merged(self, add: Callable[[Sequence[Any]], Any], parts: Sequence[Handle]) -> Any:
        """Return the sum of all answers, which workers add up in several stages."""
        name = getattr(add, "__qualname__", "add").replace(".", "_")
        while len(parts) > 1:
            groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
            parts = [self._submit(add, list(group), name=name) for group in groups]
        return self._client.gather(parts[0])

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the answers themselves."""
        found: list[Any] = self._client.gather(list(handles))
        return found

    def _submit(self, step: Callable[..., Any], *given: Any, name: str | None = None) -> Handle:
        return self._client.submit(step, *given, key=f"{name or step.__name__}-{uuid4().hex}", pure=False)


def _as_is(value: Any) -> Any:
    """Return what was given: as the result of a task it is sent to each worker once, and never lost."""
    return value


def _with_common(step: Callable[..., Any], common: tuple[Any, ...], *own: Any) -> Any:
    return step(*own, *common)
