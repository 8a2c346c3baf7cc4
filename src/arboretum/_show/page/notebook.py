"""A tree in a notebook: the interactive page in a sandboxed frame, or a still picture without frames.

What sanitizers keep of an untrusted output was looked up, not guessed. JupyterLab
(packages/apputils/src/sanitizer.ts) allows `div`, `img` and `class`, and does not check where an image's
`src` leads, so pictures inside the output are shown; it drops `style` with its content, and `iframe`. So the
style that hides the still goes together with the frame that replaces it. Notebook 7 is built on JupyterLab;
nbconvert keeps everything unless told to sanitize.
"""

from __future__ import annotations

import hashlib
from html import escape
from typing import Any, Final

from arboretum._show.page.data import page_data
from arboretum._show.page.html import page_html, still_image
from arboretum._show.picture.text_width import printable
from arboretum._tree.fitted import tree_of
from arboretum._wording import many

_MAX_NODES: Final = 1_000  # a notebook stores every output
_HEIGHT: Final = 700
_CLASS: Final = "arboretum-still"
_NOT_WIDER: Final = ' style="max-width: 100%; height: auto;"'


def notebook_html(model: Any) -> str:
    """Return the output of a fitted estimator or a tree in a notebook."""
    asker = "_repr_html_()"
    tree = tree_of(model, asker)
    told = page_data(model, max_nodes=_MAX_NODES, asker=asker)
    words = escape(printable(f"{told['title']}: {many(tree.n_leaves, 'leaf')}; {told['subtitle']}"))
    page = escape(page_html(told, tree))
    # A unique name, so that the style of a trusted output hides no other output's still.
    name = f"{_CLASS}-{hashlib.blake2b(page.encode(), digest_size=6).hexdigest()}"
    return (
        f'<div class="{name}">{still_image(tree, words, _NOT_WIDER)}</div>'
        f"<style>.{name} {{ display: none; }}</style>"
        f'<iframe title="{words}" sandbox="allow-scripts" loading="lazy" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 0;" srcdoc="{page}"></iframe>'
    )
