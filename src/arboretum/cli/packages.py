"""Packages that only some commands need: asked for when they are needed, missed in one sentence."""

from __future__ import annotations

from importlib.util import find_spec

from arboretum.errors import PackageError

__all__ = ["require"]


def require(package: str, what: str, extra: str) -> None:
    """Refuse what needs a package that is not there, and say how to get it."""
    if find_spec(package) is None:
        raise PackageError(
            f"{what} needs {package}, which is not installed. Hint: pip install 'arboretum[{extra}]'."
        )
