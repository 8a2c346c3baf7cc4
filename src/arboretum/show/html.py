"""A tree as one HTML file: an interactive page that asks the network for nothing.

Words: the *page* is the file; its *data block* holds what page_data.py tells, its *still* what is shown where
no script may run: a picture and the tree as text. A *policy* in the page allows its own script and style, by
their hashes, and nothing else: names from the data cannot become code.
What the page can do is written in show/view, in JavaScript.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html import escape
from typing import Any, Final

from arboretum.errors import ParameterError, choices
from arboretum.fitted import tree_of
from arboretum.show.page_data import MAX_NODES, page_data
from arboretum.show.page_script import joined_script, style
from arboretum.show.picture import draw_tree
from arboretum.show.scene import View
from arboretum.show.svg import picture_to_svg
from arboretum.show.text import to_text
from arboretum.tree import Tree
from arboretum.writing import write_text

__all__ = ["json_block", "page_html", "still_image", "to_html"]

_THEMES: Final = ("auto", "light", "dark")
_NODES_IN_TEXT: Final = 200
_NODES_IN_PICTURE: Final = 31
# Nothing of these can end the element, begin a comment, or stand in a script as a line break.
_ESCAPED: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_LONE: Final = re.compile("[\ud800-\udfff]")  # halves of characters, which no file can hold


def to_html(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    data: Any = None,
    row: Any = None,
    title: str | None = None,
    max_nodes: int = MAX_NODES,
    theme: str = "auto",
) -> str:
    """Return an interactive page of a fitted estimator or a tree as the text of one HTML file.

    The page shows the tree, as a tree, an icicle or a table of rules, with a panel for the node that is
    chosen, and with a slider along the pruning path where the model has one. It needs no network and no
    other file, and works by keyboard and with a screen reader.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> page = to_html(TreeClassifier().fit(X, y), data=(X, y), title="Which iris is it?")
    >>> page.startswith("<!doctype html>") and "<title>Which iris is it?</title>" in page
    True

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the page, if it is to be written; a file that is there is replaced at once or not
    data : (X, y) or (X, y, sample_weight), or several of them by name, as {"training": …, "test": …}
        Rows that are counted in the nodes; the first of them also have their values drawn.
    row : one row, as a table, a mapping, a list or a series
        Its way is marked in the tree, and told in the panel with the reasons.
    title : what stands above the tree
    max_nodes : the most nodes that the page holds
        A page of a larger tree begins further along the pruning path; where the tree itself is larger, its
        lightest nodes are left out and counted.
    theme : {"auto", "light", "dark"}
        "auto" is what the reader's system prefers; the page has a switch.
    """
    if theme not in _THEMES:
        raise ParameterError(choices("theme", theme, _THEMES))
    told = page_data(model, data=data, row=row, title=title, max_nodes=max_nodes)
    page = page_html(told, tree_of(model, "to_html()"), theme)
    if path is not None:
        write_text(path, page)
    return page


def page_html(told: dict[str, Any], tree: Tree, theme: str = "auto") -> str:
    """Return the page for what `page_data` tells; the tree is the one of its still."""
    script, css = joined_script(), style()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(css)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    fixed = "" if theme == "auto" else f' data-theme="{theme}"'
    scheme = "light dark" if theme == "auto" else theme
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"{fixed}>',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="color-scheme" content="{scheme}">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{_text(told['title'])}</title>",
            f"<style>{css}</style>",
            "</head>",
            "<body>",
            f'<main id="arboretum">{_still(told, tree)}</main>',
            f'<script type="application/json" id="arboretum-data">{json_block(told)}</script>',
            f'<script type="module">{script}</script>',
            "</body>",
            "</html>",
            "",
        ]
    )


def json_block(told: Any) -> str:
    """Return JSON that may stand in a page: nothing in it can end the element that holds it.

    >>> json_block({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.translate(_ESCAPED))


def _hash(text: str) -> str:
    """Return a text as a policy names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _text(text: str) -> str:
    return escape(_LONE.sub("\N{REPLACEMENT CHARACTER}", text))


def _still(told: dict[str, Any], tree: Tree) -> str:
    """What is shown until the script has begun, and where none may run."""
    title, subtitle = _text(told["title"]), _text(told["subtitle"])
    lines = _text(to_text(tree, max_nodes=_NODES_IN_TEXT))
    way = _way(told["row"]) if told["row"] else ""
    return f"<h1>{title}</h1><p>{subtitle}</p>{way}{still_image(tree, title)}<pre>{lines}</pre>"


def _way(row: dict[str, Any]) -> str:
    """The way of the row in words."""
    reasons = "".join(f"<li>{_text(sentence)}</li>" for sentence in row["sentences"] if sentence)
    return f"<h2>The way of the row</h2><ol>{reasons}</ol><p>{_text(row['conclusion'])}</p>"


def still_image(tree: Tree, words: str, attributes: str = "") -> str:
    """Return an element that shows the heaviest nodes of a tree; `words`, escaped, tell what it shows."""
    picture = draw_tree(tree, View(max_nodes=_NODES_IN_PICTURE), asker="to_html()")
    # Of an image nothing can run or be fetched, and the policy of the page does not look inside.
    code = base64.b64encode(picture_to_svg(picture).encode("utf-8")).decode("ascii")
    return f'<img alt="{words}"{attributes} src="data:image/svg+xml;base64,{code}">'
