"""Fits on Dask clusters: memory, time and messages, beside the fit in memory and other libraries."""
