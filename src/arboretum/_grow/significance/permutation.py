"""The permutation test: how often does the search find as good a question in shuffled targets?

Each shuffle deals the targets of a node, with their weights, out to its rows again.
"""

from __future__ import annotations

import math
from typing import ClassVar, Final, Self

from arboretum import _core
from arboretum._grow.significance.asked import Asked
from arboretum._grow.significance.stopping import QuestionTest
from arboretum._grow.targets import Targets
from arboretum._options.rules import Whole
from arboretum._wording import shown
from arboretum.errors import ParameterError

_ROUNDING: Final = 1e-9  # gains that differ by less, in shares, are equal


class Permutation(QuestionTest):
    """Ask a question only if shuffled targets rarely give one as good.

    The targets of the node's rows, with their weights, are shuffled, and the best question of all columns and
    cuts is searched again, with the same options. The p-value is (1 + shuffles with a gain as large) / (1 +
    shuffles); with `criterion="gain_ratio"`, gain ratios are compared, and with `column_costs`, gains divided
    by the cost. The best of all is compared with the best of all: nothing needs adjusting, and columns with
    many values have no advantage. The test assumes nothing about the targets and works for classes and
    numbers.

    Shuffling stops as soon as the p-value can no longer come down to the level; the p-value of such a node is
    coarser, because it counts only the shuffles made so far. A question that is asked has seen them all.
    `random_state` controls the shuffles (None is always the same); they do not depend on the order of rows.

    The test is about the node: what the best question gains there on its own, regardless of `monotonic_cst`
    in nodes above and of `search=Lookahead(…)`. Where rows are divided, their parts are shuffled like rows.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(significance=Permutation(level=0.01, permutations=200), prune=None).fit(X, y)
    >>> model.get_n_leaves(), round(model.tree_.root.p_value, 4)
    (4, 0.005)

    Parameters
    ----------
    level : float
        A node whose p-value is above this becomes a leaf.
    permutations : int
        How many shuffles are compared.
    """

    permutations: int = 1000

    _rules: ClassVar = {"level": QuestionTest._level, "permutations": Whole(1)}
    _searches = True

    def _checked(self) -> Self:
        super()._checked()
        if 1 / (1 + self.permutations) > self.level:
            raise ParameterError(
                f"significance=Permutation(level={shown(self.level)}, "
                f"permutations={self.permutations!r}) is not "
                f"allowed: no p-value could be so small; give at least {math.ceil(1 / self.level - 1)} "
                "permutations."
            )
        return self

    def _p_value(self, asked: Asked) -> float:
        n_most = int(self.permutations)
        options = _only_the_root(asked.tested.make_options())
        least = _best(asked, asked.targets, options) * (1.0 - _ROUNDING)
        random = asked.tested.random(asked.node)
        enough = math.floor(self.level * (1 + n_most))  # this many as large put it above the level
        n_large = n_done = 0
        while n_done < n_most and n_large < enough:
            shuffled = asked.targets.take(random.permutation(asked.targets.n_rows))
            n_large += _best(asked, shuffled, options) >= least
            n_done += 1
        return (1 + n_large) / (1 + n_done)


def _only_the_root(options: _core.GrowOptions) -> _core.GrowOptions:
    """Let the core search for one question only."""
    options.max_depth = 1
    options.competitors = 0
    options.surrogates.most = 0
    options.lookahead.depth = 0  # there is nothing ahead
    options.min_decrease = 0.0
    options.thresholds = _core.Thresholds.midpoint  # where between two values a cut lies does not matter
    return options


def _best(asked: Asked, targets: Targets, options: _core.GrowOptions) -> float:
    """Return the gain of the best question, divided by the cost of its column; 0 without a question."""
    tree = asked.tested.tree
    arrays, _, _ = asked.tested.grow(asked.data, targets, options)
    gain = float(arrays["gain_ratio" if tree.criterion == "gain_ratio" else "gain"][0])
    return gain / options.costs[arrays["column"][0]] if options.costs and gain > 0 else gain
