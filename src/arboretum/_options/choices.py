"""The names that options take, as types: an editor completes them, and a type checker refuses any other."""

from typing import Literal, TypeAlias

ClassCriterion: TypeAlias = Literal["gini", "entropy", "misclassification", "gain_ratio"]
NumberCriterion: TypeAlias = Literal["squared_error", "absolute_error", "poisson"]
OrderCriterion: TypeAlias = Literal["within_query", "pairwise", "ndcg"]
Nominal: TypeAlias = Literal["subset", "one_vs_rest", "multiway"]
Levels: TypeAlias = Literal["corrected", "raw"]
Thresholds: TypeAlias = Literal["midpoint", "observed", "table", "round"]
Missing: TypeAlias = Literal["category", "surrogate", "fractional", "drop", "error"]
Leaf: TypeAlias = Literal["frequency", "laplace", "shrinkage", "honest"]
NumberLeaf: TypeAlias = Literal["mean", "shrinkage", "honest", "linear", "median", "quantiles"]
ChosenStrength: TypeAlias = Literal["cv"]
Automatic: TypeAlias = Literal["auto"]
Guard: TypeAlias = Literal["average", "c45"]
Climb: TypeAlias = Literal["dips", "greedy"]
Send: TypeAlias = Literal["always", "surrogates", "never"]
Agreement: TypeAlias = Literal["node", "known"]
ChosenAlpha: TypeAlias = Literal["auto", "cv", "holdout"]
ChoiceRule: TypeAlias = Literal["1se", "1se_unpaired", "average", "min"]
ClassMeasure: TypeAlias = Literal[
    "misclassification",
    "log_loss",
    "brier",
    "balanced_accuracy",
    "auc",
    "average_precision",
    "gini",
    "entropy",
]
Complexity: TypeAlias = Literal["leaves", "depth"]
Order: TypeAlias = Literal["greedy", "leaves", "bottom_up"]
Adjustment: TypeAlias = Literal["bonferroni"]
Statistic: TypeAlias = Literal["quadratic", "maximum"]
Cuts: TypeAlias = Literal["all", "class_change"]
