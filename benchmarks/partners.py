"""Programs of other languages that grow trees of our tables: rpart in R, Weka's J48 in Java.

Words: a *partner* is such a program; it has read a table and grows one tree for each *order* it is sent.
A partner times itself: its start and its reading do not count. Which trees are wanted is said elsewhere.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

__all__ = ["MISSING", "Partner", "start_j48", "start_rpart"]

HERE = Path(__file__).parent
MISSING = "not installed"
# Where Weka's archive usually lies; the environment variable WEKA_JAR goes first.
WEKA_JARS = ("/usr/share/java/weka.jar", "/usr/local/share/java/weka.jar", "/opt/weka/weka.jar")
# One thread for the rubbish as well.
JVM_OPTIONS = ("-XX:+UseSerialGC",)


class Partner:
    """A running program, or none: `name` says what it is, or that it is not there.

    As context manager it ends the program.
    """

    def __init__(self, program: str, command: list[str] | None = None) -> None:
        self.leaves = float("nan")  # of the last tree
        self.process: subprocess.Popen[str] | None = None
        greeting = MISSING
        if command is not None:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            greeting = self.hear() or "failed"
        self.present = greeting != MISSING
        self.name = f"{program} {greeting}" if greeting in (MISSING, "failed") else greeting

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            self.process.communicate()

    def hear(self) -> str:
        """The next line that the program says: empty when it has ended. Its complaints go to the terminal."""
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def grow(self, order: str) -> float:
        """Have one tree grown: the seconds it took, or nan if there is nobody or the program has failed."""
        if self.process is None or self.process.stdin is None or self.process.poll() is not None:
            return float("nan")
        try:
            self.process.stdin.write(order + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return float("nan")
        answer = self.hear().split()
        if len(answer) != 2:
            return float("nan")
        self.leaves = float(answer[1])
        return float(answer[0])

    def show(self, value: float, form: str) -> str:
        """A cell of a table: what was found, or why there is nothing to tell."""
        if not self.present:
            return MISSING
        return "failed" if math.isnan(value) else format(value, form)


def start_rpart(X: Any, y: Any, folder: Path) -> Partner:
    """rpart, given a data frame of numbers; its orders are "minsplit minbucket"."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return Partner("rpart")
    table = folder / "table.csv"
    X.assign(target=y).to_csv(table, index=False, na_rep="NA")
    return Partner("rpart", [rscript, str(HERE / "grow_rpart.R"), str(table)])


def start_j48(X: Any, y: Any, folder: Path) -> Partner:
    """Weka's J48, given a data frame of nominal columns; its orders are J48's options."""
    java, javac, weka = shutil.which("java"), shutil.which("javac"), find_weka()
    if java is None or javac is None or weka is None:
        return Partner("Weka")
    table = folder / "table.arff"
    write_arff(table, X, y)
    source = HERE / "GrowJ48.java"
    # Where this fails, so does what follows, and the partner says so.
    subprocess.run([javac, "-cp", weka, "-d", str(folder), str(source)], check=False)
    path = os.pathsep.join((str(folder), weka))
    return Partner("Weka", [java, *JVM_OPTIONS, "-cp", path, "GrowJ48", str(table)])


def find_weka() -> str | None:
    """Weka's archive, if it lies in one of the usual places."""
    places = (os.environ.get("WEKA_JAR", ""), *WEKA_JARS)
    return next((place for place in places if Path(place).is_file()), None)


def write_arff(path: Path, X: Any, y: Any) -> None:
    """Write nominal columns and the class in Weka's format."""
    levels = {name: X[name].cat.categories for name in X} | {"target": np.unique(y)}
    lines = [f"@attribute {name} {{{','.join(map(str, found))}}}" for name, found in levels.items()]
    with path.open("w", encoding="utf-8") as file:
        file.write("\n".join(["@relation table", *lines, "@data", ""]))
        X.assign(target=y).to_csv(file, index=False, header=False)
