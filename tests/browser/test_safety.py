"""A page runs nothing but its own script, wherever it is opened, and whatever the data are called.

Evil names would be code if anybody let them. The visits fail if a page asks the network, pops something up or
is refused anything by its own policy.
"""

from __future__ import annotations

import pytest
from support.browser import NOTEBOOK, Visits
from support.pages import EVIL, evil, fitted

from arboretum import TreeClassifier, datasets
from arboretum._show.page.html import notebook_html, to_html


def test_evil_names_are_shown_and_not_run(visits: Visits) -> None:
    model, X, y = evil()
    with visits.visit(model, data={EVIL: (X, y)}, title=EVIL) as page:
        assert page.locator("h1").inner_text().strip() == EVIL
        assert page.locator("[role=treeitem]").count() > 1
        for view in ("icicle", "rules", "tree"):
            page.locator(f"[data-choice={view}]").click()
        page.locator("[role=treeitem]").first.click()
        assert EVIL in page.locator("main").inner_text()
        # Nothing of a name has become an element.
        assert page.locator("img, b, i, main script").count() == 0


def test_the_policy_stops_a_script_that_got_in_all_the_same(visits: Visits) -> None:
    """The page writes names as text; if it ever did not, its policy would still refuse to run them."""
    text = to_html(fitted("iris")[0]).replace("<body>", "<body><script>window.ran = true</script>")
    text = text.replace("<main ", '<img src="data:," onerror="window.ran = true"><main ')
    with visits.visit(text=text) as page:
        assert page.evaluate("window.ran") is None
        assert page.locator("[role=treeitem]").count() > 1
    assert len(visits.faults) >= 2
    assert all("Content Security Policy" in fault for fault in visits.faults)
    visits.faults.clear()


def test_without_a_script_the_still_is_shown(visits: Visits) -> None:
    model = fitted("penguins")[0]
    with visits.visit(model, java_script_enabled=False) as page:
        assert page.locator("pre").inner_text() == str(model.tree_)
        assert page.locator("img").is_visible()


def test_a_notebook_shows_the_page_in_its_frame(visits: Visits) -> None:
    tree = fitted("penguins")[0].tree_
    with visits.visit(text=f"{NOTEBOOK}{notebook_html(tree)}") as page:
        frame = page.frame_locator("iframe")
        frame.locator("[role=treeitem]").first.wait_for()
        assert frame.locator("[role=treeitem]").count() > 3
        frame.locator("[role=treeitem][data-node='1']").click()
        assert frame.locator("#panel").get_attribute("data-node") == "1"
        assert not page.locator("[class^=arboretum-still]").is_visible()


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252", "shift_jis"])
def test_the_frame_does_not_depend_on_the_encoding_around_it(visits: Visits, charset: str) -> None:
    """A page that names no encoding may be read as windows-1252: the policy then refused the script."""
    X, y = datasets.load_iris()
    tree = TreeClassifier().fit(X.rename(columns=lambda name: f"{name} é→深"), y).tree_
    text = f"<!doctype html><meta charset={charset}><title>notebook</title>{notebook_html(tree)}"
    with visits.visit(text=text) as page:
        frame = page.frame_locator("iframe")
        frame.locator("[role=treeitem]").first.wait_for()
        assert "é→深" in frame.locator("[role=treeitem]").first.text_content()


def test_a_notebook_that_is_not_trusted_shows_the_picture(visits: Visits) -> None:
    """What is left after a sanitizer has taken style, frame and script away."""
    shown = notebook_html(fitted("penguins")[0].tree_)
    left = shown[: shown.index("<style>")]
    window = {"width": 600, "height": 800}
    with visits.visit(text=f"{NOTEBOOK}{left}", viewport=window) as page:
        assert page.locator("img").is_visible()
        assert page.locator("img").evaluate("image => image.naturalWidth") > 200
        assert page.evaluate("document.documentElement.scrollWidth") <= 600  # the width of the window


def test_a_trusted_output_hides_no_other_outputs_picture(visits: Visits) -> None:
    """Notebooks trust cell by cell: the style of one must not reach the picture of another."""
    trusted = notebook_html(fitted("penguins")[0].tree_)
    other = notebook_html(fitted("iris")[0].tree_)
    left = other[: other.index("<style>")]
    with visits.visit(text=f"{NOTEBOOK}<section id='other'>{left}</section>{trusted}") as page:
        page.locator("#other img").wait_for(state="visible")
