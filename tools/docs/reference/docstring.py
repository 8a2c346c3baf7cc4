"""Turn a docstring into Markdown.
Words: a section has a heading underlined with dashes; its entries are `name : what it is`, and indented text.
Does not check what a docstring says.
"""

from __future__ import annotations

import html
import re

_UNDERLINED = re.compile(r"^([A-Z]\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\**[A-Za-z_]\w*(?:, \**\w+)*) :(?: (.*))?$")
_SESSION = re.compile(r"^ *>>> ")
_CODE = re.compile(r"(`[^`]*`)")
LISTS = ("Parameters", "Attributes", "Other")


def to_markdown(docstring: str) -> str:
    """The text of a docstring, with its sections as bold headings."""
    opening, *sections = _UNDERLINED.split(docstring)
    parts = [prose(opening)]
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        parts += [f"**{heading}**", _entries(text) if heading in LISTS else prose(text)]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def prose(text: str) -> str:
    """Paragraphs, with sessions fenced."""
    lines: list[str] = []
    in_session = False
    for line in text.splitlines():
        if not in_session and _SESSION.match(line):
            lines += ["", "```pycon"]
            in_session = True
        elif in_session and not line.strip():
            lines.append("```")
            in_session = False
        lines.append(line if in_session else _escape(line))
    return "\n".join([*lines, "```"] if in_session else lines)


def first_sentence(docstring: str) -> str:
    """What a list of names says of one."""
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    return _escape(re.split(r"(?<=[.;])\s|[:;]$", paragraph)[0].rstrip(";:")).replace("|", "\\|")


def _entries(text: str) -> str:
    """The entries of a section as a list of definitions; prose among them stays."""
    entries: list[tuple[str, list[str]]] = []
    rest: list[str] = []
    for line in text.splitlines():
        entry = _ENTRY.match(line)
        if entry:
            entries.append((entry[1], [entry[2] or ""]))
        elif line.startswith("    ") and entries:
            entries[-1][1].append(line.strip())
        else:
            rest.append(line)
    return "\n\n".join([*(_definition(names, lines) for names, lines in entries), prose("\n".join(rest))])


def _definition(names: str, lines: list[str]) -> str:
    """One entry. What is allowed has a line of its own, if a sentence of its own follows."""
    term = ", ".join(f"`{name.strip()}`" for name in names.split(","))
    first, *others = map(_escape, lines)
    ends = bool(others) and (others[0][0].isupper() or others[0][0] in '"`')
    head = f'<span class="allowed">{first}</span><br>' if ends else first
    return f"{term}\n:   " + "\n    ".join([head, *others])


def _escape(line: str) -> str:
    """A line whose signs mean themselves outside code."""
    pieces = _CODE.split(line)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"([*$\\])", r"\\\1", html.escape(pieces[i], quote=False))
    return "".join(pieces)
