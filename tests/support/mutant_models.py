"""What must become of a mutant of a model file: it is refused in one sentence, or it is a model that works.

The verdict on a mutant is "refused", "used" (it was a model, and everything could be done with it) or
"refused in use" (by a sentence: the table does not fit); anything else is raised, and is a fault of ours.
Mutants are made of the files that are kept in tests/files. Crashes and endless loops are seen from outside.
"""

from __future__ import annotations

import gzip
import json
import random
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from arboretum import Tree, _core
from arboretum._data import Column, match_dataset
from arboretum._store.model_files import model_from_bytes, model_to_bytes
from arboretum._tree.tree import core_dataset
from arboretum.errors import ArboretumError, DataError
from arboretum.export import to_svg
from support.mutations import mutate_bytes, mutate_document, packed, text_of
from support.stored_models import FOLDER, case_names, expected_of, file_of, read_rows

__all__ = ["KINDS", "judge", "mutant"]

# How a mutant was made: lists, names and numbers were changed, or bytes of the text or of a packed file.
KINDS = ("structure", "text", "packed")
_SHARES = (0.8, 0.12, 0.08)
_LIMIT = 2**22


@dataclass(frozen=True)
class Seed:
    """A model file that is kept: its text, its document, and rows that its model knows."""

    text: bytes
    document: Any
    rows: Any


@cache
def _seeds() -> list[Seed]:
    seeds = []
    for version in sorted(FOLDER.iterdir()):
        for name in case_names(version):
            content = file_of(version, name).read_bytes()
            text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
            seeds.append(Seed(text, json.loads(text), read_rows(expected_of(version, name)["rows"])))
    return seeds


def mutant(seed: int, number: int) -> tuple[str, bytes, int]:
    """How a mutant was made, its bytes, and the number of the file that it was made of; always the same."""
    rng = random.Random(f"{seed} {number}")
    seeds = _seeds()
    origin = rng.randrange(len(seeds))
    kind = rng.choices(KINDS, _SHARES)[0]
    if kind == "structure":
        content = text_of(
            mutate_document(rng, json.loads(seeds[origin].text), [other.document for other in seeds])
        )
        return kind, packed(content) if rng.random() < 0.02 else content, origin
    if kind == "text":
        return kind, mutate_bytes(rng, seeds[origin].text, [other.text for other in seeds]), origin
    return kind, mutate_bytes(rng, packed(seeds[origin].text)), origin


def judge(content: bytes, origin: int) -> str:
    """Read a mutant, use it if it is a model, and return the verdict."""
    try:
        model = model_from_bytes(content, max_bytes=_LIMIT)
    except DataError:
        return "refused"
    thoroughly = len(content) % 32 == 0  # pictures, frames and tables take longer than all the rest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers that no table could give may well overflow
        _use(model, thoroughly=thoroughly)
        try:
            _predict(model, origin, thoroughly=thoroughly)
        except ArboretumError:
            return "refused in use"
    return "used"


def _use(model: Any, *, thoroughly: bool) -> None:
    """Do with a model what can be done without a table: nothing of it may fail."""
    tree = model if isinstance(model, Tree) else model.tree_
    assert str(tree)
    assert tree.to_json()
    if not isinstance(model, Tree):
        assert model.pruned(leaves=2).get_n_leaves() <= max(2, tree.n_leaves)
    if thoroughly:
        _use_thoroughly(model, tree)


def _use_thoroughly(model: Any, tree: Tree) -> None:
    content = model_to_bytes(model)
    assert model_to_bytes(model_from_bytes(content)) == content
    assert Tree.from_json(tree.to_json()) == tree
    assert len(tree.rules()) == tree.n_leaves
    assert to_svg(tree)
    with suppress(UnicodeEncodeError):  # pandas may be unable to hold half of a character
        assert len(tree.to_frame()) == len(tree)
    assert {tree: repr(model)}
    if isinstance(model, Tree):
        return
    assert str(model.pruning_path_)
    str(getattr(model, "pruning_log_", ""))
    assert model.feature_importances_.shape == (model.n_features_in_,)
    assert model.unpruned().tree_ == model._grown
    assert str(model.pruned(alpha=0.01).pruning_path_)


def _predict(model: Any, origin: int, *, thoroughly: bool) -> None:
    """Send rows down the tree; thoroughly, through all that looks at a table before."""
    tree = model if isinstance(model, Tree) else model.tree_
    rows = _seeds()[origin].rows
    n_rows = len(rows)
    table = _core_rows(origin, tree.columns)
    leaves = tree._router.leaves_of(table)
    assert ((leaves >= 0) & (leaves < len(tree))).all()
    assert (leaves == tree._router.leaves_of(table, plain=True)).all()
    if tree.missing == "fractions":
        assert len(tree._router.blend(table, tree.array("weight").reshape(-1, 1))) == n_rows
    if thoroughly:
        assert len(model.predict(rows)) == n_rows
        assert len(model.apply(rows)) == n_rows
        if tree.target.classes is not None:
            assert model.predict_proba(rows).shape == (n_rows, len(tree.target.classes))
        assert tree.to_text(row=rows[:1])


@lru_cache(maxsize=1_000)
def _core_rows(origin: int, columns: tuple[Column, ...]) -> _core.Dataset:
    """The rows of a file as the core has them, read as these columns."""
    rows = _seeds()[origin].rows
    return core_dataset(
        match_dataset(rows, columns, named=not isinstance(rows, np.ndarray), owner="the model")
    )
