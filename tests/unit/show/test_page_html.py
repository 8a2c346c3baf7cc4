"""The page as a file: nothing in it comes from elsewhere, and nothing in the data becomes code.

The policy is what the page allows to run; the still is what a notebook shows that may run nothing. What the
script does is tested in a browser.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.pages import EVIL, KINDS, evil, fitted

from arboretum import DataError, ParameterError, demo
from arboretum._show.page import html
from arboretum._show.page import script as page_script
from arboretum._show.page.data import page_data
from arboretum._show.page.frame import json_block
from arboretum._show.page.html import notebook_html, to_html
from arboretum._show.page.script import joined_script, style, view_file

VIEW = Path(html.__file__).parent / "view"
PICTURE = "data:image/svg+xml;base64,"
MODULES = sorted(path.name for path in VIEW.glob("*.js"))


class Elements(HTMLParser):
    """The elements of a page as a browser finds them: (tag, attributes, text inside)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.inside: list[str] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = []
        self.found.append((tag, dict(attrs), self.inside))

    def handle_endtag(self, tag: str) -> None:
        self.inside = None

    def handle_data(self, data: str) -> None:
        if self.inside is not None:
            self.inside.append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, "".join(inside)) for name, attributes, inside in self.found if name == tag]


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_pages_own_script_and_style_only() -> None:
    page = Elements(to_html(fitted("penguins")[0]))
    (policy,) = [a["content"] for a, _ in page.all("meta") if "http-equiv" in a]
    (_, css), scripts = page.all("style")[0], page.all("script")
    assert len(page.all("style")) == 1
    assert [attributes["type"] for attributes, _ in scripts] == ["application/json", "module"]
    assert f"script-src {hash_of(scripts[1][1])};" in str(policy)
    assert f"style-src {hash_of(css)};" in str(policy)
    assert str(policy).startswith("default-src 'none'; ")
    assert "unsafe" not in str(policy)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_from_elsewhere(kind: str) -> None:
    page = Elements(to_html(fitted(kind)[0]))
    assert page.found[0][:2] == ("html", {"lang": "en"})
    assert {tag for tag, _, _ in page.found} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "p", "img", "pre", "script")
    }
    for _, attributes, _ in page.found:
        assert not attributes.keys() & {"href", "onload", "onerror", "style", "srcset"}
        assert (attributes.get("src") or "data:image/svg+xml;base64,").startswith(
            "data:image/svg+xml;base64,"
        )
    assert "@import" not in style()
    assert "url(" not in style()


def test_names_never_become_elements() -> None:
    model, X, y = evil()
    page = to_html(model, data={EVIL: (X, y)}, title=EVIL)
    read = Elements(page)
    assert [(attributes["src"] or "")[:5] for attributes, _ in read.all("img")] == ["data:"]
    assert read.all("title") == [({}, EVIL)]
    (block,) = [text for attributes, text in read.all("script") if attributes.get("id") == "arboretum-data"]
    assert json.loads(block) == page_data(model, data={EVIL: (X, y)}, title=EVIL)
    assert not set("<>&\u2028\u2029") & set(block)


def test_halves_of_characters_can_be_written(tmp_path: Path) -> None:
    page = to_html(fitted("iris")[0], tmp_path / "page.html", title="half \ud83d of one")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert json.loads(json_block(["\ud83d"])) == ["\ud83d"]


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("old", encoding="utf-8")

    def full(*_: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(DataError, match=r"page\.html.*no space left"):
            to_html(fitted("iris")[0], path)
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    assert path.read_text(encoding="utf-8") == "old"
    to_html(fitted("iris")[0], str(path))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(ParameterError, match="is in no folder that is there"):
        to_html(fitted("iris")[0], tmp_path / "nowhere" / "page.html")


def test_the_theme_can_be_fixed() -> None:
    model = fitted("iris")[0]
    assert '<html lang="en" data-theme="dark">' in to_html(model, theme="dark")
    assert '<meta name="color-scheme" content="light dark">' in to_html(model)
    with pytest.raises(ParameterError, match=r"theme='drak' is not known.*Did you mean 'dark'"):
        to_html(model, theme="drak")


def test_without_a_script_there_is_the_tree_as_text_and_as_a_picture() -> None:
    model = fitted("penguins")[0]
    page = Elements(to_html(model))
    ((_, text),) = page.all("pre")
    assert text == str(model.tree_)
    ((attributes, _),) = page.all("img")
    picture = base64.b64decode(str(attributes["src"]).partition(",")[2]).decode()
    assert "flipper_length_mm" in picture


# --- the modules


def test_without_a_script_the_way_of_a_row_is_told() -> None:
    model, X, _ = fitted("penguins")
    page = to_html(model, row=X.iloc[80])
    told = page_data(model, row=X.iloc[80])["row"]
    still = page[page.index("<main") : page.index("</main>")]
    assert told["sentences"][0] is not None
    for words in (told["conclusion"], told["sentences"][0]):
        assert f">{escape(words)}</" in still
    plain = to_html(model)
    assert "The way of the row" not in plain[: plain.index("</main>")]


def test_every_module_is_joined_once_and_after_those_it_needs() -> None:
    order: list[str] = []
    page_script._visit("main.js", order, set())
    assert sorted(order) == [name for name in MODULES if name != "types.js"]  # which holds no code
    assert order[-1] == "main.js"
    n_imports = 0
    for name in order:
        for imported in re.findall(r'^import [^;]*from "\./([\w-]+\.js)";', view_file(name), re.M):
            n_imports += 1
            assert order.index(imported) < order.index(name)
    assert n_imports > 20
    assert not re.search(r"^(import|export)\b", joined_script(), re.M)


def top_names(module: str) -> list[tuple[str, str]]:
    """The names at the top of a module, each with the line that it stands in."""
    pattern = r"^((?:export )?(?:async )?(?:function\*?|class|const|let|var) (\w+).*)$"
    return [(found[2], found[1]) for found in re.finditer(pattern, view_file(module), re.M)]


def test_names_at_the_top_of_the_modules_differ() -> None:
    """Joined, the modules share one scope."""
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for name, _ in top_names(module):
            homes.setdefault(name, []).append(module)
    assert len(homes) > 50
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


@pytest.mark.parametrize("module", MODULES)
def test_modules_make_no_markup_from_text(module: str) -> None:
    text = view_file(module)
    words = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|fetch\("
    )
    assert re.findall(words, text) == []
    assert "// @ts-check" in text.splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        'import { a as b } from "./a.js";\n',
        'import * as a from "./a.js";\n',
        "export default function a() {}\n",
        "export { a };\n",
        'import a from "elsewhere";\n',
        'const a = "</script>";\n',
        'const a = "<!--";\n',
    ],
)
def test_what_cannot_be_joined_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"x\.js"):
        page_script._bare("x.js", text)


def test_imports_may_take_several_lines() -> None:
    text = 'import {\n  a,\n  b,\n} from "./a.js";\nimport "./b.js";\nexport class C {}\nexport {};\n'
    assert page_script._bare("x.js", text) == "class C {}\n"


# --- in a notebook


def test_a_notebook_shows_the_page_in_a_sandbox_and_a_picture_where_none_is_allowed() -> None:
    model = fitted("penguins")[0]
    read = Elements(notebook_html(model.tree_))
    assert [tag for tag, _, _ in read.found] == ["div", "img", "style", "iframe"]
    ((frame, _),) = read.all("iframe")
    assert frame["sandbox"] == "allow-scripts"
    inside = Elements(str(frame["srcdoc"]))
    assert inside.all("title") == [({}, "Decision tree")]
    assert len(inside.all("script")) == 2
    ((still, _),) = read.all("img")
    assert still["alt"] == frame["title"]
    assert f"{model.tree_.n_leaves} leaves" in str(still["alt"])


def test_evil_names_stay_names_in_a_notebook() -> None:
    read = Elements(notebook_html(evil()[0]))
    assert [tag for tag, _, _ in read.found] == ["div", "img", "style", "iframe"]


# --- what is around it


def test_the_demonstration_writes_the_page_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arboretum._report.evidence.rivals.N_TREES", 2)
    demo.main(str(tmp_path / "demo"))
    said = capsys.readouterr().out
    for name in ("report.html", "tree.html"):
        page = tmp_path / "demo" / name
        assert "<title>Which penguin is it?</title>" in page.read_text(encoding="utf-8")
        assert f"wrote {page}" in said


def test_importing_the_package_reads_no_script() -> None:
    """The page costs nothing to those who do not ask for it."""
    code = "import arboretum, sys; print(*[m for m in sys.modules if m.startswith('arboretum._show')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
