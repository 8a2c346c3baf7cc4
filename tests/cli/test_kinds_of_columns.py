"""Kinds of columns: inferred by the same rules in every format, overridden by name, matched with a model.

What is decided must be told, so that reports are compared too.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arboretum._data import Column, match_dataset
from arboretum.cli.outputs import format_of
from arboretum.cli.tables.cells import are_numbers, as_number, as_text, parse_numbers
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.kinds import Choices, Report, Typed, give_kinds
from arboretum.cli.tables.matching import in_order, match_chunk, match_parts, match_target, match_truths
from arboretum.cli.tables.reading import Dialect, read_table, scan_source, table_of
from arboretum.cli.tables.table import Chunk, Table
from arboretum.cli.tables.writing import open_writer
from arboretum.errors import DataError, ParameterError


def text_table(**columns: list[str]) -> Table:
    """Return a table of cells."""
    return Table("It", pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}))


def kind_of(cells: list[str], **said: Any) -> Report:
    """Return the report on one column of cells."""
    return give_kinds(text_table(x=cells), Choices(**said)).reports[0]


def values_of(cells: list[str], **said: Any) -> list[Any]:
    """Return what one column of cells becomes."""
    found: list[Any] = give_kinds(text_table(x=cells), Choices(**said)).columns.column("x").to_pylist()
    return found


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "-2", "+3"], "integer", [1, -2, 3]),
        (["1", "NA", " 3 "], "integer", [1, None, 3]),
        (["18446744073709551615", "0"], "integer", [2**64 - 1, 0]),
        (["9007199254740993", "1"], "integer", [2**53 + 1, 1]),
        (["1", "2.5", ".5", "5.", "1e3"], "number", [1.0, 2.5, 0.5, 5.0, 1000.0]),
        (["inf", "-Infinity", "1"], "number", [float("inf"), float("-inf"), 1.0]),
        (["0x10", "1"], "nominal", ["0x10", "1"]),
        (["1_000", "1"], "nominal", ["1_000", "1"]),
        (["1,000", "1"], "nominal", ["1,000", "1"]),
        (["٣", "1"], "nominal", ["٣", "1"]),
        (["true", "false"], "nominal", ["true", "false"]),
        (["2024-02-29", "0001-01-01", ""], "date", [dt.date(2024, 2, 29), dt.date(1, 1, 1), None]),
        (
            ["2024-02-29", "2024-02-29T12:00"],
            "datetime",
            [dt.datetime(2024, 2, 29), dt.datetime(2024, 2, 29, 12)],
        ),
        (["2024-02-29 10:00:00.5"], "datetime", [dt.datetime(2024, 2, 29, 10, 0, 0, 500_000)]),
        (["20240229", "20240301"], "integer", [20240229, 20240301]),
        (["2023-02-29"], "nominal", ["2023-02-29"]),
        (["", "NA", "?"], "nothing", [None, None, None]),
        ([" a", "a "], "nominal", [" a", "a "]),
    ],
)
def test_what_text_is_taken_for(cells: list[str], kind: str, values: list[Any]) -> None:
    """Numbers where all are numbers, dates where all are ISO dates, levels otherwise."""
    assert kind_of(cells).kind == kind
    assert values_of(cells) == values


def test_aware_instants_become_utc() -> None:
    """Offsets are applied; with and without a zone do not mix."""
    found = values_of(["2024-01-01T10:00:00Z", "2024-01-01T10:00:00+02:00"])
    assert [value.astimezone(dt.UTC).hour for value in found] == [10, 8]
    assert kind_of(["2024-01-01T10:00:00Z", "2024-01-01T10:00:00"]).kind == "nominal"


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (
            [f"name {i}" for i in range(12)],
            "every value is there once, as in an id; to leave it out: --drop x",
        ),
        (
            [str(i) for i in range(3, 15)],
            "numbers the rows one by one, as an id does; to leave it out: --drop x",
        ),
        (["01234", "99999", "5"], "some begin with 0, as codes do; to keep them as text: --nominal x"),
        (
            ["31.12.2024", "1.1.2025"],
            "looks like dates, but not as ISO writes them (2024-03-01); taken as text",
        ),
        (
            ["12/31/24", "01/02/25"],
            "looks like dates, but not as ISO writes them (2024-03-01); taken as text",
        ),
        (
            ["2024-02-30", "2024-01-01"],
            "looks like dates, but some are none, or some have a time zone and some not;",
        ),
        (["1,5", "2,5"], "would be numbers with --decimal ','; taken as text"),
        (
            [*map(str, range(20)), "n.a."],
            "20 of 21 values are numbers, but 'n.a.' (row 21) is not; taken as text",
        ),
        (
            ["18446744073709551616", "1"],
            "integers beyond 64 bits, rounded; to keep them as text: --nominal x",
        ),
        (["", ""], "every value is missing"),
    ],
)
def test_what_is_odd_is_told(cells: list[str], note: str) -> None:
    """Nothing that a person would want to know is decided in silence."""
    (found,) = kind_of(cells).notes
    assert found.startswith(note)


def test_missing_values_are_counted_by_token() -> None:
    """The report tells which texts were taken for missing, and the list is the user's to change."""
    report = kind_of(["NA", "1", " ", "?", "NA"])
    assert (report.missing, dict(report.tokens)) == (4, {"NA": 2, "": 1, "?": 1})
    assert values_of(["NA", "1", "-"], tokens=("-",)) == ["NA", "1", None]
    assert values_of(["nan", "1"], tokens=()) == ["nan", "1"]


def test_overrides() -> None:
    """Columns are what they are said to be, or refused with the line."""
    assert values_of(["1", "2", "NA"], nominal=("x",)) == ["1", "2", None]
    assert values_of(["1,5", "2"], numeric=("x",), decimal=",") == [1.5, 2.0]
    assert values_of(["small", "?", "large"], ordered={"x": ("small", "large")}) == ["small", None, "large"]
    with pytest.raises(
        DataError, match=r"row 2: the column 'x' is to be numeric \(--numeric\), but holds 'q'"
    ):
        kind_of(["1", "q"], numeric=("x",))
    with pytest.raises(DataError, match=r"row 2: the column 'x' holds 'huge', which is not among its levels"):
        kind_of(["small", "huge"], ordered={"x": ("small", "large")})
    with pytest.raises(
        ParameterError, match=r"--nominal names the column 'X', which the table lacks; it has 'x'"
    ):
        kind_of(["1"], nominal=("X",))
    with pytest.raises(ParameterError, match="said to be of two kinds"):
        kind_of(["1"], nominal=("x",), numeric=("x",))
    with pytest.raises(ParameterError, match="--drop leaves no column"):
        kind_of(["1"], drop=("x",))


def typed_in(format: str, tmp_path: Path, said: Choices) -> Typed:
    """Return one and the same table after a trip through a file of this format."""
    table = pa.table(
        {
            "n": [1, 2, None, 4],
            "f": [0.5, None, 1.5, -2.25],
            "code": [7, 8, 9, 7],
            "colour": ["red", "blue", None, "red"],
            "digits": ["10", "20", "30", None],
        }
    )
    path = str(tmp_path / f"rows.{format}")
    with open_writer(path, format_of(path)) as writer:
        writer.write(table)
    return give_kinds(read_table(path, format_of(path)), said)


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "arff", "parquet", "arrow"])
def test_kinds_are_the_same_in_every_format(format: str, tmp_path: Path) -> None:
    """The same table gives the same values and kinds from six formats, and the same overrides.

    ARFF has no integers: its numbers are all of one kind.
    """
    said = Choices(nominal=("code",), drop=("f",))
    found = typed_in(format, tmp_path, said)
    code = ["7", "8", "9", "7"]
    assert found.columns.to_pydict() == {
        "n": [1, 2, None, 4],
        "code": code,
        "colour": ["red", "blue", None, "red"],
        "digits": [10, 20, 30, None],
    }
    kinds = {report.name: report.kind for report in found.reports}
    whole = "number" if format == "arff" else "integer"
    assert kinds == {"n": whole, "f": "dropped", "code": "nominal", "colour": "nominal", "digits": "integer"}


def test_declared_categories_stay_nominal() -> None:
    """Dictionaries of Arrow are levels, of text or of numbers, unless something else is said."""
    text, numbers = pa.array(["1", "2", "1"]).dictionary_encode(), pa.array([1, 2, None]).dictionary_encode()
    table = Table("It", pa.table({"text": text, "numbers": numbers}))
    found = give_kinds(table, Choices())
    assert [(report.kind, report.missing) for report in found.reports] == [("nominal", 0), ("nominal", 1)]
    assert found.columns.to_pydict() == {"text": ["1", "2", "1"], "numbers": [1, 2, None]}
    assert pa.types.is_dictionary(found.columns.column("numbers").type)
    said = give_kinds(table, Choices(numeric=("text", "numbers")))
    assert [report.kind for report in said.reports] == ["integer", "integer"]
    assert give_kinds(table, Choices(nominal=("numbers",))).columns.to_pydict()["numbers"] == ["1", "2", None]


def test_typed_columns_that_hold_no_values(tmp_path: Path) -> None:
    """Lists and structures are refused with a way out."""
    table = Table("It", pa.table({"a": [[1], [2]], "b": [1, 2]}))
    with pytest.raises(DataError, match=r"The column 'a' holds list<.*>;.*\s*Hint: .* --drop a"):
        give_kinds(table, Choices())
    assert give_kinds(table, Choices(drop=("a",))).columns.column_names == ["b"]


def test_numbers_are_what_the_pattern_says() -> None:
    """8,000 random texts: Arrow's parser and our pattern agree on what a number is, and on which."""
    rng = random.Random(3)
    n_numbers = 0
    for _ in range(8_000):
        text = "".join(rng.choice("01259.+-eE xinfNa_") for _ in range(rng.randint(1, 7)))
        cells = pa.array([text])
        is_number = are_numbers(cells)[0].as_py()
        parsed = parse_numbers(cells)
        assert (parsed is not None) == is_number, text
        if parsed is not None:
            n_numbers += 1
            assert float(parsed[0].as_py()) == as_number(text), text
        else:
            with pytest.raises(ValueError):
                as_number(text)
    assert n_numbers > 500


# Matching with a model


def matched(cells: list[Any], column: Column, **said: Any) -> list[Any]:
    """Return what cells become in a column that a model remembers."""
    chunk = Chunk(pa.table({"x": cells}), 0, lambda row: row + 2)
    found: list[Any] = match_chunk(chunk, [column], Choices(**said), "It").column("x").to_pylist()
    return found


def test_models_decide_the_kinds() -> None:
    """What looks like a number stays text where levels are text, and the other way round."""
    namibia = Column("x", "nominal", levels=("DE", "NA"))
    assert matched(["NA", "DE", ""], namibia) == ["NA", "DE", None]  # a level is a level, not a missing value
    text = Column("x", "nominal", levels=("1", "2"))
    assert matched(["1", "3", "NA"], text) == ["1", "3", None]
    assert matched([1, 2, None], text) == ["1", "2", None]
    assert matched([True, False], Column("x", "nominal", levels=("FALSE", "TRUE"))) == ["TRUE", "FALSE"]
    assert matched(["1", "2.0", ""], Column("x", "nominal", levels=(1, 2))) == [1.0, 2.0, None]
    assert matched(["true", "FALSE", ""], Column("x", "nominal", levels=(False, True))) == [True, False, None]
    assert matched(["1", "2"], Column("x", "number")) == [1.0, 2.0]
    assert matched(["9007199254740993"], Column("x", "integer")) == [2**53 + 1]
    assert matched(["9007199254740993"], Column("x", "number")) == [
        2.0**53
    ]  # as it would be beside a fraction
    assert matched(["2024-01-01", "NA"], Column("x", "datetime", unit="D")) == [dt.date(2024, 1, 1), None]
    ordered = Column("x", "ordered", levels=("low", "high"))
    assert matched(["high", "low", "other"], ordered) == ["high", "low", "other"]  # unknown: counted later


@pytest.mark.parametrize(
    ("cells", "column", "sentence"),
    [
        (["1", "x"], Column("x", "number"), "It, line 3: the column 'x' is to hold a number, but holds 'x'."),
        (
            ["1,5", "2"],
            Column("x", "integer"),
            "It, line 2: the column 'x' is to hold a number, but holds '1,5'.",
        ),
        (
            ["2024-01-01", "1.1.24"],
            Column("x", "datetime", unit="D"),
            "It, line 3: the column 'x' is to hold a date",
        ),
        (
            ["2024-03-01T10:00:00+02:00", "2024-03-20T10:00:00"],
            Column("x", "datetime", unit="us", timezone="UTC"),
            "It, line 3: the column 'x' is to hold instants with a time zone, 2024-03-01T14:30Z or",
        ),
        (
            ["", "2024-03-20T10:00:00"],
            Column("x", "datetime", unit="us", timezone="UTC"),
            "It, line 3: the column 'x' is to hold instants with a time zone",
        ),
        (
            ["2024-03-01", "2024-03-20T10:00:00Z", "2024-03-20T10:00:00"],
            Column("x", "datetime", unit="us"),
            "It, line 3: the column 'x' is to hold dates or instants without a time zone",
        ),
        (
            ["yes", "maybe"],
            Column("x", "nominal", levels=(False, True)),
            "It, line 3: the column 'x' is to hold true or",
        ),
        (
            ["3 days"],
            Column("x", "duration", unit="s"),
            "It, line 2: the column 'x' is to hold a duration, which text",
        ),
        (
            ["1"],
            Column("y", "number"),
            "It lacks the column 'y', with which the model was fitted; it has 'x'.",
        ),
    ],
)
def test_what_does_not_match_is_refused(cells: list[str], column: Column, sentence: str) -> None:
    """With the line, the column and what it holds."""
    with pytest.raises(DataError) as caught:
        matched(cells, column)
    assert str(caught.value).startswith(sentence)


def test_targets() -> None:
    """Classes come as the model writes them; a row without a target cannot be judged."""
    chunk = Chunk(pa.table({"y": ["1", "2", "5"]}), 0, lambda row: row + 2)
    assert match_target(chunk, "y", (1, 2), Choices(), "It") == [1, 2, 5]
    assert match_target(chunk, "y", ("1", "2"), Choices(), "It") == ["1", "2", "5"]
    assert match_target(chunk, "y", None, Choices(), "It") == [1.0, 2.0, 5.0]
    with pytest.raises(DataError, match="line 3: the target 'y' is missing"):
        match_target(
            Chunk(pa.table({"y": ["a", "NA"]}), 0, lambda row: row + 2), "y", ("a",), Choices(), "It"
        )


def test_rows_do_not_depend_on_their_chunk(tmp_path: Path) -> None:
    """Matched one by one or together, 200 rows are the same: nothing is inferred from the neighbours."""
    rng = random.Random(0)
    cells = [rng.choice(["1", "2.5", "NA", "7", "1e3", "-3"]) for _ in range(200)]
    for column in (Column("x", "number"), Column("x", "nominal", levels=("1", "7")), Column("x", "integer")):
        alone = [matched([cell], column)[0] for cell in cells]
        assert alone == matched(cells, column)


def exact(cells: list[Any], column: Column) -> list[Any]:
    """Return what cells become in parts, in their order."""
    parts = match_parts(Chunk(pa.table({"x": cells}), 0), [column], Choices(), "It")
    values = [np.array(part.X.column("x").to_pylist(), dtype=object) for part in parts]
    return list(in_order(parts, values))


def test_large_integers_stay_exact_beside_anything() -> None:
    """9 integers that doubles would round, each beside 12 other cells: 108 pairs, before and after."""
    large = [
        2**53 + 1,
        -(2**53) - 1,
        2**63 - 1,
        -(2**63),
        2**63 + 5,
        2**64 - 1,
        10**18 + 1,
        2**60 + 1,
        -(2**62) - 1,
    ]
    others = ["0.5", "1e3", "-1", "-0.5", "9223372036854775813", "-9007199254740993", "", "7", "inf", "1e300"]
    others += ["9" * 30, " +0009007199254740993 "]
    for column in (Column("x", "integer"), Column("x", "nominal", levels=(1, 2**53 + 1))):
        for number in large:
            for other in others:
                alone = exact([other], column)
                assert exact([str(number)], column) == [number]
                assert exact([str(number), other], column) == [number, *alone]
                assert exact([other, str(number)], column) == [*alone, number]
    assert exact([" +0009007199254740993 "], Column("x", "integer")) == [2**53 + 1]


def test_large_classes_stay_exact() -> None:
    """A class beyond 2**53 is itself, whatever fraction stands beside it."""
    chunk = Chunk(pa.table({"y": ["9007199254740993", "0.5", "-9007199254740993"]}), 0)
    truths = match_truths(chunk, "y", (1, 2**53 + 1), Choices(), "It")
    assert truths == [2**53 + 1, 0.5, -(2**53) - 1]


def test_large_integers_in_two_columns() -> None:
    """Parts are those of all columns together: each row keeps both of its numbers."""
    rows = [
        ("9007199254740993", "0.5"),
        ("0.5", "-9007199254740993"),
        ("9007199254740995", "18014398509481985"),
    ]
    table = pa.table({"x": [x for x, _ in rows], "z": [z for _, z in rows]})
    parts = match_parts(Chunk(table), [Column("x", "integer"), Column("z", "integer")], Choices(), "It")
    found = {
        int(row): tuple(values.values())
        for part in parts
        for row, values in zip(part.rows, part.X.to_pylist(), strict=True)
    }
    assert found == {0: (2**53 + 1, 0.5), 1: (0.5, -(2**53) - 1), 2: (2**53 + 3, 2**54 + 1)}


def test_numbers_have_one_spelling() -> None:
    """As text a number is the same alone, beside text and beside other numbers."""
    numbers = [1, 1.0, -0.0, 0.1, 2.5e-7, 1e15, 10**15, 2.0**53, 1e16, 1e22, 1e300, -3.0, 2**53 + 1, 2**70]
    for number in numbers:
        cells = json.dumps(number)
        spellings = set()
        for others in ([], ['"a"'], ["0.5"], ["3"], ["true"], ['"a"', "0.5"], [str(2**60)]):
            rows = "".join(f'{{"c": {cell}}}\n' for cell in [cells, *others])
            with io.BytesIO(rows.encode()) as file:
                scan = scan_source(Source(file, "It", False, None), "jsonl", Dialect())
                spellings.add(as_text(table_of(scan).columns.column("c"), "c")[0].as_py())
        assert len(spellings) == 1, (number, spellings)


def test_numbers_are_spelt_alike_in_every_chunk() -> None:
    """One chunk of floats, one of text: the level of 1.0 is the same in both."""
    rows = '{"c": 1.0}\n{"c": 1.0}\n{"c": "a"}\n{"c": 1.0}\n'
    with io.BytesIO(rows.encode()) as file:
        scan = scan_source(Source(file, "It", False, None), "jsonl", Dialect(block_bytes=12))
        assert table_of(scan).columns.column("c").to_pylist() == ["1", "1", "a", "1"]


# JSON lines, whose cells have types of their own


def json_chunks(cells: list[Any], block_bytes: int) -> list[Chunk]:
    """Return the chunks of a file with one column, read in blocks of that size."""
    rows = "".join(json.dumps({"x": cell}) + "\n" for cell in cells).encode()
    source = Source(io.BytesIO(rows), "It", False, None)
    return list(scan_source(source, "jsonl", Dialect(block_bytes=block_bytes)).chunks)


def json_outcome(cells: list[Any], column: Column, block_bytes: int) -> list[Any] | str:
    """Return what a model sees of the cells, or the line of the one for which they are refused."""
    seen: dict[int, Any] = {}
    for chunk in json_chunks(cells, block_bytes):
        try:
            for part in match_parts(chunk, [column], Choices(), "It"):
                data = match_dataset(part.X, [column], named=True).columns[0]
                values = zip(data.values, data.is_missing(), strict=True)
                shown = [None if gone else column.format(value) for value, gone in values]
                seen |= zip(chunk.first_row + part.rows, shown, strict=True)
        except DataError:
            return "refused"
    return [seen[row] for row in range(len(cells))]


JSON_CELLS = (None, True, False, 0, 1, 2, -1.0, 0.5, 2**60 + 1, "1", "true", "True", "a", "NA", "2024-01-01")


@pytest.mark.parametrize(
    "column",
    [
        Column("x", "number"),
        Column("x", "integer"),
        Column("x", "nominal", levels=("True", "a", "1", "0.5")),
        Column("x", "nominal", levels=("a", "true")),
        Column("x", "nominal", levels=(False, True)),
        Column("x", "nominal", levels=(0, 1, 7)),
        Column("x", "nominal", levels=(0.5, 1.0)),
        Column("x", "ordered", levels=("a", "1", "TRUE")),
        Column("x", "datetime", unit="D"),
        Column("x", "duration", unit="s"),
    ],
    ids=lambda column: f"{column.kind} {column.levels}",
)
def test_json_cells_mean_the_same_in_every_block(column: Column) -> None:
    """True in a column of numbers was 1 in a block of truth values and was refused beside a number."""
    rng = random.Random(3)
    outcomes = set()
    for _ in range(80):
        some = rng.sample(JSON_CELLS, rng.randint(1, 3))
        cells = [rng.choice(some) for _ in range(rng.randint(1, 5))]
        together = json_outcome(cells, column, 10_000)
        assert json_outcome(cells, column, 1) == together, cells
        outcomes.add(str(together))
    assert len(outcomes) > 3


def test_truth_values_are_no_numbers() -> None:
    """JSON's true is refused in a column of numbers, with its line."""
    for block_bytes in (1, 1_000):
        chunk = next(c for c in json_chunks([1, True, 2.5], block_bytes) if c.first_row + len(c) > 1)
        with pytest.raises(DataError, match="line 2: the column 'x' is to hold a number, but holds 'true'"):
            match_chunk(chunk, [Column("x", "number")], Choices(), "It")


@pytest.mark.parametrize("block_bytes", [1, 40, 10_000])
def test_kinds_of_json_columns_are_those_of_one_block(block_bytes: int) -> None:
    """Truth values became text where another column mixed types, or where a block had only nulls."""
    rows = [
        {"truth": True, "mixed": 1, "late": None, "number": 1, "large": 1},
        {"truth": None, "mixed": "a", "late": None, "number": None, "large": 2**60 + 1},
        {"truth": False, "mixed": True, "late": False, "number": 0.5, "large": None},
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    scan = scan_source(
        Source(io.BytesIO(content), "It", False, None), "jsonl", Dialect(block_bytes=block_bytes)
    )
    typed = give_kinds(table_of(scan), Choices())
    assert typed.columns.to_pydict() == {
        "truth": [True, None, False],
        "mixed": ["1", "a", "true"],
        "late": [None, None, False],
        "number": [1.0, None, 0.5],
        "large": [1, 2**60 + 1, None],
    }


def test_levels_with_spaces_are_levels() -> None:
    """The level "NA " was taken for a missing value, because spaces around NA do not count elsewhere."""
    column = Column("x", "nominal", levels=("NA ", "a"))
    assert matched(["NA ", "NA", " NA", "a", ""], column) == ["NA ", None, None, "a", None]
    declared = Table("It", pa.table({"x": ["NA ", "NA", "a"]}), levels={"x": ("NA ", "a")})
    typed = give_kinds(declared, Choices())
    assert typed.columns.column("x").to_pylist() == ["NA ", None, "a"]
    assert (typed.reports[0].missing, typed.reports[0].tokens) == (1, {"NA": 1})
