"""What a column does, in the panel: steps and bars are the partial dependence by the weights of the tree."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.browser import Visits
from support.page_view import PageView
from support.pages import fitted

from arboretum import partial_dependence
from arboretum._show.page.data import page_data

TALL: dict[str, Any] = {"viewport": {"width": 1500, "height": 1900}}


def heights(page: Any) -> Any:
    """The heights of the steps of each line, as drawn: lines by steps."""
    paths = page.locator(".dependence-line").evaluate_all("all => all.map(one => one.getAttribute('d'))")
    return np.array(
        [[float(height) for height in re.findall(r"(?:M\S+ |V)(-?[\d.]+)H", path)] for path in paths]
    )


@pytest.mark.parametrize("kind", ["iris", "numbers"])
def test_lines_have_the_heights_of_the_dependence(visits: Visits, kind: str) -> None:
    model, _, _ = fitted(kind)
    known = page_data(model)["dependence"]["columns"]
    tree = model.tree_
    with visits.visit(model, **TALL) as page:
        view = PageView(page)
        view.select(0)
        choice = page.locator("#dependence-column")
        assert tree.columns[int(choice.input_value())].name == tree.root.question.column
        assert sorted(choice.locator("option").evaluate_all("all => all.map(one => one.value)")) == sorted(
            known
        )
        numeric = [place for place, shown in known.items() if shown["levels"] is None]
        assert numeric
        for place in numeric:
            choice.select_option(place)
            values = partial_dependence(tree, int(place), kind="tree").values
            drawn = heights(page)
            assert drawn.shape == values.shape
            # Down the page is up the axis; the rest is a matter of scale.
            line = np.polyfit(values.ravel(), drawn.ravel(), 1)
            assert line[0] < 0
            np.testing.assert_allclose(np.polyval(line, values), drawn, atol=0.1)
            name = tree.columns[int(place)].name
            words = page.locator(".dependence [role=img]").get_attribute("aria-label")
            assert words.startswith(f"Mean prediction by {name}, from ")


def test_the_column_of_the_node_or_of_its_parent_is_shown(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    data = page_data(model)
    nodes = data["nodes"]
    with visits.visit(model, **TALL) as page:
        view = PageView(page)
        page.locator("#expand-all").click()
        view.fit()
        for place in view.shown():
            view.select(place)
            asks = place not in view.leaves()
            asked = nodes["asked"][place if asks else nodes["parent"][place]][0]
            assert page.locator("#dependence-column").input_value() == str(asked)


def test_levels_are_bars(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    tree = model.tree_
    place = tree._place_of("island")
    found = partial_dependence(tree, "island", kind="tree")
    with visits.visit(model, **TALL) as page:
        page.locator("#dependence-column").select_option(str(place))
        rows = page.locator(".dependence .bars-row")
        assert rows.locator(".bars-name").all_inner_texts() == found.grid[0].tolist()
        classes = [found.classes[number] for number in found.values.argmax(axis=0)]  # type: ignore[index]
        for text, name, share in zip(
            rows.locator(".bars-figure").all_inner_texts(), classes, found.values.max(axis=0), strict=True
        ):
            assert text == f"{name} {share:.0%}"


def test_other_trees_of_the_path_have_none(visits: Visits) -> None:
    """It was computed for the tree as fitted; at other steps of the slider it would mislead."""
    model, _, _ = fitted("iris")
    with visits.visit(model, **TALL) as page:
        view = PageView(page)
        assert page.locator(".dependence").count() == 1
        view.slide(0)
        assert page.locator(".dependence").count() == (0 if model.pruning_path_.chosen != 0 else 1)
        view.slide(model.pruning_path_.chosen)
        assert page.locator(".dependence").count() == 1
