"""`arboretum export`: a model as code, a query, a picture, or a file of another library."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import load_model
from arboretum.cli.option_names import flags_of, naming_options
from arboretum.cli.outputs import check_output, write_content
from arboretum.cli.speaking import Voice, WorkError, wrote
from arboretum.cli.values import names_of, pairs_of, parse_scalar
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
        list[str] | None,
        typer.Option("--option", "-O", help="An option of the exporter: table=customers, keep=a,b."),
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
    flags = {key: f"-O {key}" for key in inspect.signature(exporter).parameters}
    with naming_options(flags | flags_of(("name", "dialect"))):
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
    values: dict[str, list[str]] = {}
    for text in written or ():
        key, sign, value = text.partition("=")
        if not sign:
            raise ParameterError(f"--option {text!r} cannot be read.\nHint: write name=value.")
        values.setdefault(key.strip().replace("-", "_"), []).append(value)
    for key in (*given, *values):
        if key not in allowed:
            flag = f"--{key}" if key in named else "--option"
            raise ParameterError(choices(f"--to {target}: {flag}", key, allowed))
    return given | {key: _value_of(parameters[key], several) for key, several in values.items()}


def _value_of(parameter: inspect.Parameter, written: list[str]) -> Any:
    """Return the value of an option as its exporter takes it: names with commas, pairs, or one scalar."""
    kind = str(parameter.annotation)
    if "Mapping" in kind:
        return pairs_of(",".join(written), f"option {parameter.name}")
    if "Sequence" in kind:
        names = names_of(written)
        return names[0] if len(names) == 1 and kind.startswith("str") else list(names)
    if len(written) > 1:
        raise ParameterError(f"--option {parameter.name} is given {len(written)} times; it takes one value.")
    return parse_scalar(written[0])
