"""Tables in files: read in chunks, given their kinds, written; for the command line.

Words: a *chunk* is some rows of a table as Arrow columns; *cells* are the texts of a file before anybody has
said what they mean; *kinds* are what is made of them. Data frames are not read here (see dataset/).

    formats, streams, drafts     which format; bytes in, also packed ones; bytes out, all or nothing
    text_blocks, row_lexer       encodings, whole rows, line numbers
    delimited, arff, json_lines, arrow_files    the readers, one per family of formats
    arrow_validation, arrow_values    batches that lie about their memory; values as text
    missing, numbers, dates      what a cell may mean
    kinds, matching              what the columns of a table are; the columns that a model remembers
    exact_parts                  rows in parts, where one type cannot hold all numbers of a column
    reading, writing             the front: any format in, any format out

Names are loaded when first used, so that a command that reads no table costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arboretum.tables.formats import FORMATS, Format, format_of
    from arboretum.tables.kinds import Choices, Report, give_kinds
    from arboretum.tables.matching import match_chunk, match_target
    from arboretum.tables.reading import Dialect, read_table, scan_table
    from arboretum.tables.table import Chunk, Table
    from arboretum.tables.writing import open_writer

__all__ = [
    "FORMATS",
    "Choices",
    "Chunk",
    "Dialect",
    "Format",
    "Report",
    "Table",
    "format_of",
    "give_kinds",
    "match_chunk",
    "match_target",
    "open_writer",
    "read_table",
    "scan_table",
]

_HOMES = {
    "FORMATS": "formats",
    "Choices": "kinds",
    "Chunk": "table",
    "Dialect": "reading",
    "Format": "formats",
    "Report": "kinds",
    "Table": "table",
    "format_of": "formats",
    "give_kinds": "kinds",
    "match_chunk": "matching",
    "match_target": "matching",
    "open_writer": "writing",
    "read_table": "reading",
    "scan_table": "reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arboretum.tables' has no attribute {name!r}")
    return getattr(import_module(f"arboretum.tables.{_HOMES[name]}"), name)
