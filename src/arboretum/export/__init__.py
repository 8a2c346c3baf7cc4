"""Exports: a fitted tree as something that others can open or run, one function each."""

from arboretum.export.c import to_c
from arboretum.export.dot import to_dot
from arboretum.export.javascript import to_javascript
from arboretum.export.mermaid import to_mermaid
from arboretum.export.onnx import check_onnx, to_onnx
from arboretum.export.pictures import to_html, to_svg
from arboretum.export.pmml import to_pmml
from arboretum.export.python import to_python
from arboretum.export.rules import to_rules
from arboretum.export.sql import to_sql

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
