"""Everything that sections ask for, worked out on first use and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._report.evidence.predictions import (
    Predictions,
    cross_predicted,
    deal_folds,
    predicted_by,
    tree_learner,
)
from arboretum._report.evidence.rivals import rivals_for
from arboretum._report.evidence.scores import Score, difference, first_interval, losses_of, scores_of
from arboretum._report.evidence.training import Training, look_at_training
from arboretum._report.subject import NotShownError, Subject
from arboretum._types import Array, Indices, Integers
from arboretum._wording import many
from arboretum.errors import ArboretumError
from arboretum.inspection.stability.result import Stability
from arboretum.inspection.stability.stability import stability
from arboretum.inspection.summary.summary import Summary, summary_of

MOST_ROWS: Final = 10_000  # that models are fitted to again and again, or shuffled
# How many resamples there are for tables of at most so many cells.
_RESAMPLES: Final = ((20_000, 50), (100_000, 25))
_FEWEST_RESAMPLES: Final = 10


@dataclass(frozen=True)
class Options:
    """What the caller of a report chose."""

    by: Mapping[str, ColumnData] | None  # values of the rows for subgroups; None: the report chooses
    notes: Mapping[int, str]
    title: str | None
    theme: str
    n_resamples: int | None
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows whose truth is known, what is predicted for them, and whether the tree had seen them."""

    subject: Subject
    predictions: Predictions
    is_fair: bool
    how: str  # a sentence

    @cached_property
    def scores(self) -> list[Score]:
        """The measures, that which the report speaks of first."""
        return scores_of(self.subject, self.predictions)

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the first measure."""
        return first_interval(self.subject, self.predictions)


@dataclass(frozen=True, eq=False)
class Compared:
    """One method, judged by the same rows as the tree."""

    name: str
    says: str
    scores: tuple[Score, ...]
    interval: tuple[float, float] | None
    # By how much it loses more than the tree on average, with an interval; None of the tree itself.
    behind: tuple[float, float, float] | None
    has_weights: bool = True


@dataclass(frozen=True, eq=False)
class Comparison:
    """All methods, the tree first."""

    subject: Subject
    methods: tuple[Compared, ...]
    failed: tuple[str, ...]  # sentences about methods that could not be fitted
    n_folds: int

    @property
    def tree(self) -> Compared:
        """The tree."""
        return self.methods[0]

    @property
    def guess(self) -> Compared:
        """The simplest of the others: it looks at no column."""
        return self.methods[1]

    @property
    def best_rival(self) -> Compared | None:
        """The best of the others that look at columns."""
        others = [method for method in self.methods[2:] if method.behind is not None]
        return min(others, key=lambda method: method.behind[0] if method.behind else 0.0, default=None)


class Evidence:
    """What is known about a subject. What cannot be known raises NotShownError, with the reason."""

    def __init__(self, subject: Subject, options: Options) -> None:
        self.subject, self.options = subject, options

    @cached_property
    def summary(self) -> Summary:
        """The summary of the model."""
        return summary_of(self.subject.model)

    @cached_property
    def training(self) -> Training:
        """Whether the table is that of the fit, and whether the fit can be repeated."""
        return look_at_training(self.subject)

    @cached_property
    def sample(self) -> Subject:
        """The rows that models are fitted to again and again: all, or some drawn at random."""
        subject = self.subject
        if subject.n_rows <= MOST_ROWS:
            return subject
        together = subject.groups if subject.queries is None else subject.queries.numbers
        return subject.take(_drawn(subject.n_rows, together))

    @property
    def sample_text(self) -> str:
        """How many rows the sample has, in words."""
        drawn, whole = self.sample.n_rows, self.subject.n_rows
        return many(whole, "row") if drawn == whole else f"{drawn:,} of {many(whole, 'row')}, drawn at random"

    # --- predictions of rows whose truth is known

    @cached_property
    def folds(self) -> Integers:
        """The fold of each row of the sample."""
        return deal_folds(self.sample)

    @cached_property
    def cross_predictions(self) -> Predictions:
        """What trees of the same settings, grown without a row's fold, predict for the sample."""
        if self.subject.is_alone:
            raise NotShownError("A tree by itself does not say with which settings it was grown.")
        try:
            return cross_predicted(self.sample, self.folds, tree_learner(self.subject.model))
        except ArboretumError as error:
            raise NotShownError(f"The tree cannot be grown anew from a part of the rows: {error}") from error

    @cached_property
    def judged(self) -> Judged:
        """Predictions for rows with their truth: of rows that the tree has not seen, wherever that can be."""
        self.subject.need_truth()
        training = self.training
        if training.is_same and training.is_repeated:
            try:
                return Judged(self.sample, self.cross_predictions, True, self._how_crossed())
            except NotShownError as error:
                return self._judged_directly(False, f"{error} So these are the rows it was grown from.")
        if training.is_same:
            says = (
                "The tree was grown from these rows, and a fit with its settings grows another one (it was "
                "edited, cut to another size or tuned by other rows). So it is judged by rows it has seen, "
                "and looks better here than it is."
            )
            return self._judged_directly(False, says)
        if training.is_same is None:
            says = (
                "A tree by itself does not say which rows it was grown from. If it was grown from these, it "
                "looks better here than it is."
            )
            return self._judged_directly(False, says)
        says = (
            f"The tree predicts all {many(self.subject.n_rows, 'row')}, which are not the table it was grown "
            "from. Whether single rows of that table are among them cannot be known."
        )
        return self._judged_directly(True, says)

    def _judged_directly(self, is_fair: bool, how: str) -> Judged:
        return Judged(self.subject, predicted_by(self.subject.model, self.subject), is_fair, how)

    def _how_crossed(self) -> str:
        n_folds = int(self.folds.max()) + 1
        unit = "rows" if self.subject.queries is None else "queries"
        unit = "groups" if self.subject.groups is not None and self.subject.queries is None else unit
        return (
            f"The tree was grown from these rows, so it is not judged by them. Instead the {unit} were dealt "
            f"into {n_folds} parts, and each part was predicted by a tree that was grown, with the same "
            f"settings, from the others ({self.sample_text})."
        )

    # --- other methods

    @cached_property
    def comparison(self) -> Comparison:
        """The tree beside other methods, in the same folds."""
        sample, folds = self.sample, self.folds
        tree = self.cross_predictions
        own, weight, groups = losses_of(sample, tree)
        says = "grown anew in each fold, with the same settings"
        scores = tuple(scores_of(sample, tree))
        methods = [Compared("this tree", says, scores, first_interval(sample, tree), None)]
        failed = []
        for rival in rivals_for(self.subject, self.options.n_jobs):
            try:
                found = cross_predicted(sample, folds, rival.learn)
            except (ValueError, TypeError, np.linalg.LinAlgError) as error:
                failed.append(f"{rival.name} could not be fitted: {_first_sentence(error)}")
                continue
            behind = difference(losses_of(sample, found)[0], own, weight, groups)
            scores, reach = tuple(scores_of(sample, found)), first_interval(sample, found)
            methods.append(Compared(rival.name, rival.says, scores, reach, behind, rival.has_weights))
        return Comparison(sample, tuple(methods), tuple(failed), int(folds.max()) + 1)

    # --- other rows

    @property
    def n_resamples(self) -> int:
        """How many resamples are drawn: as the caller wants, or the fewer the larger the table is."""
        if self.options.n_resamples is not None:
            return self.options.n_resamples
        n_cells = self.sample.n_rows * len(self.sample.data.columns)
        return next((count for most, count in _RESAMPLES if n_cells <= most), _FEWEST_RESAMPLES)

    @cached_property
    def stability(self) -> Stability:
        """How much the tree changes if other rows are drawn."""
        sample = self.sample
        if self.subject.is_alone:
            raise NotShownError("A tree by itself does not say with which settings it was grown.")
        sample.need_truth()
        if sample.n_rows < 2:
            raise NotShownError("One row alone leaves nothing to draw.")
        groups = sample.queries.numbers if sample.queries is not None else sample.groups
        try:
            return stability(
                self.subject.model,
                sample.X,
                sample.labels,
                self.n_resamples,
                sample_weight=sample.weights,
                groups=groups,
                n_jobs=self.options.n_jobs,
            )
        except ArboretumError as error:
            raise NotShownError(f"The rows cannot be drawn anew: {error}") from error


def _first_sentence(error: BaseException) -> str:
    return str(error).split("\n")[0][:200]


def _drawn(n_rows: int, together: Array | None) -> Indices:
    """Return rows drawn at random, in their order; groups come as a whole."""
    random = np.random.default_rng(0)
    if together is None:
        return np.sort(random.permutation(n_rows)[:MOST_ROWS])
    numbers = np.unique(together, return_inverse=True)[1].ravel()
    order = random.permutation(int(numbers.max()) + 1)
    fits = np.cumsum(np.bincount(numbers)[order]) <= MOST_ROWS
    kept = order[: max(2, int(fits.sum()))]
    return np.flatnonzero(np.isin(numbers, kept))
