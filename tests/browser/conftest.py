"""One browser per process for all tests of the page; without Chromium they are skipped, and say so.

A test fails if one of its pages complains.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.browser import ARGUMENTS, Visits, chromium_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium: install Debian's chromium, or set CHROMIUM to where one is")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visits(browser: Any, tmp_path: Path) -> Iterator[Visits]:
    """Pages to visit; the test fails if one of them complains, asks the network or pops something up."""
    opened = Visits(browser, tmp_path)
    yield opened
    assert opened.faults == []
