"""Run clang-tidy over all C++ code, with the checks that .clang-tidy lists.

All headers of the core and the sources that instantiate its templates are read as one file, since most of the
time goes into reading the standard library. The bindings and the test programs are read one by one, since
each has local names of its own. Files that come or go are noticed: nothing here lists them.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nanobind  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
CPP = ROOT / "cpp"
# Read one by one.
PROGRAMS = ("bindings", "tests")


def list_files(pattern: str) -> list[Path]:
    return sorted(CPP.rglob(pattern))


def is_program(file: Path) -> bool:
    return file.relative_to(CPP).parts[0] in PROGRAMS


def write_core_unit(folder: Path) -> Path:
    """A file that includes all of the core: its headers, then the sources that instantiate its templates."""
    core = [file for pattern in ("*.hpp", "*.cpp") for file in list_files(pattern) if not is_program(file)]
    unit = folder / "core.cpp"
    unit.write_text(
        "".join(f'#include "{file.relative_to(CPP).as_posix()}"\n' for file in core), encoding="utf-8"
    )
    return unit


def check_file(file: Path) -> subprocess.CompletedProcess[str]:
    tidy = Path(sys.executable).parent / "clang-tidy"
    flags = ["-std=c++20", "-pthread", f"-I{CPP}"]
    for others in (sysconfig.get_path("include"), nanobind.include_dir()):
        flags += ["-isystem", others]
    command = [str(tidy), "--quiet", f"--config-file={ROOT / '.clang-tidy'}", str(file), "--", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files to read at the same time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        files = [write_core_unit(Path(folder)), *filter(is_program, list_files("*.cpp"))]
        failed = False
        for result in pool.map(check_file, files):
            if result.returncode != 0:
                failed = True
                # Findings are on the output stream; what kept clang-tidy from working is on the other one.
                print(result.stdout or result.stderr, end="")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
