"""`arboretum show`: a model as text, picture or page, or its summary."""

from __future__ import annotations

import io
from typing import Annotated, Any, Final

from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, look_of, write_content
from arboretum.cli.printing import Printer, wrote
from arboretum.errors import PackageError, ParameterError

_FORMATS: Final = ("text", "svg", "html", "png")
_SUMMARY_FORMATS: Final = ("text", "html")


@o.grouped
def show(
    model: o.Model,
    format: Annotated[
        str | None, o.option("text, svg, html or png; else what -o ends in.", one_of=_FORMATS)
    ] = None,
    summary: Annotated[
        bool, o.option("Data, settings, size and advice instead of the tree.", "--summary")
    ] = False,
    output: o.Output = None,
    force: o.Force = False,
    max_depth: Annotated[int | None, o.option("Most questions to show on a path.")] = None,
    max_nodes: Annotated[int | None, o.option("Most nodes to show, the heaviest.")] = None,
    counts: Annotated[bool, o.option("Classes by rows instead of shares.", "--counts")] = False,
    title: Annotated[str | None, o.option("The title above the picture.")] = None,
    dark: Annotated[bool, o.option("A dark picture.", "--dark")] = False,
    *,
    printer: Printer,
) -> None:
    """Show a model as text, picture or page.

    svg and png are pictures, html is an interactive page. --json prints all nodes; with -o the picture, text
    or page is written as well. --summary shows what was learnt from which data, how well, and what to try
    next, as text or html.
    """
    from arboretum.cli.models import load_model

    if format is not None:
        o.check_choice("--format", format, _FORMATS)
    chosen = look_of(format, output, _FORMATS, "a model")
    if summary and chosen not in _SUMMARY_FORMATS:
        raise ParameterError(f"--summary is text or html, and does not go with {chosen}.")
    check_output(output, chosen, inputs=[model], force=force)
    fitted, tree = load_model(model, outputs=not summary)
    if summary:
        _show_summary(fitted, chosen, title, "dark" if dark else "auto", output, printer)
        return
    is_file = output is not None and output != STANDARD
    if is_file or not printer.json:
        looks: dict[str, Any] = {"max_depth": max_depth, "amounts": "counts" if counts else "shares"}
        if max_nodes is not None:
            looks["max_nodes"] = max_nodes
        with o.naming_options(o.flags_of(("max_depth", "max_nodes", "title"))):
            content = _content(
                chosen, fitted, tree, looks, {"title": title, "theme": "dark" if dark else "light"}
            )
        write_content(content, output, chosen)
    if printer.json:
        printer.result("", _document(fitted, tree) | ({"output": output} if is_file else {}))
    elif is_file:
        printer.note(wrote(str(output)))


def _show_summary(
    fitted: Any, format: str, title: str | None, theme: str, output: str | None, printer: Printer
) -> None:
    from arboretum.inspection.summary.summary import summary_of

    found = summary_of(fitted)
    is_file = output is not None and output != STANDARD
    if is_file or not printer.json:
        content = found.to_html(title=title, theme=theme) if format == "html" else f"{found}\n"
        write_content(content, output, format)
    if printer.json:
        printer.result("", found.to_dict() | ({"output": output} if is_file else {}))
    elif is_file:
        printer.note(wrote(str(output)))


def _content(
    format: str, fitted: Any, tree: Any, looks: dict[str, Any], frame: dict[str, Any]
) -> str | bytes:
    """Return the model in a format; `looks` are for text and pictures, `frame` for pictures alone."""
    from arboretum._tree.multi_tree import several_of
    from arboretum.export import to_html, to_svg

    match format:
        case "text":
            if several_of(tree) is not None and looks.pop("amounts") == "counts":
                raise ParameterError(f"{o.flag_of('counts')} is for one output, but this tree has several.")
            return f"{tree.to_text(**looks)}\n"
        case "svg":
            return to_svg(fitted, **looks, **frame)
        case "png":
            return _png(fitted, looks | frame)
    for name in ("max_depth", "max_nodes"):
        if looks.get(name) is not None:
            flag = o.flag_of(name)
            raise ParameterError(f"{flag} does not go with html: the page can fold nodes itself.")
    return to_html(fitted, title=frame["title"])


def _png(fitted: Any, looks: dict[str, Any]) -> bytes:
    try:
        import matplotlib
    except ImportError as error:
        raise PackageError(
            "--format png needs matplotlib, which is not installed. Hint: pip install 'arboretum[plot]'."
        ) from error
    matplotlib.use("agg")  # no window is opened, and none is needed
    from matplotlib import pyplot

    from arboretum import plot

    figure: Any = plot.tree(fitted, **looks).figure
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150, metadata={"Software": "arboretum"})
    pyplot.close(figure)
    return picture.getvalue()


def _document(fitted: Any, tree: Any) -> dict[str, Any]:
    from arboretum._tree.multi_tree import several_of

    if several_of(tree) is not None:
        models = getattr(fitted, "outputs_", tree.outputs)
        each = zip(tree.names, models, tree.outputs, strict=True)
        return {
            "model": type(fitted).__name__,
            "outputs": {name: _document(model, own) for name, model, own in each},
        }
    parameters = fitted.get_params(deep=False) if hasattr(fitted, "get_params") else None
    names = ("weight", "impurity", "gain", "label", "probability", "value")
    return {
        "model": type(fitted).__name__,
        "parameters": parameters and {name: repr(value) for name, value in parameters.items()},
        "columns": [column.to_dict() for column in tree.columns],
        "classes": None if tree.target.classes is None else list(tree.target.classes),
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": [
            {
                "number": node.number,
                "depth": node.depth,
                "parent": None if node.parent is None else node.parent.number,
                "outcome": None if node.outcome is None else str(node.outcome),
                "question": None if node.question is None else str(node.question),
                "rows": node.n_rows,
                **{name: getattr(node, name) for name in names},
            }
            for node in tree.walk()
        ],
    }
