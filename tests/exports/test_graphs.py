"""Pictures in the languages of Graphviz and mermaid: every node and arrow is there, and no name escapes."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from support.export_models import ALL, deep, exported

from arboretum import TreeClassifier
from arboretum._tree.tree import Tree
from arboretum.errors import ParameterError
from arboretum.export._drawings import to_dot, to_mermaid

DOT = shutil.which("dot")
_STRING = r'"(?:[^"\\]|\\.)*"'
_DOT_LINE = re.compile(
    rf"  (?:(?:graph|node|edge) \[.*\]|n\d+ \[label={_STRING}(?:, fillcolor=\"#[0-9a-f]{{6}}\")?\]"
    rf"|n\d+ -> n\d+ \[label={_STRING}\])"
)
# Letters and digits of any script, signs that mean nothing to mermaid, entity codes, and <br> between lines.
_MERMAID_TEXT = r"(?:[^\W]|[ .,:()/+\-=_'!@%$^*?;]|#\d+;|<br>)*"
_MERMAID_LINE = re.compile(
    rf'  (?:n\d+\["{_MERMAID_TEXT}"\]|n\d+\(\["{_MERMAID_TEXT}"\]\)|n\d+ -->\|"{_MERMAID_TEXT}"\| n\d+'
    r"|style n\d+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6})"
)


def _shape(tree: Tree) -> tuple[set[str], set[tuple[str, str]]]:
    names = {f"n{node.number}" for node in tree.walk()}
    arrows = {(f"n{node.number}", f"n{child.number}") for node in tree.walk() for child in node.children}
    return names, arrows


@pytest.mark.parametrize("kind", ALL)
def test_dot_has_every_node_and_arrow(kind: str) -> None:
    model, _, _ = exported(kind)
    names, arrows = _shape(model.tree_)
    first, *lines, last = to_dot(model).splitlines()
    assert (first, last) == ('digraph "tree" {', "}")
    assert [line for line in lines if not _DOT_LINE.fullmatch(line)] == []
    assert {line.split()[0] for line in lines if re.match(r"  n\d+ \[", line)} == names
    found = [re.match(r"  (n\d+) -> (n\d+) ", line) for line in lines]
    assert {(pair[1], pair[2]) for pair in found if pair} == arrows


@pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")
@pytest.mark.parametrize(
    "kind", ["penguins", "typed", "hostile", "evil names", "at least m", "root alone", "numbers"]
)
def test_graphviz_draws_it(kind: str) -> None:
    """And shows the texts as they are: nothing was read as an escape, an entity or markup."""
    model, _, _ = exported(kind)
    drawn = subprocess.run([str(DOT), "-Tsvg"], input=to_dot(model).encode(), capture_output=True)
    assert drawn.returncode == 0
    assert drawn.stderr == b""
    svg = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(drawn.stdout)
    groups = [group.get("class") for group in root.iter(f"{svg}g")]
    names, arrows = _shape(model.tree_)
    assert (groups.count("node"), groups.count("edge")) == (len(names), len(arrows))
    texts = "\n".join(text.text or "" for text in root.iter(f"{svg}text"))
    if kind == "evil names":
        assert "</script><img src=x onerror=alert(1)><!-- class" in texts
        assert "plain & <i>simple</i>" in texts
    if kind == "hostile":
        assert '"quoted" \\ back' in texts.replace("\xa0", " ").replace('\\"', '"').replace("\\\\", "\\")
        assert "*/ int x; /*" in texts.replace("\xa0", " ")


@pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")
def test_graphviz_reads_no_escapes() -> None:
    """Entities, and backslashes that would stand for the node's name, a line's end or nothing."""
    names = ["&lt;b&gt; &#65;", r"\N \G \L \n \l \\", 'a "quote" \\']
    model = TreeClassifier(prune=None, leaf="frequency").fit([[x] for x in range(6)], np.repeat(names, 2))
    drawn = subprocess.run([str(DOT), "-Tsvg"], input=to_dot(model).encode(), capture_output=True)
    texts = [text.text or "" for text in ET.fromstring(drawn.stdout).iter("{http://www.w3.org/2000/svg}text")]
    assert {text.replace("\xa0", " ") for text in texts} >= set(names)


@pytest.mark.parametrize("kind", ALL)
def test_mermaid_has_every_node_and_arrow(kind: str) -> None:
    model, _, _ = exported(kind)
    names, arrows = _shape(model.tree_)
    first, *lines = to_mermaid(model).splitlines()
    assert first == "flowchart TD"
    assert [line for line in lines if not _MERMAID_LINE.fullmatch(line)] == []
    assert {found[1] for line in lines if (found := re.match(r'  (n\d+)\(?\["', line))} == names
    pairs = [re.match(r"  (n\d+) -->.* (n\d+)$", line) for line in lines]
    assert {(pair[1], pair[2]) for pair in pairs if pair} == arrows


def test_max_depth() -> None:
    model, _, _ = exported("unpruned")
    tree = model.tree_
    for depth in (0, 1, 2):
        shown = [node for node in tree.walk() if node.depth <= depth]
        text = to_dot(model, max_depth=depth)
        assert text.count("[label=") == len(shown) + sum(len(n.children) for n in shown if n.depth < depth)
        assert text.count("more below") == sum(not n.is_leaf for n in shown if n.depth == depth)
        assert to_mermaid(model, max_depth=depth).count("more below") == text.count("more below")
    for write in (to_dot, to_mermaid):
        for wrong in (-1, 1.5, True):
            with pytest.raises(ParameterError, match="max_depth="):
                write(model, max_depth=wrong)


def test_deep_trees() -> None:
    tree, _, _ = deep()
    assert to_dot(tree).count("->") == to_mermaid(tree).count("-->") == 4_000


def test_files_and_options(tmp_path: Any) -> None:
    model, _, _ = exported("iris")
    assert to_dot(model, tmp_path / "a.dot", name='my "tree"').startswith('digraph "my \\"tree\\"" {')
    assert to_mermaid(model, tmp_path / "a.mmd", direction="right").startswith("flowchart LR")
    assert (tmp_path / "a.mmd").read_text().startswith("flowchart LR")
    with pytest.raises(ParameterError, match="direction='up' is not known; choose 'down', 'right'"):
        to_mermaid(model, direction="up")
