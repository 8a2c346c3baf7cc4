"""Evaluating PMML for real, by JPMML in a Java machine of its own process.

The scorer is a process that is sent documents with rows, a line of JSON each, and sends the answers back; it
is this file, run as a script. Why it cannot run, if it cannot, is told by `WHY_NOT`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["WHY_NOT", "Scorer", "given_to_pmml"]


def _why_not() -> str | None:
    lacking = [name for name in ("jpmml_evaluator", "jpype") if find_spec(name) is None]
    if lacking:
        return f"PMML is evaluated by the packages jpmml_evaluator and jpype1; {lacking[0]} is not installed"
    return None if shutil.which("java") else "PMML is evaluated by a Java machine, which is not installed"


WHY_NOT = _why_not()


def given_to_pmml(program: Any, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows as users of PMML give them: without what is missing, and instants with their time of day."""
    fields = {field.name: field for field in program.fields}

    def cell(name: str, value: Any) -> Any:
        times = fields[name].type == "datetime"
        return f"{value}T00:00:00" if times and "T" not in value else value

    return [
        {n: cell(n, value) for n, value in row.items() if n in fields and value is not None} for row in rows
    ]


class Scorer:
    """A process that evaluates documents, until it is closed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def score(self, document: str, rows: Sequence[Mapping[str, Any]], *, verify: bool = True) -> list[Any]:
        """What is answered to each row, outputs by name; what went wrong is an error here."""
        task = {"document": document, "rows": list(rows), "verify": verify}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(task), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        found: list[Any] = answer["found"]
        return found

    def close(self) -> None:
        self._process.communicate()


def _serve() -> None:
    jpmml_evaluator = import_module("jpmml_evaluator")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Java or others print is no answer
    # Few documents are evaluated often enough to be worth compiling well.
    import_module("jpype").startJVM(
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", classpath=jpmml_evaluator._classpath([])
    )
    backend = jpmml_evaluator.make_backend("jpype")
    for line in sys.stdin:
        task = json.loads(line)
        try:
            evaluator = jpmml_evaluator.make_evaluator(task["document"].encode(), backend)
            if task["verify"]:
                evaluator.verify()
            told: dict[str, Any] = {"found": [evaluator.evaluate(row) for row in task["rows"]]}
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    # JPMML goes down a tree by recursion: a deep one needs more stack than a main thread may have.
    threading.stack_size(512 * 2**20)
    server = threading.Thread(target=_serve)
    server.start()
    server.join()
    os._exit(0)  # the Java machine would wait for the thread that has ended
