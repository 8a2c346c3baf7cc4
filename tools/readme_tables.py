"""Bring the tables of README.md up to date with the reports in benchmarks/: python tools/readme_tables.py
Words: a table stands between `<!-- name -->` and `<!-- /name -->`; its figures are copied, never typed.
Does not measure: `make bench` and `make quality` do.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SPEED_CASES = (
    "1M x 20, 2 classes, full",
    "1M x 20, 2 classes, depth 6",
    "100k x 200, 2 classes, full",
    "1M x 20, Friedman, full",
    "581k x 54, forest cover, full",
    "500k x 20, mixed, depth 10",
)
SPEED = ("arboretum", "scikit-learn", "LightGBM", "scikit-learn / ours")
PEERS = (
    *("arboretum", "scikit-learn", "scikit-learn, alpha by accuracy", "LightGBM, one tree"),
    *("YDF CART", "rpart", "ctree"),
)
QUALITY = ("accuracy", "AUC", "log-loss", "leaves")

Report = dict[str, dict[str, str]]


def read_table(report: str, heading: str) -> Report:
    """The rows of the first table after a heading, by their first cell, as {column: text}."""
    text = (ROOT / "benchmarks" / report).read_text(encoding="utf-8").partition(heading)[2]
    found = re.search(r"^\|(.+)\|\n\|[-|]+\|\n((?:\|.+\|\n)+)", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"benchmarks/{report} has no table after {heading!r}")
    names = [name.strip() for name in found[1].split("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[2].splitlines()]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def speed_table() -> str:
    """Seconds to grow one tree, on one thread."""
    found = read_table("RESULTS.md", "# Speed")
    lines = [[case, *(found[case][name] for name in SPEED)] for case in SPEED_CASES if case in found]
    return _table(["seconds for one tree", *SPEED[:-1], "times as fast as scikit-learn"], lines)


def quality_table() -> str:
    """How good one tree is, on tables that were observed; without the ranks."""
    classes = read_table("QUALITY.md", "\n## Classes")
    numbers = read_table("QUALITY.md", "\n## Numbers")
    lines = []
    for peer in PEERS:
        if peer in classes:
            r2 = numbers.get(peer, {}).get("R²", "\N{EN DASH}")
            lines.append([peer, *(_plain(classes[peer][name]) for name in QUALITY), _plain(r2)])
    return _table(["one tree, means over tables", *QUALITY, "R²"], lines)


def updated(text: str) -> str:
    """The text of the README with its tables as they should be."""
    for name, table in (("speed", speed_table()), ("quality", quality_table())):
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = between.sub(lambda match, table=table: f"{match[1]}{table}{match[2]}", text)  # type: ignore[misc]
    return text


def _plain(cell: str) -> str:
    """A figure without its rank."""
    return re.sub(r" \([\d.]+\)$", "", cell)


def _table(head: list[str], lines: list[list[str]]) -> str:
    ruled = ["|" + "---|" * len(head)]
    return "\n".join(
        ["| " + " | ".join(head) + " |", *ruled, *("| " + " | ".join(x) + " |" for x in lines), ""]
    )


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
