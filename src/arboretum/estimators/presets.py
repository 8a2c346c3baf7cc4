"""Presets: estimators with the parameters of well-known algorithms, by name. Keywords override them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast

from arboretum._options.choices import ClassMeasure, NumberCriterion
from arboretum._options.strategies import GainRatio, Surrogate
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.pessimistic import Pessimistic
from arboretum.estimators.parameters import ClassifierParameters, RegressorParameters

# The smallest positive number: a question must gain something, however little.
ABOVE_ZERO: Final = 5e-324


class ClassifierPresets:
    """The presets of `TreeClassifier`."""

    if TYPE_CHECKING:

        def __init__(self, **params: Unpack[ClassifierParameters]) -> None: ...

    @classmethod
    def id3(cls, **params: Unpack[ClassifierParameters]) -> Self:
        """Return ID3 (Quinlan 1986): information gain, one branch per value, grown until nothing is left to
        ask.

        The original takes only nominal columns, does not prune and has no missing values. Here thresholds
        cut numeric columns, rows with missing values are left out, and a value without rows at a node
        becomes a leaf with the label of the node above. As in the lecture notes, a node is divided even if
        no question gains anything.

        The lecture notes name ID3 as the example of *early stopping*: stop where a statistical test does not
        justify another question. Quinlan's test is chi-square, of the branches by the classes:
        `id3(significance=0.05)` stops where the table of counts would occur by chance in more than one case
        of twenty.

        >>> from arboretum import TreeClassifier, datasets
        >>> X, y = datasets.load_tennis()
        >>> print(TreeClassifier.id3().fit(X, y).tree_)
        [14 rows]  entropy 0.94: yes 64%, no 36%
        ├── outlook = overcast  [4 rows]  → yes (100%)
        ├── outlook = rainy  [5 rows]  entropy 0.971: yes 60%, no 40%
        │   ├── windy = FALSE  [3 rows]  → yes (100%)
        │   └── windy = TRUE  [2 rows]  → no (100%)
        └── outlook = sunny  [5 rows]  entropy 0.971: no 60%, yes 40%
            ├── humidity = high  [3 rows]  → no (100%)
            └── humidity = normal  [2 rows]  → yes (100%)
        """
        chosen: ClassifierParameters = {
            "criterion": "entropy",
            "nominal": "multiway",
            "levels": "raw",
            "leaf": "frequency",
            "missing": "drop",
            "prune": None,
        }
        return cls(**chosen | params)

    @classmethod
    def c45(cls, **params: Unpack[ClassifierParameters]) -> Self:
        """Return C4.5 as Weka's J48 implements it: gain ratio with its guard, multiway questions, rows
        divided into fractions, pessimistic pruning.

        What the lecture notes call C4.5's pruning is *reduced-error* pruning: set tuning rows aside, grow the
        complete tree, and remove again and again the node whose removal most improves the accuracy on these
        rows. That is `c45(prune="reduced_error")`. C4.5 itself has no rows to spare and prunes
        *pessimistically*: it raises the errors of the training rows to the upper limit of a confidence
        interval. That is the default here.

        Node sizes: at least two branches hold two rows (`-M 2`), counted by weight; each side of a cut also
        holds a tenth of an average class, or 25 rows. `c45(min_samples_leaf=m, min_samples_split=2 * m)` is
        J48's `-M m`, and `c45(nominal="one_vs_rest")` its `-B`. Its `-C 0.1` is
        `c45(prune=Pessimistic(confidence=0.1))`; its `-U` is `c45(prune=CostComplexity(alpha=0.0))`, since
        J48 always replaces subtrees that save no training error. `prune=None` keeps them.

        Differences: J48 compares numbers with a tolerance of 0.000001 and does not cut between values less
        than 0.00001 apart; here numbers are compared exactly. J48 stops if only columns with very many levels
        are left; here they may still be asked about.
        """
        chosen: ClassifierParameters = {
            "criterion": GainRatio(guard="c45", numeric_penalty=True),
            "nominal": "multiway",
            "levels": "raw",
            "leaf": "frequency",
            "thresholds": "table",
            "missing": "fractional",
            "min_samples_split": 4,
            "min_samples_leaf": 2,
            "min_impurity_decrease": ABOVE_ZERO,
            "prune": Pessimistic(),
        }
        return cls(**chosen | params)

    @classmethod
    def cart(cls, **params: Unpack[ClassifierParameters]) -> Self:
        """Return CART (Breiman et al. 1984) as R's rpart grows it: Gini, subsets, surrogates, competitors.

        Node sizes: `minsplit=20`, `minbucket=7`, `maxdepth=30`; a question must gain more than nothing. The
        tree is pruned by cost-complexity: ten folds and the one-standard-error rule choose alpha. rpart grows
        to `cp=0.01`, prints its table and leaves the choice to the user.

        Differences: growth has no complexity limit. Compare it (`prune=None`) with `cp=-1`, because with
        `cp=0` rpart drops every split that saves no error. Exact ties go to the first column and the lowest
        cut; in rpart, the last bit of running sums decides. If a leaf must hold 7 rows, rpart may not try
        the best subset of levels; here it is found. Rows that no surrogate can send go to the side to which
        the question itself sends more weight, both in fitting and in predicting; rpart goes by weight in
        the former and by rows in the latter, and lets rows stop in a tie.
        """
        chosen = cast("ClassifierParameters", _cart("gini", "frequency", "misclassification"))
        return cls(**chosen | params)

    @classmethod
    def decision_tree_train(cls, **params: Unpack[ClassifierParameters]) -> Self:
        """Return DecisionTreeTrain of the lecture notes: yes/no questions, judged by majority votes.

        Each node asks the question whose majority votes are right most often, even if that is no better
        than the node's own majority, until the labels agree or nothing is left to ask. Missing values are
        refused. Differences: a question with the same answer for all rows of a node is not asked, thresholds
        cut numeric columns, and columns with more than two values get a branch for each.
        """
        chosen: ClassifierParameters = {
            "criterion": "misclassification",
            "nominal": "multiway",
            "levels": "raw",
            "leaf": "frequency",
            "missing": "error",
            "prune": None,
        }
        return cls(**chosen | params)


class RegressorPresets:
    """The presets of `TreeRegressor`."""

    if TYPE_CHECKING:

        def __init__(self, **params: Unpack[RegressorParameters]) -> None: ...

    @classmethod
    def cart(cls, **params: Unpack[RegressorParameters]) -> Self:
        """Return CART (Breiman et al. 1984) as R's rpart grows it with method "anova": squared error.

        Everything else is as in `TreeClassifier.cart`.
        """
        chosen = cast("RegressorParameters", _cart("squared_error", "mean", "squared_error"))
        return cls(**chosen | params)


def _cart(criterion: str, leaf: str, measure: ClassMeasure | NumberCriterion) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "leaf": leaf,
        "nominal": "subset",
        "levels": "raw",
        "missing": Surrogate(),
        "min_samples_split": 20,
        "min_samples_leaf": 7,
        "max_depth": 30,
        "min_impurity_decrease": ABOVE_ZERO,
        "competitors": 4,
        "prune": CostComplexity(repeats=1, rule="1se_unpaired", measure=measure),
    }
