"""arboretum: fast decision trees that are easy to read.

Read the packages in this order: _data, _tree, _options, _grow, _prune, estimators; the others stand on them.
The public names are listed in `__init__.pyi`. Each is loaded on first use, so importing is quick.
"""

from __future__ import annotations

import re as _re
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any

_LISTED = _re.compile(r"^from (arboretum\S*) import (?:(\w+) as \2|(\*)(?: .*)?)$", _re.MULTILINE)


def _homes(listed: _Path) -> dict[str, str]:
    """Return the module that each public name comes from, as a file lists them."""
    homes: dict[str, str] = {}
    text = __loader__.get_data(str(listed)).decode()  # the loader finds it in an archive as well
    for module, name, every in _LISTED.findall(text):
        package = _Path(__file__).parent.joinpath(*module.split(".")[1:])
        homes |= _homes(package / "__init__.py") if every else {name: module}
    return homes


_HOMES = _homes(_Path(__file__).with_suffix(".pyi"))
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        value: _Any = _version()
    elif name not in _HOMES:
        raise AttributeError(f"module 'arboretum' has no attribute {name!r}")
    elif _HOMES[name] == "arboretum":
        value = _import_module(f"arboretum.{name}")
    else:
        value = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import version

    return version("arboretum")


def __dir__() -> list[str]:
    return sorted(__all__)
