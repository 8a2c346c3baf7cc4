"""Finding keys that occur twice, among keys that may have been chosen to make that slow.

Python's hashes of numbers are known: all multiples of 2**61 - 1 have the hash 0. A dict or set of such keys
takes time in proportion to the square of its size, so keys from a file are checked here first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from arboretum.errors import DataError

# At most 34 floats share a hash (1.0, 2.0**61, 2.0**122, …), and at most nine integers of 64 bits do.
_MOST_ALIKE: Final = 64


def first_repeated(keys: Sequence[Hashable], what: str) -> int | None:
    """Return the place of the first key that equals an earlier one, or None if all of them differ.

    Keys of which many differ and yet share one hash are refused; `what` names them.

    >>> first_repeated(["a", "b", "a"], "The levels")
    2
    >>> first_repeated([i * (2**61 - 1) for i in range(100)], "The levels")
    Traceback (most recent call last):
    arboretum.errors.DataError: The levels cannot be looked up quickly: more than 64 of them share one hash.
    """
    if _most_alike(keys) <= _MOST_ALIKE and len(set(keys)) == len(keys):
        return None
    by_hash: defaultdict[int, list[Hashable]] = defaultdict(list)
    for place, key in enumerate(keys):
        alike = by_hash[hash(key)]
        if key in alike:
            return place
        if len(alike) == _MOST_ALIKE:
            raise DataError(
                f"{what} cannot be looked up quickly: more than {_MOST_ALIKE} of them share one hash."
            )
        alike.append(key)
    return None


def _most_alike(keys: Sequence[Hashable]) -> int:
    """Return how many keys share the most common hash."""
    if len(keys) <= _MOST_ALIKE:
        return len(keys)
    hashes = np.sort(np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys)))
    changes = np.flatnonzero(np.diff(hashes)) + 1
    return int(np.diff(np.concatenate([[0], changes, [len(keys)]])).max())
