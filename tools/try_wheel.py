"""Install a wheel into a bare environment and try it there: `python tools/try_wheel.py dist/*.whl`.

First with what the command line requires, then with all extras and some of the tests, copied away from the
source tree.
"""

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Those that need nothing but pytest, hypothesis and the extras, and look at every part of the compiled core.
TESTS = ("tests/unit/grow", "tests/unit/tree", "tests/unit/prune", "tests/unit/store")


def run(*command: object, folder: Path) -> None:
    subprocess.run([str(part) for part in command], cwd=folder, check=True)


def main(wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*install, f"{wheel}[cli]", folder=folder)
        run(python, ROOT / "tools" / "try_installed.py", folder=folder)
        run(*install, f"{wheel}[all]", "pytest", "pytest-xdist", "hypothesis", "polars", folder=folder)
        for part in ("tests", "benchmarks", "docs", "conftest.py", "pyproject.toml"):
            source = ROOT / part
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / part)
        run(python, "-m", "pytest", "-q", "-n", 2, "--no-header", *TESTS, folder=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
