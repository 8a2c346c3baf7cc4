"""The summary of a fitted model: what was learnt from which data, how, how well, and what to try next.

A summary is a value. Text and HTML are made in `_show`; what is not known (an old file, a tree without its
model) is None, and said to be unknown.
"""

from __future__ import annotations

import inspect
import json
import math
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from arboretum._data.levels import level_to_json
from arboretum._data.suspicions import Suspicion
from arboretum._tree.fitted import tree_of
from arboretum._tree.importance import column_importance
from arboretum._tree.tree import Tree
from arboretum._types import Numbers
from arboretum.inspection.rules.rule import Rule, rules_of
from arboretum.inspection.summary.advice import advice_for
from arboretum.inspection.summary.size import Size, size_of

_EXTREMES: Final = 3  # leaves that are shown as the most and least sure
# Options that decide about every tree, shown even if nobody changed them.
DECIDING: Final = ("criterion", "missing", "prune", "leaf")
_LEFT_OUT: Final = ("random_state", "n_jobs", "verbose")  # they do not change what is learnt


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the training data. `levels` counts those that some row has; None: not known, or none."""

    name: str
    kind: str
    missing: int | None
    levels: int | None
    importance: float  # its share of what all questions gain together
    n_questions: int


@dataclass(frozen=True)
class Shape:
    """The shape of a tree: a row is asked `mean_questions` on average; a balanced tree would ask `least`."""

    n_nodes: int
    n_leaves: int
    depth: int
    mean_questions: float
    least_questions: float
    smallest_leaf: int
    largest_leaf: int  # rows


@dataclass(frozen=True)
class Setting:
    """An option, its value as text, and whether it is the default."""

    name: str
    value: str
    is_default: bool


@dataclass(frozen=True)
class Summary:
    """What `model.summary()` returns: print it, show it in a notebook, or read its fields.

    Attributes
    ----------
    model : the name of the estimator
    n_rows, n_rows_dropped, n_rows_held_out : the rows that the tree was grown from, those that were
        left out for missing values, and those that were kept to prune by
    weight : of all rows
    classes, mean : each class with its share, or the mean of numbers; the other is None
    columns : each column with its type, its missing values and its importance
    suspicions : what is probably a mistake in the data
    settings : the options, and which of them have their defaults
    size : how large the tree is, and how that was chosen
    shape : its nodes, its depth, how many questions a row is asked, the rows of its leaves
    fit : the share of training rows that are predicted right, or of the variance that is explained
    most_sure, least_sure : the rules of the leaves that are surest, and of those that are least sure
    advice : what to try next, a sentence each
    tree : the tree itself
    """

    model: str
    n_rows: int  # that the tree was grown from
    n_rows_dropped: int | None  # for missing values
    n_rows_held_out: int | None  # to prune by
    weight: float
    classes: tuple[tuple[Any, float], ...] | None  # each class with its share; None for numbers
    mean: float | None  # of numbers: what the root says
    columns: tuple[ColumnSummary, ...]
    suspicions: tuple[Suspicion, ...] | None
    settings: tuple[Setting, ...] | None
    size: Size
    shape: Shape
    fit: float | None  # training accuracy, or the share of the variance that the tree explains
    most_sure: tuple[Rule, ...]
    least_sure: tuple[Rule, ...]
    advice: tuple[str, ...]
    tree: Tree

    @property
    def knows_columns(self) -> bool:
        """Whether missing values and levels were counted."""
        return all(column.missing is not None for column in self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary in JSON's own types."""
        shown = {name: value for name, value in vars(self).items() if name not in _AS_RULES}
        plain = {name: _plain(value) for name, value in shown.items()}
        if self.classes is not None:
            plain["classes"] = [
                {"class": level_to_json(label), "share": share} for label, share in self.classes
            ]
        return plain | {
            name: [_rule_dict(rule) for rule in getattr(self, name)] for name in ("most_sure", "least_sure")
        }

    def to_json(self) -> str:
        """Return the summary as JSON text."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False)

    def to_html(self, *, title: str | None = None, theme: str = "auto") -> str:
        """Return the summary as one HTML file, which needs no network; theme: "auto", "light" or "dark"."""
        from arboretum._show.summary_html import summary_page

        return summary_page(self, title, theme)

    def __str__(self) -> str:
        from arboretum._show.summary_text import summary_to_text

        return summary_to_text(self)

    def __repr__(self) -> str:
        return f"<Summary of a {self.model}: {self.n_rows:,} rows, {self.shape.n_leaves:,} leaves>"

    def _repr_html_(self) -> str:
        """Return the summary for a notebook."""
        from arboretum._show.summary_html import summary_to_html

        return summary_to_html(self)


_AS_RULES: Final = ("most_sure", "least_sure", "tree", "classes")


def summary_of(model: Any) -> Summary:
    """Return the summary of a fitted estimator, or of a tree alone, which knows less."""
    tree = tree_of(model, "summary()")
    alone = isinstance(model, Tree)
    data = None if alone else model._fitted.training_data
    size, shape, columns = size_of(model, tree), shape_of(tree), _columns(tree, data)
    settings = None if alone else settings_of(model)
    suspicions = None if data is None else data.suspicions
    rules = rules_of(tree)
    most, least = _extremes(rules)
    root = tree.root
    return Summary(
        model=type(model).__name__,
        n_rows=root.n_rows,
        n_rows_dropped=None if alone else model._fitted.n_rows_dropped,
        n_rows_held_out=None if data is None else max(0, data.n_rows - root.n_rows),
        weight=root.weight,
        classes=_classes(tree),
        mean=None if tree.rule is not None else root.own_value,
        columns=columns,
        suspicions=suspicions,
        settings=settings,
        size=size,
        shape=shape,
        fit=_training_fit(tree),
        most_sure=most,
        least_sure=least,
        advice=advice_for(None if alone else model, tree, size, shape, columns, suspicions),
        tree=tree,
    )


# --- data


def _columns(tree: Tree, data: Any) -> tuple[ColumnSummary, ...]:
    gains = column_importance(tree)
    total = float(gains.sum())
    asked = _questions_about(tree)
    missing = (None,) * len(gains) if data is None or data.missing is None else data.missing
    levels = (None,) * len(gains) if data is None or data.levels is None else data.levels
    return tuple(
        ColumnSummary(column.name, column.kind, gone, n_levels, gain / total if total > 0 else 0.0, n_asked)
        for column, gone, n_levels, gain, n_asked in zip(
            tree.columns, missing, levels, gains.tolist(), asked, strict=True
        )
    )


def _questions_about(tree: Tree) -> list[int]:
    """Return how many questions ask about each column; one about several counts for each of them."""
    counts = np.zeros(len(tree.columns), dtype=np.int64)
    sizes = np.diff(tree.terms["begin"]) if tree.terms else np.zeros(len(tree), dtype=np.int64)
    alone = (tree.array("n_children") > 0) & (sizes == 0)
    np.add.at(counts, tree.array("column")[alone], 1)
    if tree.terms:
        owner = np.repeat(np.arange(len(tree)), sizes)
        pairs = np.unique(np.stack([owner, tree.terms["column"]]), axis=1)
        np.add.at(counts, pairs[1], 1)
    return [int(count) for count in counts]


def _classes(tree: Tree) -> tuple[tuple[Any, float], ...] | None:
    if tree.rule is None:
        return None
    weighed = tree.array("counts")[0] * tree.rule.factors
    total = float(weighed.sum())
    shares = (weighed / total if total > 0 else weighed).tolist()
    return tuple(zip(tree.target.classes or (), shares, strict=True))


# --- settings


def settings_of(model: Any) -> tuple[Setting, ...]:
    """Return the options that decide, and those that are not the default, in the order of the signature."""
    usual = inspect.signature(type(model).__init__).parameters
    found = []
    for name, value in model.get_params(deep=False).items():
        is_default = name in usual and repr(value) == repr(usual[name].default)
        if name in DECIDING or (not is_default and name not in _LEFT_OUT):
            found.append(Setting(name, repr(value), is_default))
    return tuple(sorted(found, key=lambda setting: setting.is_default))


# --- the tree


def shape_of(tree: Tree) -> Shape:
    """Return the shape of a tree."""
    leaf = tree.array("n_children") == 0
    rows, depth = tree.array("n_rows")[leaf], tree.array("depth")[leaf]
    weight: Numbers = rows if rows.sum() > 0 else np.ones(len(rows))
    return Shape(
        n_nodes=len(tree),
        n_leaves=tree.n_leaves,
        depth=tree.depth,
        mean_questions=float(np.average(depth, weights=weight)),
        least_questions=math.log2(tree.n_leaves),
        smallest_leaf=int(rows.min()),
        largest_leaf=int(rows.max()),
    )


def _training_fit(tree: Tree) -> float | None:
    """Return the training accuracy, or the share of the variance explained; None where it is not known."""
    leaf = tree.array("n_children") == 0
    weight, n_rows = tree.array("weight"), tree.array("n_rows")
    if (
        tree.missing == "fractions" or n_rows[leaf].sum() != n_rows[0]
    ):  # parts of rows, or rows that rest above
        return None
    if tree.rule is not None:
        counts, labels = tree.array("counts")[leaf], tree.array("label")[leaf]
        counts = counts if tree.rule.class_weight is None else counts / tree.rule.class_weight
        total = float(counts.sum())
        return float(counts[np.arange(len(labels)), labels].sum()) / total if total > 0 else None
    root = float(tree.array("impurity")[0] * weight[0])
    if tree.criterion != "squared_error" or root <= 0:
        return None
    # What a leaf predicts may be drawn away from the mean of its rows, which adds its square.
    own = tree.array("own_value" if "own_value" in tree._arrays else "value")
    squares = tree.array("impurity") + (tree.array("value") - own) ** 2
    return 1.0 - float((squares[leaf] * weight[leaf]).sum()) / root


def _extremes(rules: list[Rule]) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the rules that are surest and least sure of what they say, of those that can tell.

    Of classes: by the probability of the label. Of numbers: by the width of the interval of the mean.
    """
    told = [rule for rule in rules if rule.n_rows > 0 and _doubt(rule) is not None]
    if len(told) < 2:
        return (), ()
    ranked = sorted(told, key=lambda rule: (_doubt(rule), -rule.n_rows, rule.node))
    n_each = min(_EXTREMES, len(ranked) // 2)
    return tuple(ranked[:n_each]), tuple(ranked[::-1][:n_each])


def _doubt(rule: Rule) -> float | None:
    if rule.confidence is not None:
        return 1.0 - rule.confidence
    return None if rule.interval is None else rule.interval[1] - rule.interval[0]


# --- JSON


def _rule_dict(rule: Rule) -> dict[str, Any]:
    names = ("n_rows", "share", "confidence", "own_share", "own_value", "interval", "lift", "node")
    label = rule.label if rule.confidence is None else level_to_json(rule.label)
    return {
        "rule": list(rule.outcomes),
        "label": label,
        **{name: _plain(getattr(rule, name)) for name in names},
    }


def _plain(value: Any) -> Any:
    """Return a field in JSON's own types."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, ColumnSummary | Shape | Setting | Size | Suspicion):
        return {name: _plain(each) for name, each in asdict(value).items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
