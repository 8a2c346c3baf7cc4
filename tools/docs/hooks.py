"""What MkDocs does differently here: pages come from all over the repository and from docstrings.
Words: MkDocs calls the functions `on_…` by their names.
Does not decide which pages there are, see gather.py and reference/.
"""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from tools.docs.formulas import draw_formulas
from tools.docs.gather import ROOT, list_linked, list_pages
from tools.docs.link_names import link_names
from tools.docs.reference.pages import write_pages

SHIM = "node_modules/iframe-worker/shim/index.js"
# A session at the prompt; the lexer of plain Python would colour its answers as code.
_SESSION = re.compile(r"^(\s*)```python\n(?=\s*>>> )", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures of the repository, under the paths that they have there."""
    pages = list_pages()
    for path in [*pages, *list_linked(pages)]:
        files.append(_included(config, path, path))
    for path, text in write_pages().items():
        files.append(File.generated(config, path, content=text, inclusion=InclusionLevel.INCLUDED))
    files.append(_included(config, "javascripts/iframe-worker.js", SHIM))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Say of sessions that they are sessions."""
    return _SESSION.sub(r"\1```pycon\n", markdown)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Draw the formulas, and link the names in running text."""
    return link_names(draw_formulas(html), page.url)


def _included(config: MkDocsConfig, uri: str, path: str) -> File:
    """A file of the repository; hidden ones count as well, once a page links to them."""
    return File.generated(config, uri, abs_src_path=str(ROOT / path), inclusion=InclusionLevel.INCLUDED)
