"""Cells that are dates and times, written as ISO 8601 has them; other forms are noticed, not guessed.

Words: a *date* is 2024-03-01; an *instant* has a time besides, 2024-03-01T14:30 or with a space for the T,
with seconds and fractions if wished, and is *aware* if it ends in Z or an offset. Aware ones become UTC.
"""

from __future__ import annotations

from typing import Any, Final

from arboretum.tables.numbers import trim

__all__ = ["looks_like_odd_dates", "parse_dates"]

_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.([0-9]{1,9}))?)?"
_ZONE: Final = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_FINE: Final = r"\.[0-9]{7,9}"
# 31.12.2024 and 12/31/24, 2024/12/31, 31 Dec 2024; a time may follow.
_ODD: Final = (
    r"^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2}"
    r"|[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{2,4})(?:[ T].*)?$"
)


def parse_dates(cells: Any) -> Any | None:
    """Return a column of dates, or of instants if some have a time; None if some cell is neither.

    Instants with and without a time zone do not go together.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = trim(cells)
    if _all(texts, rf"^{_DATE}$"):
        return _cast(texts, pa.date32())
    if _all(texts, rf"^{_DATE}(?:{_TIME})?$"):
        unit = "ns" if pc.any(pc.match_substring_regex(texts, _FINE), min_count=0).as_py() else "us"
        return _cast(texts, pa.timestamp(unit))
    if _all(texts, rf"^{_DATE}{_TIME}{_ZONE}$"):
        unit = "ns" if pc.any(pc.match_substring_regex(texts, _FINE), min_count=0).as_py() else "us"
        return _cast(texts, pa.timestamp(unit, "UTC"))
    return None


def looks_like_odd_dates(cells: Any) -> bool:
    """Tell whether all cells look like dates of another form, such as 31.12.2024."""
    return _all(trim(cells), _ODD)


def _all(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(texts, pattern), min_count=1).as_py())


def _cast(texts: Any, kind: Any) -> Any | None:
    import pyarrow as pa

    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None
