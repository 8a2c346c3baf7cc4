"""A trace as one HTML file that plays it: the step, its table, and beside it the tree as it grows."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from arboretum._options.rules import Whole, refuse
from arboretum._show.page.frame import framed, safe_text
from arboretum._show.trace.step import Step
from arboretum._show.trace.texts import Grid, candidates_grid, heading, sentences
from arboretum._store.writing import write_text
from arboretum._tree.node import Node
from arboretum._wording import many, visible

if TYPE_CHECKING:
    from arboretum._show.trace.trace import Trace

_TITLE: Final = "How the tree grows"


def to_html(trace: Trace, path: str | os.PathLike[str] | None, *, top: int, title: str | None) -> str:
    """Return the player, and write it to a file if a path is given."""
    Whole(0).read(top, "top")
    if title is not None and not isinstance(title, str):
        raise refuse(title, "title", "", "a text or None")
    name = safe_text(title or _TITLE)
    steps = "\n".join(_section(step, top, trace.digits) for step in trace.steps)
    body = (
        f"<header><h1>{name}</h1></header>\n{_controls(len(trace.steps))}\n"
        f'<main id="arboretum"><div id="steps" aria-live="polite">{steps}</div>\n'
        f'<nav id="tree" aria-label="The tree so far"><ul>{_item(trace.grown.root)}</ul></nav></main>'
    )
    told = {
        "steps": [
            {"kind": s.kind, "node": s.node, "nodes": list(s.nodes), "title": heading(s)} for s in trace.steps
        ]
    }
    page = framed(title or _TITLE, body, told, view_file("player.js"), view_file("player.css"))
    if path is not None:
        write_text(path, page)
    return page


def view_file(name: str) -> str:
    """Return the text of one file of view/."""
    return files("arboretum._show.trace").joinpath("view", name).read_text(encoding="utf-8")


def _controls(n_steps: int) -> str:
    return (
        '<div id="controls" hidden>'
        '<button id="back" type="button">Back</button>'
        '<button id="next" type="button">Next</button>'
        '<button id="play" type="button" aria-pressed="false">Play</button>'
        f'<input id="jump" type="range" min="1" max="{n_steps}" value="1" step="1" aria-label="Step">'
        '<output id="count" for="jump"></output></div>'
    )


def _section(step: Step, top: int, digits: int) -> str:
    said = "".join(f"<p>{safe_text(sentence)}</p>" for sentence in sentences(step, digits))
    grid = candidates_grid(step, top, digits)
    table = "" if grid is None else _table(grid)
    return f'<section data-step="{step.number}"><h2>{safe_text(heading(step))}</h2>{said}{table}</section>'


def _table(grid: Grid) -> str:
    """Return the table; why a question was not chosen stands below it, to be seen at any width."""
    names = "".join(f'<th scope="col">{safe_text(name)}</th>' for name in grid.names[:-1])
    lines = "".join(map(_line, grid.lines))
    more = f"<p>… and {grid.more} more</p>" if grid.more else ""
    table = f"<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Candidates">{table}</div>{more}'


def _line(cells: list[str]) -> str:
    question, *numbers, why = map(safe_text, cells)
    chosen = ' class="is-chosen"' if cells[-1] == "chosen" else ""
    first = f'<td><span class="asked">{question}</span> <span class="why">{why}</span></td>'
    return f"<tr{chosen}>{first}{''.join(f'<td>{cell}</td>' for cell in numbers)}</tr>"


def _item(root: Node) -> str:
    """Return the tree below a node as list items; by a stack, as trees may be deeper than Python goes."""
    parts: list[str] = []
    waiting: list[Node | str] = [root]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            parts.append(here)
            continue
        parts.append(_card(here))
        waiting.append("</li>" if here.is_leaf else "</ul></li>")
        if not here.is_leaf:
            parts.append("<ul>")
            waiting += reversed(here.children)
    return "".join(parts)


def _card(node: Node) -> str:
    answer = f'<span class="answer">{safe_text(visible(node.outcome))}</span>' if node.outcome else ""
    asked = f'<span class="question">{safe_text(visible(str(node.question)))}</span>' if node.question else ""
    label = f"{node.label:.6g}" if node.counts is None else str(node.label)
    hides = "" if node.is_leaf else " hides"
    leaf = f'<span class="label{hides}">→ {safe_text(visible(label))} ({many(node.n_rows, "row")})</span>'
    return f'<li data-node="{node.id}"><button type="button" class="node">{answer}{asked}{leaf}</button>'
