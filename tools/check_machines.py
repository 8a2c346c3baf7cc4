"""Build the core for other machines and check that they grow the same trees, bit for bit.

Each machine is a compiler of Debian and an emulator that runs what it makes. The programs compare the trees
with the fingerprints in cpp/tests/known_fingerprints.hpp. "portable" is this machine without what GCC and
Clang offer beyond C++20.
"""

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ("check_wide", "check_fingerprints")


@dataclass(frozen=True)
class Machine:
    name: str
    compiler: str = "c++"
    settings: tuple[str, ...] = ()
    emulator: str | None = None
    ending: str = ""

    def missing(self) -> str | None:
        """The first program that this machine lacks here."""
        needed = [self.compiler, *([self.emulator] if self.emulator else [])]
        return next((program for program in needed if shutil.which(program) is None), None)

    def build(self, jobs: int) -> Path:
        folder = ROOT / "build" / "machines" / self.name
        tools = Path(sys.executable).parent
        options = [
            "-DARBORETUM_MODULE=OFF",
            "-DARBORETUM_TESTS=ON",
            "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={self.compiler}",
            *self.settings,
        ]
        ninja = f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"
        run([tools / "cmake", "-G", "Ninja", ninja, "-S", ROOT, "-B", folder, *options])
        run([tools / "cmake", "--build", folder, "--parallel", jobs, "--target", *PROGRAMS])
        return folder

    def check(self, folder: Path) -> bool:
        emulator = [self.emulator] if self.emulator else []
        passed = True
        for program in PROGRAMS:
            answer = subprocess.run(
                [*emulator, folder / (program + self.ending)],
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | {"WINEDEBUG": "-all"},
            )
            print(f"{self.name}: {program}: {answer.stdout.strip() or answer.stderr.strip()}", flush=True)
            passed &= answer.returncode == 0
        return passed


def cross(name: str, processor: str, emulator: str, system: str = "Linux", **rest: str) -> Machine:
    target = "x86_64-w64-mingw32" if system == "Windows" else f"{processor}-linux-gnu"
    settings = (
        f"-DCMAKE_SYSTEM_NAME={system}",
        f"-DCMAKE_SYSTEM_PROCESSOR={processor}",
        "-DCMAKE_EXE_LINKER_FLAGS=-static",
    )
    posix = "-posix" if system == "Windows" else ""
    return Machine(name, f"{target}-g++{posix}", settings, emulator, **rest)


MACHINES = (
    Machine("portable", settings=("-DARBORETUM_PORTABLE=ON",)),
    cross("aarch64", "aarch64", "qemu-aarch64"),
    cross("s390x", "s390x", "qemu-s390x"),
    cross("windows", "x86_64", "wine", system="Windows", ending=".exe"),
)


def run(command: list[object]) -> None:
    answer = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(answer.stdout + answer.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [machine.name for machine in MACHINES]
    parser.add_argument("machines", nargs="*", metavar="machine", help=f"one or more of {', '.join(names)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files to compile at the same time")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.machines if name not in names]
    if unknown:
        parser.error(f"no machine is called {unknown[0]}; there are {', '.join(names)}")
    passed = True
    for machine in MACHINES:
        if arguments.machines and machine.name not in arguments.machines:
            continue
        lacking = machine.missing()
        if lacking is not None:
            print(f"{machine.name}: not checked, {lacking} is not installed")
            continue
        passed &= machine.check(machine.build(arguments.jobs))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
