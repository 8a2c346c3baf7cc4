"""What all charts promise: axes in, axes out, both themes, no settings changed, and refusals in one sentence.

A chart is a function of `arboretum.plot`; each is called once here with data that suit it. What the charts
show is tested beside this file, chart by chart.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import arboretum
from arboretum import (
    DataTypeError,
    Optimal,
    PackageError,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    datasets,
    plot,
)
from arboretum._show.picture.palette import DARK, LIGHT, THEMES
from arboretum.plot._axes import add_note, import_matplotlib, label_places, looks, name_ticks, plain
from arboretum.plot._ticks import tick_text

X, Y = datasets.load_iris()
MODEL = TreeClassifier().fit(X, Y)
NUMBERS = TreeRegressor(max_leaf_nodes=5, prune=None).fit(
    X[["petal_length", "petal_width"]], X["sepal_length"]
)
LEARNING = arboretum.learning_curve(MODEL, X, Y, sizes=[0.5, 1.0], repeats=2)
VALIDATION = arboretum.validation_curve(MODEL, X, Y, "max_depth", [1, 2], repeats=2)
COMPLEXITY = arboretum.complexity_curve(MODEL, X[::2], Y[::2], X[1::2], Y[1::2])
FOUND = arboretum.contributions(MODEL, X)
OPTIMAL = TreeClassifier(search=Optimal(alternatives=True), max_depth=2, prune=None).fit(X, Y)
STABLE = arboretum.stability(TreeClassifier(max_depth=3, prune=None), X, Y, n_resamples=10)

Chart = Callable[..., Any]
CHARTS: dict[str, Chart] = {
    "alternatives": lambda **how: plot.alternatives(OPTIMAL, **how),
    "calibration": lambda **how: plot.calibration(MODEL, X, Y, **how),
    "complexity_curve": lambda **how: plot.complexity_curve(COMPLEXITY, **how),
    "confusion_matrix": lambda **how: plot.confusion_matrix(MODEL, X, Y, **how),
    "contributions": lambda **how: plot.contributions(FOUND, **how),
    "contributions_summary": lambda **how: plot.contributions_summary(FOUND, target="setosa", **how),
    "importance": lambda **how: plot.importance(MODEL, **how),
    "impurities": lambda **how: plot.impurities(**how),
    "learning_curve": lambda **how: plot.learning_curve(LEARNING, **how),
    "partial_dependence": lambda **how: plot.partial_dependence(MODEL, "petal_width", X, **how),
    "partition": lambda **how: plot.partition(MODEL, data=(X, Y), **how),
    "precision_recall": lambda **how: plot.precision_recall(MODEL, X, Y, **how),
    "pruning_path": lambda **how: plot.pruning_path(MODEL, **how),
    "roc": lambda **how: plot.roc(MODEL, X, Y, **how),
    "stability": lambda **how: plot.stability(STABLE, "columns", **how),
    "surface": lambda **how: plot.surface(NUMBERS, **how),
    "tree": lambda **how: plot.tree(MODEL, **how),
    "validation_curve": lambda **how: plot.validation_curve(VALIDATION, **how),
}
FLAT = sorted(CHARTS.keys() - {"surface"})


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def test_every_chart_is_tried_here() -> None:
    assert set(CHARTS) == set(plot.__all__)


@pytest.mark.parametrize("name", CHARTS)
def test_axes_go_in_and_come_out(name: str) -> None:
    figure = Figure()
    ax = figure.add_subplot(projection="3d") if name == "surface" else figure.add_subplot()
    assert CHARTS[name](ax=ax) is ax
    assert plt.get_fignums() == []  # on axes that are given, pyplot knows of nothing


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", CHARTS)
def test_new_axes_in_one_new_figure_in_the_colours_of_the_theme(
    name: str, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is shown or saved, no setting changes, and a rendering has the page's colour at its corners."""
    for way in ("show", "savefig"):
        monkeypatch.setattr(plt, way, lambda *_, **__: pytest.fail("a chart was shown or saved"))
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: pytest.fail("a chart was saved"))
    before = dict(mpl.rcParams)
    ax = CHARTS[name](theme=theme)
    assert isinstance(ax, Axes)
    assert plt.get_fignums() == [1]
    assert dict(mpl.rcParams) == before
    picture = rendered(ax)
    page = np.round(np.array(to_rgba(THEMES[theme].page)) * 255)
    assert np.abs(picture[[0, 0, -1, -1], [0, -1, 0, -1]] - page).max() <= 1
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 20  # something is on it


def rendered(ax: Any) -> Any:
    """The picture of a figure, (height, width, 4)."""
    ax.get_figure().set_dpi(40)
    canvas = ax.get_figure().canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(float)


@pytest.mark.parametrize("name", CHARTS)
def test_a_theme_that_is_none(name: str) -> None:
    with pytest.raises(
        ParameterError, match=r"theme='drak' is not known; choose 'light', 'dark'\. Did you mean"
    ):
        CHARTS[name](theme="drak")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", FLAT)
def test_what_is_no_axes(name: str) -> None:
    figure = Figure()
    for wrong, hint in (
        (figure, "an object of type Figure.\nHint: fig, ax ="),
        (figure.subplots(1, 2), "an object of type ndarray.\nHint: give one of them"),
        ("ax", "an object of type str"),
        (Figure().add_subplot(projection="polar"), "of projection 'polar'"),
        (Figure().add_subplot(projection="3d"), "of projection '3d'"),
    ):
        with pytest.raises(DataTypeError, match=hint):
            CHARTS[name](ax=wrong)


def test_a_surface_needs_axes_in_space() -> None:
    with pytest.raises(DataTypeError, match="draws in space, but ax is an object of type Axes"):
        plot.surface(NUMBERS, ax=Figure().add_subplot())


@pytest.mark.parametrize("name", CHARTS)
def test_without_matplotlib(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(PackageError, match=r'pip install "arboretum\[plot\]"'):
        CHARTS[name]()


def test_importing_the_charts_imports_no_extra() -> None:
    """Not even pandas, unless scikit-learn, without which there is no estimator, imports it for itself."""
    code = (
        "import sys, sklearn.base; before = set(sys.modules); import arboretum.plot;"
        "print({'matplotlib', 'pandas', 'polars', 'pyarrow'} & (set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_matplotlib_is_pyplot() -> None:
    assert import_matplotlib("a test") is plt


# Looks


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_classes_differ_by_more_than_colour(palette: Any) -> None:
    found = looks([*palette.classes, palette.other], palette)
    for part in ("colour", "marker", "line", "hatch"):
        assert len({str(getattr(look, part)) for look in found if look.named}) == 8
    assert [look.named for look in found] == [True] * 8 + [False]


def test_a_class_has_the_same_colour_in_every_chart() -> None:
    """Three classes in the legends of three charts, and in the rows of a partition."""
    names = ["setosa", "versicolor", "virginica"]
    colours = {name: to_rgba(LIGHT.classes[i]) for i, name in enumerate(names)}
    for chart in ("roc", "precision_recall", "calibration"):
        legend = CHARTS[chart]().get_legend()
        entries = zip(legend.legend_handles, legend.get_texts(), strict=True)
        seen = {text.get_text().partition(" (")[0]: to_rgba(handle.get_color()) for handle, text in entries}
        assert {name: seen[name] for name in names} == colours, chart
    points = {
        tuple(c.get_facecolor()[0]) for c in CHARTS["partition"]().collections if hasattr(c, "get_sizes")
    }
    assert set(colours.values()) <= points


@pytest.mark.parametrize("name", ["pruning_path", "learning_curve", "complexity_curve", "roc", "calibration"])
def test_lines_that_are_there_already_are_left_alone(name: str) -> None:
    """Axes that hold a labelled line: it stays as it is, and the legend is that of the chart."""
    alone = [text.get_text() for text in CHARTS[name]().get_legend().get_texts()]
    ax = plt.figure().add_subplot()
    (mine,) = ax.plot([1, 2], [0, 1], label="mine")
    shown = CHARTS[name](ax=ax)
    assert [text.get_text() for text in shown.get_legend().get_texts()] == alone
    assert mine.get_label() == "mine"
    assert mine in shown.get_lines()


def test_names_are_written_as_they_stand() -> None:
    """Two dollars would make a formula, and a newline a second line."""
    assert plain("$a$\nb") == r"\$a\$ b"
    assert plain("x" * 500).endswith("…")
    assert label_places(0) == []
    assert len(label_places(1000)) <= 40


def test_names_that_begin_alike_are_told_apart() -> None:
    towns = ("Saint-Germain-en-Laye", "Garmisch-Partenkirchen")
    parts = ("Paediatric Cardiology", "Thoracic Surgery", "Nuclear Medicine and Imaging")
    names = [f"University Hospital of {town}, Department of {part}" for town in towns for part in parts]
    assert len(set(name_ticks(names, 9.0))) == 6
    assert name_ticks(["$ in cash", "b"], 9.0) == [r"\$ in cash", "b"]


# Notes and numbers

LONG = "not drawn: " + ", ".join(
    f"{n} rows that miss the column number {n} of a wide table" for n in range(9)
)


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("size", [(3.0, 3.0), (6.8, 4.8), (12.0, 4.0)])
def test_notes_keep_to_the_figure(size: tuple[float, float], layout: Any) -> None:
    """They ran off its end."""
    for dpi in (60, 100, 220):
        figure = Figure(figsize=size, layout=layout, dpi=dpi)
        ax = figure.add_subplot()
        add_note(ax, LIGHT, [LONG, "short", "x" * 300])
        figure.draw_without_rendering()
        assert ax._left_title.get_window_extent().x1 <= figure.bbox.x1  # type: ignore[attr-defined]
        lines = ax.get_title(loc="left").split("\n")
        assert " ".join(lines[: lines.index("short")]) == LONG
        assert lines[-1].endswith("…")


@pytest.mark.parametrize("projection", [None, "3d"])
def test_notes_keep_to_their_part_of_the_figure(projection: Any) -> None:
    """Also if the next axes are made later."""
    figure = Figure(figsize=(10, 4))
    ax = figure.add_subplot(121, projection=projection)
    add_note(ax, LIGHT, [LONG])
    after = figure.add_subplot(122)
    figure.draw_without_rendering()
    note = ax._left_title
    assert note.get_window_extent().x1 < after.get_window_extent().x0
    assert len(note.get_text().split("\n")) >= 5


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([0.0, 0.1, 0.2, 0.30000000000000004], ["0.0", "0.1", "0.2", "0.3"]),
        ([-0.5, 0.0, 0.5], ["-0.5", "0.0", "0.5"]),
        ([5000.0, 10000.0, 15000.0], ["5,000", "10,000", "15,000"]),
        ([0.0, 5e6, 1e7, 1.5e7], ["0", "5e+06", "1e+07", "1.5e+07"]),
        ([1e7, 1e7 + 1, 1e7 + 2], ["10000000", "10000001", "10000002"]),
        ([0.0, 2e-6, 4e-6], ["0", "2e-06", "4e-06"]),
        ([3.0], ["3"]),
        ([0.0], ["0"]),
    ],
)
def test_ticks_have_as_many_digits_as_tell_them_apart(places: list[float], expected: list[str]) -> None:
    assert [tick_text(place, places) for place in places] == expected
