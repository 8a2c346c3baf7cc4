"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from arboretum.errors import ParameterError

__all__ = ["write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that whoever looks at it finds the old one or the new one, never a part."""
    path = Path(path)
    if not path.parent.is_dir():
        raise ParameterError(
            f"path={str(path)!r} is in no folder that is there.\nHint: make {str(path.parent)!r} first."
        )
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
