"""Clusters for the tests, on this machine alone."""

from __future__ import annotations

from typing import Any

__all__ = ["LOCAL"]

# By an address of this machine that needs no network: else Dask asks which address reaches the internet.
LOCAL: dict[str, Any] = {
    "threads_per_worker": 1,
    "dashboard_address": "127.0.0.1:0",
    "protocol": "tcp",
    "host": "127.0.0.1",
}
