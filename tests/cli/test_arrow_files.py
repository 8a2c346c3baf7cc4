"""Arrow, Feather and Parquet files that lie about their memory, or are not what they seem."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from support.command_line import run
from support.crafted_arrow import CRAFTED, arrow_bytes

from arboretum import TreeClassifier
from arboretum.errors import DataError
from arboretum.model_files import save
from arboretum.tables import Dialect, Table
from arboretum.tables.reading import scan_source, table_of
from arboretum.tables.streams import Source


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


def test_tables_without_columns() -> None:
    """Rows without columns are no table."""
    sink: Any = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, pa.schema([])) as writer:
        writer.write_batch(pa.record_batch([], schema=pa.schema([])))
    assert refusal_of(bytes(sink.getvalue())) == "It has no columns."
