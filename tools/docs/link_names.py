"""Link public names in running text to where the reference describes them.
Words: a name stands in code signs, perhaps with what it is called with: `export.to_sql(model)`, `Tree`.
Does not touch headings, links, or code on lines of its own.
"""

from __future__ import annotations

import re
from functools import cache

from mkdocs.utils import get_relative_url

from tools.docs.reference.pages import list_anchors

_KEPT = re.compile(r"(<(a|h[1-6]|pre)\b.*?</\2>)", re.DOTALL)
_NAMED = re.compile(r"<code>((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(\([^<]*\))?</code>")
# How texts call what they talk about.
_CALLED = {"arboretum.": "", "tree.": "Tree.", "node.": "Node.", "model.": "TreeClassifier."}


def link_names(page: str, url: str) -> str:
    """The HTML of a page at an address of the site, with links."""
    pieces = _KEPT.split(page)
    for i in range(0, len(pieces), 3):
        pieces[i] = _NAMED.sub(lambda match: _linked(match, url), pieces[i])
    return "".join(piece for i, piece in enumerate(pieces) if i % 3 != 2)


def _linked(match: re.Match[str], url: str) -> str:
    """A name with its link, or as it was. An ordinary word is a name only where it is called."""
    name, called = match[1], match[2]
    for start, meant in _CALLED.items():
        if name.startswith(start):
            name = meant + name.removeprefix(start)
            break
    target = _anchors().get(name)
    if target is None or not (called or "." in name or name[0].isupper()):
        return match[0]
    return f'<a class="name" href="{get_relative_url(target, url)}">{match[0]}</a>'


@cache
def _anchors() -> dict[str, str]:
    return list_anchors()
