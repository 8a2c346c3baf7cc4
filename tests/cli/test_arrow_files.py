"""Arrow, Feather and Parquet files that lie about their memory, or are not what they seem."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet
import pytest
from support.command_line import run
from support.crafted_arrow import CRAFTED, arrow_bytes
from support.mutant_arrow import KINDS

from arboretum import TreeClassifier
from arboretum._store.model_files import save
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.kinds import Choices, give_kinds
from arboretum.cli.tables.reading import Dialect, scan_source, table_of
from arboretum.cli.tables.table import Table
from arboretum.cli.tables.writing import text_of, writer_to
from arboretum.errors import DataError


def read(content: bytes, format: str = "arrow") -> Table:
    """Return the table in a file of this content."""
    return table_of(scan_source(Source(io.BytesIO(content), "It", False, None), format, Dialect()))


def refusal_of(content: bytes, format: str = "arrow") -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(DataError) as caught:
        read(content, format)
    return str(caught.value)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("what", CRAFTED)
def test_arrays_that_point_elsewhere_are_refused(what: str, stream: bool) -> None:
    """Other memory of the process was read as if it were the table's, and written by predict."""
    sentence = refusal_of(CRAFTED[what].content(stream=stream))
    assert sentence.startswith("It cannot be read as Arrow: ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_predict_shows_no_other_memory(tmp_path: Path) -> None:
    """With the last place of a text column beyond its buffer, predict wrote heap memory and ended with 0."""
    X = pa.table({"colour": ["red", "blue", "red"]})
    save(TreeClassifier(prune=None).fit(X, ["a", "b", "a"]), tmp_path / "model.json")
    content = bytearray(arrow_bytes({"colour": pa.array(["red", "blue", "red"])}))
    place = content.index(struct.pack("<iiii", 0, 3, 7, 10))
    content[place + 12 : place + 16] = struct.pack("<i", 3_000)
    (tmp_path / "crafted.arrow").write_bytes(content)
    done = run("predict", "model.json", "crafted.arrow", "-o", "out.csv", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(b"arboretum: The file 'crafted.arrow' cannot be read as Arrow: ")
    assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_parquet_texts_that_are_none() -> None:
    """Parquet's reader lets bytes pass that are no UTF-8, and they ended in Python's own error later."""
    sink = io.BytesIO()
    pa.parquet.write_table(
        pa.table({"a": ["abcdefgh", "b"]}), sink, compression="none", write_statistics=False
    )
    wrong = sink.getvalue().replace(b"abcdefgh", b"abcd\xff\xfegh")
    assert "UTF8" in refusal_of(wrong, "parquet")


def test_rows_that_take_no_bytes() -> None:
    """A column of nulls has no bytes: a file of 600 of them must not stand for 2**40 rows."""
    rows = 2**40
    assert f"claims {rows:,} rows" in refusal_of(
        arrow_bytes({"a": pa.nulls(1)}).replace(struct.pack("<q", 1), struct.pack("<q", rows))
    )
    assert len(read(arrow_bytes({"a": pa.nulls(70_000)}))) == 70_000


def test_views_of_one_text() -> None:
    """A million views of one text of a megabyte are 16 MB in a file, and a terabyte to be looked at."""
    text = b"x" * 1_000_000
    view = struct.pack("<i4sii", len(text), text[:4], 0, 0)
    n_rows = 10_000
    buffers = [None, pa.py_buffer(view * n_rows), pa.py_buffer(text)]
    views = pa.Array.from_buffers(pa.string_view(), n_rows, buffers)
    for column in (views, pa.StructArray.from_arrays([views], ["a"])):
        assert "bytes of text by naming it again" in refusal_of(arrow_bytes({"b": column}))


def test_large_batches_come_in_parts() -> None:
    """A file may hold all rows in one batch; what is made of them at once has a limit all the same."""
    numbers = np.arange(200_000)
    table = read(arrow_bytes({"a": numbers}))
    assert [len(chunk) for chunk in table.chunks] == [65_536, 65_536, 65_536, 3_392]
    assert table.columns.column("a").to_pylist() == numbers.tolist()
    assert table.where(70_000) == "row 70001"


def test_feather_of_version_1(tmp_path: Path) -> None:
    """The old Feather format is told by its name; it was said to have a strange number of bytes."""
    with pytest.warns(DeprecationWarning, match="Feather V1"):
        pa.feather.write_feather(pa.table({"a": [1]}), str(tmp_path / "old.feather"), version=1)
    assert "is a Feather file of version 1" in refusal_of((tmp_path / "old.feather").read_bytes())


def test_names_that_are_no_text() -> None:
    """A time zone whose name is no UTF-8 was found when the column was shown, by an error of Python's."""
    moments = pa.array([0, 1], pa.timestamp("s", "Europe/Berlin"))
    for column in (moments, moments.dictionary_encode()):
        good = arrow_bytes({"moment": column})
        wrong = good.replace(b"Europe/", b"\xffurope/")
        assert "the time zone of the column 'moment' is no text" in refusal_of(wrong)
        assert "codec can't decode" in refusal_of(good.replace(b"moment", b"\xffoment"))


def test_tables_without_columns() -> None:
    """Rows without columns are no table."""
    sink: Any = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, pa.schema([])) as writer:
        writer.write_batch(pa.record_batch([], schema=pa.schema([])))
    assert refusal_of(bytes(sink.getvalue())) == "It has no columns."


@pytest.mark.parametrize("n_files", [500, pytest.param(1_500, marks=pytest.mark.deep)])
def test_mutants(n_files: int) -> None:
    """Damaged files are read or refused, in another process: benchmarks/fuzz_readers.py does more."""
    script = (
        "import os\n"
        "from support.mutant_arrow import judge, mutant\n"
        f"for number in range({n_files}):\n"
        "    kind, *made = mutant(7, number)\n"
        "    print(number, kind, judge(*made), sep=',', flush=True)\n"
        "os._exit(0)\n"  # pyarrow's own threads, which write the files here, may abort an ordinary end
    )
    folder = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": folder},
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr)
    verdicts = Counter(line.rsplit(",", 1)[1] for line in lines)
    assert verdicts["refused"] > n_files // 3
    assert verdicts["used"] > n_files // 15
    assert {line.split(",")[1] for line in lines} == set(KINDS)


def fitted_kinds(columns: dict[str, Any]) -> dict[str, str]:
    """Return what the columns of an Arrow file are taken for; a tree can be fitted to them."""
    typed = give_kinds(read(arrow_bytes(columns)), Choices())
    TreeClassifier(prune=None).fit(typed.columns, [row % 2 for row in range(typed.columns.num_rows)])
    return {report.name: f"{report.kind}: {report.values}" for report in typed.reports}


def test_durations_and_far_dates() -> None:
    """A column of durations, and a date beyond Python's own, ended fit in an error of Arrow's."""
    found = fitted_kinds(
        {
            "stay": pa.array([60, 3600, 90_061], pa.duration("s")),
            "day": pa.array([0, 1, 2_932_897], pa.int32()).cast(pa.date32()),
            "moment": pa.array([0, 1, 90_000], pa.timestamp("s", "UTC")),
        }
    )
    assert found == {
        "stay": "duration: 00:01:00 to 1 day 01:01:01",
        "day": "date: 1970-01-01 to 10000-01-01",
        "moment": "datetime: 1970-01-01T00:00:00+00:00 to 1970-01-02T01:00:00+00:00",
    }


def test_categories_as_polars_writes_them() -> None:
    """A dictionary of views could not be decoded by Arrow, and ended in its error."""
    views = pa.array(["low", "high"], pa.string_view())
    codes = pa.array([0, 1, None, 0])
    found = fitted_kinds(
        {
            "plain": pa.DictionaryArray.from_arrays(codes, views),
            "ordered": pa.DictionaryArray.from_arrays(codes, views, ordered=True),
            "text": pa.array(["a", "b", None, "a"], pa.string_view()),
        }
    )
    assert found["plain"] == "nominal: 2 levels: low, high"
    assert found["ordered"].startswith("ordered")
    assert found["text"] == "nominal: 2 levels: a, b"


def test_dictionaries_that_name_one_text_too_often() -> None:
    """Decoded, 10,000 rows that name a text of a megabyte would take 10 GB."""
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10_000, np.int8)), pa.array(["x" * 10**6]))
    table = read(arrow_bytes({"a": long}))
    sentence = "The column 'a' holds 10,000,000,000 bytes of text in 10,000 rows, which is more than Arrow"
    with pytest.raises(DataError, match=sentence):
        give_kinds(table, Choices())
    with pytest.raises(DataError, match=sentence):
        text_of(table.columns.column("a"), "a")


ODD = {
    "runs": pc.run_end_encode(pa.array([1, 1, 2])),
    "lists": pa.array([[1], [2], [3]]),
    "levels": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([[1], [2]])),
    "far": pa.array([0, 1, 2**30], pa.int32()).cast(pa.date32()),
}


@pytest.mark.parametrize(
    ("format", "cannot_hold"),
    [
        ("csv", ["runs", "lists", "levels"]),
        ("jsonl", ["runs", "lists", "levels"]),
        ("arff", ["runs", "lists", "levels", "far"]),
        ("parquet", ["runs", "levels"]),
        ("arrow", []),
    ],
)
def test_columns_that_cannot_be_written(format: str, cannot_hold: list[str]) -> None:
    """What a format cannot hold is told in one sentence, whichever the format."""
    for name, column in ODD.items():
        writer = writer_to(io.BytesIO(), format)
        if name in cannot_hold:
            with pytest.raises(DataError, match=f"The column '{name}' holds|The table cannot be written as"):
                writer.write(pa.table({name: column}))
        else:
            writer.write(pa.table({name: column}))
            writer.close()
