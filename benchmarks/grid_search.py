"""The size of a tree chosen the usual way: scikit-learn's grid search over the alphas of its pruning path.

Words: a *search* tries every alpha, or a sample of them, in every fold, with a fit for each.
It is a part of pruning.py, which measures all else about pruning.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from measuring import Report, medians, once
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from arboretum import CostComplexity, TreeClassifier

__all__ = ["run"]

NOTES = """
{n_rows:,} x 20, a fifth of the labels drawn at random, against scikit-learn's `cost_complexity_pruning_path`
and `GridSearchCV` (Brier score, {folds} folds). Its path has {n} alphas, which is {fits:,} fits.
{how} tried{scaled}. New rows are {n_test:,} of the same kind."""

CHOICE_NOTES = """
At the {tried} alphas tried, the trees of all rows have the same number of leaves {same} times.
The cross-validated risk differs by {middle:.4f} (median) and {largest:.4f} (at most); least, it is
{ours:.4f} for ours and {theirs:.4f} for scikit-learn. Of these alphas, ours prefers {my_alpha:.3g} and
scikit-learn {its_alpha:.3g}. Differences come from ties, which scikit-learn breaks by chance, and from the
trees of the folds, which are cut between two alphas of the path here, and at the lower one there."""

N_ROWS, N_TEST_ROWS, FOLDS = 8_000, 100_000, 10
SAMPLED_ALPHAS = 20
REPEATS = 5


def flipped(n_rows: int) -> tuple[Any, Any]:
    """Two classes, half of the columns carry signal, a fifth of the labels is drawn at random."""
    X, y = make_classification(n_rows, 20, n_informative=10, flip_y=0.2, random_state=1)
    return X.astype(np.float32), y


def run(report: Report, share: float, *, complete: bool) -> None:
    """The same choice made by scikit-learn's grid search over all alphas of its path."""
    n_rows, n_test = int(N_ROWS * share), int(N_TEST_ROWS * share)
    X, y = flipped(n_rows + n_test)
    X, X_test, y, y_test = X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    search = Search(X, y, folds, complete=complete)
    report.say(search.describe(n_rows, n_test))
    report.begin_table(
        "way to the tree", "seconds", "search / this (goal: 1,000)", "alpha", "leaves", "error on new rows"
    )
    report.add_row(
        "GridSearchCV" + ("" if complete else ", scaled up"),
        f"{search.seconds:.0f}",
        "1",
        f"{search.best.ccp_alpha:.3g}",
        f"{search.best.get_n_leaves():,}",
        f"{1 - search.best.score(X_test, y_test):.2%}",
    )
    models = {
        'ours, same folds, `CostComplexity(measure="gini", rule="min")`': TreeClassifier(
            prune=CostComplexity(folds=folds, measure="gini", rule="min")
        ),
        "ours, default": TreeClassifier(),
    }
    found = medians({name: partial(model.fit, X, y) for name, model in models.items()}, REPEATS)
    for name, model in models.items():
        report.add_row(
            name,
            f"{found[name]:.3f}",
            f"{search.seconds / found[name]:,.0f}",
            f"{model.alpha_:.3g}",
            f"{model.get_n_leaves():,}",
            f"{1 - model.score(X_test, y_test):.2%}",
        )
    show_choice(report, search, next(iter(models.values())))


class Search:
    """scikit-learn's search: its path, every alpha of it (or a sample) in every fold, and the final fit.

    It judges by the squared distance of the probabilities from the truth, as our measure "gini" does.
    """

    def __init__(self, X: Any, y: Any, folds: Any, *, complete: bool) -> None:
        tree = DecisionTreeClassifier(random_state=0)
        start = time.perf_counter()
        path = tree.cost_complexity_pruning_path(X, y)
        seconds_of_path = time.perf_counter() - start
        self.all_alphas = np.unique(np.maximum(path.ccp_alphas, 0.0))
        n_tried = len(self.all_alphas) if complete else min(SAMPLED_ALPHAS, len(self.all_alphas))
        places = np.linspace(0, len(self.all_alphas) - 1, n_tried).round().astype(int)
        self.alphas = self.all_alphas[places]
        grid = GridSearchCV(tree, {"ccp_alpha": self.alphas}, scoring="neg_brier_score", cv=folds, n_jobs=1)
        tried = once(lambda: grid.fit(X, y)) - grid.refit_time_
        self.seconds = seconds_of_path + tried * len(self.all_alphas) / n_tried + grid.refit_time_
        self.best = grid.best_estimator_
        # Of two classes, both are as far from the truth; ours adds them up.
        self.risks = -2 * grid.cv_results_["mean_test_score"]
        # How large the trees of all rows are, for comparison; not timed.
        self.leaves = np.array(
            [
                DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X, y).get_n_leaves()
                for alpha in self.alphas
            ]
        )
        self.complete = complete

    def describe(self, n_rows: int, n_test: int) -> str:
        """What was done, in words."""
        n, tried = len(self.all_alphas), len(self.alphas)
        how, scaled = "All were", ""
        if not self.complete:
            how = f"{tried} of them, evenly spaced, were"
            scaled = f", and their time was multiplied by {n / tried:.1f}"
        return NOTES.format(
            n_rows=n_rows,
            n_test=n_test,
            folds=FOLDS,
            n=n,
            fits=n * FOLDS,
            how=how,
            scaled=scaled,
        )


def show_choice(report: Report, search: Search, model: Any) -> None:
    """Say whether the two searches agree at the alphas that both have tried."""
    path = model.pruning_path_
    step = np.searchsorted(path.alpha, search.alphas * (1 + 1e-9), side="right") - 1
    ours = path.cv_risk[step]
    apart = np.abs(ours - search.risks)
    report.say(
        CHOICE_NOTES.format(
            tried=len(step),
            same=int((path.leaves[step] == search.leaves).sum()),
            middle=np.median(apart),
            largest=apart.max(),
            ours=ours.min(),
            theirs=search.risks.min(),
            my_alpha=search.alphas[np.argmin(ours)],
            its_alpha=search.alphas[np.argmin(search.risks)],
        )
    )
