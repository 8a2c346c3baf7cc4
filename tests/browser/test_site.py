"""The documentation site, opened as files: it finds words, asks no other site, and fits a phone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a page or link that is missing ends it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "--quiet", "build", "--strict", "--site-dir", str(folder)]
    if not (ROOT / "node_modules" / "iframe-worker").exists():
        pytest.skip("node_modules is not installed: run make docs once")
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page on a phone; the test fails if it complains or asks another site."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: faults.append(request.url) if request.url[:4] == "http" else None)
    yield page
    page.close()
    assert faults == []


def test_the_search_finds_words_without_a_server(site: Path, page: Any) -> None:
    """Typed letters find pages, and a click opens one."""
    page.goto((site / "index.html").as_uri())
    page.click("label.md-header__button[for=__search]")
    page.locator("input.md-search__input").press_sequentially("surrogates")
    found = page.locator(".md-search-result__link")
    found.first.wait_for()
    assert any("guide.html" in (link.get_attribute("href") or "") for link in found.all())


@pytest.mark.parametrize("name", ["index.html", "docs/guide.html", "benchmarks/RESULTS.html"])
def test_pages_fit_a_phone(site: Path, page: Any, name: str) -> None:
    """Wide tables and sessions scroll by themselves; the page does not."""
    page.goto((site / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
