"""`arboretum fit`: grow a tree from a table, prune it, test it, write it to a file."""

from __future__ import annotations

from typing import Annotated, Any, Final

from arboretum._wording import many
from arboretum.cli import options as o
from arboretum.cli.outputs import check_output
from arboretum.cli.printing import Printer
from arboretum.errors import ParameterError

_SCORES: Final = {"classification": "accuracy", "regression": "R²", "ranking": "NDCG@10"}


@o.grouped
def fit(
    data: o.Data,
    target: o.Target,
    output: Annotated[
        str | None, o.option("The model file: model.json, model.json.gz.", "--output", "-o")
    ] = None,
    force: o.Force = False,
    task: o.FitTask = "auto",
    preset: o.Preset = None,
    test: Annotated[
        float | None, o.option("A share of the rows, such as 0.2, held out to test the model.")
    ] = None,
    weights: o.Weights = None,
    groups: o.Groups = None,
    *,
    growth: o.EstimatorOptions,
    seed: o.Seed = None,
    kinds: o.ColumnKinds,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Grow a tree from a table and prune it.

    It is printed, or written to a file with -o. What the columns were taken for is shown on standard error.
    """
    from arboretum.cli.cautions import Cautions
    from arboretum.cli.models import write_model
    from arboretum.cli.training import choose_task, estimator_flags, read_estimator, read_training_table

    check_output(output, "model", inputs=[data], force=force)
    if test is not None and not 0 < test < 1:
        raise ParameterError(f"--test {test:g} is not allowed; give a share between 0 and 1, such as 0.2.")
    choice = read_estimator(task, preset, growth, seed, o.FIT_TASKS)
    table = read_training_table(data, target, kinds, text, printer, weights=weights, groups=groups)
    chosen = choose_task(task, table, target, printer)
    training, held_out = table.hold_out(test, chosen, seed)
    cautions = Cautions(estimator_flags(), table.said_nominal)
    with o.naming_options(estimator_flags()), cautions.listening():
        estimator = choice.estimator_for(chosen, table)
        estimator.fit(training.X, training.y, sample_weight=training.weights, groups=training.groups)
    document = _describe(estimator, training, chosen) | {"table": table.document}
    summary, result = str(estimator.tree_), ""
    if output:
        score = _SCORES[chosen]
        summary = (
            f"{chosen} tree with {many(document['leaves'], 'leaf')}, depth {document['depth']}, from "
            f"{many(document['rows'], 'row')}; {score} on them {document['training_score']:.4f}"
        )
        if (found := _optimality_of(estimator)) is not None:
            summary += f"\n{found}"
    if held_out is not None:
        with cautions.listening():
            scores = _test(estimator, held_out)
        document["test"] = scores.document()
        result = f"tested on {many(held_out.n_rows, 'row')} held out:\n{scores}"
    cautions.report(printer, table.told)
    document["warnings"] = cautions.document
    write_model(estimator, output, summary, result, document, printer)


def _test(estimator: Any, rows: Any) -> Any:
    from arboretum.cli.scores import OrderScores, scores_for

    if hasattr(estimator, "rank"):
        return OrderScores(rows.y, estimator.predict(rows.X), rows.groups, rows.weights)
    classes = getattr(estimator, "classes_", None)
    scores = scores_for(None if classes is None else classes.tolist())
    probability = None if classes is None else estimator.predict_proba(rows.X)
    scores.add(rows.y, estimator.predict(rows.X), probability, rows.weights)
    return scores


def _describe(estimator: Any, training: Any, task: str) -> dict[str, Any]:
    classes = getattr(estimator, "classes_", None)
    return {
        "task": task,
        "rows": training.n_rows,
        "columns": training.X.column_names,
        "classes": None if classes is None else classes.tolist(),
        "leaves": estimator.get_n_leaves(),
        "depth": estimator.get_depth(),
        "alpha": getattr(estimator, "alpha_", None),
        "training_score": _training_score(estimator, training, task),
        "optimality": _certificate(_optimality_of(estimator)),
        "fingerprint": estimator.training_data_.fingerprint,
    }


def _optimality_of(estimator: Any) -> Any:
    return getattr(estimator, "optimality_", None)


def _certificate(found: Any) -> dict[str, Any] | None:
    """Return what is known of a tree that was searched for as a whole."""
    if found is None:
        return None
    names = ("objective", "bound", "gap", "proven", "stopped_by", "seconds", "work")
    return {name: getattr(found, name) for name in names}


def _training_score(estimator: Any, training: Any, task: str) -> float:
    groups = {"groups": training.groups} if task == "ranking" else {}
    return float(estimator.score(training.X, training.y, training.weights, **groups))
