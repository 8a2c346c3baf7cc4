"""The one script of the page, ES modules of view/ joined, each after those that it imports; and its style.

Joining drops `import … from "./x.js";` and the word `export`, so names at the top of modules must differ; a
module that cannot be joined this way is refused. Nothing is minified: what is in the page can be read there.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

_START: Final = "main.js"
# In this order: of two rules that fit as well, the later one counts; rules for kinds of windows are last.
_SHEETS: Final = (
    "page",
    "controls",
    "tools",
    "tree",
    "icicle",
    "tables",
    "rules",
    "outputs",
    "panel",
    "distributions",
    "pruning",
    "help",
    "windows",
)
_IMPORT: Final = re.compile(
    r'^import\s[^;"]*?\sfrom\s+"\./([\w-]+\.js)";[ \t]*\n|^import\s+"\./([\w-]+\.js)";[ \t]*\n', re.M
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|class\b|const\b|let\b)", re.M)
_NOTHING: Final = re.compile(r"^export \{\};[ \t]*\n", re.M)
# What the patterns above do not cover, and what would end the element around the script.
_UNJOINABLE: Final = re.compile(r"^(?:import\s|export\b).*|^import\s[^;]*\sas\s.*|</script|<!--", re.M | re.I)


def view_file(name: str) -> str:
    """Return the text of one file of view/."""
    return files("arboretum._show.page").joinpath("view", name).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style sheet of the page."""
    return "\n".join(view_file(f"{name}.css") for name in _SHEETS)


@cache
def joined_script() -> str:
    """Return all modules that the first one needs, as one script."""
    order: list[str] = []
    _visit(_START, order, set())
    return "\n".join(_bare(name, view_file(name)) for name in order)


def _visit(name: str, order: list[str], seen: set[str]) -> None:
    """Append a module to the order, after those that it imports."""
    if name in seen:
        return
    seen.add(name)
    for found in _IMPORT.finditer(view_file(name)):
        _visit(found[1] or found[2], order, seen)
    order.append(name)


def _bare(name: str, text: str) -> str:
    """Return a module without its imports and exports.

    >>> _bare("a.js", 'import { b } from "./b.js";\\nexport const a = b + 1;\\n')
    'const a = b + 1;\\n'
    """
    for found in _IMPORT.finditer(text):
        if re.search(r"\sas\s|\*", found[0]):
            raise ValueError(f"{name} renames what it imports, which cannot be joined: {found[0].strip()}")
    bare = _NOTHING.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))
    if left := _UNJOINABLE.search(bare):
        raise ValueError(f"{name} cannot be joined with the other modules: {left[0]}")
    return bare
