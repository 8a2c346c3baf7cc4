"""`arboretum trace`: how a tree grows and is pruned, step by step."""

from __future__ import annotations

import json
from typing import Annotated, Final

from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, look_of, write_content
from arboretum.cli.printing import Printer, wrote
from arboretum.errors import import_pandas

_FORMATS: Final = ("text", "markdown", "latex", "html")


@o.grouped
def trace(
    data: o.Data,
    target: o.Target,
    to: Annotated[
        str | None, o.option("text, markdown, latex or html; else what -o ends in.", one_of=_FORMATS)
    ] = None,
    output: o.Output = None,
    force: o.Force = False,
    top: Annotated[int, o.option("Candidates to show at each step, best first.")] = 5,
    base: Annotated[float, o.option("Of the logarithms of entropy: 2, 2.718281828459045 or 10.")] = 2.0,
    times_n: Annotated[
        bool, o.option("Multiply gains and impurities by the weight of the rows they are of.")
    ] = False,
    digits: Annotated[int, o.option("Digits after the point.")] = 3,
    task: o.Task = "auto",
    preset: o.Preset = None,
    weights: o.Weights = None,
    groups: o.Groups = None,
    *,
    growth: o.EstimatorOptions,
    seed: o.Seed = None,
    kinds: o.ColumnKinds,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Show growth and pruning step by step.

    Every step has its candidates, the choice and why the others lost. html is a page that plays the steps;
    --json prints all of them with all candidates.
    """
    import_pandas("arboretum trace")
    import arboretum
    from arboretum.cli.cautions import Cautions
    from arboretum.cli.training import choose_task, estimator_flags, read_estimator, read_training_table

    if to is not None:
        o.check_choice("--to", to, _FORMATS)
    chosen = look_of(to, output, _FORMATS, "a trace")
    check_output(output, chosen, inputs=[data], force=force)
    choice = read_estimator(task, preset, growth, seed)
    table = read_training_table(data, target, kinds, text, printer, weights=weights, groups=groups)
    kind = choose_task(task, table, target, printer)
    cautions = Cautions(estimator_flags(), table.said_nominal)
    flags = o.flags_of(("base", "times_n", "digits", "top"))
    with o.naming_options({**estimator_flags(), **flags}), cautions.listening():
        told = arboretum.trace(
            choice.estimator_for(kind, table),
            table.X,
            table.y,
            table.weights,
            groups=table.groups,
            base=base,
            times_n=times_n,
            digits=digits,
        )
        content = {
            "text": lambda: f"{told.to_text(top=top)}\n",
            "markdown": lambda: told.to_markdown(top=top),
            "latex": lambda: told.to_latex(top=top),
            "html": lambda: told.to_html(top=top),
        }[chosen]()
    is_file = output is not None and output != STANDARD
    if is_file or not printer.json:
        write_content(content, output, chosen)
    cautions.report(printer, table.told)
    if printer.json:
        more = {"table": table.document, "warnings": cautions.document}
        printer.result("", json.loads(told.to_json()) | more | ({"output": output} if is_file else {}))
    elif is_file:
        printer.note(wrote(str(output)))
