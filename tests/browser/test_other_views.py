"""The icicle, the table of rules and the search: the same tree, asked in other ways.

The support is the number of rows that a rule covers; found nodes ask about what was searched.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from support.browser import Visits
from support.page_view import PageView
from support.pages import fitted, many_classes

from arboretum._show.page.data import page_data


def leaves_of(model: Any) -> dict[int, Any]:
    """The leaves of the model's tree by their places in the page."""
    place = {node_id: place for place, node_id in enumerate(page_data(model)["nodes"]["id"])}
    return {place[leaf.id]: leaf for leaf in model.tree_.leaves()}


def order(page: Any) -> list[int]:
    """The leaves in the order of the table."""
    rows = page.locator("#rules-table tbody tr")
    found: list[int] = rows.evaluate_all("all => all.map(row => Number(row.dataset.node))")
    return found


def test_the_rules_are_sorted_by_support_and_confidence(visits: Visits) -> None:
    model, X, y = fitted("penguins")
    leaves = leaves_of(model)
    with visits.visit(model, data={"training": (X, y)}) as page:
        view = PageView(page)
        view.view("rules")
        by_support = order(page)
        assert sorted(by_support) == sorted(leaves)
        supports = [leaves[place].n_rows for place in by_support]
        assert supports == sorted(supports, reverse=True)
        for column, value in (("rows", attrgetter("n_rows")), ("confidence", attrgetter("confidence"))):
            page.locator(f"[data-sort={column}]").click()
            head = page.locator(f"th[data-column={column}]")
            for _ in range(2):  # one way and the other
                falling = head.get_attribute("aria-sort") == "descending"
                values = [value(leaves[place]) for place in order(page)]
                assert values == sorted(values, reverse=falling)
                assert len(set(values)) > 1
                page.locator(f"[data-sort={column}]").click()
        texts = page.locator("#rules-table tbody tr").evaluate_all("all => all.map(row => row.innerText)")
        for place, text in zip(order(page), texts, strict=True):
            assert f"{leaves[place].n_rows:,}" in text
            assert str(leaves[place].label) in text
        assert f"{len(leaves)} rules" in page.locator("#rules-count").inner_text()


def test_probabilities_are_told_from_shares_of_rows(visits: Visits) -> None:
    model, X, y = fitted("penguins")
    nodes = page_data(model)["nodes"]
    leaf = next(place for place in leaves_of(model) if nodes["own"][place] == "89%")
    with visits.visit(model, data={"training": (X, y)}, viewport={"width": 2400, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        view.select(leaf)
        assert "9 rows · 89% of rows" in " ".join(view.item(leaf).locator("text").all_text_contents())
        assert view.figures()["Share of its rows"] == "89%"
        assert page.locator("#panel .panel-label").inner_text().strip() == "Adelie 81%"
        assert view.rule().endswith("→ Adelie (81%; 89% of 9 rows)")
        view.select(0)
        assert "Share of its rows" not in view.figures()  # the share is beside the label
        view.view("rules")
        row = page.locator(f"#rules-table tr[data-node='{leaf}']")
        assert row.locator("td[data-column=confidence]").inner_text() == "81%"
        assert row.locator("td[data-column=own]").inner_text() == "89%"
    model, X, y = fitted("numbers")
    with visits.visit(model, viewport={"width": 2400, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        leaf = max(view.leaves())
        view.select(leaf)
        told = page_data(model)["nodes"]
        assert float(view.counts()["in the tree"][1].replace(",", "")) == pytest.approx(
            told["mean"][leaf], rel=1e-4
        )
        assert float(view.figures()["Its rows' mean"].replace(",", "")) == pytest.approx(
            told["mean"][leaf], rel=1e-3
        )


def test_a_rule_selects_its_leaf_and_classes_can_be_picked(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    leaves = leaves_of(model)
    with visits.visit(model) as page:
        view = PageView(page)
        view.view("rules")
        wanted = order(page)[2]
        page.locator(f"#rules-table tr[data-node='{wanted}'] .rule-choice").click()
        assert view.selected == wanted
        assert page.locator("tr[aria-current=true]").get_attribute("data-node") == str(wanted)
        page.locator("#rules-filter").select_option(label="Gentoo")
        gentoo = [place for place, leaf in leaves.items() if leaf.label == "Gentoo"]
        assert sorted(order(page)) == sorted(gentoo)
        view.view("tree")
        assert view.selected == wanted


def test_the_rules_of_rare_classes_are_found_together(visits: Visits) -> None:
    """Of a thousand classes few have counts of their own, but every rule tells its own label."""
    model, _, _ = many_classes()
    with visits.visit(model) as page:
        view = PageView(page)
        view.view("rules")
        page.locator("#rules-filter").select_option(label="969 other classes")
        assert page.locator("#rules-count").inner_text() == "969 of 1,000 rules"
        told = page_data(model)["nodes"]["label"]
        shown = page.locator("#rules-table tbody tr td[data-column=label]").all_inner_texts()
        assert [text.strip() for text in shown] == [told[place] for place in order(page)]
        assert len(shown) == 100  # piece by piece
        page.locator("#rules-more").click()
        assert len(order(page)) == 200


def test_strips_are_as_wide_as_their_rows_are_many(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    nodes = page_data(model)["nodes"]
    with visits.visit(model, viewport={"width": 2400, "height": 1200}) as page:
        view = PageView(page)
        view.view("icicle")
        shown = view.shown()
        assert shown[0] == 0
        assert len(shown) > 8
        boxes = {place: view.item(place).locator("rect").first.bounding_box() for place in shown}
        unit = boxes[0]["width"] / nodes["n_rows"][0]
        wide = {place: boxes[place]["width"] for place in shown}
        expected = {place: nodes["n_rows"][place] * unit for place in shown}
        np.testing.assert_allclose(list(wide.values()), list(expected.values()), atol=3)
        view.select(nodes["children"][0][1])  # zooms to it
        zoomed = view.item(nodes["children"][0][1]).locator("rect").first.bounding_box()
        assert zoomed["width"] == pytest.approx(boxes[0]["width"], abs=3)
        assert view.selected == nodes["children"][0][1]
        view.press("ArrowUp")
        assert view.selected == view.focused == 0


def test_search_finds_the_nodes_that_ask_about_a_column(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    page_nodes = page_data(model)
    nodes, column = page_nodes["nodes"], page_nodes["columns"].index("bill_length_mm")
    with visits.visit(model, viewport={"width": 2400, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        asking = [
            place for place in view.shown() if column in nodes["asked"][place] and place not in view.leaves()
        ]
        assert len(asking) > 1
        view.select(0)
        view.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("bill_LENGTH")
        view.settle()
        found = page.locator("[role=treeitem].is-found").evaluate_all(
            "all => all.map(n => Number(n.dataset.node))"
        )
        assert sorted(found) == asking
        assert page.locator("#search-count").inner_text() == f"{len(asking)} found"
        view.press("Enter")  # to the first, and out of the box
        walked = [view.selected]
        for key in ["n"] * len(asking) + ["p"]:
            assert view.focused == view.selected
            view.press(key)
            walked.append(view.selected)
        assert walked == [*asking, asking[0], asking[-1]]
        assert page.locator("#search").input_value() == "bill_LENGTH"
        view.press("Escape")
        assert page.locator(".is-found").count() == 0
        assert page.locator("#search").input_value() == ""
        assert view.focused == view.selected


def test_what_nobody_asks_is_not_found(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        page.locator("#search").fill("no such column")
        view.settle()
        assert page.locator("#search-count").inner_text() == "0 found"
        assert page.locator("#search-next").is_disabled()


def test_enter_stays_in_the_box_where_nothing_is_found(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        page.locator("#search").fill("no such column")
        view.press("Enter", "s")
        assert page.locator("#search").input_value() == "no such columns"


def test_keys_work_while_the_slider_has_the_focus(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    with visits.visit(model) as page:
        view = PageView(page)
        slider = page.locator("#pruning-slider")
        slider.focus()
        view.press("?")
        assert page.locator("dialog#help").is_visible()
        view.press("Escape")
        for key, name in (("i", "icicle"), ("r", "rules"), ("t", "tree")):
            view.press(key)
            assert page.locator(f"#view-{name}").is_visible()
        before = int(slider.input_value())
        view.press("ArrowRight")  # its own key is its own
        assert slider.input_value() == str(before + 1)
        view.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        assert page.locator("#search").input_value() == ""


def test_the_focus_comes_along_to_another_view(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        view.select(1)
        for key, name in (("i", "icicle"), ("r", "rules"), ("t", "tree")):
            view.press(key)
            assert page.evaluate(f"document.activeElement.closest('#view-{name}') !== null")


def test_keys_switch_between_the_views(visits: Visits) -> None:
    with visits.visit(fitted("penguins")[0]) as page:
        view = PageView(page)
        view.select(1)
        for key, name in (("i", "icicle"), ("r", "rules"), ("t", "tree")):
            view.press(key)
            assert page.locator(f"#view-{name}").is_visible()
            assert page.locator("[id^=view-]:visible").count() == 1
            assert page.locator(f"[data-choice={name}]").get_attribute("aria-pressed") == "true"
        assert view.selected == 1
