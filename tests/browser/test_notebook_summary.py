"""A fitted model at the end of a notebook's cell: the tree and its summary, in any colours and width."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.browser import NOTEBOOK, Visits
from support.pages import evil

from arboretum import TreeClassifier
from arboretum._show.summary_html import model_html

INSIDE = "all => all.every(e => e.getBoundingClientRect().right <= innerWidth + 1)"


def wide() -> TreeClassifier:
    """A model of many columns with long names."""
    rng = np.random.default_rng(0)
    names = [f"a_name_without_any_space_that_goes_on_and_on_{i}" for i in range(44)]
    X = pd.DataFrame(rng.normal(size=(120, 44)), columns=names)
    return TreeClassifier().fit(X, X[names[3]] + X[names[7]] > 0)


@pytest.mark.parametrize("width", [420, 1200])
@pytest.mark.parametrize("colours", ["color: #222; background: #fff", "color: #ddd; background: #111"])
def test_the_summary_stays_inside_and_takes_the_colours_around_it(
    visits: Visits, width: int, colours: str
) -> None:
    text = f'{NOTEBOOK}<body style="{colours}">{model_html(wide())}'
    with visits.visit(text=text, viewport={"width": width, "height": 900}) as page:
        summary = page.locator(".arboretum-summary")
        assert page.locator("iframe").count() == 1
        assert "and 32 others" in summary.inner_text()
        for part in ("h4", "li", "dd"):
            assert page.locator(f".arboretum-summary {part}").evaluate_all(INSIDE)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        around = page.locator("body").evaluate("e => getComputedStyle(e).color")
        inside = page.locator(".arboretum-summary td").first.evaluate("e => getComputedStyle(e).color")
        assert inside == around


def test_names_are_no_code(visits: Visits) -> None:
    text = f"{NOTEBOOK}{evil()[0].summary()._repr_html_()}"
    with visits.visit(text=text) as page:
        assert page.locator("img, script, b, i").count() == 0


def test_no_column_of_the_table_is_hidden(visits: Visits) -> None:
    """In a window of 1,100 pixels, two blocks side by side left the table a scroll bar instead of its end."""
    for width in (820, 1000, 1100, 1200, 1400):
        text = f'{NOTEBOOK}<body style="font: 16px sans-serif">{model_html(wide())}'
        with visits.visit(text=text, viewport={"width": width, "height": 900}) as page:
            table = page.locator(".arboretum-summary .wide")
            assert table.evaluate("e => e.scrollWidth <= e.clientWidth"), width


@pytest.mark.parametrize("dark", [False, True])
def test_the_tree_is_as_dark_as_the_notebook(visits: Visits, dark: bool) -> None:
    """JupyterLab may be dark where the reader's system is light, and the other way round."""
    light = "false" if dark else "true"
    text = f'{NOTEBOOK}<body data-jp-theme-light="{light}">{model_html(wide())}'
    with visits.visit(text=text, color_scheme="null") as page:
        frame = page.frame_locator("iframe")
        frame.locator("[role=treeitem]").first.wait_for()
        red = frame.locator("body").evaluate("e => +getComputedStyle(e).backgroundColor.match(/[0-9]+/)[0]")
        assert (red < 128) is dark
