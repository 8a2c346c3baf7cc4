"""Simplified rules: fewer and shorter ones than a tree has leaves, tried in order, with a default class.

The rules of all leaves lose what they do not need (generalising.py); the best of them are chosen and put in
order (choosing.py). `RuleList` is the result: a value that predicts, prints and says how well it does beside
the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import gammaln

from arboretum._data import Dataset, Unknown
from arboretum._data.targets import match_classes, read_weights
from arboretum._grow.training_rows import refuse_missing
from arboretum._options.rules import Real
from arboretum._tree.digits import DIGITS
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.leaves import cheapest
from arboretum._tree.tree import Tree, core_dataset, labels_of
from arboretum._types import Array, Codes, Mask, Numbers
from arboretum.errors import DataError, import_pandas
from arboretum.inspection.rules.choosing import Rows, chosen_order
from arboretum.inspection.rules.conditions import Condition
from arboretum.inspection.rules.figures import wilson
from arboretum.inspection.rules.generalising import Asker, Costs, Draft, generalised, single_conditions
from arboretum.inspection.rules.matching import Table
from arboretum.inspection.rules.merging import merged
from arboretum.inspection.rules.premises import as_read, premises

if TYPE_CHECKING:
    import pandas as pd

_ASKER: Final = "simplified_rules()"


@dataclass(frozen=True)
class ListedRule:
    """A rule of a list. It decides about the rows that meet its conditions, and none of an earlier rule."""

    conditions: tuple[Condition, ...]
    label: Any
    n_rows: int  # of the given rows, those that meet its conditions
    n_decided: int  # and those that no earlier rule decides about
    share: float  # of all given rows
    confidence: float  # the share of the label among the rows that meet its conditions, by weight
    interval: tuple[float, float] | None  # Wilson's, 95 %; None where rows have weights
    lift: float
    error: float  # by which it was simplified: estimated, or as counted
    tree: Tree = field(repr=False, compare=False)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The conditions as text, one each."""
        from arboretum._show.rule_text import condition_texts

        return condition_texts(self.tree, self.conditions_read)

    @property
    def premise(self) -> str:
        """All conditions in one line, in brackets where one could be misread before an "and"."""
        from arboretum._show.rule_text import premise_text

        return premise_text(self.tree, self.conditions_read)

    @property
    def conditions_read(self) -> tuple[Condition, ...]:
        """The conditions for people, about known values where surrogates stand in for missing ones."""
        return merged(as_read(condition) for condition in self.conditions)

    def __str__(self) -> str:
        from arboretum._show.rule_text import listed_rule_to_text

        return listed_rule_to_text(self)


@dataclass(frozen=True, eq=False)
class RuleList:
    """Rules in the order they are tried, and what is said of rows that meet none: the `default` class.

    `accuracy` is the share of the given rows that the list gets right, `tree_accuracy` that of the tree.

    Attributes
    ----------
    rules : the rules, in the order they are tried
    n_default, n_rows : how many rows meet no rule, and how many there are
    """

    rules: tuple[ListedRule, ...]
    default: Any
    n_default: int  # of the given rows, those that meet no rule
    n_rows: int
    accuracy: float
    tree_accuracy: float
    tree: Tree = field(repr=False)
    _classes: Array = field(repr=False)
    _matching: dict[str, Any] = field(repr=False)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[ListedRule]:
        return iter(self.rules)

    @property
    def n_conditions(self) -> int:
        """The number of conditions of all rules."""
        return sum(len(rule.conditions_read) for rule in self.rules)

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return the class of each row of a table: that of the first rule it meets, or the default."""
        codes = self._codes(self.tree._matched(X, unknown=unknown, **self._matching))
        found: Array = self._classes.take(codes)
        return found

    def apply(self, X: Any, *, unknown: Unknown = "missing") -> Codes:
        """Return which rule decides about each row of a table, counted from 0; -1 is the default."""
        return _first(self._covers(self.tree._matched(X, unknown=unknown, **self._matching)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the rows of a table that the list gets right."""
        data = self.tree._matched(X, **self._matching)
        known = match_classes(y, data.n_rows, self._classes, "RuleList")
        weights = read_weights(sample_weight, data.n_rows)
        return float(np.average(self._codes(data) == known, weights=weights))

    def _codes(self, data: Dataset) -> Codes:
        labels = list(self.tree.target.classes or ())
        said = [labels.index(rule.label) for rule in self.rules]
        codes = np.array([*said, labels.index(self.default)], dtype=np.int32)
        return codes[_first(self._covers(data))]  # -1 is the last: the default

    def _covers(self, data: Dataset) -> Mask:
        table = Table(data)
        rows = [table.meets_all(rule.conditions) for rule in self.rules]
        return np.array(rows, dtype=np.bool_).reshape(len(rows), data.n_rows)

    # --- shown

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per rule; the last is the default."""
        names = ("label", "n_rows", "n_decided", "share", "confidence", "lift", "error")
        columns: dict[str, list[Any]] = {"rule": [rule.premise for rule in self.rules]}
        columns |= {name: [getattr(rule, name) for rule in self.rules] for name in names}
        columns |= {
            name: [None if rule.interval is None else rule.interval[i] for rule in self.rules]
            for i, name in enumerate(("low", "high"))
        }
        last = {"rule": "otherwise", "label": self.default, "n_decided": self.n_default}
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(
            {name: [*values, last.get(name)] for name, values in columns.items()}
        )
        frame["n_rows"] = frame["n_rows"].astype("Int64")  # integers, and none for the default
        return frame

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the list as text, one line per rule; `digits` of a threshold are shown, None: all."""
        from arboretum._show.rule_text import rule_list_to_text

        return rule_list_to_text(self, digits=digits)

    def to_json(self) -> str:
        """Return the list as JSON text, with thresholds in full; conditions are those of `to_rules`."""
        from arboretum.export._rule_list import rule_list_to_json

        return rule_list_to_json(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        many = f"{len(self)} rule{'' if len(self) == 1 else 's'}"
        return f"<RuleList: {many}, accuracy {self.accuracy:.3f}; the tree's {self.tree_accuracy:.3f}>"


def simplified_rules(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, confidence: float | None = 0.25
) -> RuleList:
    """Return a short list of rules, tried in order, that says nearly what a tree of classes says.

    As C4.5rules does it (Quinlan 1993, chapter 5): every path loses the conditions that do not lower its
    error rate, each class keeps the rules that describe its rows in the fewest bits, classes with few false
    alarms come first, and the most frequent class of the rows left over is the default.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> model = TreeClassifier(prune=None).fit(X, y)
    >>> rules = simplified_rules(model, X, y)
    >>> model.get_n_leaves(), len(rules)
    (15, 3)
    >>> print(rules.rules[0])
    flipper_length_mm > 206.5 and bill_depth_mm <= 17.65 → Gentoo (100% of 122 rows)

    Parameters
    ----------
    model : a fitted TreeClassifier, or a Tree of classes
    X, y, sample_weight : rows to judge rules by, such as those that the tree was grown from
    confidence : up to 0.5; the smaller, the more is dropped
        The chance with which the true error rate of a rule exceeds the estimate. None counts errors as they
        are: for rows that the tree was not grown from.
    """
    tree = tree_of(model, _ASKER)
    if tree.rule is None or tree.target.classes is None:
        raise DataError(
            "simplified_rules() needs a tree of classes: where simplified rules overlap, the first one "
            "decides, and numbers would take its word for rows that it does not fit.\n"
            "Hint: tree.rules() has the merged rules of a tree of numbers."
        )
    Real("a number above 0 and up to 0.5, or None", above=True, most=0.5, or_none=True).read(
        confidence, "confidence"
    )
    return _Simplifier(model, tree, X, y, sample_weight, confidence).rule_list()


class _Simplifier:
    """The rows that rules are judged by, and what they cost."""

    def __init__(
        self, model: Any, tree: Tree, X: Any, y: Any, sample_weight: Any, confidence: float | None
    ) -> None:
        assert tree.rule is not None
        owner = "this tree" if isinstance(model, Tree) else type(model).__name__
        refuses = getattr(model, "missing", None) == "error"
        self.tree, self.classes = tree, getattr(model, "classes_", labels_of(tree))
        self.matching: dict[str, Any] = {
            "named": has_names(model, tree),
            "owner": owner,
            "check": refuse_missing if refuses else None,
        }
        data = tree._matched(X, **self.matching)
        if data.n_rows == 0:
            raise DataError("X has no rows, so that no rule can be judged by them.")
        numbers = match_classes(y, data.n_rows, self.classes, owner)
        weights = read_weights(sample_weight, data.n_rows)
        if weights is not None:
            counting = np.flatnonzero(weights)
            data, numbers, weights = data.take(counting), numbers[counting], weights[counting]
        self.data, self.numbers, self.weights = data, numbers, weights
        self.costs = _costs(tree, numbers, weights, confidence)

    def rule_list(self) -> RuleList:
        """Return the simplified rules of the tree."""
        asker = Asker(Table(self.data))
        drafts = self._drafts(asker)
        covers = np.array([asker.covered(draft.conditions) for draft in drafts], dtype=np.bool_)
        covers = covers.reshape(len(drafts), self.data.n_rows)
        size = covers @ self.costs.size
        wrong = np.array(
            [self.costs.cost[rows, d.label].sum() for rows, d in zip(covers, drafts, strict=True)]
        )
        error = self.costs.error(wrong, size)
        bits = np.array([_bits(len(draft.conditions), asker.n_conditions) for draft in drafts])
        rows = Rows.grouped(covers, self.numbers, self.costs)
        order, default = chosen_order(drafts, rows, error, bits)
        return self._listed([drafts[place] for place in order], covers[order], error[order], default)

    def _drafts(self, asker: Asker) -> list[Draft]:
        """Return the rules of all leaves, simplified, each only once; one that always holds is no rule."""
        labels, is_leaf = self.tree.array("label"), self.tree.array("n_children") == 0
        found: dict[tuple[frozenset[Condition], int], Draft] = {}
        for reached in premises(self.tree, exact=True):
            if not is_leaf[reached.number]:
                continue
            whole = reached.premise.conditions.values()
            parts = single_conditions(whole, divided=self.tree.missing == "fractions")
            draft = generalised(Draft(parts, int(labels[reached.number])), asker, self.costs)
            if draft.conditions:
                found.setdefault((frozenset(draft.conditions), draft.label), draft)
        return list(found.values())

    def _listed(self, drafts: Sequence[Draft], covers: Mask, error: Numbers, default: int) -> RuleList:
        classes = self.tree.target.classes or ()
        first = _first(covers)
        said = np.array([*(draft.label for draft in drafts), default])[first]
        weights = np.ones(self.data.n_rows) if self.weights is None else self.weights
        rules = []
        for place, draft in enumerate(drafts):
            rows, right = covers[place], self.numbers == draft.label
            n_rows = int(rows.sum())
            share = float(np.average(right[rows], weights=weights[rows])) if n_rows else 0.0
            low, high = wilson(np.array([float((rows & right).sum())]), np.array([float(n_rows)]))
            known = self.weights is None and n_rows > 0
            among_all = float(np.average(right, weights=weights))
            rules.append(
                ListedRule(
                    merged(draft.conditions),
                    classes[draft.label],
                    n_rows=n_rows,
                    n_decided=int((first == place).sum()),
                    share=n_rows / self.data.n_rows,
                    confidence=share,
                    interval=(float(low[0]), float(high[0])) if known else None,
                    lift=share / among_all if among_all > 0 else float("nan"),
                    error=float(error[place]),
                    tree=self.tree,
                )
            )
        return RuleList(
            tuple(rules),
            classes[default],
            n_default=int((first < 0).sum()),
            n_rows=self.data.n_rows,
            accuracy=float(np.average(said == self.numbers, weights=weights)),
            tree_accuracy=float(np.average(self._tree_says() == self.numbers, weights=weights)),
            tree=self.tree,
            _classes=self.classes,
            _matching=self.matching,
        )

    def _tree_says(self) -> Codes:
        tree, rows = self.tree, core_dataset(self.data)
        if tree.missing != "fractions":
            labels: Codes = tree.array("label")[tree._leaves_of(self.data)]
            return labels
        assert tree.rule is not None
        return cheapest(tree._router.blend(rows, tree.array("probability")), tree.rule.loss)


def _costs(tree: Tree, numbers: Codes, weights: Numbers | None, confidence: float | None) -> Costs:
    """Return what rows cost, with the class weights, priors and losses of the tree; one a row on average."""
    rule = tree.rule
    assert rule is not None
    factors = rule.factors if rule.class_weight is None else rule.factors * rule.class_weight
    size = factors[numbers] * (1.0 if weights is None else weights)
    losses = rule.costs()
    most = losses.max(axis=1)
    cost = size[:, None] * losses[numbers]
    size = size * most[numbers]
    one = float(size.mean())
    return Costs(size / one, cost / one, confidence) if one > 0 else Costs(size, cost, confidence)


def _bits(n_conditions: int, n_known: int) -> float:
    """Return the bits of a rule: which of all conditions it has; their order says nothing."""
    return float(n_conditions * np.log2(max(n_known, 2)) - gammaln(n_conditions + 1) / np.log(2))


def _first(covers: Mask) -> Codes:
    """Return the first rule that covers each row; -1 where none does."""
    if not len(covers):
        return np.full(covers.shape[1], -1, dtype=np.int32)
    return np.where(covers.any(axis=0), covers.argmax(axis=0), -1).astype(np.int32)
