"""Fuzzing in processes of their own, so that a crash or an endless loop is counted and ends nothing else.

Words: a *mutant* is a damaged file and has a number, from which it can be made again; a *fault* is an error
that is not one of ours, a *crash* the end of the process, a *hang* a mutant that takes more than a minute.
The *subject* says what is fuzzed: a module of tests/support that makes mutants and judges them.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import multiprocessing
import resource
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

__all__ = ["Findings", "Subject", "fuzz", "tell"]

PATIENCE = 60.0  # seconds for one mutant
BLOCK = 250
LONGEST = 300  # letters of what is told about a fault


@dataclass(frozen=True)
class Subject:
    """What is fuzzed: a module with `mutant(seed, number)` and `judge(…)`.

    A mutant is a tuple: its kind, and what `judge` takes. `core` is the compiled module to use in place of
    the installed one, `memory` the most bytes that a process may have.
    """

    module: str
    seed: int
    core: str | None = None
    memory: int | None = None

    def prepare(self) -> Any:
        """Return the module, in a process that has what the subject asks for."""
        sys.path[:0] = [str(Path(__file__).parent.parent / "tests")]
        if self.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
        if self.core is not None:
            use_core(self.core)
        return importlib.import_module(self.module)


def use_core(path: str) -> None:
    """Let `arboretum._core` be the module of this file, before anything imports the installed one."""
    spec = importlib.util.spec_from_file_location("arboretum._core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["arboretum._core"] = module
    spec.loader.exec_module(module)
    import arboretum

    arboretum._core = module


def judge_block(module: Any, seed: int, numbers: range, tell: Connection) -> dict[str, Any]:
    """Judge some mutants; the number of each is told before it is looked at, should it be the last."""
    counts: Counter[tuple[str, str]] = Counter()
    faults: list[tuple[int, str]] = []
    slowest = (0.0, -1)
    for number in numbers:
        tell.send(number)
        begin = time.perf_counter()
        kind, *made = module.mutant(seed, number)
        try:
            verdict = module.judge(*made)
        except Exception as error:
            verdict = "fault"
            place = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
            faults.append((number, told[:LONGEST]))
        counts[kind, verdict] += 1
        slowest = max(slowest, (time.perf_counter() - begin, number))
    return {"counts": counts, "faults": faults, "slowest": slowest}


def work(subject: Subject, orders: Connection, reports: Connection) -> None:
    """Judge blocks of mutants until there are no more."""
    module = subject.prepare()
    gc.disable()  # looking for cycles among all that is loaded would take a third of the time
    while (numbers := orders.recv()) is not None:
        reports.send(judge_block(module, subject.seed, numbers, reports))
        gc.collect()


@dataclass
class Worker:
    """A process that judges mutants; another one takes its place if it ends or hangs."""

    subject: Subject
    block: range = range(0)
    current: int = -1
    since: float = 0.0

    def start(self) -> None:
        """Begin with a new process."""
        context = multiprocessing.get_context("spawn")
        orders, self.orders = context.Pipe(duplex=False)
        self.reports, reports = context.Pipe(duplex=False)
        self.process = context.Process(target=work, args=(self.subject, orders, reports), daemon=True)
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
        for number, what in report["faults"]:
            print(f"mutant {number}: {what}", flush=True)
        self.counts += report["counts"]
        self.faults += report["faults"]
        self.slowest = max(self.slowest, report["slowest"])

    @property
    def n_mutants(self) -> int:
        """How many mutants were judged."""
        return sum(self.counts.values())


def fuzz(subject: Subject, first: int, n_mutants: int, n_processes: int, limit: float) -> Findings:
    """Judge that many mutants, or as many as the time allows."""
    findings = Findings()
    ends_at = time.monotonic() + limit
    todo = [range(i, min(i + BLOCK, first + n_mutants)) for i in range(first, first + n_mutants, BLOCK)][::-1]
    workers = [Worker(subject) for _ in range(min(n_processes, len(todo)))]
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


def tell(findings: Findings, seconds: float) -> None:
    """Print what was seen."""
    print(f"{findings.n_mutants:,} mutants in {seconds:.0f} s; the slowest: {findings.slowest}")
    for (kind, verdict), count in sorted(findings.counts.items()):
        print(f"{kind:>15} {verdict:<15} {count:>10,}")
    for number, what in findings.faults:
        print(f"mutant {number}: {what}")
