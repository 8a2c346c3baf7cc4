"""What scikit-learn's scores refuse, in an error of ours: a truth that does not fit the predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arboretum.errors import ArboretumError, DataError, DataTypeError

__all__ = ["comparing"]


@contextmanager
def comparing() -> Iterator[None]:
    """Let what a score refuses be an error of ours."""
    try:
        yield
    except ArboretumError:
        raise
    except (ValueError, TypeError) as error:
        kind = DataTypeError if isinstance(error, TypeError) else DataError
        said = " ".join(str(error).split()).rstrip(".")
        raise kind(f"y cannot be compared with the predictions: {said}.") from error
