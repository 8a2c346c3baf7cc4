"""What a reader sees and does on the page, in a few words: select a node, read the panel, move the slider.

A place is a node's place in the data of the page, as in `data-node`; shown nodes are drawn in the window.
Nothing is expected here: that is for the tests.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PageView"]


class PageView:
    """One open page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.locator("[role=treeitem]").first.wait_for()

    def item(self, place: int) -> Any:
        """The card or strip of a node."""
        return self.page.locator(f"[role=treeitem][data-node='{place}']:visible")

    def select(self, place: int) -> None:
        """Click on a node."""
        self.item(place).click()

    @property
    def selected(self) -> int:
        """The node that the panel tells of."""
        return int(self.page.locator("#panel").get_attribute("data-node"))

    @property
    def focused(self) -> int | None:
        """The node that has the focus of the keyboard."""
        found = self.page.evaluate("document.activeElement?.getAttribute('data-node')")
        return None if found is None else int(found)

    def shown(self) -> list[int]:
        """The nodes that are drawn, in order."""
        self.settle()
        items = self.page.locator("[role=treeitem]:visible")
        return sorted(items.evaluate_all("all => all.map(one => Number(one.dataset.node))"))

    def leaves(self) -> list[int]:
        """Those among them at which nothing is asked."""
        self.settle()
        items = self.page.locator("[role=treeitem].is-leaf:visible")
        return sorted(items.evaluate_all("all => all.map(one => Number(one.dataset.node))"))

    def fit(self) -> None:
        """Show the whole tree."""
        self.page.locator("#zoom-fit").click()
        self.settle()

    def view(self, name: str) -> None:
        """Switch to the tree, the icicle or the rules."""
        self.page.locator(f"[data-choice={name}]").click()
        self.settle()

    def settle(self) -> None:
        """Wait until what is drawn once per frame has been drawn."""
        self.page.evaluate("() => new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)))")

    def figures(self) -> dict[str, str]:
        """The figures of the panel by their names."""
        names = self.page.locator("#panel dl dt").all_inner_texts()
        return dict(zip(names, self.page.locator("#panel dl dd").all_inner_texts(), strict=True))

    def counts(self) -> dict[str, list[str]]:
        """The lines of the table of counts by their names."""
        lines = self.page.locator("#panel table.counts tbody tr").evaluate_all(
            "rows => rows.map(row => Array.from(row.cells, cell => cell.innerText.trim()))"
        )
        return {line[0]: line[1:] for line in lines}

    def rule(self) -> str:
        """The rule of the selected node in one line."""
        return str(self.page.locator("#rule-text").text_content())

    def slide(self, step: int) -> None:
        """Move the pruning slider to a step, as a mouse would; open what it is in if that is closed."""
        closed = self.page.locator("#pruning:not([open]) summary")
        if closed.count():
            closed.click()
        self.page.locator("#pruning-slider").fill(str(step))
        self.settle()

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def scale(self) -> tuple[float, float, float]:
        """How the picture lies in the window: to the right, down, and how large."""
        found = self.page.locator("#view-tree .world").evaluate(
            "world => { const m = world.transform.baseVal.consolidate().matrix; return [m.e, m.f, m.a]; }"
        )
        return found[0], found[1], found[2]
