"""A document: a title and blocks of text."""

from __future__ import annotations

from dataclasses import dataclass

from arboretum._show.document.blocks import Block
from arboretum._show.document.html import to_html, write_body
from arboretum._show.document.latex import to_latex
from arboretum._show.document.markdown import to_markdown


@dataclass(frozen=True)
class Document:
    """A title and its blocks; printed as Markdown."""

    title: str
    blocks: tuple[Block, ...]

    def to_markdown(self) -> str:
        """Return the document as Markdown."""
        return to_markdown(self.title, self.blocks)

    def to_latex(self) -> str:
        """Return the document as LaTeX: a whole file for pdflatex."""
        return to_latex(self.title, self.blocks)

    def to_html(self, *, theme: str = "auto") -> str:
        """Return the document as a page that needs no network; `theme` is "auto", "light" or "dark"."""
        return to_html(self.title, self.blocks, theme)

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return write_body(self.title, self.blocks)
