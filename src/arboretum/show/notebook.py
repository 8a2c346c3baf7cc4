"""A tree in a notebook: the interactive page in a frame, and a still picture where frames are not allowed.

Words: a *frame* shows the page apart from the notebook: its script runs in a sandbox, and sees nothing of the
notebook or of other outputs. Where a notebook is not *trusted*, its outputs are *sanitized*, and the *still*
remains.

What sanitizers keep was looked up, not guessed. JupyterLab (packages/apputils/src/sanitizer.ts) allows `div`,
`img` and `class`, and does not check where an image's `src` leads, so that pictures inside the output are
shown; it drops `style` with what is in it, and `iframe`. So the style that hides the still goes together with
the frame that replaces it. Notebook 7 is built on JupyterLab; nbconvert keeps everything unless told to
sanitize. Does not know any notebook: it only returns text.
"""

from __future__ import annotations

import hashlib
from html import escape
from typing import Any, Final

from arboretum.fitted import tree_of
from arboretum.plurals import many
from arboretum.show.html import page_html, still_image
from arboretum.show.page_data import page_data
from arboretum.show.text_width import printable

__all__ = ["notebook_html"]

_MAX_NODES: Final = 1_000  # a notebook keeps every output that it shows
_HEIGHT: Final = 700
_CLASS: Final = "arboretum-still"
_NOT_WIDER: Final = ' style="max-width: 100%; height: auto;"'


def notebook_html(model: Any) -> str:
    """Return what a notebook shows of a fitted estimator or a tree."""
    asker = "_repr_html_()"
    tree = tree_of(model, asker)
    told = page_data(model, max_nodes=_MAX_NODES, asker=asker)
    words = escape(printable(f"{told['title']}: {many(tree.n_leaves, 'leaf')}; {told['subtitle']}"))
    page = escape(page_html(told, tree))
    # A name of its own, so that the style of an output that is trusted hides no other output's still.
    name = f"{_CLASS}-{hashlib.blake2b(page.encode(), digest_size=6).hexdigest()}"
    return (
        f'<div class="{name}">{still_image(tree, words, _NOT_WIDER)}</div>'
        f"<style>.{name} {{ display: none; }}</style>"
        f'<iframe title="{words}" sandbox="allow-scripts" loading="lazy" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 0;" srcdoc="{page}"></iframe>'
    )
