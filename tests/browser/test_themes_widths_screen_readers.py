"""Light and dark, wide and narrow, with ears alone: the page can be used by all.

A control is what can be pressed, typed into or moved; its name is what a screen reader says.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.browser import Visits
from support.page_view import PageView
from support.pages import KINDS, fitted

from arboretum._show.page.data import page_data
from arboretum._show.picture.palette import DARK, LIGHT
from arboretum._wording import many


def colour(page: Any, selector: str, name: str) -> str:
    """A computed colour, as hexadecimal digits."""
    found = page.locator(selector).first.evaluate(f"e => getComputedStyle(e)['{name}']")
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", found)[:3])


def test_the_theme_follows_the_system_the_option_and_the_switch(visits: Visits) -> None:
    model = fitted("penguins")[0]
    for scheme, palette in (("light", LIGHT), ("dark", DARK)):
        with visits.visit(model, color_scheme=scheme) as page:
            PageView(page)
            assert colour(page, "h1", "color") == palette.ink
            assert colour(page, ".card-box", "fill") == palette.card
            swatches = page.locator("#view-tree [data-node='0'] .bar-part")
            fills = swatches.evaluate_all("all => all.map(e => e.getAttribute('fill'))")
            assert fills == list(palette.classes[: len(fills)])
    with visits.visit(model, color_scheme="light", theme="dark") as page:
        PageView(page)
        assert colour(page, "h1", "color") == DARK.ink
        for _ in range(2):  # dark, auto, light
            page.locator("#theme").click()
        assert colour(page, "h1", "color") == LIGHT.ink


@pytest.mark.parametrize("wish", [{"forced_colors": "active"}, {"reduced_motion": "reduce"}])
def test_what_the_system_wishes_is_no_hindrance(visits: Visits, wish: dict[str, Any]) -> None:
    model = fitted("penguins")[0]
    with visits.visit(model, **wish) as page:
        view = PageView(page)
        view.select(1)
        assert page.locator("[role=treeitem][data-node='1'] .card-head").is_visible()
        assert str(model.tree_.node(1).question) in page.locator("#panel").inner_text()


def test_a_page_prints_what_it_shows(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        PageView(page)
        page.emulate_media(media="print")
        assert page.locator("h1").is_visible()
        assert page.locator("[role=treeitem]").first.is_visible()
        assert not page.locator("#search").is_visible()


def test_ink_can_be_read_on_its_ground(visits: Visits) -> None:
    """Contrast of at least 4.5 to 1, as the guidelines for accessible pages want it."""
    n_texts = 0
    for scheme in ("light", "dark"):
        with visits.visit(fitted("penguins")[0], color_scheme=scheme) as page:
            PageView(page)
            ground = page.locator("#panel").evaluate(GROUND)
            for selector in ("#panel h2", "#panel h3", "#panel dt", "#panel dd", "#panel td"):
                n_texts += 1
                assert contrast(colour(page, selector, "color"), ground) >= 4.5
            card = colour(page, ".card-box", "fill")
            for selector in (".card-head", ".card-label", ".card-foot"):
                n_texts += 1
                assert contrast(colour(page, selector, "fill"), card) >= 4.5
    assert n_texts == 16


# The first colour below an element that is not transparent.
GROUND = """element => {
  let under = element;
  while (getComputedStyle(under).backgroundColor === "rgba(0, 0, 0, 0)") under = under.parentElement;
  const parts = getComputedStyle(under).backgroundColor.match(/\\d+/g).slice(0, 3);
  return "#" + parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
}"""


def contrast(one: str, other: str) -> float:
    def light(found: str) -> float:
        parts = [int(found[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("width", [390, 760])
def test_a_narrow_window(visits: Visits, width: int) -> None:
    """Nothing is wider than the window, and the panel comes below the tree."""
    model, X, y = fitted("penguins")
    with visits.visit(model, data={"rows": (X, y)}, viewport={"width": width, "height": 844}) as page:
        view = PageView(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        stage, panel = (page.locator(name).bounding_box() for name in ("#stage", "#panel"))
        assert panel["y"] >= stage["y"] + stage["height"] - 1 or panel["x"] >= stage["x"] + stage["width"] - 1
        assert stage["height"] >= 240
        view.select(0)
        assert view.selected == 0
        for name in ("rules", "icicle", "tree"):
            view.view(name)
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_every_kind_open_without_a_complaint(visits: Visits, kind: str) -> None:
    model, X, y = fitted(kind)
    with visits.visit(model, data={"rows": (X, y)}) as page:
        view = PageView(page)
        view.select(0)
        for name in ("icicle", "rules", "tree"):
            view.view(name)
        assert view.figures()["Rows"].startswith(f"{page_data(model)['nodes']['n_rows'][0]:,}")


CONTROLS = "button:visible, input:visible, select:visible, summary:visible"


def test_every_control_has_a_name(visits: Visits) -> None:
    model, X, y = fitted("surrogates")
    with visits.visit(model, data={"rows": (X, y)}) as page:
        view = PageView(page)
        n_controls = 0
        for name in ("icicle", "rules", "tree"):
            view.view(name)
            for control in page.locator(
                "button:visible, input:visible, select:visible, summary:visible"
            ).all():
                n_controls += 1
                words = control.evaluate(
                    "e => e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || ''"
                )
                assert words.strip(), control.evaluate("e => e.outerHTML")
        assert n_controls > 30
        nameless = page.locator("[role=img]:not([aria-label]), img:not([alt])")
        assert nameless.count() == 0
        ids = page.locator("[id]").evaluate_all("all => all.map(e => e.id)")
        assert len(ids) == len(set(ids))


def test_a_screen_reader_hears_a_tree(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    nodes = page_data(model)["nodes"]
    with visits.visit(model, viewport={"width": 2400, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        assert page.locator("[role=tree]:visible").count() == 1
        leaves = set(view.leaves())
        for place in view.shown():
            item = view.item(place)
            assert item.get_attribute("aria-level") == str(nodes["depth"][place] + 1)
            expanded = item.get_attribute("aria-expanded")
            assert expanded == (None if place in leaves else "true")
            assert item.get_attribute("aria-selected") == str(place == 0).lower()
            words = item.get_attribute("aria-label")
            assert many(nodes["n_rows"][place], "row") in words
            assert nodes["label"][place] in words
            assert nodes["outcome"][place] is None or nodes["outcome"][place] in words
        snapshot = page.locator("main").aria_snapshot()
        assert re.search(r"- tree ", snapshot)
        assert len(re.findall(r"^ *- '?treeitem ", snapshot, re.M)) == len(view.shown())
        assert "[selected]" in snapshot


def test_the_tabulator_leads_through_the_controls_to_one_node(visits: Visits) -> None:
    """Of all nodes one can be reached by the tabulator; the arrows do the rest."""
    with visits.visit(fitted("penguins")[0]) as page:
        PageView(page)
        assert page.locator("[role=treeitem][tabindex='0']").count() == 1
        seen: list[str] = []
        for _ in range(40):
            page.keyboard.press("Tab")
            found = page.evaluate(
                "() => { const e = document.activeElement; return {id: e.id, ...e.dataset}; }"
            )
            seen.append(found["id"] or found.get("choice") or found.get("node") or "")
        assert seen.index("tree") < seen.index("search") < seen.index("0") < seen.index("pruning-slider")
        assert seen.index("pruning-slider") < seen.index("panel")
        assert "1" not in seen


def test_the_focus_is_seen(visits: Visits) -> None:
    with visits.visit(fitted("by mistakes")[0]) as page:
        view = PageView(page)
        view.select(0)
        view.press("ArrowDown")
        ring = page.locator("[role=treeitem]:focus-visible")
        assert ring.get_attribute("data-node") == "1"
        outline = ring.evaluate("e => getComputedStyle(e).outlineStyle")
        drawn = ring.locator(".card-ring").evaluate("e => getComputedStyle(e).stroke")
        assert outline != "none" or drawn not in ("none", "")


def test_the_keys_are_told(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        view.select(0)
        view.press("?")
        assert page.locator("dialog#help").is_visible()
        assert "Home" in page.locator("dialog#help").inner_text()
        view.press("Escape")
        assert not page.locator("dialog#help").is_visible()


def test_the_rule_can_be_copied_or_is_selected(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        view.select(1)
        page.locator("#copy-rule").click()
        page.wait_for_function("document.querySelector('#copy-rule').textContent !== 'Copy rule'")
        told = page.locator("#copy-rule").inner_text()
        if told != "Copied":  # the clipboard was refused
            assert page.evaluate("getSelection().toString()").strip() == view.rule()
