"""What is on the page can be read: in full, told apart, beside each other and not on each other.

Names are long where a test says so; a foot is the end of a card.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.browser import Visits
from support.page_view import PageView
from support.pages import BY_MISTAKES, Fitted, fitted, houses

from arboretum import MofN, TreeClassifier, TreeRegressor
from arboretum._show.page.data import page_data

LONG_DATA = "the first half of the rows, in a name that is long"
# Of each text whether it sticks out of its element, and those elements that are wider than their room.
WIDER = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 80))"


@cache
def hospitals() -> Fitted:
    """Long names of levels, classes and columns; levels begin alike, two by two, and end alike."""
    rng = np.random.default_rng(4)
    towns = ("Saint-Germain-en-Laye", "Llanfairpwllgwyngyll", "Garmisch-Partenkirchen")
    wards = ("Paediatric Cardiology", "Thoracic Surgery", "Nuclear Medicine and Imaging")
    sites = [f"University Hospital of {town}, Department of {ward}" for town in towns for ward in wards]
    X = pd.DataFrame(
        {
            "treating_department": rng.choice(sites, 600),
            "systolic blood pressure at admission [mmHg]": rng.normal(130, 20, 600),
        }
    )
    score = X.iloc[:, 0].isin(sites[:4]) + (X.iloc[:, 1] > 140) + rng.normal(0, 0.3, 600)
    y = np.array(["discharged home", "transferred to a rehabilitation clinic"])[(score > 0.5).astype(int)]
    return TreeClassifier(max_depth=3, prune=None).fit(X, y), X, y


def boxes(page: Any, selector: str) -> list[dict[str, float]]:
    """Where the visible elements are, all told at once."""
    found: list[dict[str, float]] = page.locator(selector).evaluate_all(
        """(all) => all.filter((e) => e.checkVisibility() && getComputedStyle(e).visibility === "visible")
            .map((e) => e.getBoundingClientRect())
            .filter((box) => box.width > 0 && box.height > 0)
            .map(({ x, y, width, height }) => ({ x, y, width, height }))"""
    )
    return found


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(
        one[at] < other[at] + other[size] - 0.5 and other[at] < one[at] + one[size] - 0.5
        for at, size in (("x", "width"), ("y", "height"))
    )


def test_a_small_tree_opens_as_a_whole(visits: Visits) -> None:
    """Fifteen nodes were opened too large: leaves were cut off, and the map lay on two of them."""
    with visits.visit(fitted("by mistakes")[0]) as page:
        view = PageView(page)
        view.settle()
        stage = page.locator("#view-tree").bounding_box()
        cards = boxes(page, "#view-tree .card-box")
        assert len(cards) == 15
        for card in cards:
            assert card["x"] >= stage["x"]
            assert card["x"] + card["width"] <= stage["x"] + stage["width"]
            assert card["y"] + card["height"] <= stage["y"] + stage["height"]
        assert 12.5 * view.scale()[2] >= 9  # pixels: the text can be read
        assert not page.locator(".minimap").is_visible()


@pytest.mark.parametrize("kind", ["penguins", "unpruned"])
def test_the_map_lies_on_no_card(visits: Visits, kind: str) -> None:
    with visits.visit(fitted(kind)[0], viewport={"width": 1280, "height": 800}) as page:
        view = PageView(page)
        page.locator("#expand-all").click()
        n_seen, corners = 0, set()
        view.select(0)
        view.press("+", "+")
        for key in ["Shift+ArrowRight"] * 4 + ["Shift+ArrowDown"] * 5 + ["Shift+ArrowLeft"] * 8:
            view.press(key)
            if page.locator(".minimap").is_visible():
                n_seen += 1
                corners.add(page.locator(".minimap").get_attribute("data-corner"))
                here = page.locator(".minimap").bounding_box()
                assert not any(meet(here, card) for card in boxes(page, "#view-tree .card-box"))
        assert n_seen > 3
        assert len(corners) > 1  # it went out of the way


def test_what_saves_nothing_is_told_without_alarm(visits: Visits) -> None:
    model = TreeClassifier(missing="fractional", **BY_MISTAKES).fit(*fitted("fractions")[1:])
    told = page_data(model)
    assert len(told["nodes"]["id"]) == told["n_largest"] == 25 < told["n_nodes"] == 71
    with visits.visit(model) as page:
        PageView(page)
        words = page.locator(".page-subtitle").inner_text()
        assert "tree of up to 25 nodes, grown to 71" in words
        assert "in this page" not in words
    with visits.visit(fitted("unpruned")[0], max_nodes=7) as page:
        PageView(page)
        assert "7 of 29 nodes are in this page" in page.locator(".page-subtitle").inner_text()


def test_rules_are_shown_in_full(visits: Visits) -> None:
    """What decides stands last: the third line and what followed was cut off."""
    model, X, y = hospitals()
    with visits.visit(model, data={"training": (X, y), LONG_DATA: (X[::2], y[::2])}) as page:
        view = PageView(page)
        view.view("rules")
        rules = page.locator("#rules-table .rule-choice")
        hidden = rules.evaluate_all("all => all.filter(e => e.scrollHeight > e.clientHeight + 1).length")
        assert hidden == 0
        texts = rules.all_inner_texts()
        assert rules.evaluate_all("all => all.map(e => e.title)") == texts
        assert len(set(texts)) == len(texts) == model.tree_.n_leaves
        assert max(map(len, texts)) > 300
        assert page.locator("#rules-table th").evaluate_all(WIDER) == []


def test_on_a_phone_the_numbers_of_a_rule_are_seen(visits: Visits) -> None:
    model, X, y = fitted("penguins")
    with visits.visit(model, data={"training": (X, y)}, viewport={"width": 420, "height": 800}) as page:
        view = PageView(page)
        view.view("rules")
        assert page.locator("#view-rules").evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.locator("#rules-table td[data-column=rows]").first.is_visible()


def test_long_names_of_data_stay_in_the_panel(visits: Visits) -> None:
    model, X, y = hospitals()
    with visits.visit(model, data={"training": (X, y), LONG_DATA: (X[::2], y[::2])}) as page:
        view = PageView(page)
        view.select(0)
        assert page.locator("#panel, #panel .table-room").evaluate_all(WIDER) == []
        # No word of a class is broken.
        words = page.locator("#panel tr[data-class] th").first
        wide = words.evaluate(
            "e => { e.style.overflowWrap = 'normal'; return e.scrollWidth > e.clientWidth; }"
        )
        assert not wide


def test_levels_that_begin_alike_are_told_apart(visits: Visits) -> None:
    model, X, y = hospitals()
    told = page_data(model)["nodes"]
    asking = next(place for place, asked in enumerate(told["asked"]) if asked == [0])
    with visits.visit(model, data={"training": (X, y)}, viewport={"width": 2200, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        view.select(asking)
        names = page.locator("#panel .bars-name")
        for part in (".panel-part:not(.dependence)", ".dependence"):
            told_apart = page.locator(f"#panel {part} .bars-name").all_inner_texts()
            shown = [text for text in told_apart if text != "missing"]
            assert len(set(shown)) == len(shown) == 9
            assert all(text.startswith("…") and "University" not in text for text in shown)
        assert names.evaluate_all(WIDER) == []  # nothing of them is hidden
        edges = [
            "".join(page.locator(f"[data-edge='{child}'] .edge-label").all_text_contents())
            for child in told["children"][asking]
        ]
        assert len(set(edges)) == 2
        assert all(edge.startswith("…") for edge in edges)
        head = " ".join(page.locator(f"[data-node='{asking}'] .card-head").all_text_contents())
        assert "University" not in head
        assert "University" in page.locator(".panel-question").inner_text()  # there in full


def test_how_sure_a_label_is_stays_readable(visits: Visits) -> None:
    model, _, _ = hospitals()
    with visits.visit(model, viewport={"width": 2200, "height": 1400}) as page:
        view = PageView(page)
        view.fit()
        n_long = 0
        for place in view.shown():
            lines = page.locator(f"[data-node='{place}']").locator(".card-label, .is-leaf .card-head")
            texts = view.item(place).locator(".card-head").all_text_contents() + lines.all_text_contents()
            assert any(re.search(r"\d%$", text) for text in texts)
            n_long += any("…" in text for text in texts)
        assert n_long > 0


def test_numbers_are_rounded_and_never_cut(visits: Visits) -> None:
    """ "8,13…" was neither 8.13 nor 8,130,000: half a number is another number."""
    X, y = houses()
    X = X.assign(area=X["area"] * np.pi * 1e-9)
    model = TreeRegressor(max_leaf_nodes=12, prune=None).fit(X, y * 12.345678)
    with visits.visit(model, data=(X, y * 12.345678), viewport={"width": 2400, "height": 1500}) as page:
        view = PageView(page)
        view.fit()
        texts = page.locator("#view-tree .card text, #view-tree .edge-label").all_text_contents()
        numbers = re.findall(r"\d[\d.,e+-]*…?", " ".join(texts))
        assert len(numbers) > 60
        assert [found for found in numbers if found.endswith("…")] == []
        digits = [re.sub(r"e.*|[^\d]|^[0.]+", "", found).strip("0") for found in numbers]
        assert max(map(len, digits)) == 6
        assert any(re.search(r"area <= \d\.\d+e-0?[78]$", text) for text in texts)
        assert any(re.search(r"squared_error \d\.\d+e[78]$", text) for text in texts)
        page.set_viewport_size({"width": 900, "height": 700})
        view.view("icicle")
        cut = page.locator("#view-icicle .strip-text").all_text_contents()
        assert any(text.endswith("…") for text in cut)
        assert not any(re.search(r"\d…$", text) for text in cut)


def test_rows_and_weights_are_told_apart(visits: Visits) -> None:
    model, X, y = fitted("weighted")
    root = model.tree_.root
    with visits.visit(model, data={"rows": (X, y)}, viewport={"width": 2200, "height": 1400}) as page:
        view = PageView(page)
        view.select(0)
        foot = " ".join(view.item(0).locator(".card-foot").all_text_contents())
        assert foot.startswith(f"{root.n_rows} rows, weight {root.weight:.6g}")
        assert view.figures()["Weight"] == f"{root.weight:.6g}"
        counts = view.counts()
        assert counts["All weights"][::2] == [f"{root.weight:.6g}", "150"]
        assert counts["Rows"][::2] == ["150", "150"]
        assert "Weights" in page.locator("#panel h3").all_inner_texts()
        assert f"150 rows of weight {root.weight:.6g}" in page.locator(".page-subtitle").inner_text()
        view.view("rules")
        assert page.locator("th[data-column=weight]").is_visible()
    with visits.visit(fitted("iris")[0]) as page:
        view = PageView(page)
        assert "weight" not in " ".join(page.locator(".card-foot").all_text_contents())
        assert "All" in view.counts()
        assert "Rows" not in view.counts()


@pytest.mark.parametrize(
    ("kind", "row"), [("penguins", 80), ("penguins", 3), ("numbers", 5), ("at least m", 9)]
)
def test_the_way_of_a_row_is_marked_and_told(visits: Visits, kind: str, row: int) -> None:
    model, X, _ = fitted(kind)
    told = page_data(model, row=X.iloc[[row]])["row"]
    with visits.visit(model, row=X.iloc[[row]], viewport={"width": 2400, "height": 1500}) as page:
        view = PageView(page)
        view.fit()
        alive = [place for place in told["nodes"] if place in view.shown()]
        assert alive[0] == 0
        assert len(alive) > 2
        edges = page.locator(".edge.of-row").evaluate_all("all => all.map(e => Number(e.dataset.edge))")
        assert sorted(edges) == sorted(alive[1:])
        cards = page.locator(".card.of-row").evaluate_all("all => all.map(e => Number(e.dataset.node))")
        assert sorted(cards) == sorted(alive)
        assert "on the way of the row" in view.item(alive[-1]).get_attribute("aria-label")
        reasons = page.locator("#row-reasons .rule-part").all_inner_texts()
        assert reasons == told["sentences"][: len(alive) - 1]
        assert page.locator("#row-conclusion").inner_text() == told["conclusion"]
        leaf = model.tree_.node(int(model.tree_.apply(X.iloc[[row]])[0]))
        assert f"{leaf.n_rows} rows" in told["conclusion"]
        page.locator("#row-reasons .rule-part").nth(1).click()
        assert view.selected == alive[1]


def test_the_way_of_a_row_follows_the_slider(visits: Visits) -> None:
    model, X, _ = fitted("penguins")
    row = X.iloc[[80]]
    with visits.visit(model, row=row) as page:
        view = PageView(page)
        for step in range(len(model.pruning_path_)):
            view.slide(step)
            tree = model.pruned(alpha=float(model.pruning_path_.alpha[step])).tree_
            leaf = tree.node(int(tree.apply(row)[0]))
            assert page.locator("#row-reasons li").count() == leaf.depth
            words = page.locator("#row-conclusion").inner_text()
            assert words.startswith(f"→ {leaf.label} (")
            assert words.endswith(f"of {leaf.n_rows} rows)")


def test_a_row_that_is_divided_has_several_ways(visits: Visits) -> None:
    model, X, _ = fitted("fractions")
    row = X.iloc[[3]]
    told = page_data(model, row=row)["row"]
    with visits.visit(model, row=row, viewport={"width": 2400, "height": 1500}) as page:
        view = PageView(page)
        view.fit()
        ends = page.locator(".card.of-row.is-leaf").count()
        assert ends > 1
        share = float(model.predict_proba(row).max())
        words = page.locator("#row-conclusion").inner_text()
        assert words == told["conclusion"]
        assert f"{100 * share:.0f}% blended from {ends} nodes" in words
        view.slide(len(model.pruning_path_) - 2)
        if page.locator(".card.of-row.is-leaf").count() > 1:
            assert page.locator("#row-conclusion").inner_text() == ""  # the page does not know it


def test_all_parts_of_a_question_are_on_its_card(visits: Visits) -> None:
    """A card ended after three lines, with "joined > 2020-03-09…" and half of the question missing."""
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 200 * 86_400, 400), unit="s")
    X = pd.DataFrame({"joined": days, "age": rng.integers(18, 80, 400)})
    outside = (X.joined > pd.Timestamp("2020-03-09")) | (X.joined <= pd.Timestamp("2020-01-09"))
    model = TreeClassifier(questions=MofN(), prune=None, max_depth=1).fit(X, outside & (X.age > 40))
    with visits.visit(model) as page:
        PageView(page)
        lines = page.locator("[data-node='0'] .card-head").all_text_contents()
        for literal in model.tree_.root.question.literals:
            assert f"{literal.beginning}{literal.value.partition('.500')[0]}" in " ".join(lines)
