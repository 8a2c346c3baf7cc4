"""`arboretum export`: a model as code, a query, a picture, or a file of another library."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, write_content
from arboretum.cli.printing import Printer, WorkError, wrote
from arboretum.cli.values import names_of, pairs_of, parse_scalar
from arboretum.errors import ParameterError, choices

_OTHER_NAMES: Final = {"py": "python", "js": "javascript", "h": "c", "mmd": "mermaid", "gv": "dot"}
_RUNNABLE: Final = ("python", "javascript", "c")
_SECONDS: Final = 300


@o.grouped
def export(
    model: o.Model,
    to: Annotated[str, o.option("The target.", "--to", autocompletion=lambda: list(exporters()))],
    output: o.Output = None,
    force: o.Force = False,
    name: Annotated[str | None, o.option("The name of the function or table.")] = None,
    dialect: Annotated[str | None, o.option("Of SQL: sqlite, postgres, duckdb, …")] = None,
    option: Annotated[
        list[str] | None, o.option("An option of the exporter: table=customers, keep=a,b.", "--option", "-O")
    ] = None,
    check: Annotated[bool, o.option("Run the export's self-test.", "--check")] = False,
    *,
    printer: Printer,
) -> None:
    """Write a model as code, query or picture.

    The export gives the same answers as the model, and carries a self-test.
    """
    from arboretum._store.model_files import load

    target = _OTHER_NAMES.get(to.lower(), to.lower())
    if target not in exporters():
        raise ParameterError(choices("--to", to, exporters()))
    check_output(output, target, inputs=[model], force=force)
    exporter = exporters()[target]
    given = _options(exporter, target, option, {"name": name, "dialect": dialect})
    fitted = load(model)
    flags = {key: f"-O {key}" for key in inspect.signature(exporter).parameters}
    with o.naming_options(flags | o.flags_of(("name", "dialect"))):
        content = exporter(fitted, **given)
    document: dict[str, Any] = {
        "to": target,
        "bytes": len(content.encode() if isinstance(content, str) else content),
    }
    if check:
        document["self_test"] = run_self_test(target, content, given)
        printer.note(f"self-test: {document['self_test']}")
    if output is not None and output != STANDARD:
        write_content(content, output, target)
        document["output"] = output
        printer.done(wrote(output), document)
    elif printer.json:
        if isinstance(content, bytes):
            raise ParameterError(f"--json cannot hold the bytes of {target}.\nHint: -o FILE.")
        printer.result("", document | {"content": content})
    else:
        write_content(content, None, target)


def exporters() -> dict[str, Any]:
    """Return the functions of the package that export, by their targets."""
    import arboretum.export

    found = sorted(vars(arboretum.export).items())
    return {name.removeprefix("to_"): function for name, function in found if name.startswith("to_")}


def _options(
    exporter: Any, target: str, written: list[str] | None, named: dict[str, str | None]
) -> dict[str, Any]:
    """Return the options of an exporter; refuse by name those that it does not take."""
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
    """Return the value of an option as its exporter takes it: names, pairs, or one scalar."""
    kind = str(parameter.annotation)
    if "Mapping" in kind:
        return pairs_of(",".join(written), f"option {parameter.name}")
    if "Sequence" in kind:
        names = names_of(written)
        return names[0] if len(names) == 1 and kind.startswith("str") else list(names)
    if len(written) > 1:
        raise ParameterError(f"--option {parameter.name} is given {len(written)} times; it takes one value.")
    return parse_scalar(written[0])


# Self-tests: Python runs here, JavaScript in node, C by the machine's compiler


def run_self_test(target: str, content: str, given: dict[str, Any]) -> str:
    """Run the self-test of an export, which compares it with the model, and return what it prints."""
    import sys
    import tempfile

    if target not in _RUNNABLE:
        raise ParameterError(f"--check can run {', '.join(_RUNNABLE)}; {target} is tested where it is used.")
    with tempfile.TemporaryDirectory(prefix="arboretum-") as name:
        folder = Path(name)
        file = folder / {"python": "tree.py", "javascript": "tree.mjs", "c": "tree.h"}[target]
        file.write_text(content, encoding="utf-8")
        match target:
            case "python":
                return _run([sys.executable, "-I", str(file)])
            case "javascript":
                program = f"import({file.as_uri()!r}).then((tree) => console.log(tree.selfTest()))"
                return _run([_found("node"), "--input-type=module", "-e", program])
            case _:
                built = str(folder / "tree")
                macro = next(
                    (
                        line.split()[1]
                        for line in content.splitlines()
                        if line.startswith("#ifdef") and "SELF_TEST" in line
                    ),
                    f"{str(given.get('name', '')).upper()}_SELF_TEST",
                )
                _run([_found("cc"), "-O1", f"-D{macro}", "-x", "c", str(file), "-o", built, "-lm"])
                return _run([built])


def _found(program: str) -> str:
    import shutil

    path = shutil.which(program)
    if path is None:
        raise WorkError(f"--check needs {program}, which is not installed here.")
    return path


def _run(command: Sequence[str]) -> str:
    import subprocess

    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise WorkError(f"The self-test did not finish within {_SECONDS} seconds.") from None
    said = " ".join((done.stdout.strip() or done.stderr.strip()).split()) or "passed"
    if done.returncode != 0:
        raise WorkError(f"The self-test failed: {said[-300:]}.")
    return said[-300:]
