"""Held-out error, leaves and time on known tables: our pruned default and trees tuned the usual way.

Words: a *method* fits a tree to some rows; the *tuned* one is scikit-learn's grid search over its pruning
path; an *outer fold* is held out from all methods alike.
`python benchmarks/accuracy.py` writes ACCURACY.md beside this file. Tables that are done are remembered in
build/accuracy, so that a run can be stopped and started again; --fresh forgets them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from known_tables import KnownTask, encoded, list_tasks
from measuring import NOTHING, Report
from scipy import stats
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from speed import machine

import arboretum
from arboretum import CostComplexity, TreeClassifier, TreeRegressor

HERE = Path(__file__).parent
KEPT = HERE.parent / "build" / "accuracy"

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.float64]
Scores = dict[str, Numbers]  # for each method a number per outer fold

OURS, LEAST, UNPRUNED = "ours", "ours, `min`", "ours, unpruned"
PLAIN, TUNED = "scikit-learn", "scikit-learn, tuned"
LEVEL = 0.05

NOTES = """\
Repeated cross-validation, the same outer folds for all: {repeats}.
The error is the share of wrong classes; for numbers, the squared error in parts of the variance of the target
(1 - R²). *Ours* is the default, which prunes by 10-fold cross-validation and the one-standard-error rule;
*`min`* takes the least risk instead (`prune=CostComplexity(rule="min")`), *unpruned* is `prune=None`.
*scikit-learn* is its default tree, which is not pruned; *tuned* is a GridSearchCV, 10 folds, over the alphas
of its pruning path, thinned evenly to {most_alphas} where there are more, which takes the best. scikit-learn
is given a column of 0 and 1 for each level (one is enough for two levels without missing values) and the
places of ordered levels; missing numbers stay missing, a missing level is 0 in all its columns.
{thinned}
Errors and leaves do not depend on what else the machine does, times do: {load}.

± is a standard error, and p that of a t-test of the differences fold by fold, two-sided, both corrected for
outer folds that share training rows (Nadeau and Bengio 2003): the variance of k differences counts
1/k + held-out rows / training rows times. Holm's correction counts for all tables together. Wilcoxon's test
of the mean differences tells whether there is a tendency over tables, however small on each; some tables are
relatives of each other (boston, pima, weather)."""


@dataclass(frozen=True)
class Plan:
    """How thoroughly methods are compared."""

    folds: int = 10
    most_alphas: int = 40
    most_rows: int = 5_000
    # up to so many rows the outer folds are made anew so many times; beyond the last, once
    repeats: tuple[tuple[int, int], ...] = ((1_000, 5), (1_500, 2))

    def repeats_of(self, n_rows: int) -> int:
        """How often the outer folds of a table are made."""
        return next((times for most, times in self.repeats if n_rows <= most), 1)

    def describe(self) -> str:
        """In words."""
        steps = [f"{times} x {self.folds} folds up to {most:,} rows" for most, times in self.repeats]
        return ", ".join([*steps, f"{self.folds} folds once beyond" if steps else f"{self.folds} folds"])


QUICK = Plan(folds=3, most_alphas=5, most_rows=500, repeats=())


# --- the methods: each returns a fitted tree


def fit_tuned(plan: Plan, Z: Array, y: Array, *, of_classes: bool) -> Any:
    """scikit-learn's way: the alphas of its path, each tried by cross-validation."""
    model = plain(of_classes)
    path = model.cost_complexity_pruning_path(Z, y).ccp_alphas
    alphas = np.unique(np.maximum(path, 0.0))  # rounding may leave it a little below 0
    if len(alphas) > plan.most_alphas:
        alphas = alphas[np.linspace(0, len(alphas) - 1, plan.most_alphas).round().astype(int)]
    inner: Any = KFold(min(plan.folds, len(y)), shuffle=True, random_state=0)
    if of_classes:
        inner = StratifiedKFold(possible_folds(plan.folds, y), shuffle=True, random_state=0)
    scoring = "accuracy" if of_classes else "neg_mean_squared_error"
    search = GridSearchCV(model, {"ccp_alpha": alphas}, scoring=scoring, cv=inner, n_jobs=1).fit(Z, y)
    return search.best_estimator_


def plain(of_classes: bool) -> Any:
    """scikit-learn's default tree."""
    return (DecisionTreeClassifier if of_classes else DecisionTreeRegressor)(random_state=0)


def methods(plan: Plan, of_classes: bool) -> dict[str, Callable[[Any, Array], Any]]:
    """All methods; ours take the table as it is, the others as numbers."""
    ours: Any = TreeClassifier if of_classes else TreeRegressor
    return {
        OURS: ours().fit,
        LEAST: ours(prune=CostComplexity(rule="min")).fit,
        UNPRUNED: ours(prune=None).fit,
        PLAIN: plain(of_classes).fit,
        TUNED: partial(fit_tuned, plan, of_classes=of_classes),
    }


# --- running them


@dataclass(frozen=True)
class Result:
    """What was found on one table: for each method a number per outer fold."""

    name: str
    of_classes: bool
    n_rows: int
    n_columns: int
    n_given: int  # rows of the table; more than `n_rows` where some were left out
    n_folds: int  # of one repetition
    errors: Scores
    leaves: Scores
    seconds: Scores
    load: float | None = None  # of the machine, as its one-minute average, when the table was done

    def difference(self, rival: str) -> Numbers:
        """Our error minus a rival's, fold by fold."""
        return self.errors[OURS] - self.errors[rival]

    def spread(self, values: Numbers) -> float:
        """The standard error of a mean over outer folds, which share training rows."""
        return float(np.sqrt((1 / len(values) + 1 / (self.n_folds - 1)) * values.var(ddof=1)))

    def p_value(self, rival: str) -> float:
        """How likely a difference this large is if there is none."""
        differences = self.difference(rival)
        mean, spread = differences.mean(), self.spread(differences)
        if spread == 0.0:
            return 1.0 if mean == 0.0 else 0.0
        return float(2 * stats.t.sf(abs(mean) / spread, len(differences) - 1))


def possible_folds(wanted: int, y: Array) -> int:
    """As many folds as the largest class has rows; small classes are missing from some."""
    return min(wanted, int(np.unique(y, return_counts=True)[1].max()))


def rows_of(task: KnownTask, plan: Plan) -> tuple[Any, Array]:
    """The table; of large ones some rows, drawn at random."""
    X, y = task.rows
    if len(y) > plan.most_rows:
        drawn = np.sort(np.random.default_rng(0).permutation(len(y))[: plan.most_rows])
        return X.iloc[drawn].reset_index(drop=True), y[drawn]
    return X, y


def outer_folds(task: KnownTask, plan: Plan, y: Array) -> tuple[int, Iterator[tuple[Array, Array]]]:
    """How many folds one repetition has, and all folds."""
    repeats, nothing = plan.repeats_of(len(y)), np.zeros((len(y), 1))
    if not task.of_classes:
        folds: Any = RepeatedKFold(n_splits=plan.folds, n_repeats=repeats, random_state=0)
        return plan.folds, folds.split(nothing)
    n_folds = possible_folds(plan.folds, y)
    folds = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=repeats, random_state=0)
    return n_folds, folds.split(nothing, y)


def compare(task: KnownTask, plan: Plan) -> Result:
    """Fit all methods on all outer folds of a table."""
    X, y = rows_of(task, plan)
    Z = encoded(X)
    found: dict[str, dict[str, list[float]]] = {}
    scale = 1.0 if task.of_classes else float(np.var(y))
    n_folds, folds = outer_folds(task, plan, y)
    for train, test in folds:
        for name, fit in methods(plan, task.of_classes).items():
            table: Any = X.iloc if name in (OURS, LEAST, UNPRUNED) else Z
            start = time.perf_counter()
            model = fit(table[train], y[train])
            elapsed = time.perf_counter() - start
            predicted = model.predict(table[test])
            wrong = predicted != y[test] if task.of_classes else (predicted - y[test]) ** 2 / scale
            scores = {"errors": wrong.mean(), "leaves": model.get_n_leaves(), "seconds": elapsed}
            for kind, value in scores.items():
                found.setdefault(kind, {}).setdefault(name, []).append(float(value))
    arrays = {kind: {name: np.array(v) for name, v in of.items()} for kind, of in found.items()}
    return Result(
        task.name,
        task.of_classes,
        n_rows=len(y),
        n_columns=X.shape[1],
        n_given=len(task.rows[1]),
        n_folds=n_folds,
        errors=arrays["errors"],
        leaves=arrays["leaves"],
        seconds=arrays["seconds"],
        load=os.getloadavg()[0],
    )


def remembered(task: KnownTask, plan: Plan, *, fresh: bool) -> Result:
    """What was found on a table; measured only if it was not before, with the same plan and versions."""
    path = KEPT / f"{task.name.replace(', ', '__')}.json"
    key = json.dumps([asdict(plan), arboretum.__version__, sklearn.__version__, str(task.path)])
    if path.exists() and not fresh:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored.pop("key") == key:
            for kind in ("errors", "leaves", "seconds"):
                stored[kind] = {name: np.array(values) for name, values in stored[kind].items()}
            return Result(**stored)
    result = compare(task, plan)
    KEPT.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"key": key} | asdict(result), default=lambda array: array.tolist())
    path.write_text(text, encoding="utf-8")
    return result


# --- telling it


def holm(p_values: npt.ArrayLike) -> Numbers:
    """p-values that hold for all tables together (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepwise = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    together = np.empty(len(p))
    together[order] = np.minimum(stepwise, 1.0)
    return together


def percent(result: Result, values: Numbers, *, signed: bool = False) -> str:
    """A mean and its standard error."""
    return f"{100 * values.mean():{'+' if signed else ''}.1f} ± {100 * result.spread(values):.1f}"


def show_errors(report: Report, results: list[Result], together: dict[str, float]) -> None:
    """The errors of all methods, and how ours differ from the tuned ones."""
    names = list(results[0].errors)
    report.begin_table("error in %", "rows x columns", *names, "ours - tuned", "p", "p, all tables (Holm)")
    for result in results:
        report.add_row(
            result.name,
            f"{result.n_rows:,} x {result.n_columns}",
            *(percent(result, result.errors[name]) for name in names),
            percent(result, result.difference(TUNED), signed=True),
            f"{result.p_value(TUNED):.3f}",
            f"{together[result.name]:.3f}",
        )


def show_sizes(report: Report, results: list[Result]) -> None:
    """Leaves and milliseconds of all methods."""
    names = list(results[0].errors)
    report.begin_table(
        "mean of all folds", *(f"leaves, {name}" for name in names), *(f"ms, {name}" for name in names)
    )
    for result in results:
        leaves = [f"{result.leaves[name].mean():,.1f}" for name in names]
        times = [milliseconds(result.seconds[name].mean()) for name in names]
        report.add_row(result.name, *leaves, *times)


def milliseconds(seconds: float) -> str:
    """A time, not more exact than it is."""
    return f"{1000 * seconds:,.0f}" if seconds >= 0.1 else f"{1000 * seconds:.2g}"


def names_of(results: list[Result]) -> str:
    """The tables, in words."""
    return " (" + "; ".join(result.name for result in results) + ")" if results else ""


def show_summary(report: Report, results: list[Result]) -> None:
    """How many tables ours is better or worse on, and on how many that means something."""
    report.begin_table(
        "ours against",
        "tables",
        "better",
        "same",
        "worse",
        f"p < {LEVEL}: better",
        "worse",
        f"Holm p < {LEVEL}: better",
        "worse",
        "all tables (Wilcoxon): p",
        "mean difference in %: classes",
        "numbers",
        "median of ours / theirs: leaves",
        "time",
    )
    for rival in list(results[0].errors)[1:]:
        means = np.array([result.difference(rival).mean() for result in results])
        p = np.array([result.p_value(rival) for result in results])
        together = holm(p)
        of_classes = np.array([result.of_classes for result in results])
        shares = [mean_percent(means[of_classes]), mean_percent(means[~of_classes])]
        counts = [means < 0, means == 0, means > 0]
        counts += [(q < LEVEL) & side for q in (p, together) for side in (means < 0, means > 0)]
        ratios = [
            np.median([scores[OURS].mean() / scores[rival].mean() for scores in of_all])
            for of_all in ([result.leaves for result in results], [result.seconds for result in results])
        ]
        report.add_row(
            rival,
            str(len(results)),
            *(str(int(count.sum())) for count in counts),
            f"{stats.wilcoxon(means).pvalue:.3f}" if means.any() else "1",
            *shares,
            *(f"{ratio:.3g}" for ratio in ratios),
        )


def mean_percent(values: Numbers) -> str:
    """The mean over tables, if there are any."""
    return f"{100 * values.mean():+.2f}" if len(values) else NOTHING


def conclude(report: Report, results: list[Result], together: dict[str, float]) -> None:
    """Say what was seen of our default and the tuned tree."""
    worse = [result for result in results if result.difference(TUNED).mean() > 0]
    alone = [result for result in worse if result.p_value(TUNED) < LEVEL]
    holding = [result for result in worse if together[result.name] < LEVEL]
    report.say(
        f"\nSeen: of {len(results)} tables, our default is worse than the tuned tree on {len(worse)}; "
        f"with p < {LEVEL}, each table for\nitself, on {len(alone)}{names_of(alone)}; "
        f"for all tables together (Holm), on {len(holding)}{names_of(holding)}."
    )


def describe_load(results: list[Result]) -> str:
    """How busy the machine was, in words; this program alone makes a load of 1."""
    loads = [result.load for result in results if result.load is not None]
    if not loads:
        return "its load was not recorded"
    return f"its load was {min(loads):.1f} to {max(loads):.1f}, of which 1 is this program"


def tell(results: list[Result], plan: Plan) -> Report:
    """Write the whole report."""
    report = Report()
    thinned = [f"{r.name} ({r.n_rows:,} of {r.n_given:,})" for r in results if r.n_given > r.n_rows]
    text = (
        f"Of large tables some rows were drawn: {'; '.join(thinned)}." if thinned else "All rows were used."
    )
    notes = NOTES.format(
        repeats=plan.describe(), most_alphas=plan.most_alphas, thinned=text, load=describe_load(results)
    )
    report.say(f"# Accuracy\n\nMeasured on {machine()}.\n\n{notes}")
    together = dict(
        zip((r.name for r in results), holm([r.p_value(TUNED) for r in results]).tolist(), strict=True)
    )
    conclude(report, results, together)
    show_summary(report, results)
    for title, of_classes in (("Classes", True), ("Numbers", False)):
        some = [result for result in results if result.of_classes == of_classes]
        if some:
            report.say(f"\n## {title}")
            show_errors(report, some, together)
            show_sizes(report, some)
    return report


def main() -> None:
    """Compare on all tables, write down what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="tables whose name contains this; nothing is written")
    parser.add_argument("--quick", action="store_true", help="few folds, alphas and rows; nothing is written")
    parser.add_argument("--fresh", action="store_true", help="measure all tables again")
    arguments = parser.parse_args()
    plan = QUICK if arguments.quick else Plan()
    # Classes of few rows are missing from some folds, which is meant.
    warnings.filterwarnings("ignore", "The least populated class in y")
    tasks = [task for task in list_tasks() if arguments.only in task.name]
    results = []
    for number, task in enumerate(tasks, 1):
        start = time.perf_counter()
        results.append(remembered(task, plan, fresh=arguments.fresh))
        print(f"[{number}/{len(tasks)}] {task.name}: {time.perf_counter() - start:.1f} s", flush=True)
    report = tell(results, plan)
    if not arguments.quick and not arguments.only:
        (HERE / "ACCURACY.md").write_text("\n".join(report.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
