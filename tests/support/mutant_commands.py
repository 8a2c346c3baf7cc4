"""Command lines made by chance: every command, its options and others, sensible values and odd ones.

A command ends with 0, 1 or 2. If it fails it says so in one sentence, the last line on standard error. It
never shows a traceback, and leaves no half-written file. It runs in this process, in a folder of its own.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from typer import Context
from typer.main import get_command

from arboretum import BaggedClassifier, TreeClassifier, TreeMixed, TreeRanker, TreeRegressor, save
from arboretum.cli.main import app
from support.command_line import say
from support.verdicts import Fault, check_sentence

__all__ = ["KINDS", "judge", "mutant"]

_SHARES: Final = {
    **{"fit": 30, "predict": 20, "show": 10, "explain": 10, "evaluate": 8, "prune": 10, "export": 12},
    **{"experiment": 3, "candidates": 8, "trace": 6, "report": 1, "demo": 1, "version": 1},
}
KINDS: Final = tuple(_SHARES)
_MODELS: Final = ("model.json", "numbers.json.gz", "bag.json", "ranks.json", "two.json")
_TABLES: Final = ("rows.csv", "rows.csv.gz", "rows.jsonl", "rows.parquet", "rows.arff", "rows.tsv")
_BAD_FILES: Final = (
    *(
        "nothing.csv",
        "nothing.json",
        "empty.csv",
        "folder",
        "folder/x.json",
        "-",
        "",
        "a\u202eb.csv",
        "é.json",
    ),
    *(
        "head.csv",
        "wide.csv",
        "latin.csv",
        "damaged.json",
        "other.json",
        "rows",
        "rows.xlsx",
        "rows.csv",
        "model.json",
    ),
    *("/dev/null", "x" * 300, "\x1b[31m.csv", "model.json/x"),
)
_COLUMNS: Final = ("size", "count", "colour", "day", "y", "z")
_ODD: Final = (
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "0.5",
        "1.5",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-400",
        "٣",
    ),
    *(
        "999999999999999999999999",
        "0x10",
        "1_000",
        "none",
        "None",
        "true",
        "auto",
        "é",
        "\u202e",
        "\x1b[31m",
        "a\nb",
    ),
    *(
        "a,b",
        "a=b",
        "=",
        "a=",
        "=1",
        ",",
        ";",
        "[]",
        "{}",
        "[[",
        "()",
        "x(",
        "x)",
        "MofN(",
        "'",
        '"',
        '"a',
        "a=1,a=2",
    ),
    *("x" * 5_000, "size", "colour", "y", "size,colour", "size=1", "yes", "no", "yes=1,no=2", "yes=0,no=0"),
    *(
        "gini",
        "entropy",
        "none()",
        "Lookahead(top=1)",
        "Oblique(max_terms=2)",
        "MofN(max_terms=2)",
        "Optimal()",
    ),
)
# What an option is for; the others get any value.
_SENSIBLE: Final[dict[str, tuple[str, ...]]] = {
    "-t": ("y", "y", "z", "colour", "day"),
    "--task": ("auto", "classification", "regression", "ranking"),
    "--preset": ("id3", "c4.5", "cart", "decision-tree-train"),
    "--test": ("0.2", "0.5", "0.01"),
    "--criterion": (
        "gini",
        "entropy",
        "gain_ratio",
        "squared_error",
        "absolute_error",
        "poisson",
        "GainRatio()",
    ),
    "--nominal-questions": ("subset", "one_vs_rest", "multiway"),
    "--levels": ("corrected", "raw"),
    "--thresholds": ("midpoint", "observed", "table", "round"),
    "--questions": ("axis", "MofN(max_terms=2)", "Oblique(max_terms=2)"),
    "--search": ("greedy", "Lookahead(top=2)"),
    "--missing": ("category", "fractional", "drop", "error", "surrogate", "Surrogate(count=1)"),
    "--prune": ("none", "cost_complexity", "pessimistic", "reduced_error", "CostComplexity(folds=2)"),
    "--leaf": (
        "frequency",
        "laplace",
        "shrinkage",
        "MEstimate(m=2)",
        "mean",
        "median",
        "linear",
        "quantiles",
    ),
    "--significance": ("none", "0.05", "ChiSquare(level=0.1)", "Permutation(permutations=9)", "FTest()"),
    "--class-weight": ("balanced", "yes=2,no=1"),
    "--priors": ("yes=0.5,no=0.5",),
    "--loss": ("0,1;2,0", "[[0,1],[1,0]]", "log_loss", "misclassification"),
    "--column-costs": ("size=2", "size=2,count=0.5"),
    "--monotonic": ("size=1", "size=-1,count=1"),
    "--weights": ("count", "size"),
    "--groups": ("group",),
    "--by": ("colour", "colour,day"),
    "--to": (
        "sql",
        "python",
        "c",
        "javascript",
        "pmml",
        "rules",
        "dot",
        "mermaid",
        "svg",
        "html",
        "text",
        "json",
    ),
    "--format": ("text", "svg", "html", "csv", "jsonl", "markdown", "latex", "dot", "mermaid"),
    "--output-format": ("csv", "jsonl", "arff", "parquet", "arrow", "csv.gz", "tsv"),
    "--dialect": ("duckdb", "postgres", "sqlite", "mysql", "bigquery"),
    "--keep": ("size", "colour,y"),
    "--row": ("0", "1", "5"),
    "--desired": ("yes", "no", "yes=0.6", ">=3"),
    "--fixed": ("size", "colour"),
    "--split": ("0.6,0.2,0.2", "0.7,0.3"),
    "--grid": ("max_depth=1,2", "criterion=gini,entropy", "prune=none"),
    "-g": ("max_depth=1,2", "criterion=gini,entropy", "prune=none"),
    "--decimal": (".", ","),
    "--separator": (",", ";", "tab"),
    "--encoding": ("utf-8", "latin-1", "utf-16"),
    "--leaves": ("1", "2", "3"),
    "--alpha": ("0", "0.05"),
    "--cuts": ("all", "best"),
    "--base": ("2", "10"),
    "--note": ("0=seen", "1=odd"),
}
# How long these take is as the caller wishes.
_COSTLY: Final = {
    "--resamples": ("none", "2", "-1", "0", "x"),
    "--random": ("1", "2", "0", "-1", "x"),
    "--jobs": ("1", "2", "-1", "none", "0", "x"),
    "--max-nodes": ("1", "5", "0", "x"),
}
_OUTPUTS: Final = (
    *(
        "out.csv",
        "out.json",
        "out.json.gz",
        "out.svg",
        "out.html",
        "out.parquet",
        "out.arrow",
        "out.txt",
        "out.tex",
    ),
    *(
        "out.sql",
        "out.py",
        "out.c",
        "out.js",
        "out.pmml",
        "out.dot",
        "out.md",
        "out",
        "-",
        "folder",
        "folder/out.csv",
    ),
    *(
        "nowhere/out.csv",
        "model.json",
        "rows.csv",
        "/dev/full",
        "/dev/null",
        "",
        "x" * 300,
        "out.jsonl",
        "out.arff",
    ),
)


def mutant(seed: int, number: int) -> tuple[str, *tuple[str, ...]]:
    """Return the command, and all words of the command line."""
    rng = random.Random(f"commands {seed} {number}")
    command = rng.choices(KINDS, list(_SHARES.values()))[0]
    words: list[str] = [command]
    options, arguments = _parameters(command)
    for argument in arguments:
        if rng.random() < 0.97:
            words.append(_argument(rng, argument))
    if "-t" in options and command not in ("report", "evaluate") and rng.random() < 0.93:
        words += ["-t", _value(rng, "-t", 0.1)]
    if command == "fit" and rng.random() < 0.5:
        words += ["--prune", "none"]  # folds take their time
    names = list(options)
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 5))):
        name = (
            rng.choice(names)
            if rng.random() < 0.95
            else rng.choice(("--nonsense", "-z", "--max_depth", "---"))
        )
        words.append(name)
        if not options.get(name, True) or (name not in options and rng.random() < 0.5):
            words.append(_value(rng, name, 0.2))
    if command == "experiment" and "--prune" not in words:
        words += ["-g", "prune=none"]
    if rng.random() < 0.03:
        rng.shuffle(words)
    return command, *words


@cache
def _parameters(command: str) -> tuple[dict[str, bool], tuple[str, ...]]:
    """Return the options of a command, and whether each is a flag; and the names of its arguments."""
    group: Any = get_command(app)
    _, found, _ = group.resolve_command(Context(group), [command])
    options, arguments = {}, []
    for parameter in found.params:
        if parameter.param_type_name == "argument":
            arguments.append(str(parameter.name))
        elif parameter.name != "help":
            options[parameter.opts[-1] if parameter.opts[-1] in _SENSIBLE else parameter.opts[0]] = (
                parameter.is_flag
            )
    return options, tuple(arguments)


def _argument(rng: random.Random, name: str) -> str:
    if rng.random() < 0.12:
        return rng.choice(_BAD_FILES)
    if name == "table":
        return rng.choice(("iris", "titanic", "nothing", ""))
    return rng.choice(_MODELS if name == "model" else _TABLES)


def _value(rng: random.Random, name: str, odd: float) -> str:
    if name in _COSTLY:
        return rng.choice(_COSTLY[name])
    if name in ("-o", "--output"):
        return rng.choice(_OUTPUTS)
    if name == "--rows":
        return rng.choice((*_TABLES, *_BAD_FILES))
    if name in _SENSIBLE and rng.random() >= odd:
        return rng.choice(_SENSIBLE[name])
    return rng.choice(_ODD) if rng.random() < 0.6 else rng.choice(("1", "2", *_COLUMNS))


def judge(*words: str) -> str:
    """Run the command; return "done", "failed" (1) or "refused" (2). Whatever else happens is a fault."""
    folder = _folder()
    before = os.getcwd()
    os.chdir(folder)
    try:
        done = say(*words, input="size,count,colour\n1,2,red\n")
    finally:
        os.chdir(before)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code not in (0, 1, 2):
        raise Fault(f"exit code {done.exit_code}: {words!r}")
    if "Traceback" in done.stderr or "this should not have happened" in done.stderr:
        raise Fault(f"{words!r}: {done.stderr[-300:]}")
    if drafts := [path.name for path in folder.rglob(".*")]:
        for draft in drafts:
            (folder / draft).unlink(missing_ok=True)
        raise Fault(f"{words!r} left {drafts}")
    if done.exit_code == 0:
        return "done"
    last = done.stderr.rstrip("\n").split("\n")[-1]
    if not last.startswith("arboretum: "):
        raise Fault(f"{words!r} ends with {done.exit_code} and says {last[:200]!r}")
    check_sentence(last, str(words)[:200])
    return "failed" if done.exit_code == 1 else "refused"


# --- the folder


@cache
def _folder() -> Path:
    """Return a folder of this process with tables and models, which is gone at its end."""
    place = Path(tempfile.mkdtemp(prefix="arboretum-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    rng = np.random.default_rng(3)
    n = 40
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(2),
            "count": rng.integers(1, 9, n),
            "colour": rng.choice(["red", "blue", "green"], n),
            "day": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
        }
    )
    X = frame.copy()
    frame["group"] = np.arange(n) // 5
    frame["y"] = np.where(frame["count"] + rng.integers(0, 3, n) > 5, "yes", "no")
    frame["z"] = frame["count"] * 2 + rng.normal(size=n).round(2)
    frame.to_csv(place / "rows.csv", index=False)
    frame.to_csv(place / "rows.csv.gz", index=False)
    frame.to_csv(place / "rows.tsv", index=False, sep="\t")
    frame.to_json(place / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(place / "rows.parquet")
    _write_arff(frame, place / "rows.arff")
    (place / "empty.csv").write_bytes(b"")
    (place / "head.csv").write_text("size,count,colour\n")
    (place / "wide.csv").write_text("size,size,y\n1,2,yes\n")
    (place / "latin.csv").write_bytes("size,été\n1,\xe9\n".encode("latin-1"))
    (place / "damaged.json").write_text('{"format": "arboretum model", "version": ')
    (place / "other.json").write_text("[1, 2]")
    (place / "folder").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _save_models(place, X, frame)
    return place


def _save_models(place: Path, X: pd.DataFrame, frame: pd.DataFrame) -> None:
    plain: dict[str, Any] = {"prune": None, "max_depth": 3, "random_state": 0}
    save(TreeClassifier(max_depth=3, random_state=0).fit(X, frame["y"]), place / "model.json")
    save(TreeRegressor(**plain).fit(X, frame["z"]), place / "numbers.json.gz")
    save(BaggedClassifier(n_trees=2, random_state=0).fit(X, frame["y"]), place / "bag.json")
    save(TreeRanker(**plain).fit(X, frame["count"], groups=frame["group"]), place / "ranks.json")
    save(TreeMixed(**plain).fit(X, frame[["y", "z"]]), place / "two.json")


def _write_arff(frame: pd.DataFrame, path: Path) -> None:
    kinds = {"size": "numeric", "count": "numeric", "colour": "{red,blue,green}", "day": "date yyyy-MM-dd"}
    kinds |= {"group": "numeric", "y": "{yes,no}", "z": "numeric"}
    head = "".join(f"@attribute {name} {kinds[name]}\n" for name in frame.columns)
    path.write_text(f"@relation rows\n{head}@data\n{frame.to_csv(index=False, header=False)}")
