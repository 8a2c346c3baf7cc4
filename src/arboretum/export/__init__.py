"""Exports: a fitted tree as something that others can open or run, one function each."""

from arboretum.export._code.c import to_c
from arboretum.export._code.javascript import to_javascript
from arboretum.export._code.python import to_python
from arboretum.export._onnx.onnx import check_onnx, to_onnx
from arboretum.export._pictures.graphs import to_dot, to_mermaid
from arboretum.export._pictures.pictures import to_html, to_svg
from arboretum.export._pmml.pmml import to_pmml
from arboretum.export._rules.rules import to_rules
from arboretum.export._sql.sql import to_sql

__all__ = [
    "check_onnx",
    "to_c",
    "to_dot",
    "to_html",
    "to_javascript",
    "to_mermaid",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_rules",
    "to_sql",
    "to_svg",
]


def __dir__() -> list[str]:
    return sorted(__all__)
