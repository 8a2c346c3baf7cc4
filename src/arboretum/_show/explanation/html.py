"""An explanation as HTML: for a notebook, or as a page of its own, without a script.

Its colours are those of pictures, light or dark as the reader's system is. What a sanitizer leaves of it in
an untrusted notebook, the text, is readable without them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from arboretum._show.explanation.text import (
    arrival_text,
    base_text,
    certainty_lines,
    contribution_text,
    leaf_text,
    left_out_text,
    moved_text,
    moving_columns,
    other_ways,
    parts_of,
    place_text,
    row_name,
    similar_title,
    steps_at_ends,
    target_text,
    value_of,
)
from arboretum._show.page.plain import as_html, whole_page
from arboretum._show.picture.palette import DARK, LIGHT, Palette, class_colours
from arboretum._wording import LONGEST_NAME, percent, without_middle

if TYPE_CHECKING:
    from arboretum._show.explanation.explanation import Explanation, Place, Step

_SHOWN_CLASSES: Final = 12
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
.NAME .rows td:first-child { white-space: nowrap; overflow-wrap: normal; }
.NAME .start { margin-left: 1.6em; }
.NAME td.number, .NAME th { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
  overflow-wrap: normal; }
.NAME .moves { width: 32%; position: relative; padding: 0; border-left: 0.6em solid transparent;
  border-right: 0.9em solid transparent; }
.NAME .moves b { position: absolute; top: calc(50% - 0.4em); height: 0.8em; }
.NAME .wide { width: 100%; }
.NAME .wide td.number { width: 1%; }
.NAME .key { display: flex; flex-wrap: wrap; gap: 0.1em 1.1em; margin: 0.3em 0 0.6em; padding: 0;
  list-style: none; font-size: 0.92em; }
.NAME .key li { margin: 0; max-width: 100%; }
.NAME .key i { display: inline-block; width: 0.75em; height: 0.75em; margin-right: 0.4em;
  border-radius: 2px; }
"""


def explanation_to_html(explanation: Explanation, theme: str = "auto") -> str:
    """Return an explanation for a notebook: one element with its own style."""
    body = "".join(_parts(explanation))
    name = f"arboretum-reasons-{hashlib.blake2b(body.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
    return f'<div class="{name}"><style>{_style(explanation, name, theme)}</style>{body}</div>'


def explanation_page(explanation: Explanation, title: str | None, theme: str) -> str:
    """Return an explanation as one HTML file."""
    body = explanation_to_html(explanation, theme)
    return whole_page(title or f"Why {explanation.conclusion}", body, theme)


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
    yield f"<h2>{as_html(explanation.conclusion)}</h2>"
    yield from _key_of_classes(explanation)
    start = as_html(place_text(explanation, explanation.start))
    chart = _chart(explanation, explanation.start)
    yield f'<div class="start"><p class="faint">the start: {start}</p>{chart}</div>'
    yield from _steps(explanation)
    yield from (f"<p>{as_html(line)}</p>" for line in other_ways(explanation))
    yield "<h3>How sure</h3>"
    yield from (f"<p>{as_html(line.removeprefix('how sure: '))}</p>" for line in certainty_lines(explanation))
    yield from _contributions(explanation)
    yield from _similar(explanation)
    if explanation.desired is not None:
        texts = (answer.to_text(digits=explanation.digits) for answer in explanation.counterfactuals)
        answers = (f"<li>{as_html(text)}</li>" for text in texts)
        yield f"<h3>What would give {as_html(explanation.desired)}</h3><ul>{''.join(answers)}</ul>"


def _steps(explanation: Explanation) -> Iterable[str]:
    before, after, n_left = steps_at_ends(explanation)
    if not before:
        yield "<p>nothing is asked</p>"
        return
    yield f"<ol>{''.join(_items(explanation, before))}</ol>"
    if n_left:
        yield f'<p class="faint">{as_html(left_out_text(n_left))}</p>'
        yield f'<ol start="{len(before) + n_left + 1}">{"".join(_items(explanation, after))}</ol>'


def _items(explanation: Explanation, steps: Iterable[Step]) -> Iterable[str]:
    parts = parts_of(explanation)
    for step in steps:
        places = (_arrival(explanation, step, place) for place in step.to)
        yield f"<li>{as_html(parts.get(step.place.node, '') + step.reason)}{''.join(places)}</li>"


def _arrival(explanation: Explanation, step: Step, place: Place) -> str:
    told = as_html(arrival_text(explanation, step, place))
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
        f'title="{as_html(f"{names[place]} {percent(share)}")}"></span>'
        for place, share in enumerate(shares)
        if share > 0
    )
    return f'<div class="bar">{"".join(parts)}</div>'


def _key_of_classes(explanation: Explanation) -> Iterable[str]:
    """Yield which colour is which class: the classes with the most rows at the start."""
    shares = explanation.start.shares
    if shares is None:
        return
    present = [place for place, share in enumerate(shares) if share > 0]
    shown = sorted(sorted(present, key=lambda place: -shares[place])[:_SHOWN_CLASSES])
    names = explanation.classes or ()
    entries = [(f"var(--class-{place})", without_middle(names[place], LONGEST_NAME)) for place in shown]
    more = len(present) - len(shown)
    yield _key([*entries, *([("none", f"and {more:,} more")] if more else [])])


def _key(entries: Iterable[tuple[str, str]]) -> str:
    items = (f'<li><i style="background: {colour}"></i>{as_html(text)}</li>' for colour, text in entries)
    return f'<ul class="key">{"".join(items)}</ul>'


def _contributions(explanation: Explanation) -> Iterable[str]:
    moving, n_more = moving_columns(explanation)
    if not moving:
        return
    largest = max(abs(each.amount) for each in moving)
    what = as_html(moved_text(explanation))
    yield f"<h3>What moves the {what}, from {base_text(explanation)} on average</h3>"
    yield _key(
        (f"var(--{colour})", word) for colour, word in (("high", "raises it"), ("accent", "lowers it"))
    )
    rows = []
    for each in moving:
        width = 50 * abs(each.amount) / largest
        left = 50.0 if each.amount > 0 else 50.0 - width
        colour = "high" if each.amount > 0 else "accent"
        bar = f'<b style="left: {left:.1f}%; width: {width:.1f}%; background: var(--{colour})"></b>'
        rows.append(
            f'<tr><td class="number">{contribution_text(explanation, each.amount)}</td>'
            f'<td class="moves">{bar}</td><td>{as_html(value_of(each))}</td></tr>'
        )
    yield f"<table class='wide'>{''.join(rows)}</table>{f'<p>… and {n_more} more</p>' if n_more else ''}"


def _similar(explanation: Explanation) -> Iterable[str]:
    if explanation.similar is None:
        return
    if not explanation.similar:
        yield f"<h3>Similar rows</h3><p>None of the given rows is in {leaf_text(explanation)}.</p>"
        return
    yield f"<h3>{similar_title(explanation).capitalize()}</h3>"
    rows = (
        f'<tr><td>{as_html(row_name(each))}</td><td class="number">{each.distance:.3g}</td>'
        f"<td>{as_html(target_text(explanation, each.target))}</td></tr>"
        for each in explanation.similar
    )
    yield f"<table class='rows'><tr><th></th><th>distance</th><th></th></tr>{''.join(rows)}</table>"
