"""`arboretum experiment`: training, development and test data, in this order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from arboretum.cli import options as o
from arboretum.cli.outputs import check_output
from arboretum.cli.printing import Printer
from arboretum.cli.values import parse_matrix, parse_value
from arboretum.errors import ParameterError, ParameterNameError, choices

_FLAGS = o.flags_of(("split", "loss", "random_state", "sample_weight", "groups", "time")) | {"n": "--random"}


@o.grouped
def experiment(
    data: o.Data,
    target: o.Target,
    grid: Annotated[
        list[str] | None,
        o.option("Values to try: max_depth=1,2,3. Repeated, every combination.", "--grid", "-g"),
    ] = None,
    random: Annotated[int | None, o.option("So many random combinations instead of all.")] = None,
    split: Annotated[str, o.option("Shares of training, development and test rows.")] = "0.7,0.1,0.2",
    test: Annotated[bool, o.option("Open the test rows for the best setting.", "--test")] = False,
    refit: Annotated[str, o.option("train, or train+dev: what the tested tree learns from.")] = "train",
    loss: Annotated[
        str | None,
        o.option("A measure such as log_loss, auc, brier or squared_error, or a matrix '0,10;1,0'."),
    ] = None,
    output: Annotated[str | None, o.option("A model file for the best tree.", "--output", "-o")] = None,
    force: o.Force = False,
    task: o.Task = "auto",
    preset: o.Preset = None,
    weights: o.Weights = None,
    groups: o.Groups = None,
    time: Annotated[str | None, o.option("The column by which the parts follow one another.")] = None,
    seed: o.Seed = None,
    *,
    kinds: o.ColumnKinds,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Try settings and choose among them honestly.

    Trees are fitted to training rows and compared on development rows; --test measures the best one, once,
    on rows that nobody has seen.
    """
    from arboretum import Experiment
    from arboretum.cli.cautions import Cautions
    from arboretum.cli.models import write_model
    from arboretum.cli.training import choose_task, estimator_flags, read_estimator, read_training_table
    from arboretum.experiment.settings import check_count
    from arboretum.experiment.splits import resolve_seed, resolve_shares

    check_output(output, "model", inputs=[data], force=force)
    settings = _grid(grid)
    try:
        written = tuple(float(part) for part in split.split(","))
    except ValueError:
        raise ParameterError(f"--split {split!r} cannot be read.\nHint: write 0.7,0.1,0.2.") from None
    with o.naming_options(_FLAGS):
        shares = resolve_shares(written)
        resolve_seed(seed)
        if random is not None:
            check_count("n", random)
    o.check_choice("--refit", refit, ("train", "train+dev"))
    judged_by = _read_loss(loss)
    choice = read_estimator(task, preset, {}, seed)
    _check_grid(task, choice.estimator, settings)
    table = read_training_table(data, target, kinds, text, printer, weights=weights, groups=groups, time=time)
    chosen = choose_task(task, table, target, printer)
    estimator = choice.estimator_for(chosen, table)
    with o.naming_options(_FLAGS):
        measured = Experiment(
            table.X,
            table.y,
            split=shares,
            groups=table.groups,
            time=table.times,
            sample_weight=table.weights,
            loss=judged_by or ("misclassification" if chosen == "classification" else "squared_error"),
            random_state=seed,
        )
    printer.note(str(measured.split))
    cautions = Cautions(estimator_flags(), table.said_nominal)
    with o.naming_options(_grid_flags()), cautions.listening():
        if random is not None:
            measured.random(estimator, settings, random, random_state=seed)
        else:
            measured.grid(estimator, settings)
    best = measured.best.estimator
    result = f"{measured.results}\n\nbest: {measured.best}"
    document: dict[str, Any] = {
        "results": [_document(result) for result in measured.results],
        "best": _document(measured.best.result),
        "table": table.document,
    }
    if test:
        with cautions.listening():
            score = measured.test(refit=refit)
        best = score.estimator
        document["test"] = {
            "loss": score.loss,
            "interval": score.interval,
            "level": score.level,
            "rows": score.n_rows,
        }
        result += f"\n\n{score}"
    cautions.report(printer, table.told)
    document["warnings"] = cautions.document
    write_model(best, output, "", result, document, printer)


def _read_loss(written: str | None) -> Any:
    """Return the name of a measure, or a loss matrix."""
    from arboretum._options.measures.table import KNOWN, NAMES

    if written is None or written in KNOWN:
        return written
    if not any(sign.isdigit() for sign in written):
        raise ParameterError(choices("--loss", written, NAMES) + " Or write a matrix, '0,10;1,0'.")
    return parse_matrix(written, "loss")


def _grid(written: list[str] | None) -> dict[str, list[Any]]:
    """Return {parameter: values}; commas inside parentheses belong to a strategy."""
    settings: dict[str, list[Any]] = {}
    for text in written or ():
        name, sign, values = text.partition("=")
        key = name.strip().replace("-", "_")
        found = [value for value in _parts(values) if value]
        if not sign or not key or not found:
            raise ParameterError(f"--grid {text!r} cannot be read.\nHint: write max_depth=1,2,3.")
        key = {"nominal_questions": "nominal", "monotonic": "monotonic_cst", "jobs": "n_jobs"}.get(key, key)
        if key in settings:
            raise ParameterError(f"--grid gives {key!r} twice; list its values with commas.")
        settings[key] = [parse_value(value, f"grid {key}") for value in found]
    return settings


def _grid_flags() -> dict[str, str]:
    from arboretum.cli.training import estimator_flags

    return {name: f"--grid {name}" for name in estimator_flags()} | {"random_state": "--seed"}


def _check_grid(task: str, make: Callable[[str], Any], settings: dict[str, list[Any]]) -> None:
    """Refuse values that cannot be tried, each by itself, before the table is read."""
    from arboretum.cli.training import check_for
    from arboretum.experiment.settings import make as make_copy

    def tried(name: str, value: Any, task: str) -> Any:
        try:
            return make_copy(make(task), {name: value})
        except ParameterNameError as error:
            raise ParameterError(f"--grid {name}: {error}") from error

    with o.naming_options(_grid_flags()):
        for name, values in settings.items():
            for value in values:
                check_for(task, partial(tried, name, value))


def _parts(values: str) -> list[str]:
    """Return the parts between commas that are not inside parentheses."""
    parts, depth = [""], 0
    for sign in values:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _document(result: Any) -> dict[str, Any]:
    setting = {name: o.plain_or(repr, value) for name, value in result.setting.items()}
    names = ("training_loss", "development_loss", "leaves", "depth")
    return {"setting": setting} | {name: getattr(result, name) for name in names}
