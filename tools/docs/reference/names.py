"""The public names: what they stand for, and what belongs to a class.
Words: a name has dots as users type it, such as `export.to_sql` or `Tree.to_json`.
Does not write any text.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import arboretum
from arboretum import MultiTree, Node, Tree
from tools.docs.reference.groups import GROUPS

APART: Final = ("dask",)  # public modules that `import arboretum` does not offer: they need an extra
TREES: Final = (Tree, MultiTree, Node)  # fits and files make them; their properties say what they hold


def value_of(name: str) -> Any:
    """What a name stands for."""
    return reduce(getattr, name.split("."), arboretum)


def public_names() -> set[str]:
    """Every name that users can import, with those of public modules."""
    names = set()
    for name in (*arboretum.__all__, *APART):
        value = import_module(f"arboretum.{name}") if name in APART else getattr(arboretum, name)
        names |= {f"{name}.{inner}" for inner in value.__all__} if isinstance(value, ModuleType) else {name}
    return names - {"__version__"}


def documented_names() -> list[str]:
    """The names on the pages, with the methods and attributes of classes."""
    names = [name for group in GROUPS for name in group.names]
    return [*names, *(f"{name}.{member}" for name in names for member in members_of(value_of(name)))]


def members_of(value: Any) -> Iterator[str]:
    """The methods, properties and fitted attributes of a class of ours; nothing for other values."""
    if not inspect.isclass(value):
        return
    for name in sorted(dir(value), key=lambda name: (not _is_method(value, name), name)):
        if name.endswith("_request"):
            continue  # scikit-learn makes these, for its routing of weights
        owner = next(cls for cls in value.__mro__ if name in vars(cls)) if name[0] != "_" else object
        if owner.__module__.startswith("arboretum") and (
            _is_method(value, name) or _is_property(value, name)
        ):
            yield name


def inherited_members(value: Any) -> list[str]:
    """The methods that come from scikit-learn."""
    own = set(members_of(value)) if hasattr(value, "get_params") else set(dir(value))
    return [name for name in dir(value) if name[0] != "_" and _is_method(value, name) and name not in own]


def fields_of(value: Any) -> list[str]:
    """The public fields of a class that holds a result."""
    names = {} if value in TREES else getattr(value, "__dataclass_fields__", {})
    return [name for name in names if not name.startswith("_")]


def is_result(value: Any) -> bool:
    """Whether a class holds what a function returns: users read its fields and do not make it."""
    if not inspect.isclass(value) or hasattr(value, "get_params"):
        return False
    return bool(fields_of(value)) or value in TREES


def _is_method(value: Any, name: str) -> bool:
    return inspect.isroutine(getattr(value, name))


def _is_property(value: Any, name: str) -> bool:
    kinds = ("property", "cached_property", "Kept")  # the last: a fitted attribute
    return type(inspect.getattr_static(value, name)).__name__ in kinds
