"""The algorithms of the lecture notes in plain Python: to read, and to check the compiled engine against.

Each algorithm keeps the name it has in the lecture notes, in lower case, and has its own kinds of node in the
module of that name. Clarity comes before speed; only `from_fitted` and the pruners know trees of the library.

- `grow_tree` with `homogeneous`, `label` and `best_split`: nominal columns, one branch per value, empty
  branches labelled from above; `classify` and `draw` read its trees
- `make_subtree`: candidate splits of nominal and numeric columns, the best by information gain
  (`find_best_split`) or by that of two levels (`lookahead_find_best_split`, `evaluate_split`)
- `find_m_of_n`: "at least m of these n literals", by hill climbing
- `decision_tree_train`, `decision_tree_test`: columns of yes and no, the best by majority vote
- `grow_regression_tree`: least squares, averages as predictions
- `grow`, `candidate_splits`, `best_candidate`: what the engine does, by brute force with exact
  fractions; C4.5 adds `GainRatio` and fractions of rows, CART adds `Surrogate`; `predict_row` predicts
- `weakest_link_path`: cost-complexity pruning; `smallest_minimiser` finds the same by trying `all_subtrees`
- `reduce_error`: pruning with rows held aside, in the two orders of the lecture notes and a third
- `prune_pessimistically`: how C4.5 prunes with the rows the tree was grown from

The pruners work on trees of `grow` and on fitted trees, which `from_fitted` turns into such.
"""

from arboretum.reference.decision_tree_train import decision_tree_test, decision_tree_train
from arboretum.reference.fitted import from_fitted
from arboretum.reference.grow_tree import best_split, classify, draw, grow_tree, homogeneous, label, levels_of
from arboretum.reference.m_of_n import AtLeast, Literal, climb, determine_candidate_literals, find_m_of_n
from arboretum.reference.make_subtree import (
    determine_candidate_numeric_splits,
    determine_candidate_splits,
    evaluate_split,
    find_best_split,
    info_gain,
    lookahead_find_best_split,
    make_subtree,
)
from arboretum.reference.missing import Surrogate
from arboretum.reference.nodes import Branch, Competitor, Leaf, Split, SurrogateQuestion
from arboretum.reference.pessimistic import action_table, extra_errors, prune_pessimistically
from arboretum.reference.plain_tree import grow, predict_row
from arboretum.reference.questions import IsMissing, Multiway, Subset, Threshold
from arboretum.reference.reduced_error import reduce_error, trial_table
from arboretum.reference.regression_tree import grow_regression_tree
from arboretum.reference.splits import GainRatio, best_candidate, candidate_splits, divide
from arboretum.reference.subtrees import (
    Subtree,
    all_subtrees,
    smallest_minimiser,
    subtree_of,
    training_cost,
    tuning_tree,
)
from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMER_LEVELS, CUSTOMERS, PLAY, PLAY_TENNIS
from arboretum.reference.weakest_link import path_table, tree_at, weakest_link_path

__all__ = [
    "CUSTOMERS",
    "CUSTOMER_CLASSES",
    "CUSTOMER_LEVELS",
    "PLAY",
    "PLAY_TENNIS",
    "AtLeast",
    "Branch",
    "Competitor",
    "GainRatio",
    "IsMissing",
    "Leaf",
    "Literal",
    "Multiway",
    "Split",
    "Subset",
    "Subtree",
    "Surrogate",
    "SurrogateQuestion",
    "Threshold",
    "action_table",
    "all_subtrees",
    "best_candidate",
    "best_split",
    "candidate_splits",
    "classify",
    "climb",
    "decision_tree_test",
    "decision_tree_train",
    "determine_candidate_literals",
    "determine_candidate_numeric_splits",
    "determine_candidate_splits",
    "divide",
    "draw",
    "evaluate_split",
    "extra_errors",
    "find_best_split",
    "find_m_of_n",
    "from_fitted",
    "grow",
    "grow_regression_tree",
    "grow_tree",
    "homogeneous",
    "info_gain",
    "label",
    "levels_of",
    "lookahead_find_best_split",
    "make_subtree",
    "path_table",
    "predict_row",
    "prune_pessimistically",
    "reduce_error",
    "smallest_minimiser",
    "subtree_of",
    "training_cost",
    "tree_at",
    "trial_table",
    "tuning_tree",
    "weakest_link_path",
]


def __dir__() -> list[str]:
    return sorted(__all__)
