"""The tree itself: the interactive page in a frame, and a picture of it on paper."""

from __future__ import annotations

import base64
from html import escape

from arboretum._report.blocks import paragraph
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.subject import ASKER, Subject
from arboretum._show.page.data import page_data
from arboretum._show.page.html import in_frame, page_html
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.svg import picture_to_svg
from arboretum._show.picture.text_width import printable
from arboretum._show.scene import View
from arboretum._tree.tree import Tree
from arboretum._wording import many

_MOST_NODES = 4_000  # of the page in the frame
_IN_PICTURE = 31


def write(evidence: Evidence) -> str:
    """Return the section."""
    subject = evidence.subject
    tree = subject.tree
    told = page_data(
        subject.model,
        data=_rows(subject),
        title=evidence.options.title,
        max_nodes=_MOST_NODES,
        asker=ASKER,
    )
    page = page_html(told, tree, evidence.options.theme)
    words = escape(printable(f"The tree: {many(tree.n_leaves, 'leaf')}; {told['subtitle']}"))
    frame = (
        f'<iframe class="tree" title="{words}" sandbox="allow-scripts" srcdoc="{in_frame(page)}"></iframe>'
    )
    part = f", of which it shows the {_IN_PICTURE} with most rows" if len(tree) > _IN_PICTURE else ""
    on_paper = paragraph(f"The picture shows the tree of {many(len(tree), 'node')}{part}.", "on-paper")
    lead = (
        "Choose a node to see its rule, its rows and what else it could have asked. The "
        "slider shows the tree "
        "at other sizes; the views show it as strips and as a list of rules."
    )
    return (
        paragraph(lead, "on-screen")
        + f'<div class="on-screen">{frame}</div>'
        + f'<div class="on-paper">{_picture(tree, words)}</div>{on_paper}'
    )


def _picture(tree: Tree, words: str) -> str:
    """Return a picture for paper: to the right a tree has room, and its text stays large enough to read."""
    drawn = draw_tree(tree, View(max_nodes=_IN_PICTURE), direction="right", asker=ASKER)
    code = base64.b64encode(picture_to_svg(drawn).encode("utf-8")).decode("ascii")
    return f'<img alt="{words}" src="data:image/svg+xml;base64,{code}">'


def _rows(subject: Subject) -> object:
    """Return the table with its truths, for the page to count."""
    if subject.truth is None:
        return None
    return {"this table": (subject.X, subject.labels, subject.weight)}
