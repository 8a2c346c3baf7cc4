"""Where steps run: on the parts of a table one by one here, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

Handle = Any  # what stands for an answer that may not be there yet


class Runner(Protocol):
    """Runs steps on parts; answers stay where they are until they are asked for."""

    level: int | None  # of the tree, where one is at work

    def each(
        self, step: Callable[..., Any], *parts: Sequence[Handle], common: tuple[Any, ...] = ()
    ) -> list[Handle]:
        """Run a step for each part, with what belongs to the part and what is common to all."""

    def together(self, step: Callable[..., Any], parts: Sequence[Handle], *common: Any) -> Handle:
        """Run a step once, with the answers of all parts in their order."""

    def merged(self, add: Callable[[Sequence[Any]], Any], parts: Sequence[Handle]) -> Any:
        """Return the sum of all answers."""

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the answers themselves."""

    def arriving(self, handles: Sequence[Handle]) -> Iterator[None]:
        """Yield as the answers become ready."""

    def n_threads(self) -> int:
        """Return how many steps can run at the same time."""


class Here:
    """Runs every step at once, here."""

    level: int | None = None

    def each(
        self, step: Callable[..., Any], *parts: Sequence[Handle], common: tuple[Any, ...] = ()
    ) -> list[Handle]:
        """Run a step for each part."""
        return [step(*own, *common) for own in zip(*parts, strict=True)]

    def together(self, step: Callable[..., Any], parts: Sequence[Handle], *common: Any) -> Handle:
        """Run a step once."""
        return step(list(parts), *common)

    def merged(self, add: Callable[[Sequence[Any]], Any], parts: Sequence[Handle]) -> Any:
        """Return the sum of all answers."""
        return add(list(parts))

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the answers."""
        return list(handles)

    def arriving(self, handles: Sequence[Handle]) -> Iterator[None]:
        """Yield for each answer: all are there."""
        for _ in handles:
            yield

    def n_threads(self) -> int:
        """Return one: steps run one after the other."""
        return 1
