"""Arrow files that lie about their memory: places beyond a buffer, entries that no dictionary has.

Each is a good file in which a few bytes were replaced.
"""

from __future__ import annotations

import struct
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["CRAFTED", "Crafted", "arrow_bytes"]

_FAR: Final = 3_000  # bytes beyond the buffer: other memory of the process, without a crash


class Crafted(NamedTuple):
    """A good column of three rows, some of its bytes, and what takes their place."""

    column: Any
    old: bytes
    new: bytes

    def content(self, *, stream: bool = False) -> bytes:
        """Return the file with a good column and this one."""
        good = arrow_bytes({"good": pa.array([7, 8, 9]), "crafted": self.column}, stream=stream)
        assert good.count(self.old) == 1, "the bytes to replace are there once"
        return good.replace(self.old, self.new)


def arrow_bytes(columns: dict[str, Any], *, stream: bool = False) -> bytes:
    """Return a table as an Arrow file or stream of one batch."""
    batch = pa.record_batch(columns)
    sink: Any = pa.BufferOutputStream()
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _ints(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


def _longs(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


_TEXTS: Final = ["t" * 11, "u" * 13, "v" * 17]
_PLACES: Final = _ints(0, 11, 24, 41)
_TEXT: Final = pa.array(_TEXTS)
_VIEWS: Final = pa.array(_TEXTS, pa.string_view())
_VIEW: Final = struct.pack("<i4sii", 17, b"vvvv", 0, 13)  # the first text is short enough to have no buffer
_CODES: Final = pa.array([0, 2, 1], pa.int32())
_DICTIONARY: Final = pa.DictionaryArray.from_arrays(_CODES, _TEXT)
_LISTS: Final = pa.array([[1] * 11, [2] * 13, [3] * 17])
_UNION: Final = pa.UnionArray.from_sparse(
    pa.array([0, 1, 0], pa.int8()), [pa.array([1.5, 2.5, 3.5]), pa.array(["a", "b", "c"])]
)
_RUNS: Final = pc.run_end_encode(pa.array([5, 5, 6]))
_DECIMALS: Final = pa.array([1, 2, 3]).cast(pa.decimal128(21, 1))

CRAFTED: Final = {
    "a text that ends beyond the buffer": Crafted(_TEXT, _PLACES, _ints(0, 11, 24, _FAR)),
    "a text that ends far beyond it": Crafted(_TEXT, _PLACES, _ints(0, 11, 24, 2**31 - 1)),
    "a text that ends before it begins": Crafted(_TEXT, _PLACES, _ints(0, 30, 24, 41)),
    "a text before the buffer": Crafted(_TEXT, _PLACES, _ints(0, -_FAR, 24, 41)),
    "a large text beyond the buffer": Crafted(
        _TEXT.cast(pa.large_string()), _longs(0, 11, 24, 41), _longs(0, 11, 24, 2**40)
    ),
    "bytes that are no text": Crafted(_TEXT, b"v" * 17, b"v\xff\xfe" * 4 + b"v" * 5),
    "bytes beyond the buffer": Crafted(_TEXT.cast(pa.binary()), _PLACES, _ints(0, 11, 24, _FAR)),
    "a view beyond the buffer": Crafted(_VIEWS, _VIEW, struct.pack("<i4sii", _FAR, b"vvvv", 0, 13)),
    "a view into no buffer": Crafted(_VIEWS, _VIEW, struct.pack("<i4sii", 17, b"vvvv", 7, 13)),
    "an entry that no dictionary has": Crafted(_DICTIONARY, _ints(0, 2, 1), _ints(0, _FAR, 1)),
    "an entry before the dictionary": Crafted(_DICTIONARY, _ints(0, 2, 1), _ints(0, -5, 1)),
    "a dictionary of texts beyond the buffer": Crafted(_DICTIONARY, _PLACES, _ints(0, 11, 24, _FAR)),
    "a list beyond its values": Crafted(_LISTS, _PLACES, _ints(0, 11, 24, _FAR)),
    "a struct of texts beyond the buffer": Crafted(
        pa.StructArray.from_arrays([_TEXT], ["a"]), _PLACES, _ints(0, 11, 24, _FAR)
    ),
    "a union of an unknown type": Crafted(_UNION, b"\0\1\0" + bytes(5), b"\0\x09\0" + bytes(5)),
    "runs that end before they begin": Crafted(_RUNS, _ints(2, 3), _ints(-2, 3)),
    "a decimal of too many digits": Crafted(_DECIMALS, _longs(10, 0, 20, 0), _longs(10, 2**60, 20, 0)),
}
