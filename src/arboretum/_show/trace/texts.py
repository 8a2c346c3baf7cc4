"""A trace as text, Markdown and LaTeX: the same headings, sentences and tables in three writings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from arboretum._options.rules import Whole
from arboretum._show.document import blocks, latex, markdown
from arboretum._show.document.blocks import Block, Heading, Paragraph
from arboretum._show.trace.step import Step
from arboretum._wording import many, visible

if TYPE_CHECKING:
    from arboretum._show.trace.trace import Trace

_SHOWN: Final = ("cost", "worth", "gain", "corrected_gain", "gain_ratio", "impurity", "score", "p_value")
_TITLES: Final = {
    "corrected_gain": "less chance",
    "gain_ratio": "ratio",
    "p_value": "p",
    "lost_by": "why not",
}


@dataclass(frozen=True)
class Grid:
    """A table of text: names of columns, lines of cells, and how many lines are left out."""

    names: list[str]
    lines: list[list[str]]
    more: int


def candidates_grid(step: Step, top: int, digits: int) -> Grid | None:
    """Return the best candidates of a step as text; the chosen one is always among them."""
    frame = step.candidates
    if frame is None or not len(frame):
        return None
    shown = [name for name in _SHOWN if name in frame]
    places = list(range(min(top, len(frame))))
    chosen = [place for place, why in enumerate(frame["lost_by"]) if why == "chosen"]
    places += [place for place in chosen if place not in places]
    lines = []
    for place in places:
        line = frame.iloc[place]
        cells = [visible(str(line["question"])), *(number(line[name], digits, name) for name in shown)]
        inside = " | ".join(number(each, digits) for each in line["impurities"])
        lines.append([*cells, " | ".join(map(str, line["children"])), inside, str(line["lost_by"])])
    titles = [_TITLES.get(name, name) for name in shown]
    return Grid(["question", *titles, "rows", "impurities", "why not"], lines, len(frame) - len(places))


def number(value: Any, digits: int, name: str = "") -> str:
    """Return a number as it is shown: p-values in two figures, scores like numbers of rows, NaN as a hyphen.

    >>> number(0.24675, 3), number(float("nan"), 3), number(2.7e-33, 3, "p_value")
    ('0.247', '-', '2.7e-33')
    """
    if value != value:
        return "-"
    if name in ("p_value", "score"):
        return f"{value:.2g}" if name == "p_value" else counted(value, digits)
    return f"{float(value) + 0.0:.{digits}f}"


def counted(weight: float, digits: int) -> str:
    """Return a number of rows, of which some may be divided.

    >>> counted(14.0, 3), counted(7 / 6, 3), counted(1200000.0, 0)
    ('14', '1.167', '1200000')
    """
    text = f"{weight:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def sentences(step: Step, digits: int) -> list[str]:
    """Return what a step says beside its table."""
    said = []
    if step.kind != "choose" and len(step.nodes) <= 1:  # else it is not about one node
        said.append(f"{rows_and_classes(step, digits)}, impurity {number(step.impurity, digits)}.")
    if step.gain is not None:
        said.append(
            f"It asks {visible(str(step.choice))}, which gains {number(step.gain, digits)}. {step.why}"
        )
    else:
        said.append(step.why)
    if step.before is not None and step.after is not None:
        words = ("for this tree", "for the root alone") if step.kind == "choose" else ("before", "after")
        what = step.counted[:1].upper() + step.counted[1:]
        said.append(f"{what}: {step.before:.6g} {words[0]}, {step.after:.6g} {words[1]}.")
    if step.climb:
        steps = "; ".join(
            f"{visible(each.question)} gains {number(each.gain, digits)}" for each in step.climb
        )
        said.append(f"The climb: {steps}.")
    if step.surrogates:
        others = "; ".join(
            f"{visible(each.question)} (agreement {number(each.agreement, digits)}, "
            f"adjusted {number(each.adjusted_agreement, digits)})"
            for each in step.surrogates
        )
        said.append(f"Where the value is missing: {others}.")
    return said


def rows_and_classes(step: Step, digits: int) -> str:
    """Return how many rows a node has, and of which classes."""
    rows = many(step.n_rows, "row")
    if not step.counts:
        return f"{rows}, predicting {step.label}"
    counts = ", ".join(f"{visible(name)} {counted(weight, digits)}" for name, weight in step.counts)
    return f"{rows}: {counts}"


def heading(step: Step) -> str:
    return f"Step {step.number}. {visible(step.title)}"


def to_text(trace: Trace, top: int) -> str:
    """Return the steps as plain text."""
    Whole(0).read(top, "top")
    blocks = []
    for step in trace.steps:
        lines = [heading(step), *(f"  {sentence}" for sentence in sentences(step, trace.digits))]
        grid = candidates_grid(step, top, trace.digits)
        if grid is not None:
            lines += [f"  {line}" for line in _padded(grid)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _padded(grid: Grid) -> list[str]:
    table = [grid.names, *grid.lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(grid.names))]
    left = {0, len(grid.names) - 1}
    lines = [
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]
    return lines + ([f"… and {grid.more} more"] if grid.more else [])


def to_markdown(trace: Trace, top: int) -> str:
    """Return the steps as Markdown."""
    return markdown.write_blocks(_blocks(trace, top))


def to_latex(trace: Trace, top: int) -> str:
    """Return the steps as the body of a LaTeX document."""
    return latex.write_blocks(_blocks(trace, top))


def _blocks(trace: Trace, top: int) -> list[Block]:
    """Return the steps as headings, paragraphs and tables."""
    Whole(0).read(top, "top")
    found: list[Block] = []
    for step in trace.steps:
        found.append(Heading(heading(step)))
        found += map(Paragraph, sentences(step, trace.digits))
        grid = candidates_grid(step, top, trace.digits)
        if grid is not None:
            numbers = frozenset(range(1, len(grid.names) - 1))
            found.append(blocks.Grid(tuple(grid.names), tuple(map(tuple, grid.lines)), numbers))
            if grid.more:
                found.append(Paragraph(f"… and {grid.more} more"))
    return found
