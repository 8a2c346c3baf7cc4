"""Tables as other libraries take them: columns of 0 and 1, categories of pandas, texts without None."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.preprocessing import OneHotEncoder

from .tables import Array, Table

__all__ = ["MOST_COLUMNS", "OneHot", "as_categories", "as_texts"]

# Of a nominal column; levels beyond that, the rarest, share one.
MOST_COLUMNS = 50


class OneHot:
    """One column of 0 and 1 per level that the training rows have, a missing level being one of them.

    A level that they do not have goes with the rare ones, or has 0 everywhere. Missing numbers stay missing.
    """

    def __init__(self, table: Table, train: Array) -> None:
        self.table = table
        self.numeric = [name for name in table.X if name not in table.nominal]
        self.encoder: OneHotEncoder | None = None
        if table.nominal:
            self.encoder = OneHotEncoder(
                handle_unknown="infrequent_if_exist", max_categories=MOST_COLUMNS, sparse_output=False
            ).fit(table.X.iloc[train][table.nominal])

    def encode(self, rows: Array) -> npt.NDArray[np.float32]:
        """Some rows as numbers."""
        some = self.table.X.iloc[rows]
        parts = [some[self.numeric].to_numpy(dtype=np.float64)]
        if self.encoder is not None:
            parts.append(self.encoder.transform(some[self.table.nominal]))
        return np.hstack(parts).astype(np.float32)


def as_categories(table: Table) -> pd.DataFrame:
    """Nominal columns as categories, which LightGBM takes for what they are."""
    X = table.X.astype(dict.fromkeys(table.nominal, "category"))
    return X.set_axis(plain_names(table), axis=1)


def as_texts(table: Table) -> pd.DataFrame:
    """A missing level is an empty text, as in YDF's own files."""
    X = table.X.fillna(dict.fromkeys(table.nominal, ""))
    return X.set_axis(plain_names(table), axis=1)


def plain_names(table: Table) -> list[str]:
    """Names without signs that some libraries refuse."""
    return [f"x{number}" for number in range(table.X.shape[1])]
