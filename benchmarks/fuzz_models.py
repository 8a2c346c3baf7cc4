"""Fuzzing of model files: a million damaged files, each of which must be refused, or be a model that works.

Words: a *mutant* is a damaged file and has a number, from which it can be made again; a *fault* is an error
that is not one of ours, a *crash* the end of the process, a *hang* a mutant that takes more than a minute.
With --core, the compiled module is taken from there: `make fuzz` gives one that was built with sanitizers,
which end the process when memory is misused. What is done with mutants is in tests/support.

    make fuzz                                        a million mutants; writes its section of ROBUSTNESS.md
    python benchmarks/fuzz_models.py --mutants 2000  a quick look, with the module that is installed
    python benchmarks/fuzz_models.py --only 4431     one mutant again, with the traceback of its fault
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import multiprocessing
import os
import platform
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]
SECTION = "## Model files"
PATIENCE = 60.0  # seconds for one mutant
BLOCK = 250


def use_core(path: str | None) -> None:
    """Let `arboretum._core` be the module of this file, before anything imports the installed one."""
    if path is None:
        return
    spec = importlib.util.spec_from_file_location("arboretum._core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["arboretum._core"] = module
    spec.loader.exec_module(module)
    import arboretum

    arboretum._core = module  # type: ignore[attr-defined]


def judge_block(seed: int, numbers: range, tell: Connection) -> dict[str, Any]:
    """Judge some mutants; the number of each is told before it is looked at, should it be the last."""
    from support.mutant_models import judge, mutant

    counts: Counter[tuple[str, str]] = Counter()
    faults: list[tuple[int, str]] = []
    slowest = (0.0, -1)
    for number in numbers:
        tell.send(number)
        begin = time.perf_counter()
        kind, content, origin = mutant(seed, number)
        try:
            verdict = judge(content, origin)
        except Exception as error:
            verdict = "fault"
            place = traceback.extract_tb(error.__traceback__)[-1]
            faults.append(
                (number, f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}")
            )
        counts[kind, verdict] += 1
        slowest = max(slowest, (time.perf_counter() - begin, number))
    return {"counts": counts, "faults": faults, "slowest": slowest}


def work(seed: int, core: str | None, orders: Connection, reports: Connection) -> None:
    """Judge blocks of mutants until there are no more."""
    use_core(core)
    gc.disable()  # looking for cycles among all that is loaded would take a third of the time
    while (numbers := orders.recv()) is not None:
        reports.send(judge_block(seed, numbers, reports))
        gc.collect()


@dataclass
class Worker:
    """A process that judges mutants; another one takes its place if it ends or hangs."""

    seed: int
    core: str | None
    block: range = range(0)
    current: int = -1
    since: float = 0.0

    def start(self) -> None:
        """Begin with a new process."""
        context = multiprocessing.get_context("spawn")
        orders, self.orders = context.Pipe(duplex=False)
        self.reports, reports = context.Pipe(duplex=False)
        self.process = context.Process(target=work, args=(self.seed, self.core, orders, reports), daemon=True)
        self.process.start()
        orders.close()
        reports.close()

    def give(self, block: range) -> None:
        """Let it judge these; it may take its time to get started."""
        self.block, self.current, self.since = block, block.start, float("inf")
        self.orders.send(block)

    def report(self) -> dict[str, Any] | None:
        """Return the next report, or None if there is none yet; EOFError tells that the process has ended."""
        while self.reports.poll():
            told = self.reports.recv()
            if not isinstance(told, int):
                return dict(told)
            self.current, self.since = told, time.monotonic()
        return None

    def end(self) -> None:
        """Stop the process, whatever it does."""
        self.process.kill()
        self.process.join()


@dataclass
class Findings:
    """What was seen so far."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)

    def add(self, report: dict[str, Any]) -> None:
        """Take over what a worker tells."""
        self.counts += report["counts"]
        self.faults += report["faults"]
        self.slowest = max(self.slowest, report["slowest"])

    @property
    def n_mutants(self) -> int:
        """How many mutants were judged."""
        return sum(self.counts.values())


def fuzz(seed: int, first: int, n_mutants: int, n_processes: int, limit: float, core: str | None) -> Findings:
    """Judge that many mutants, or as many as the time allows."""
    findings = Findings()
    ends_at = time.monotonic() + limit
    todo = [range(i, min(i + BLOCK, first + n_mutants)) for i in range(first, first + n_mutants, BLOCK)][::-1]
    workers = [Worker(seed, core) for _ in range(min(n_processes, len(todo)))]
    for worker in workers:
        worker.start()
        worker.give(todo.pop())
    shown = time.monotonic()
    while workers:
        wait([worker.reports for worker in workers], timeout=1.0)
        for worker in list(workers):
            try:
                report = worker.report()
            except EOFError:
                _bury(worker, "crash", findings, todo)
                worker.start()
                worker.give(todo.pop())
                continue
            if report is not None:
                findings.add(report)
                if todo and time.monotonic() < ends_at:
                    worker.give(todo.pop())
                else:
                    worker.end()
                    workers.remove(worker)
            elif time.monotonic() - worker.since > PATIENCE:
                _bury(worker, "hang", findings, todo)
                worker.start()
                worker.give(todo.pop())
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            print(f"{findings.n_mutants:,} mutants, {len(findings.faults)} faults", flush=True)
    return findings


def _bury(worker: Worker, verdict: str, findings: Findings, todo: list[range]) -> None:
    """Count the mutant that ended a process, and put the others of its block back; they are judged again."""
    worker.process.join(0.0 if verdict == "hang" else 5.0)  # of one that crashed, the exit code tells how
    worker.end()
    number = worker.current
    how = f"{verdict}, exit code {worker.process.exitcode}"
    print(f"mutant {number}: {how}", flush=True)
    findings.counts["unknown", verdict] += 1
    findings.faults.append((number, how))
    todo += [range(number + 1, worker.block.stop), range(worker.block.start, number)]


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
    if options.only is not None:
        use_core(core)
        from support.mutant_models import judge, mutant

        kind, content, origin = mutant(options.seed, options.only)
        sys.exit(f"{kind}, {len(content):,} bytes: {judge(content, origin)}")
    begin = time.monotonic()
    findings = fuzz(options.seed, options.first, options.mutants, options.processes, options.seconds, core)
    seconds = time.monotonic() - begin
    print(f"{findings.n_mutants:,} mutants in {seconds:.0f} s; the slowest: {findings.slowest}")
    for (kind, verdict), count in sorted(findings.counts.items()):
        print(f"{kind:>10} {verdict:<15} {count:>10,}")
    for number, what in findings.faults:
        print(f"mutant {number}: {what}")
    if options.write:
        write_down(findings, options.seed, options.first, seconds, core)
    sys.exit(bool(findings.faults))


if __name__ == "__main__":
    main()
