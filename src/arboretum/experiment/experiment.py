"""Experiment: train, develop, test, in this order, and the test only once.

Models learn from training data, development data decide between settings, and test data show how good the
best one is. Test data stay closed until `test()` opens them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arboretum._data.rows import Rows, Target, as_table, read_target
from arboretum._data.targets import read_weights
from arboretum._options.measures.measure import Measure, mean_loss
from arboretum._options.measures.table import check_goes, measure_kind, resolve_loss
from arboretum._options.rules import OneOf
from arboretum._options.running import Verbose, progress
from arboretum._warning import first_of_each
from arboretum._wording import many, shown
from arboretum.errors import DataError, OneLeafWarning, ParameterError
from arboretum.experiment.curves import (
    SIZES,
    Repeat,
    growing_order,
    measure_complexity,
    measure_sizes,
    resolve_sizes,
)
from arboretum.experiment.fitting import cross_validate, fit, make_folds, tree_size
from arboretum.experiment.results import LEVEL, Best, Result, Results, TestScore, estimate_loss
from arboretum.experiment.settings import (
    Candidate,
    candidates,
    check_count,
    draw,
    expand,
    make,
    run_study,
    setting_text,
    single,
)
from arboretum.experiment.splits import (
    Split,
    read_groups,
    read_moments,
    read_strata,
    renumbered,
    resolve_seed,
    resolve_shares,
    split_rows,
)

if TYPE_CHECKING:
    import pandas as pd


class _Kept(NamedTuple):
    """All results, and the best fitted estimator; replaced together."""

    results: Results = Results()
    estimator: Any = None


class Experiment:
    """Training, development and test data, and an honest way to choose and test a model.

    >>> from arboretum import TreeClassifier, datasets
    >>> experiment = Experiment(*datasets.load_iris())
    >>> experiment.split
    Split(training 105, development 15, test 30)
    >>> results = experiment.grid(TreeClassifier(), {"max_depth": [1, 2, 3]})
    >>> experiment.best.setting
    {'max_depth': 3}
    >>> score = experiment.test()
    >>> score.n_rows, score.looks
    (30, 1)

    Parameters
    ----------
    X, y : a data frame (pandas, polars, pyarrow), a 2-D array or a list of rows, and one target per row.
    split : the shares of training, development and test data. With two numbers there are no development data:
        settings are then compared by cross-validation on the training data. Shares count rows, and are exact
        to a row unless groups or times forbid it.
    stratify : "auto" gives every part its share of each class, unless there are times; True also gives it its
        share of the tenths of a numeric target; with one value per row, parts get their shares of these
        values instead; False leaves it to chance.
    groups : one value per row; rows of one group stay together, in one part and in one fold, and shares are
        as near as whole groups allow. They are passed to a `fit` that takes groups.
    time : one number, date or datetime per row; the parts follow one another, training data first, and rows
        of one time stay together. Not with stratify, nor with groups that no cut in time leaves whole.
    sample_weight : one weight per row, for learning and for measuring.
    folds : how many, for cross-validation where there are no development data; fewer where there are fewer
        rows or groups. With times, later rows are measured by models of earlier ones.
    loss : "misclassification", "log_loss", "brier", "balanced_accuracy", "auc", "average_precision" or a loss
        matrix (loss[true, predicted], in the sorted order of the classes) for classes, "squared_error" or
        "absolute_error" for numbers, or a function of the truth and the prediction (for classes, the
        probabilities), and of the weights if it takes a third argument, that returns one number or one for
        each row. Less is better: accuracies and areas are subtracted from 1. None: misclassification for
        classes, the squared error for numbers; whole numbers of at most 20 different values may be either,
        and the first estimator decides.
    measures : names of measures, or functions, that results and scores report beside the loss: on development
        data (or cross-validated), and on test data. Accuracies and areas are reported as such, where more is
        better. They choose nothing.
    random_state : None and 0 are the same fixed split; another whole number gives another.
    verbose : 1 shows a progress bar while settings are tried; needs tqdm.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        split: Any = (0.7, 0.1, 0.2),
        *,
        stratify: Any = "auto",
        groups: Any = None,
        time: Any = None,
        sample_weight: Any = None,
        folds: int = 10,
        loss: Any = None,
        measures: Any = (),
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        shares, self._seed = resolve_shares(split), resolve_seed(random_state)
        self._shown, n_folds = Verbose().read(verbose, "verbose"), check_count("folds", folds)
        table, n_rows = as_table(X)
        target = read_target(y, n_rows, measure_kind(loss), "Experiment")
        open_yet = loss is None or callable(loss)  # the first estimator may decide what the target is
        self._given, self._loss = loss, None if open_yet else resolve_loss(loss, target)
        self._also = _read_measures(measures, target)
        moments, of_groups = read_moments(time, n_rows), read_groups(groups, n_rows)
        strata = read_strata(stratify, target, moments)
        self._rows = Rows(table, target, read_weights(sample_weight, n_rows), of_groups)
        self._split = split_rows(n_rows, shares, self._seed, strata=strata, groups=of_groups, moments=moments)
        _check_weights(self._rows, self._split)
        rows = self._split.training
        self._training = self._rows.take(rows)
        self._strata = None if strata is None else renumbered(strata[rows])
        self._development, self._folds = None, []
        if self._split.development is not None:
            self._development = self._rows.take(self._split.development)
        else:
            of_training = None if moments is None else moments[rows]
            self._folds = make_folds(
                n_folds, len(rows), self._seed, self._strata, self._training.groups, of_training
            )
        self._kept, self._scores, self._n_random = _Kept(), (), 0

    # --- what there is

    _development: Rows | None
    _loss: Measure | None
    _scores: tuple[TestScore, ...]

    @property
    def split(self) -> Split:
        """The row numbers of each part."""
        return self._split

    @property
    def training(self) -> tuple[Any, Any]:
        """The training data, X and y."""
        return self._training.X, self._training.target.values(self._kind)

    @property
    def development(self) -> tuple[Any, Any]:
        """The development data, X and y."""
        rows = self._need_development("development")
        return rows.X, rows.target.values(self._kind)

    @property
    def results(self) -> Results:
        """Every setting tried so far, including those of an interrupted search."""
        return self._kept.results

    @property
    def best(self) -> Best:
        """The setting of lowest development loss, and the estimator fitted with it to the training data."""
        return Best(self.results.best, self._kept.estimator)

    @property
    def scores(self) -> tuple[TestScore, ...]:
        """The scores of all looks at the test data; there should be only one."""
        return self._scores

    def __repr__(self) -> str:
        looks = f"{many(len(self._scores), 'look')} at the test data"
        return f"<Experiment: {self._split!r}, {many(len(self.results), 'setting')} tried, {looks}>"

    # --- trying settings, on training and development data

    def try_(self, estimator: Any, name: str | None = None, *, prune_on_development: bool = False) -> Result:
        """Try one estimator as it is; `name` is what its result is called.

        `prune_on_development=True` passes the development data to `fit(X_val=, y_val=)`, for pruners that
        need tuning data. A tree that was pruned on them looks better on them than it is, and its result says
        so.
        """
        return self._try_all([single(estimator, name)], prune_on_development)[0]

    def grid(
        self, estimator: Any, grid: Any, *, name: str | None = None, prune_on_development: bool = False
    ) -> Results:
        """Try every combination of listed values, {parameter: values}, or of each of several such grids.

        `name` and `prune_on_development` are those of `try_`.
        Returns the results of this search; `results` has those of all. An interrupted search keeps what it
        has finished; a repeated one tries everything again.
        """
        return self._try_all(candidates(estimator, name, expand(grid)), prune_on_development)

    def random(
        self,
        estimator: Any,
        distributions: Any,
        n: int = 20,
        *,
        random_state: Any = None,
        name: str | None = None,
        prune_on_development: bool = False,
    ) -> Results:
        """Try `n` random settings: {parameter: list of values, or distribution with `rvs` as in scipy.stats}.

        `distributions` is that mapping; `name` and `prune_on_development` are those of `try_`.
        If all are lists, no setting comes twice, and there are at most all combinations. Each call draws
        other settings; with a `random_state` it draws the same again.
        """
        own = [self._seed, 1 + self._n_random] if random_state is None else resolve_seed(random_state)
        settings = draw(distributions, check_count("n", n), np.random.RandomState(own))
        drawn = candidates(estimator, name, settings)
        self._n_random += random_state is None
        return self._try_all(drawn, prune_on_development)

    def optuna(
        self,
        estimator: Any,
        suggest: Callable[[Any], Mapping[str, Any]],
        n_trials: int = 50,
        *,
        study: Any = None,
        name: str | None = None,
        prune_on_development: bool = False,
    ) -> Results:
        """Let Optuna propose settings: `suggest(trial)` returns {parameter: value}; needs optuna.

        It tries `n_trials` settings. Pass a `study` of your own to continue it or to choose the sampler; it
        must minimise. `name` and `prune_on_development` are those of `try_`.
        """
        first = len(self.results)

        def objective(trial: Any) -> float:
            setting = suggest(trial)
            if not isinstance(setting, Mapping):
                raise ParameterError(f"suggest returned {setting!r}; it must return {{parameter: value}}.")
            (candidate,) = candidates(estimator, name, [dict(setting)])
            return self._try(candidate, prune_on_development).development_loss

        count = check_count("n_trials", n_trials)
        with first_of_each(OneLeafWarning):
            run_study(objective, count, study, self._seed, shown=self._shown)
        return self.results[first:]

    def _try_all(self, several: list[Candidate], prune_on_development: bool) -> Results:
        """Try one after the other, and keep what is finished if the next one fails."""
        first = len(self.results)
        for candidate in several:  # refuse what cannot work before the first fit
            self._loss_for(candidate.estimator)
            self._also_for(candidate.estimator)
        # A search tries trees that are too small on purpose, and its results show the leaves of each.
        with first_of_each(*([OneLeafWarning] if len(several) > 1 else [])):
            for candidate in progress(several, len(several), "settings", shown=self._shown):
                self._try(candidate, prune_on_development)
        return self.results[first:]

    def _try(self, candidate: Candidate, prune_on_development: bool) -> Result:
        """Fit one candidate, measure it, and keep the result."""
        model, name, setting = candidate
        loss, also = self._loss_for(model), self._also_for(model)
        tuning = self._need_development("prune_on_development") if prune_on_development else None
        try:
            seconds = fit(model, self._training, loss.kind, tuning)
            training = mean_loss(loss, model, self._training)
            if self._development is not None:
                development = mean_loss(loss, model, self._development)
                others = _losses(also, model, self._development)
            else:
                development, *others = cross_validate(model, self._training, self._folds, [loss, *also])
        except Exception as error:
            error.add_note(
                f"This happened while {name} was tried with {setting_text(setting) or 'no changes'}."
            )
            raise
        leaves, depth = tree_size(model)
        result = Result(
            len(self.results) + 1,
            name,
            setting,
            training,
            development,
            leaves,
            depth,
            seconds,
            pruned_on_development=prune_on_development,
            after_test=bool(self._scores),
            measures=_shown(also, others),
        )
        by = "cross-validated" if self._development is None else "development"
        results = Results((*self.results, result), loss.label, by)
        self._loss = loss
        self._kept = _Kept(results, model if results.best is result else self._kept.estimator)
        return result

    def _loss_for(self, estimator: Any) -> Measure:
        loss = self._loss or resolve_loss(self._given, self._rows.target, estimator)
        check_goes(loss, estimator)
        return loss

    def _also_for(self, estimator: Any) -> list[Measure]:
        """Return the measures to be reported beside the loss."""
        also = [resolve_loss(each, self._rows.target, estimator) for each in self._also]
        for number, measure in enumerate(also):
            check_goes(measure, estimator)
            if measure.name in (other.name for other in also[:number]):
                raise ParameterError(f"measures holds {measure.name!r} twice; each needs a name of its own.")
        return also

    @property
    def _kind(self) -> str:
        """What y is, as the loss says; until the loss is settled, whole numbers stay as given."""
        if self._loss is not None:
            return self._loss.kind
        return "numbers" if self._rows.target.kind == "numbers" else "classes"

    def _need_development(self, asker: str) -> Rows:
        if self._development is None:
            raise ParameterError(
                f"{asker} needs development data, but the split has two parts; choose three, such as "
                "split=(0.7, 0.1, 0.2)."
            )
        return self._development

    # --- curves, on training and development data

    def learning_curve(self, estimator: Any, *, sizes: Any = SIZES, repeats: int = 5) -> pd.DataFrame:
        """Return training and development loss for growing numbers of rows, as `learning_curve` does."""
        estimator, n = make(estimator, {}), self._training.n_rows
        development, loss = self._need_development("learning_curve"), self._loss_for(estimator)
        randoms = [np.random.RandomState([self._seed, k]) for k in range(check_count("repeats", repeats))]
        drawn = [
            Repeat(self._training, growing_order(n, self._strata, each), development) for each in randoms
        ]
        return measure_sizes(estimator, drawn, resolve_sizes(sizes, n), loss, fixed=True, shown=self._shown)

    def complexity_curve(self, estimator: Any) -> pd.DataFrame:
        """Return error against leaves on training and development data, as `complexity_curve` does."""
        estimator = make(estimator, {})
        development = self._need_development("complexity_curve")
        return measure_complexity(estimator, self._training, development, self._loss_for(estimator))

    # --- the test

    def test(self, *, refit: str = "train", level: float = 0.95, force: bool = False) -> TestScore:
        """Open the test data, once, for the best setting, and return its loss with a confidence interval.

        `refit="train"` tests the chosen estimator itself, so that training, development and test loss are
        about one model. `refit="train+dev"` first learns from both parts: more rows, but a model whose
        development loss is unknown.

        A second look is refused, since the first score may have influenced what was tried. `force=True` looks
        again, and the score says how many looks there were. A look counts when its loss is known.
        """
        OneOf(("train", "train+dev")).read(refit, "refit")
        LEVEL.read(level, "level")
        best = self.best
        if self._scores and not force:
            raise ParameterError(
                f"The test data were opened already (loss {self._scores[0].loss:.4g}, kept in scores), "
                "and a second look would make them development data.\n"
                "Hint: test(force=True) looks again and marks the score."
            )
        assert self._loss is not None
        with first_of_each():
            model = best.estimator if refit == "train" else self._refitted(best, self._loss)
            rows = self._rows.take(self._split.test)
            losses = self._loss.each(rows.target, self._loss.predict(model, rows.X), rows.weights)
        estimate = estimate_loss(self._loss, losses, rows.weights, rows.groups)
        also = self._also_for(model)
        score = TestScore(
            estimate.loss,
            float(level),
            rows.n_rows,
            len(self._scores) + 1,
            best.result,
            refit,
            model,
            self._loss.label,
            estimate,
            _shown(also, _losses(also, model, rows)),
        )
        self._scores = (*self._scores, score)
        return score

    def _refitted(self, best: Best, loss: Measure) -> Any:
        """Return the best setting, fitted to training and development data."""
        self._need_development("refit='train+dev'")
        assert self._split.development is not None
        if best.result.pruned_on_development:
            raise ParameterError(
                "refit='train+dev' would prune the tree on rows that it has learnt from, as the best setting "
                "was pruned on development data; choose refit='train'."
            )
        model = make(best.estimator, {})
        rows = np.sort(np.concatenate([self._split.training, self._split.development]))
        fit(model, self._rows.take(rows), loss.kind)
        return model


def _read_measures(measures: Any, target: Target) -> tuple[Any, ...]:
    """Return the measures to report, each a name, a matrix or a function; refuse one that cannot be known."""
    if isinstance(measures, str) or callable(measures) or not isinstance(measures, Sequence):
        raise ParameterError(
            f"measures={shown(measures)} is not a list.\nHint: write measures=['auc', 'brier']."
        )
    for each in measures:
        kind = measure_kind(each)
        if each is None or (kind is not None and target.kind not in (kind, "either")):
            raise ParameterError(f"measures holds {each!r}, which is not for {target.kind} as targets.")
    return tuple(measures)


def _losses(measures: list[Measure], model: Any, rows: Rows) -> list[float]:
    """Return the average loss by each measure; NaN where the rows lack what it needs."""
    known = [each.lacks(rows.target, rows.weights) is None for each in measures]
    return [mean_loss(each, model, rows) if k else math.nan for each, k in zip(measures, known, strict=True)]


def _shown(measures: list[Measure], losses: Sequence[float]) -> dict[str, float]:
    """Return each measure by its name, as people know it."""
    return {each.name: each.shown(loss) for each, loss in zip(measures, losses, strict=True)}


def _check_weights(rows: Rows, split: Split) -> None:
    """Refuse a split in which all weights of a part are zero."""
    if rows.weights is None:
        return
    for name in ("training", "development", "test"):
        part = getattr(split, name)
        if part is not None and not rows.weights[part].any():
            raise DataError(
                f"sample_weight is zero in every row of the {name} data; choose another random_state."
            )
