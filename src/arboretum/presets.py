"""Presets: the algorithms of the lecture notes and of the programs that people know, by their names.

Words: a *preset* is an estimator with the parameters that make it grow as the original does.
Nothing is grown here; keyword arguments override every choice.
"""

from __future__ import annotations

from typing import Any, Final, Self

from arboretum.pruning.cost_complexity import CostComplexity
from arboretum.pruning.pessimistic import Pessimistic
from arboretum.strategies import GainRatio, Surrogate

__all__ = ["ABOVE_ZERO", "ClassifierPresets", "RegressorPresets"]

# The smallest positive number: a question must gain something, however little.
ABOVE_ZERO: Final = 5e-324


class ClassifierPresets:
    """The presets of `TreeClassifier`."""

    @classmethod
    def id3(cls, **params: Any) -> Self:
        """Return ID3 (Quinlan 1986): information gain, one branch per value, grown until nothing is left to
        ask.

        The original takes nominal columns only and neither prunes nor knows missing values. Here numeric
        columns are cut by thresholds, rows with missing values are left out, and a value without rows at a
        node becomes a leaf with the label of the node above. As in the notes, a node is divided even if no
        question gains anything.

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
        chosen: dict[str, Any] = {
            "criterion": "entropy",
            "nominal": "multiway",
            "missing": "drop",
            "prune": None,
        }
        return cls(**chosen | params)

    @classmethod
    def c45(cls, **params: Any) -> Self:
        """Return C4.5 as Weka's J48 has it: gain ratio with its guard, multiway, rows divided into
        fractions; pruned pessimistically.

        Node sizes: at least two branches hold two rows (`-M 2`), counted by weight; each side of a cut also
        holds a tenth of an average class, or 25 rows. `c45(min_samples_leaf=m, min_samples_split=2 * m)` is
        J48's `-M m`, and `c45(nominal="one_vs_rest")` its `-B`. Its `-C 0.1` is
        `c45(prune=Pessimistic(confidence=0.1))`; its `-U` is `c45(prune=CostComplexity(alpha=0.0))`, since
        J48 always replaces subtrees that save no training error. `prune=None` keeps them.

        Differences: J48 compares numbers with a tolerance of 0.000001 and does not cut between values less
        than 0.00001 apart; here numbers are compared as they are. J48 stops where only columns with very many
        levels are left to ask; here they may be asked.
        """
        chosen: dict[str, Any] = {
            "criterion": GainRatio(guard="c45", numeric_penalty=True),
            "nominal": "multiway",
            "thresholds": "table",
            "missing": "fractional",
            "min_samples_split": 4,
            "min_samples_leaf": 2,
            "min_impurity_decrease": ABOVE_ZERO,
            "prune": Pessimistic(),
        }
        return cls(**chosen | params)

    @classmethod
    def cart(cls, **params: Any) -> Self:
        """Return CART (Breiman et al. 1984) as R's rpart grows it: Gini, subsets, surrogates, competitors.

        Node sizes: `minsplit=20`, `minbucket=7`, `maxdepth=30`; a question must gain more than nothing. The
        tree is pruned by cost-complexity: alpha by ten folds and the rule of one standard error. rpart grows
        as far as `cp=0.01`, prints its table and leaves the choice to the user.

        Differences: growth has no complexity limit. Compare it (`prune=None`) with `cp=-1`, since with
        `cp=0` rpart drops every split that saves no error. Exact ties go to the first column and the lowest
        cut, where rpart's running sums decide by their last bit. Where a leaf must hold 7 rows, the best
        subset of levels may be none that rpart tries; here it is found. Rows that no surrogate can send go
        where the question itself sends more weight, when fitting and when predicting; rpart goes by weight in
        the one case and by rows in the other, and leaves ties where they are.
        """
        return cls(**_cart("gini") | params)

    @classmethod
    def decision_tree_train(cls, **params: Any) -> Self:
        """Return DecisionTreeTrain of the notes: questions of yes and no, judged by majority votes.

        The question whose answers' majorities are right most often is asked, even if that is no better than
        the node's own majority, until the labels agree or nothing is left to ask. Missing values are refused.
        Differences: questions whose answer is the same for all rows of a node are not asked, numeric columns
        are cut by thresholds, and columns of more than two values get a branch for each.
        """
        chosen: dict[str, Any] = {
            "criterion": "misclassification",
            "nominal": "multiway",
            "missing": "error",
            "prune": None,
        }
        return cls(**chosen | params)


class RegressorPresets:
    """The presets of `TreeRegressor`."""

    @classmethod
    def cart(cls, **params: Any) -> Self:
        """Return CART (Breiman et al. 1984) as R's rpart grows it with method "anova": squared error.

        Everything else is as in `TreeClassifier.cart`.
        """
        return cls(**_cart("squared_error") | params)


def _cart(criterion: str) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "nominal": "subset",
        "missing": Surrogate(),
        "min_samples_split": 20,
        "min_samples_leaf": 7,
        "max_depth": 30,
        "min_impurity_decrease": ABOVE_ZERO,
        "competitors": 4,
        "prune": CostComplexity(),
    }
