"""Compare src/arboretum/_core.pyi with the compiled module, or write it anew with --write.
Words: the header is the block of comment lines that opens the stub; it is written by hand and kept.
Does not judge the types themselves: that is mypy's work.
"""

import argparse
import difflib
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path

STUB = Path(__file__).parents[1] / "src" / "arboretum" / "_core.pyi"
MODULE = "arboretum._core"


def generate_stub() -> str:
    """The stub as nanobind writes it for the module that is installed now."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / STUB.name
        command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", MODULE, "-o", str(output)]
        subprocess.run(command, check=True)
        return output.read_text(encoding="utf-8")


def read_header(stub: str) -> str:
    """The comment lines that open the stub, and the blank lines among and after them."""
    lines = stub.splitlines(keepends=True)
    return "".join(takewhile(lambda line: line.startswith("#") or not line.strip(), lines))


def compare_stub(written: str, generated: str) -> str:
    """The difference as a unified diff; empty if the two agree apart from their headers."""
    body = written.removeprefix(read_header(written))
    wanted = generated.removeprefix(read_header(generated))
    return "".join(
        difflib.unified_diff(
            body.splitlines(keepends=True),
            wanted.splitlines(keepends=True),
            fromfile=STUB.name,
            tofile=MODULE,
        )
    )


def main() -> int:
    """Exit code 0 if the stub agrees (or was written), 1 if it does not."""
    parser = argparse.ArgumentParser(description="Compare the stub with the compiled module.")
    parser.add_argument("--write", action="store_true", help="write the stub, keep its header")
    arguments = parser.parse_args()

    written = STUB.read_text(encoding="utf-8") if STUB.exists() else ""
    generated = generate_stub()
    if arguments.write:
        header = read_header(written)
        STUB.write_text(header + generated.removeprefix(read_header(generated)), encoding="utf-8")
        return 0
    difference = compare_stub(written, generated)
    if difference:
        print(difference)
        print(f"{STUB.name} and the compiled {MODULE} differ. Hint: run `make stub` and commit the result.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
