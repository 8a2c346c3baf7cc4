"""Which format a file has: by the end of its name, or as an option says. The content is not looked at."""

from __future__ import annotations

from typing import Final, NamedTuple

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
