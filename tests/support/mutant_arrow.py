"""Damaged Arrow, Feather and Parquet files: made from good ones by number.

An Arrow file is a row of *messages*, each of them a head (a flatbuffer that says what lies where) and a body
(the values). Some mutants know that: they change a number in a head or in a body, or put a message of another
file in the place of one. Others change bytes anywhere. What becomes of them is judged in mutant_tables.
"""

from __future__ import annotations

import datetime as dt
import random
import struct
import warnings
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet

from arboretum.cli.tables.kinds import Choices
from arboretum.cli.tables.reading import Dialect
from support.mutant_tables import judge
from support.mutations import mutate_bytes

__all__ = ["KINDS", "judge", "mutant", "seeds"]

KINDS: Final = ("arrow file", "arrow stream", "feather 1", "feather 2", "parquet")
_SHARES: Final = (0.35, 0.2, 0.05, 0.15, 0.25)
_ODD: Final = (
    *(0, 1, -1, 2, 3, 7, 8, 12, 64, 100, 255, 256, 1_000, 3_000, 65_535, 65_536, 10**6, 10**8),
    *(2**30, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**33, 2**40, 2**62, 2**63 - 1, -(2**63)),
)
_CONTINUES: Final = b"\xff\xff\xff\xff"


class Span(NamedTuple):
    """Where a message lies in a file: it begins, its head ends, its body ends."""

    begin: int
    body: int
    end: int


def mutant(seed: int, number: int) -> tuple[str, str, bytes, Dialect, Choices, bool]:
    """Return the kind of a mutant, its format, its bytes, how it is to be read, and that it is not packed."""
    rng = random.Random(f"{seed} {number}")
    kind = rng.choices(KINDS, _SHARES)[0]
    found = seeds()[kind]
    content = rng.choice(found)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        content = _damaged(rng, kind, content, found)
    said = Choices(
        nominal=rng.choice(((), (), (), (), ("size",), ("day",), ("odd",))),
        numeric=rng.choice(((), (), (), (), ("colour",), ("odd",))),
    )
    return kind, "parquet" if kind == "parquet" else "arrow", content, Dialect(), said, False


def _damaged(rng: random.Random, kind: str, content: bytes, others: list[bytes]) -> bytes:
    if rng.random() < 0.3 or not content:
        return mutate_bytes(rng, content, others)
    if kind == "parquet" or kind == "feather 1":
        return _change_footer(rng, content) if rng.random() < 0.5 else _change_number(rng, content, 1)
    spans = list(_messages(content))
    if not spans:
        return _change_number(rng, content, 4)
    span = rng.choice(spans)
    match rng.choice(("head", "head", "body", "body", "splice", "tail")):
        case "head":
            return _change_number(rng, content, 2, span.begin, span.body)
        case "body" if span.end > span.body:
            return _change_number(rng, content, 4, span.body, span.end)
        case "splice":
            return _splice(rng, content, span, rng.choice(others))
        case "tail":
            return _change_number(rng, content, 2, spans[-1].end, len(content))
        case _:
            return _change_number(rng, content, 4)


def _messages(content: bytes) -> list[Span]:
    """Return the messages of a file or stream, as far as they can be followed."""
    spans: list[Span] = []
    place = 8 if content.startswith(b"ARROW1") else 0
    while content[place : place + 4] == _CONTINUES and place + 8 <= len(content):
        (size,) = struct.unpack_from("<i", content, place + 4)
        body = place + 8 + size
        if size <= 0 or body > len(content):
            break
        try:
            length = pa.ipc.read_message(content[place:body] + bytes(1 << 16)).body.size
        except (pa.ArrowException, OSError, ValueError):
            break
        spans.append(Span(place, body, min(body + length + -length % 8, len(content))))
        place = spans[-1].end
    return spans


def _change_number(
    rng: random.Random, content: bytes, step: int, begin: int = 0, end: int | None = None
) -> bytes:
    """Put another number in the place of one, which lies at a multiple of `step` from the beginning."""
    end = len(content) if end is None else end
    form, size = rng.choice((("b", 1), ("<h", 2), ("<i", 4), ("<i", 4), ("<q", 8)))
    if end - begin < size:
        return content
    place = begin + rng.randrange((end - begin - size) // step + 1) * step
    (old,) = struct.unpack_from(form, content, place)
    new = rng.choice(
        (*_ODD, old + 1, old - 1, 2 * old, -old, old ^ (1 << rng.randrange(8 * size)), len(content))
    )
    bits = 8 * size
    wrapped = (new + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return content[:place] + struct.pack(form, wrapped) + content[place + size :]


def _change_footer(rng: random.Random, content: bytes) -> bytes:
    """Change a byte or a number of the table of contents, which lies before its length at the end."""
    if len(content) < 12:
        return content
    (size,) = struct.unpack_from("<i", content, len(content) - 8)
    begin = max(0, len(content) - 8 - size) if size > 0 else 0
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        changed[rng.randrange(begin, len(content) - 8)] = rng.choice(
            (rng.randrange(256), 0, 1, 0x7F, 0x80, 0xFF)
        )
    return bytes(changed)


def _splice(rng: random.Random, content: bytes, span: Span, other: bytes) -> bytes:
    """Put a message of another file in the place of one: values that are read as another type."""
    spans = _messages(other)
    if not spans:
        return content
    chosen = rng.choice(spans)
    if rng.random() < 0.3:  # the head alone: the same bytes, described in another way
        return content[: span.begin] + other[chosen.begin : chosen.body] + content[span.body :]
    return content[: span.begin] + other[chosen.begin : chosen.end] + content[span.end :]


# --- good files


@cache
def seeds() -> dict[str, list[bytes]]:
    """Return good files of each kind: the columns that the model knows, and one or two of every type."""
    plain, odd = _plain(), _odd_columns()
    tables = [plain, *(plain.append_column("odd", column) for column in odd)]
    old = [table for table in tables if _is_old(table.schema.field(-1).type)]
    return {
        "arrow file": [_ipc(table, pa.ipc.new_file) for table in tables],
        "arrow stream": [_ipc(table, pa.ipc.new_stream) for table in tables],
        "feather 1": [_feather(table, version=1) for table in old],
        "feather 2": [
            _feather(table, compression=packing)
            for table in tables
            for packing in ("lz4", "zstd", "uncompressed")
        ],
        "parquet": [file for table in tables for file in _parquets(table)],
    }


def _plain() -> pa.Table:
    day = dt.date(2024, 1, 1)
    return pa.table(
        {
            "size": pa.array([1, 2, None, 4, 5, 2**62]),
            "colour": pa.array(["red", "blue", None, "green as grass", "red", ""]),
            "day": pa.array([day, day, None, day, dt.date(1969, 12, 31), day]),
        }
    )


def _odd_columns() -> list[Any]:
    texts = ["a", "a text of more than twelve bytes", None, "NA", "", "é"]
    numbers = [1.5, None, -2.0, 0.0, float("inf"), 1e300]
    whole = [1, 2, None, 4, 5, 6]
    moments = [dt.datetime(2024, 1, 1, 12, minute) for minute in range(6)]
    lists = [[1, 2], [], None, [3], [4, None], [5]]
    pairs = [
        {"a": 1, "b": "x"},
        None,
        {"a": None, "b": "y"},
        {"a": 4, "b": None},
        {"a": 5, "b": ""},
        {"a": 6, "b": "z"},
    ]
    ids = pa.array([0, 1, 0, 1, 0, 1], pa.int8())
    plain = [
        *(pa.array(texts, kind) for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary())),
        *(pa.array(numbers, kind) for kind in (pa.float64(), pa.float32())),
        *(pa.array(whole, kind) for kind in (pa.int8(), pa.uint64(), pa.int64(), pa.float16())),
        *(pa.array(whole).cast(kind) for kind in (pa.decimal128(21, 2), pa.decimal256(40, 5))),
        pa.array([True, None, False, True, False, True]),
        *(
            pa.array(moments, pa.timestamp(unit, zone))
            for unit, zone in (("s", None), ("ns", None), ("us", "UTC"))
        ),
        *(pa.array(moments, pa.timestamp("ms", zone)) for zone in ("Europe/Berlin", "+02:00")),
        *(
            pa.array(whole, kind)
            for kind in (pa.duration("s"), pa.duration("ns"), pa.time32("s"), pa.time64("ns"))
        ),
        pa.array([0, 86_400_000, None, 0, 0, 0], pa.date64()),
        pa.array([Decimal("1.5"), None, Decimal(2), Decimal(3), Decimal(4), Decimal(5)]),
        pa.nulls(6),
    ]
    nested = [
        *(pa.array(lists, kind(pa.int64())) for kind in (pa.list_, pa.large_list, pa.list_view)),
        pa.array([[1, 2], [3, 4], None, [5, 6], [7, 8], [9, 0]], pa.list_(pa.int32(), 2)),
        pa.array(
            [["x"], ["a text of more than twelve bytes"], None, [], ["y", None], []],
            pa.list_(pa.string_view()),
        ),
        pa.array(pairs),
        pa.array([[("k", 1)], [], None, [("l", 2)], [], []], pa.map_(pa.string(), pa.int64())),
        pa.UnionArray.from_sparse(ids, [pa.array(whole), pa.array(texts)]),
        pa.UnionArray.from_dense(
            ids, pa.array([0, 0, 1, 1, 2, 2], pa.int32()), [pa.array(whole), pa.array(texts)]
        ),
    ]
    coded = [
        pa.array(texts).dictionary_encode(),
        pa.array(whole).dictionary_encode(),
        pa.DictionaryArray.from_arrays(ids, pa.array(texts, pa.large_string())[:2]),
        pa.DictionaryArray.from_arrays(ids, pa.array(["low", "high"]), ordered=True),
        pa.DictionaryArray.from_arrays(ids, pa.array(["low", "high"], pa.string_view())),
        pa.DictionaryArray.from_arrays(ids, pa.array(["low", "high"], pa.string_view()), ordered=True),
        pa.DictionaryArray.from_arrays(ids, pa.array([b"low", b"high"])),
        pa.DictionaryArray.from_arrays(ids, pa.array([[1], [2]])),
        pc.run_end_encode(pa.array([1, 1, 2, 2, 2, 3])),
        pc.run_end_encode(pa.array(["a", "a", None, "b", "b", "b"])),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * 6, pa.binary(16))),
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None, 1, 0, 1], pa.int8())),
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", "{}", None, "[]", "0", '""'])),
    ]
    return [*plain, *nested, *coded]


def _is_old(kind: Any) -> bool:
    """Return whether Feather of version 1 can hold values of a type."""
    return any(kind == known for known in (pa.string(), pa.float64(), pa.int64(), pa.bool_(), pa.date32()))


def _ipc(table: pa.Table, opened: Any) -> bytes:
    sink: Any = pa.BufferOutputStream()
    with opened(sink, table.schema) as writer:
        writer.write_table(table.slice(0, 4))
        writer.write_table(table.slice(4).combine_chunks())
    return bytes(sink.getvalue())


def _feather(table: pa.Table, *, version: int = 2, compression: str | None = None) -> bytes:
    sink: Any = pa.BufferOutputStream()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pa.feather.write_feather(table, sink, version=version, compression=compression)
    return bytes(sink.getvalue())


def _parquets(table: pa.Table) -> list[bytes]:
    """Return a table in the encodings that Parquet has; none where it cannot hold the type."""
    files = []
    for options in (
        {"compression": "none", "use_dictionary": False},
        {"compression": "snappy", "use_dictionary": True},
        {"compression": "zstd", "use_dictionary": True, "data_page_version": "2.0", "store_schema": False},
    ):
        sink: Any = pa.BufferOutputStream()
        try:
            pa.parquet.write_table(table, sink, row_group_size=4, **options)
        except (pa.ArrowException, OSError):
            return []
        files.append(bytes(sink.getvalue()))
    return files
