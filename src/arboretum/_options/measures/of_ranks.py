"""Measures of the order that probabilities put rows in: areas under curves."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from arboretum._data.rows import Target
from arboretum._options.measures.measure import row_weights
from arboretum._options.measures.of_classes import ProbabilityMeasure
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum._wording import many
from arboretum.errors import DataError


class RankMeasure(ProbabilityMeasure):
    """A measure of the order of the rows by the probability of a class: of the second, or of each in turn."""

    highest = 1.0
    of_rows = False
    score = True

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        if reason := self.lacks(target, weights):
            raise DataError(reason)
        codes, weight = np.asarray(target.codes), row_weights(target, weights)
        return np.asarray(
            np.mean(
                [self._of_class(codes == k, predicted[:, k], weight) for k in self._judged(target, weights)],
                axis=0,
            )
        )

    def lacks(self, target: Target, weights: Numbers | None = None) -> str | None:
        if self._judged(target, weights):
            return None
        return f"{self.name} needs rows of two classes at least, but {many(target.n_rows, 'row')} have one."

    def _judged(self, target: Target, weights: Numbers | None) -> list[int]:
        """Return the classes with some rows that are of it and some that are not; of two, the second."""
        assert target.codes is not None
        totals = np.bincount(target.codes, row_weights(target, weights), len(self.classes))
        judged = np.flatnonzero((totals > 0) & (totals < totals.sum())).tolist()
        return [k for k in judged if k == 1] if len(self.classes) == 2 else judged

    @abstractmethod
    def _of_class(self, positive: Mask, score: Numbers, weight: Numbers) -> Numbers:
        """Return what each row costs where one class is set against the rest."""


class AUC(RankMeasure):
    """1 less the chance that a row of a class has a higher probability of it than another; ties are half."""

    name = "auc"

    def _of_class(self, positive: Mask, score: Numbers, weight: Numbers) -> Numbers:
        place, (of, others) = _by_score(positive, score, weight)
        n_of, n_others = of.sum(), others.sum()
        # For a row of the class, the share of the others that are above it; for the others, of those below.
        above = 1.0 - (np.cumsum(others) - others / 2) / n_others
        below = (np.cumsum(of) - of / 2) / n_of
        loss = float((of * above).sum() / n_of)
        change = np.where(positive, (above[place] - loss) / n_of, (below[place] - loss) / n_others)
        return np.asarray(loss + change * (n_of + n_others))


class AveragePrecision(RankMeasure):
    """1 less the mean, over the rows of a class, of its share among the rows as probable or more."""

    name = "average_precision"

    def _of_class(self, positive: Mask, score: Numbers, weight: Numbers) -> Numbers:
        place, (of, others) = _by_score(positive, score, weight)
        total = of.sum()
        hits, all_above = (np.cumsum(n[::-1])[::-1] for n in (of, of + others))
        precision = np.divide(hits, all_above, out=np.zeros_like(hits), where=all_above > 0)
        average = float((of * precision).sum() / total)
        # More weight for a row changes the precision at every score up to its own, by (1 or 0 - precision).
        change = np.divide(of, all_above, out=np.zeros_like(of), where=all_above > 0)
        with_hit, without = np.cumsum(change * (1.0 - precision)), -np.cumsum(change * precision)
        own = np.where(positive, precision[place] - average + with_hit[place], without[place])
        return np.asarray(1.0 - average - own * (of + others).sum() / total)


def _by_score(positive: Mask, score: Numbers, weight: Numbers) -> tuple[Indices, Numbers]:
    """Return the place of each row's score among the distinct ones, and their weights inside and outside."""
    values, place = np.unique(score, return_inverse=True)
    place = place.ravel()
    sums = [np.bincount(place, np.where(side, weight, 0.0), len(values)) for side in (positive, ~positive)]
    return place, np.array(sums)
