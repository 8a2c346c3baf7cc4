"""Draw the figures of the gallery anew and write its page: python tools/draw_gallery.py
Words: a script of examples/ tells at its top what its figure shows; the page repeats that beside the figure.
Does not check what the texts claim: tests/examples does.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "examples" / "README.md"
IMAGES = ROOT / "docs" / "images" / "gallery"
# In the order of a lecture: how trees work, what goes wrong, what they cannot do, what they say.
SCRIPTS = (
    *("growth", "depth", "noise", "probabilities", "missing", "losses"),
    *("myopia", "fragmentation", "hard_concepts", "neighbours", "instability", "houses"),
)
OPENING = """# Where trees fail, and where they shine

Each script makes one figure and tells what it shows. `python examples/growth.py` writes `growth.png` beside
where you stand; `python examples/growth.py picture.svg` writes another file. All tables are made by the
scripts themselves, in a few seconds.
"""


def write_page() -> str:
    """The page: a heading, the figure and the text of each script."""
    return "\n".join([OPENING, *map(_section, SCRIPTS)])


def _section(name: str) -> str:
    source = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")
    heading, _, aside = title.partition(". ")
    words = f"{aside}\n\n{text}" if aside else text
    picture = f"![{heading.rstrip('.')}](../docs/images/gallery/{name}.png)"
    return f"## {heading.rstrip('.')}\n\n{picture}\n\n{words}\n\nThe script: [{name}.py]({name}.py)\n"


def draw(name: str) -> None:
    """Run a script; its figure keeps the colours that it needs and no more."""
    from PIL import Image

    path = IMAGES / f"{name}.png"
    script = ROOT / "examples" / f"{name}.py"
    subprocess.run(
        [sys.executable, str(script), str(path)], check=True, env={**os.environ, "MPLBACKEND": "Agg"}
    )
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        draw(name)
    PAGE.write_text(write_page(), encoding="utf-8")
