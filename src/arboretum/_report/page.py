"""The file around the sections: one page with its own style, no script of its own, and nothing from outside.

The interactive tree is a page in a frame. A frame inherits the policy of the page around it, so that policy
names the hashes of the tree's script and style; no other code can run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from arboretum._show.page.frame import html_file, policy
from arboretum._show.page.plain import as_html
from arboretum._show.page.script import joined_script
from arboretum._show.page.script import style as tree_style
from arboretum._show.picture.palette import DARK, LIGHT, Palette


@dataclass(frozen=True)
class Section:
    """A part of the report: HTML, or the reason why there is none."""

    id: str
    title: str
    body: str
    reason: str | None = None


def report_page(title: str, subtitle: str, sections: Sequence[Section], theme: str) -> str:
    """Return the whole file."""
    css = _style(theme)
    links = "".join([f'<li><a href="#{each.id}">{as_html(each.title)}</a></li>' for each in sections])
    inside = [
        f"<header><h1>{as_html(title)}</h1><p>{as_html(subtitle)}</p></header>",
        f'<nav aria-label="Sections"><ol>{links}</ol></nav>',
        f"<main>{''.join(map(_section, sections))}</main>",
    ]
    return html_file(title, "\n".join(inside), css, policy([joined_script()], [css, tree_style()]), theme)


def _section(section: Section) -> str:
    body = section.body
    if section.reason is not None:
        body = f'<p class="not-shown">Not shown. {as_html(section.reason)}</p>'
    return f'<section id="{section.id}"><h2>{as_html(section.title)}</h2>{body}</section>'


def _style(theme: str) -> str:
    sheet = files("arboretum._report").joinpath("report.css").read_text(encoding="utf-8")
    light, dark = _colours(LIGHT), _colours(DARK)
    if theme != "auto":
        chosen = f":root {{ {light if theme == 'light' else dark} }}"
    else:
        chosen = f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    # Paper is white.
    return f"{chosen}\n@media print {{ :root {{ {light} color-scheme: light; }} }}\n{sheet}"


def _colours(palette: Palette) -> str:
    names = ("page", "card", "ink", "faint", "line", "accent", "other", "high")
    single = [f"--{name}: {getattr(palette, name)};" for name in names]
    return " ".join([*single, *[f"--c{k}: {colour};" for k, colour in enumerate(palette.classes)]])
