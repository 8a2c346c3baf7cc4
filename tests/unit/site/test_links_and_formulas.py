"""The tools of the documentation site: faulty links are found, formulas drawn, all pages come along."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs.check_links import find_faults
from tools.docs.formulas import draw_formulas
from tools.docs.gather import ROOT, list_linked, list_pages

GOOD = '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a><a href="https://example.org">out</a>'
B = '<h1 id="there">B</h1><img src="dot.svg"><a href="folder/">folder</a>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of three pages and a picture, without a fault."""
    (tmp_path / "folder").mkdir()
    for name, text in {"a.html": GOOD, "b.html": B, "folder/index.html": "", "dot.svg": ""}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_good_links_are_silent(site: Path) -> None:
    """Pages, anchors, folders and other sites may be linked to."""
    assert find_faults(site) == []


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ('<a href="c.html">', "a.html links to c.html, which is not there"),
        ('<a href="b.html#here">', "a.html links to b.html#here, where there is no such anchor"),
        ('<img src="lost.png">', "a.html links to lost.png, which is not there"),
        ('<script src="https://example.org/x.js"></script>', "a.html loads https://example.org/x.js"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "a.html loads //example.org/x.css"),
    ],
)
def test_faults_are_found(site: Path, link: str, fault: str) -> None:
    """Each is one sentence that names the page and the link."""
    (site / "a.html").write_text(GOOD + link, encoding="utf-8")
    assert find_faults(site) == [fault]


def test_formulas_become_mathml() -> None:
    """In a line or on its own, and signs that HTML escapes are read as they are meant."""
    line = draw_formulas(r'p <span class="arithmatex">\(a &lt; b\)</span> q')
    assert line.startswith('p <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert "<mo>&#x0003C;</mo>" in line
    assert line.endswith("</math> q")
    assert 'display="block"' in draw_formulas('<div class="arithmatex">\\[x^2\\]</div>')
    assert draw_formulas("<p>5 $ and 7 $</p>") == "<p>5 $ and 7 $</p>"


def test_every_page_of_the_repository_is_gathered() -> None:
    """Whatever Markdown lies in docs is a page; what pages link to comes along, and is there."""
    pages = list_pages()
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")} < set(pages)
    linked = list_linked(pages)
    assert {"LICENSE", "docs/images/penguins.svg", "examples/growth.py"} <= set(linked)
    assert all((ROOT / path).is_file() for path in linked)
