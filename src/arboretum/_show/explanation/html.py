"""An explanation as HTML: for a notebook, or as a page of its own, without a script.

Its colours are those of pictures, light or dark as the reader's system is. What a sanitizer leaves of it in
an untrusted notebook, the text, is readable without them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from arboretum._options.rules import OneOf
from arboretum._show.explanation.text import (
    arrival_text,
    certainty_lines,
    leaf_text,
    moved_text,
    moving_columns,
    place_text,
    similar_title,
    target_text,
    value_of,
)
from arboretum._show.picture.palette import DARK, LIGHT, Palette, class_colours
from arboretum._show.picture.text_width import printable
from arboretum._show.words import number, percent
from arboretum._wording import visible

if TYPE_CHECKING:
    from arboretum._show.explanation.explanation import Explanation, Place, Step

_THEME: Final = OneOf(("auto", "light", "dark"))
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"  # no name in the data can become code
_STYLE: Final = """
.NAME { THEME; color: var(--ink); background: var(--page); font: 14px/1.45 system-ui, sans-serif;
  max-width: 46em; padding: 0.6em 0.9em; border-radius: 6px; overflow-wrap: anywhere; }
.NAME h2 { font-size: 1.25em; margin: 0.2em 0 0.5em; }
.NAME h3 { font-size: 1em; margin: 1.2em 0 0.3em; }
.NAME p { margin: 0.3em 0; }
.NAME ol, .NAME ul { margin: 0; padding-left: 1.6em; }
.NAME li { margin: 0.5em 0; }
.NAME .faint { color: var(--faint); font-size: 0.92em; }
.NAME .bar { display: flex; height: 0.7em; margin: 0.25em 0 0.1em; border-radius: 3px; overflow: hidden;
  background: var(--line); max-width: 30em; }
.NAME .bar span { display: block; height: 100%; }
.NAME .scale { position: relative; height: 0.7em; max-width: 30em; margin: 0.25em 0 0.1em;
  background: linear-gradient(var(--line), var(--line)) center / 100% 2px no-repeat; }
.NAME .scale i { position: absolute; top: 0; width: 0.7em; height: 0.7em; margin-left: -0.35em;
  border-radius: 50%; background: var(--high); }
.NAME table { border-collapse: collapse; background: none; }
.NAME td, .NAME th { padding: 0.1em 0.9em 0.1em 0; text-align: left; background: none; color: inherit;
  border: 0; }
.NAME .start { margin-left: 1.6em; }
.NAME td.number { text-align: right; font-variant-numeric: tabular-nums; }
.NAME .moves { width: 14em; position: relative; padding: 0; }
.NAME .moves b { position: absolute; top: 20%; height: 60%; }
"""


def explanation_to_html(explanation: Explanation, theme: str = "auto") -> str:
    """Return an explanation for a notebook: one element with its own style."""
    body = "".join(_parts(explanation))
    name = f"arboretum-reasons-{hashlib.blake2b(body.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
    return f'<div class="{name}"><style>{_style(explanation, name, theme)}</style>{body}</div>'


def explanation_page(explanation: Explanation, title: str | None, theme: str) -> str:
    """Return an explanation as one HTML file."""
    chosen: str = _THEME.read(theme, "theme")
    named = _text(title or f"Why {explanation.conclusion}")
    scheme = "light dark" if chosen == "auto" else chosen
    page = DARK.page if chosen == "dark" else LIGHT.page
    dark = f"@media (prefers-color-scheme: dark) {{ body {{ background: {DARK.page}; }} }}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="{scheme}">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{named}</title><style>body {{ margin: 1em; background: {page}; }}"
        f"{dark if chosen == 'auto' else ''}</style></head>"
        f"<body>{explanation_to_html(explanation, chosen)}</body></html>\n"
    )


# --- colours


def _style(explanation: Explanation, name: str, theme: str) -> str:
    first = DARK if theme == "dark" else LIGHT
    style = _STYLE.replace("THEME;", f"{_colours(explanation, first)};")
    if theme == "auto":
        dark = _colours(explanation, DARK)
        style += f"@media (prefers-color-scheme: dark) {{ .NAME {{ {dark}; }} }}\n"
        style += f'body[data-jp-theme-light="false"] .NAME {{ {dark}; }}\n'
        style += f'body[data-jp-theme-light="true"] .NAME {{ {_colours(explanation, LIGHT)}; }}\n'
    return style.replace("NAME", name)


def _colours(explanation: Explanation, palette: Palette) -> str:
    named = {name: getattr(palette, name) for name in ("page", "ink", "faint", "line", "high", "accent")}
    if explanation.classes is not None:
        colours = class_colours(explanation.tree, palette)
        named |= {f"class-{place}": colour for place, colour in enumerate(colours)}
    return "; ".join(f"--{name}: {colour}" for name, colour in named.items())


# --- parts


def _parts(explanation: Explanation) -> Iterable[str]:
    yield f"<h2>{_text(explanation.conclusion)}</h2>"
    start = _text(place_text(explanation, explanation.start))
    chart = _chart(explanation, explanation.start)
    yield f'<div class="start"><p class="faint">the start: {start}</p>{chart}</div>'
    yield f"<ol>{''.join(_steps(explanation))}</ol>" if explanation.steps else "<p>nothing is asked</p>"
    yield "<h3>How sure</h3>"
    yield from (f"<p>{_text(line.removeprefix('how sure: '))}</p>" for line in certainty_lines(explanation))
    yield from _contributions(explanation)
    yield from _similar(explanation)
    if explanation.desired is not None:
        answers = (f"<li>{_text(str(answer))}</li>" for answer in explanation.counterfactuals)
        yield f"<h3>What would give {_text(explanation.desired)}</h3><ul>{''.join(answers)}</ul>"


def _steps(explanation: Explanation) -> Iterable[str]:
    for step in explanation.steps:
        places = (_arrival(explanation, step, place) for place in step.to)
        yield f"<li>{_text(step.reason)}{''.join(places)}</li>"


def _arrival(explanation: Explanation, step: Step, place: Place) -> str:
    told = _text(arrival_text(explanation, step, place))
    return f'<p class="faint">{told}</p>{_chart(explanation, place)}'


def _chart(explanation: Explanation, place: Place) -> str:
    """Return a bar of the classes, or the place of the number between the least and the greatest."""
    if place.shares is not None:
        return _bar(explanation.classes or (), place.shares)
    values = explanation.tree.array("value")
    low, high = float(values.min()), float(values.max())
    share = 0.5 if place.value is None or not low < high else (place.value - low) / (high - low)
    return f'<div class="scale"><i style="left: {100 * min(1.0, max(0.0, share)):.1f}%"></i></div>'


def _bar(names: Sequence[str], shares: Sequence[float]) -> str:
    parts = (
        f'<span style="width: {100 * share:.2f}%; background: var(--class-{place})" '
        f'title="{_text(f"{names[place]} {percent(share)}")}"></span>'
        for place, share in enumerate(shares)
        if share > 0
    )
    return f'<div class="bar">{"".join(parts)}</div>'


def _contributions(explanation: Explanation) -> Iterable[str]:
    moving, n_more = moving_columns(explanation)
    if not moving:
        return
    largest = max(abs(each.amount) for each in moving)
    what = _text(moved_text(explanation))
    yield f"<h3>What moves the {what}, from {number(explanation.base)} on average</h3>"
    rows = []
    for each in moving:
        width = 50 * abs(each.amount) / largest
        left = 50.0 if each.amount > 0 else 50.0 - width
        colour = "high" if each.amount > 0 else "accent"
        bar = f'<b style="left: {left:.1f}%; width: {width:.1f}%; background: var(--{colour})"></b>'
        rows.append(
            f'<tr><td class="number">{each.amount:+.4g}</td><td class="moves">{bar}</td>'
            f"<td>{_text(value_of(each))}</td></tr>"
        )
    yield f"<table>{''.join(rows)}</table>{f'<p>… and {n_more} more</p>' if n_more else ''}"


def _similar(explanation: Explanation) -> Iterable[str]:
    if explanation.similar is None:
        return
    if not explanation.similar:
        yield f"<h3>Similar rows</h3><p>None of the given rows is in {leaf_text(explanation)}.</p>"
        return
    yield f"<h3>{similar_title(explanation).capitalize()}</h3>"
    rows = (
        f'<tr><td>row {each.number}</td><td class="number">{each.distance:.3g}</td>'
        f"<td>{_text(target_text(each.target))}</td></tr>"
        for each in explanation.similar
    )
    yield f"<table><tr><th></th><th>distance</th><th></th></tr>{''.join(rows)}</table>"


def _text(text: str) -> str:
    return escape(printable(visible(text)))
