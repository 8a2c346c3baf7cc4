"""The frame of a page: one HTML file with its own style, script and data; a policy allows no others."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any, Final

# These could end the element, begin a comment, or break a line of a script.
_ESCAPED: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_LONE: Final = re.compile("[\ud800-\udfff]")  # halves of characters, which no file can hold


def framed(title: str, body: str, data: Any, script: str, css: str, theme: str = "auto") -> str:
    """Return the page: the body is shown as it is, the script finds the data as JSON."""
    fixed = "" if theme == "auto" else f' data-theme="{theme}"'
    inside = [
        body,
        f'<script type="application/json" id="arboretum-data">{json_block(data)}</script>',
        f'<script type="module">{script}</script>',
    ]
    return html_file(title, "\n".join(inside), css, policy([script], [css]), theme, fixed)


def html_file(title: str, body: str, css: str, allowed: str, theme: str, attributes: str = "") -> str:
    """Return a file that needs no network; `allowed` is the policy that the browser holds it to."""
    scheme = "light dark" if theme == "auto" else theme
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"{attributes}>',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{allowed}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="color-scheme" content="{scheme}">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{safe_text(title)}</title>",
            f"<style>{css}</style>",
            "</head>",
            "<body>",
            body,
            "</body>",
            "</html>",
            "",
        ]
    )


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return the policy that lets these scripts and styles work, lets images in, and nothing else."""
    ran, drawn = (" ".join(map(hash_of, texts)) for texts in (scripts, styles))
    return (
        f"default-src 'none'; script-src {ran}; style-src {drawn}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def json_block(told: Any) -> str:
    """Return JSON for a page: nothing in it can end the element that holds it.

    >>> json_block({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.translate(_ESCAPED))


def safe_text(text: str) -> str:
    """Return text that a page can hold."""
    return escape(_LONE.sub("\N{REPLACEMENT CHARACTER}", text))


def hash_of(text: str) -> str:
    """Return the hash of a text, as a policy names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
