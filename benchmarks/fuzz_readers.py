"""Fuzzing of the readers of CSV, TSV, JSON lines and ARFF: damaged tables, each of which is read or refused.

Words: a *mutant* is a damaged file and has a number, from which it can be made again; a *fault* is an error
that is not one of ours. How mutants are made and judged is in tests/support.

    python benchmarks/fuzz_readers.py                   200,000 mutants; writes its section of ROBUSTNESS.md
    python benchmarks/fuzz_readers.py --mutants 2000    a quick look, nothing is written
    python benchmarks/fuzz_readers.py --only 4431       one mutant again, with the traceback of its fault
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]
SECTION = "## Readers"
ENOUGH = 100_000
# What earlier runs have found; each is a test in tests/cli now.
FINDINGS = [
    "Found and mended: an ARFF date pattern with letters that come twice ended in an error of Python's re;",
    "a damaged gzip file that unpacks into megabytes of one line took minutes in blocks of 1 kB (seed 2,",
    "mutant 89,695), because they were joined anew for every block.",
]


def main() -> int:
    """Judge mutants, tell what was seen, and write it down if there were enough of them."""
    parser = argparse.ArgumentParser(description="Fuzz the readers of tables.")
    parser.add_argument("--mutants", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    from support.mutant_tables import judge, mutant

    if given.only is not None:
        print(judge(*mutant(given.seed, given.only)))
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    faults: list[str] = []
    slowest = (0.0, -1)
    begin = time.perf_counter()
    for number in range(given.mutants):
        started = time.perf_counter()
        made = mutant(given.seed, number)
        try:
            verdict = judge(*made)
        except Exception as error:
            verdict = "fault"
            place = traceback.extract_tb(error.__traceback__)[-1]
            faults.append(
                f"{number}: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
            )
            if len(faults) <= 20:
                print(faults[-1][:300], flush=True)
        counts[made[0], verdict] += 1
        slowest = max(slowest, (time.perf_counter() - started, number))
    seconds = time.perf_counter() - begin
    print(f"{given.mutants:,} mutants in {seconds:.0f} s, {len(faults)} faults, slowest {slowest}")
    for key, count in sorted(counts.items()):
        print(*key, count)
    if given.mutants >= ENOUGH:
        write_down(counts, len(faults), given.seed, seconds, slowest[0])
    return 1 if faults else 0


def write_down(
    counts: Counter[tuple[str, str]], n_faults: int, seed: int, seconds: float, slowest: float
) -> None:
    """Write the section of ROBUSTNESS.md, as seen."""
    from measuring import write_section

    verdicts = ("read", "kinds refused", "refused", "fault")
    lines = [
        f"{SECTION}",
        "",
        f"`python benchmarks/fuzz_readers.py`: {sum(counts.values()):,} damaged tables (seed {seed}), Python "
        f"{platform.python_version()}, in {seconds / 60:.0f} minutes; the slowest took {slowest:.2f} s.",
        f"Each was read or refused by an error of ours; {n_faults} ended in any other way. What was read was "
        "given kinds, matched with the columns of a model, and written as text.",
        "",
        "| format | " + " | ".join(verdicts) + " |",
        "|---|" + "---|" * len(verdicts),
    ]
    for format in sorted({format for format, _ in counts}):
        cells = (f"{counts[format, verdict]:,}" for verdict in verdicts)
        lines.append(f"| {format} | " + " | ".join(cells) + " |")
    lines += ["", *FINDINGS]
    write_section(ROOT / "benchmarks" / "ROBUSTNESS.md", SECTION, lines)


if __name__ == "__main__":
    sys.exit(main())
