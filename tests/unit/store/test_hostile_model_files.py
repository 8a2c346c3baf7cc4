"""Model files that were made to do harm: refused in one sentence, before they cost time or memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pages import fitted

from arboretum import DataError, Tree, TreeClassifier
from arboretum._data.collisions import first_repeated
from arboretum._store.model_files import load, model_from_bytes, model_to_bytes, save

COLLIDING = [i * (2**61 - 1) for i in range(1, 1_001)]  # all of them have the hash 0


def refusal(content: bytes) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(DataError) as caught:
        model_from_bytes(content)
    return str(caught.value)


def colliding_pairs(n: int) -> list[list[int]]:
    """Pairs of numbers whose tuples have one hash, by undoing the last step of Python's hash of tuples."""
    mask, first, second, third = 2**64 - 1, 11400714785074694791, 14029467366897019727, 2870177450012600261
    pairs: list[list[int]] = []
    number = 0
    while len(pairs) < n:
        number += 1
        lane = (third + number * second) & mask
        before = (((lane << 31) | (lane >> 33)) & mask) * first & mask
        other = (1 - before) * pow(second, -1, 2**64) & mask
        if other < 2**61 - 1:
            pairs.append([number, other])
    assert len({hash(tuple(pair)) for pair in pairs}) == 1
    return pairs


def test_levels_and_classes_that_collide() -> None:
    """A megabyte of levels that are multiples of 2**61 - 1 took 23 s to load: they share one hash."""
    document = json.loads(model_to_bytes(fitted("penguins")[0]))
    place = next(i for i, column in enumerate(document["columns"]) if "levels" in column)
    document["columns"][place]["levels"] = COLLIDING
    assert (
        "The levels of column 'island' cannot be looked up quickly: more than 64 of them share one hash"
        in (refusal(json.dumps(document).encode()))
    )
    document = json.loads(model_to_bytes(fitted("penguins")[0]))
    document["classes"] = {"type": "object", "values": COLLIDING}
    assert "The tree's classes cannot be looked up quickly" in refusal(json.dumps(document).encode())


def test_trees_that_collide() -> None:
    """`Tree.from_json` reads the same columns and classes, and refuses them alike."""
    document = json.loads(fitted("penguins")[0].tree_.to_json())
    for change in (
        {"classes": COLLIDING},
        {"columns": [{"name": "x", "kind": "nominal", "levels": COLLIDING}]},
    ):
        with pytest.raises(DataError, match="cannot be looked up quickly"):
            Tree.from_json(json.dumps(document | change))


@pytest.mark.parametrize("keys", [COLLIDING, [{"tuple": pair} for pair in colliding_pairs(1_000)]])
def test_parameters_that_collide(keys: list[Any]) -> None:
    """The dicts among the parameters have any keys, of which tuples can be made to collide as well."""
    document = json.loads(model_to_bytes(fitted("penguins")[0]))
    document["parameters"]["class_weight"] = {"dict": [[key, 1.0] for key in keys]}
    assert "The keys of the parameter class_weight cannot be looked up quickly" in (
        refusal(json.dumps(document).encode())
    )


def test_a_key_that_is_there_twice() -> None:
    document = json.loads(model_to_bytes(fitted("penguins")[0]))
    document["parameters"]["class_weight"] = {"dict": [["a", 1.0], ["b", 2.0], ["a", 3.0]]}
    assert "The parameter class_weight has the key 'a' twice" in refusal(json.dumps(document).encode())


def test_what_is_there_twice_is_found_first() -> None:
    """A level that is there a hundred times is a level twice, no attack; numbers that are alike are not."""
    assert first_repeated(["a"] * 100, "They") == 1
    assert first_repeated([*COLLIDING[:60], COLLIDING[3], *COLLIDING[60:]], "They") == 60
    assert first_repeated([*range(-5_000, 5_000), *(2.0 ** (61 * i) for i in range(1, 17))], "They") is None
    assert first_repeated([], "They") is None


def bomb(unit: bytes, n_times: int) -> bytes:
    """A tree with one list of that many entries, packed."""
    document = json.loads(fitted("penguins")[0].tree_.to_json())
    document["nodes"]["parent"] = "HERE"
    before, after = json.dumps(document).encode().split(b'"HERE"')
    packing = zlib.compressobj(9, wbits=31)
    pieces = [before, b"[", *([unit * 2**20] * (n_times // 2**20)), b"0]", after]
    return b"".join(map(packing.compress, pieces)) + packing.flush()


def test_a_bomb_is_refused_unread() -> None:
    """261 KB that unpack into 64 million numbers took 3.3 GB and half a minute until they were refused."""
    content = bomb(b"300,", 2**26)
    assert len(content) < 270_000
    tracemalloc.start()
    sentence = refusal(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "bytes of text, more than 160 times its own size.\nHint: if you trust it" in sentence
    assert peak < 400 * len(content)
    assert "The tree has 1,048,577 nodes" in refusal(
        bomb(b"300,", 2**20)
    )  # which unpacks into less than 8 MiB, and is read


def test_what_is_saved_keeps_to_the_ratio(tmp_path: Path) -> None:
    """A tree of 700 classes is mostly zeros, which gzip packs so well that `load` would suspect it."""
    y = np.arange(700)
    tree = TreeClassifier(prune=None, leaf="frequency").fit(y[:, None] * 1.0, y).tree_
    text = model_to_bytes(tree)
    tight = tmp_path / "tight.json.gz"
    tight.write_bytes(gzip.compress(text))
    assert len(text) > 160 * tight.stat().st_size
    with pytest.raises(DataError, match="more than 160 times its own size"):
        load(tight)
    path = tmp_path / "model.json.gz"
    save(tree, path)
    assert len(text) < 160 * path.stat().st_size
    assert load(path) == tree
    assert load(tight, max_bytes=len(text)) == tree
