"""The validation curve: training and development loss for each value of an option, and the test loss once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data.rows import Rows
from arboretum._options.measures.measure import Measure, mean_loss
from arboretum._options.running import Verbose, progress
from arboretum._warning import first_of_each, unheard
from arboretum.errors import ParameterError, import_pandas
from arboretum.experiment.curves import Repeat, averages, draw_repeats, measure_fit
from arboretum.experiment.fitting import fit, loss_for, read_rows
from arboretum.experiment.settings import check_count, expand, make, setting_text
from arboretum.experiment.splits import resolve_seed

if TYPE_CHECKING:
    import pandas as pd


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    option: str,
    values: Iterable[Any],
    *,
    repeats: int = 5,
    X_dev: Any = None,
    y_dev: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    holdout: float = 0.2,
    loss: Any = None,
    stratify: Any = "auto",
    groups: Any = None,
    sample_weight: Any = None,
    sample_weight_dev: Any = None,
    sample_weight_test: Any = None,
    random_state: Any = None,
    verbose: int = 0,
) -> pd.DataFrame:
    """Return training and development loss for each value of one option; needs pandas.

    Where both losses are high, the tree underfits; where the training loss is low and the development loss is
    not, it overfits. The best value has the least development loss, and only with it are test rows looked at.

    Parameters
    ----------
    estimator : any estimator of scikit-learn's form. It is copied; the original is never fitted.
    X, y : a data frame or a 2-D array, and one target per row.
    option : the name of a parameter, such as "max_depth", "prune__alpha" or "leaf__m".
    values : the values to try, in the order of the curve.
    repeats : how often the rows are divided into training and development rows; the same for every value.
    X_dev, y_dev : development rows; then every value is fitted once, to all rows of X.
    X_test, y_test : test rows. The best value is fitted once more, to all rows of X, and measured on them.
    holdout, loss, stratify, groups, sample_weight, random_state, verbose : as in `learning_curve`.
    sample_weight_dev, sample_weight_test : one weight per row of X_dev and of X_test.

    Returns
    -------
    A data frame with one line per value: value, repeats, training_loss, training_se, development_loss,
    development_se (standard errors over the repeats), leaves and fit_seconds (means), best (least development
    loss, the first of equals), and with test rows test_loss, which is NaN but for the best value.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> curve = validation_curve(TreeClassifier(prune=None), X, y, "max_depth", [0, 1, 2, 3])
    >>> curve[["value", "leaves"]].values.tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.8]]
    """
    pandas = import_pandas("validation_curve()")
    n_repeats, seed = check_count("repeats", repeats), resolve_seed(random_state)
    shown = Verbose().read(verbose, "verbose")
    settings = expand({option: values})
    for setting in settings:
        make(estimator, setting)  # a wrong name or value is refused before anything is fitted
    rows, development = read_rows(X, y, sample_weight, groups, X_dev, y_dev, sample_weight_dev, loss)
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test go together; give both, or neither.")
    learnt, test = read_rows(X, y, sample_weight, groups, X_test, y_test, sample_weight_test, loss)
    measure = loss_for(loss, rows.target, estimator)
    # With development rows of one's own, all repeats would be the same.
    n_repeats = n_repeats if development is None else 1
    drawn = draw_repeats(rows, development, n_repeats, stratify=stratify, holdout=holdout, seed=seed)
    lines = []
    for setting in progress(settings, len(settings), "validation curve", shown=shown):
        lines.append({"value": setting[option], **_measure(estimator, setting, drawn, measure)})
    frame: pd.DataFrame = pandas.DataFrame(lines)
    frame["value"] = _as_column([line["value"] for line in lines])
    frame["best"] = frame.index == frame["development_loss"].idxmin()
    if test is not None:
        frame["test_loss"] = np.nan
        best = int(np.flatnonzero(frame["best"])[0])
        frame.loc[best, "test_loss"] = _test(estimator, settings[best], learnt, test, loss)
    return frame


def _measure(
    estimator: Any, setting: dict[str, Any], drawn: Sequence[Repeat], measure: Measure
) -> dict[str, float]:
    """Return the losses of one value, over all repeats."""
    found = []
    for number, repeat in enumerate(drawn):
        with first_of_each() if number == 0 else unheard():  # one repeat speaks for all
            found.append(measure_fit(make(estimator, setting), repeat.training, repeat.development, measure))
    return averages(found)


def _test(estimator: Any, setting: dict[str, Any], rows: Rows, test: Rows, loss: Any) -> float:
    """Return the test loss of the estimator with this setting, fitted to all rows."""
    measure, model = loss_for(loss, rows.target, estimator), make(estimator, setting)
    with unheard():
        fit(model, rows, measure.kind)
        return mean_loss(measure, model, test)


def _as_column(values: list[Any]) -> list[Any]:
    """Return values as a table shows them: numbers as such, all else as one would type it."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return values
    return [value if isinstance(value, str) else setting_text({"": value})[1:] for value in values]
