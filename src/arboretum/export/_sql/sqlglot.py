"""sqlglot's expressions, imported when one is first used: the package is optional."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arboretum.errors import PackageError

if TYPE_CHECKING:
    from sqlglot import exp
else:

    class _Expressions:
        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module("sqlglot.expressions"), name)
            setattr(self, name, found)
            return found

    exp = _Expressions()

__all__ = ["exp", "require_sqlglot"]


def require_sqlglot(asker: str) -> None:
    """Refuse to go on where sqlglot is not installed."""
    try:
        import_module("sqlglot")
    except ImportError as error:
        raise PackageError(
            f"{asker} needs sqlglot, which is not installed.\nHint: pip install 'arboretum[export]'."
        ) from error
