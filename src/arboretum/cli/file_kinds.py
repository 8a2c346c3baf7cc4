"""What kind of file is there already: a model, a table, a picture, an export.

Most kinds show in the first bytes of a file. Tables in plain text do not; for them the name decides.
"""

from __future__ import annotations

import os
import re
import zlib
from typing import Final

__all__ = ["describe_kind", "has_kind", "kind_of_file"]

_HEAD: Final = 4096
_PACKED: Final = b"\x1f\x8b"
_XML: Final = rb"(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?"
# Code that we wrote says so in its first line, so nobody's own script is taken for an export.
_OURS: Final = rb"[^\n]*, written by arboretum "

_BY_CONTENT: Final = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "model": rb'\s*\{\s*"format"\s*:\s*"arboretum model"',
        "parquet": rb"PAR1",
        "arrow": rb"ARROW1|\xff\xff\xff\xff",
        "png": rb"\x89PNG\r\n",
        "svg": rb"\s*" + _XML + rb"<svg[\s>]",
        "pmml": rb"\s*" + _XML + rb"<PMML[\s>]",
        "html": rb"\s*<!doctype html|\s*<html",
        "dot": rb"\s*(?:strict\s+)?(?:di)?graph\b[^\n]*\{",
        "mermaid": rb"\s*flowchart\b",
        "sql": rb"-- A decision tree as SQL\b" + _OURS,
        "python": rb"# A decision tree as a Python\b" + _OURS,
        "c": rb"/\* A decision tree as a C\b" + _OURS,
        "javascript": rb"// A decision tree as a JavaScript\b" + _OURS,
        "rules": rb"# Rules\b" + _OURS + rb'|\s*\{\s*"format"\s*:\s*"arboretum rules"',
        "onnx": rb"\x08.\x12\x09arboretum",
    }.items()
}
_BY_NAME: Final = {
    "csv": ("csv", "tsv", "tab", "txt"),
    "tsv": ("csv", "tsv", "tab", "txt"),
    "jsonl": ("jsonl", "ndjson"),
    "arff": ("arff",),
    "text": ("txt",),
}
_NAMES: Final = {
    "model": "an arboretum model",
    "csv": "a CSV table",
    "tsv": "a TSV table",
    "jsonl": "a table of JSON lines",
    "arff": "an ARFF table",
    "parquet": "a Parquet table",
    "arrow": "an Arrow table",
    "text": "a text",
    "png": "a PNG picture",
    "svg": "an SVG picture",
    "html": "an HTML page",
    "dot": "a DOT graph",
    "mermaid": "a Mermaid chart",
    "pmml": "a PMML document",
    "sql": "a query that arboretum wrote",
    "python": "Python code that arboretum wrote",
    "c": "a C header that arboretum wrote",
    "javascript": "JavaScript code that arboretum wrote",
    "rules": "a list of rules that arboretum wrote",
    "onnx": "an ONNX model that arboretum wrote",
}


def describe_kind(kind: str | None) -> str:
    """Return a kind in words."""
    return "a file of another kind" if kind is None else _NAMES[kind]


def has_kind(path: str, kind: str) -> bool:
    """Return whether a file is empty or of this kind, so that a new one of the kind may replace it."""
    if os.path.getsize(path) == 0:
        return True
    shown = _kind_by_content(path)
    if shown is not None or kind in _BY_CONTENT:
        return shown == kind
    return _ending(path) in _BY_NAME[kind]


def kind_of_file(path: str) -> str | None:
    """Return the kind of a file, by its content or else by its name; None if neither tells.

    >>> kind_of_file("pyproject.toml") is None
    True
    """
    return _kind_by_content(path) or next(
        (kind for kind, endings in _BY_NAME.items() if _ending(path) in endings), None
    )


def _kind_by_content(path: str) -> str | None:
    head = _head_of(path)
    return next((kind for kind, pattern in _BY_CONTENT.items() if pattern.match(head)), None)


def _head_of(path: str) -> bytes:
    """Return the first bytes of a file, unpacked if it is packed by gzip; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return b""
    if not head.startswith(_PACKED):
        return head
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except zlib.error:
        return head


def _ending(path: str) -> str:
    return os.path.basename(path).lower().removesuffix(".gz").rpartition(".")[2]
