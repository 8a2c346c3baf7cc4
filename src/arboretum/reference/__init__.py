"""The algorithms of the lecture notes in plain Python: to read, and to check the compiled engine against.
Words: each algorithm keeps the name that it has in the notes, written in lower case.
Does not aim at speed, and imports nothing but the standard library and `arboretum.information`.

- `grow_tree`: nominal columns, one branch per value, empty branches labelled from above
- `make_subtree`: candidate splits of nominal and numeric columns, the best by information gain
- `decision_tree_train`, `decision_tree_test`: columns of yes and no, the best by majority votes
- `grow_regression_tree`: least squares, averages as predictions
- `grow`, `candidate_splits`, `best_split`: what the engine does, by brute force with exact fractions; and
  what C4.5 (`GainRatio`, fractions of rows) and CART (`Surrogate`) do besides
- `predict_row`: what a tree of `grow` predicts, also where values are missing

Each algorithm has its own kinds of node, in the module that is named like it.
"""

from arboretum.reference.decision_tree_train import decision_tree_test, decision_tree_train
from arboretum.reference.gain_ratio import GainRatio
from arboretum.reference.grow_tree import grow_tree
from arboretum.reference.make_subtree import (
    determine_candidate_numeric_splits,
    determine_candidate_splits,
    find_best_split,
    info_gain,
    make_subtree,
)
from arboretum.reference.nodes import Branch, Competitor, Leaf, Split, SurrogateQuestion
from arboretum.reference.plain_tree import grow
from arboretum.reference.predictions import predict_row
from arboretum.reference.questions import IsMissing, Multiway, Subset, Threshold
from arboretum.reference.regression_tree import grow_regression_tree
from arboretum.reference.splits import best_split, candidate_splits, divide
from arboretum.reference.surrogates import Surrogate
from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMER_LEVELS, CUSTOMERS, PLAY, PLAY_TENNIS

__all__ = [
    "CUSTOMERS",
    "CUSTOMER_CLASSES",
    "CUSTOMER_LEVELS",
    "PLAY",
    "PLAY_TENNIS",
    "Branch",
    "Competitor",
    "GainRatio",
    "IsMissing",
    "Leaf",
    "Multiway",
    "Split",
    "Subset",
    "Surrogate",
    "SurrogateQuestion",
    "Threshold",
    "best_split",
    "candidate_splits",
    "decision_tree_test",
    "decision_tree_train",
    "determine_candidate_numeric_splits",
    "determine_candidate_splits",
    "divide",
    "find_best_split",
    "grow",
    "grow_regression_tree",
    "grow_tree",
    "info_gain",
    "make_subtree",
    "predict_row",
]
