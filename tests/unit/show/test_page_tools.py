"""The tools that check the page's JavaScript: one version of each, from any registry, and nothing shipped.

The tools themselves run in `make check`.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_versions_are_exact_and_the_same_in_the_lock_file() -> None:
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert wanted
    for name, version in wanted.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in package for place, package in locked.items() if place)


def test_the_lock_file_names_no_server() -> None:
    """Wherever it was written, packages come from the registry that npm is set to."""
    assert "://" not in (ROOT / "package-lock.json").read_text(encoding="utf-8")


def test_every_machine_the_tools_run_on_is_in_the_lock_file() -> None:
    """npm drops what its registry does not have at that moment; the tools would be missing elsewhere."""
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    n_parts = 0
    for package in list(locked.values()):
        for part in package.get("optionalDependencies", {}):
            n_parts += 1
            assert f"node_modules/{part}" in locked
    assert n_parts > 10


def test_what_draws_with_matplotlib_is_an_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert extras["optional-dependencies"]["plot"] == ["matplotlib>=3.8"]
    assert not any("matplotlib" in need or "playwright" in need for need in extras["dependencies"])
