"""A tree as one HTML file: an interactive page that needs no network.

A policy in the page allows its own script and style, by their hashes, and nothing else, so names from the
data cannot become code. Where no script may run, the page shows a still: a picture and the tree as text.

In a notebook, a sandboxed frame holds the page. What sanitizers keep of an untrusted output was looked up,
not guessed. JupyterLab (packages/apputils/src/sanitizer.ts) allows `div`, `img` and `class`, and does not
check where an image's `src` leads, so pictures inside the output are shown; it drops `style` with its
content, and `iframe`. So the style that hides the still goes together with the frame that replaces it.
Notebook 7 is built on JupyterLab; nbconvert keeps everything unless told to sanitize.
"""

from __future__ import annotations

import base64
import hashlib
import os
from html import escape
from typing import Any, Final

from arboretum._options.rules import OneOf
from arboretum._show.page.data import MAX_NODES, page_data
from arboretum._show.page.frame import framed
from arboretum._show.page.frame import safe_text as _text
from arboretum._show.page.script import joined_script, style
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.svg import picture_to_svg
from arboretum._show.picture.text_width import printable
from arboretum._show.scene import View
from arboretum._store.writing import write_text
from arboretum._tree.fitted import tree_of
from arboretum._tree.linear_models import models_of
from arboretum._tree.multi_tree import MultiTree, several_of
from arboretum._tree.tree import Tree
from arboretum._wording import many

_NODES_IN_TEXT: Final = 200
_NODES_IN_PICTURE: Final = 31
_NODES_IN_NOTEBOOK: Final = 1_000  # a notebook stores every output
_HEIGHT: Final = 700
_CLASS: Final = "arboretum-still"
_FRAME: Final = "arboretum-page"
# The page in a frame takes the scheme of its frame for what the reader prefers: that of JupyterLab, then.
_SCHEMES: Final = "".join(
    f' body[data-jp-theme-light="{light}"] .{_FRAME} {{ color-scheme: {scheme}; }}'
    for light, scheme in (("true", "light"), ("false", "dark"))
)
_NOT_WIDER: Final = ' style="max-width: 100%; height: auto;"'


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

    The page shows the tree as a tree, an icicle or a table of rules, with a panel for the selected node, and
    a slider along the pruning path if the model has one. It needs no network and no other file, and works
    with a keyboard and a screen reader.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> page = to_html(TreeClassifier().fit(X, y), data=(X, y), title="Which iris is it?")
    >>> page.startswith("<!doctype html>") and "<title>Which iris is it?</title>" in page
    True

    Parameters
    ----------
    model : a fitted tree estimator, or a Tree; of several outputs, the reader chooses which one to look at
    path : a file to write, too; an existing file is replaced as a whole or not at all
    data : (X, y) or (X, y, sample_weight), or several of them by name, as {"training": …, "test": …}
        Rows to count in the nodes; the values of the first table are drawn, too. Of several outputs, y is a
        table of them all.
    row : one row, as a table, a mapping, a list or a series
        Its path is marked in the tree, and explained in the panel.
    title : text above the tree
    max_nodes : the largest number of nodes on the page
        For a larger tree, the page begins further along the pruning path; if the model's own tree is larger,
        the page leaves out its lightest nodes and counts them.
    theme : {"auto", "light", "dark"}
        "auto" is what the reader's system prefers; the page has a switch.
    """
    OneOf(("auto", "light", "dark")).read(theme, "theme")
    told = page_data(model, data=data, row=row, title=title, max_nodes=max_nodes)
    page = page_html(told, _shown(model, "to_html()"), theme)
    if path is not None:
        write_text(path, page)
    return page


def _shown(model: Any, asker: str, *, models: bool = False) -> Tree | MultiTree:
    """Return the tree of a model, also that of several outputs."""
    return several_of(model) or tree_of(model, asker, models=models)


def page_html(told: dict[str, Any], tree: Tree | MultiTree, theme: str = "auto") -> str:
    """Return the page for the result of `page_data`; the still shows the tree."""
    body = f'<main id="arboretum">{_still(told, tree)}</main>'
    return framed(told["title"], body, told, joined_script(), style(), theme)


def _still(told: dict[str, Any], tree: Tree | MultiTree) -> str:
    """Return what is shown until the script starts, and where none may run."""
    title, subtitle = _text(told["title"]), _text(told["subtitle"])
    lines = _text(tree.to_text(max_nodes=_NODES_IN_TEXT))
    words = _row_words(told["row"]) if told["row"] else ""
    return f"<h1>{title}</h1><p>{subtitle}</p>{words}{still_image(tree, title)}<pre>{lines}</pre>"


def _row_words(row: dict[str, Any]) -> str:
    """Return the path of the row in words."""
    reasons = "".join(f"<li>{_text(sentence)}</li>" for sentence in row["sentences"] if sentence)
    return f"<h2>The way of the row</h2><ol>{reasons}</ol><p>{_text(row['conclusion'])}</p>"


def still_image(tree: Tree | MultiTree, words: str, attributes: str = "") -> str:
    """Return an image of the heaviest nodes of a tree; `words`, escaped, describe it."""
    picture = draw_tree(tree, View(max_nodes=_NODES_IN_PICTURE), asker="to_html()")
    # An image can neither run nor fetch anything, and the page's policy does not look inside.
    code = base64.b64encode(picture_to_svg(picture).encode("utf-8")).decode("ascii")
    return f'<img alt="{words}"{attributes} src="data:image/svg+xml;base64,{code}">'


def in_frame(page: str) -> str:
    """Return a page as the `srcdoc` of a frame.

    In ASCII alone: a browser that has to guess the encoding of what is around the frame must not change the
    style and the script, which the page's policy knows by their hashes.
    """
    return escape(page).encode("ascii", "xmlcharrefreplace").decode("ascii")


def notebook_html(model: Any) -> str:
    """Return the output of a fitted estimator or a tree in a notebook."""
    asker = "_repr_html_()"
    tree = _shown(model, asker, models=True)
    if isinstance(tree, Tree) and models_of(tree) is not None:  # the page would say one number for each leaf
        return f"<pre>{escape(str(tree))}</pre>"
    told = page_data(model, max_nodes=_NODES_IN_NOTEBOOK, asker=asker)
    words = escape(printable(f"{told['title']}: {many(tree.n_leaves, 'leaf')}; {told['subtitle']}"))
    page = in_frame(page_html(told, tree))
    # A unique name, so that the style of a trusted output hides no other output's still.
    name = f"{_CLASS}-{hashlib.blake2b(page.encode(), digest_size=6).hexdigest()}"
    return (
        f'<div class="{name}">{still_image(tree, words, _NOT_WIDER)}</div>'
        f"<style>.{name} {{ display: none; }}{_SCHEMES}</style>"
        f'<iframe class="{_FRAME}" title="{words}" sandbox="allow-scripts" loading="lazy" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 0;" srcdoc="{page}"></iframe>'
    )
