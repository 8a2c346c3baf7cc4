"""The report in a browser: nothing is complained of or fetched, and the tree is in its frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.browser import Visits
from support.pages import big, evil, fitted

import arboretum
from arboretum import TreeRanker, datasets

_WITHOUT_TEXT = """() => Array.from(document.querySelectorAll("section")).filter(
  (section) => section.innerText.trim().length < 60).map((section) => section.id)"""
_NOT_SHOWN = """() => Array.from(document.querySelectorAll("section")).filter(
  (section) => section.querySelector(":scope > .not-shown")).map((section) => section.id)"""
# Charts whose marks are at no place.
_BROKEN = """() => Array.from(document.querySelectorAll("svg.chart *")).filter((mark) =>
  Array.from(mark.attributes).some((one) => /NaN|inf/i.test(one.value))).length"""


def _order() -> tuple[Any, Any, Any, dict[str, Any]]:
    X, y, queries = datasets.make_ranking(n_queries=30, rows_per_query=8, random_state=1)
    return TreeRanker(max_depth=3, prune=None).fit(X, y, groups=queries), X, y, {"groups": queries}


_KINDS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "classes": lambda: fitted("penguins"),
    "numbers": lambda: fitted("numbers"),
    "multiway": lambda: fitted("multiway"),
    "order": _order,
    "a thousand leaves": lambda: big(2_000),
    "evil names": evil,
    "weights": lambda: (*fitted("weighted"), {"sample_weight": np.linspace(0.5, 2.0, 150)}),
}
_REASONS = {"numbers": {"curves"}, "order": {"calibration", "curves", "subgroups"}}


@cache
def report_of(kind: str) -> str:
    """The report on a model of this kind, made once."""
    model, X, y, *more = _KINDS[kind]()
    return arboretum.report(model, X, y, notes={0: "looked at"}, n_resamples=2, **(more[0] if more else {}))


@pytest.fixture(autouse=True)
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arboretum._report.evidence.rivals.N_TREES", 2)


def tree_of(page: Any) -> Any:
    """The page in the frame; browsers draw nothing in a frame that is out of sight."""
    page.locator("iframe.tree").scroll_into_view_if_needed()
    frame = page.frame_locator("iframe.tree")
    frame.locator("[role=treeitem]").first.wait_for()
    return frame


@pytest.mark.parametrize("kind", _KINDS)
def test_all_sections_are_filled(visits: Visits, kind: str) -> None:
    """`visits` fails if the console complains, something is fetched or a name runs."""
    with visits.visit(text=report_of(kind)) as page:
        frame = tree_of(page)
        assert frame.locator("#panel").is_visible()
        assert page.evaluate(_WITHOUT_TEXT) == []
        assert set(page.evaluate(_NOT_SHOWN)) == _REASONS.get(kind, set())
        assert page.evaluate(_BROKEN) == 0
        links = page.locator("nav a").evaluate_all("all => all.map(a => document.querySelector(a.hash).id)")
        assert len(links) == page.locator("section").count() == 15


@pytest.mark.parametrize("width", [1280, 768, 390, 320])
@pytest.mark.parametrize("kind", ["classes", "evil names"])
def test_nothing_is_wider_than_the_window(visits: Visits, kind: str, width: int) -> None:
    with visits.visit(text=report_of(kind), viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_light_and_dark(visits: Visits) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        with visits.visit(text=report_of("classes"), color_scheme=scheme) as page:
            grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            inside = tree_of(page)
            ground = inside.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
            assert ground == page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert len(grounds) == 2


def test_paper_has_a_picture_of_the_tree(visits: Visits) -> None:
    """What only a screen can show stays away, and paper is white."""
    with visits.visit(text=report_of("classes"), color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert not page.locator("iframe.tree").is_visible()
        picture = page.locator(".on-paper img")
        assert picture.is_visible()
        assert picture.evaluate("e => e.complete && e.naturalWidth > 100")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_scripts_all_but_the_tree_is_there(visits: Visits) -> None:
    with visits.visit(text=report_of("classes"), java_script_enabled=False) as page:
        assert "forest" in page.locator("#comparison").inner_text()
        assert page.locator("svg.chart").first.is_visible()
