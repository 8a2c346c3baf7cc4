"""Texts that are read: questions, trees as JSON, options of the command line; and names that are written.

A text is read, or refused by an error of ours whose message is a sentence. What was read is written again and
read once more. Names, levels and classes of any letters are written into every export and picture; the Python
program among them predicts what the tree predicts.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from arboretum import MofN, Oblique, Surrogate, Tree, TreeClassifier, TreeRegressor, export
from arboretum.cli.tables.cells import parse_tokens
from arboretum.cli.values import names_of, pairs_of, parse_matrix, parse_value
from arboretum.errors import ArboretumError
from support.mutations import mutate_bytes, mutate_document
from support.verdicts import Fault, check_sentence

__all__ = ["KINDS", "judge", "mutant"]

KINDS: Final = ("question", "tree", "option", "names")
_SHARES: Final = (0.4, 0.3, 0.25, 0.05)
_LETTERS: Final = (
    *(
        "a",
        "b",
        "ab",
        "0",
        "1",
        "x0",
        "size",
        "colour",
        "red",
        "é",
        "\u202e",
        "\ud800",
        "\0",
        "\n",
        "\t",
        " ",
        "  ",
    ),
    *(
        "'",
        '"',
        "''",
        "\\",
        "\\n",
        "`",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "<",
        "<=",
        ">",
        "=",
        "==",
        "!=",
        "&",
        "&amp;",
    ),
    *(
        "in",
        "not in",
        "and",
        "or",
        "is",
        "missing",
        "of",
        "at least",
        "-",
        "+",
        "*",
        ".",
        ",",
        ";",
        ":",
        "#",
        "%",
        "$",
    ),
    *(
        "--",
        "/*",
        "*/",
        "//",
        "<!--",
        "-->",
        "]]>",
        "</script>",
        "%s",
        "{0}",
        "${x}",
        "nan",
        "inf",
        "None",
        "True",
    ),
    *(
        "class",
        "return",
        "1e9",
        "-1",
        "0.5",
        "1_0",
        "2024-01-01",
        "\U0001f600",
        "e\u0301",
        "ß",
        "İ",
        "\ufeff",
        "\r",
    ),
)
_QUESTIONS: Final = (
    *(
        "size <= 1.5",
        "colour in {red, blue}",
        "colour == red",
        "colour not in {red}",
        "size > 1",
        "count <= 3",
    ),
    *(
        "size is missing",
        "colour in {'red', \"blue\"}",
        "when <= 2024-01-03",
        "size <= 1 or missing",
        "truth == True",
    ),
    *(
        "at least 1 of: size <= 1, colour == red",
        "0.5*size + 1*count <= 2",
        "size < 1",
        "size <= 1e300",
        "size<=-0",
    ),
)
_OPTIONS: Final = (
    *(
        "0.05",
        "none",
        "gini",
        "CostComplexity(folds=5, rule=min)",
        "MofN(max_terms=2)",
        "Permutation(level=0.1)",
    ),
    *(
        "Surrogate(count=2)",
        "Oblique(max_terms=3, restarts=0)",
        "'quoted'",
        "-1e5",
        "true",
        "Optimal(time_limit=1)",
    ),
    *("0,10;1,0", "[[0,1],[1,0]]", "a=1,b=2", '"a,b",c', "x=0.5", ",NA,?,"),
)


def mutant(seed: int, number: int) -> tuple[str, Callable[[], str]]:
    """Return what kind of text it is, and what reads it."""
    rng = random.Random(f"texts {seed} {number}")
    kind = rng.choices(KINDS, _SHARES)[0]
    return kind, _MAKE[kind](rng)


def judge(call: Callable[[], str]) -> str:
    """Return "used" or "refused"; whatever else happens is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except ArboretumError as error:
            check_sentence(str(error), type(error).__name__)
            return "refused"


@cache
def _trees() -> tuple[tuple[Tree, Any, Any], ...]:
    rng = np.random.default_rng(8)
    n = 30
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": rng.integers(0, 6, n),
            "colour": rng.choice(["red", "blue", "green"], n),
            "when": pd.date_range("2024-01-01", periods=n),
            "truth": rng.random(n) < 0.5,
        }
    )
    y = np.where((X["count"] > 2) ^ (X["colour"] == "red"), "yes", "no")
    plain: dict[str, Any] = {"prune": None, "max_depth": 3, "random_state": 0}
    models = (
        *(TreeClassifier(**plain), TreeClassifier(**plain, nominal="multiway", missing="fractional")),
        *(TreeClassifier(**plain, missing=Surrogate(1)), TreeClassifier(**plain, questions=MofN(2))),
        *(TreeClassifier(**plain, questions=Oblique(max_terms=2)), TreeRegressor(**plain)),
    )
    targets = [y] * 5 + [X["size"] + X["count"]]
    return tuple(
        (model.fit(X, target).tree_, X, target) for model, target in zip(models, targets, strict=True)
    )


def _text(rng: random.Random, seeds: tuple[str, ...]) -> str:
    """A good text with some changes, or letters that mean something somewhere."""
    if rng.random() < 0.2:
        return "".join(rng.choice(_LETTERS) for _ in range(rng.choice((0, 1, 2, 5, 12))))
    text = rng.choice(seeds)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        place, size = rng.randrange(len(text) + 1), rng.choice((0, 0, 1, 2, 5))
        text = text[:place] + rng.choice((*_LETTERS, "", rng.choice(seeds))) + text[place + size :]
    return text * 500 if rng.random() < 0.002 else text


def _question(rng: random.Random) -> Callable[[], str]:
    tree, X, y = rng.choice(_trees())
    text = _text(rng, (*_QUESTIONS, *(str(node.question) for node in tree.walk() if not node.is_leaf)))

    def call() -> str:
        edited = tree.replace(0, text, (X, y))
        again = tree.replace(0, edited.root.question, (X, y))
        if str(again.root.question) != str(edited.root.question):
            raise Fault(f"{text!r} was read, and its question as another one")
        written = tree.replace(0, str(edited.root.question), (X, y))
        if str(written.root.question) != str(edited.root.question):
            raise Fault(f"{text!r} was read, and what is printed as another question")
        return "used"

    return call


def _tree(rng: random.Random) -> Callable[[], str]:
    tree, X, _ = rng.choice(_trees())
    text = tree.to_json()
    if rng.random() < 0.5:
        document = mutate_document(
            rng, json.loads(text), [json.loads(other.to_json()) for other, _, _ in _trees()]
        )
        changed: Any = json.dumps(document)
    else:
        changed = mutate_bytes(rng, text.encode()).decode("utf-8", rng.choice(("replace", "surrogateescape")))
    if rng.random() < 0.02:
        changed = rng.choice((None, 1, b"{}", [], {}, changed.encode("utf-8", "replace")))

    def call() -> str:
        found = Tree.from_json(changed)
        if Tree.from_json(found.to_json()) != found:
            raise Fault("a tree was read, and written as another one")
        str(found), repr(found.root)
        if not any("\ud800" <= letter <= "\udfff" for letter in found.to_json()):  # pandas has no such names
            found.to_frame()
        found.predict(X)
        return "used"

    return call


def _option(rng: random.Random) -> Callable[[], str]:
    text = _text(rng, _OPTIONS)
    readers: tuple[Callable[[], Any], ...] = (
        lambda: parse_value(text, "prune"),
        lambda: parse_matrix(text, "loss"),
        lambda: pairs_of(text, "priors"),
        lambda: names_of([text]),
        lambda: parse_tokens(text),
    )
    read = rng.choice(readers)

    def call() -> str:
        repr(read())
        return "used"

    return call


def _names(rng: random.Random) -> Callable[[], str]:
    def word() -> str:
        return "".join(rng.choice(_LETTERS) for _ in range(rng.choice((1, 1, 2, 3))))

    names = list(dict.fromkeys(word() for _ in range(3)))
    levels, classes = [word() for _ in range(3)], [word() for _ in range(2)]
    n = 24
    cells = np.array([[float(rng.randrange(5)) for _ in names] for _ in range(n)], dtype=object)
    cells[:, 0] = [rng.choice(levels) for _ in range(n)]
    X = pd.DataFrame(cells, columns=pd.Index(names, dtype=object), dtype=object)
    y = np.array([classes[rng.random() < 0.5] for _ in range(n)], dtype=object)
    nominal = rng.choice(("subset", "multiway"))
    writers = (
        "to_c",
        "to_dot",
        "to_html",
        "to_javascript",
        "to_mermaid",
        "to_pmml",
        "to_rules",
        "to_sql",
        "to_svg",
    )
    chosen = rng.choice(writers)

    def call() -> str:
        model = TreeClassifier(prune=None, nominal=nominal).fit(X, y)
        texts = [str(model.tree_), str(model.summary()), getattr(export, chosen)(model)]
        for text in texts:
            text.encode("utf-8", "surrogatepass")
        program: dict[str, Any] = {"__name__": "exported"}
        exec(export.to_python(model), program)
        rows = X.to_dict("records")
        if [program["predict"](row) for row in rows] != model.predict(X).tolist():
            raise Fault("the Python program predicts something else")
        return "used"

    return call


_MAKE: Final[dict[str, Callable[[random.Random], Callable[[], str]]]] = {
    "question": _question,
    "tree": _tree,
    "option": _option,
    "names": _names,
}
