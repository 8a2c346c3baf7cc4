"""A headless browser for the tests of the page: Debian's Chromium, steered by Playwright.

A visit opens a page and listens: what it complains of, asks the network for or pops up is kept, and must be
nothing when the visit ends. What is on the page is looked at by the tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arboretum._show.page.html import to_html

__all__ = ["ARGUMENTS", "NOTEBOOK", "Visits", "chromium_path"]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

NOTEBOOK = (
    "<!doctype html><meta charset=utf-8><title>notebook</title>"  # what is above an output in a notebook
)


def chromium_path() -> str | None:
    """Where Chromium is: as CHROMIUM says, or on the path; None if there is none."""
    named = os.environ.get("CHROMIUM")
    found = [shutil.which(name) for name in (named, "chromium", "chromium-browser", "google-chrome") if name]
    return next(filter(None, found), None)


@dataclass
class Visits:
    """Opens pages in one browser and keeps what goes wrong in them."""

    browser: Any
    folder: Path
    faults: list[str] = field(default_factory=list)
    n_pages: int = 0

    @contextmanager
    def visit(self, model: Any = None, text: str | None = None, **options: Any) -> Iterator[Any]:
        """Open the page of a model, or any page, until the visit ends; options of to_html, or of a window."""
        window = {name: options.pop(name) for name in list(options) if name in _WINDOW}
        window.setdefault("viewport", {"width": 1280, "height": 800})
        self.n_pages += 1
        path = self.folder / f"page {self.n_pages}.html"
        path.write_text(to_html(model, **options) if text is None else text, encoding="utf-8")
        context = self.browser.new_context(**window)
        try:
            page = context.new_page()
            page.set_default_timeout(_PATIENCE)
            self._listen(page)
            page.goto(path.as_uri())
            yield page
        finally:
            context.close()

    def _listen(self, page: Any) -> None:
        # A refusal by the policy of the page is an error on the console.
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self._dismiss(dialog))
        page.on("request", lambda request: self._notice(request.url))

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _dismiss(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _notice(self, url: str) -> None:
        if not url.startswith((self.folder.as_uri(), "data:", "about:")):
            self.faults.append(f"request: {url}")


_PATIENCE = 15_000  # milliseconds: how long something may take to appear before it counts as not there
_WINDOW = (
    "viewport",
    "color_scheme",
    "reduced_motion",
    "forced_colors",
    "java_script_enabled",
    "has_touch",
    "permissions",
)
