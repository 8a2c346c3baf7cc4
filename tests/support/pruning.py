"""What tests of pruning share: random tables and options for every kind of question, and costs by hand.

A case is a table with options that suit it; factors are what priors multiply class weights by; the cost of a
node is what it would cost as a leaf, as the plain-Python pruners want it. Nothing is pruned or compared here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from arboretum import GainRatio, MEstimate, Surrogate, Tree, TreeClassifier, TreeRegressor
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum.reference import Branch, Leaf, from_fitted, subtree_of, training_cost
from arboretum.reference.impurities import Number
from arboretum.reference.subtrees import Loss, Subtree, zero_one
from support.tables import Table, tables
from support.twins import complete_rows

__all__ = ["QUESTIONS", "Case", "draw_case", "ids_of_leaves", "n_subtrees", "plain_loss"]

Options = dict[str, Any]

# Every way to ask about levels, with every way to deal with missing values, where they go together.
QUESTIONS: Final = [
    pytest.param(nominal, missing, id=f"{nominal}-{missing}")
    for nominal in ("subset", "one_vs_rest", "multiway")
    for missing in ("category", "surrogate", "fractional", "drop")
    if (nominal, missing) != ("multiway", "surrogate")
]
_SURROGATES: Final = (
    "surrogate",
    "surrogate",
    Surrogate(0),
    *(Surrogate(n, how) for n in (0, 1, 5) for how in ("surrogates", "never")),
)
_PRIORS: Final = {
    2: ((0.25, 0.75), (0.5, 0.5), (0.9, 0.1)),
    3: ((0.25, 0.25, 0.5), (0.7, 0.2, 0.1)),
    4: ((0.25, 0.25, 0.25, 0.25), (0.4, 0.3, 0.2, 0.1)),
}


@dataclass(frozen=True)
class Case:
    """A table, and the options of an estimator that can learn from it."""

    table: Table
    options: Options

    @property
    def of_classes(self) -> bool:
        criterion = self.options["criterion"]
        return isinstance(criterion, GainRatio) or criterion in CLASS_CRITERIA

    @property
    def exact(self) -> bool:
        """Whether sums of weights and of losses of labels have no rounding."""
        divided = self.options["missing"] == "fractional"
        return self.table.exact and self.of_classes and not divided and "priors" not in self.options

    @property
    def classes(self) -> list[Any]:
        return sorted(set(self.table.targets))

    @cached_property
    def learnt(self) -> list[int]:
        """The rows that the tree is grown from."""
        complete = (
            complete_rows(self.table) if self.options["missing"] == "drop" else range(self.table.n_rows)
        )
        return sorted(set(complete) & set(self.table.counted))

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of the table as plain values."""
        return list(zip(*self.table.columns, strict=True))

    def take(self, rows: Sequence[int]) -> Case:
        """The case of these rows."""
        return replace(self, table=self.table.take(rows))

    def estimator(self, **changes: Any) -> Any:
        """The estimator with these options; nodes predict by their own rows alone, as plain trees do."""
        if self.of_classes:
            return TreeClassifier(**{"leaf": "frequency"} | self.options | changes)
        return TreeRegressor(**{"leaf": "mean"} | self.options | changes)

    def fit(self, **changes: Any) -> Any:
        """The estimator fitted to the table."""
        given = {name: changes.pop(name) for name in list(changes) if name in ("X_val", "y_val")}
        given |= {"sample_weight_val": changes.pop("sample_weight_val", None)} if given else {}
        weights = None if self.table.weights is None else np.array(self.table.weights)
        targets = np.array(self.table.targets)
        return self.estimator(**changes).fit(self.table.frame(), targets, sample_weight=weights, **given)

    @cached_property
    def weights(self) -> list[Fraction]:
        """What each row weighs in what is reported: its own weight, times that of its class."""
        given = self.table.weights or (1.0,) * self.table.n_rows
        of_class = self.options.get("class_weight") or {}
        return [
            Fraction(weight) * Fraction(of_class.get(target, 1))
            for weight, target in zip(given, self.table.targets, strict=True)
        ]

    @cached_property
    def factors(self) -> dict[Any, Number]:
        """Prior over observed share, where there are priors; classes without rows are left out of both."""
        factors: dict[Any, Number] = dict.fromkeys(self.classes, 1)
        if "priors" not in self.options:
            return factors
        observed = {
            name: sum(self.weights[row] for row in self.learnt if self.table.targets[row] == name)
            for name in self.classes
        }
        priors = dict(zip(self.classes, self.options["priors"], strict=True))
        present = [name for name in self.classes if observed[name] > 0]
        whole, prior = sum(observed.values()), sum(priors[name] for name in present)
        return factors | {name: priors[name] / prior / float(observed[name] / whole) for name in present}

    @property
    def loss(self) -> Loss:
        return plain_loss(self.options, self.classes)

    def cost(self, measure: str | None = None) -> Callable[[Leaf | Branch], Number]:
        """What a node costs as a leaf, by the rows that it was grown from."""
        if not self.of_classes:
            return training_cost
        measure = measure or "misclassification"
        return partial(training_cost, measure=measure, factors=self.factors, loss=self.loss)

    def plain(self, tree: Tree, measure: str | None = None) -> Subtree:
        """A fitted tree, as the plain pruners want it."""
        return subtree_of(from_fitted(tree), self.cost(measure))


def plain_loss(options: Options, classes: Sequence[Any]) -> Loss:
    """What predicting a class costs; for numbers, the loss that the criterion is the mean of."""
    if options["criterion"] in NUMBER_CRITERIA:
        return _NUMBER_LOSSES[options["criterion"]]
    if options.get("loss") is None:
        return zero_one
    losses = options["loss"]
    return lambda target, label: losses[classes.index(target)][classes.index(label)]


def _poisson(target: float, mean: float) -> float:
    return float((target * np.log(target / mean) if target > 0 else 0.0) - target + mean)


_NUMBER_LOSSES: Final[dict[str, Loss]] = {
    "squared_error": lambda target, value: (target - value) ** 2,
    "absolute_error": lambda target, value: abs(target - value),
    "poisson": _poisson,
}


def draw_case(
    data: st.DataObject,
    nominal: str,
    missing: str,
    *,
    criteria: Sequence[str] = (*CLASS_CRITERIA, *NUMBER_CRITERIA),
    of_classes: bool = True,
    **limits: Any,
) -> Case:
    """A table with options: weights, and for classes also their weights, priors and losses."""
    criterion = data.draw(st.sampled_from(criteria), label="criterion")
    table = data.draw(
        tables(criterion, **{"min_rows": 8, "max_rows": 40, "max_columns": 3} | limits), label="table"
    )
    options: Options = {
        "criterion": criterion,
        "nominal": nominal,
        "missing": data.draw(st.sampled_from(_SURROGATES)) if missing == "surrogate" else missing,
        "thresholds": data.draw(st.sampled_from(("midpoint", "observed", "table")), label="thresholds"),
        "min_samples_leaf": data.draw(st.sampled_from((1, 1, 2)), label="min_samples_leaf"),
    }
    case = Case(table, options)
    assume(case.learnt)
    assume(criterion != "poisson" or any(table.targets[row] for row in case.learnt))
    if case.of_classes and of_classes:
        options |= data.draw(_class_options(case.classes), label="options of classes")
    return case


@st.composite
def _class_options(draw: st.DrawFn, classes: Sequence[Any]) -> Options:
    """Class weights or priors, a loss, and smoothed leaves, each now and then."""
    options: Options = {}
    n_classes = len(classes)
    if n_classes == 1:
        return options
    match draw(st.sampled_from(("none", "none", "class_weight", "priors"))):
        case "class_weight":
            weights = draw(st.lists(st.sampled_from((1.0, 2.0, 0.5)), min_size=n_classes, max_size=n_classes))
            options["class_weight"] = dict(zip(classes, weights, strict=True))
        case "priors":
            options["priors"] = list(draw(st.sampled_from(_PRIORS[n_classes])))
    if draw(st.booleans()):
        numbers = draw(st.lists(st.integers(1, 5), min_size=n_classes**2, max_size=n_classes**2))
        loss = np.array(numbers).reshape(n_classes, n_classes)
        np.fill_diagonal(loss, 0)
        options["loss"] = loss.tolist()
    options["leaf"] = draw(st.sampled_from(("frequency", "frequency", "laplace", MEstimate(m=4))))
    return options


def ids_of_leaves(tree: Tree) -> list[int]:
    """The ids of the leaves from left to right."""
    return [leaf.id for leaf in tree.leaves()]


def n_subtrees(tree: Subtree) -> int:
    """How many pruned subtrees there are, without making them."""
    product = 1
    for child in tree.children:
        product *= n_subtrees(child)
    return product + 1 if tree.children else 1
