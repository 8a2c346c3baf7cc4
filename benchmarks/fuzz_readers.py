"""Fuzzing of the readers of tables: damaged files, each of which is read or refused.

Two families of formats are fuzzed: text (CSV, TSV, JSON lines, ARFF) and arrow (Arrow files and streams,
Feather, Parquet). Mutants are judged in a process of their own with a limit on its memory, so that a crash is
counted. How they are made and judged is in tests/support.

    python benchmarks/fuzz_readers.py                      200,000 mutants of each; writes ROBUSTNESS.md
    python benchmarks/fuzz_readers.py arrow --mutants 2000 a quick look at one family, nothing is written
    python benchmarks/fuzz_readers.py arrow --only 4431    one mutant again, with the traceback of its fault
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

from fuzzing import Findings, Subject, fuzz, tell

ROOT = Path(__file__).parent.parent
MODULES = {"text": "support.mutant_tables", "arrow": "support.mutant_arrow"}
SECTIONS = {"text": "## Readers", "arrow": "## Readers of Arrow, Feather and Parquet"}
ENOUGH = 100_000
MEMORY = 4 << 30
VERDICTS = ("used", "learnt", "predicted", "read", "refused", "fault", "crash", "hang")
HOW = """
A file that is read is validated once more; a tree is fitted to it; a model predicts it, and the predictions
are written in one of the six formats. "used" means that all of this was done, "learnt" and "predicted" that
the other of the two was refused, "read" that both were, "refused" that the file was not read; each time in
one sentence. A "fault" is any other error, a "crash" the end of the process, a "hang" more than a minute. The
process had 4 GB of memory."""
# What earlier runs have found; each is a test in tests/cli now.
FINDINGS = {
    "text": """\
Found and mended: an ARFF date pattern with letters that come twice ended in an error of Python's re; a
damaged gzip file that unpacks into megabytes of one line took minutes in blocks of 1 kB, because they were
joined anew for every block.""",
    "arrow": """\
Found and mended: `fit` failed on durations, on dates beyond the year 9999, on time zones whose name is no
text, and on categories as polars writes them; `predict -o out.arff` failed on such dates, and
`-o out.parquet` on run-end encoded columns. With the validation of batches switched off, 117 of 3,000 mutants
got through that are not valid.""",
}


def main() -> int:
    """Fuzz one family or both, and tell what was seen; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description="Fuzz the readers of tables.")
    parser.add_argument("family", nargs="?", choices=list(MODULES))
    parser.add_argument("--mutants", type=int, default=200_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", type=int, help="judge this mutant alone, here and now")
    given = parser.parse_args()
    families = [given.family] if given.family else list(MODULES)
    n_faults = 0
    for family in families:
        subject = Subject(MODULES[family], given.seed, memory=MEMORY)
        if given.only is not None:
            module = subject.prepare()
            kind, *made = module.mutant(given.seed, given.only)
            print(f"{kind}: {module.judge(*made)}")
            continue
        begin = time.monotonic()
        findings = fuzz(subject, given.first, given.mutants, given.processes, float("inf"))
        tell(findings, time.monotonic() - begin)
        n_faults += len(findings.faults)
        if given.mutants >= ENOUGH:
            write_down(family, findings, given.seed, given.first, time.monotonic() - begin)
    return 1 if n_faults else 0


def write_down(family: str, findings: Findings, seed: int, first: int, seconds: float) -> None:
    """Write the section of ROBUSTNESS.md, as seen."""
    import pyarrow
    from measuring import Report, write_section

    report = Report()
    report.say(
        f"{SECTIONS[family]}\n\n`python benchmarks/fuzz_readers.py {family}`: {findings.n_mutants:,} damaged "
        f"files (seed {seed}, numbers from {first:,} on), Python {platform.python_version()}, pyarrow "
        f"{pyarrow.__version__}, in {seconds / 60:.0f} minutes; the slowest took {findings.slowest[0]:.2f} s."
    )
    report.say(HOW)
    report.begin_table("format", *VERDICTS)
    for kind in sorted({kind for kind, _ in findings.counts}):
        report.add_row(kind, *(f"{findings.counts[kind, verdict]:,}" for verdict in VERDICTS))
    totals = (sum(n for (_, found), n in findings.counts.items() if found == verdict) for verdict in VERDICTS)
    report.add_row("all", *(f"{total:,}" for total in totals))
    report.say("")
    for number, what in findings.faults[:20]:
        report.say(f"- mutant {number}: {what}")
    report.say(FINDINGS[family])
    write_section(ROOT / "benchmarks" / "ROBUSTNESS.md", SECTIONS[family], report.lines)


if __name__ == "__main__":
    sys.exit(main())
