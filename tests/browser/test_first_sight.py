"""What is seen of a tree at first, and after all of it was opened: the whole, or much that can be read.

A node is *seen* if its card lies in the window, with text that is large enough to read.
"""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import NOTEBOOK, Visits
from support.page_view import PageView
from support.pages import big, fitted

from arboretum import TreeClassifier, datasets
from arboretum._show.page.data import page_data
from arboretum._show.page.html import notebook_html

# The nodes whose cards lie in the view, and how many pixels high their smallest text is.
SEEN = """(view) => {
  const room = view.getBoundingClientRect();
  const inside = (box) =>
    box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom;
  const cards = Array.from(view.querySelectorAll("[role=treeitem]")).filter((card) =>
    inside(card.querySelector(".card-box").getBoundingClientRect()));
  const texts = cards.flatMap((card) => Array.from(card.querySelectorAll(".card-head")));
  const heights = texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  return { nodes: cards.map((card) => Number(card.dataset.node)), text: Math.min(...heights) };
}"""


def seen(place: Any) -> dict[str, Any]:
    """The nodes that are seen in a page or frame, and the height of their text."""
    place.locator("[role=treeitem]").first.wait_for()
    place.locator("html").evaluate("() => new Promise((ok) => setTimeout(ok, 100))")
    found: dict[str, Any] = place.locator("#view-tree").evaluate(SEEN)
    return found


@pytest.mark.parametrize("width", [1400, 850, 400])
def test_a_notebook_shows_a_small_tree_as_a_whole(visits: Visits, width: int) -> None:
    """The tree of eight leaves in the README was cut off at each of these widths."""
    X, y = datasets.load_penguins()
    tree = TreeClassifier(max_leaf_nodes=8, prune=None).fit(X, y).tree_
    text = f"{NOTEBOOK}{notebook_html(tree)}"
    with visits.visit(text=text, viewport={"width": width, "height": 760}) as page:
        found = seen(page.frame_locator("iframe"))
        assert sorted(found["nodes"]) == list(range(15))
        assert found["text"] > 8.9


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600), (390, 844), (320, 560)])
def test_a_page_shows_small_trees_as_a_whole(visits: Visits, size: tuple[int, int]) -> None:
    """In windows from a phone to a desk, with cards or as a list."""
    for kind in ("penguins", "multiway", "at least m", "numbers", "root alone"):
        model, _, _ = fitted(kind)
        n_shown = model.tree_.n_leaves if kind == "root alone" else len(model.tree_)
        if n_shown > 21:
            continue
        with visits.visit(model, viewport={"width": size[0], "height": size[1]}) as page:
            found = seen(page)
            assert len(found["nodes"]) == n_shown, kind
            assert found["text"] >= 6, kind


def test_a_tree_is_drawn_anew_when_the_window_changes(visits: Visits) -> None:
    """Cards where there is room, a list where there is none, unless the reader wants it otherwise."""
    model = TreeClassifier(max_leaf_nodes=8, prune=None).fit(*datasets.load_penguins())
    with visits.visit(model, viewport={"width": 400, "height": 800}) as page:
        seen(page)
        pressed = page.locator("[aria-label=Direction] [aria-pressed=true]")
        assert pressed.get_attribute("data-choice") == "list"
        page.set_viewport_size({"width": 1400, "height": 800})
        assert len(seen(page)["nodes"]) > 3
        assert pressed.get_attribute("data-choice") == "down"
        page.locator("[data-choice=list]").click()
        page.set_viewport_size({"width": 1300, "height": 900})
        seen(page)
        assert pressed.get_attribute("data-choice") == "list"


def test_all_nodes_of_a_large_tree_are_opened_to_something_to_read(visits: Visits) -> None:
    """After "Expand all" the root was seen alone: its children were thousands of pixels away."""
    model, _, _ = big(4_000)
    for size in ({"width": 1280, "height": 800}, {"width": 400, "height": 800}):
        with visits.visit(model, viewport=size) as page:
            view = PageView(page)
            page.locator("#expand-all").click()
            found = seen(page)
            assert {0, 1} <= set(found["nodes"])
            assert len(found["nodes"]) >= 10
            assert found["text"] > 8.9
            page.locator("#overview").click()
            view.settle()
            assert 1 < len(view.shown()) <= 60
    with visits.visit(model) as page:
        page.locator("[data-choice=down]").click()
        page.locator("#expand-all").click()
        seen(page)
        # From so far away that boxes around the root are seen.
        painted = page.locator(".tree-far").evaluate(
            """(canvas) => {
              const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              let n = 0;
              for (let i = 3; i < data.length; i += 4) n += data[i] > 0;
              return n / (canvas.width * canvas.height);
            }"""
        )
        assert painted > 0.02
        page.locator("#zoom-root").click()
        assert seen(page)["nodes"][0] == 0


def reading_order(node: Any) -> list[int]:
    """The nodes as a list has them: a node, then all below it."""
    return [node.id, *(each for child in node.children for each in reading_order(child))]


def test_a_list_is_read_by_key_wheel_and_mouse(visits: Visits) -> None:
    """Arrows go from line to line; the wheel scrolls to the end and no further; signs open and close."""
    model, _, _ = fitted("penguins")
    ids = page_data(model)["nodes"]["id"]
    with visits.visit(model, viewport={"width": 900, "height": 420}) as page:
        view = PageView(page)
        page.locator("[data-choice=list]").click()
        view.select(0)
        walked = [0]
        for _ in range(len(model.tree_) - 1):
            view.press("ArrowDown")
            assert view.selected == view.focused
            walked.append(view.selected)
        assert [ids[place] for place in walked] == reading_order(model.tree_.root)
        for place in reversed(walked[:-1]):
            view.press("ArrowUp")
            assert view.selected == place
        view.press("ArrowRight")
        assert view.selected == walked[1]
        view.press("ArrowLeft")
        assert view.selected == 0
        page.locator("[data-node='0'] .line-sign").click()
        assert view.shown() == [0]
        assert f"{len(model.tree_) - 1} nodes" in page.locator("[data-node='0'] .card-more").text_content()
        page.locator("[data-node='0'] .card-more").click()
        for _ in range(3):
            page.locator("#zoom-in").click()
        page.locator("#view-tree").hover()
        before = view.scale()
        for _ in range(20):
            page.mouse.wheel(0, 400)
        page.wait_for_timeout(200)
        after = view.scale()
        assert after[1] < before[1] - 50
        assert after[2] == before[2]
        last, room = (place.bounding_box() for place in (view.item(walked[-1]), page.locator("#view-tree")))
        assert 10 < room["y"] + room["height"] - last["y"] - last["height"] < 30
