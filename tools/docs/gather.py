"""Find what belongs on the site: the pages, and the files that they show or link to.
Words: a page is a Markdown file, named by its path in the repository.
Does not read the text of pages, but for their links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "changelog.d/README.md"),
    *(
        "examples/README.md",
        "tests/parity/README.md",
        "tests/parity/data/weka/README.md",
        "docs/*.md",
        "benchmarks/*.md",
    ),
)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def list_pages() -> list[str]:
    """The pages, by their paths in the repository."""
    return sorted(path.relative_to(ROOT).as_posix() for glob in PAGES for path in ROOT.glob(glob))


def list_linked(pages: list[str]) -> list[str]:
    """The files that pages show or link to and that are no pages themselves."""
    linked = {path for page in pages for path in _links_of(page)}
    return sorted(linked - set(pages))


def _links_of(page: str) -> Iterator[str]:
    """The files of the repository that a page links to; MkDocs reports those that lead nowhere."""
    folder = (ROOT / page).parent
    for target in _LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        path = (folder / target).resolve()
        if "://" not in target and path.is_file() and path.is_relative_to(ROOT):
            yield path.relative_to(ROOT).as_posix()
