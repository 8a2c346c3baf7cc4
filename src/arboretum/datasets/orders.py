"""A generator of rows to be put in an order within queries."""

from __future__ import annotations

from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._options.rules import Real, Whole
from arboretum._options.running import random_source
from arboretum.datasets.frames import make_frame

_GRADES: Final = (0.7, 0.85, 0.95)  # quantiles of the utility at which a row gets one grade more
_MARKETS: Final = ("books", "films", "games", "music")
_TELLING: Final = 6  # columns that tell something about the utility


def make_ranking(
    n_queries: int = 100,
    rows_per_query: int = 20,
    n_noise_columns: int = 4,
    *,
    noise: float = 1.0,
    query_effect: float = 1.0,
    position_noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any, Any]:
    """Return a table to learn an order from: columns, the relevance of each row (0 to 3), and its query.

    The usefulness of a row is a function of the columns x0 to x4 with a step, a cross of two columns and a
    wave, plus what its market (a nominal column) adds, plus `noise`. Thresholds on it give the relevance.

    Parameters
    ----------
    n_queries : int
    rows_per_query : int
        The mean number of rows; each query has between half and one and a half times as many.
    n_noise_columns : int
        Columns that tell nothing, `noise0` and so on.
    noise : float
        The standard deviation of what no column tells.
    query_effect : float
        How much rows of one query have in common that does not matter within it. Some queries have many
        relevant rows, others few. The column `demand` says which they are, and x0 contains some of it, so
        that a model that does not compare within queries is led astray.
    position_noise : float
        Rows were shown in an order that only x0 decides, and judged by those who looked far enough: at place
        p, a relevance is kept with the chance p ** -position_noise, and is 0 otherwise.
    random_state : int, RandomState or None
        As in `TreeRanker`; the same seed makes the same table.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library whose data frame is returned.

    >>> X, relevance, queries = make_ranking(n_queries=2, rows_per_query=3, random_state=0)
    >>> len(X) == len(relevance) == len(queries)
    True
    """
    Whole(1).read(n_queries, "n_queries")
    Whole(1).read(rows_per_query, "rows_per_query")
    Whole(0).read(n_noise_columns, "n_noise_columns")
    for name, value in (("noise", noise), ("query_effect", query_effect), ("position_noise", position_noise)):
        Real("a number of 0 or more", finite=True).read(value, name)
    random = random_source(random_state)
    least, most = max(1, rows_per_query // 2), rows_per_query + rows_per_query // 2
    sizes = random.randint(least, most + 1, size=n_queries)
    query = np.repeat(np.arange(n_queries), sizes)
    n_rows = len(query)
    demand = random.normal(size=n_queries)[query]
    x = random.normal(size=(n_rows, _TELLING - 1))
    x[:, 0] += 0.7 * query_effect * demand
    market = random.randint(len(_MARKETS), size=n_rows)
    crossed = np.where(x[:, 1] > 0, x[:, 2], -x[:, 2])
    useful = (
        1.5 * (x[:, 0] - 0.7 * query_effect * demand)
        + crossed
        + (x[:, 3] > 0.5)
        + np.sin(2.0 * x[:, 4])
        + np.array([0.0, 0.5, 1.0, 1.5])[market]
        + noise * random.normal(size=n_rows)
        + 2.0 * query_effect * demand
    )
    relevance = np.searchsorted(np.quantile(useful, _GRADES), useful, side="right")
    shown = np.lexsort((-x[:, 0] - random.normal(size=n_rows), query))
    place = np.empty(n_rows)
    place[shown] = np.arange(n_rows) - (np.cumsum(sizes) - sizes)[query] + 1.0
    relevance = np.where(random.uniform(size=n_rows) < place**-position_noise, relevance, 0)
    columns = {f"x{i}": x[:, i] for i in range(x.shape[1])}
    columns |= {f"noise{i}": random.normal(size=n_rows) for i in range(n_noise_columns)}
    told: dict[str, Any] = {
        **columns,
        "demand": demand + 0.3 * random.normal(size=n_rows),
        "market": [_MARKETS[i] for i in market.tolist()],
        "query": [f"q{number}" for number in query.tolist()],
        "relevance": relevance,
    }
    X, y = make_frame(told, "relevance", backend)
    table = nw.from_native(X, eager_only=True)
    return table.drop("query").to_native(), y, table["query"].to_native()
