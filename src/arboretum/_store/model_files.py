"""Model files: `save` and `load`. JSON text, optionally packed by gzip, that is safe to open.

Reading runs no code, looks at no more than `max_bytes`, and checks all of a file before it returns anything.
model_document.py makes the document; docs/files.md describes it field by field.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import zlib
from typing import Any, Final

from arboretum._data.scalars import is_integer
from arboretum._store.model_document import document_of, model_from
from arboretum._store.strict_json import parse_json
from arboretum._store.writing import path_of, write_bytes
from arboretum._wording import shown
from arboretum.errors import ArboretumError, DataError, ParameterError

_MAGIC: Final = b"\x1f\x8b"
_MOST_BYTES: Final = 2**28
_PIECE: Final = 2**18
# A packed text that is larger than `_SURELY_FINE` may be this many times as large as its file. Files of many
# classes, most of which have no rows in a node, come near: gzip can pack zeros a thousandfold.
_MOST_TIMES: Final = 160
_SURELY_FINE: Final = 2**23


def save(model: Any, path: str | os.PathLike[str], *, grown: bool = True) -> None:
    """Write a fitted tree estimator, an ensemble of trees, or a Tree, to a file; `load` reads it back.

    The file is JSON text, packed by gzip if its name ends in ".gz". A reader finds the old file or the new
    one, never a part. Equal models give equal files.

    >>> import arboretum, tempfile
    >>> from arboretum._store.model_files import load, save
    >>> X, y = arboretum.datasets.load_iris()
    >>> model = arboretum.TreeClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/iris.json.gz")
    ...     again = load(f"{folder}/iris.json.gz")
    >>> bool((again.predict(X) == model.predict(X)).all()), again.pruned(leaves=2).get_n_leaves()
    (True, 2)

    Parameters
    ----------
    model : TreeClassifier, TreeRegressor, TreeRanker, an ensemble of these, or Tree
        Fitted. Its parameters must be text, numbers, lists, arrays of numbers or the package's own objects,
        such as CostComplexity(folds=5); a file cannot hold random generators or functions.
    path : str or Path
        The name of the file.
    grown : bool
        Whether to store the tree before pruning as well. Without it the file is smaller, but the loaded model
        knows only the pruned tree: `unpruned()` returns that, and `pruned()` and `pruning_path_` start from
        it, without the results of cross-validation. Ensembles do not keep it.
    """
    target = path_of(path)
    if not isinstance(grown, bool):
        raise ParameterError(f"grown={shown(grown)} is not allowed; give True or False.")
    write_bytes(target, model_to_bytes(model, grown=grown, packed=target.name.lower().endswith(".gz")))


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Return the model that `save` wrote; its predictions are the same to the last bit.

    A file that is damaged, or was made to do harm, is refused with a DataError: reading it runs no code.

    Parameters
    ----------
    path : str or Path
        The name of the file; it may be packed, whatever its name says.
    max_bytes : int or None
        How large the text may be, unpacked. Reading takes up to a dozen times as much memory. None allows 256
        MiB, enough for two million nodes of two classes; but of a packed file only 160 times its own size, or
        8 MiB if that is more. Every file that `save` writes keeps to this ratio.
    """
    source = path_of(path)
    if max_bytes is not None and (not is_integer(max_bytes) or max_bytes < 1):
        raise ParameterError(
            f"max_bytes={shown(max_bytes)} is not allowed; give None or an integer of 1 or more."
        )
    limit = None if max_bytes is None else int(max_bytes)
    content = _read(source, _MOST_BYTES if limit is None else limit)
    return model_from_bytes(content, f"The file {str(source)!r}", limit)


def model_to_bytes(model: Any, *, grown: bool = True, packed: bool = False) -> bytes:
    """Return the content of a model's file."""
    document = document_of(model, grown=grown)
    try:
        fields = [f'"{name}": {_dumps(value)}' for name, value in document.items()]
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"The model holds something that JSON cannot: {error}.") from error
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    # Half of a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
    content = text.encode("utf-8", "backslashreplace")
    return _packed(content) if packed else content


def model_from_bytes(content: bytes, source: str = "The content", max_bytes: int | None = None) -> Any:
    """Return the model whose file has this content; `source` names it in messages."""
    text = _text_of(content, source, max_bytes)
    try:
        return model_from(parse_json(text))
    except ArboretumError as error:
        raise DataError(f"{source} is not a model that can be read: {_sentence(error)}") from error
    except (ValueError, MemoryError) as error:
        what = "there is not enough memory for it" if isinstance(error, MemoryError) else str(error)
        raise DataError(f"{source} is not a model file: {what}.") from error


def _read(path: Any, max_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe could be waited for without end
            what = "a folder" if path.is_dir() else "a device or pipe"
            raise DataError(f"path={str(path)!r} is {what}, not a file.")
        with open(path, "rb") as file:
            content = _read_more_than(file, max_bytes)
    except FileNotFoundError as error:
        raise DataError(f"There is no file {str(path)!r}.") from error
    except OSError as error:
        raise DataError(f"The file {str(path)!r} cannot be read: {error.strerror or error}.") from error
    return content


def _read_more_than(file: Any, limit: int) -> bytes:
    """Return a file, or one byte more than the limit; in pieces, so that a small file needs little memory."""
    pieces, left = [], limit + 1
    while left and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _packed(content: bytes) -> bytes:
    """Return the content packed by gzip, and never so tightly that `load` would refuse it."""
    packed = gzip.compress(content, mtime=0)  # the time would make equal models differ
    if len(content) <= _most_unpacked(len(packed)):
        return packed
    # Fixed codes spend 13 bits or more on every 258 bytes, which is 159 times less.
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16, strategy=zlib.Z_FIXED)
    return packing.compress(content) + packing.flush()


def _most_unpacked(n_bytes: int) -> int:
    """Return how large the text of a packed file of this size may be."""
    return min(_MOST_BYTES, max(_SURELY_FINE, _MOST_TIMES * n_bytes))


def _text_of(content: bytes, source: str, max_bytes: int | None) -> str:
    """Return the text of a file, unpacked if it is packed, and never more than the limit."""
    packed, most = content.startswith(_MAGIC), _MOST_BYTES if max_bytes is None else max_bytes
    if packed and len(content) <= most:
        most = _most_unpacked(len(content)) if max_bytes is None else max_bytes
        content = _unpacked(content, source, most)
    if len(content) > most:
        times = f", more than {_MOST_TIMES} times its own size" if packed and most < _MOST_BYTES else ""
        raise DataError(
            f"{source} holds more than {most:,} bytes of text{times}.\n"
            "Hint: if you trust it, give load() a larger max_bytes."
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{source} is not a model file: it is not text in UTF-8 ({error.reason}).") from error


def _unpacked(content: bytes, source: str, most: int) -> bytes:
    """Return what was packed, or one byte more of it than the limit.

    `save` packs a text in one piece. Reading many pieces, each of which may be empty, could take for ever:
    what follows the first is refused.
    """
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        text = unpacking.decompress(content, most + 1)
    except zlib.error as error:
        raise DataError(f"{source} is packed by gzip, but damaged or cut off: {error}.") from error
    if len(text) > most:
        return text
    if not unpacking.eof:
        raise DataError(f"{source} is packed by gzip, but damaged or cut off: its end is missing.")
    if unpacking.unused_data:
        raise DataError(
            f"{source} is packed by gzip, but {len(unpacking.unused_data):,} bytes follow the packed text."
        )
    return text


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _sentence(error: Exception) -> str:
    text = str(error)
    return text if text.endswith(".") else f"{text}."
