"""Progress: a bar for long work, where it was asked for.

Words: *verbose* is 0 (quiet) or 1 (a bar on the standard error stream).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from arboretum.errors import PackageError, ParameterError
from arboretum.scalars import is_integer

__all__ = ["progress", "resolve_verbose"]

T = TypeVar("T")


def resolve_verbose(verbose: Any) -> bool:
    """Return whether progress is to be shown."""
    if not (is_integer(verbose) or isinstance(verbose, bool)) or verbose < 0:
        raise ParameterError(f"verbose={verbose!r} is not allowed; give 0 (quiet) or 1 (a progress bar).")
    return bool(verbose)


def progress(items: Iterable[T], total: int, what: str, *, shown: bool) -> Iterator[T]:
    """Yield the items; if shown, with a bar that tells how many are done."""
    if not shown:
        yield from items
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PackageError(
            "verbose=1 shows a bar of tqdm, which is not installed. Hint: pip install tqdm, or verbose=0."
        ) from error
    with tqdm(items, total=total, desc=what) as bar:
        yield from bar
