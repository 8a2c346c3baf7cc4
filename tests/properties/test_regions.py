"""Laws of regions: they cover the view once, rows go where they show, and borders part what differs.

A tree is planted from random questions of every kind; the rim is the edge of the view; a point is clear if it
lies in one region alone, not on a border. Where a row goes is told by `tree.apply`, which knows nothing of
polygons.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from support.composites import (
    COLUMNS,
    SIZES,
    A,
    N,
    frame,
    plant,
)
from support.planes import holds, leaf_at
from support.planting import planted
from support.sweeps import few

from arboretum import MofN, Oblique, TreeClassifier, TreeRegressor
from arboretum._data import Column
from arboretum._tree.questions import Threshold
from arboretum.plot._plane.cuts import Axes
from arboretum.plot._plane.polygons import (
    Point,
    Polygon,
    area,
    centre,
    cut_polygon,
    hold_each,
    rectangle,
)
from arboretum.plot._plane.regions import Region, Regions, View, regions_of

# No threshold lies on the rim.
ENDS = {"a": (-2.0, 3.0), "n": (-3.7, 6.3), "when": (-50.0, 60.0), "size": (-0.5, 2.5), "colour": (-0.5, 2.5)}
B = Column("b", "number")


def fixed_values(draw: st.DrawFn, axes: Axes) -> dict[str, Any]:
    """A stored value, or a missing one, for every column that is not shown."""
    pools: dict[str, st.SearchStrategy[Any]] = {
        "a": st.floats(-2, 3),
        "n": st.integers(-3, 6),
        "when": st.integers(-40, 50),
        "size": st.integers(0, 2),
        "colour": st.integers(0, 2),
    }
    shown = [column.name for column in axes if column is not None]
    return {name: draw(st.none() | pool) for name, pool in pools.items() if name not in shown}


def view_of(axes: Axes) -> View:
    (left, right), (bottom, top) = ((0.0, 1.0) if column is None else ENDS[column.name] for column in axes)
    return View((left, bottom), (right, top))


@settings(max_examples=few(3))
@given(data=st.data())
def test_every_point_is_in_the_region_of_its_leaf(data: st.DataObject) -> None:
    """Any two columns, or one, of every kind; the others fixed or missing."""
    tree = data.draw(planted())
    places = data.draw(st.lists(st.sampled_from(range(5)), min_size=1, max_size=2, unique=True))
    axes: Axes = (COLUMNS[places[0]], COLUMNS[places[1]] if len(places) == 2 else None)
    fixed = fixed_values(data.draw, axes)
    view = view_of(axes)
    found = regions_of(tree, axes, view, fixed)
    check_cover(found)
    check_borders(found)
    rng = np.random.default_rng(data.draw(st.integers(0, 10)))
    points = [spot(rng, axes, view) for _ in range(40)]
    rows = [tuple(row_value(column, axes, point, fixed) for column in COLUMNS) for point in points]
    leaves = tree.apply(frame(rows)).tolist()
    n_clear = 0
    for point, leaf in zip(points, leaves, strict=True):
        homes = {region.leaf for region in found.regions if holds(region.corners, point)}
        assert homes
        if len(homes) == 1:  # on a border the leaf may be a third one: x >= 1 and x <= 1 has no width
            assert homes == {leaf}
            n_clear += 1
    event(f"{len({region.leaf for region in found.regions})} leaves in view")
    assert n_clear >= 5  # the others lie on a border, as whole numbers often do


def spot(rng: np.random.Generator, axes: Axes, view: View) -> Point:
    point = rng.uniform(view.low, view.high)
    for i, column in enumerate(axes):
        if column is not None and column.kind != "number":
            point[i] = np.clip(np.round(point[i]), np.ceil(view.low[i]), np.floor(view.high[i]))
    return float(point[0]), float(point[1])


def row_value(column: Column, axes: Axes, point: Point, fixed: dict[str, Any]) -> Any:
    if column not in axes:
        return fixed[column.name]
    value = point[axes.index(column)]
    return value if column.kind == "number" else int(np.clip(value, 0, 2)) if column.levels else int(value)


# What holds of all regions


def check_cover(found: Regions) -> None:
    """The areas add up to that of the view, nothing reaches beyond it, and no two overlap."""
    whole = area(rectangle(found.view.low, found.view.high).corners)
    assert sum(area(region.corners) for region in found.regions) == pytest.approx(whole, rel=1e-9)
    for region in found.regions:
        corners = np.array(region.corners)
        assert (corners >= found.view.low).all()
        assert (corners <= found.view.high).all()
        assert holds(region.corners, centre(region.corners))
    for one, other in combinations(found.regions, 2):
        assert overlap(one, other) <= 1e-9 * whole


def overlap(one: Region, other: Region) -> float:
    """The area of what two regions have in common: one is cut along all edges of the other."""
    rest: Polygon | None = one.polygon
    middle = centre(other.corners)
    for (x, y), (u, v) in pairwise([*other.corners, other.corners[0]]):
        a, b = v - y, x - u
        sign = 1.0 if a * middle[0] + b * middle[1] <= a * x + b * y else -1.0
        rest = cut_polygon(rest, (sign * a, sign * b, sign * (a * x + b * y)))[0]
        if rest is None:
            return 0.0
    return area(rest.corners)


def check_borders(found: Regions) -> None:
    """Beside the middle of a border lie different leaves, and different leaves have a border between them."""
    size = np.subtract(found.view.high, found.view.low)
    for border in found.borders:
        first, second = map(np.array, border.ends)
        one, other = beside(found, first, second, size)
        assert one != other
    for region in found.regions:
        for begin, end in pairwise(np.array([*region.corners, region.corners[0]])):
            one, other = beside(found, begin, end, size)
            if one is not None and other is not None and one != other:
                assert any(near(middle_of(begin, end), border.ends, size) for border in found.borders)


def beside(found: Regions, begin: Any, end: Any, size: Any) -> list[int | None]:
    along = (end - begin) / size
    if np.hypot(*along) < 1e-6:
        return [None, 0]  # too short to tell its sides
    across = np.array([-along[1], along[0]]) / np.hypot(*along) * 1e-7 * size
    return [leaf_at(found, tuple((middle_of(begin, end) + side * across).tolist())) for side in (1, -1)]


def middle_of(begin: Any, end: Any) -> Any:
    """Nearly the middle: at the very middle another border may end."""
    return begin + (end - begin) * 0.5137


def near(point: Any, ends: Any, size: Any) -> bool:
    begin, end = (np.array(spot) / size for spot in ends)
    away, along = point / size - begin, end - begin
    share = np.clip(away @ along / (along @ along), 0.0, 1.0)
    return bool(np.hypot(*(away - share * along)) < 1e-6)


# Trees as they are fitted

QUESTIONS = {"axis": "axis", "at least": MofN(), "oblique": Oblique()}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("classes", [True, False])
@settings(max_examples=few(0.15))
@given(seed=st.integers(0, 10_000))
def test_fitted_trees_of_two_numbers(name: str, classes: bool, seed: int) -> None:
    """300 points a tree are led by the tree to the region they lie in; areas add up."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) * rng.choice([1e-3, 1.0, 1e4], 2) + rng.choice([0.0, 5.0], 2)
    y = (X[:, 0] > X[:, 0].mean()) + rng.integers(0, 2, 60)
    model: Any = (TreeClassifier if classes else TreeRegressor)(
        prune=None, questions=QUESTIONS[name], max_leaf_nodes=12
    )
    tree = model.fit(X, y if classes else y + rng.normal(size=60)).tree_
    view = View(tuple(X.min(axis=0).tolist()), tuple(X.max(axis=0).tolist()))
    found = regions_of(tree, (tree.columns[0], tree.columns[1]), view, {})
    check_cover(found)
    check_borders(found)
    points = rng.uniform(view.low, view.high, (300, 2))
    homes = [{r.leaf for r in found.regions if holds(r.corners, tuple(p))} for p in points.tolist()]
    assert sum(len(home) == 1 for home in homes) >= 295
    assert all(leaf in home for leaf, home in zip(model.apply(points).tolist(), homes, strict=True))


@pytest.mark.parametrize(
    ("nominal", "missing"),
    [("subset", "category"), ("one_vs_rest", "category"), ("multiway", "category"), ("subset", "surrogate")],
)
@settings(max_examples=few(0.2))
@given(seed=st.integers(0, 10_000))
def test_fitted_trees_with_levels(nominal: str, missing: str, seed: int) -> None:
    """A number, levels without order and levels with one: each pair is shown, the third is fixed."""
    rng = np.random.default_rng(seed)
    names = [f"level {number}" for number in range(6)]
    X = pd.DataFrame(
        {
            "b": rng.normal(size=80),
            "c": pd.Categorical(rng.choice(names, 80), names),
            "d": pd.Categorical(rng.choice(SIZES, 80), SIZES, ordered=True),
        }
    )
    model = TreeClassifier(prune=None, nominal=nominal, missing=missing, max_depth=4).fit(
        X, rng.integers(0, 3, 80)
    )
    tree = model.tree_
    ends = [(-3.0, 3.0), (-0.5, 5.5), (-0.5, 2.5)]
    for left_out in range(3):
        shown = [place for place in range(3) if place != left_out]
        fixed_row = X.iloc[int(rng.integers(80))]
        column = tree.columns[left_out]
        value = fixed_row.iloc[left_out]
        stored = value if column.levels is None else list(column.levels).index(value)
        view = View((ends[shown[0]][0], ends[shown[1]][0]), (ends[shown[0]][1], ends[shown[1]][1]))
        axes = (tree.columns[shown[0]], tree.columns[shown[1]])
        found = regions_of(tree, axes, view, {column.name: stored})
        check_cover(found)
        check_borders(found)
        rows = X.assign(**{column.name: X.loc[[fixed_row.name] * 80, column.name].to_numpy()})
        rows = rows.astype(X.dtypes.to_dict())
        codes = [X["b"], X["c"].cat.codes, X["d"].cat.codes]
        points = np.column_stack([np.asarray(codes[place], dtype=float) for place in shown])
        for point, leaf in zip(points.tolist(), model.apply(rows).tolist(), strict=True):
            if -3 <= point[0] <= 3:
                assert leaf in {r.leaf for r in found.regions if holds(r.corners, tuple(point))}


def test_a_cut_through_corners() -> None:
    """The corners that lie on the line belong to both parts."""
    below, above = cut_polygon(rectangle((0.0, 0.0), (1.0, 1.0)), (1.0, -1.0, 0.0))
    assert below is not None
    assert above is not None
    assert sorted(below.corners) == [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    assert sorted(above.corners) == [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    for part in (below, above):
        assert part.lines.count((1.0, -1.0, 0.0)) == 1
        assert part.lines.count(None) == 2


def test_a_view_beyond_all_thresholds_is_one_region() -> None:
    tree = plant({(): Threshold(A, 0, False, 10.0, 10)})
    found = regions_of(tree, (A, N), view_of((A, N)), {})
    assert [region.leaf for region in found.regions] == [1]
    assert not found.borders


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1.0, 1e170, 1e299])
def test_shapes_are_the_same_at_every_scale(scale: float) -> None:
    """Products of two lengths would be 0 or infinite."""
    whole = rectangle((0.0, 0.0), (2.0 * scale, scale))
    below, above = cut_polygon(whole, (1.0, 0.0, 0.5 * scale))
    assert below is not None
    assert above is not None
    assert np.array(centre(below.corners)) / scale == pytest.approx([0.25, 0.5])
    assert np.array(centre(above.corners)) / scale == pytest.approx([1.25, 0.5])
    points = np.array([[0.25, 0.5], [1.25, 0.5]]) * scale
    assert [holds(below.corners, (x, y)) for x, y in points.tolist()] == [True, False]
    assert hold_each(np.array(above.corners), points).tolist() == [False, True]
