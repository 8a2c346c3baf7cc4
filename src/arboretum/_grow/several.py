"""Growth for several outputs: one set of questions, and for each output a tree with its own numbers.

The combined criterion is the mean over the outputs of impurity / impurity at the root, by the weight of each
output; those that are constant count nothing. The core computes it (cpp/core/criteria/several.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from arboretum import _core
from arboretum._data.class_weights import check_class_options
from arboretum._grow.core_options import core_options
from arboretum._grow.growth import Growth, prepare_growth, too_many_nodes
from arboretum._grow.impurities import class_impurities
from arboretum._grow.targets import Targets, number_targets
from arboretum._grow.training_rows import TrainingRows
from arboretum._options.criteria import impurity_of
from arboretum._options.settings import Settings
from arboretum._tree.leaves import number_leaves
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Numbers, RowNumbers
from arboretum.errors import DataError, ParameterError, listing


@dataclass(frozen=True)
class OutputTargets:
    """The target of one output in all rows of the table, and the settings that hold for it."""

    name: str
    settings: Settings
    targets: Array  # class numbers, or numbers
    classes: Array | None


@dataclass(frozen=True)
class SeveralGrowth:
    """The growth of each output; all have the same rows. Pruners grow further trees from parts of them."""

    names: tuple[str, ...]
    outputs: tuple[Growth, ...]
    shares: tuple[float, ...]  # of the outputs in the combined criterion
    rows: Targets  # the weights of the rows, which limits count

    @property
    def settings(self) -> Settings:
        """The settings that all outputs share."""
        return self.outputs[0].settings

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows.n_rows

    @cached_property
    def strengths(self) -> tuple[float, ...]:
        """How strongly predictions of each output are drawn towards the nodes above, unless it is chosen."""
        return tuple(growth.strength for growth in self.outputs)

    def trees(
        self, rows: RowNumbers | None = None, *, bare: bool = False, strengths: Sequence[float] | None = None
    ) -> tuple[Tree, ...]:
        """Return the tree of each output, grown together from all rows, or from these alone.

        A `bare` tree is only judged, never shown: it cuts at midpoints where thresholds should be round.
        """
        weights = self.rows if rows is None else self.rows.take(rows)
        taken = [growth.targets if rows is None else growth.targets.take(rows) for growth in self.outputs]
        first = self.outputs[0]
        options = core_options(self.settings, weights, first.columns, [], None)
        if bare and options.thresholds == _core.Thresholds.round:
            options.thresholds = _core.Thresholds.midpoint
        outputs = [
            _core.Output(
                impurity_of(growth.settings.criterion),
                targets.classes,
                targets.n_classes,
                targets.numbers,
                targets.weights,
                share,
            )
            for growth, targets, share in zip(self.outputs, taken, self.shares, strict=True)
        ]
        data = first.data if rows is None else first.data.take(rows)
        try:
            _, *grown = _core.grow_several(data, outputs, weights.weights, options)
        except _core.TooManyNodes as error:
            raise too_many_nodes(first.columns, error) from error
        each = self.strengths if strengths is None else strengths
        return tuple(map(_tree, self.outputs, grown, each))

    def held_out(self, rows: RowNumbers) -> tuple[_core.Dataset, list[Targets]]:
        """Return rows that no tree is grown from, with the targets of each output."""
        return self.outputs[0].data.take(rows), [growth.targets.take(rows) for growth in self.outputs]

    @cached_property
    def joint_classes(self) -> Codes | None:
        """The combination of classes of each row, for folds that have some of each.

        None where there are no classes, or where combinations are many and rare: folds are then made of any
        rows. Combinations are numbered as they come, so that the order of the outputs does not matter.
        """
        classes = [growth.targets.classes for growth in self.outputs if growth.targets.classes is not None]
        if not classes:
            return None
        distinct, first, codes = np.unique(
            np.stack(classes, axis=1), axis=0, return_index=True, return_inverse=True
        )
        codes = codes.ravel()
        most = max(len(np.unique(each)) for each in classes)
        if len(distinct) > most and np.bincount(codes).min() < _FEWEST_ROWS:
            return None
        if len(distinct) == most:  # one output tells the others: the numbers are its own
            return next(each for each in classes if len(np.unique(each)) == most)
        place = np.empty(len(first), dtype=np.int32)
        place[np.argsort(first)] = np.arange(len(first))
        return place[codes]


_FEWEST_ROWS = 10  # of a combination of classes, for folds to be spread by combinations


def _tree(growth: Growth, arrays: Mapping[str, Array], strength: float) -> Tree:
    """Return the tree of one output, whose gains are its own."""
    rule, settings = growth.rule, growth.settings
    own = dict(arrays)
    own.pop("corrected_gain", None)  # by chance, all outputs gain together
    if rule is not None:
        own["impurity"] = class_impurities(impurity_of(settings.criterion), own["counts"])
    own |= _own_gains(own)
    leaves = number_leaves if rule is None else rule.leaves
    return Tree(
        growth.columns,
        growth.target,
        settings.criterion,
        own | leaves(own, strength),
        rule=rule,
        shrinkage=strength,
        as_grown=True,
    )


def _own_gains(arrays: Mapping[str, Array]) -> dict[str, Numbers]:
    """Return how much each question lowers the impurity of the output itself."""
    parent, weight = arrays["parent"][1:], arrays["weight"]
    risk = weight * arrays["impurity"]
    below = np.bincount(parent, risk[1:], len(weight))
    lowered = np.where(arrays["n_children"] > 0, np.maximum(risk - below, 0.0), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(weight > 0, lowered / weight, 0.0)
    return {"gain": gain, "improvement": lowered / weight[0]}


def prepare_several(
    outputs: Sequence[OutputTargets], rows: TrainingRows, weights: Sequence[float]
) -> SeveralGrowth:
    """Return what trees of several outputs are grown from; `rows` are those of the table that count."""
    growths: list[Growth] = []
    for output in outputs:
        given = output.targets if rows.origin is None else output.targets[rows.origin]
        own = replace(rows, targets=given)
        kept, growth = prepare_growth(output.settings, own, output.classes, [])
        if kept.data.n_rows != rows.data.n_rows:
            raise ParameterError(
                f"class_weight gives a class of output {output.name!r} the weight zero, but a row is learnt "
                "for all outputs, or for none.\nHint: leave these rows out, or give a small weight."
            )
        # The columns are shared: they are held, and encoded, once.
        growths.append(replace(growth, data=growths[0].data) if growths else growth)
    total = sum(weights)
    shares = tuple(weight / total for weight in weights)
    zeros = replace(rows, targets=np.zeros(rows.data.n_rows))
    base = replace(number_targets(zeros, "squared_error"), numbers=None)
    return SeveralGrowth(tuple(output.name for output in outputs), tuple(growths), shares, base)


def weights_by_output(given: Any, names: tuple[str, ...]) -> list[Any]:
    """Return `class_weight` for each output: the same for all, or {output: weights}."""
    if not isinstance(given, Mapping):
        check_class_options(given, None, None)
        return [given] * len(names)
    if unknown := [name for name in given if name not in names]:
        raise DataError(
            f"class_weight names {listing(unknown)}; of several outputs it is {{output: class_weight}}, and "
            f"the outputs are {listing(names)}."
        )
    each = [given.get(name) for name in names]
    for own in each:
        check_class_options(own, None, None)
    return each
