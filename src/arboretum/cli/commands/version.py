"""`arboretum version`: what is installed, in which version, and what the extras that are missing would add.

What the package asks for is read from its metadata, so no list here can grow old.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires
from importlib.metadata import version as version_of
from typing import Annotated, Final

import typer

from arboretum.cli import options as o
from arboretum.cli.printing import Printer

# The extras for users, and what each is for; the others are for who works on the package.
_EXTRAS: Final = {
    "plot": "charts on matplotlib's axes",
    "cli": "the command line and its files",
    "export": "ONNX and SQL",
    "dask": "tables in the partitions of a Dask cluster",
    "progress": "progress bars",
    "search": "searches steered by Optuna",
}
# Tables may be of any of these.
_FRAMES: Final = ("pandas", "polars", "pyarrow")
_REQUIREMENT: Final = re.compile(r"([\w.-]+)([^;]*)(?:;.*extra == ['\"](\w+)['\"])?")
_LEAST: Final = re.compile(r">=\s*([\d.]+)")
_BELOW: Final = re.compile(r"<\s*([\d.]+)")


@dataclass(frozen=True)
class Library:
    """A library that the package works with: which extra asks for it, in which versions, what is there."""

    name: str
    extra: str | None
    asked: str  # such as ">=30,<31"
    found: str | None

    @property
    def state(self) -> str:
        """Whether it can be used: "ok", "missing", "too old" or "too new"."""
        if self.found is None:
            return "missing"
        least, below = _LEAST.search(self.asked), _BELOW.search(self.asked)
        if least and _numbers(self.found) < _numbers(least[1]):
            return "too old"
        return "too new" if below and _numbers(self.found) >= _numbers(below[1]) else "ok"


def read_libraries() -> list[Library]:
    """What the package needs, and what its extras ask for."""
    found = []
    for requirement in requires("arboretum") or []:
        match = _REQUIREMENT.match(requirement)
        if match and (match[3] is None or match[3] in _EXTRAS):
            found.append(Library(match[1], match[3], match[2].strip(), _found(match[1])))
    return found


@o.grouped
def version(printer: Printer) -> None:
    """Show what is installed, in which versions, and what is missing."""
    import platform

    libraries = read_libraries()
    found = {"arboretum": version_of("arboretum"), "python": platform.python_version()}
    system = platform.platform()
    names = {library.name: library.found for library in libraries} | {n: _found(n) for n in _FRAMES}
    extras = {name: _extra_state(libraries, name) for name in _EXTRAS}
    lines = [*_table({**found, "system": system}), "", *_required(libraries), "", *_extras(libraries)]
    lines += ["", "data frames: " + ", ".join(f"{n} {names[n] or '(not installed)'}" for n in _FRAMES)]
    lines += _advice(libraries)
    printer.result("\n".join(lines), {**found, "libraries": names, "extras": extras, "system": system})


def _table(entries: dict[str, str]) -> list[str]:
    width = max(map(len, entries))
    return [f"{name:{width}}  {text}" for name, text in entries.items()]


def _required(libraries: list[Library]) -> list[str]:
    needed = [library for library in libraries if library.extra is None]
    return _table({library.name: _told(library) for library in needed})


def _extras(libraries: list[Library]) -> list[str]:
    """One line for each extra: whether all of it is there, what is, and what it is for."""
    width = max(map(len, _EXTRAS))
    lines = []
    for name, purpose in _EXTRAS.items():
        parts = ", ".join(f"{each.name} {_told(each)}" for each in libraries if each.extra == name)
        mark = "yes" if _extra_state(libraries, name) == "ok" else "no "
        lines.append(f"{name:{width}}  {mark}  {purpose}: {parts}")
    return lines


def _told(library: Library) -> str:
    """The version, or what is wrong with it."""
    if library.state == "ok":
        return str(library.found)
    found = "missing" if library.found is None else f"{library.found} is {library.state}"
    return f"({found}; needed: {library.asked})"


def _extra_state(libraries: list[Library], extra: str) -> str:
    """What is wrong with an extra, or "ok" if all of it can be used."""
    states = {library.state for library in libraries if library.extra == extra}
    return next((state for state in ("missing", "too old", "too new") if state in states), "ok")


def _advice(libraries: list[Library]) -> list[str]:
    """What to type for what is missing."""
    missing = [name for name in _EXTRAS if _extra_state(libraries, name) != "ok"]
    return ["", f'To add what is missing: pip install "arboretum[{",".join(missing)}]"'] if missing else []


def _found(name: str) -> str | None:
    try:
        return version_of(name)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version, which order it well enough."""
    leading = re.match(r"[\d.]*", text)
    return tuple(int(part) for part in re.findall(r"\d+", leading[0] if leading else ""))


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arboretum {version_of('arboretum')}")
        raise typer.Exit


ShowVersion = Annotated[
    bool, o.option("Show the version.", "--version", callback=_print_version, is_eager=True)
]
