"""Edits: changes made to a tree by hand, as a list that can be stored, read and replayed.

The path of an edit says which child leads to the node at each step from the root, in the tree as it was
before the edit. It means the same place in a tree grown from other data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from arboretum._wording import visible
from arboretum.errors import DataError

_ACTIONS: Final = ("prune", "replace", "regrow")
_DEEPEST: Final = 100_000


@dataclass(frozen=True)
class Edit:
    """One change: a subtree cut off ("prune"), another question asked ("replace"), or a subtree grown anew.

    >>> print(Edit("prune", (1, 0)))
    pruned at node 1.0
    >>> print(Edit("regrow", (), options={"max_depth": 2}))
    grown anew below the root with max_depth=2
    """

    action: str
    path: tuple[int, ...]
    question: str | None = None  # the new one, as text
    # Parameters of growth in JSON's own types; a mapping has no hash, and the rest tells edits apart well
    # enough.
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    @property
    def place(self) -> str:
        """The node in words."""
        return place_name(self.path)

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as a file stores it."""
        stored = {"action": self.action, "path": list(self.path), "question": self.question}
        return stored | {"options": dict(self.options)}

    @staticmethod
    def from_dict(listed: Any) -> Edit:
        """Return the edit that `to_dict` wrote; anything else is refused."""
        if not isinstance(listed, dict) or listed.get("action") not in _ACTIONS:
            raise DataError(f"The tree's edits hold something that is none of {', '.join(_ACTIONS)}.")
        path, question, options = listed.get("path"), listed.get("question"), listed.get("options")
        if not isinstance(path, list) or len(path) > _DEEPEST or not all(map(_is_step, path)):
            raise DataError("The tree's edits hold a path that is not a list of children.")
        if not isinstance(question, str | None) or not isinstance(options, dict | None):
            raise DataError("The tree's edits hold a question or options of a kind that is not allowed.")
        if (question is not None) != (listed["action"] == "replace"):
            raise DataError("The tree's edits hold a question where none is set, or lack one that is.")
        return Edit(listed["action"], tuple(path), question, options or {})

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        return Edit.from_dict, (self.to_dict(),)

    def __str__(self) -> str:
        match self.action:
            case "prune":
                return f"pruned at {self.place}"
            case "replace":
                return visible(f"asks {self.question} at {self.place}")
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return visible(f"grown anew below {self.place}{' with ' if options else ''}{options}")


def place_name(path: tuple[int, ...]) -> str:
    """Return a node in words: the numbers of the children from the root to it, counted from 0.

    >>> place_name((1, 0)), place_name(())
    ('node 1.0', 'the root')
    """
    return "the root" if not path else "node " + ".".join(map(str, path))


def _is_step(step: object) -> bool:
    return isinstance(step, int) and not isinstance(step, bool) and step >= 0
