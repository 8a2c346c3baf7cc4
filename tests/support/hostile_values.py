"""Values, arrays, columns and tables as nobody should give them, and disguises of ordinary ones.

All of it is made by chance from a generator, so that it can be made again.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import fractions
import random
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

__all__ = ["DISGUISES", "ODD", "Theirs", "hostile_column", "hostile_table", "hostile_vector"]


class Theirs(Exception):
    """Raised by an object that was given, on purpose: it may come back to the caller."""


class Raising:
    """Whatever is asked of it, it raises."""

    def __raise(self, *_: object) -> Any:
        raise Theirs("on purpose")

    __float__ = __int__ = __index__ = __len__ = __iter__ = __bool__ = __str__ = __repr__ = __lt__ = __raise
    __eq__ = __hash__ = __array__ = __getitem__ = __raise


class Lying(list[Any]):
    """A list that says another length than it has."""

    def __len__(self) -> int:
        return 7


class Shrinking(list[Any]):
    """A list that loses an item whenever it is walked through."""

    def __iter__(self) -> Iterator[Any]:
        if self:
            self.pop()
        return super().__iter__()


class Colour(enum.Enum):
    """A level that is an enumeration."""

    red = 1
    blue = "b"


ZONE = dt.timezone(dt.timedelta(hours=3, minutes=7))
ODD: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 2.5, -0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 2**53 + 1),
    *(2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**400, -(10**400), 1j, complex("nan")),
    *("", "x", " ", "nan", "1", "a\0b", "\ud800", "\u202e", "é" * 5_000, "\n", b"x", b"", bytearray(b"y")),
    *(
        object(),
        [],
        [1],
        (),
        (1,),
        {},
        {"a": 1},
        set(),
        frozenset((1,)),
        range(3),
        slice(1),
        Ellipsis,
        len,
        int,
    ),
    *(pd.NA, pd.NaT, pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01", tz="Europe/Berlin")),
    *(pd.Timedelta(3, "s"), pd.Interval(0, 1), pd.Period("2024-01"), pd.Timestamp.max, pd.Timestamp.min),
    *(dt.date(1, 1, 1), dt.date.max, dt.datetime.min, dt.datetime.max, dt.datetime(2024, 1, 1, tzinfo=ZONE)),
    *(dt.time(1), dt.timedelta.max, dt.timedelta.min, decimal.Decimal("NaN"), decimal.Decimal("sNaN")),
    *(decimal.Decimal("1e9999"), decimal.Decimal("-Infinity"), decimal.Decimal("0.1")),
    *(fractions.Fraction(1, 3), fractions.Fraction(10**400), Colour.red, Colour.blue, uuid.UUID(int=1)),
    *(np.float16(1), np.longdouble(1), np.longdouble("1e4000"), np.int8(1), np.bool_(True), np.str_("x")),
    *(np.datetime64("NaT"), np.datetime64("2024"), np.datetime64(2**62, "s"), np.timedelta64(1, "Y")),
    *(np.timedelta64(1), np.complex64(1), np.void(b"ab"), np.array(1.0), np.array([1.0]), Raising()),
)


def odd_value(rng: random.Random) -> Any:
    """One value; every now and then one that raises."""
    value = rng.choice(ODD)
    return value if not isinstance(value, Raising) or rng.random() < 0.3 else None


# --- columns

_FAMILIES: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: rng.gauss(0, 1),
    lambda rng: rng.choice((1.0, 2.0, 3.0)),
    lambda rng: rng.randrange(5),
    lambda rng: rng.choice((0, 2**63 - 1, 2**53, -(2**63))),
    lambda rng: rng.choice((0, 2**64 - 1, 2**63)),
    lambda rng: rng.choice("abc"),
    lambda rng: rng.choice(("a", "a\0", "\0", "", " a")),
    lambda rng: rng.choice(("a", "\ud800", "\udfff\ud800")),
    lambda rng: rng.random() < 0.5,
    lambda rng: dt.date(2024, 1, 1 + rng.randrange(20)),
    lambda rng: rng.choice((dt.date.min, dt.date.max)),
    lambda rng: dt.datetime(2024, 1, 1, rng.randrange(24)),
    lambda rng: dt.datetime(2024, 1, 1, rng.randrange(24), tzinfo=rng.choice((ZONE, dt.UTC))),
    lambda rng: dt.timedelta(rng.randrange(-5, 5), microseconds=1),
    lambda rng: decimal.Decimal(rng.randrange(99)) / 7,
    lambda rng: fractions.Fraction(rng.randrange(99), 7),
    lambda rng: rng.choice((Colour.red, Colour.blue)),
    lambda rng: np.float16(rng.random()),
    lambda rng: np.datetime64(rng.randrange(99), "D"),
    lambda rng: pd.Period(f"2024-{1 + rng.randrange(12)}"),
    lambda rng: pd.Interval(rng.randrange(3), 5),
    lambda rng: [rng.randrange(3)],
    lambda rng: (rng.randrange(3), "x"),
    lambda rng: {"a": rng.randrange(3)},
    lambda rng: bytes([rng.randrange(3)]),
    lambda rng: rng.choice((None, np.nan, pd.NA, pd.NaT)),
    odd_value,
)


def _cells(rng: random.Random, n: int) -> list[Any]:
    """Values of one family, some of them missing or from another."""
    family = rng.choice(_FAMILIES[:10] if rng.random() < 0.5 else _FAMILIES)
    values = [family(rng) for _ in range(n)]
    for _ in range(rng.choice((0, 0, 0, 0, 1, 3)) if n else 0):
        values[rng.randrange(n)] = rng.choice((None, None, np.nan, np.nan, pd.NA, odd_value(rng)))
    return values


def _as_object_array(values: list[Any]) -> Any:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


_PANDAS_DTYPES = (
    *("category", "string", "Float64", "Int64", "UInt8", "boolean", "float16", "float32", "int8", "uint64"),
    *("complex128", "datetime64[ns]", "datetime64[s]", "datetime64[us, UTC]", "timedelta64[ns]", "bytes"),
    *("string[pyarrow]", "int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]", "timestamp[us][pyarrow]"),
    *(
        "date32[pyarrow]",
        "duration[s][pyarrow]",
        "binary[pyarrow]",
        "Sparse[float]",
        "Sparse[int]",
        "period[M]",
    ),
    *("interval", "object", "str"),
)
_NUMPY_DTYPES = (
    *("O", "S3", "U3", "V4", "c8", "c16", "f2", ">f4", ">f8", "g", "?", "i1", ">i2", "u8", ">u8", "M8[D]"),
    *("M8[Y]", "M8[as]", "M8[ns]", "M8", ">M8[s]", "m8[s]", "m8", "m8[Y]", "f8", "T"),
    [("a", "f8"), ("b", "U2")],
)


def hostile_column(rng: random.Random, n: int) -> Any:
    """A column as pandas, NumPy or a list has it."""
    values = _cells(rng, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            match rng.randrange(8):
                case 0:
                    return pd.Series(values)
                case 1 | 2:
                    return pd.Series(values, dtype=rng.choice(_PANDAS_DTYPES))
                case 3:
                    return _categorical(rng, values)
                case 4:
                    return np.array(values, dtype=np.dtype(rng.choice(_NUMPY_DTYPES)))
                case 5:
                    return _of_arrow(rng, values)
        except Exception:
            pass  # there is no such column
    return _as_object_array(values)


def _categorical(rng: random.Random, values: list[Any]) -> Any:
    found = pd.Categorical(values, ordered=rng.random() < 0.5)
    match rng.randrange(3):
        case 0:
            return found
        case 1:
            return found.add_categories(["not there"])
        case _:
            return pd.Categorical.from_codes(
                [rng.randrange(-1, 2) for _ in values],
                categories=[rng.choice((0.5, "z")), rng.choice((1, "y"))],
            )


def _of_arrow(rng: random.Random, values: list[Any]) -> Any:
    found = pa.array(values)
    match rng.randrange(5):
        case 0:
            return found.dictionary_encode()
        case 1:
            return pa.chunked_array([found[:2], found[2:2], found[2:]])
        case 2:
            return pa.compute.run_end_encode(found)
        case 3:
            indices = pa.array([None if i % 3 == 0 else i % 2 for i in range(len(values))], pa.int8())
            return pa.DictionaryArray.from_arrays(indices, pa.array([None, "a"]))
    return found


# --- vectors: targets, weights, groups


def hostile_vector(rng: random.Random, n: int) -> Any:
    """What may be given in the place of n values, one for each row."""
    return _made(lambda: _vector(rng, n))


def _made(make: Callable[[], Any]) -> Any:
    """Make something, and try again where there is no such thing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            try:
                return make()
            except (Exception, pl.exceptions.PanicException):
                continue


def _vector(rng: random.Random, n: int) -> Any:
    m = rng.choice((n,) * 12 + (n - 1, n + 1, 0, 1))
    column = hostile_column(rng, m)
    match rng.randrange(16):
        case 0:
            return odd_value(rng)
        case 1:
            return np.asarray(column, dtype=object).reshape(m, 1)
        case 2:
            return np.asarray([rng.gauss(0, 1) for _ in range(2 * m)]).reshape(m, 2)
        case 3:
            return np.full((m, 1, 1), 1.0)
        case 4:
            return pd.DataFrame({"y": np.arange(m), "z": column} if rng.random() < 0.5 else {"y": column})
        case 5:
            return iter(list(column))
        case 6:
            return rng.choice((Lying, Shrinking, tuple, collections.deque, list))(list(column))
        case 7:
            return np.array([rng.choice((0.0, 1.0, -1.0, np.nan, np.inf, 1e308, 5e-324)) for _ in range(m)])
        case 8:
            return array.array("d", (float(i % 3) for i in range(m)))
        case 9:
            return memoryview(bytes(i % 3 for i in range(m)))
        case 10:
            return sparse.csr_matrix(np.eye(max(1, m))[:1])
        case 11:
            return pd.Series(column, index=[0] * m)
        case 12:
            return pl.Series("y", list(range(m)))
        case 13:
            return np.ma.masked_array([float(i % 3) for i in range(m)], mask=[i % 4 == 0 for i in range(m)])
    return column


# --- tables

_ODD_NAMES = (
    *(
        None,
        np.nan,
        "",
        " ",
        0,
        1,
        "1",
        ("a", 1),
        "x0",
        "a\0b",
        "\ud800",
        b"b",
        pd.Timestamp("2024"),
        "a" * 3_000,
    ),
    *(True, 1.5, "\u202e", "\n", Colour.red, "size", "colour"),
)


def hostile_table(rng: random.Random, n: int, names: tuple[str, ...]) -> Any:
    """A table of about n rows whose columns are mostly called like this, in any container there is."""
    return _made(lambda: _table(rng, n, names))


def _table(rng: random.Random, n: int, names: tuple[str, ...]) -> Any:
    n = rng.choice((n,) * 8 + (1, 0))
    width = rng.choice((len(names),) * 12 + (len(names) - 1, len(names) + 1, 0))
    chosen: list[Any] = [names[i] if i < len(names) else f"more{i}" for i in range(width)]
    if rng.random() < 0.1:
        chosen = [rng.choice(_ODD_NAMES) if rng.random() < 0.5 else name for name in chosen]
    columns = [hostile_column(rng, n) if rng.random() < 0.4 else np.arange(n) * 1.0 for _ in chosen]
    match rng.randrange(14):
        case 0 | 1 | 2 | 3:
            return _frame(rng, columns, chosen)
        case 4:
            return pl.DataFrame(
                {str(name): list(column) for name, column in zip(chosen, columns, strict=True)}
            )
        case 5:
            return pl.from_pandas(_frame(rng, columns, chosen))
        case 6:
            return pa.table([_arrow(column) for column in columns], [str(name) for name in chosen])
        case 7:
            return pa.record_batch([_arrow(column) for column in columns], [str(name) for name in chosen])
        case 8:
            return [list(row) for row in zip(*columns, strict=True)]
        case 9:
            return np.array([list(row) for row in zip(*columns, strict=True)], dtype=object)
        case 10:
            return np.zeros((n, width)).astype(np.dtype(rng.choice(_NUMPY_DTYPES)))
        case 11:
            return rng.choice(
                (
                    np.zeros(n),
                    np.zeros(()),
                    np.zeros((n, width, 1)),
                    np.zeros((0, width)),
                    np.zeros((n, 0)),
                    sparse.csr_matrix((n, width)),
                    odd_value(rng),
                    {"a": [1]},
                    iter([[1.0]]),
                    pd.Series(range(n)),
                    np.broadcast_to(0.0, (n, width)),
                    np.full((n, width), 1e300) * 1e300,
                    np.full((n, width), np.nan),
                    np.lib.stride_tricks.as_strided(np.zeros(n + width), (n, width), (8, 8)),
                    np.zeros((n, 1)).T,
                    np.rec.fromarrays([np.zeros(n)] * max(1, width)),
                    pl.DataFrame({"a": [1]}).lazy(),
                )
            )
        case 12:
            return rng.choice((Lying, Shrinking, tuple, collections.deque))(
                [list(row) for row in zip(*columns, strict=True)]
            )
    return [list(column)[: rng.randrange(4)] for column in columns]


def _frame(rng: random.Random, columns: list[Any], names: list[Any]) -> Any:
    frame = pd.DataFrame({i: pd.Series(column) for i, column in enumerate(columns)})
    frame.columns = pd.Index(names, dtype=object)
    match rng.randrange(12):
        case 0:
            frame.index = pd.Index([0] * len(frame))
        case 1:
            frame.index = pd.MultiIndex.from_arrays([range(len(frame)), ["a"] * len(frame)])
        case 2 if names:
            frame.columns = pd.MultiIndex.from_arrays([names, ["z"] * len(names)])
        case 3:
            frame.columns = pd.Index([names[0]] * len(names)) if names else frame.columns
        case 4:
            frame = frame[::-1]
        case 5:
            frame.columns = pd.CategoricalIndex([str(name) for name in names])
    return frame


def _arrow(column: Any) -> Any:
    return column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(list(column))


# --- disguises: the same small whole numbers, in another form

DISGUISES: dict[str, Callable[[Any], Any]] = {
    "in columns": np.asfortranarray,
    "every other row": lambda A: np.repeat(A, 2, axis=0)[::2],
    "every other column": lambda A: np.repeat(A, 2, axis=1)[:, ::2],
    "backwards": lambda A: A[::-1, ::-1].copy()[::-1, ::-1],
    "turned": lambda A: A.T.copy().T,
    "misaligned": lambda A: np.frombuffer(b"x" + A.tobytes(), dtype=A.dtype, offset=1).reshape(A.shape),
    "swapped bytes": lambda A: A.astype(A.dtype.newbyteorder()),
    "float32": lambda A: A.astype("f4"),
    "float16": lambda A: A.astype("f2"),
    "swapped float16": lambda A: A.astype(">f2"),
    "longdouble": lambda A: A.astype("g"),
    "bytes": lambda A: A.astype("i1"),
    "swapped uint64": lambda A: A.astype(">u8"),
    "objects": lambda A: A.astype(object),
    "lists": lambda A: A.tolist(),
    "tuples": lambda A: tuple(map(tuple, A.tolist())),
    "deque": lambda A: [list(map(np.float16, row)) for row in A],
    "fractions": lambda A: [[fractions.Fraction(int(cell)) for cell in row] for row in A],
    "decimals": lambda A: [[decimal.Decimal(int(cell)) for cell in row] for row in A],
    "masked": lambda A: np.ma.masked_array(A, mask=np.zeros(A.shape, bool)),
    "matrix": lambda A: np.asmatrix(A),
    "read only": lambda A: _locked(A),
    "pandas": lambda A: _named(A),
    "pandas, same index": lambda A: _named(A).set_axis([0] * len(A)),
    "pandas, nullable": lambda A: _named(A).astype("Int16"),
    "pandas, Arrow": lambda A: _named(A).astype("double[pyarrow]"),
    "pandas, decimal": lambda A: _named(A).astype(pd.ArrowDtype(pa.decimal128(9, 2))),
    "pandas, turned": lambda A: _named(A.T.copy().T)[::-1][::-1],
    "polars": lambda A: pl.from_pandas(_named(A)),
    "polars, chunks": lambda A: pl.concat(
        [pl.from_pandas(_named(A[:5])), pl.from_pandas(_named(A[5:]))], rechunk=False
    ),
    "Arrow": lambda A: pa.Table.from_pandas(_named(A)),
    "Arrow, chunks": lambda A: pa.concat_tables(
        [pa.Table.from_pandas(_named(A[:5])), pa.Table.from_pandas(_named(A[5:]))]
    ),
    "Arrow, slice": lambda A: pa.Table.from_pandas(
        _named(np.vstack([A, A])).set_axis(range(2 * len(A)))
    ).slice(len(A), len(A)),
}


def _named(A: Any) -> Any:
    return pd.DataFrame(A, columns=[f"x{i}" for i in range(A.shape[1])])


def _locked(A: Any) -> Any:
    found = A.copy()
    found.setflags(write=False)
    return found
