"""Which format a file has, and which files a command may write: it destroys nothing that it was not told to.

A format follows from the end of a file's name, or from an option; the content is not looked at.

An output must not be an input of the same command, under any name, and may replace only a file of its own
kind; `--force` lifts both. Most kinds show in the first bytes of a file; for tables in plain text, the name
decides.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from arboretum._wording import for_terminal
from arboretum.errors import ParameterError, choices

FORMATS: Final = ("csv", "tsv", "jsonl", "arff", "parquet", "arrow")
# The name of standard input and output.
STANDARD: Final = "-"
_SUFFIXES: Final = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "arff": "arff",
    "parquet": "parquet",
    "pq": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
}


class Format(NamedTuple):
    """A format, and whether the file is packed by gzip."""

    name: str
    packed: bool = False


def format_of(path: str, said: str | None = None, *, option: str = "--format") -> Format:
    """Return the format of a file, as said or else by its name; `-` is CSV unless said.

    >>> format_of("rows.csv.gz"), format_of("-", "jsonl")
    (Format(name='csv', packed=True), Format(name='jsonl', packed=False))
    """
    *stem, last = path.lower().rsplit(".", 2)
    packed = last == "gz" and bool(stem)
    if said is not None:
        word, _, packing = said.lower().partition(".")
        name = _SUFFIXES.get(word)
        if name is None or packing not in ("", "gz"):
            raise ParameterError(choices(option, said, FORMATS))
        return Format(name, packed or packing == "gz")
    if path == STANDARD:
        return Format("csv")
    suffix = stem[-1] if packed else last
    # "rows.gz" and "rows" have no other suffix.
    name = _SUFFIXES.get(suffix) if len(stem) > packed else None
    if name is None:
        known = ", ".join(f".{suffix}" for suffix in _SUFFIXES)
        raise ParameterError(
            f"The name {path!r} does not tell a format; known are {known}, each also with .gz.\n"
            f"Hint: say it with {option}, one of {', '.join(FORMATS)}."
        )
    return Format(name, packed)


_ENDINGS: Final = {"text": "txt", "markdown": "md", "latex": "tex"}


def look_of(said: str | None, path: str | None, looks: Sequence[str], what: str) -> str:
    """Return how something is shown, one of these looks: as said, or else by the end of the file's name.

    >>> look_of(None, "a.htm", ("text", "html"), "a tree"), look_of(None, None, ("text", "html"), "a tree")
    ('html', 'text')
    """
    if said is not None or path in (None, STANDARD):
        return said or "text"
    ending = _ending(path or "")
    found = {"htm": "html"}.get(ending) or next(
        (look for look in looks if _ENDINGS.get(look) == ending), ending
    )
    if found not in looks:
        known = ", ".join(f".{_ENDINGS.get(look, look)}" for look in looks)
        raise ParameterError(f"The name {path!r} does not tell how to show {what}; known are {known}.")
    return found


_HEAD: Final = 4096
_PACKED: Final = b"\x1f\x8b"
_XML: Final = rb"(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?"
# Exported code says so in its first line, so that nobody's own script is taken for an export.
_OURS: Final = rb"[^\n]*, written by arboretum "

# What a kind is called, and how a file of it begins.
_KNOWN: Final = {
    "model": ("an arboretum model", rb'\s*\{\s*"format"\s*:\s*"arboretum model"'),
    "parquet": ("a Parquet table", rb"PAR1"),
    "arrow": ("an Arrow table", rb"ARROW1|\xff\xff\xff\xff"),
    "png": ("a PNG picture", rb"\x89PNG\r\n"),
    "svg": ("an SVG picture", rb"\s*" + _XML + rb"<svg[\s>]"),
    "pmml": ("a PMML document", rb"\s*" + _XML + rb"<PMML[\s>]"),
    "html": ("an HTML page", rb"\s*<!doctype html|\s*<html"),
    "dot": ("a DOT graph", rb"\s*(?:strict\s+)?(?:di)?graph\b[^\n]*\{"),
    "mermaid": ("a Mermaid chart", rb"\s*flowchart\b"),
    "sql": ("a query that arboretum wrote", rb"-- A decision tree as SQL\b" + _OURS),
    "python": ("Python code that arboretum wrote", rb"# A decision tree as a Python\b" + _OURS),
    "c": ("a C header that arboretum wrote", rb"/\* A decision tree as a C\b" + _OURS),
    "javascript": ("JavaScript code that arboretum wrote", rb"// A decision tree as a JavaScript\b" + _OURS),
    "rules": (
        "a list of rules that arboretum wrote",
        rb"# Rules\b" + _OURS + rb'|\s*\{\s*"format"\s*:\s*"arboretum rules"',
    ),
    "onnx": ("an ONNX model that arboretum wrote", rb"\x08.\x12\x09arboretum"),
}
_BY_CONTENT: Final = {kind: re.compile(pattern, re.IGNORECASE) for kind, (_, pattern) in _KNOWN.items()}
# Tables in plain text are known by the ends of their names.
_BY_NAME: Final = {
    "csv": ("csv", "tsv", "tab", "txt"),
    "tsv": ("csv", "tsv", "tab", "txt"),
    "jsonl": ("jsonl", "ndjson"),
    "arff": ("arff",),
    "text": ("txt",),
    "markdown": ("md", "markdown"),
    "latex": ("tex",),
}
_NAMES: Final[dict[str | None, str]] = {
    None: "a file of another kind",
    "csv": "a CSV table",
    "tsv": "a TSV table",
    "jsonl": "a table of JSON lines",
    "arff": "an ARFF table",
    "text": "a text",
    "markdown": "a Markdown text",
    "latex": "a LaTeX text",
    **{kind: name for kind, (name, _) in _KNOWN.items()},
}


def has_kind(path: str, kind: str) -> bool:
    """Return whether a file is empty or of this kind, so that a new one of the kind may replace it."""
    if os.path.getsize(path) == 0:
        return True
    if kind not in _NAMES:  # an export without a kind of its own
        return re.match(_OURS, _head_of(path)) is not None
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


def check_output(path: str | None, kind: str, *, inputs: Sequence[str], force: bool) -> None:
    """Refuse an output that cannot or must not be written, before the work begins.

    `path` is None or "-" for standard output; `kind` is what the command writes, `inputs` what it reads.
    """
    if path == STANDARD and kind == "model":
        raise ParameterError("-o - is standard output, but a model needs a file.\nHint: -o model.json.")
    if path is not None and path != STANDARD:
        check_place(path, f"-o {path!r}")
    if force:
        return
    _refuse_inputs(path, inputs)
    if path is not None and path != STANDARD and os.path.isfile(path) and not has_kind(path, kind):
        found = kind_of_file(path)
        raise ParameterError(
            f"-o {path!r} would replace {_NAMES[found]} by {_NAMES.get(kind, f'an export to {kind}')}.\n"
            "Hint: choose another name, or add --force to replace the file."
        )


def check_new(paths: Iterable[str], *, force: bool) -> None:
    """Refuse to replace files whose names the user did not choose."""
    found = next((path for path in paths if os.path.lexists(path)), None)
    if found is not None and not force:
        raise ParameterError(
            f"The file {found!r} already exists.\n"
            "Hint: choose another folder, or add --force to replace the file."
        )


def write_content(content: str | bytes, path: str | None, kind: str) -> None:
    """Write to a file, or to standard output: byte for byte, except on a terminal."""
    from arboretum._store.writing import write_bytes

    if path is not None and path != STANDARD:
        write_bytes(path, content.encode("utf-8") if isinstance(content, str) else content)
        return
    if isinstance(content, bytes):
        refuse_terminal(kind)
    elif sys.stdout.isatty():
        content = for_terminal(content)
    sys.stdout.buffer.write(content.encode("utf-8") if isinstance(content, str) else content)
    sys.stdout.buffer.flush()


def refuse_terminal(what: str) -> None:
    """Refuse to show on a terminal what is not text."""
    if sys.stdout.isatty():
        raise ParameterError(f"A {what} cannot be shown on a terminal.\nHint: -o FILE.")


def check_place(path: str, shown: str) -> None:
    """Refuse a path at which no file can be; messages call it `shown`."""
    parent = os.path.dirname(path) or "."
    if not os.path.isdir(parent):
        raise ParameterError(f"{shown} is in no folder that is there.\nHint: make {parent!r} first.")
    if os.path.isdir(path):
        raise ParameterError(f"{shown} is a folder.\nHint: give the name of a file in it.")


def _refuse_inputs(path: str | None, inputs: Sequence[str]) -> None:
    """Refuse an output that is one of the inputs, whatever links lead to it."""
    written = _identity(path or STANDARD, sys.stdout)
    for name in inputs:
        if written is not None and _identity(name, sys.stdin) == written:
            output = "Standard output" if path in (None, STANDARD) else f"-o {path!r}"
            source = "standard input" if name == STANDARD else repr(name)
            raise ParameterError(
                f"{output} is the same file as the input {source}, which would be lost.\n"
                "Hint: choose another name, or add --force to replace the input."
            )


def _identity(path: str, standard: Any) -> tuple[int, int] | None:
    """Return device and inode of a regular file; None for terminals, pipes and nothing."""
    try:
        found = os.fstat(standard.fileno()) if path == STANDARD else os.stat(path)
    except (OSError, ValueError, AttributeError):  # a standard stream may be closed, or no file at all
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
