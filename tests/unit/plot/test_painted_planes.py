"""The plane of models other than trees: what they predict at each point, and clear refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib
import matplotlib.colors
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from arboretum import ArboretumError, TreeClassifier, datasets, plot

matplotlib.use("Agg")

X, Y = datasets.make_rotated_box(120, noise=0.1)


@pytest.mark.parametrize("backend", ["pandas", "polars", "array"])
@pytest.mark.parametrize("model", [KNeighborsClassifier(3), SVC()])
def test_each_point_has_the_colour_of_its_class(model: Any, backend: str) -> None:
    """Of two points, the one is nearer to the colour of a class whose class it is."""
    table, y = datasets.make_rotated_box(120, noise=0.1, backend=None if backend == "array" else backend)
    table = table.to_numpy() if backend == "array" else table
    model.fit(table, y)
    ax = plot.partition(model, data=(table, y))
    (image,) = ax.images
    picture = np.asarray(image.get_array())
    left, right, bottom, top = image.get_extent()
    wide, high = picture.shape[1::-1]
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["no", "yes"]
    colours: list[Any] = [
        np.array(matplotlib.colors.to_rgb(dots.get_facecolor()[0])) for dots in ax.collections
    ]
    places = [(x, z) for x in (7, 60, 120, 200) for z in (11, 80, 130, 222)]
    at = [
        (left + (right - left) * x / (wide - 1), bottom + (top - bottom) * z / (high - 1)) for x, z in places
    ]
    points = (
        np.array(at)
        if backend == "array"
        else type(table)({"x": np.array(at)[:, 0], "y": np.array(at)[:, 1]})
    )
    for (x, z), label in zip(places, model.predict(points), strict=True):
        away = [np.abs((picture[z, x] - 1) - (colour - 1) * 0.34).sum() for colour in colours]
        assert ["no", "yes"][int(np.argmin(away))] == label
    assert sum(len(np.asarray(dots.get_offsets())) for dots in ax.collections) == 120


def test_a_class_that_no_drawn_row_has_keeps_its_colour() -> None:
    """Where the rows are all of one class, the model still predicts both."""
    model = KNeighborsClassifier(3).fit(X, Y)
    whole, part = (plot.partition(model, data=data) for data in ((X, Y), (X[Y == "yes"], Y[Y == "yes"])))
    for ax in (whole, part):
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]
    limits = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}
    pictures = [
        np.asarray(plot.partition(model, data=data, limits=limits).images[0].get_array())
        for data in ((X, Y), (X[Y == "yes"], Y[Y == "yes"]))
    ]
    np.testing.assert_array_equal(*pictures)


def test_numbers_have_a_scale() -> None:
    """A line rises from one end of the scale to the other."""
    model = LinearRegression().fit(X, X.x)
    ax = plot.partition(model, data=(X, X.x), limits={"x": (-1.0, 1.0)})
    (image,) = ax.images
    row = np.asarray(image.get_array())[100]
    assert (row[0] != row[-1]).any()
    assert ax.get_xlim() == (-1.0, 1.0)
    assert ax.get_ylim()[0] < X.y.min()


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "no data": (lambda: plot.partition(SVC().fit(X, Y)), "needs a fitted tree estimator or a Tree, not SVC"),
    "three columns": (
        lambda: plot.partition(SVC().fit(X, Y), data=(X.assign(z=1.0), Y)),
        "in the plane of two columns of numbers",
    ),
    "text": (
        lambda: plot.partition(SVC().fit(X, Y), data=(X.assign(y="a"), Y)),
        "needs columns of numbers",
    ),
    "gaps": (
        lambda: plot.partition(SVC().fit(X, Y), data=(X.assign(y=np.nan), Y)),
        "needs numbers without gaps",
    ),
    "no pair": (lambda: plot.partition(SVC().fit(X, Y), data=X), "needs data=(X, y)"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str) -> None:
    """One sentence that says what is needed."""
    draw, said = CASES[case]
    with pytest.raises(ArboretumError) as caught:
        draw()
    assert said in str(caught.value)


def test_trees_are_drawn_exactly_as_before() -> None:
    """With regions, not with points."""
    assert not plot.partition(TreeClassifier().fit(X, Y), data=(X, Y)).images
