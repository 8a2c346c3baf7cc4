"""Tables of any data frame library, from plain columns: what loaders and generators share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, cast

import narwhals.stable.v2 as nw

from arboretum.errors import ParameterError, choices

_BACKENDS = ("pandas", "polars", "pyarrow")


def make_frame(
    columns: Mapping[str, Any],
    target: str,
    backend: str | None,
    levels: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Any, Any]:
    """Return a data frame of all columns but the target, and the target; some columns declare levels."""
    schema = {column: nw.Enum(list(declared)) for column, declared in (levels or {}).items()}
    backend = _choose_backend(backend)
    if backend == "pyarrow":
        schema = {}  # Arrow's dictionaries do not tell declared levels from observed ones
    frame = nw.from_dict(dict(columns), backend=cast(Any, backend)).with_columns(
        nw.col(c).cast(kind) for c, kind in schema.items()
    )
    X, y = frame.drop(target).to_native(), frame[target].to_native()
    if backend == "pandas":  # narwhals makes every enumeration ordered there
        X = X.assign(**{column: X[column].cat.as_unordered() for column in schema})
    return X, y


def _choose_backend(backend: str | None) -> Any:
    if backend is None:
        backend = next((name for name in _BACKENDS if find_spec(name) is not None), "")
        if not backend:
            raise ParameterError(
                "No data frame library is installed. Hint: pip install pandas, polars or pyarrow."
            )
    if backend not in _BACKENDS:
        raise ParameterError(choices("backend", backend, _BACKENDS))
    return backend
