"""Mutations: files that were changed a little, or a lot, so that programs which read them may fail.

A mutant is what has become of a file. Structured changes know that a document is made of lists, names and
numbers, and so get past the first checks; plain ones change bytes and know nothing. Every mutant follows from
a source of random numbers alone. What must become of mutants is said by those who read them.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["mutate_bytes", "mutate_document", "packed", "text_of"]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 5, 7, 100, 255, 256, 65_536),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400),
    *(0.0, -0.0, 0.5, -0.5, 1e-320, 5e-324, 1.5, 1e15, 2.0**52, 1e100, 1e308, -1e308),
    *("", "x", "inf", "-inf", "nan", "gini", "nominal", "Tree", "1", "a" * 300, "\ud800", "\0", "</script>"),
    *([], {}, [[]], [{}], {"a": 1}, [0], [1, 2, 3], [None], ["inf"], [[0.5]]),
    *({"float": "inf"}, {"datetime64": [1, "ns"]}, {"tuple": [1]}, {"dict": [[1, 2]]}),
    *({"object": {"name": "CostComplexity", "parameters": {}}}, {"object": {"name": "os.system"}}),
)
TOKENS: tuple[bytes, ...] = (
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"null", b"true", b'"', b"\\", b"\\ud800", b"\\u0000"),
    *(b"[" * 100, b"{" * 100, b"]", b"}", b",", b":", b"[", b"{", b"-", b"0", b"9" * 5_000, b"1e", b".5"),
    *(b'"a":1,', b'"version":1,', b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\0", b"/*", b"\n"),
)
Change = Callable[[random.Random, Any, Any], Any]  # of a container, at a key


def text_of(document: Any) -> bytes:
    """The document as JSON text."""
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace")


def packed(content: bytes) -> bytes:
    """The content packed by gzip, quickly and always the same."""
    return gzip.compress(content, 1, mtime=0)


# --- structured changes


def mutate_document(rng: random.Random, document: Any, others: Sequence[Any]) -> Any:
    """The document, which is changed itself, after one to four changes; parts may come from the others."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        spot = _spot(rng, document)
        if spot is not None:
            change = rng.choice(_CHANGES)
            change(rng, *spot) if change is not _graft else _graft(rng, *spot, others)
    return document


def _spot(rng: random.Random, document: Any) -> tuple[Any, Any, tuple[Any, ...]] | None:
    """A container, a key of it and the path to it; small parts are found as often as large ones."""
    container, path = document, []
    while True:
        keys = list(container) if isinstance(container, dict) else range(len(container))
        if not keys:
            return None
        key = rng.choice(keys)
        path.append(key)
        below = container[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.12:
            return container, key, tuple(path)
        container = below


def _replace(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    container[key] = copy.deepcopy(rng.choice(ODD))


def _nudge(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    """A number becomes one nearby, another value one of its kind."""
    value = container[key]
    if isinstance(value, bool) or value is None:
        container[key] = not value
    elif isinstance(value, int):
        container[key] = rng.choice(
            (value + 1, value - 1, -value, 2 * value, value ^ (1 << rng.randrange(40)))
        )
    elif isinstance(value, float):
        container[key] = rng.choice(
            (value + 1, -value, value * 0.5, value * 1e300, value + 1e-9, round(value))
        )
    elif isinstance(value, str):
        container[key] = rng.choice((value + "x", value[:-1], value.upper(), value[::-1], value * 2))
    elif isinstance(value, list):
        container[key] = value + value[-1:]


def _delete(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    del container[key]


def _insert(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    if isinstance(container, list):
        container.insert(key, copy.deepcopy(rng.choice((container[key], *ODD))))
    else:
        container[rng.choice(("x", "", key + "_", "id", "levels", "p_value"))] = copy.deepcopy(container[key])


def _swap(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    other = rng.choice(list(container) if isinstance(container, dict) else range(len(container)))
    container[key], container[other] = container[other], container[key]


def _disorder(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    """A list in another order, or cut off, or doubled; the whole list if the spot is in one."""
    values = container[key] if isinstance(container[key], list) else container
    if isinstance(values, list) and values:
        act = rng.randrange(5)
        if act == 0:
            rng.shuffle(values)
        elif act == 1:
            del values[rng.randrange(len(values)) :]
        elif act == 2:
            values.extend(copy.deepcopy(values[:1_000]))
        elif act == 3:
            values.reverse()
        else:
            values[:] = [copy.deepcopy(values[0])] * len(values)


def _copy_within(rng: random.Random, container: Any, key: Any, path: Any) -> None:
    """The value of another place in the same container: an index that is right elsewhere."""
    other = rng.choice(list(container) if isinstance(container, dict) else range(len(container)))
    container[key] = copy.deepcopy(container[other])


def _graft(rng: random.Random, container: Any, key: Any, path: Any, others: Sequence[Any]) -> None:
    """What another document has at the same place."""
    found = rng.choice(others)
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return
    container[key] = copy.deepcopy(found)


_CHANGES: tuple[Any, ...] = (
    *(_replace, _replace, _nudge, _nudge, _nudge, _copy_within, _copy_within),
    *(_delete, _insert, _swap, _disorder, _graft),
)

# --- plain changes


def mutate_bytes(rng: random.Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """The content with one to four changes of its bytes; pieces may come from the others."""
    mutant = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        rng.choice(_PLAIN_CHANGES)(rng, mutant)
    if others and rng.random() < 0.1:
        other = rng.choice(others)
        mutant[rng.randrange(len(mutant) + 1) :] = other[rng.randrange(len(other) + 1) :]
    return bytes(mutant)


def _range(rng: random.Random, content: bytearray) -> slice:
    begin = rng.randrange(len(content) + 1)
    return slice(begin, begin + rng.choice((1, 1, 2, 8, 64, 1_000)))


def _flip(rng: random.Random, content: bytearray) -> None:
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _put_byte(rng: random.Random, content: bytearray) -> None:
    if content:
        content[rng.randrange(len(content))] = rng.randrange(256)


def _cut_out(rng: random.Random, content: bytearray) -> None:
    del content[_range(rng, content)]


def _cut_off(rng: random.Random, content: bytearray) -> None:
    del content[rng.randrange(len(content) + 1) :]


def _double(rng: random.Random, content: bytearray) -> None:
    piece = _range(rng, content)
    content[piece.start : piece.start] = content[piece]


def _token(rng: random.Random, content: bytearray) -> None:
    place = rng.randrange(len(content) + 1)
    content[place:place] = rng.choice(TOKENS)


def _digit(rng: random.Random, content: bytearray) -> None:
    """Another digit in the place of one: most of a model file is numbers."""
    for _ in range(20):
        if not content:
            return
        place = rng.randrange(len(content))
        if chr(content[place]).isdigit():
            content[place] = ord(rng.choice("0123456789-.e"))
            return


_PLAIN_CHANGES: tuple[Callable[[random.Random, bytearray], None], ...] = (
    *(_flip, _put_byte, _cut_out, _cut_off, _double, _token, _digit, _digit),
)
