"""Fuzzing of model files: a million damaged files, each of which must be refused, or be a model that works.

Words: a *mutant* is a damaged file and has a number, from which it can be made again; a *fault* is an error
that is not one of ours, a *crash* the end of the process, a *hang* a mutant that takes more than a minute.
With --core, the compiled module is taken from there: `make fuzz` gives one that was built with sanitizers,
which end the process when memory is misused. What is done with mutants is in tests/support, and how they are
judged in processes of their own in fuzzing.py.

    make fuzz                                        a million mutants; writes its section of ROBUSTNESS.md
    python benchmarks/fuzz_models.py --mutants 2000  a quick look, with the module that is installed
    python benchmarks/fuzz_models.py --only 4431     one mutant again, with the traceback of its fault
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

from fuzzing import Findings, Subject, fuzz, tell

ROOT = Path(__file__).parent.parent
SECTION = "## Model files"


def write_down(findings: Findings, seed: int, first: int, seconds: float, core: str | None) -> None:
    """Write the section of ROBUSTNESS.md, as seen."""
    from measuring import Report, write_section

    report = Report()
    built = "a module built with -fsanitize=address,undefined" if core else "the module as it is installed"
    report.say(
        f"{SECTION}\n\n{findings.n_mutants:,} mutants (seed {seed}, numbers from {first:,} on) of the "
        f"{_n_files()} files in tests/files, judged by {built}, Python {platform.python_version()}, in "
        f"{seconds / 60:.0f} minutes. The slowest took {findings.slowest[0]:.2f} s "
        f"(number {findings.slowest[1]:,})."
    )
    verdicts = ("refused", "used", "refused in use", "fault", "crash", "hang")
    report.begin_table("what was changed", *verdicts)
    for kind in sorted({kind for kind, _ in findings.counts}):
        report.add_row(kind, *(f"{findings.counts[kind, verdict]:,}" for verdict in verdicts))
    totals = (sum(n for (_, found), n in findings.counts.items() if found == verdict) for verdict in verdicts)
    report.add_row("all", *(f"{total:,}" for total in totals))
    report.say("")
    for number, what in findings.faults[:20]:
        report.say(f"- mutant {number}: {what}")
    write_section(Path(__file__).parent / "ROBUSTNESS.md", SECTION, report.lines)


def _n_files() -> int:
    return len(list((ROOT / "tests" / "files").glob("*/*.model.*")))


def main() -> None:
    """Fuzz, and tell what was seen; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many, done or not")
    parser.add_argument("--core", help="the compiled module to judge, if not the installed one")
    parser.add_argument("--only", type=int, help="judge this mutant alone, here and now")
    parser.add_argument("--write", action="store_true", help="write the section of ROBUSTNESS.md")
    options = parser.parse_args()
    core = None if options.core is None else os.path.abspath(options.core)
    subject = Subject("support.mutant_models", options.seed, core)
    if options.only is not None:
        models = subject.prepare()
        kind, content, origin = models.mutant(options.seed, options.only)
        sys.exit(f"{kind}, {len(content):,} bytes: {models.judge(content, origin)}")
    begin = time.monotonic()
    findings = fuzz(subject, options.first, options.mutants, options.processes, options.seconds)
    seconds = time.monotonic() - begin
    tell(findings, seconds)
    if options.write:
        write_down(findings, options.seed, options.first, seconds, core)
    sys.exit(bool(findings.faults))


if __name__ == "__main__":
    main()
