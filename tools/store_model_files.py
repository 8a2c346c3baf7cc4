"""Write the model files that are kept in the tests for ever, in a folder for the version of the format.

A *version* is that of the file format. Files that are there are never written again: they show that
what older programs wrote is still read. A new kind of model gets a new file. The cases are in tests/support.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from arboretum._store.model_document import VERSION

TESTS = Path(__file__).parent.parent / "tests"


def main() -> None:
    """Write what is not there."""
    sys.path.insert(0, str(TESTS))
    stored = import_module("support.stored_models")
    folder = stored.FOLDER / f"v{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    kept = set(stored.case_names(folder))
    for name in sorted(stored.CASES.keys() - kept):
        stored.write_case(folder, name)
        print(f"{stored.file_of(folder, name).name}: {stored.file_of(folder, name).stat().st_size:,} bytes")
    sizes = [path.stat().st_size for path in folder.iterdir()]
    print(f"{len(kept)} cases were there; {len(sizes)} files of {sum(sizes):,} bytes, {max(sizes):,} at most")


if __name__ == "__main__":
    main()
