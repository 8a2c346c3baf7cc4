"""The player of a trace: next, back, jump, play, keys, phones; the tree grows beside the table."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import Visits

from arboretum import TreeClassifier, datasets, trace


@pytest.fixture(scope="module")
def told() -> Any:
    X, y = datasets.load_iris(backend="pandas")
    return trace(TreeClassifier(prune="reduced_error", max_depth=3, leaf="frequency"), X, y)


def shown(page: Any) -> str:
    """The heading of the one step that is shown."""
    (heading,) = [text for text in page.locator("section:visible h2").all_text_contents()]
    return str(heading)


def questions(page: Any) -> list[str]:
    """What the tree asks as it is now."""
    return [str(text) for text in page.locator("#tree .question:visible").all_text_contents()]


def asked_by(tree: Any) -> list[str]:
    return [str(node.question) for node in tree.walk() if not node.is_leaf]


def test_steps_and_tree_go_together(visits: Visits, told: Any) -> None:
    """After every step the tree asks what the replayed tree asks, forwards and backwards."""
    with visits.visit(text=told.to_html()) as page:
        n_steps = len(told)
        for step in range(1, n_steps + 1):
            assert shown(page).startswith(f"Step {step}. ")
            assert page.text_content("#count") == f"{step} of {n_steps}"
            assert sorted(questions(page)) == sorted(asked_by(told.replay(step)))
            if step < n_steps:
                page.click("#next")
        assert page.is_disabled("#next")
        page.click("#back")
        assert shown(page).startswith(f"Step {n_steps - 1}. ")
        assert sorted(questions(page)) == sorted(asked_by(told.replay(n_steps - 1)))


def test_keys_jumps_and_cards(visits: Visits, told: Any) -> None:
    with visits.visit(text=told.to_html()) as page:
        page.keyboard.press("End")
        assert shown(page).startswith(f"Step {len(told)}. ")
        page.keyboard.press("Home")
        assert page.is_disabled("#back")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert shown(page).startswith("Step 2. ")
        page.fill("#jump", "3")
        assert shown(page).startswith("Step 3. ")
        page.click("#tree li[data-node='0'] > .node")
        assert shown(page).startswith("Step 1. ")
        chosen = page.locator("section:visible tr.is-chosen .asked").first.text_content()
        assert chosen == told.steps[0].choice


def test_it_plays_by_itself_and_can_be_stopped(visits: Visits, told: Any) -> None:
    with visits.visit(text=told.to_html()) as page:
        page.keyboard.press(" ")
        assert page.text_content("#play") == "Pause"
        page.locator("#count", has_text=f"2 of {len(told)}").wait_for()
        page.click("#play")
        assert page.get_attribute("#play", "aria-pressed") == "false"


def test_phones(visits: Visits, told: Any) -> None:
    """Nothing is wider than the screen, and buttons are large enough for fingers."""
    with visits.visit(text=told.to_html(), viewport={"width": 360, "height": 740}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        for name in ("back", "next", "play"):
            box = page.locator(f"#{name}").bounding_box()
            assert min(box["width"], box["height"]) >= 40


def test_names_of_the_data_are_no_code(visits: Visits) -> None:
    bad = "</script><img src=x onerror=alert(1)>"
    X = [[0], [1], [2], [3]]
    told = trace(TreeClassifier(prune=None), X, [bad, bad, "b", "b"])
    with visits.visit(text=told.to_html(title=bad)) as page:
        assert page.text_content("h1") == bad


def test_without_a_script_all_steps_are_listed(visits: Visits, told: Any) -> None:
    with visits.visit(text=told.to_html(), java_script_enabled=False) as page:
        assert page.locator("section:visible").count() == len(told)
        assert page.locator("#controls").is_hidden()
