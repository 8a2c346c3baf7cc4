"""The pruning slider: at every step the page shows the tree that the library prunes to.

A step is one tree of the pruning path; the marks name the one that was chosen, the one of least risk and the
one that the rule of one standard error takes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support.browser import Visits
from support.noisy import fitted as noisy_model
from support.page_view import PageView
from support.pages import fitted, houses

from arboretum import CostComplexity, TreeRegressor
from arboretum._show.page.data import page_data

LARGE: dict[str, Any] = {"viewport": {"width": 2400, "height": 1500}}


@pytest.mark.parametrize("kind", ["iris", "weighted"])
def test_every_step_shows_the_tree_of_the_path(visits: Visits, kind: str) -> None:
    model, _, _ = fitted(kind)
    ids = page_data(model)["nodes"]["id"]
    path = model.pruning_path_
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        slider = page.locator("#pruning-slider")
        assert slider.input_value() == str(path.chosen)
        for step in [*range(len(path)), path.chosen]:  # to the root, and back to what grows again
            view.slide(step)
            page.locator("#expand-all").click()
            view.fit()
            pruned = model.pruned(alpha=float(path.alpha[step])).tree_
            assert [ids[place] for place in view.leaves()] == sorted(leaf.id for leaf in pruned.leaves())
            assert len(view.shown()) == len(pruned)
            words = slider.get_attribute("aria-valuetext")
            assert words.startswith(f"{pruned.n_leaves} lea")
            assert f"CV risk {path.cv_risk[step]:.3g}"[:12] in words


def test_the_slider_is_moved_by_keys_and_by_clicks_on_the_curve(visits: Visits) -> None:
    model, _, _ = fitted("iris")
    path = model.pruning_path_
    with visits.visit(model) as page:
        view = PageView(page)
        page.locator("#pruning-slider").focus()
        view.press("ArrowRight")
        assert page.locator("#pruning-slider").input_value() == str(path.chosen + 1)
        view.press("End")
        assert view.shown() == [0]
        view.press("Home")
        assert page.locator("#pruning-slider").input_value() == "0"
        page.locator("#pruning-chart [data-step='2']").click(force=True)
        view.settle()
        assert page.locator("#pruning-slider").input_value() == "2"
        assert f"{path.leaves[2]} leaves" in page.locator("#pruning-text").inner_text()
        # What changed is said to those who listen.
        assert f"{path.leaves[2]} leaves" in page.locator("[aria-live=polite]").inner_text()


@pytest.mark.parametrize("kind", ["penguins", "iris", "numbers"])
def test_the_thumb_stands_under_its_point(visits: Visits, kind: str) -> None:
    """The chart was logarithmic in leaves, the slider was not: what was clicked under 2 leaves gave 3."""
    model, _, _ = fitted(kind)
    with visits.visit(model) as page:
        view = PageView(page)
        slider = page.locator("#pruning-slider")
        box = slider.bounding_box()
        steps = len(model.pruning_path_)
        for step in sorted({0, 1, steps // 3, steps // 2, steps - 2, steps - 1}):
            view.slide(step)
            at = page.locator("#pruning-chart .chart-cursor").evaluate("e => e.getBoundingClientRect().x")
            share = step / (steps - 1)
            assert at == pytest.approx(box["x"] + 8 + share * (box["width"] - 16), abs=1)
            view.slide(0 if step else 1)
            page.mouse.click(at, box["y"] + box["height"] / 2)
            view.settle()
            # A pixel is less than a step, unless there are hundreds of them.
            assert abs(int(slider.input_value()) - step) <= (0 if steps < 100 else 1)


def test_leaves_are_written_under_their_steps(visits: Visits) -> None:
    model, _, _ = fitted("penguins")
    with visits.visit(model) as page:
        PageView(page)
        ticks = page.locator(".leaf-tick").evaluate_all(
            "all => all.map(e => [e.textContent, e.getAttribute('x')])"
        )
        points = page.locator(".chart-point").evaluate_all(
            "all => all.map(e => [Number(e.dataset.step), e.getAttribute('cx')]).sort((a, b) => a[0] - b[0])"
        )
        assert ticks == [[str(model.pruning_path_.leaves[step]), x] for step, x in points]
        assert page.locator(".axis-name").all_text_contents() == ["risk", "leaves"]


@pytest.mark.parametrize("kind", ["penguins", "iris", "numbers", "unpruned"])
def test_the_axis_of_risk_is_linear(visits: Visits, kind: str) -> None:
    with visits.visit(fitted(kind)[0]) as page:
        PageView(page)
        ticks = page.locator(".risk-tick").evaluate_all(
            "all => all.map(e => [e.textContent, Number(e.getAttribute('y'))])"
        )
        risks = [float(text.replace(",", "").replace("K", "e3")) for text, _ in ticks]
        places = [place for _, place in ticks]
        assert len(risks) >= 3
        assert np.allclose(np.polyval(np.polyfit(risks, places, 1), risks), places, atol=0.3)


@pytest.mark.parametrize("kind", ["penguins", "iris", "weighted"])
def test_the_standard_error_is_seen(visits: Visits, kind: str) -> None:
    model, _, _ = fitted(kind)
    told = page_data(model)["pruning"]
    with visits.visit(model) as page:
        PageView(page)
        bars = page.locator(".error-bar").evaluate_all("all => all.map(e => e.getBBox().height)")
        assert len(bars) == len(told["cv_se"])
        assert bars[told["best"]] >= 8
        off = page.locator(".off-axis").all_text_contents()
        risk = told["cv_risk"][-1]
        seen = page.locator(".chart-point").last.evaluate("e => !e.classList.contains('is-off')")
        assert seen or any(text.startswith(f"{risk:.2g}") for text in off)


@pytest.mark.parametrize("size", [(1280, 800), (700, 600), (390, 844)])
def test_names_of_steps_are_neither_struck_nor_cut(visits: Visits, size: tuple[int, int]) -> None:
    X, y = houses()
    models = [
        fitted("penguins")[0],
        TreeRegressor(prune=CostComplexity(rule="1se_unpaired"), max_depth=4).fit(X, y),
    ]
    n_names = 0
    for model in models:
        with visits.visit(model, viewport={"width": size[0], "height": size[1]}) as page:
            view = PageView(page)
            for step in (0, model.pruning_path_.chosen, len(model.pruning_path_) - 1):
                view.slide(step)
                chart = page.locator("#pruning-chart").bounding_box()
                names = [one.bounding_box() for one in page.locator(".chart-name").all()]
                cursor = page.locator(".chart-cursor").evaluate(
                    "e => { const r = e.getBoundingClientRect(); return [r.x, r.top]; }"
                )
                for name in names:
                    n_names += 1
                    struck = name["x"] < cursor[0] < name["x"] + name["width"]
                    assert not struck or cursor[1] >= name["y"] + name["height"] - 3
                    assert name["y"] >= chart["y"] - 3
                    assert name["x"] >= chart["x"]
                    assert name["x"] + name["width"] <= chart["x"] + chart["width"] + 1
                ends = sorted((name["x"], name["x"] + name["width"]) for name in names)
                assert all(end <= begin for (_, end), (begin, _) in pairwise(ends))
    assert n_names >= 6


def test_the_selection_stays_where_it_can(visits: Visits) -> None:
    model, _, _ = fitted("iris")
    nodes = page_data(model)["nodes"]
    with visits.visit(model, **LARGE) as page:
        view = PageView(page)
        view.slide(0)
        view.fit()
        deepest = max(view.leaves())
        view.select(deepest)
        view.slide(len(model.pruning_path_) - 1)
        assert view.selected == 0
        view.slide(0)
        view.fit()
        inner = nodes["children"][0][1]
        view.select(inner)
        view.slide(2)
        assert view.selected == inner


def test_the_marks_are_those_of_the_rules(visits: Visits) -> None:
    X, y = houses()
    model = TreeRegressor(prune=CostComplexity(rule="1se_unpaired")).fit(X, y)
    told = page_data(model)["pruning"]
    assert told["best"] < told["one_se"] == told["chosen"]
    with visits.visit(model) as page:
        PageView(page)
        marks = page.locator("#pruning-chart [data-marks]").evaluate_all(
            "all => all.map(m => m.dataset.marks)"
        )
        assert sorted(marks) == ["1-SE chosen", "least CV risk"]
        assert page.locator("#one-se-limit").count() == 1
        assert "chosen" in page.locator("#pruning-text").inner_text()


def test_without_rows_held_out_there_is_the_training_risk_alone(visits: Visits) -> None:
    with visits.visit(fitted("unpruned")[0]) as page:
        PageView(page)
        assert page.locator("#one-se-limit").count() == 0
        assert "training risk" in page.locator("#pruning-slider").get_attribute("aria-valuetext")


def test_a_page_that_begins_further_along_has_no_steps_before(visits: Visits) -> None:
    model = noisy_model()
    first = page_data(model, max_nodes=40)["pruning"]["first"]
    assert first > 0
    with visits.visit(model, max_nodes=40, **LARGE) as page:
        view = PageView(page)
        slider = page.locator("#pruning-slider")
        assert slider.get_attribute("min") == str(first)
        page.locator("#pruning-slider").focus()
        view.press("Home")
        assert slider.input_value() == str(first)
        assert slider.get_attribute("aria-valuetext").startswith(
            f"{model.pruning_path_.leaves[first]} leaves"
        )


def test_the_root_alone_has_no_slider(visits: Visits) -> None:
    with visits.visit(fitted("root alone")[0]) as page:
        assert PageView(page).shown() == [0]
        assert page.locator("#pruning").count() == 0
