"""Readers of tables: what is read, what is refused, and on which line.

Each refusal is compared with the sentence that a user sees.
"""

from __future__ import annotations

import csv
import datetime as dt
import errno
import gzip
import io
import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from support.marks import allow_one_leaf

from arboretum.cli.outputs import Format, format_of
from arboretum.cli.tables import text_blocks
from arboretum.cli.tables.files import Source, open_draft
from arboretum.cli.tables.reading import Dialect, read_table, scan_source, table_of
from arboretum.cli.tables.table import Table
from arboretum.cli.tables.text_blocks import rows_of
from arboretum.cli.tables.writing import open_writer
from arboretum.errors import ArboretumError, DataError, ParameterError


def read(content: bytes | str, format: str = "csv", **dialect: Any) -> Table:
    """Return the table in a file of this content."""
    data = content.encode() if isinstance(content, str) else content
    return table_of(scan_source(Source(io.BytesIO(data), "It", False, None), format, Dialect(**dialect)))


def columns(content: bytes | str, format: str = "csv", **dialect: Any) -> dict[str, list[Any]]:
    """Return the columns of a file of this content."""
    found: dict[str, list[Any]] = read(content, format, **dialect).columns.to_pydict()
    return found


# CSV


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n2,y\n",
        b"a,b\r\n1,x\r\n2,y\r\n",
        b"a,b\r1,x\r2,y",
        b"\xef\xbb\xbfa,b\n1,x\n2,y",
        b'"a","b"\n"1","x"\n2,"y"\n',
        b"\n\na,b\n\n1,x\n\n\n2,y\n\n",
        "a,b\n1,x\n2,y\n".encode("utf-8-sig"),
    ],
)
def test_one_table_written_in_many_ways(content: bytes) -> None:
    """Line ends, byte-order marks, quotes and empty lines make no difference."""
    assert columns(content) == {"a": ["1", "2"], "b": ["x", "y"]}


def test_quoted_fields_hold_anything() -> None:
    """Separators, line breaks of all kinds and doubled quotes; a quote inside a plain field is plain."""
    found = columns('a,b\n"x, y","1\n2"\n"1\r\n2","he ""said"""\n5" pipe,"a"b\n"",\n')
    assert found == {"a": ["x, y", "1\r\n2", '5" pipe', ""], "b": ["1\n2", 'he "said"', "ab", ""]}


@pytest.mark.parametrize("block_bytes", [1, 2, 5, 16, 1000])
def test_blocks_make_no_difference(block_bytes: int) -> None:
    """Rows are whole and lines are counted right, wherever the file is cut."""
    content = 'a,b\r\n1,"x\r\ny"\r\n\r\n2,é\r\n3,"""\n"""\r\n4,z'
    table = read(content, block_bytes=block_bytes)
    assert table.columns.to_pydict() == {"a": ["1", "2", "3", "4"], "b": ["x\r\ny", "é", '"\n"', "z"]}
    assert [table.where(row) for row in range(4)] == ["line 2", "line 5", "line 6", "line 8"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "It is empty."),
        (b"\n\r\n", "It is empty."),
        (b"a,b\n", "It has column names, but no rows."),
        (b"a,b\n1,2\n1,2,3\n", "It, line 3 has 3 fields, but the table has 2 columns."),
        (b'a,b\n1,"2\n3"\n1\n', "It, line 4 has 1 field, but the table has 2 columns."),
        (b"a,b,a\n1,2,3\n", "It has several columns with the name 'a'."),
        (b'a,b\n1,2\n3,"4\n5,6\n', "It, line 3: a quote is opened here and never closed."),
        (b"a,b\n1,2\n\n3,\xe9\n", "It, line 4 is not utf-8 (byte 0xe9)."),
        (b"a,b\n1,\0\n", "It, line 2 holds a NUL byte, which is not text."),
        ("a,b\n1,2\n".encode("utf-16"), "It begins with the mark of utf-16, and is to be utf-8."),
    ],
)
def test_refusals_of_csv(content: bytes, sentence: str) -> None:
    """What is no table is refused with its line."""
    with pytest.raises(DataError) as caught:
        read(content)
    assert str(caught.value).splitlines()[0] == sentence


def test_encodings() -> None:
    """Other encodings are read when they are named; those that do not exist, or do not fit, are refused."""
    text = "näme,b\nÄ,2\n"
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32"):
        assert columns(text.encode(encoding), encoding=encoding) == {"näme": ["Ä"], "b": ["2"]}
    mark = "\ufeff"  # taken off at the beginning only, wherever the file is cut
    for encoding in ("utf-8", "utf-16-le"):
        content = f"{mark}a\n{mark}1\n".encode(encoding)
        for block_bytes in (1, 2, 3, 1000):
            assert columns(content, encoding=encoding, block_bytes=block_bytes) == {"a": [f"{mark}1"]}
    with pytest.raises(ParameterError, match="--encoding 'klingon' is not known"):
        read(text, encoding="klingon")
    with pytest.raises(ParameterError, match="--encoding 'base64' is not known"):
        read(text, encoding="base64")
    with pytest.raises(DataError, match="this is not ascii"):
        read(text, encoding="ascii")


def test_separators() -> None:
    """One character of ASCII; tabs have a name."""
    assert columns("a;b\n1,5;x\n", separator=";") == {"a": ["1,5"], "b": ["x"]}
    assert columns("a\tb\n1\tx\n", separator="tab") == columns("a\tb\n1\tx\n", "tsv")
    for separator in ("", "ab", '"', "\n", "é"):
        if separator:
            with pytest.raises(ParameterError, match="--separator"):
                read("a,b\n1,2\n", separator=separator)


def test_tables_without_header() -> None:
    """The first row is data, and columns are named as those of arrays are."""
    assert columns("1,x\n2,y\n", header=False) == {"x0": ["1", "2"], "x1": ["x", "y"]}


def test_columns_without_a_name_get_one() -> None:
    """R writes row numbers under an empty name; what it is called instead is told."""
    table = read(",a\n1,2\n")
    assert table.names == ["column_1", "a"]
    assert table.notes == ["a column without a name is called 'column_1'"]


def test_huge_fields() -> None:
    """A field of twenty megabytes, larger than any block, is read whole."""
    long = "x" * 20_000_000
    assert columns(f'a,b\n1,"{long}\n"\n2,y\n') == {"a": ["1", "2"], "b": [long + "\n", "y"]}


def test_long_rows_in_small_blocks() -> None:
    """A row of 60,000 blocks is joined a few times, not once for every block: that took minutes once."""
    long = "x" * 6_000_000
    assert columns(f"a,b\n1,{long}\n2,y\n", block_bytes=100) == {"a": ["1", "2"], "b": [long, "y"]}


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n4,y\n"])
@pytest.mark.parametrize("quoted", [False, True])
def test_rows_have_a_limit_wherever_they_end(monkeypatch: pytest.MonkeyPatch, end: str, quoted: bool) -> None:
    """A last row without a line end escaped the limit, and so did one that ended before the next look."""
    monkeypatch.setattr(text_blocks, "LONGEST_ROW", 1_000)
    around = '"' if quoted else ""
    for n_letters in (900, 1_100, 1_500, 1_900, 5_000):
        content = f"a,b\n1,x\n2,{around}{'x' * n_letters}{around}{end}"
        for block_bytes in (1, 7, 100, 400):
            if n_letters < 1_000:
                assert len(read(content, block_bytes=block_bytes)) == 3 if "4" in end else 2
            else:
                with pytest.raises(DataError, match="It, line 3: the row is longer than 0 MB"):
                    read(content, block_bytes=block_bytes)


def test_fields_are_those_of_the_csv_module() -> None:
    """8,000 random texts: our lexer, Python's csv module and Arrow agree on every field and line."""
    rng = random.Random(5)
    compared = accepted = 0
    for _ in range(8_000):
        text = "".join(rng.choice('ab,"\n\r ') for _ in range(rng.randint(0, 25)))
        mine = list(rows_of(text, ","))
        if not _leaves_a_quote_open(text):
            theirs = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
            assert [row.fields for row in mine] == theirs, repr(text)
            compared += 1
        try:
            table = read(f"h1,h2\n{text}", block_bytes=rng.choice([1, 3, 7, 1000]))
        except DataError as error:
            sentence = str(error)
        else:
            sentence = ""
        if sentence:
            fine = bool(mine) and all(len(row.fields) == 2 for row in mine)
            assert not fine or "never closed" in sentence, repr(text)
            continue
        accepted += 1
        rows = list(map(list, zip(*table.columns.to_pydict().values(), strict=True)))
        assert rows == [row.fields for row in mine], repr(text)
        assert [table.where(i) for i in range(len(rows))] == [f"line {row.line + 1}" for row in mine]
    assert compared > 4_000
    assert accepted > 400


def _leaves_a_quote_open(text: str) -> bool:
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return True
    return False


# JSON lines


def test_json_lines() -> None:
    """Types stay, missing keys are null, mixtures become text as JSON writes it."""
    found = columns('{"a": 1, "b": "x", "c": true}\n\n{"a": 2.5, "c": 3}\n{"b": null, "d": 2}\n', "jsonl")
    assert found == {
        "a": [1.0, 2.5, None],
        "b": ["x", None, None],
        "c": ["true", "3", None],
        "d": [None, None, 2],
    }


def test_json_integers_are_exact() -> None:
    """Integers of 64 bits keep every digit; beside fractions, those that doubles cannot hold become text."""
    big = 2**53 + 1
    assert columns(f'{{"a": {big}}}\n{{"a": 1}}', "jsonl") == {"a": [big, 1]}
    assert columns(f'{{"a": {big}}}\n{{"a": 0.5}}', "jsonl") == {"a": [str(big), "0.5"]}
    assert columns(f'{{"a": {2**80}}}', "jsonl") == {"a": [str(2**80)]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "It holds no row with a column."),
        ("{}\n", "It holds no row with a column."),
        ('{"a": 1}\n[1]\n', "It, line 2 is JSON, but not an object."),
        ('{"a": 1}\n\n{"a": }\n', "It, line 3 is not JSON: Expecting value."),
        ('{"a": {"b": 1}}', "It, line 1 holds a nested object in 'a'."),
        ('{"a": [1]}', "It, line 1 holds a list in 'a'."),
        ('{"a": NaN}', "It, line 1 holds NaN, which is not JSON; write null."),
        ('{"a": 1, "a": 2}', "It, line 1 has the key 'a' twice."),
        ('{"a": "\\ud800"}', "It, line 1 holds half of a surrogate pair, which is not text."),
        ('{"a": ' + "9" * 5000 + "}", "It, line 1 holds a number of 5,000 digits."),
        ('{"a": ' + "[" * 100_000, "It, line 1 is not JSON: "),
    ],
)
def test_refusals_of_json_lines(content: str, sentence: str) -> None:
    """What is no row is refused with its line."""
    with pytest.raises(DataError) as caught:
        read(content, "jsonl")
    assert str(caught.value).splitlines()[0].startswith(sentence)


def test_keys_that_come_too_late_are_refused() -> None:
    """A table in chunks must know its columns from the first chunk on."""
    with pytest.raises(DataError, match="line 2 has the key 'b', which no row before it has"):
        read('{"a": 1}\n{"b": 2}\n', "jsonl", block_bytes=8)


# ARFF

ARFF = """% a comment
@RELATION 'some rows'
@attribute 'the size' REAL
@attribute colour {red, 'light blue', "a,b"}
@attribute day date "dd.MM.yyyy HH:mm"
@attribute note string
@attribute\twhen\tdate
@data
1.5, red, "31.12.2024 10:30", 'it\\'s', 2024-01-01T12:00:00
?, 'light blue', ?, "50 % off", ?

% another
{3 'x y', 1 "a,b"}
{0 -2e3}
"""


def test_arff() -> None:
    """Quoted names and values, levels, dates, missing values, comments, sparse rows."""
    table = read(ARFF, "arff")
    midnight = dt.datetime(1970, 1, 1)
    assert table.columns.to_pydict() == {
        "the size": [1.5, None, 0.0, -2000.0],
        "colour": ["red", "light blue", "a,b", "red"],
        "day": [dt.datetime(2024, 12, 31, 10, 30), None, midnight, midnight],
        "note": ["it's", "50 % off", "x y", None],
        "when": [dt.datetime(2024, 1, 1, 12), None, midnight, midnight],
    }
    assert table.levels == {"colour": ("red", "light blue", "a,b")}
    assert [table.where(row) for row in range(4)] == ["line 9", "line 10", "line 13", "line 14"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1, blue, ?, ?, ?", "It, line 15: 'colour' holds 'blue', which is not among its declared levels"),
        ("x, red, ?, ?, ?", "It, line 15: 'the size' is declared numeric, but holds 'x'."),
        ("nan, red, ?, ?, ?", "It, line 15: 'the size' is declared numeric, but holds 'nan'."),
        (
            "1, red, 2024-12-31, ?, ?",
            "It, line 15: 'day' holds '2024-12-31', which is not a date of the form",
        ),
        ("1, red, ?, ?", "It, line 15 has 4 values, but 5 attributes are declared."),
        ("1, red, ?, ?, ?, {3}", "It, line 15 gives its row a weight, '{3}'."),
        ("1, red, ?, 'open, ?", 'It, line 15: a value cannot be read: " \'open, ?".'),
        ("{5 1}", "It, line 15: the place 5 of the sparse row is beyond the 5 attributes"),
        ("{0 1, 0 2}", "It, line 15: the place 0 of the sparse row is there twice"),
        ("{0 1", "It, line 15: a sparse row ends with a closing brace."),
        ("{0}", "It, line 15: the sparse row cannot be read after ''."),
    ],
)
def test_refusals_of_arff_rows(row: str, sentence: str) -> None:
    """What was not declared is refused with its line."""
    with pytest.raises(DataError) as caught:
        read(ARFF + row, "arff")
    assert str(caught.value).splitlines()[0].startswith(sentence)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("@data\n1", "It declares no @attribute before its @data."),
        ("@attribute a numeric\n", "It has no @data."),
        ("@attribute a\n@data", "It, line 1: @attribute needs a name and a type."),
        ("@attribute a relational\n@data", "It, line 1: the attribute 'a' is of type 'relational'"),
        ("@attribute a {x, y\n@data", "It, line 1: the levels of 'a' have no closing brace."),
        ("@attribute a {x, x}\n@data", "It, line 1: a level of 'a' is empty, or declared twice."),
        ("@attribute a date 'EEE yyyy'\n@data", "It, line 1: the date pattern 'EEE yyyy' of 'a' has 'EEE'"),
        (
            "@attribute a date 'yyyy yyyy'\n@data",
            "It, line 1: the date pattern 'yyyy yyyy' of 'a' has 'yyyy'",
        ),
        ("a,b\n1,2\n", "It, line 1: 'a,b' is not part of an ARFF header"),
    ],
)
def test_refusals_of_arff_headers(header: str, sentence: str) -> None:
    """A header that cannot be read is refused; a year that comes twice was a fault that fuzzing found."""
    with pytest.raises(DataError) as caught:
        read(header, "arff")
    assert str(caught.value).splitlines()[0].startswith(sentence)


# Files


def test_formats_by_name() -> None:
    """The end of the name tells the format, unless it is said."""
    assert format_of("a.csv") == Format("csv")
    assert format_of("A.CSV.GZ") == Format("csv", True)
    assert format_of("a.b/c.feather") == Format("arrow")
    assert format_of("-") == Format("csv")
    assert format_of("rows", "jsonl") == Format("jsonl")
    assert format_of("rows.gz", "arff") == Format("arff", True)
    for name in ("rows", "csv", "gz", "rows.gz", "rows.xlsx", ".gz"):
        with pytest.raises(ParameterError, match="does not tell a format"):
            format_of(name)
    with pytest.raises(ParameterError, match="Did you mean 'csv'"):
        format_of("rows", "cvs")


TYPED = pa.table(
    {
        "text": ["a", 'b "c", d', None, "é\nf", "'%'"],
        "number": [1.5, None, -0.1, 1e300, 1 / 3],
        "integer": [1, 2**62 + 1, None, -5, 0],
        "truth": [True, None, False, True, False],
        "day": pa.array([dt.date(2024, 2, 29), None, dt.date(1969, 1, 1), dt.date(9999, 1, 1), None]),
        "moment": pa.array([dt.datetime(2024, 2, 29, 1, 2, 3, 456789), None, None, None, None]),
    }
)
# What each format makes of other types: cells of text, or of what JSON and ARFF know.
TEXTS = {name: TYPED.column(name).cast(pa.string()).to_pylist() for name in TYPED.column_names}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "arff", "parquet", "arrow"])
def test_round_trips(tmp_path: Path, format: str, packed: bool) -> None:
    """What is written in chunks is read again, in every format, also packed; equal tables are equal files."""
    path = str(tmp_path / f"table.{format}{'.gz' if packed else ''}")
    kind = format_of(path)
    for name in (path, path.replace("table", "again")):
        with open_writer(name, kind) as writer:
            writer.write(TYPED.slice(0, 2))
            writer.write(TYPED.slice(2))
    assert Path(path).read_bytes() == Path(path.replace("table", "again")).read_bytes()
    found = read_table(path, kind).columns.to_pydict()
    expected = TYPED.to_pydict()
    if format in ("csv", "tsv"):
        expected = {name: [cell or "" for cell in cells] for name, cells in TEXTS.items()}
    elif format == "jsonl":
        expected["day"], expected["moment"] = TEXTS["day"], TEXTS["moment"]
    elif format == "arff":
        expected["integer"] = [None if cell is None else float(cell) for cell in expected["integer"]]
        expected["truth"] = TEXTS["truth"]
        expected["day"] = [
            None if d is None else dt.datetime(d.year, d.month, d.day) for d in expected["day"]
        ]
    assert found == expected


def test_one_column_with_missing_values(tmp_path: Path) -> None:
    """An empty line is no row, so that a missing value of a single column is written as a quoted nothing."""
    path = str(tmp_path / "one.csv")
    with open_writer(path, Format("csv")) as writer:
        writer.write(pa.table({"a": ["x", None, "y"]}))
    assert Path(path).read_text() == 'a\nx\n""\ny\n'
    assert read_table(path, Format("csv")).columns.to_pydict() == {"a": ["x", "", "y"]}


def test_arrow_streams_and_other_files(tmp_path: Path) -> None:
    """Arrow's stream format is read as well; files that are something else are refused in one sentence."""
    stream = tmp_path / "stream.arrow"
    with pa.ipc.new_stream(str(stream), TYPED.schema) as writer:
        writer.write_table(TYPED)
    assert read_table(str(stream), Format("arrow")).columns.equals(TYPED)
    other = tmp_path / "other"
    for content in (b"", b"PAR1", b"ARROW1\0\0", b"a,b\n1,2\n", bytes(range(256)) * 10):
        other.write_bytes(content)
        for format in ("parquet", "arrow"):
            with pytest.raises(DataError, match="cannot be read as"):
                read_table(str(other), Format(format))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """Missing files, folders, files that may not be read or are packed without saying so."""
    with pytest.raises(DataError, match="cannot be read: no such file or directory"):
        read_table(str(tmp_path / "none.csv"), Format("csv"))
    with pytest.raises(DataError, match="is a folder"):
        read_table(str(tmp_path), Format("csv"))
    with pytest.raises(DataError, match="cannot be read: embedded null byte"):
        read_table("a\0b.csv", Format("csv"))
    packed = tmp_path / "packed.csv"
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(DataError, match="is packed by gzip, but its name does not say so"):
        read_table(str(packed), Format("csv"))


def test_damaged_gzip(tmp_path: Path) -> None:
    """A packed file that was cut off or damaged is refused, not read in part."""
    rng = random.Random(0)
    good = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (rng.randrange(10**9), 2) for _ in range(10_000)))
    path = tmp_path / "rows.csv.gz"
    for content in (good[:-9], good[:100], b"not packed", good[:999] + b"\0" * 9 + good[1008:]):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"is packed by gzip, but damaged or cut off"):
            read_table(str(path), Format("csv", True))


def test_unfinished_tables_are_not_there(tmp_path: Path) -> None:
    """A writer that fails leaves the old file as it was, and no other file."""
    path = tmp_path / "table.csv"
    path.write_text("old\n")

    def interrupted() -> None:
        with open_writer(str(path), Format("csv")) as writer:
            writer.write(TYPED)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


@allow_one_leaf
@pytest.mark.parametrize("n_tables", [500, pytest.param(2_000, marks=pytest.mark.deep)])
def test_mutants(n_tables: int) -> None:
    """Damaged tables are read or refused; benchmarks/fuzz_readers.py does more of the same."""
    from support.mutant_tables import judge, mutant

    verdicts = [judge(*mutant(11, number)[1:]) for number in range(n_tables)]
    assert verdicts.count("refused") > 0.4 * n_tables
    assert verdicts.count("used") > 0.05 * n_tables
    assert issubclass(DataError, ArboretumError)


def test_a_disk_that_is_full_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails when all was written is told as what fails at the beginning, and leaves no draft."""

    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, full)
            with (
                pytest.raises(DataError, match=r"o\.csv' cannot be written: No space"),
                open_draft(str(tmp_path / "o.csv")) as file,
            ):
                file.write(b"x")
        assert list(tmp_path.iterdir()) == []
