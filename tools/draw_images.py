"""Draw the pictures of the documentation anew: python tools/draw_images.py [--rivals].

With --rivals also those of other tools, which must be installed: dtreeviz, supertree, and Graphviz's dot.
Needs Chromium, which turns SVG and HTML into PNG. Look at every picture afterwards.
"""

from __future__ import annotations

import argparse
import doctest
import io
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import arboretum
from arboretum import Oblique, TreeClassifier, TreeRegressor, datasets, plot
from arboretum.export import to_html, to_svg

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COMPARED = IMAGES / "compare"
WINDOW = (1300, 900)


def draw_own() -> None:
    """The pictures of this package."""
    X, y = datasets.load_penguins()
    model = TreeClassifier().fit(X, y)
    to_svg(model, IMAGES / "penguins.svg", title="Which penguin is it?", max_depth=3)
    charts = to_svg(model, data=(X, y), charts=True, row=X.iloc[[20]], title="Which penguin is it?")
    shoot(charts, IMAGES / "penguins-charts.png")


def draw_charts() -> None:
    """The charts of docs/charts.md, with the trees that are fitted there."""
    X, y = datasets.load_iris()
    petals = TreeClassifier(max_depth=3, prune=None).fit(X[["petal_length", "petal_width"]], y)
    keep(plot.partition(petals, data=(X, y)), "partition")
    sepals = TreeClassifier(questions=Oblique(), max_depth=3, prune=None).fit(X.iloc[:, :2], y)
    keep(plot.partition(sepals, data=(X, y), theme="dark"), "partition-oblique")
    rows, columns = (X, X["sepal_length"]), ("petal_length", "sepal_width")
    heights = TreeRegressor(max_leaf_nodes=8, prune=None).fit(X[list(columns)], X["sepal_length"])
    keep(plot.partition(heights, "petal_length", rows, at={"sepal_width": 3.0}), "steps")
    keep(plot.surface(heights, columns, rows), "surface")
    keep(plot.pruning_path(TreeClassifier().fit(X, y)), "pruning-path")
    keep(plot.impurities(), "impurities")
    draw_charts_of_penguins()
    draw_dependence()


def draw_charts_of_penguins() -> None:
    """Those of the larger table."""
    X, y = datasets.load_penguins()
    model = TreeClassifier().fit(X, y)
    at, columns = {"island": "Dream", "bill_depth_mm": 17}, ("bill_length_mm", "flipper_length_mm")
    keep(plot.partition(model, columns, (X, y), at=at), "partition-at")
    keep(plot.importance(arboretum.permutation_importance(model, X, y, repeats=5)), "importance")
    found = arboretum.stability(TreeClassifier(max_depth=4, prune=None), X, y)
    keep(plot.stability(found)["columns"], "stability")
    keep(plot.learning_curve(arboretum.learning_curve(TreeClassifier(), X, y, repeats=3)), "learning-curve")
    two = X[["bill_length_mm", "body_mass_g"]]
    rough = TreeClassifier(prune=None, min_samples_leaf=8).fit(two[::2], y[::2])
    keep(plot.roc(rough, two[1::2], y[1::2]), "roc")
    keep(plot.confusion_matrix(rough, two[1::2], y[1::2], normalize="true"), "confusion-matrix")


def draw_contributions() -> None:
    """The charts of docs/contributions.md."""
    X, y = datasets.load_penguins()
    found = arboretum.contributions(TreeClassifier().fit(X, y), X)
    keep(plot.contributions(found, 200), "contributions")
    keep(plot.contributions_summary(found, target="Adelie"), "contributions-summary")


def draw_dependence() -> None:
    """Those of docs/dependence.md, by its examples."""
    page = (IMAGES.parent / "dependence.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    drawn: list[Any] = []
    for example in doctest.DocTestParser().get_examples(page):
        exec(example.source, names)
        if "ax" in names and names["ax"] not in drawn:
            drawn.append(names["ax"])
    for ax, name in zip(drawn, ("steps", "correlated", "map", "rows"), strict=True):
        keep(ax, f"dependence-{name}")


def draw_rare_classes() -> None:
    """The curve of docs/rare_classes.md, by the examples of the page up to it."""
    page = (IMAGES.parent / "rare_classes.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page):
        exec(example.source, names)
        if "ax" in names:
            break
    keep(names["ax"], "rare-classes")


def draw_page() -> None:
    """The interactive page of docs/interactive.md: a chosen node, the icicle, the rules."""
    X, y = datasets.load_penguins()
    model = TreeClassifier(competitors=3).fit(X, y)
    how: dict[str, Any] = {"data": {"training": (X, y)}, "title": "Which penguin is it?"}
    choose = "[role=treeitem][data-node='1']"
    shoot(to_html(model, theme="light", **how), IMAGES / "interactive-tree.png", [choose, "#zoom-fit"])
    icicle = ["[data-choice=icicle]"]
    shoot(to_html(model, theme="dark", **how), IMAGES / "interactive-icicle.png", icicle)
    rules = ["[data-choice=rules]", "#rules-table tr[data-node='5']"]
    shoot(to_html(model, theme="light", **how), IMAGES / "interactive-rules.png", rules)


def draw_notebook() -> None:
    """What a fitted model shows at the end of a notebook's cell, for docs/summary.md: below the tree."""
    model = TreeClassifier().fit(*datasets.load_penguins())
    frame = '<body style="font-family: sans-serif; margin: 1rem">'
    shoot(f"<!doctype html>{frame}{model.summary()._repr_html_()}", IMAGES / "summary.png")


def draw_rivals() -> None:
    """The same trees by other tools, and here."""
    COMPARED.mkdir(exist_ok=True)
    for name in ("iris", "penguins"):
        X, y = getattr(datasets, f"load_{name}")()
        X = X.select_dtypes("number").drop(columns="year", errors="ignore")
        known = X.notna().all(axis=1)
        X, y = X[known], y[known]
        own = TreeClassifier(max_depth=4, prune=None, leaf="frequency").fit(X, y)
        shoot(to_svg(own, data=(X, y), charts=True, direction="down"), COMPARED / f"arboretum-{name}.png")
        shoot(by_dtreeviz(X, y), COMPARED / f"dtreeviz-{name}.png")
        shoot(by_supertree(X, y), COMPARED / f"supertree-{name}.png")


def grown(X: Any, y: Any) -> tuple[Any, Any, list[str]]:
    """The same tree as an estimator of scikit-learn, for numbers of classes, as both tools want it."""
    classes = sorted(set(y))
    codes = y.map(classes.index).to_numpy(dtype=int)
    own = TreeClassifier(max_depth=4, prune=None, leaf="frequency").fit(X.to_numpy(), codes)
    return own.to_sklearn(), codes, classes


def by_dtreeviz(X: Any, y: Any) -> str:
    """The SVG that dtreeviz draws."""
    model, codes, classes = grown(X, y)
    tool = import_module("dtreeviz")
    names = {"feature_names": list(X.columns), "target_name": "species", "class_names": classes}
    text: str = tool.model(model, X.to_numpy(), codes, **names).view(scale=1.5).svg()
    return text


def by_supertree(X: Any, y: Any) -> str:
    """The page that supertree writes."""
    model, codes, classes = grown(X, y)
    tool = import_module("supertree")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        tool.SuperTree(model, X.to_numpy(), codes, list(X.columns), classes).save_html(str(path))
        return path.read_text(encoding="utf-8")


def keep(ax: Any, name: str) -> None:
    """Write the figure of a chart to a PNG of few colours."""
    import matplotlib.pyplot as plt
    from PIL import Image

    written = io.BytesIO()
    ax.figure.savefig(written, dpi=110, facecolor=ax.figure.get_facecolor())
    plt.close(ax.figure)
    image = Image.open(written).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    image.save(IMAGES / f"{name}.png", optimize=True)


def shoot(text: str, path: Path, clicks: Sequence[str] = ()) -> None:
    """Write an SVG or a page, as a browser shows it after some clicks, to a PNG of few colours."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    size = re.search(r'<svg[^>]* width="([\d.]+)(?:p[tx])?"[^>]* height="([\d.]+)', text[:2000])
    is_svg = text.lstrip().startswith(("<svg", "<?xml"))
    width, height = (int(float(part)) + 1 for part in size.groups()) if size and is_svg else WINDOW
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        source = Path(folder) / ("picture.svg" if is_svg else "page.html")
        source.write_text(text, encoding="utf-8")
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(source.as_uri())
        for place in clicks:
            page.locator(place).first.click()
        page.wait_for_timeout(500)
        image = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    # Rare colours, such as those of chips, must stay apart.
    few = image.convert("RGB").quantize(96, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw the pictures of the documentation.")
    parser.add_argument("--rivals", action="store_true", help="also those of dtreeviz and supertree")
    wanted = parser.parse_args()
    draw_own()
    draw_charts()
    draw_contributions()
    draw_rare_classes()
    draw_page()
    draw_notebook()
    if wanted.rivals:
        draw_rivals()
