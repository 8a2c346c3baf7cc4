"""`arboretum show`: a model as text, picture or page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import load_model, tree_of_model
from arboretum.cli.option_names import flags_of, naming_options
from arboretum.cli.outputs import check_output, write_content
from arboretum.cli.speaking import Voice, wrote
from arboretum.errors import ParameterError, choices

__all__ = ["show"]

_FORMATS: Final = ("text", "svg", "html", "png")


def show(
    model: o.Model,
    format: Annotated[
        str | None,
        typer.Option(
            help="text, svg, html or png; else what -o ends in.", autocompletion=lambda: list(_FORMATS)
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file; else standard output.")
    ] = None,
    force: o.Force = False,
    max_depth: Annotated[int | None, typer.Option(help="Most questions on a way that are shown.")] = None,
    max_nodes: Annotated[int | None, typer.Option(help="Most nodes that are shown, the heaviest.")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Classes by rows instead of shares.")] = False,
    title: Annotated[str | None, typer.Option(help="What stands above the picture.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="A dark picture.")] = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Show a model as text, picture or page.

    svg and png are pictures, html is a page to look around in.
    """
    voice = Voice(json=json, quiet=quiet)
    chosen = _format_of(format, output)
    check_output(output, chosen, inputs=[model], force=force)
    fitted = load_model(model)
    if json:
        voice.result("", _document(fitted))
        return
    looks: dict[str, Any] = {"max_depth": max_depth, "amounts": "counts" if counts else "shares"}
    if max_nodes is not None:
        looks["max_nodes"] = max_nodes
    how = {**looks, "title": title, "theme": "dark" if dark else "light"}
    if chosen == "html":
        _refuse(max_depth=max_depth, max_nodes=max_nodes)
    with naming_options(flags_of(("max_depth", "max_nodes", "title"))):
        content = _text(fitted, looks) if chosen == "text" else _DRAWERS[chosen](fitted, how)
    write_content(content, output, chosen)
    if output is not None:
        voice.note(wrote(output))


def _format_of(said: str | None, output: str | None) -> str:
    if said is not None and said not in _FORMATS:
        raise ParameterError(choices("--format", said, _FORMATS))
    if said is not None or output is None:
        return said or "text"
    suffix = output.lower().rpartition(".")[2]
    found = {"txt": "text", "htm": "html"}.get(suffix, suffix)
    if found not in _FORMATS:
        raise ParameterError(
            f"The name {output!r} does not tell how to show the model.\nHint: --format {', '.join(_FORMATS)}."
        )
    return found


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"--{name.replace('_', '-')} does not go with html: the page can fold nodes itself."
            )


def _text(fitted: Any, looks: dict[str, Any]) -> str:
    return f"{tree_of_model(fitted).to_text(**looks)}\n"


def _html(fitted: Any, how: dict[str, Any]) -> str:
    from arboretum.export import to_html

    return to_html(fitted, title=how["title"])


def _svg(fitted: Any, how: dict[str, Any]) -> str:
    from arboretum.export import to_svg

    return to_svg(fitted, **how)


def _png(fitted: Any, how: dict[str, Any]) -> bytes:
    import io

    from arboretum.cli.packages import require

    require("matplotlib", "--format png", "plot")
    import matplotlib

    matplotlib.use("agg")  # no window is opened, and none is needed
    from matplotlib import pyplot

    from arboretum.plot.tree import tree as plot_tree

    figure: Any = plot_tree(fitted, **how).figure
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150, metadata={"Software": "arboretum"})
    pyplot.close(figure)
    return picture.getvalue()


_DRAWERS: Final[dict[str, Callable[[Any, dict[str, Any]], str | bytes]]] = {
    "html": _html,
    "svg": _svg,
    "png": _png,
}


def _document(fitted: Any) -> dict[str, Any]:
    tree = tree_of_model(fitted)
    return {
        "model": type(fitted).__name__,
        "parameters": {name: repr(value) for name, value in fitted.get_params(deep=False).items()}
        if hasattr(fitted, "get_params")
        else None,
        "columns": [column.to_dict() for column in tree.columns],
        "classes": None if tree.target.classes is None else list(tree.target.classes),
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": [_node(node) for node in tree.walk()],
    }


def _node(node: Any) -> dict[str, Any]:
    return {
        "number": node.number,
        "depth": node.depth,
        "parent": None if node.parent is None else node.parent.number,
        "outcome": None if node.outcome is None else str(node.outcome),
        "question": None if node.question is None else str(node.question),
        "rows": node.n_rows,
        "weight": node.weight,
        "impurity": node.impurity,
        "gain": node.gain,
        "label": node.label,
        "probability": node.probability,
        "value": node.value,
    }
