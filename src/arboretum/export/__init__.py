"""Exports: a fitted tree as something that others can open or run, one function each.

To add an export, write `to_x(model, path=None, *, ...)` in a module here, and import it below under its own
name. The public names, the command line's `--to x` with its options, and the check that docs/exports.md lists
every export follow from these lines.
"""

from arboretum.export._code.c import to_c as to_c
from arboretum.export._code.javascript import to_javascript as to_javascript
from arboretum.export._code.python import to_python as to_python
from arboretum.export._drawings import to_dot as to_dot
from arboretum.export._drawings import to_html as to_html
from arboretum.export._drawings import to_mermaid as to_mermaid
from arboretum.export._drawings import to_svg as to_svg
from arboretum.export._onnx.onnx import check_onnx as check_onnx
from arboretum.export._onnx.onnx import to_onnx as to_onnx
from arboretum.export._pmml.pmml import to_pmml as to_pmml
from arboretum.export._rule_list import to_rules as to_rules
from arboretum.export._sql.sql import to_sql as to_sql

__all__ = sorted(name for name in dir() if name.startswith(("to_", "check_")))


def __dir__() -> list[str]:
    return list(__all__)
