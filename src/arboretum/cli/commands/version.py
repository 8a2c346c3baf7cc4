"""`arboretum version`: the versions of the package and of the libraries it works with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Annotated, Final

import typer

from arboretum.cli import options as o
from arboretum.cli.printing import Printer

_LIBRARIES: Final = (
    *("numpy", "scipy", "scikit-learn", "joblib", "narwhals", "pyarrow", "pandas", "polars"),
    *("matplotlib", "onnx", "sqlglot", "optuna", "typer", "rich"),
)


@o.grouped
def version(printer: Printer) -> None:
    """Show the versions of what is installed."""
    import platform

    found = {"arboretum": version_of("arboretum"), "python": platform.python_version()}
    libraries = {name: _found(name) for name in _LIBRARIES}
    width = max(map(len, [*found, *libraries]))
    lines = [f"{name:{width}}  {number or '-'}" for name, number in (found | libraries).items()]
    printer.result("\n".join(lines), {**found, "libraries": libraries, "system": platform.platform()})


def _found(name: str) -> str | None:
    try:
        return version_of(name)
    except PackageNotFoundError:
        return None


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arboretum {version_of('arboretum')}")
        raise typer.Exit


ShowVersion = Annotated[
    bool, o.option("Show the version.", "--version", callback=_print_version, is_eager=True)
]
