"""The table of options: the name, the rule and the help of every parameter of the estimators.

Checks, "did you mean", the command line and the documentation read it. Values that depend on the columns or
classes of the data are checked here only as far as possible without them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, get_args

from arboretum._options.by_column import check_costs
from arboretum._options.choices import Levels, Nominal, Thresholds
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, ORDER_CRITERIA, CriterionRule
from arboretum._options.missing import POLICIES
from arboretum._options.rules import OneOf, Real, Rows, Rule, Whole
from arboretum._options.running import RandomState, Threads, Verbose
from arboretum._options.strategies import CLASS_LEAF, NUMBER_LEAF, Surrogate
from arboretum._options.strategy import SignificanceRule, StrategyOr

MISSING: Final = tuple(name for name in POLICIES if name not in Surrogate._names)


@dataclass(frozen=True)
class Given:
    """A value that is checked with the data at hand; `check` refuses what no data could make valid."""

    words: str
    check: Callable[[Any], None] | None = None

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        if self.check is not None:
            self.check(value)
        return value


@dataclass(frozen=True)
class Option:
    """A parameter of an estimator."""

    name: str
    rule: Rule
    help: str
    targets: tuple[str, ...] = ("classes", "numbers", "order")


_CLASSES, _NUMBERS, _ORDER = ("classes",), ("numbers",), ("order",)

OPTIONS: Final = (
    Option("criterion", CriterionRule(CLASS_CRITERIA), "What a good question lowers: classes.", _CLASSES),
    Option("criterion", CriterionRule(NUMBER_CRITERIA), "What a good question lowers: numbers.", _NUMBERS),
    Option("criterion", CriterionRule(ORDER_CRITERIA), "What a good question lowers: order.", _ORDER),
    Option("nominal", OneOf(get_args(Nominal)), "The questions about nominal columns."),
    Option("levels", OneOf(get_args(Levels)), "Whether gains are corrected for the number of levels."),
    Option("thresholds", OneOf(get_args(Thresholds)), "Where a question about a number cuts."),
    Option("questions", StrategyOr("questions", ("axis",)), "What a question may be about."),
    Option("search", StrategyOr("search", ("greedy",)), "How a question is chosen."),
    Option("missing", StrategyOr("missing", MISSING), "What happens to missing values."),
    Option("max_depth", Whole(0, or_none=True), "The most questions on a path."),
    Option("min_samples_split", Rows(2), "The fewest rows of a node that is split."),
    Option("min_samples_leaf", Rows(1), "The fewest rows of a leaf."),
    Option(
        "min_weight_fraction_leaf",
        Real("a number from 0.0 to 0.5", most=0.5),
        "The least share of the weight in a leaf.",
    ),
    Option("max_leaf_nodes", Whole(1, or_none=True), "The most leaves."),
    Option("min_impurity_decrease", Real("a number from 0.0 upwards"), "The least gain of a question."),
    Option("significance", SignificanceRule("classes"), "The test that stops growth: classes.", _CLASSES),
    Option("significance", SignificanceRule("numbers"), "The test that stops growth: numbers.", _NUMBERS),
    Option("competitors", Whole(0), "How many runners-up each node remembers."),
    Option("max_bins", Whole(2, or_none=True), "The most buckets per column; None searches exactly."),
    Option("prune", StrategyOr("prune", (None,)), "How the grown tree is cut back."),
    Option(
        "leaf",
        CLASS_LEAF,
        "How class weights become probabilities.",
        _CLASSES,
    ),
    Option("leaf", NUMBER_LEAF, "What a leaf predicts.", _NUMBERS + _ORDER),
    Option(
        "class_weight",
        Given("'balanced' or {class: weight}"),
        "Weights of the classes.",
        _CLASSES,
    ),
    Option("priors", Given("a share for each class"), "Shares of the classes in the population.", _CLASSES),
    Option("loss", Given("a square matrix, zero on its diagonal"), "What mistakes cost.", _CLASSES),
    Option(
        "column_costs",
        Given("a number above 0 for each column, or {name: cost}", check_costs),
        "What the gains of a column are divided by when columns compete.",
    ),
    Option(
        "monotonic_cst",
        Given("-1, 0 or 1 for each column, or {name: direction}"),
        "Columns along which predictions only rise or only fall.",
    ),
    Option(
        "categorical_features",
        Given("'from_dtype', a mask, positions, names or {column: levels}"),
        "Columns that are nominal whatever their type says.",
    ),
    Option(
        "ordered_features",
        Given("a mask, positions, names or {column: levels}"),
        "Columns whose levels are in order.",
    ),
    Option("random_state", RandomState(), "The seed for shuffling rows."),
    Option("n_jobs", Threads(), "The number of threads."),
    Option("verbose", Verbose(), "How much is shown."),
)


def options_for(target: str) -> dict[str, Option]:
    """Return the options of estimators of classes, of numbers or of an order, by name."""
    return {option.name: option for option in OPTIONS if target in option.targets}


def table() -> str:
    """Return the options as a Markdown table: what each may be, and what it does."""
    lines = ["| option | allowed | what it does |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| `{o.name}` | {o.rule.words} | {o.help} |" for o in OPTIONS)])
