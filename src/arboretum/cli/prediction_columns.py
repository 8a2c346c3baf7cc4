"""Columns of predictions beside the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arboretum.dataset import Unknown
    from arboretum.tables.exact_parts import Part

__all__ = ["with_predictions"]


def with_predictions(
    kept: Any, fitted: Any, parts: Sequence[Part], added: Sequence[str], unknown: Unknown = "missing"
) -> Any:
    """Return the columns that are kept, and beside them predictions and, if named, probabilities."""
    import pyarrow as pa

    from arboretum.tables.exact_parts import in_order

    columns = dict(zip(kept.column_names, kept.columns, strict=True))
    columns[added[0]] = _column(in_order(parts, [fitted.predict(part.X, unknown=unknown) for part in parts]))
    if len(added) > 1:
        probability = in_order(parts, [fitted.predict_proba(part.X) for part in parts])
        columns |= {name: _column(probability[:, place]) for place, name in enumerate(added[1:])}
    return pa.table(columns)


def _column(values: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    plain = np.ascontiguousarray(values) if values.dtype.kind in "Uifb" else values.tolist()
    return pa.chunked_array([pa.array(plain)])
