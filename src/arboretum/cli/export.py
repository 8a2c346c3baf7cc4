"""`arboretum export`: a model as code, a query, a picture, or a file of another library."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import load_model
from arboretum.cli.outputs import check_output, write_content
from arboretum.cli.speaking import Voice, WorkError, wrote
from arboretum.cli.values import parse_scalar
from arboretum.errors import ParameterError, choices

__all__ = ["export"]

_TARGETS: Final = (
    "sql",
    "python",
    "c",
    "javascript",
    "onnx",
    "pmml",
    "rules",
    "dot",
    "mermaid",
    "svg",
    "html",
)
_OTHER_NAMES: Final = {"py": "python", "js": "javascript", "h": "c", "mmd": "mermaid", "gv": "dot"}


def export(
    model: o.Model,
    to: Annotated[
        str, typer.Option("--to", help=f"{', '.join(_TARGETS)}.", autocompletion=lambda: list(_TARGETS))
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file; else standard output.")
    ] = None,
    force: o.Force = False,
    name: Annotated[str | None, typer.Option(help="What the function or table is called.")] = None,
    dialect: Annotated[str | None, typer.Option(help="Of SQL: sqlite, postgres, duckdb, …")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-O", help="An option of the exporter: table=customers.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run the self-test that the export carries.")
    ] = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Write a model as code, query or picture.

    What is exported gives the same answers as the model, and carries a self-test.
    """
    voice = Voice(json=json, quiet=quiet)
    target = _OTHER_NAMES.get(to.lower(), to.lower())
    if target not in _TARGETS:
        raise ParameterError(choices("--to", to, _TARGETS))
    check_output(output, target, inputs=[model], force=force)
    exporter = _exporter(target)
    given = _options(exporter, target, option, {"name": name, "dialect": dialect})
    fitted = load_model(model)
    content = exporter(fitted, **given)
    document: dict[str, Any] = {
        "to": target,
        "bytes": len(content.encode() if isinstance(content, str) else content),
    }
    if check:
        from arboretum.cli.self_tests import run_self_test

        document["self_test"] = run_self_test(target, content, given)
        voice.note(f"self-test: {document['self_test']}")
    if output is not None and output != "-":
        write_content(content, output, target)
        document["output"] = output
        voice.result(wrote(output), document)
    elif json:
        if isinstance(content, bytes):
            raise ParameterError(f"--json cannot hold the bytes of {target}.\nHint: -o FILE.")
        voice.result("", document | {"content": content})
    else:
        write_content(content, None, target)


def _exporter(target: str) -> Any:
    import arboretum.export

    found = getattr(arboretum.export, f"to_{target}", None)
    if found is None:
        there = [other for other in _TARGETS if hasattr(arboretum.export, f"to_{other}")]
        raise WorkError(
            f"This version of arboretum cannot export {target} yet; it can do {', '.join(there)}."
        )
    return found


def _options(
    exporter: Any, target: str, written: list[str] | None, named: dict[str, str | None]
) -> dict[str, Any]:
    """Return the options of an exporter; one that it does not take is refused by name."""
    parameters = inspect.signature(exporter).parameters
    allowed = [name for name in parameters if name not in ("model", "path", "data", "row")]
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    for text in written or ():
        key, sign, value = text.partition("=")
        if not sign:
            raise ParameterError(f"--option {text!r} cannot be read.\nHint: write name=value.")
        given[key.strip().replace("-", "_")] = parse_scalar(value)
    for key in given:
        if key not in allowed:
            flag = f"--{key}" if key in named else "--option"
            raise ParameterError(choices(f"--to {target}: {flag}", key, allowed))
    return given
