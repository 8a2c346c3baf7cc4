"""The tree on the page: what is clicked is told, and what is told is the tree's own.

The panel describes the selected node.
"""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import Visits
from support.page_view import PageView
from support.pages import big, fitted, houses

from arboretum._show.page.data import page_data

LARGE: dict[str, Any] = {"viewport": {"width": 2200, "height": 1400}}


@pytest.mark.parametrize("kind", ["penguins", "at least m", "sums", "multiway", "dates"])
def test_a_click_tells_the_rule_and_the_counts_of_each_leaf(visits: Visits, kind: str) -> None:
    """The rules that the panel writes are those that the library prints, leaf by leaf."""
    model, X, y = fitted(kind)
    rules = {leaf.id: str(rule) for leaf, rule in zip(model.tree_.leaves(), model.tree_.rules(), strict=True)}
    by_id = {leaf.id: leaf for leaf in model.tree_.leaves()}
    told = page_data(model)
    with visits.visit(model, data={"rows": (X, y)}, **LARGE) as page:
        view = PageView(page)
        view.fit()
        n_leaves = 0
        for place in view.leaves():
            view.select(place)
            node = by_id[told["nodes"]["id"][place]]
            assert view.selected == view.focused == place
            assert view.item(place).get_attribute("aria-selected") == "true"
            assert view.rule() == rules[node.id]
            assert view.figures()["Rows"].split(" ")[0] == f"{node.n_rows:,}"
            counts = view.counts()
            for label, count in zip(model.tree_.target.classes or (), node.counts, strict=True):
                assert count == 0 or counts[str(label)][0] == f"{count:,.6g}"
            n_leaves += 1
        assert n_leaves == model.tree_.n_leaves


def test_the_panel_tells_of_a_question(visits: Visits) -> None:
    model, X, y = fitted("surrogates")
    root = model.tree_.root
    with visits.visit(model, data={"training": (X, y), "others": (X[::2], y[::2])}) as page:
        view = PageView(page)
        view.select(0)
        text = page.locator("#panel").inner_text()
        assert str(root.question) in text
        assert view.figures()["Gain"] == f"{root.gain:.4g}"
        assert view.figures()[f"Impurity ({model.tree_.criterion})"] == f"{root.impurity:.4g}"
        for other in (*root.competitors, *root.surrogates):
            assert str(other.question) in text
        assert len(root.competitors) == 2
        assert len(root.surrogates) >= 1
        counts = view.counts()
        halves = {label: int((y[::2] == label).sum()) for label in model.tree_.target.classes}
        for label, half in halves.items():
            assert counts[label][0] == str(int((y == label).sum()))
            assert counts[label][2] == str(half)
        histogram = page.locator("#panel .histogram")
        assert root.question.column in page.locator("#panel").inner_text()
        assert histogram.count() == 1


def test_a_part_of_the_rule_leads_to_its_node(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        view.fit()
        deepest = view.leaves()[-1]
        view.select(deepest)
        parts = page.locator("#panel .rule-part")
        assert parts.count() >= 3
        parts.first.click()
        assert view.selected in (1, 2)
        assert parts.count() == 1


def test_the_arrow_keys_walk_through_the_tree(visits: Visits) -> None:
    model, _, _ = fitted("iris")
    nodes = page_data(model)["nodes"]
    with visits.visit(model) as page:
        view = PageView(page)
        page.locator("[data-choice=down]").click()
        view.select(0)
        walked = []
        for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "Home"):
            view.press(key)
            assert view.selected == view.focused
            walked.append(view.selected)
        first, second = nodes["children"][0]
        left, right = nodes["children"][second]
        assert walked == [first, second, left, right, left, second, 0]
        page.locator("[data-choice=right]").click()
        view.select(0)
        view.press("ArrowRight", "ArrowDown")
        assert view.selected == second
        view.press("ArrowLeft")
        assert view.selected == 0


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_node_closes_and_opens_by_key(visits: Visits, key: str) -> None:
    model, _, _ = fitted("iris")
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        before = view.shown()
        assert len(before) == len(model.tree_)
        view.select(0)
        view.press(key)
        assert view.shown() == [0]
        assert view.item(0).get_attribute("aria-expanded") == "false"
        assert f"{len(model.tree_) - 1} nodes" in view.item(0).get_attribute("aria-label")
        view.press(key)
        assert view.shown() == before
        assert view.item(0).get_attribute("aria-expanded") == "true"


def test_a_node_closes_and_opens_by_mouse(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        before = view.shown()
        view.item(1).dblclick()
        assert len(view.shown()) < len(before)
        assert page.locator("[data-node='1'] .card-more").count() == 1
        page.locator("[data-node='1'] .card-more").click()
        assert view.shown() == before
        page.locator("#collapse").click()
        assert view.shown() == [0, 1, 2]
        page.locator("#expand-all").click()
        view.fit()
        assert view.shown() == before


def test_zoom_and_pan(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        x, y, scale = view.scale()
        page.locator("#zoom-in").click()
        view.settle()
        assert view.scale()[2] == pytest.approx(scale * 1.25)
        page.locator("#zoom-out").click()
        view.settle()
        assert view.scale()[2] == pytest.approx(scale)
        view.select(0)
        view.press("+")
        assert view.scale()[2] == pytest.approx(scale * 1.25)
        view.press("-", "0")
        box = page.locator("#stage").bounding_box()
        corner = (box["x"] + 12, box["y"] + box["height"] / 2)
        x, y, scale = view.scale()
        page.mouse.move(*corner)
        page.mouse.down()
        page.mouse.move(corner[0] + 60, corner[1] - 40, steps=4)
        page.mouse.up()
        view.settle()
        assert view.scale() == pytest.approx((x + 60, y - 40, scale), abs=5)
        before = view.scale()[2]
        page.mouse.wheel(0, -200)
        view.settle()
        assert view.scale()[2] > before * 1.1
        page.locator("#zoom-root").click()
        view.settle()
        view.select(0)
        x, y, scale = view.scale()
        view.press("Shift+ArrowRight")
        assert view.scale()[0] < x


def test_what_is_dragged_is_not_selected(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        box = view.item(1).bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + 90, box["y"] + 60, steps=5)
        page.mouse.up()
        view.settle()
        assert view.selected == 0


def test_the_way_of_missing_values_is_marked(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    nodes = page_data(model)["nodes"]
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        view.fit()
        edges = page.locator(".takes-missing[data-edge]")
        marked = edges.evaluate_all("all => all.map(edge => Number(edge.dataset.edge))")
        expected = [place for place in view.shown() if nodes["takes_missing"][place]]
        assert len(expected) > 0
        assert sorted(marked) == expected


def overlapping(page: Any) -> list[list[int]]:
    """Pairs of cards that lie on each other."""
    found: list[list[int]] = page.evaluate(
        """() => {
          const boxes = Array.from(document.querySelectorAll("#view-tree .card-box"), (box) => {
            const r = box.getBoundingClientRect();
            return [Number(box.closest("[data-node]").dataset.node), r.left, r.top, r.right, r.bottom];
          });
          const before = (a, b, side) => a[side] < b[side + 2] - 0.5;
          const meet = (a, b) => [1, 2].every((side) => before(a, b, side) && before(b, a, side));
          const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).map((b) => [a, b]));
          return pairs.filter(([a, b]) => meet(a, b)).map(([a, b]) => [a[0], b[0]]);
        }"""
    )
    return found


@pytest.mark.parametrize("direction", ["down", "right", "list"])
@pytest.mark.parametrize("kind", ["multiway", "at least m", "unpruned"])
def test_cards_do_not_overlap_and_hold_their_text(visits: Visits, kind: str, direction: str) -> None:
    with visits.visit(fitted(kind)[0], viewport={"width": 2600, "height": 1800}) as page:
        view = PageView(page)
        page.locator(f"[data-choice={direction}]").click()
        page.locator("#expand-all").click()
        view.settle()
        assert page.locator("#view-tree .card-box").count() > 3
        assert overlapping(page) == []
        outside = page.evaluate(
            """() => Array.from(document.querySelectorAll("#view-tree .card text")).filter((text) => {
              const inner = text.getBoundingClientRect();
              const outer = text.closest("[data-node]").querySelector(".card-box").getBoundingClientRect();
              return inner.left < outer.left - 1 || inner.right > outer.right + 1;
            }).map((text) => text.textContent)"""
        )
        assert outside == []


def test_ten_thousand_nodes_can_be_opened_clicked_and_pruned(visits: Visits) -> None:
    model, X, y = big()
    with visits.visit(model, data={"training": (X, y)}) as page:
        view = PageView(page)
        assert len(view.shown()) <= 60  # at first, the heaviest nodes
        page.locator("#expand-all").click()
        view.settle()
        assert "9,999" in page.locator("#status").inner_text().replace("9999", "9,999")
        view.fit()
        page.locator("#zoom-root").click()
        view.settle()
        view.select(0)
        view.press("ArrowDown")  # to a child, which may be far away
        assert view.selected == view.focused == 1
        steps = int(page.locator("#pruning-slider").get_attribute("max"))
        for step in (steps // 2, steps):
            view.slide(step)
            assert page.locator("#pruning-slider").input_value() == str(step)
        assert view.shown() == [0]


def test_a_tree_that_was_cut_off_tells_how_much_is_missing(visits: Visits) -> None:
    model, _, _ = big()
    with visits.visit(model, max_nodes=31) as page:
        view = PageView(page)
        view.select(0)
        assert view.figures()["Nodes below"] == f"{len(model.tree_) - 1:,}"


def test_numbers_are_shown_with_their_values(visits: Visits) -> None:
    model, X, y = fitted("numbers")
    _, prices = houses()
    with visits.visit(model, data={"training": (X, y)}, **LARGE) as page:
        view = PageView(page)
        view.select(0)
        assert page.locator("#panel .panel-label").inner_text() == f"{prices.mean():,.4g}".replace("e+03", "")
        assert page.locator("#panel .histogram").count() == 1
