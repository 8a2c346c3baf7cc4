"""Settings: the parameters of an estimator as one frozen value, checked before any data are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arboretum._data.class_weights import check_class_options
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._options.optimal import Optimal
from arboretum._options.strategies import (
    FilledLeaf,
    GainRatio,
    Lookahead,
    MofN,
    Oblique,
    Shrinkage,
    Surrogate,
    leaf_layers,
)
from arboretum._options.strategy import Strategy
from arboretum._options.table import options_for


@dataclass(frozen=True)
class Settings:
    """The options of one fit, checked and ready to use. Each field has the name of its option."""

    of_classes: bool
    criterion: str
    ratio: GainRatio | None  # how the gain ratio decides, where it is the criterion
    questions: str | MofN | Oblique
    search: str | Lookahead | Optimal
    missing: str
    surrogate: Surrogate | None  # how surrogates are used, where missing is "surrogate"
    prune: Any  # a pruner, or None
    nominal: str
    levels: str
    thresholds: str
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    competitors: int
    max_bins: int | None
    column_costs: Any
    monotonic_cst: Any
    categorical_features: Any
    ordered_features: Any
    random_state: Any
    leaf: str | Strategy
    n_jobs: int  # threads
    verbose: bool
    significance: Any = None  # a test, or None
    class_weight: Any = None
    priors: Any = None
    loss: Any = None

    @property
    def of_order(self) -> bool:
        """Whether the order of rows within queries is learnt."""
        return self.criterion in ORDER_CRITERIA

    @property
    def shrinkage(self) -> Shrinkage:
        """How predictions are drawn towards the nodes above."""
        estimate = self.leaf_layers[-1]
        return estimate if isinstance(estimate, Shrinkage) else Shrinkage(0.0)

    @property
    def leaf_layers(self) -> list[Any]:
        """The leaf option and those within it, from the outermost; the last says what a leaf predicts."""
        return leaf_layers(self.leaf)

    @property
    def filled_leaves(self) -> list[FilledLeaf]:
        """The leaf options that need the rows of the tree."""
        return [layer for layer in self.leaf_layers if isinstance(layer, FilledLeaf)]

    @property
    def counts_weight(self) -> bool:
        """Whether limits or prices count weight rather than rows."""
        return self.missing == "fractional" or bool(self.ratio and self.ratio.numeric_penalty)


def read_settings(params: Mapping[str, Any], *, of_classes: bool, of_order: bool = False) -> Settings:
    """Return the settings that an estimator's parameters stand for; refuse the first that is not allowed."""
    options = options_for("order" if of_order else "classes" if of_classes else "numbers")
    values = {name: option.rule.read(params[name], name) for name, option in options.items()}
    criterion, missing = values.pop("criterion"), values.pop("missing")
    settings = Settings(
        of_classes=of_classes,
        criterion="gain_ratio" if isinstance(criterion, GainRatio) else criterion,
        ratio=criterion if isinstance(criterion, GainRatio) else None,
        missing="surrogate" if isinstance(missing, Surrogate) else missing,
        surrogate=missing if isinstance(missing, Surrogate) else None,
        **values,
    )
    check_class_options(settings.class_weight, settings.priors, settings.loss)
    for value in values.values():
        if isinstance(value, Strategy):
            value._check_beside(settings)
    return settings


def strategy_of(option: str, value: Any, *, of_classes: bool) -> Strategy | None:
    """Return the strategy that an option's value stands for; None if the value is a plain name."""
    options = options_for("classes" if of_classes else "numbers")
    found = options[option].rule.read(value, option) if option in options else None
    return found if isinstance(found, Strategy) else None
