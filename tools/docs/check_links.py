"""Follow every link of the built site: python -m tools.docs.check_links build/site
Words: a link leads to a file of the site or to an anchor in one; a page loads what browsers fetch unasked.
Does not ask other sites: their addresses may be named, but nothing may be loaded from them.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The anchors of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag says."""
        for name, value in attrs:
            if value is None:
                continue
            if name in {"id", "name"}:
                self.anchors.add(value)
            elif (tag, name) in _LOADS:
                self.loads.add(value)
            elif name == "href":
                self.links.add(value)


def find_faults(site: Path) -> list[str]:
    """What is wrong with the links of a site, a sentence each."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        faults += [f"{name} loads {url}" for url in sorted(page.loads) if urlsplit(url).netloc]
        for url in sorted(page.links | page.loads):
            fault = _fault_of(path, url, pages)
            if fault:
                faults.append(f"{name} links to {url}, {fault}")
    return faults


def _fault_of(path: Path, url: str, pages: dict[Path, Page]) -> str:
    """What is wrong with one link, or nothing."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc or path.name == "404.html":
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "which is not there"
    known = pages[target].anchors if target in pages else set()
    if parts.fragment and unquote(parts.fragment) not in known and not parts.fragment.startswith("__"):
        return "where there is no such anchor"
    return ""


def main() -> None:
    """Check the site that the command line names."""
    site = Path(sys.argv[1])
    faults = find_faults(site)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(list(site.rglob('*.html')))} pages in {site}, and every link leads somewhere")


if __name__ == "__main__":
    main()
