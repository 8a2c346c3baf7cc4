"""The page of several outputs: one is looked at, and all are told of the selected node."""

from __future__ import annotations

from typing import Any

import pandas as pd
from support.browser import Visits
from support.export_models import HOSTILE
from support.page_view import PageView

from arboretum import TreeMixed, datasets


def made(names: list[str], depth: int = 3) -> tuple[Any, Any, Any]:
    X, species = datasets.load_penguins()
    known = X["body_mass_g"].notna()
    parts = (species, X["body_mass_g"], X["body_mass_g"] > 4200)
    Y = pd.DataFrame(dict(zip(names, parts, strict=True)))[known]
    X = X[known].drop(columns="body_mass_g")
    return TreeMixed(max_depth=depth, prune=None).fit(X, Y), X, Y


def test_an_output_is_chosen(visits: Visits) -> None:
    """By the choice in the header or the panel. Cards, legend and rules follow; what is open stays."""
    model, X, Y = made(["species", "mass", "heavy"])
    with visits.visit(model, data=(X, Y), row=X.iloc[[3]]) as page:
        view = PageView(page)
        leaf = view.leaves()[0]
        view.select(leaf)
        shown = view.shown()
        told = page.locator("#outputs tr").all_inner_texts()
        assert "Gentoo" in page.locator(".stage-legend").inner_text()
        page.select_option("#output", label="mass")
        view.settle()
        assert (view.selected, view.shown()) == (leaf, shown)
        value = model.tree_["mass"].array("value")[leaf]
        assert f"{value:,.0f}" in page.locator(".panel-label").inner_text()
        assert f"{value:,.0f}" in str(view.item(leaf).get_attribute("aria-label"))
        assert "output mass (2 of 3): a number" in page.locator(".page-subtitle").inner_text()
        assert "Gentoo" not in page.locator(".stage-legend").inner_text()
        assert page.locator("#outputs tr").all_inner_texts() == told
        assert page.locator("#row-conclusion").inner_text().endswith("rows)")
        view.view("rules")
        assert page.locator("th[data-column=label]").inner_text().startswith("Value")
        assert page.locator("#rules-filter").count() == 0
        page.locator("[data-output='2']").click()
        assert page.locator("#output").input_value() == "2"
        assert page.locator("th[data-column=label]").inner_text().startswith("Label")
        assert page.locator("#rules-filter option").all_inner_texts() == ["all classes", "False", "True"]
        view.view("icicle")
        page.select_option("#output", label="species")
        assert "Gentoo" in page.locator(".stage-legend").inner_text()


def test_evil_names_of_outputs_stay_names(visits: Visits) -> None:
    names = [HOSTILE[place] for place in (6, 4, 7)]
    model, _, _ = made(names)
    with visits.visit(model) as page:
        assert page.locator("#output option").count() == 3
        assert page.locator("#outputs button").all_inner_texts()[0] == names[0]
        page.select_option("#output", "2")
        assert page.locator("#outputs [aria-pressed=true]").count() == 1


def test_a_narrow_window_shows_the_choice_and_the_direction(visits: Visits) -> None:
    """A list was drawn on a phone, but the button for the root at the top was pressed."""
    model, _, _ = made(["species", "mass", "heavy"], depth=5)
    with visits.visit(model, viewport={"width": 390, "height": 800}) as page:
        assert page.locator("[data-choice=list]").get_attribute("aria-pressed") == "true"
        box = page.locator(".output-choice").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
