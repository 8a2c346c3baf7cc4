"""Steps on the workers of a Dask cluster.

Answers are results of tasks, so that Dask works out again what a lost worker held. Tasks are named after
their steps, the level of the tree and the partition, which is what the dashboard shows.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4
from weakref import WeakSet

from distributed import Client, Future, as_completed, get_client
from distributed.scheduler import KilledWorker

from arboretum.dask.runner import Handle
from arboretum.dask.watch import Watch
from arboretum.errors import ArboretumError, ClusterError, DataError, ParameterError

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


def usable(client: Client) -> Client:
    """Return the client; refuse one that cannot be waited for or has no scheduler any more."""
    if client.asynchronous:
        raise ParameterError(
            "client is asynchronous, but fit waits for the workers.\n"
            "Hint: pass a client made without asynchronous=True."
        )
    if client.status != "running":
        raise ClusterError(f"{client!r} has no scheduler ({client.status}).\nHint: connect a new client.")
    return client


class OnWorkers:
    """Runs steps as tasks of a client; leaving its `with` by an error cancels what is not done yet."""

    def __init__(self, client: Client) -> None:
        self._client, self._watch = client, Watch(client)
        self._own: WeakSet[Future[Any]] = WeakSet()
        self._adopted: WeakSet[Future[Any]] = WeakSet()
        self.level: int | None = None

    def __enter__(self) -> Self:
        self._watch.start(self._cancel)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.stop()
        if error is not None:
            self._cancel()
            for part in list(self._adopted):
                part.release()  # not cancelled: others may want the same partition

    def adopt(self, parts: Sequence[Future[Any]]) -> list[Handle]:
        """Return futures of partitions that were asked for by this fit, and end with it."""
        self._adopted.update(parts)
        return list(parts)

    def each(
        self, step: Callable[..., Any], *parts: Sequence[Handle], common: tuple[Any, ...] = ()
    ) -> list[Handle]:
        """Run a step for each part, where the part is; what is common to all is sent once."""
        name = self._name(step)
        (shared,) = self._submit(f"send-to-{name}", _as_is, [(common,)])
        given = [(step, shared, *own) for own in zip(*parts, strict=True)]
        return self._submit(name, _with_common, given)

    def together(self, step: Callable[..., Any], parts: Sequence[Handle], *common: Any) -> Handle:
        """Run a step once, with the answers of all parts in their order."""
        return self._submit(self._name(step), step, [(list(parts), *common)])[0]

    def merged(self, add: Callable[[Sequence[Any]], Any], parts: Sequence[Handle]) -> Any:
        """Return the sum of all answers, which workers add up in several stages."""
        name = self._name(add)
        while len(parts) > 1:
            groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
            parts = self._submit(name, add, [(list(group),) for group in groups])
        return self.values(parts[:1])[0]

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the answers themselves."""
        with self._translated():
            found: list[Any] = self._client.gather(list(handles))
        self._watch.answered()
        return found

    def arriving(self, handles: Sequence[Handle]) -> Iterator[None]:
        """Yield as the answers become ready, one after the other; ends early where one cannot be had."""
        with self._translated():
            for future in as_completed(handles):
                if future.status != "finished":
                    return  # why, is said where its value is asked for
                self._watch.answered()
                yield

    def _submit(self, name: str, step: Callable[..., Any], given: Sequence[tuple[Any, ...]]) -> list[Handle]:
        level = "" if self.level is None else f"-level{self.level}"
        # Keys are text, of whose beginnings Dask keeps account for ever: these are few.
        if self._client.status != "running":
            raise ClusterError(self._lost())  # were it found again, all tasks would be forgotten
        with self._translated():
            tasks = [
                self._client.submit(step, *own, key=f"{name}{level}-{number}-{uuid4().hex}", pure=False)
                for number, own in enumerate(given)
            ]
        self._own.update(tasks)
        return tasks

    def _name(self, step: Callable[..., Any]) -> str:
        """Return the name of a step as the dashboard shows it; `add` of a class is named after both."""
        owner, _, name = step.__qualname__.rpartition(".")
        return name.replace("_", "-") + (f"-{owner.lower()}" if owner.isalpha() else "")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say in a sentence what became of the cluster."""
        try:
            yield
        except ArboretumError:
            raise
        except KilledWorker as error:
            raise ClusterError(
                f"{error.allowed_failures + 1} workers died one after the other in the step "
                f"{_step_of(error.task)}; most often, their memory was too small.\n{Watch.hint}"
            ) from error
        except (CancelledError, asyncio.CancelledError) as error:
            raise ClusterError(self._watch.verdict or self._why_cancelled(error)) from error
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ClusterError(self._lost()) from error

    def _why_cancelled(self, error: BaseException) -> str:
        if self._client.status != "running" or "scheduler-connection-lost" in str(error):
            return self._lost()
        return f"Tasks of the fit were cancelled by others ({error}).\nHint: fit again."

    def _lost(self) -> str:
        where = getattr(self._client.scheduler, "address", "")
        return (
            f"The connection to the Dask scheduler {where} was lost before the tree was grown.\n"
            "Hint: look into its log, start it again if it has ended, connect a new client and fit again."
        )

    def _cancel(self) -> None:
        """Drop all tasks that are not done; those that run come to their end, and nobody waits for them."""
        if self._client.status == "running":
            self._client.cancel(list(self._own), force=True)


def _step_of(key: Any) -> str:
    """Return a step and its partition from the key of its task."""
    own = re.fullmatch(r"(.+)-(\d+)-[0-9a-f]{32}", str(key))
    return f"{own[1]!r} (partition {own[2]})" if own else repr(key)


def _as_is(value: Any) -> Any:
    """Return what was given: as the result of a task it is sent to each worker once, and never lost."""
    return value


def _with_common(step: Callable[..., Any], common: tuple[Any, ...], *own: Any) -> Any:
    return step(*own, *common)
