"""Write the pages of the reference as Markdown: an index of all names, and a page for each group.
Words: a name's anchor is the name itself, so that `docs/reference/tree.html#Tree.to_json` can be linked to.
Does not turn Markdown into HTML: MkDocs does.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from tools.docs.reference.docstring import first_sentence, to_markdown
from tools.docs.reference.groups import GROUPS, Group
from tools.docs.reference.names import inherited_members, is_result, members_of, value_of
from tools.docs.reference.shared import OF_REFERENCE, SAME_AS, SHARED

FOLDER = "docs/reference"
_WIDTH = 96  # of a signature, in letters: what a page shows without scrolling


def write_pages() -> dict[str, str]:
    """The text of each page, by its path."""
    pages = {f"{FOLDER}/{group.page}.md": _group_page(group) for group in GROUPS}
    return {f"{FOLDER}/README.md": _index(), **pages}


def list_anchors() -> dict[str, str]:
    """Where each name and member is described: a page with an anchor."""
    anchors = {}
    for group in GROUPS:
        for name in group.names:
            for full in (name, *(f"{name}.{member}" for member in members_of(value_of(name)))):
                anchors[full] = f"{FOLDER}/{group.page}.html#{full}"
    return anchors


def parameters_of(name: str) -> list[str]:
    """What a call takes, but for `self` and collected options."""
    try:
        listed = inspect.signature(value_of(name)).parameters.values()
    except (TypeError, ValueError):
        return []
    collected = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in listed if p.name not in {"self", "cls"} and p.kind not in collected]


def names_in(docstring: str) -> set[str]:
    """The words of a docstring that could be parameters."""
    return set(re.findall(r"[A-Za-z_]\w*", docstring))


def _index() -> str:
    lines = [
        "# Reference",
        "",
        "Every public name. What many calls take and their texts do not repeat is",
        "[at the end of this page](#what-many-calls-take).",
    ]
    alone = [group for group in GROUPS if len(group.names) == 1]
    lines += _index_table("Single trees", [(group, group.names[0]) for group in alone])
    for group in GROUPS:
        if group not in alone:
            heading = f"[{group.title}]({group.page}.md)"
            lines += _index_table(heading, [(group, name) for name in group.names])
    lines += ["", "## What many calls take", ""]
    lines += [f"`{name}`\n:   {meaning}\n" for name, meaning in SHARED.items()]
    return "\n".join(lines)


def _index_table(heading: str, names: list[tuple[Group, str]]) -> list[str]:
    rows = [
        f"| [`{name}`]({group.page}.md#{name}) | {first_sentence(_text_of(name))} |" for group, name in names
    ]
    return ["", f"## {heading}", "", "| name | |", "|---|---|", *rows]


def _group_page(group: Group) -> str:
    parts = [f"# {group.title}", group.opening] if len(group.names) > 1 else []
    if group.page == "reference":
        parts += [_definitions(OF_REFERENCE)]
    for name in group.names:
        parts.append(_description(name, "##" if parts else "#"))
        parts += [_description(f"{name}.{member}", "###") for member in members_of(value_of(name))]
        inherited = inherited_members(value_of(name)) if inspect.isclass(value_of(name)) else []
        if inherited:
            parts.append(f"From scikit-learn: {', '.join(f'`{member}`' for member in inherited)}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _description(name: str, heading: str) -> str:
    value = value_of(name)
    short = name.rpartition(".")[2] if heading == "###" else name
    parts = [f"{heading} {short} {{ #{name} }}", _signature(name, value), to_markdown(_text_of(name))]
    if name in SAME_AS:
        parts.append(f"Its other parameters are those of `{SAME_AS[name]}`.")
    else:
        known = names_in(_text_of(name) + (_text_of(name.rpartition(".")[0]) if heading == "###" else ""))
        rest = [p for p in parameters_of(name) if p not in known and p in SHARED and not is_result(value)]
        parts += ["**As everywhere**"] * bool(rest) + [f"`{p}`\n:   {SHARED[p]}" for p in rest]
    return "\n\n".join(part for part in parts if part)


def _definitions(meanings: dict[str, str]) -> str:
    return "**What the functions here take, and what trees hold**\n\n" + "\n\n".join(
        f"`{name}`\n:   {meaning}" for name, meaning in meanings.items()
    )


def _text_of(name: str) -> str:
    value = value_of(name)
    if isinstance(value, list | dict | str):
        return f"A table of the lecture notes, {len(value)} entries: use it with the functions here."
    return inspect.getdoc(value) or ""


def _signature(name: str, value: Any) -> str:
    """The call with its defaults; nothing for what is not called."""
    if is_result(value) or not callable(value):
        return ""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    plain = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    short = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    text = f"{name}{short}"
    if len(text) > _WIDTH:
        inner = str(short)[1:-1]
        text = f"{name}(\n    " + ",\n    ".join(_split(inner)) + ",\n)"
    return f"```python\n{text}\n```"


def _split(parameters: str) -> list[str]:
    """The parameters of a signature, divided at commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(parameters):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(parameters[start:i].strip())
            start = i + 1
    return [*parts, parameters[start:].strip()]
