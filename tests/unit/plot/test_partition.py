"""The partition plot, the steps and the surface: what is drawn is what the tree says, number by number.

Fills are the polygons of the regions, dots the rows drawn over them, notes the small text above. Geometry
itself is tested in properties/test_regions.py.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.dates import num2date
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]
from support.marks import allow_one_leaf
from support.planes import holds, leaf_at

from arboretum import (
    DataError,
    DataTypeError,
    MofN,
    Oblique,
    ParameterError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._show.picture.palette import DARK, LIGHT
from arboretum.plot import partition, surface
from arboretum.plot._artists import VisiblePoints
from arboretum.plot._plane.plane import open_plane
from arboretum.plot._plane.polygons import hold_each
from arboretum.plot._plane.regions import regions_of

X, Y = datasets.load_iris()
PETALS = X[["petal_length", "petal_width"]]
MODEL = TreeClassifier(max_depth=2, prune=None, leaf="frequency").fit(PETALS, Y)  # <= 2.45, <= 1.75
P, SPECIES = datasets.load_penguins()
PENGUINS = TreeClassifier().fit(P, SPECIES)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def fills(ax: Any) -> list[tuple[np.ndarray[Any, Any], Any]]:
    """The corners and the colour of each region, without the corner that closes it."""
    found = []
    for collection in ax.collections:
        if isinstance(collection, PolyCollection):
            colours: Any = collection.get_facecolor()
            for i, path in enumerate(collection.get_paths()):
                found.append((np.asarray(path.vertices)[:-1], tuple(colours[i % len(colours)])))
    return found


def rectangles(ax: Any) -> list[Rectangle]:
    """The bars, which are all that is drawn as a patch."""
    assert all(isinstance(patch, Rectangle) for patch in ax.patches)
    return list(ax.patches)


def dots(ax: Any) -> list[Any]:
    return [c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_offsets())]


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def note(ax: Any) -> str:
    return str(ax.get_title(loc="left"))


# Two columns


def test_iris_as_the_notes_draw_it() -> None:
    ax = partition(MODEL, data=(PETALS, Y))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal_length", "petal_width")
    found = fills(ax)
    (left, bottom), (right, top) = (ax.get_xlim()[0], ax.get_ylim()[0]), (ax.get_xlim()[1], ax.get_ylim()[1])
    boxes = sorted((*map(float, c.min(axis=0)), *map(float, c.max(axis=0))) for c, _ in found)
    expected = [(left, bottom, 2.45, top), (2.45, bottom, right, 1.75), (2.45, 1.75, right, top)]
    assert np.array(boxes) == pytest.approx(np.array(expected))
    assert sorted(texts(ax)) == ["setosa\n100%", "versicolor\n91%", "virginica\n98%"]
    assert legend(ax) == ["setosa", "versicolor", "virginica"]
    assert [len(c.get_offsets()) for c in dots(ax)] == [50, 50, 50]
    drawn = np.vstack([np.asarray(c.get_offsets()) for c in dots(ax)])
    assert drawn.tolist() == PETALS.to_numpy().tolist()
    assert len({c.get_paths()[0].vertices.tobytes() for c in dots(ax)}) == 3  # three markers
    assert note(ax) == ""


def test_borders_are_thinner_the_deeper_they_are() -> None:
    ax = partition(MODEL)
    borders: Any
    (borders,) = (c for c in ax.collections if isinstance(c, LineCollection))
    (first, second), widths = borders.get_segments(), borders.get_linewidths()
    if first[0, 0] != 2.45 or first[1, 0] != 2.45:
        first, second, widths = second, first, widths[::-1]
    assert first[:, 0].tolist() == [2.45, 2.45]
    assert second[:, 1].tolist() == [1.75, 1.75]
    assert widths[0] > widths[1]


@pytest.mark.parametrize("questions", ["axis", MofN(), Oblique()], ids=["axis", "at least", "oblique"])
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pixel_has_the_colour_of_its_prediction(questions: Any, palette: Any) -> None:
    """A rendering is looked at in 400 places, which the model predicts: fill nearest to that class."""
    model = TreeClassifier(prune=None, max_depth=4, questions=questions).fit(X.iloc[:, :2], Y)
    figure = Figure(figsize=(4, 4), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    partition(model, ax=ax, labels=False, legend=False, theme=palette.name)
    for collection in ax.collections:
        collection.set_hatch("") if isinstance(collection, PolyCollection) else collection.set_visible(False)
    ax.set_axis_off()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[::-1, :, :3].astype(float)
    rng = np.random.default_rng(0)
    places = rng.integers(2, 398, (400, 2))
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    predicted = model.predict(pd.DataFrame(low + (places + 0.5) / 400 * (high - low), columns=X.columns[:2]))
    classes = np.array([to_rgba(colour)[:3] for colour in palette.classes[:3]]) * 255
    card = np.array(to_rgba(palette.card)[:3]) * 255
    n_right = 0
    for (x, y), label in zip(places.tolist(), predicted, strict=True):
        ways = classes - card
        shift = picture[y, x] - card
        along = (ways @ shift) / np.linalg.norm(ways, axis=1) / max(np.linalg.norm(shift), 1e-9)
        n_right += model.classes_[int(np.argmax(along))] == label
    assert n_right >= 396  # some pixels lie on a border


def test_surer_regions_are_stronger() -> None:
    strength = {}
    model = TreeClassifier(max_depth=2, prune=None).fit(PETALS, Y)
    for corners, colour in fills(partition(model)):
        leaf = model.apply(pd.DataFrame([corners.mean(axis=0)], columns=PETALS.columns))[0]
        strength[model.tree_.node(int(leaf)).label] = np.linalg.norm(np.array(colour[:3]) - 1)
    full = {
        name: np.linalg.norm(np.array(to_rgba(c)[:3]) - 1)
        for name, c in zip(MODEL.classes_, LIGHT.classes[:3], strict=True)
    }
    share = {name: strength[name] / full[name] for name in full}  # of 91%, 98% and 100% sure leaves
    assert share["versicolor"] < 0.95 * share["setosa"]
    assert share["virginica"] < 0.99 * share["setosa"]


@pytest.mark.parametrize("questions", ["axis", Oblique()], ids=["axis", "oblique"])
def test_labels_lie_in_their_regions_and_never_overlap(questions: Any) -> None:
    model = TreeClassifier(prune=None, max_leaf_nodes=14, questions=questions).fit(X.iloc[:, :2], Y)
    ax = partition(model, data=(X, Y))
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) >= 4
    regions = [ax.transData.transform(corners) for corners, _ in fills(ax)]
    for box in boxes:
        corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
        assert any(all(holds(r.tolist(), corner) for corner in corners) for r in regions)
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
    assert not partition(model, labels=False).texts


def test_numbers_get_a_scale_and_a_colour_bar() -> None:
    model = TreeRegressor(max_leaf_nodes=5, prune=None).fit(PETALS, X["sepal_length"])
    ax = partition(model, ("petal_length", "petal_width"), data=(PETALS, X["sepal_length"]))
    assert len(ax.figure.axes) == 2
    found = fills(ax)
    assert len(found) == 5
    values = model.predict(pd.DataFrame([c.mean(axis=0) for c, _ in found], columns=PETALS.columns))
    lightness = [sum(colour[:3]) for _, colour in found]
    assert np.argsort(values).tolist() == np.argsort(lightness)[::-1].tolist()  # the greater the darker
    assert set(texts(ax)) <= {f"{value:.3g}" for value in values} | {f"{value:.2g}" for value in values}
    assert len(partition(model, ("petal_length", "petal_width"), legend=False).figure.axes) == 1


def test_a_tree_or_an_estimator_with_any_data_frame() -> None:
    expected = [c.tolist() for c, _ in fills(partition(MODEL, data=(PETALS, Y)))]
    frame = pl.DataFrame({name: PETALS[name].to_numpy() for name in PETALS})
    for data in ((frame, Y.tolist()), (PETALS, Y, np.ones(150))):
        assert [c.tolist() for c, _ in fills(partition(MODEL.tree_, data=data))] == expected
    matrix = TreeClassifier(max_depth=2, prune=None).fit(PETALS.to_numpy(), Y)
    ax = partition(matrix, data=(PETALS.to_numpy(), Y))
    assert [c.tolist() for c, _ in fills(ax)] == expected
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")
    assert partition(matrix, (1, 0)).get_xlabel() == "x1"


def test_one_point_or_many_are_held_alike() -> None:
    rng = np.random.default_rng(0)
    corners = np.array([[0.0, 0.0], [2.0, 0.5], [1.5, 2.0], [0.2, 1.0]])
    for shape in (corners, corners[::-1]):
        points = np.vstack([rng.uniform(-0.5, 2.5, (500, 2)), shape])
        assert hold_each(shape, points).tolist() == [holds(shape.tolist(), tuple(p)) for p in points.tolist()]


# Columns of other kinds


def test_levels_are_bands_and_missing_rows_are_told() -> None:
    model = TreeClassifier(max_depth=3).fit(P[["island", "bill_length_mm"]], SPECIES)
    ax = partition(model, data=(P, SPECIES))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    assert ax.get_xlim() == (-0.5, 2.5)
    assert note(ax) == "not drawn: 2 rows that miss bill_length_mm"
    assert sum(len(c.get_offsets()) for c in dots(ax)) == 342
    for corners, _ in fills(ax):
        assert np.isin(corners[:, 0], [-0.5, 0.5, 1.5, 2.5]).all()
    for group in dots(ax):
        bands = np.round(np.asarray(group.get_offsets())[:, 0])
        assert np.abs(np.asarray(group.get_offsets())[:, 0] - bands).max() < 0.4


def test_dates_are_dates_and_durations_have_a_unit() -> None:
    days = pd.date_range("2024-01-01", periods=100)
    frame = pd.DataFrame({"day": days, "stay": pd.to_timedelta(np.arange(100) * 37 % 100, unit="h")})
    target = (np.arange(100) >= 31) * 4.0 + (frame["stay"] > pd.Timedelta(hours=50)) * 1.0
    ax = partition(TreeRegressor(prune=None).fit(frame, target), ("day", "stay"), data=(frame, target))
    xs = sorted({float(x) for corners, _ in fills(ax) for x in corners[:, 0]})
    to_date: Any = num2date
    assert to_date(xs[1]).date().isoformat() == "2024-01-31"
    assert ax.get_ylabel() == "stay (days)"
    ys = sorted({float(y) for corners, _ in fills(ax) for y in corners[:, 1]})
    assert min(abs(y * 24 - 50.5) for y in ys) <= 1.0
    ax.figure.canvas.draw()
    assert "2024" in ax.xaxis.get_major_formatter().get_offset() + "".join(
        label.get_text() for label in ax.get_xticklabels()
    )


LONG_NAME = "admission date of the patient (first stay)"
WARDS = [
    f"University Hospital of {town}, Department of {part}"
    for town in ("Saint-Germain-en-Laye", "Llanfairpwllgwyngyll", "Garmisch-Partenkirchen")
    for part in ("Paediatric Cardiology", "Thoracic Surgery", "Nuclear Medicine and Imaging")
]


def patients() -> tuple[pd.DataFrame, Any, Any]:
    """A table as people have them: long names and levels, dates, missing values; costs and outcomes."""
    rng = np.random.default_rng(0)
    days, ward = rng.integers(0, 1200, 1500), rng.choice(WARDS, 1500)
    frame = pd.DataFrame({LONG_NAME: pd.Timestamp("2021-01-01") + pd.to_timedelta(days, "D"), "ward": ward})
    cost = 4000.0 + 3000 * (days > 500) + 3500 * np.isin(ward, WARDS[:4]) + rng.normal(0, 900, 1500)
    frame.loc[::17, LONG_NAME] = pd.NaT
    frame.loc[::23, "ward"] = None
    return frame, cost, np.where(cost > 8000, "dear", "cheap")


def overlapping(texts: list[Any]) -> list[tuple[str, str]]:
    """The texts of which one stands on the next."""
    shown = [text for text in texts if text.get_visible() and text.get_text()]
    boxes = [text.get_window_extent() for text in shown]
    return [
        (shown[i].get_text(), shown[j].get_text())
        for i in range(len(shown))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]


@pytest.mark.parametrize("width", [5.0, 5.8, 6.8, 10.0])
@pytest.mark.parametrize("span", ["3h", "2D", "40D", "500D", "1200D", "9000D"])
def test_dates_do_not_stand_on_one_another(span: str, width: float) -> None:
    """Four ticks or forty: as many as there is room for between long names and a legend, and one at least."""
    ends = pd.Timestamp("2021-01-07 05:00") + pd.to_timedelta(np.linspace(0, 1, 60) * pd.Timedelta(span))
    frame = pd.DataFrame({"when": ends, "ward": np.array(WARDS)[np.arange(60) % 9]})
    target = np.where((np.arange(60) < 30) ^ (frame["ward"] == WARDS[0]), "transferred to a clinic", "home")
    model = TreeClassifier(prune=None).fit(frame, target)
    figure = Figure(figsize=(width, 4.0), layout="constrained")
    ax = partition(model, ("when", "ward"), ax=figure.add_subplot())
    figure.draw_without_rendering()
    low, high = ax.get_xlim()
    inside = [t for t, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    assert overlapping(inside) == []
    assert len(inside) >= 1
    assert width < 6.8 or len(inside) >= 2


def test_a_partition_of_a_real_table_can_be_read() -> None:
    frame, cost, outcome = patients()
    for model, target in (
        (TreeRegressor(max_depth=4, min_samples_leaf=30).fit(frame, cost), cost),
        (TreeClassifier(max_depth=4, min_samples_leaf=30).fit(frame, outcome), outcome),
    ):
        ax = partition(model, (LONG_NAME, "ward"), (frame, target))
        ax.figure.canvas.draw()
        assert note(ax).replace("\n", " ") == (
            f"not drawn: 89 rows that miss {LONG_NAME}, 66 rows that miss ward"
        )
        assert ax._left_title.get_window_extent().x1 <= ax.figure.bbox.x1  # type: ignore[attr-defined]
        assert overlapping(ax.get_xticklabels()) == overlapping(ax.get_yticklabels()) == []
        assert len({label.get_text() for label in ax.get_yticklabels()}) == 9
        assert len(ax.texts) >= 2
        assert overlapping(ax.texts) == []
        regions = [ax.transData.transform(corners) for corners, _ in fills(ax)]
        for box in (
            text.get_window_extent().padded(2.5) for text in ax.texts
        ):  # not beside one across a border
            assert any(hold_each(region, box.corners()).all() for region in regions)


def test_numbers_in_regions_are_written_as_on_the_colour_bar() -> None:
    """One said 1.07e+04, the other 10000."""
    frame, cost, _ = patients()
    ax = partition(TreeRegressor(max_leaf_nodes=4).fit(frame, cost), (LONG_NAME, "ward"))
    ax.figure.canvas.draw()
    bar = [label.get_text() for label in ax.figure.axes[1].get_yticklabels()]
    assert all("e" not in text for text in [*texts(ax), *bar])
    assert any(text == "10,300" for text in texts(ax)), texts(ax)
    assert "10,000" in bar


def test_figures_can_be_stored() -> None:
    frame, cost, _ = patients()
    model = TreeRegressor(max_leaf_nodes=4).fit(frame, cost)
    for draw in (partition, surface):
        stored = pickle.dumps(draw(model, (LONG_NAME, "ward"), (frame, cost)).figure)
        pickle.loads(stored).canvas.draw()


def test_integers_beyond_a_double() -> None:
    numbers = np.array([2**63 + 5, 2**63 + 10**6, 2**64 - 10], dtype=np.uint64)
    model = TreeClassifier(prune=None).fit(
        pd.DataFrame({"n": np.repeat(numbers, 5)}), np.repeat([0, 1, 0], 5)
    )
    ax = partition(model)
    assert ax.get_xlim()[0] > 2.0**62


# Fixed columns


def test_other_columns_are_fixed_by_at() -> None:
    at = {"island": "Dream", "bill_depth_mm": 17}
    ax = partition(PENGUINS, ("bill_length_mm", "flipper_length_mm"), (P, SPECIES), at=at)
    lines = note(ax).split("\n")
    assert lines[0] == "where island = Dream, bill_depth_mm = 17"
    assert lines[1] == "not drawn: 2 rows that miss bill_length_mm, 2 rows that miss flipper_length_mm"
    known = P.dropna(subset=["bill_length_mm", "flipper_length_mm"])
    elsewhere = (PENGUINS.apply(known) != PENGUINS.apply(known.assign(**at))).sum()
    assert lines[2] == f"hollow: {elsewhere} rows that other values lead to another leaf"
    hollow = [c for c in dots(ax) if not len(c.get_facecolor())]
    assert sum(len(c.get_offsets()) for c in hollow) == elsewhere
    for corners, colour in fills(ax):
        middle = known.head(1).assign(
            bill_length_mm=corners[:, 0].mean(), flipper_length_mm=corners[:, 1].mean(), **at
        )
        label = PENGUINS.predict(middle)[0]
        own = np.array(to_rgba(LIGHT.classes[list(PENGUINS.classes_).index(label)])[:3]) - 1
        shift = np.array(colour[:3]) - 1
        assert shift @ own / np.linalg.norm(shift) / np.linalg.norm(own) > 0.99


def test_a_missing_value_can_be_fixed() -> None:
    at = {"island": None, "bill_depth_mm": 17.0}
    ax = partition(PENGUINS, ("bill_length_mm", "flipper_length_mm"), at=at)
    assert note(ax) == "where island = missing, bill_depth_mm = 17"
    divided = TreeClassifier(missing="fractional").fit(P, SPECIES)
    with pytest.raises(ParameterError, match="fixes a missing value, but this tree divides such rows"):
        partition(divided, "bill_length_mm", at={"flipper_length_mm": None})


def test_a_missing_value_follows_surrogates() -> None:
    """The surrogates of what is fixed as missing are asked, and drawn, in its place."""
    model = TreeClassifier(missing="surrogate", max_depth=1).fit(P, SPECIES)
    question = model.tree_.root.question
    assert question is not None
    stand_in = model.tree_.root.surrogates[0].question.column
    low, high = float(P[stand_in].min()), float(P[stand_in].max())
    ax = partition(model, stand_in, at={question.column: None}, limits={stand_in: (low, high)})
    rows = P.head(300).assign(**{question.column: np.nan, stand_in: np.linspace(low, high, 300)})
    heights: dict[float, list[float]] = {}
    for bar in rectangles(ax):
        middle = bar.get_x() + bar.get_width() / 2
        heights.setdefault(middle, []).append(bar.get_height())
    assert len(heights) == 2
    cut = rectangles(ax)[0].get_x() + rectangles(ax)[0].get_width()
    assert np.unique(model.apply(rows[rows[stand_in] <= cut])).size == 1
    assert np.unique(model.apply(rows[rows[stand_in] > cut])).size == 1
    assert np.unique(model.apply(rows)).size == 2


def test_limits() -> None:
    ax = partition(MODEL, limits={"petal_length": (3, 6)}, data=(PETALS, Y))
    assert ax.get_xlim() == (3, 6)
    n_outside = int(((PETALS["petal_length"] < 3) | (PETALS["petal_length"] > 6)).sum())
    assert note(ax) == f"not drawn: {n_outside} rows beyond the view"
    assert len(fills(ax)) == 2


def test_many_rows_are_thinned() -> None:
    many = pd.concat([PETALS] * 30, ignore_index=True)
    ax = partition(MODEL, data=(many, np.tile(Y, 30)))
    assert note(ax) == "3,000 of 4,500 rows are drawn"
    assert sum(len(c.get_offsets()) for c in dots(ax)) == 3000


@pytest.mark.parametrize("columns", [("petal_length", "petal_width"), "petal_length"])
def test_rows_of_weight_0_are_counted_and_not_drawn(columns: Any) -> None:
    """Nor do they decide how far the axes reach."""
    weight = np.repeat([1.0, 0.0], [50, 100])
    at = None if len(columns) == 2 else {"petal_width": 1.0}
    ax = partition(MODEL, columns, (PETALS, Y, weight), at=at)
    assert sum(len(c.get_offsets()) for c in dots(ax)) == 50
    assert "not drawn: 100 rows of weight 0" in note(ax)
    assert ax.get_xlim() == partition(MODEL, columns, (PETALS[:50], Y[:50]), at=at).get_xlim()


# Huge and tiny numbers


@pytest.mark.parametrize("power", [-270, -170, -150, 0, 154, 200, 299])
def test_every_scale_has_the_same_regions(power: int) -> None:
    """The regions and borders of one table, at seven scales; the surface can be drawn as well."""
    rng, scale = np.random.default_rng(0), float(f"1e{power}")
    table = rng.uniform(size=(60, 2)) * scale
    target = (table[:, 0] > 0.5 * scale).astype(int) + (table[:, 1] > 0.5 * scale)
    ax = partition(TreeClassifier(prune=None, max_depth=2).fit(table, target), data=(table, target))
    ax.figure.canvas.draw()
    (borders,) = (c for c in ax.collections if isinstance(c, LineCollection))
    assert (len(fills(ax)), len(borders.get_segments()), note(ax)) == (4, 3, "")
    covered = sum(np.prod(np.ptp(corners / scale, axis=0)) for corners, _ in fills(ax))
    view = np.array([ax.get_xlim(), ax.get_ylim()]) / scale
    assert covered == pytest.approx(np.prod(np.ptp(view, axis=1)))
    model = TreeRegressor(prune=None, max_depth=2).fit(table, target)
    above = surface(model, data=(table, target))
    above.figure.canvas.draw()
    n_below = int((target < model.predict(table)).sum())
    assert n_below > 0
    assert note(above) == f"not drawn: {n_below} rows below the surface"


@pytest.mark.parametrize("scale", [1e307, 1e-300])
def test_scales_that_no_axis_has_are_refused(scale: float) -> None:
    table = np.arange(1.0, 21.0)[:, None] / 2 * scale
    model = TreeClassifier(prune=None).fit(table, np.arange(20) // 7)
    with pytest.raises(
        ParameterError, match=r"Column 'x0' would be drawn from .*, but an axis reaches to 1e\+300"
    ):
        partition(model, data=(table, np.arange(20) // 7))
    with pytest.raises(ParameterError, match=r"drawn from -1\.7e\+308 to 1\.7e\+308"):
        partition(model, limits={"x0": (-1.7e308, 1.7e308)})


def test_leaves_without_width_are_told() -> None:
    """Doubles near 2**62 are 512 and more apart, so that thresholds 60 apart fall together."""
    table = pd.DataFrame({"n": 2**62 + np.arange(40) * 60, "z": np.arange(40.0) % 7})
    model = TreeClassifier(prune=None).fit(table, np.arange(40) // 10)
    ax = partition(model, ("n", "z"), (table, np.arange(40) // 10))
    n_drawn = len(fills(ax))
    assert n_drawn < 4
    assert note(ax) == f"{4 - n_drawn} leaves are too narrow to be drawn"


def test_one_small_threshold_is_seen_at_its_scale() -> None:
    model = TreeClassifier(prune=None).fit(np.array([[1e-6], [3e-6]] * 9), [0, 1] * 9)
    assert partition(model).get_xlim() == pytest.approx((0.0, 4e-6))


# One column


def test_one_column_of_numbers_is_a_step_function() -> None:
    x = np.arange(60.0)
    target = np.where(x < 20, 1.0, np.where(x < 45, 5.0, 3.0))
    ax = partition(TreeRegressor(prune=None, leaf="mean").fit(x[:, None], target), data=(x[:, None], target))
    flat = next(c for c in ax.collections if isinstance(c, LineCollection)).get_segments()
    assert [(s[0, 1], s[0, 0], s[1, 0]) for s in flat] == [
        (1.0, ax.get_xlim()[0], 19.5),
        (5.0, 19.5, 44.5),
        (3.0, 44.5, ax.get_xlim()[1]),
    ]
    assert np.asarray(dots(ax)[0].get_offsets()) == pytest.approx(np.column_stack([x, target]))


def test_one_column_of_classes_is_a_stack_of_probabilities() -> None:
    model = TreeClassifier(max_depth=2, prune=None).fit(X[["petal_length"]], Y)
    ax = partition(model, data=(X, Y))
    for leaf in model.tree_.leaves():
        inside = [
            (bar.get_y(), bar.get_height())
            for bar in rectangles(ax)
            if leaf.number
            == model.apply(pd.DataFrame({"petal_length": [bar.get_x() + bar.get_width() / 2]}))[0]
        ]
        heights = [height for _, height in sorted(inside) if height]
        assert leaf.probability is not None
        assert sum(heights) == pytest.approx(1.0)
        assert sorted(heights) == pytest.approx(sorted(p for p in leaf.probability if p > 0))
    assert ax.get_ylabel() == "probability"
    assert sum(len(c.get_offsets()) for c in dots(ax)) == 150
    assert {"setosa", "virginica"} <= set(texts(ax))


# Surfaces


def test_a_surface_has_tops_at_the_values_and_walls_between() -> None:
    grid = np.array([(x, y) for x in range(4) for y in range(4)], dtype=float)
    target = np.where(grid[:, 0] > 1.5, 3.0, np.where(grid[:, 1] > 1.5, 2.0, 0.0))
    ax = surface(TreeRegressor(prune=None, leaf="mean").fit(grid, target), data=(grid, target))
    (collection,) = (c for c in ax.collections if type(c).__name__ == "Poly3DCollection")
    corners = [np.asarray(polygon) for polygon in collection._faces]
    corners = [
        np.asarray(polygon)[~np.isnan(np.asarray(polygon, dtype=float)).any(axis=1)] for polygon in corners
    ]
    tops = [c for c in corners if len(np.unique(c[:, 2])) == 1]
    assert {float(c[0, 2]) for c in tops} == {0.0, 2.0, 3.0}
    walls = [c for c in corners if len(np.unique(c[:, 2])) > 1]
    spans = {tuple(sorted(set(c[:, 2].tolist()))) for c in walls}
    assert spans == {(0.0, 2.0), (0.0, 3.0), (2.0, 3.0)}
    for wall in walls:
        assert (wall[:, 0] == 1.5).all() or (wall[:, 1] == 1.5).all()
    size = np.subtract(*reversed(np.array([ax.get_xlim(), ax.get_ylim()]).T))
    areas = sum(
        abs(np.dot(t[:, 0], np.roll(t[:, 1], 1)) - np.dot(t[:, 1], np.roll(t[:, 0], 1))) / 2 for t in tops
    )
    assert areas == pytest.approx(abs(size.prod()), rel=1e-6)


STAIRS = np.array([(x, y) for x in range(6) for y in range(6)], dtype=float)
STEPS = TreeRegressor(prune=None, leaf="mean").fit(
    STAIRS, np.where(STAIRS[:, 0] > 2.5, 6.0, 1.0)
)  # high at the far x


def marks(ax: Any) -> Any:
    (found,) = (line for line in ax.get_lines() if isinstance(line, VisiblePoints))
    return found


def test_rows_above_a_surface_are_seen_and_those_below_are_counted() -> None:
    """Matplotlib painted the surface over all of them."""
    heights = TreeRegressor(max_leaf_nodes=8, prune=None, leaf="mean")
    columns, target = ["petal_length", "sepal_width"], X["sepal_length"]
    heights.fit(X[columns], target)
    ax = surface(heights, columns, (X, target))
    above = target >= heights.predict(X[columns])
    assert above.sum() == 78
    assert note(ax) == "not drawn: 72 rows below the surface"
    assert np.column_stack(marks(ax).get_data_3d()) == pytest.approx(
        np.column_stack([X[columns][above], target[above]])
    )
    ax.view_init(elev=90)  # from straight above nothing hides what is above
    assert marks(ax).visible_points().all()
    ax.view_init(elev=-60)  # and from below the surface hides it all, but for what is beyond its rim
    assert not marks(ax).visible_points().any()


def test_marks_are_painted_over_the_surface() -> None:
    """In a rendering from above, each of the points has its own colour in its middle."""
    points = STAIRS[::5]
    ax = surface(STEPS, data=(points, np.where(points[:, 0] > 2.5, 6.0, 1.0) + 0.5), legend=False)
    ax.view_init(elev=60)
    ax.figure.canvas.draw()
    picture = np.asarray(ax.figure.canvas.buffer_rgba())[::-1, :, :3].astype(float)
    x, y, _ = proj3d.proj_transform(*marks(ax).get_data_3d(), ax.get_proj())
    places = np.round(ax.transData.transform(np.column_stack([x, y]))).astype(int)
    ink = np.array(to_rgba(LIGHT.ink)[:3]) * 255
    shown = [np.abs(picture[v - 1 : v + 2, u - 1 : u + 2] - ink).sum(axis=2).min() < 30 for u, v in places]
    assert marks(ax).visible_points().tolist() == shown
    assert sum(shown) >= 6


def test_a_step_hides_what_is_behind_it() -> None:
    """Behind: at the low end of x, if the eye is at its high end."""
    points = np.array([[2.4, 2.5], [2.4, 2.5], [0.1, 2.5], [5.0, 2.5]])
    ax = surface(STEPS, data=(points, [1.5, 9.0, 1.5, 6.5]))
    for azimuth, expected in ((0, [False, True, False, True]), (180, [True, True, True, True])):
        ax.view_init(elev=20, azim=azimuth)
        assert marks(ax).visible_points().tolist() == expected


def test_rows_that_belong_elsewhere_are_crosses_above_a_surface_too() -> None:
    frame = pd.DataFrame({"a": STAIRS[:, 0], "b": STAIRS[:, 1], "c": (np.arange(36) % 3 == 0) * 1.0})
    target = 10 * frame["a"] + frame["b"] + 100 * frame["c"]
    model = TreeRegressor(prune=None, leaf="mean").fit(frame, target)
    ax = surface(model, ("a", "b"), (frame, target), at={"c": 0.0})
    crosses, own = (
        [line for line in ax.get_lines() if isinstance(line, VisiblePoints) and line.get_marker() == sign]
        for sign in ("x", "o")
    )
    assert (len(crosses[0].get_data_3d()[0]), len(own[0].get_data_3d()[0])) == (12, 24)
    assert note(ax).endswith("crosses: 12 rows that other values lead to another leaf")


def corners_of(text: Any) -> np.ndarray[Any, Any]:
    """The corners of a text that may be turned."""
    angle, way = text.get_rotation(), np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(angle)
    middle = np.array([box.x0 + box.x1, box.y0 + box.y1]) / 2
    turn = np.deg2rad(angle)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return middle + (way * [box.width, box.height]) @ turned  # type: ignore[no-any-return]


def apart(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether some line along an edge has one of two convex shapes on each side."""
    for shape in (one, other):
        for edge in np.roll(shape, -1, axis=0) - shape:
            across = np.array([-edge[1], edge[0]])
            if (one @ across).max() <= (other @ across).min() or (other @ across).max() <= (
                one @ across
            ).min():
                return True
    return False


def drawn_ticks(axis: Any) -> list[Any]:
    """The texts of ticks where the last drawing left them: to ask the axis for them would lay them flat."""
    low, high = axis.get_view_interval()
    inside = [tick.label1 for tick in axis.majorTicks if low <= tick.get_loc() <= high]
    return [label for label in inside if label.get_text()]


@pytest.mark.parametrize("case", ["iris", "dates and levels", "dates and four levels"])
def test_what_stands_beside_a_surface_can_be_read(case: str) -> None:
    """Ticks, names of axes and the note keep apart, and to the figure."""
    frame, cost, _ = patients()
    if case == "iris":
        data = X[["petal_length", "sepal_width"]], X["sepal_length"]
    elif case == "dates and levels":
        data = frame, cost
    else:
        data = (
            frame.assign(ward=frame["ward"].map(lambda name: "mild" if name == WARDS[0] else "severe")),
            cost,
        )
    ax = surface(TreeRegressor(max_leaf_nodes=6).fit(*data), tuple(data[0].columns), data)
    figure = ax.figure
    figure.canvas.draw()
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    ticks = [tick for axis in axes for tick in drawn_ticks(axis)]
    written = [*ticks, *(axis.label for axis in axes), ax._left_title]
    boxes = [corners_of(text) for text in written]
    for i, box in enumerate(boxes):
        assert (box >= 0).all()
        assert (box <= figure.bbox.size).all(), written[i].get_text()
        for j in range(i):
            if not (written[i] in ticks and written[j] in ticks):
                assert apart(box, boxes[j]), (written[i].get_text(), written[j].get_text())
    for axis in axes:
        labels = [corners_of(tick) for tick in drawn_ticks(axis)]
        assert len(labels) >= 2
        middles = [box.mean(axis=0) for box in labels]
        assert min(np.linalg.norm(a - b) for a, b in itertools.pairwise(middles)) > 9.0
    if case == "iris":
        assert all(apart(boxes[i], boxes[j]) for i in range(len(ticks)) for j in range(i))


# Odd trees


@allow_one_leaf
def test_one_leaf_and_one_class() -> None:
    alone = TreeClassifier().fit(PETALS, ["only"] * 150)
    ax = partition(alone, data=(PETALS, ["only"] * 150))
    assert len(fills(ax)) == 1
    assert texts(ax) == ["only\n100%"]
    assert len(fills(partition(TreeRegressor().fit(PETALS, np.ones(150))))) == 1
    surface(TreeRegressor().fit(PETALS, np.ones(150)))


def test_fifty_classes_with_long_names() -> None:
    """Eight have a colour of their own; the others share one, and are counted in the legend."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(1000, 2)), columns=["$a$ " + "long " * 40, "_b"])
    names = np.array(["_first", "$ $", *(f"class {i} " + "of a long name " * 8 for i in range(48))])
    target = names[(frame.iloc[:, 0] * 50).astype(int)]
    ax = partition(TreeClassifier(prune=None).fit(frame, target), data=(frame, target))
    ax.figure.canvas.draw()
    assert len(legend(ax)) == 9
    assert legend(ax)[-1] == "42 other classes"
    assert max(map(len, legend(ax))) < 40


# Refusals


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {},
            ParameterError,
            "The tree asks about 4 columns, 'island', 'bill_length_mm', .* shows one or two",
        ),
        (
            {"columns": "island"},
            ParameterError,
            "also asks about the columns .* 'island' is shown.\nHint: give",
        ),
        (
            {"columns": ("island", "iland")},
            ParameterError,
            "columns='iland' is not known.*Did you mean 'island'",
        ),
        ({"columns": ("island",) * 2}, ParameterError, "give one column or two different ones"),
        ({"columns": ("island", "sex", "year")}, ParameterError, "give one column or two different ones"),
        ({"columns": 99}, ParameterError, "columns=99 is not known"),
        ({"at": {"iland": "Dream"}}, ParameterError, "at: column='iland' is not known"),
        ({"at": {"island": "Mars"}}, ParameterError, "'Mars'} is not a level of the column; choose 'Biscoe'"),
        ({"at": {"island": 3}}, ParameterError, "at={'island': 3}: Column"),
        ({"at": ["island"]}, DataTypeError, "at is a dictionary of columns"),
        (
            {"columns": "island", "at": {"island": "Dream"}},
            ParameterError,
            "fixes the column 'island', which is to",
        ),
        ({"columns": "bill_length_mm", "limits": {"bill_length_mm": (3, 3)}}, ParameterError, "low first"),
        ({"columns": "bill_length_mm", "limits": {"sex": (3, 4)}}, ParameterError, "limits: column='sex'"),
        ({"columns": "bill_length_mm", "limits": 7}, DataTypeError, "limits is a dictionary"),
        ({"columns": "bill_length_mm", "data": P}, DataError, "data is \\(X, y\\)"),
        ({"columns": "bill_length_mm", "data": (P[:0], SPECIES[:0])}, DataError, "X has no rows"),
        ({"columns": "bill_length_mm", "data": (P, ["cat"] * 344)}, DataError, "class 'cat', which the tree"),
        ({"labels": 1}, ParameterError, "labels=1 is not allowed; give True or False"),
    ],
)
def test_refusals(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        partition(PENGUINS, **options)
    assert plt.get_fignums() == []


def test_what_is_no_tree_and_what_has_no_surface() -> None:
    with pytest.raises(
        DataTypeError, match=r"partition\(\) needs a fitted tree estimator or a Tree, not str"
    ):
        partition("tree")
    with pytest.raises(DataTypeError, match="draws numbers, but this tree predicts classes"):
        surface(MODEL)
    with pytest.raises(ParameterError, match="needs two columns"):
        surface(TreeRegressor().fit(X[["petal_length"]], X["sepal_length"]))
    assert isinstance(MODEL.tree_, Tree)


def test_options_of_a_wrong_kind() -> None:
    with pytest.raises(ParameterError, match=r"columns=5\.5 is not known; choose 'petal_length'"):
        partition(MODEL, 5.5)
    with pytest.raises(ParameterError, match="legend='no' is not allowed; give True or False"):
        surface(TreeRegressor().fit(PETALS, X["sepal_length"]), legend="no")
    with pytest.raises(ParameterError) as caught:
        partition(MODEL, "petal_length", at={"petal_width": [1, 2]})
    assert str(caught.value).startswith("at={'petal_width': [1, 2]} is of type list; give one value")
    assert "x0" not in str(caught.value)


def test_more_levels_than_can_be_seen_are_refused() -> None:
    """200 are drawn; of more one is fixed."""
    rng = np.random.default_rng(0)
    for n_levels in (200, 201):
        table = pd.DataFrame(
            {"c": [f"l{i}" for i in range(n_levels)] * 2, "z": rng.normal(size=2 * n_levels)}
        )
        target = (np.arange(2 * n_levels) % n_levels < 90) ^ (table["z"] > 0)
        model = TreeClassifier(prune=None, max_depth=2).fit(table, target)
        if n_levels == 200:
            partition(model, ("c", "z"))
            continue
        with pytest.raises(
            ParameterError, match=r"Column 'c' has 201 levels, but partition\(\) shows 200 bands"
        ):
            partition(model, ("c", "z"))
        assert note(partition(model, "z", at={"c": "l5"})) == "where c = l5"


def test_a_level_that_no_row_had_is_drawn_where_its_rows_go() -> None:
    """Such bands had the colour of the child of missing values, but their rows go to the heavier child."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=60).round(1)
    levels = rng.choice(list("abcdef"), 60, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05]).astype(object)
    levels[rng.random(60) < 0.2] = None
    X = pd.DataFrame({"x": x, "c": pd.Categorical(levels, categories=list("abcdef"))})
    y = rng.choice(["p", "q"], 60)
    model = TreeClassifier(prune=None, max_depth=4).fit(X, y)
    plane = open_plane(model, ("x", "c"), (X, y), None, None, "partition()")
    regions = regions_of(model.tree_, plane.axes, plane.view, plane.fixed)
    spots = [(value + 0.01, level) for value in sorted({*x}) for level in range(6)]
    rows = pd.DataFrame(
        {
            "x": [value for value, _ in spots],
            "c": pd.Categorical(["abcdef"[level] for _, level in spots], categories=list("abcdef")),
        }
    )
    drawn = [leaf_at(regions, (value, float(level))) for value, level in spots]
    assert drawn == model.tree_.apply(rows).tolist()
