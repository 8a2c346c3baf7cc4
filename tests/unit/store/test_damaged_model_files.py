"""Damaged model files, and those that were made to do harm: each is refused in one sentence.

A damage is one change to a document; a bomb is a small file that would become a large one. That a million
other damages do no harm either is told in benchmarks/ROBUSTNESS.md.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.mutant_models import KINDS, judge, mutant
from support.pages import fitted

from arboretum import DataError, ReducedError, TreeClassifier, datasets
from arboretum._store.model_files import load, model_from_bytes, model_to_bytes, save
from arboretum.errors import ArboretumError

DOCUMENT = json.loads(model_to_bytes(fitted("penguins")[0]))
SUSPICION = {"column": "sex", "looks_like": "identifier", "example": "a", "count": 3, "of": 3, "odd": None}
Damage = Callable[[Any], object]


def refusal(document: Any) -> str:
    """The sentence with which a document is refused."""
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(DataError) as caught:
        model_from_bytes(content, "The file 'x'")
    sentence = str(caught.value)
    assert sentence.startswith("The file 'x' ")
    assert len(sentence) < 500
    return sentence


def put(*path: Any) -> Damage:
    """Put a value, which is the last one, at a place."""
    *steps, key, value = path

    def damage(document: Any) -> None:
        for step in steps:
            document = document[step]
        document[key] = value

    return damage


DAMAGES: list[tuple[Damage, str]] = [
    (put("format", "other"), "its format is not 'arboretum model'"),
    (put("format", None), "its format is not 'arboretum model'"),
    (put("version", 2), "it has version 2, but this program reads version 1.\nHint: .*update the package"),
    (put("version", True), "it has version True"),
    (put("version", 1.0), "it has version 1.0"),
    (put("model", "Forest"), "it holds a model .Forest.; known are TreeClassifier, .*BaggedRanker, Tree"),
    (put("model", "os.system"), "it holds a model 'os.system'"),
    (put("model", 3), "The model's model should be a str, but is int"),
    (put("model", "Tree"), "it has a field 'alpha', which is not known"),
    (put("model", "TreeRegressor"), "do not fit a TreeRegressor"),
    (put("code", "import os"), "it has a field 'code', which is not known"),
    (lambda d: d.pop("columns"), "The model's columns should be a list, but is NoneType"),
    (put("columns", 1, "name", DOCUMENT["columns"][0]["name"]), "two columns of the same name"),
    (put("columns", 0, "kind", "odd"), "odd"),
    (put("columns", 0, 3), "A stored column is an object"),
    (put("classes", None), "do not fit a TreeClassifier"),
    (put("classes", "type", None), "do not fit a TreeClassifier"),
    (put("classes", "type", "int64"), "the classes are not of their type"),
    (put("classes", "type", "datetime64[ns]"), "the classes are not of their type"),
    (
        put("classes", {"type": "text", "width": 10**9, "values": ["a", "b", "c"]}),
        "with a width of 1000000000",
    ),
    (put("classes", {"type": "text", "width": 1, "values": ["a", "b", "cc"]}), "with a width of 1"),
    (put("classes", {"type": "int8", "values": [1, 2, 300]}), "do not fit into their type"),
    (put("classes", {"type": "float16", "values": [1.0, 2.0, 1e300]}), "do not fit into their type"),
    (put("classes", {"type": "bool", "values": [0, 1, 2]}), "the classes are not of their type"),
    (put("classes", "values", 0, DOCUMENT["classes"]["values"][1]), "the same class twice"),
    (put("parameters", []), "The parameters of TreeClassifier should be an object"),
    (put("parameters", "x", 1), "TreeClassifier has no parameter 'x'; the file may be of a newer version"),
    (put("parameters", "prune", {"object": {"name": "Popen", "parameters": {}}}), "prune is stored as"),
    (
        put("parameters", "prune", {"object": {"name": "CostComplexity", "parameters": {"x": 1}}}),
        "no parameter",
    ),
    (
        put("parameters", "loss", {"array": {"type": "float64", "shape": [2], "values": [1]}}),
        "fill its shape",
    ),
    (
        put("parameters", "loss", {"array": {"type": "O", "shape": [1], "values": [1]}}),
        "type that is not known",
    ),
    (put("parameters", "loss", {"array": {"type": "int64", "shape": [1], "values": [2**70]}}), "too large"),
    (put("parameters", "loss", {"dict": [[[1], 2]]}), "has a key that cannot be one"),
    (put("parameters", "loss", {"dict": [1]}), "should be a list of pairs"),
    (put("parameters", "loss", [[[[[[[[[[[[1]]]]]]]]]]]]), "loss is nested more than 10 deep"),
    (put("parameters", "loss", {"what": 1}), "loss is stored as"),
    (put("named", 1), "The model's named should be a bool, but is int"),
    (put("training_data", "fingerprint", "0" * 15), "not made of 16 hexadecimal digits"),
    (put("training_data", "fingerprint", "0" * 15 + "\n"), "not made of 16 hexadecimal digits"),
    (put("training_data", "n_rows", -1), "n_rows is -1"),
    (put("training_data", "n_rows", True), "n_rows should be a int, but is bool"),
    (put("training_data", "n_columns", 5), "but its training data had 5"),
    (put("training_data", "missing", [0]), "but missing of 1"),
    (put("training_data", "missing", 0, -1), "its count -1 in missing does not fit column"),
    (put("training_data", "missing", 0, 10**9), "its count 1000000000 in missing does not fit column"),
    (put("training_data", "levels", 0, 4), "its count 4 in levels does not fit column"),
    (put("training_data", "levels", 1, 2), "its count 2 in levels does not fit column"),
    (put("training_data", "levels", "many"), "levels should be a list, but is str"),
    (put("training_data", "suspicions", [3]), "suspicions are not objects"),
    (put("training_data", "suspicions", [SUSPICION | {"column": "other"}]), "or one that is not there"),
    (put("training_data", "suspicions", [SUSPICION, SUSPICION]), "name a column twice"),
    (put("training_data", "suspicions", [SUSPICION | {"looks_like": "spy"}]), "of being 'spy'"),
    (put("training_data", "suspicions", [SUSPICION | {"count": 9}]), "in 9 of 3 rows"),
    (put("training_data", "suspicions", [SUSPICION | {"odd": 1}]), "odd should be a str, but is int"),
    (put("n_rows_dropped", 2**70), "n_rows_dropped is"),
    (put("sequence", "complexity", "width"), "its sequence cannot be made"),
    (put("sequence", "measure", "squared_error"), "its sequence cannot be made"),
    (put("alpha", -1), "a price is finite and not negative"),
    (put("alpha", "inf"), "a price is finite and not negative"),
    (put("alpha", 10**400), "alpha holds a number that is too large"),
    (put("alpha", "1"), "alpha holds '1'"),
    (put("pruning_path", "alpha", 0, 0.1), "do not rise from 0"),
    (put("pruning_path", "alpha", 1, None), "do not rise from 0"),
    (lambda d: d["pruning_path"]["risk"].pop(), "differ in length, or are empty"),
    (
        lambda d: [
            d["pruning_path"].update({n: []}) for n in ("alpha", "leaves", "risk", "cv_risk", "cv_se")
        ],
        "empty",
    ),
    (put("pruning_path", "cv_risk", 0, 10**400), "cv_risk holds a number that is too large"),
    (
        lambda d: d["pruning_path"]["cv_risk"].__setitem__(slice(0, 2), [10**400, None]),
        "cv_risk holds a number that is too large",
    ),
    (put("pruning_path", "leaves", -1, 2), "down to one leaf"),
    (put("pruning_path", "chosen", 99), "has chosen a tree that is not in it"),
    (put("pruning_path", "chosen", -1), "has chosen a tree that is not in it"),
    (put("pruning_path", "chosen", True), "The pruning path's chosen should be a int, but is bool"),
    (put("pruning_path", "cv_se", 0, -1), "has a cv_se of -1, but an error is not below 0"),
    (put("pruning_path", "cv_se", 0, "-inf"), "has a cv_se of -inf"),
    (put("pruning_path", "cv_risk", 0, None), "has a cv_risk or cv_se for some of its trees only"),
    (put("pruning_path", "cv_risk", 0, "-inf"), "has a cv_risk below every number"),
    (put("pruning_path", "risk", 0, 0.7), "has the risk 0.7 for [0-9]+ leaves, but its tree has 0"),
    (put("pruning_path", "risk", -1, None), "has the risk nan for 1 leaf,"),
    (put("pruning_path", "alpha", -1, 77.0), "has the alpha 77 for 1 leaf, but its tree has 0.5"),
    (put("pruning_path", "leaves", 0, 99), r"has 99, .* leaves, but pruning its tree gives (?!99)"),
    (
        lambda d: [values.pop(1) for values in d["pruning_path"].values() if isinstance(values, list)],
        "leaves, but pruning its tree gives",
    ),
    (put("pruning_path", "chosen", 0), r"has chosen 15 leaves, but its tree has 12"),
    (put("alpha", 5.0), "leaves, which its alpha 5.0 does not"),
    (put("alpha", None), "leaves, which its alpha None does not"),
    (put("tree", {"leaves": [0]}), "leaves, but its tree has 1"),
    (put("tree", {"leaves": [10**6]}), "names a node that is not there"),
    (put("tree", {"leaves": [-1]}), "names a node that is not there"),
    (put("tree", {"leaves": [0.5]}), "The list of leaves holds 0.5"),
    (put("tree", {}), "criterion should be a str"),
    (put("tree", None), "The model's tree should be a dict, but is NoneType"),
    (put("grown", None), "criterion should be a str"),
    (put("grown", "criterion", "squared_error"), "does not fit its target"),
    (put("grown", "missing", "anywhere"), "no rule called 'anywhere'"),
    (put("grown", "leaf", "factors", [1e308] * 3), "weigh nothing, or more than can be computed with"),
    (put("grown", "nodes", "weight", 0, 0.0), "weigh nothing"),
    (put("grown", "nodes", "weight", 1, "inf"), "weight is infinite in some node"),
    (put("grown", "nodes", "counts", 1, 0, -1), "counts is below zero in some node"),
    (put("grown", "nodes", "first_child", 1, 0), "damaged"),
    (put("grown", "nodes", "first_child", 0, 2**31 - 2), "damaged"),
    (put("grown", "nodes", "first_child", 0, 2**40), "too large"),
    (put("grown", "nodes", "parent", 1, 1), "a node comes before its parent"),
    (put("grown", "nodes", "n_children", 0, 2**31 - 1), "damaged"),
    (put("grown", "nodes", "level_begin", 1, -5), "damaged"),
    (put("grown", "nodes", "level_begin", -1, 10**9), "damaged"),
    (put("grown", "nodes", "missing_child", 0, 77), "damaged"),
    (put("grown", "nodes", "column", 0, -2), "damaged"),
    (put("grown", "nodes", "kind", 0, 200), "damaged"),
    (put("grown", "nodes", "probability", 0, [0.5]), "should have 3 numbers per node"),
    (put("grown", "nodes", "probability", 0, 0, None), "probability holds None"),
    (put("grown", "others", "begin", 1, 10**9), "damaged"),
    (put("grown", "others", "level_begin", 1, 10**9), "damaged"),
    (put("grown", "others", "column", 0, 10**6), "damaged"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=[words[:40] for _, words in DAMAGES])
def test_each_damage_is_named(damage: Damage, words: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    damage(document)
    sentence = refusal(document)
    assert re.search(words, sentence, re.DOTALL), sentence


def test_the_document_itself_is_fine() -> None:
    """Else all damages could be refused for another reason."""
    assert model_from_bytes(json.dumps(DOCUMENT).encode()).tree_ == fitted("penguins")[0].tree_


def test_numbers_have_no_rule_for_classes() -> None:
    """A tree of numbers with a rule for leaves of classes was loaded once, and could not be pruned."""
    document = json.loads(model_to_bytes(fitted("medians")[0]))
    assert model_from_bytes(json.dumps(document).encode()).tree_ == fitted("medians")[0].tree_
    document["grown"]["leaf"] = DOCUMENT["grown"]["leaf"]
    assert "predicts numbers, but has a rule for the classes of its leaves" in refusal(document)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"node": [0.5]}, "node holds 0.5"),
        ({"action": ["keep"]}, "differ in length"),
        ({"action": "keep"}, "action should be a list"),
        ({"errors": 3}, "errors should be a str"),
        ({"after": None}, "after should be a list"),
        ({"node": [10**6], "before": [1.0], "after": [1.0], "action": ["keep"]}, "a node that the tree has"),
    ],
)
def test_damaged_logs(change: dict[str, Any], words: str) -> None:
    X, y = datasets.load_iris()
    document = json.loads(model_to_bytes(TreeClassifier(prune=ReducedError()).fit(X, y)))
    assert model_from_bytes(json.dumps(document).encode()).pruning_log_ is not None
    document["pruning_log"] |= change
    assert words in refusal(document)
    document["pruning_log"]["action"] = ["none"] * len(document["pruning_log"]["node"])


TEXT = json.dumps(DOCUMENT)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not a model file"),
        (b"\xff\xfe{}", "is not text in UTF-8"),
        (TEXT.encode("utf-16"), "is not text in UTF-8"),
        (b"PK\x03\x04 a zip file", "is not a model file"),
        (b"\x80\x04\x95 a pickle", "is not text in UTF-8"),
        (b"[]", "its format is not"),
        (b"null", "its format is not"),
        (TEXT.encode()[:-1], "is not a model file"),
        (TEXT.encode()[: len(TEXT) // 2], "is not a model file"),
        (TEXT.replace('"version": 1', '"version": NaN').encode(), "NaN is not JSON"),
        (TEXT.replace('"version": 1', '"version": -Infinity').encode(), "-Infinity is not JSON"),
        (TEXT.replace('"version": 1', '"version": 1e999').encode(), "it has version inf"),
        (
            TEXT.replace('"version": 1', '"version": ' + "9" * 10**6).encode(),
            "is not a model file: Exceeds the",
        ),
        (
            TEXT.replace('"version": 1', '"version": 1, "version": 1').encode(),
            "the name 'version' is there twice",
        ),
        (b'{"format": ' + b"[" * 10**6, "nested more than 64 deep"),
        (b'{"a":' * 10**5, "nested more than 64 deep"),
        (b'[1,"' + b"\\\\" * 10 + b'",' + b'[{"a":' * 40, "nested more than 64 deep"),
        (b"[" + b"[]," * (10**7 + 1) + b"[]]", "it holds more than 10,000,000 lists"),
        (b"[" + b"{}," * (2 * 10**6 + 1) + b"{}]", "it holds more than 2,000,000 objects"),
    ],
    ids=range(19),
)
def test_what_is_no_document(content: bytes, words: str) -> None:
    assert words in refusal(content)
    assert words in refusal(gzip.compress(content, 0))  # stored as it is: tighter ones may be refused unread


def test_brackets_in_texts_are_no_nesting() -> None:
    """Names may hold what they like, also hundreds of brackets, quotes and backslashes."""
    name = '[{"' * 100 + "\\" * 7 + '"'
    model = TreeClassifier(prune=None).fit([[1.0], [2.0]], [name, "\\"])
    assert model_from_bytes(model_to_bytes(model)).classes_.tolist() == model.classes_.tolist()


def test_deep_down_in_a_program() -> None:
    """Nesting is counted, so that a program that allows itself more recursion does not crash."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        assert "nested more than 64 deep" in refusal(b"[" * 10**6)
    finally:
        sys.setrecursionlimit(limit)


def test_bombs_and_limits(tmp_path: Path) -> None:
    """A packed file of 300 KB that holds 300 MB is not unpacked; the limit can be set."""
    bomb = tmp_path / "bomb.json.gz"
    packing = zlib.compressobj(9, wbits=31)
    bomb.write_bytes(b"".join(packing.compress(b" " * 2**26) for _ in range(5)) + packing.flush())
    assert bomb.stat().st_size < 2**19
    with pytest.raises(
        DataError, match=r"holds more than .* bytes of text, more than 160 times its own size\.\nHint: if you"
    ):
        load(bomb)
    with pytest.raises(
        DataError, match=r"holds more than 268,435,456 bytes of text\.\nHint: if you trust it"
    ):
        load(bomb, max_bytes=2**28)
    path = tmp_path / "model.json.gz"
    save(fitted("iris")[0], path)
    n_bytes = len(gzip.decompress(path.read_bytes()))
    assert load(path, max_bytes=n_bytes).tree_ == fitted("iris")[0].tree_
    with pytest.raises(DataError, match=f"holds more than {n_bytes - 1:,} bytes of text"):
        load(path, max_bytes=n_bytes - 1)
    with pytest.raises(DataError, match="holds more than 10 bytes of text"):
        load(path, max_bytes=10)


def test_packed_text_is_one_piece() -> None:
    """What follows it is refused unseen, be it empty pieces without number, zeros or another model."""
    content = model_to_bytes(fitted("iris")[0], packed=True)
    assert model_from_bytes(content).tree_ == fitted("iris")[0].tree_
    for rest in (gzip.compress(b"") * 1000, b"\0", content):
        assert f"but {len(rest):,} bytes follow the packed text" in refusal(content + rest)
    halves = gzip.compress(b"{") + gzip.compress(b"}")
    assert "bytes follow the packed text" in refusal(halves)


def test_packed_files_that_are_damaged() -> None:
    """Wherever a packed file is cut off, or a byte of it is changed, this is seen."""
    content = model_to_bytes(fitted("iris")[0], packed=True)
    tree = fitted("iris")[0].tree_
    for end in range(2, len(content), 7):
        assert "packed by gzip, but damaged or cut off" in refusal(content[:end])
    verdicts: Counter[str] = Counter()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 0x55
        try:
            assert model_from_bytes(bytes(changed)).tree_ == tree  # a time or name in the head means nothing
            verdicts["same"] += 1
        except ArboretumError:
            verdicts["refused"] += 1
    assert verdicts["same"] < 10
    assert verdicts.total() == len(content)


def test_names_do_not_decide_what_is_packed(tmp_path: Path) -> None:
    """A packed file is known by its first bytes."""
    model = fitted("iris")[0]
    (tmp_path / "model.json").write_bytes(model_to_bytes(model, packed=True))
    (tmp_path / "model.json.gz").write_bytes(model_to_bytes(model))
    assert load(tmp_path / "model.json").tree_ == load(tmp_path / "model.json.gz").tree_ == model.tree_


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"path='.*' is a folder, not a file\."):
        load(tmp_path)
    with pytest.raises(DataError, match=r"There is no file '.*gone\.json'\."):
        load(tmp_path / "gone.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be read: Not a directory"):
        load(tmp_path / "file" / "model.json")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DataError, match="cannot be read: Too many levels of symbolic links"):
        load(tmp_path / "loop")
    if os.path.exists("/dev/zero"):
        with pytest.raises(DataError, match="is a device or pipe, not a file"):
            load("/dev/zero")


def test_mutants_are_refused_or_work() -> None:
    """Two thousand of the mutants that `make fuzz` makes a million of; here only that none is a fault."""
    verdicts: Counter[tuple[str, str]] = Counter()
    for number in range(2_000):
        kind, content, origin = mutant(1, number)
        verdicts[kind, judge(content, origin)] += 1
    for kind in KINDS:
        assert verdicts[kind, "refused"] > 50
        assert verdicts[kind, "used"] > 0
    assert verdicts.total() == 2_000
