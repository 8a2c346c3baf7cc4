"""Damaged tables of text: made from good ones by number, read, and judged.

A mutant is a file that was damaged here and there; its verdict says how far it got. Any error that is not one
of ours goes on to the caller: that is what is looked for. Arrow and Parquet files are damaged in
mutant_arrow, and judged here.
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
import random
from collections.abc import Callable
from functools import cache
from typing import Final

import pyarrow as pa

from arboretum import TreeClassifier
from arboretum.cli.outputs import FORMATS
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.kinds import Choices, give_kinds
from arboretum.cli.tables.matching import match_parts, predictions
from arboretum.cli.tables.reading import Dialect, scan_source, table_of
from arboretum.cli.tables.table import Table
from arboretum.cli.tables.writing import writer_to
from arboretum.errors import ArboretumError

__all__ = ["SEEDS", "judge", "mutant"]

_CSV = """size,colour,day,note,price
1,red,2024-01-01,"a, b",1.5
2,blue,2024-02-03,"so ""no"" it is",-2e3
,green,2024-02-29,"two
lines",.5
4,?,NA,,inf
"""
_JSON_LINES = """{"size": 1, "colour": "red", "day": "2024-01-01", "ok": true, "price": 1.5}
{"size": 2, "colour": null, "day": "2024-02-03T10:00:00", "ok": false, "price": -2e3}

{"size": 18446744073709551615, "colour": "gr\\u00fcn", "ok": null, "price": 0}
"""
_ARFF = """% a comment
@relation 'some rows'
@attribute size numeric
@attribute colour {red, 'light blue', "green"}
@attribute day date "yyyy-MM-dd HH:mm"
@attribute note string
@attribute when date
@data
1, red, "2024-01-01 10:30", 'it\\'s', 2024-01-01T00:00:00
?, 'light blue', ?, "a, b", ?
{0 3.5, 1 green, 3 'x y'}
{}
"""
SEEDS: Final[dict[str, bytes]] = {
    "csv": _CSV.encode(),
    "tsv": _CSV.replace('"a, b"', "a").replace(",", "\t").encode(),
    "jsonl": _JSON_LINES.encode(),
    "arff": _ARFF.encode(),
}
_PIECES: Final = (
    b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\\", b"{", b"}", b"[", b"]", b"%", b"@",
    b"?", b":", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xc3", b"\xed\xa0\x80", "é".encode(),
    "\u2028".encode(), "\U0001f333".encode(), b"NaN", b"Infinity", b"null", b"1e999", b"-0", b"9" * 30,
    b"0x1F", b"1_000", b"\\ud800", b"\\u0000", b"@attribute", b"@data", b"{1 2}", b"{5}", b"2024-13-45",
    b"0000-00-00", b"  ", b"a" * 70_000, b"[" * 3_000, b'"' * 301,
)  # fmt: skip
_ENCODINGS: Final = (*["utf-8"] * 24, "latin-1", "utf-16", "cp1252", "ascii", "utf-7", "shift_jis")


def mutant(seed: int, number: int) -> tuple[str, str, bytes, Dialect, Choices, bool]:
    """Return the kind of a mutant, its format, its bytes, how it is to be read, and whether it is packed."""
    rng = random.Random(seed * 1_000_003 + number)
    format = rng.choice(list(SEEDS))
    content = SEEDS[format]
    for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
        content = rng.choice(_DAMAGES)(content, rng)
    packed = rng.random() < 0.1
    if packed:
        content = gzip.compress(content, mtime=0)
        for _ in range(rng.choice((0, 1, 2))):
            content = rng.choice(_DAMAGES)(content, rng)
    dialect = Dialect(
        separator=rng.choice((*[None] * 24, ";", " ", "|", "tab", "\n", "ab")),
        encoding=rng.choice(_ENCODINGS),
        header=rng.random() < 0.9,
        block_bytes=rng.choice((1, 7, 64, 1000, 8 << 20)),
    )
    said = Choices(
        nominal=rng.choice(((), (), (), ("size",), ("day",))),
        numeric=rng.choice(((), (), ("price",), ("colour",))),
        drop=rng.choice(((), (), (), (), ("note",))),
        decimal=rng.choice((".", ".", ",")),
    )
    return format, format, content, dialect, said, packed


def judge(format: str, content: bytes, dialect: Dialect, said: Choices, packed: bool) -> str:
    """Read a file and do with it what the command line does; return how far it got."""
    try:
        table = table_of(scan_source(_source(content, packed), format, dialect))
    except ArboretumError:
        return "refused"
    widths = {len(table.columns.column(place)) for place in range(table.columns.num_columns)}
    assert widths == {len(table)}, "every column has every row"
    table.columns.validate(full=True)
    assert table.where(len(table) - 1)
    learnt = _learn(table, said)
    predicted = _predict(table, said, FORMATS[len(content) % len(FORMATS)])
    return "used" if learnt and predicted else "learnt" if learnt else "predicted" if predicted else "read"


def _learn(table: Table, said: Choices) -> bool:
    """Give the columns their kinds and fit a tree to them; return whether that was not refused."""
    try:
        typed = give_kinds(table, said)
        typed.columns.validate(full=True)
        y = [row % 2 for row in range(len(table))]
        TreeClassifier(max_depth=2, prune=None).fit(typed.columns, y)
    except ArboretumError:
        return False
    return True


def _predict(table: Table, said: Choices, format: str) -> bool:
    """Predict the rows and write them beside all columns; return whether that was not refused."""
    model = _model()
    added = ["prediction", *(f"probability_{label}" for label in model.classes_)]
    file = io.BytesIO()
    writer = writer_to(file, format)
    try:
        for chunk in table.chunks:
            parts = match_parts(chunk, model.tree_.columns, said, "it")
            kept = {name: chunk.columns.column(name) for name in chunk.columns.column_names}
            writer.write(pa.table(kept | predictions(model, parts, added)))
        writer.close()
    except ArboretumError:
        return False
    return True


@cache
def _model() -> TreeClassifier:
    rows = {
        "size": [1, 2, 3, 4, None, 6],
        "colour": ["red", "blue", "red", "blue", None, "red"],
        "day": [dt.date(2024, 1, day) for day in range(1, 7)],
    }
    return TreeClassifier(prune=None).fit(pa.table(rows), ["a", "b", "b", "a", "b", "c"])


def _source(content: bytes, packed: bool) -> Source:
    return Source(io.BytesIO(content), "The mutant", packed, None)


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + rng.choice(_PIECES) + content[place:]


def _delete(content: bytes, rng: random.Random) -> bytes:
    begin = rng.randint(0, len(content))
    return content[:begin] + content[begin + rng.choice((1, 1, 2, 10)) :]


def _replace(content: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randint(0, len(content))]


def _double(content: bytes, rng: random.Random) -> bytes:
    begin = rng.randint(0, len(content))
    part = content[begin : begin + rng.choice((1, 5, 40))]
    return content[:begin] + part * rng.choice((2, 3, 50)) + content[begin:]


def _swap_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines)
    return rng.choice((b"\n", b"\r", b"\r\n")).join(lines)


def _recode(content: bytes, rng: random.Random) -> bytes:
    return content.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32", "utf-8-sig")), "replace")


_DAMAGES: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    _insert,
    _insert,
    _delete,
    _replace,
    _cut,
    _double,
    _swap_lines,
    _recode,
)
