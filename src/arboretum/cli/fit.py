"""`arboretum fit`: grow a tree from a table, prune it, test it, write it to a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.learning import PRESETS, TASKS, choose_task, make_estimator, read_wishes
from arboretum.cli.loading import Lesson, Reading, read_lesson
from arboretum.cli.option_names import ESTIMATOR_FLAGS, naming_options
from arboretum.cli.outputs import check_output
from arboretum.cli.scores import scores_for
from arboretum.cli.speaking import Voice, wrote
from arboretum.errors import ParameterError
from arboretum.plurals import many

__all__ = ["fit"]

_GROWTH = "How the tree is grown and pruned"
Word = str | None


def _option(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_GROWTH)


def fit(
    data: o.Data,
    target: o.Target,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The model file: model.json, model.json.gz.")
    ] = None,
    force: o.Force = False,
    task: Annotated[
        str, typer.Option(help="auto, classification or regression.", autocompletion=lambda: list(TASKS))
    ] = "auto",
    preset: Annotated[
        str | None, typer.Option(help=f"{', '.join(PRESETS)}.", autocompletion=lambda: list(PRESETS))
    ] = None,
    test: Annotated[
        float | None, typer.Option(help="A share of the rows, such as 0.2, held out to test the model.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="The column that says how much each row counts.")
    ] = None,
    groups: Annotated[str | None, typer.Option(help="The column whose groups are never torn apart.")] = None,
    criterion: Annotated[
        Word,
        _option(help="gini, entropy, gain_ratio, …; for numbers squared_error, absolute_error, poisson."),
    ] = None,
    nominal_questions: Annotated[Word, _option(help="subset, one_vs_rest or multiway.")] = None,
    thresholds: Annotated[Word, _option(help="midpoint, observed or table.")] = None,
    questions: Annotated[Word, _option(help="axis, MofN(max_n=…) or Oblique(max_terms=…).")] = None,
    search: Annotated[Word, _option(help="greedy or Lookahead(depth=1).")] = None,
    missing: Annotated[Word, _option(help="category, surrogate, fractional, drop or error.")] = None,
    max_depth: Annotated[Word, _option(help="Most questions on the way to a leaf.")] = None,
    min_samples_split: Annotated[
        Word, _option(help="Fewest rows of a node that is split, or a share.")
    ] = None,
    min_samples_leaf: Annotated[Word, _option(help="Fewest rows of a leaf, or a share.")] = None,
    min_weight_fraction_leaf: Annotated[Word, _option(help="Least share of the weight in a leaf.")] = None,
    max_leaf_nodes: Annotated[Word, _option(help="Most leaves.")] = None,
    min_impurity_decrease: Annotated[Word, _option(help="Least gain of a question.")] = None,
    significance: Annotated[
        Word, _option(help="A level, such as 0.05, or a test: ChiSquare(level=0.01).")
    ] = None,
    competitors: Annotated[Word, _option(help="How many runners-up each node remembers.")] = None,
    max_bins: Annotated[Word, _option(help="Most buckets a column; none is exact.")] = None,
    prune: Annotated[
        Word,
        _option(help="cost_complexity, reduced_error, pessimistic, none; 'CostComplexity(folds=5)'."),
    ] = None,
    leaf: Annotated[Word, _option(help="frequency, laplace or MEstimate(m=…).")] = None,
    class_weight: Annotated[Word, _option(help="balanced, or a factor for classes: ill=5,well=1.")] = None,
    priors: Annotated[
        Word, _option(help="Shares of the classes in the population: ill=0.01,well=0.99.")
    ] = None,
    loss: Annotated[Word, _option(help="What mistakes cost, a row for each true class: '0,10;1,0'.")] = None,
    column_costs: Annotated[
        Word, _option(help="What gains of a column are divided by when columns compete: age=2,price=0.5.")
    ] = None,
    monotonic: Annotated[
        Word, _option(help="Columns with which predictions only rise or fall: age=1,price=-1.")
    ] = None,
    jobs: Annotated[Word, _option("--jobs", help="Threads; -1 for all cores.")] = None,
    seed: o.Seed = None,
    nominal: o.Nominal = None,
    numeric: o.Numeric = None,
    ordered: o.Ordered = None,
    drop: o.Drop = None,
    missing_values: o.MissingValues = None,
    decimal: o.Decimal = ".",
    separator: o.Separator = None,
    encoding: o.Encoding = "utf-8",
    no_header: o.NoHeader = False,
    format: o.InFormat = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Grow a tree from a table and prune it.

    It is printed, or written to a file with -o. What the columns were taken for is shown on standard error.
    """
    voice = Voice(json=json, quiet=quiet)
    check_output(output, "model", inputs=[data], force=force)
    written = {
        "criterion": criterion,
        "nominal": nominal_questions,
        "thresholds": thresholds,
        "questions": questions,
        "search": search,
        "missing": missing,
        "max_depth": max_depth,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
        "min_weight_fraction_leaf": min_weight_fraction_leaf,
        "max_leaf_nodes": max_leaf_nodes,
        "min_impurity_decrease": min_impurity_decrease,
        "significance": significance,
        "competitors": competitors,
        "max_bins": max_bins,
        "prune": prune,
        "leaf": leaf,
        "class_weight": class_weight,
        "priors": priors,
        "loss": loss,
        "column_costs": column_costs,
        "monotonic_cst": monotonic,
        "n_jobs": jobs,
    }
    if test is not None and not 0 < test < 1:
        raise ParameterError(f"--test {test:g} is not allowed; give a share between 0 and 1, such as 0.2.")
    wishes = read_wishes(task, preset, written, seed)
    reading = Reading(
        format, separator, encoding, decimal, no_header, missing_values, nominal, numeric, ordered, drop
    )
    lesson = read_lesson(data, target, reading, voice, weights=weights, groups=groups)
    chosen = choose_task(task, lesson, target, voice)
    training, held_out = _hold_out(lesson, test, chosen, seed)
    with naming_options(ESTIMATOR_FLAGS):
        estimator = make_estimator(chosen, wishes, lesson)
        estimator.fit(training.X, training.y, sample_weight=training.weights, groups=training.groups)
    document = _describe(estimator, training, chosen) | {"table": lesson.table}
    text = _summary(document) if output else str(estimator.tree_)
    if held_out is not None:
        scores = _test(estimator, held_out)
        document["test"] = scores.document()
        text += f"\n\ntested on {many(held_out.n_rows, 'row')} held out:\n{scores}"
    if output is not None:
        from arboretum.model_files import save

        save(estimator, output)
        document["model"] = output
        text += f"\n\n{wrote(output)}"
    voice.result(text, document)


def _hold_out(
    lesson: Lesson, test: float | None, task: str, seed: int | None
) -> tuple[Lesson, Lesson | None]:
    """Return the rows to learn from and those to test on; classes in their shares, groups whole."""
    if test is None:
        return lesson, None
    from arboretum import Experiment

    loss = "zero_one" if task == "classification" else "squared"
    split = Experiment(
        lesson.X,
        lesson.y,
        split=(1 - test, test),
        groups=lesson.groups,
        sample_weight=lesson.weights,
        loss=loss,
        random_state=seed,
    ).split
    return lesson.take(split.training), lesson.take(split.test)


def _test(estimator: Any, rows: Lesson) -> Any:
    classes = getattr(estimator, "classes_", None)
    scores = scores_for(None if classes is None else classes.tolist())
    probability = None if classes is None else estimator.predict_proba(rows.X)
    scores.add(rows.y, estimator.predict(rows.X), probability, rows.weights)
    return scores


def _describe(estimator: Any, training: Lesson, task: str) -> dict[str, Any]:
    classes = getattr(estimator, "classes_", None)
    return {
        "task": task,
        "rows": training.n_rows,
        "columns": training.X.column_names,
        "classes": None if classes is None else classes.tolist(),
        "leaves": estimator.get_n_leaves(),
        "depth": estimator.get_depth(),
        "alpha": getattr(estimator, "alpha_", None),
        "training_score": float(estimator.score(training.X, training.y, training.weights)),
        "fingerprint": estimator.training_data_.fingerprint,
    }


def _summary(document: dict[str, Any]) -> str:
    named = "accuracy" if document["task"] == "classification" else "R²"
    return (
        f"{document['task']} tree with {many(document['leaves'], 'leaf')}, depth {document['depth']}, "
        f"from {many(document['rows'], 'row')}; {named} on them {document['training_score']:.4f}"
    )
