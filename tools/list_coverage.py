"""List the coverage of each package and the files below 90 %, as Markdown, after `make coverage` has run.

Lines and branches count alike.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

PACKAGE = "src/arboretum/"
ENOUGH = 0.9


def read_counts() -> dict[str, tuple[int, int]]:
    """How many lines and branches each file has, and how many of them were run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        subprocess.run([sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(report)], check=True)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    found = {}
    for path, told in files.items():
        counts = told["summary"]
        all_of_them = counts["num_statements"] + counts["num_branches"]
        found[path.removeprefix(PACKAGE)] = (
            all_of_them,
            counts["covered_lines"] + counts["covered_branches"],
        )
    return found


def main() -> None:
    files = {path: counts for path, counts in read_counts().items() if counts[0] > 0}
    packages: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for path, (n_all, n_run) in files.items():
        for name in (path.partition("/")[0] if "/" in path else "(top)", "all"):
            packages[name] = (packages[name][0] + n_all, packages[name][1] + n_run)
    print("| package | lines and branches | run |\n|---|---|---|")
    for name, (n_all, n_run) in sorted(packages.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"| {name} | {n_all:,} | {n_run / n_all:.1%} |")
    print("\n| file below 90 % | not run | run |\n|---|---|---|")
    for path, (n_all, n_run) in sorted(files.items(), key=lambda item: item[1][1] / item[1][0]):
        if n_run / n_all < ENOUGH:
            print(f"| {path} | {n_all - n_run} | {n_run / n_all:.0%} |")


if __name__ == "__main__":
    main()
