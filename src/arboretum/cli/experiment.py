"""`arboretum experiment`: training, development and test data, in this order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.learning import PRESETS, TASKS, Wishes, check_for, choose_task, make_estimator, read_wishes
from arboretum.cli.loading import Reading, read_lesson
from arboretum.cli.option_names import ESTIMATOR_FLAGS, flags_of, naming_options
from arboretum.cli.outputs import check_output
from arboretum.cli.speaking import Voice, wrote
from arboretum.cli.values import parse_matrix, parse_value
from arboretum.errors import ParameterError, ParameterNameError, choices

__all__ = ["experiment"]

_LOSSES = ("zero_one", "log", "squared", "absolute")
_REFITS = ("train", "train+dev")
_FLAGS = flags_of(("split", "loss", "random_state", "sample_weight", "groups", "time")) | {"n": "--random"}
_GRID_FLAGS = {name: f"--grid {name}" for name in ESTIMATOR_FLAGS} | {"random_state": "--seed"}


def experiment(
    data: o.Data,
    target: o.Target,
    grid: Annotated[
        list[str] | None,
        typer.Option("--grid", "-g", help="Values to try: max_depth=1,2,3. Repeated, every combination."),
    ] = None,
    random: Annotated[int | None, typer.Option(help="So many random combinations instead of all.")] = None,
    split: Annotated[
        str, typer.Option(help="Shares of training, development and test rows.")
    ] = "0.7,0.1,0.2",
    test: Annotated[bool, typer.Option("--test", help="Open the test rows for the best setting.")] = False,
    refit: Annotated[
        str, typer.Option(help="train, or train+dev: what the tested tree learns from.")
    ] = "train",
    loss: Annotated[
        str | None, typer.Option(help="zero_one, log, squared, absolute, or a matrix '0,10;1,0'.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A model file for the best tree.")
    ] = None,
    force: o.Force = False,
    task: Annotated[
        str, typer.Option(help="auto, classification or regression.", autocompletion=lambda: list(TASKS))
    ] = "auto",
    preset: Annotated[
        str | None, typer.Option(help=f"{', '.join(PRESETS)}.", autocompletion=lambda: list(PRESETS))
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="The column that says how much each row counts.")
    ] = None,
    groups: Annotated[str | None, typer.Option(help="The column whose groups are never torn apart.")] = None,
    time: Annotated[
        str | None, typer.Option(help="The column by which the parts follow one another.")
    ] = None,
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
    """Try settings and choose among them honestly.

    Trees are fitted to training rows and compared on development rows; --test measures the best one, once,
    on rows that nobody has seen.
    """
    from arboretum import Experiment
    from arboretum.experiment.settings import check_count
    from arboretum.experiment.splits import resolve_seed, resolve_shares

    voice = Voice(json=json, quiet=quiet)
    check_output(output, "model", inputs=[data], force=force)
    settings = _grid(grid)
    with naming_options(_FLAGS):
        shares = resolve_shares(_shares(split))
        resolve_seed(seed)
        if random is not None:
            check_count("n", random)
    if refit not in _REFITS:
        raise ParameterError(choices("--refit", refit, _REFITS))
    judged_by = _loss(loss)
    wishes = read_wishes(task, preset, {}, seed)
    _check_grid(task, wishes, settings)
    reading = Reading(
        format, separator, encoding, decimal, no_header, missing_values, nominal, numeric, ordered, drop
    )
    lesson = read_lesson(data, target, reading, voice, weights=weights, groups=groups, time=time)
    chosen = choose_task(task, lesson, target, voice)
    estimator = make_estimator(chosen, wishes, lesson)
    with naming_options(_FLAGS):
        measured = Experiment(
            lesson.X,
            lesson.y,
            split=shares,
            groups=lesson.groups,
            time=lesson.times,
            sample_weight=lesson.weights,
            loss=judged_by or ("zero_one" if chosen == "classification" else "squared"),
            random_state=seed,
        )
    voice.note(str(measured.split))
    with naming_options(_GRID_FLAGS):
        if random is not None:
            measured.random(estimator, settings, random, random_state=seed)
        else:
            measured.grid(estimator, settings)
    document: dict[str, Any] = {"results": [_result(result) for result in measured.results]}
    document["best"] = _result(measured.best.result)
    document["table"] = lesson.table
    text = f"{measured.results}\n\nbest: {measured.best}"
    best = measured.best.estimator
    if test:
        score = measured.test(refit=refit)
        best = score.estimator
        document["test"] = {
            "loss": score.loss,
            "interval": score.interval,
            "level": score.level,
            "rows": score.n_rows,
        }
        text += f"\n\n{score}"
    if output is not None:
        from arboretum.model_files import save

        save(best, output)
        document["model"] = output
        text += f"\n\n{wrote(output)}"
    voice.result(text, document)


def _grid(written: list[str] | None) -> dict[str, list[Any]]:
    """Return {parameter: values}; commas inside of parentheses belong to a strategy."""
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


def _check_grid(task: str, wishes: Wishes, settings: Mapping[str, list[Any]]) -> None:
    """Refuse values that cannot be tried, before the table is read: each by itself."""
    with naming_options(_GRID_FLAGS):
        for name, values in settings.items():
            for value in values:
                check_for(task, partial(_tried, wishes, {name: value}))


def _tried(wishes: Wishes, setting: dict[str, Any], task: str) -> Any:
    from arboretum.experiment.settings import make

    try:
        return make(wishes.estimator(task), setting)
    except ParameterNameError as error:
        raise ParameterError(f"--grid {', '.join(setting)}: {error}") from error


def _parts(values: str) -> list[str]:
    parts, depth = [""], 0
    for sign in values:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _shares(written: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in written.split(","))
    except ValueError:
        raise ParameterError(f"--split {written!r} cannot be read.\nHint: write 0.7,0.1,0.2.") from None


def _loss(written: str | None) -> Any:
    return written if written is None or written in _LOSSES else parse_matrix(written, "loss")


def _result(result: Any) -> dict[str, Any]:
    return {
        "setting": {
            name: value if isinstance(value, str | bool | int | float | None) else repr(value)
            for name, value in result.setting.items()
        },
        "training_loss": result.training_loss,
        "development_loss": result.development_loss,
        "leaves": result.leaves,
        "depth": result.depth,
    }
