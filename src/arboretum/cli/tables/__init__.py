"""Tables in files: read in chunks, given their kinds, matched with a model, written. All need pyarrow."""

from arboretum.errors import PackageError

try:
    import pyarrow  # noqa: F401
except ImportError as _error:
    raise PackageError(
        "Reading files needs pyarrow, which is not installed. Hint: pip install 'arboretum[cli]'."
    ) from _error
