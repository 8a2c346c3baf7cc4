"""Proximities: in what share of the trees two rows share a leaf."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import sparse

from arboretum._types import Codes, Numbers
from arboretum.errors import DataError

_MOST_BYTES: Final = 4 * 2**30
_ROWS_AT_A_TIME: Final = 500


def shared_leaves(leaves: Codes, others: Codes) -> Numbers:
    """Return in what share of the trees each row is in the leaf of each other row; leaves are rows × trees.

    >>> shared_leaves(np.array([[1, 2], [1, 4]]), np.array([[1, 2], [3, 4]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    n_bytes = 8.0 * len(leaves) * len(others)
    if n_bytes > _MOST_BYTES:
        raise DataError(
            f"proximities() would return {len(leaves):,} by {len(others):,} numbers, which take "
            f"{n_bytes / 2**30:,.1f} GB; the limit is {_MOST_BYTES / 2**30:g} GB.\nHint: give fewer rows."
        )
    n_trees = leaves.shape[1]
    widest = 1 + max(int(found.max(initial=0)) for found in (leaves, others))
    mine, theirs = (_indicators(found, widest) for found in (leaves, others))
    shares = np.empty((len(leaves), len(others)))
    columns = theirs.T.tocsr()
    for begin in range(0, len(leaves), _ROWS_AT_A_TIME):
        some = slice(begin, begin + _ROWS_AT_A_TIME)
        shares[some] = (mine[some] @ columns).toarray() / n_trees
    return shares


def _indicators(leaves: Codes, widest: int) -> sparse.csr_matrix:
    """Return rows × leaves of all trees, 1 where the row is in the leaf."""
    n_rows, n_trees = leaves.shape
    places = (leaves.astype(np.int64) + widest * np.arange(n_trees)).ravel()
    begin = np.arange(n_rows + 1) * n_trees
    return sparse.csr_matrix((np.ones(len(places)), places, begin), shape=(n_rows, widest * n_trees))
