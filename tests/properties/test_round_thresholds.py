"""Round thresholds separate as midpoints do, and nothing shorter would: by brute force over decimal digits.

The oracle walks over all numbers of few digits, decade by decade, in exact arithmetic; the library looks only
beside the midpoint.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import Lookahead, MofN, Oblique, TreeClassifier
from arboretum.reference.questions import midpoint, round_between

SMALLEST = 5e-324


def cut(low: Any, high: Any, dtype: Any, thresholds: str = "round") -> Any:
    """The question of the tree that has nothing but these two values to tell apart."""
    X = pd.DataFrame({"x": pd.Series([low, high], dtype=dtype)})
    return unpruned_regressor(thresholds=thresholds).fit(X, [0.0, 1.0]).tree_.root.question


def shown(question: Any) -> str:
    return str(question).removeprefix("x <= ")


def n_digits(number: Decimal | int) -> int:
    """The significant digits of a number: 1 for 100 and 0.1, 2 for 150; 0 has none."""
    return len("".join(map(str, Decimal(number).as_tuple().digits)).strip("0"))


def decimals(digits: int, low: Fraction, high: Fraction) -> Iterator[Decimal]:
    """All positive numbers of so many digits from `low` to `high`: the ends of each decade, and its middle.

    In a decade that reaches beyond the ends the outermost numbers inside are given. A step more at each side
    allows for numbers that are rounded to a double.
    """
    first = math.floor(math.log10(low)) - 1 if low > 1e-300 else -325
    last = math.ceil(math.log10(high)) + 1 if high < 1e300 else 309
    middle = (low + high) / 2
    for power in range(first - digits, last - digits + 2):
        unit = Fraction(10) ** power
        inside = [
            max(10 ** (digits - 1), math.floor(low / unit) - 1),
            min(10**digits - 1, math.ceil(high / unit) + 1),
        ]
        around = math.floor(middle / unit)
        for n in {
            *range(inside[0], inside[0] + 4),
            *range(inside[1] - 3, inside[1] + 1),
            *range(around - 2, around + 4),
        }:
            if inside[0] <= n <= inside[1]:
                yield Decimal(n).scaleb(power)


def shortest_by_hand(low: float, high: float, middle: float) -> float:
    """The number of fewest digits from `low` to just below `high`, nearest the middle, if not 0."""
    sign = 1 if low > 0 else -1
    ends = sorted([Fraction(abs(low)), Fraction(abs(high))])
    for digits in range(1, 18):
        numbers = (sign * float(decimal) for decimal in decimals(digits, *ends))
        found = {number for number in numbers if low <= number < high}
        if found:
            return min(found, key=lambda t: (abs(Decimal(repr(t)) - Decimal(repr(middle))), t))
    raise AssertionError("17 digits are enough for every double")


def any_float() -> st.SearchStrategy[float]:
    """Floats of every size, and neighbours in the last bits."""
    bits = st.integers(1, 2**63 - 2**52 - 1).map(lambda n: struct.unpack("<d", struct.pack("<q", n))[0])
    usual = st.floats(1e-3, 1e6) | st.decimals(0, 1000, places=2).map(float)
    tiny = st.integers(1, 400).map(lambda n: n * SMALLEST)
    return (bits | usual | tiny).filter(lambda x: x > 0 and math.isfinite(x))


@st.composite
def positive_pairs(draw: st.DrawFn) -> tuple[float, float]:
    low = draw(any_float())
    near = st.integers(1, 50).map(lambda n: low + n * math.ulp(low))
    nearly = st.floats(1e-15, 1.0).map(lambda share: low * (1 + share))
    high = draw(any_float() | near | nearly)
    assume(low != high and math.isfinite(high))
    return min(low, high), max(low, high)


@given(pair=positive_pairs(), negative=st.booleans())
def test_no_shorter_number_lies_between_two_floats(pair: tuple[float, float], negative: bool) -> None:
    low, high = (-pair[1], -pair[0]) if negative else pair
    question = cut(low, high, np.float64)
    assert question.threshold == shortest_by_hand(low, high, midpoint(low, high))
    assert question.threshold == round_between(low, high)
    assert low <= question.threshold < high
    assert float(shown(question)) == question.threshold


@given(
    st.sampled_from(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]),
    st.data(),
)
def test_no_shorter_number_lies_between_two_integers(dtype: str, data: st.DataObject) -> None:
    info = np.iinfo(dtype)
    values = st.integers(int(info.min), int(info.max)) | st.integers(0, 120)
    low = data.draw(values, label="low")
    high = data.draw(values | st.integers(low + 1, max(low + 1, min(int(info.max), low + 300))), label="high")
    assume(low != high and high <= info.max)
    low, high = min(low, high), max(low, high)
    question = cut(low, high, dtype)
    found = int(shown(question))
    assert low <= found < high
    assert found == round_between(low, high)
    if high - low <= 5000:
        expected = min(range(low, high), key=lambda t: (n_digits(t), abs(2 * t - low - high), t))
        assert found == expected


@given(pair=positive_pairs(), sign=st.sampled_from([1.0, -1.0]))
def test_floats_of_32_bits_are_separated_in_both_precisions(pair: tuple[float, float], sign: float) -> None:
    """0.2 lies between the floats 0.1 and 0.2, but a reader takes it for the second of them."""
    with np.errstate(over="ignore", under="ignore"):
        low, high = sorted(float(np.float32(sign * end)) for end in pair)
    assume(low != high and math.isfinite(low) and math.isfinite(high))
    threshold = cut(low, high, np.float32).threshold
    assert low <= threshold < high
    with np.errstate(under="ignore"):
        assert np.float32(low) <= np.float32(threshold) < np.float32(high)
    if low <= 0 < high:
        assert threshold == 0
    else:
        shorter = n_digits(Decimal(repr(threshold))) - 1
        ends = sorted([abs(low), abs(high)])
        for digits in range(1, shorter + 1):
            for decimal in decimals(digits, Fraction(ends[0] or SMALLEST), Fraction(ends[1])):
                number = math.copysign(float(decimal), low if low else -1.0)
                with np.errstate(over="ignore", under="ignore"):
                    assert not (low <= number < high and np.float32(number) < np.float32(high))


def test_examples() -> None:
    inf = math.inf
    for low, high, expected in (
        (0.1412, 0.1499, "0.146"), (0.1412, 0.1512, "0.15"), (0.09, 0.11, "0.1"), (99.0, 101.0, "100"),
        (149.2, 151.0, "150"), (-5.0, 3.0, "0"), (0.0, 3.0, "0"), (-0.0, 3.0, "0"), (-3.0, 0.0, "-2"),
        (1.0, 2.0, "1"), (0.1, 0.4, "0.2"), (-0.4, -0.1, "-0.3"), (1e300, 1e301, "5e+300"),
        (SMALLEST, 2 * SMALLEST, "5e-324"), (-SMALLEST, SMALLEST, "0"), (1.0, math.nextafter(1.0, 2.0), "1"),
        (-inf, inf, "0"), (-inf, -5.0, "-6"), (5.0, inf, "5"), (5.123, inf, "6"), (-inf, -123.4, "-200"),
        (-inf, 5.0, "0"),
        (1.71e308, 1.79e308, "1.75e+308"), (-inf, -1.7976931348623157e308, "-inf"),
    ):  # fmt: skip
        assert shown(cut(low, high, np.float64)) == expected, (low, high)
    for low, high, expected in (
        (14, 17, "15"),
        (1, 2, "1"),
        (-1, 0, "-1"),
        (95, 205, "100"),
        (960, 2100, "2000"),
    ):
        assert shown(cut(low, high, np.int64)) == expected, (low, high)
    assert shown(cut(np.float32(0.1), np.float32(0.2), np.float32)) == "0.15"
    assert shown(cut(2**64 - 10, 2**64 - 1, np.uint64)) == str(2**64 - 6)


# --- times


def round_time(low: int, high: int, starts: list[Any]) -> int:
    """The first kind of start that lies between, nearest the middle; `starts` list those of each kind."""
    for around in starts:
        found = [t for t in around(low, high) if low <= t < high]
        if found:
            best: int = min(found, key=lambda t: (abs(2 * t - low - high), t))
            return best
    raise AssertionError


def firsts(unit: str, kept: str) -> Any:
    """All firsts of a year or month between two instants, by NumPy's calendar."""

    def between(low: int, high: int) -> list[int]:
        first = np.datetime64(low, kept).astype(f"datetime64[{unit}]").astype(np.int64)
        last = np.datetime64(high, kept).astype(f"datetime64[{unit}]").astype(np.int64)
        steps = np.arange(first, last + 2).astype(f"datetime64[{unit}]")
        return list(steps.astype(f"datetime64[{kept}]").astype(np.int64).tolist())

    return between


def multiples(step: int) -> Any:
    def between(low: int, high: int) -> list[int]:
        near = {low // step, (low + high) // (2 * step), high // step}
        return [(n + more) * step for n in near for more in (-1, 0, 1, 2)]

    return between


NANOSECONDS = {"D": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
CLOCK = [86_400 * 10**9, 3600 * 10**9, 60 * 10**9, *(10**power for power in range(9, -1, -1))]


@pytest.mark.parametrize("unit", NANOSECONDS)
@given(data=st.data())
def test_instants_are_cut_at_the_first_of_a_year_a_month_a_day(unit: str, data: st.DataObject) -> None:
    tick = NANOSECONDS[unit]
    day = NANOSECONDS["D"] // tick
    low = data.draw(st.integers(-80_000 * day, 80_000 * day), label="low")
    scale = data.draw(st.sampled_from([400 * day, 40 * day, 2 * day, 10_000, 50]), label="scale")
    high = low + data.draw(st.integers(1, max(1, scale)), label="gap")
    values = np.array([low, high]).astype(f"datetime64[{unit}]")
    model = unpruned_regressor(thresholds="round").fit(pd.DataFrame({"x": values}), [0.0, 1.0])
    question: Any = model.tree_.root.question
    kept = model.tree_.columns[0].unit  # pandas has no days
    factor = NANOSECONDS[unit] // NANOSECONDS[str(kept)]
    low, high = low * factor, high * factor
    clock = [step // NANOSECONDS[str(kept)] for step in CLOCK if step >= NANOSECONDS[str(kept)]]
    ways = [firsts("Y", str(kept)), firsts("M", str(kept)), *map(multiples, clock)]
    assert question.floor == round_time(low, high, ways)


def test_every_month_begins_on_its_first() -> None:
    """Before and after leap days, in years of centuries too."""
    spans = [("1896", "1905"), ("1999", "2005"), ("-0401", "-0398"), ("29000", "29002")]
    for begin, end in spans:
        for month in np.arange(np.datetime64(begin, "M"), np.datetime64(end, "M")):
            first = month.astype("datetime64[D]")
            question = cut(first - 1, first + 3, "datetime64[s]")
            assert question.floor == first.astype("datetime64[s]").astype(np.int64), first


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@given(data=st.data())
def test_durations_are_cut_at_whole_days_hours_minutes(unit: str, data: st.DataObject) -> None:
    tick = NANOSECONDS[unit]
    clock = [step // tick for step in CLOCK if step >= tick]
    low = data.draw(st.integers(-300 * clock[0], 300 * clock[0]), label="low")
    high = low + data.draw(st.integers(1, data.draw(st.sampled_from([300 * clock[0], *clock]))), label="gap")
    values = np.array([low, high]).astype(f"timedelta64[{unit}]")
    question: Any = (
        unpruned_regressor(thresholds="round")
        .fit(pd.DataFrame({"x": values}), [0.0, 1.0])
        .tree_.root.question
    )
    days = [n * clock[0] for n in range(low // clock[0], high // clock[0] + 1) if low <= n * clock[0] < high]
    if days:
        expected = min(days, key=lambda t: (n_digits(t // clock[0]), abs(2 * t - low - high), t))
    else:
        expected = round_time(low, high, [*map(multiples, clock[1:])])
    assert question.floor == expected


def test_examples_of_times() -> None:
    for low, high, expected in (
        ("2019-06-01", "2021-03-01", "2020-01-01"), ("2020-03-05", "2020-05-20", "2020-04-01"),
        ("2020-03-05", "2020-03-09", "2020-03-07"), ("1969-12-30", "1970-01-02", "1970-01-01"),
        ("2020-03-05T08:10", "2020-03-05T11:20", "2020-03-05T10:00:00"),
        ("2020-03-05T08:10:07", "2020-03-05T08:12:01", "2020-03-05T08:11:00"),
        ("1600-02-28", "1600-03-02", "1600-03-01"),
    ):  # fmt: skip
        assert shown(cut(np.datetime64(low, "s"), np.datetime64(high, "s"), "datetime64[s]")) == expected
    aware = pd.to_datetime(["2020-12-31T22:00Z", "2021-01-01T01:30Z"]).tz_convert("Europe/Berlin")
    model = unpruned_regressor(thresholds="round").fit(pd.DataFrame({"x": aware}), [0.0, 1.0])
    assert str(model.tree_.root.question) == "x <= 2021-01-01T00:00:00+00:00"  # written and rounded in UTC
    dates = pd.DataFrame({"x": [dt.date(2020, 1, 31), dt.date(2020, 2, 2)]}, dtype=object)
    model = unpruned_regressor(thresholds="round").fit(dates, [0.0, 1.0])
    assert str(model.tree_.root.question) == "x <= 2020-02-01"
    assert shown(cut(pd.Timedelta("29h"), pd.Timedelta("30h"), "timedelta64[ns]")) == "1 day 05:00:00"
    assert shown(cut(pd.Timedelta("3 days"), pd.Timedelta("25 days"), "timedelta64[ns]")) == "10 days"


# --- trees


def rows(n_rows: int = 300) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows),
            "single": rng.normal(size=n_rows).astype(np.float32),
            "whole": rng.integers(-1000, 1000, n_rows),
            "day": np.datetime64("2020-01-01") + rng.integers(0, 10**8, n_rows).astype("timedelta64[s]"),
            "stay": rng.integers(-(10**6), 10**6, n_rows).astype("timedelta64[s]"),
            "size": pd.Categorical.from_codes(rng.integers(0, 5, n_rows), list("abcde"), ordered=True),
        }
    )
    X.loc[::9, "real"] = np.nan
    y = (X["whole"] / 400 + X["single"] + X["real"].fillna(0) + rng.normal(0, 0.5, n_rows) > 0).to_numpy()
    return X, y.astype(int)


def shape(tree: Any) -> list[Any]:
    return [(node.n_rows, node.gain, node.depth, node.label) for node in tree.walk()]


@pytest.mark.parametrize(
    "options",
    [{}, {"missing": "surrogate"}, {"missing": "fractional"}, {"max_bins": 8}, {"competitors": 3},
     {"questions": MofN(max_n=3), "max_depth": 3}, {"search": Lookahead(top=4), "max_depth": 3},
     {"max_leaf_nodes": 9}, {"criterion": "gain_ratio"}],
    ids=str,
)  # fmt: skip
def test_the_same_tree_as_with_midpoints(options: dict[str, Any]) -> None:
    """Every training row is on the same side, so that nothing but thresholds differs."""
    X, y = rows()
    middle = unpruned_classifier(**options).fit(X, y)
    round_ = unpruned_classifier(thresholds="round", **options).fit(X, y)
    assert shape(round_.tree_) == shape(middle.tree_)
    assert (round_.predict_proba(X) == middle.predict_proba(X)).all()
    if options.get("missing") != "fractional":
        assert (round_.apply(X) == middle.apply(X)).all()
    assert sum(map(len, map(str, round_.tree_.rules()))) < sum(map(len, map(str, middle.tree_.rules())))


def test_sums_have_short_bounds() -> None:
    X, y = rows()
    model = unpruned_classifier(thresholds="round", questions=Oblique(), max_depth=2).fit(
        X[["real", "single"]], y
    )
    found = model.apply(X[["real", "single"]])
    assert [int((found == leaf.id).sum()) for leaf in model.tree_.leaves()] == [
        leaf.n_rows for leaf in model.tree_.leaves()
    ]
    plain = unpruned_classifier(questions=Oblique(), max_depth=2).fit(X[["real", "single"]], y)
    assert shape(model.tree_) == shape(plain.tree_)


def test_the_same_size_is_chosen_as_with_midpoints() -> None:
    """Trees that judge sizes cut at midpoints."""
    X, y = rows()
    assert shape(TreeClassifier(thresholds="round").fit(X, y).tree_) == shape(
        TreeClassifier().fit(X, y).tree_
    )


def test_levels_in_order_are_not_rounded() -> None:
    X = pd.DataFrame({"size": pd.Categorical(["b", "e"], list("abcdefgh"), ordered=True)})
    for thresholds in ("midpoint", "round"):
        tree = unpruned_classifier(thresholds=thresholds).fit(X, [0, 1]).tree_
        assert str(tree.root.question) == "size <= c"


@allow_one_leaf
def test_the_tree_survives_files_and_edits() -> None:
    X, y = rows()
    model = unpruned_classifier(thresholds="round", max_depth=4).fit(X, y)
    tree = model.tree_
    assert type(tree).from_json(tree.to_json()) == tree
    grown = tree.regrow(1, (X, y), thresholds="round", max_depth=2)
    assert grown.node(1).question == tree.node(1).question
