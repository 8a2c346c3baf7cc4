"""Fuzzing of what people type and pass: command lines, arguments of calls, texts that are parsed.

How mutants are made and judged is in tests/support, and how they are judged in processes of their own in
fuzzing.py. With --core, the compiled module is taken from there: `make fuzz` gives one with sanitizers.

    python benchmarks/fuzz_surfaces.py                          all surfaces; writes ROBUSTNESS.md
    python benchmarks/fuzz_surfaces.py calls --mutants 2000     a quick look at one, nothing is written
    python benchmarks/fuzz_surfaces.py calls --only 4431       one mutant again, with its traceback
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from fuzzing import Findings, Subject, fuzz, tell

ROOT = Path(__file__).parent.parent
MEMORY = 8 << 30


@dataclass(frozen=True)
class Surface:
    """What is fuzzed, by which module of tests/support, and how ROBUSTNESS.md tells of it."""

    module: str
    section: str
    what: str
    mutants: int
    verdicts: tuple[str, ...]
    how: str
    found: str


SURFACES = {
    "commands": Surface(
        "support.mutant_commands",
        "## Command lines",
        "command lines",
        40_000,
        ("done", "failed", "refused"),
        """\
Every command with options of its own and others, sensible values and odd ones, good files and bad ones.
"done", "failed" and "refused" are the exit codes 0, 1 and 2; the latter two say why in one sentence. A
"fault" is another exit code, a traceback, or a file left half-written.""",
        "",
    ),
    "calls": Surface(
        "support.mutant_calls",
        "## Arguments of calls",
        "calls",
        200_000,
        ("used", "refused"),
        """\
Tables, targets, weights, groups, rows and options of every type that Python, NumPy, pandas, polars and
Arrow have, sensible and not, for fits, predictions and what is asked of models. "used" means that it
worked: what was fitted was predicted, and a table in disguise (other types, orders, libraries) gave what
it gives undisguised. "refused" is an error of ours whose message is a sentence.""",
        """\
Found and mended: scores, node numbers, run-end encoded columns, repeated names in a RecordBatch, a NaN
that signals, durations without a unit, groups that cannot be hashed, arrays without dimensions and
iterators ended in errors of other libraries; `max_depth=np.timedelta64(2)` was taken for 2; one row of
`y` was compared with every row by `TreeMixed.score`; messages quoted arrays on many lines, and places in
memory.""",
    ),
    "texts": Surface(
        "support.mutant_texts",
        "## Texts",
        "texts",
        100_000,
        ("used", "refused"),
        """\
Questions as people write them, trees as JSON, options and lists of the command line, with changes by
chance; and names, levels and classes of any letters, in every export. What is read is written and read
again; the exported Python program predicts what the tree does.""",
        "",
    ),
}


def main() -> int:
    """Fuzz one surface or all, and tell what was seen; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("surface", nargs="?", choices=list(SURFACES))
    parser.add_argument("--mutants", type=int, help="how many; else as many as are written down")
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many, done or not")
    parser.add_argument("--core", help="the compiled module to judge, if not the installed one")
    parser.add_argument("--only", type=int, help="judge this mutant alone, here and now")
    parser.add_argument("--write", action="store_true", help="write its section, however few they are")
    given = parser.parse_args()
    core = None if given.core is None else os.path.abspath(given.core)
    n_faults = 0
    for name in [given.surface] if given.surface else list(SURFACES):
        surface = SURFACES[name]
        # Sanitizers need more addresses than any limit leaves.
        subject = Subject(surface.module, given.seed, core, memory=None if core else MEMORY)
        if given.only is not None:
            module = subject.prepare()
            kind, *made = module.mutant(given.seed, given.only)
            print(f"{kind}: {module.judge(*made)}")
            continue
        begin = time.monotonic()
        n_mutants = given.mutants or surface.mutants
        findings = fuzz(subject, given.first, n_mutants, given.processes, given.seconds)
        seconds = time.monotonic() - begin
        tell(findings, seconds)
        n_faults += len(findings.faults)
        if given.write or given.mutants is None:
            write_down(surface, findings, given.seed, given.first, seconds, core)
    return 1 if n_faults else 0


def write_down(
    surface: Surface, findings: Findings, seed: int, first: int, seconds: float, core: str | None
) -> None:
    """Write the section of ROBUSTNESS.md, as seen."""
    from measuring import Report, write_section

    report = Report()
    built = "a module built with -fsanitize=address,undefined" if core else "the module as it is installed"
    report.say(
        f"{surface.section}\n\n{findings.n_mutants:,} {surface.what} (seed {seed}, numbers from {first:,} "
        f"on), judged with {built},\nPython {platform.python_version()}, in {seconds / 60:.0f} minutes; the "
        f"slowest took {findings.slowest[0]:.1f} s (number {findings.slowest[1]:,}).\n\n{surface.how}"
    )
    verdicts = (*surface.verdicts, "fault", "crash", "hang")
    report.begin_table("what", *verdicts)
    for kind in sorted({kind for kind, _ in findings.counts}):
        report.add_row(kind, *(f"{findings.counts[kind, verdict]:,}" for verdict in verdicts))
    totals = (sum(n for (_, found), n in findings.counts.items() if found == verdict) for verdict in verdicts)
    report.add_row("all", *(f"{total:,}" for total in totals))
    report.say("")
    for number, what in findings.faults[:20]:
        report.say(f"- mutant {number}: {what}")
    if surface.found:
        report.say(surface.found)
    write_section(ROOT / "benchmarks" / "ROBUSTNESS.md", surface.section, report.lines)


if __name__ == "__main__":
    sys.exit(main())
