"""Documents as LaTeX: a whole file for pdflatex, which needs no package beyond its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from arboretum._show.document.blocks import Asked, Block, Grid, Heading, Listing, Paragraph

_HEAD: Final = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2.5cm]{geometry}
\setlength{\parindent}{0pt}\setlength{\parskip}{0.6em}
\begin{document}
"""
# Signs that LaTeX reads as commands, and those that its usual fonts lack.
_SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "≈": r"$\approx$",
    "→": r"$\to$",
    "α": r"$\alpha$",
    "Σ": r"$\Sigma$",
    "½": r"$\frac12$",
    "²": r"$^2$",
    "₀": r"$_0$",
    "₁": r"$_1$",
    "₂": r"$_2$",
    "₃": r"$_3$",
    "…": r"\dots{}",
    "–": "--",
    "├": r"$\vdash$",
    "└": r"$\llcorner$",
    "│": r"$|$",
    "─": "-",
}
_TABLE: Final = str.maketrans(_SIGNS)
_IN_LISTINGS: Final = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "→": ">", "≤": "<=", "…": "..."})
_BLANK: Final = r"\makebox[6cm]{\dotfill}"


def to_latex(title: str, blocks: Sequence[Block]) -> str:
    """Return the text of a file."""
    return _HEAD + rf"\section*{{{_safe(title)}}}" + f"\n\n{write_blocks(blocks)}\n\\end{{document}}\n"


def write_blocks(blocks: Sequence[Block]) -> str:
    """Return blocks as they stand in a document of one's own."""
    return "\n\n".join(map(_block, blocks)) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return rf"\subsection*{{{_safe(text)}}}"
        case Paragraph(text):
            return _safe(text)
        case Listing(text):
            plain = text.translate(_IN_LISTINGS).replace("\\end{verbatim}", "\\end {verbatim}")
            return f"\\begin{{verbatim}}\n{plain}\n\\end{{verbatim}}"
        case Grid(header, rows, numbers):
            body = [_line(header) + r" \hline", *map(_line, rows)]
            form = "".join("r" if place in numbers else "l" for place in range(len(header)))
            return f"\\begin{{tabular}}{{{form}}}\n" + "\n".join(body) + "\n\\end{tabular}"
        case Asked(number, text, answer, how):
            given = _BLANK if answer is None else rf"\textbf{{{_safe(answer)}}}"
            explained = f"\n\n{_safe(how)}" if how else ""
            return f"{number}. {_safe(text)}\n\n\\quad {given}{explained}"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(map(_safe, cells)) + r" \\"


def _safe(text: str) -> str:
    return text.translate(_TABLE)
