"""What models are asked to do while something goes wrong: memory ends, Ctrl-C comes, others work as well.

A *work* is a function of tables; it returns bytes, the same whenever nothing went wrong. `WORKS` has one of
each kind: fits by every search, predictions, pictures, files. Tables have any number of rows, so that a work
takes as long, or as much memory, as a test needs.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import threading
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import arboretum
from arboretum import (
    BaggedClassifier,
    CostComplexity,
    Lookahead,
    MofN,
    Oblique,
    Optimal,
    Permutation,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
    export,
)

__all__ = ["WORKS", "Tables", "Work", "drafts_in", "fit_a_small_table", "of_array", "of_model", "run"]


@dataclass(frozen=True)
class Tables:
    """A table of noisy classes and numbers, models of it that can predict, and a folder for files."""

    n_rows: int
    folder: str

    @cached_property
    def X(self) -> Any:
        """Ten columns of numbers; the last is made of whole numbers below 40."""
        X = np.random.default_rng(0).normal(size=(self.n_rows, 10))
        X[:, 9] = np.abs(X[:, 9] * 10).astype(int) % 40
        return X

    @cached_property
    def missing(self) -> Any:
        """The same with some values missing."""
        X = self.X.copy()
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
        return X

    @cached_property
    def y(self) -> Any:
        """Two classes, by two columns and much chance."""
        noise = np.random.default_rng(2).normal(size=self.n_rows)
        return (self.X[:, 0] + self.X[:, 1] + noise > 0).astype(int)

    @cached_property
    def z(self) -> Any:
        """Numbers, by two columns and some chance."""
        return self.X[:, 0] - 2 * self.X[:, 1] + np.random.default_rng(3).normal(size=self.n_rows)

    def part(self, share: float) -> Tables:
        """Return tables with a share of the rows, for works that take longer."""
        return Tables(max(40, int(self.n_rows * share)), self.folder)

    @cached_property
    def model(self) -> TreeClassifier:
        """A tree of some hundred leaves."""
        few = slice(0, 4_000)
        return TreeClassifier(prune=None).fit(self.X[few], self.y[few])

    @cached_property
    def divided(self) -> TreeClassifier:
        """A tree that divides rows with missing values among children."""
        few = slice(0, 4_000)
        return TreeClassifier(prune=None, missing="fractional").fit(self.missing[few], self.y[few])

    @cached_property
    def bagged(self) -> BaggedClassifier:
        """Twenty trees."""
        few = slice(0, 2_000)
        return BaggedClassifier(n_trees=20, random_state=0).fit(self.X[few], self.y[few])

    def prepare(self) -> Tables:
        """Make all of it, so that works find it ready."""
        for made in (self.y, self.z, self.missing, self.divided, self.bagged, _inputs(self)):
            assert made is not None
        return self


Work = Callable[[Tables], bytes]


def run(work: Work, tables: Tables) -> bytes:
    """Do a work, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work(tables)


def fit_a_small_table() -> bytes:
    """Show that a process is usable: fit, prune and predict a table of 60 rows."""
    tables = Tables(60, os.devnull)
    model = TreeClassifier(n_jobs=2, prune=CostComplexity(folds=3), random_state=0).fit(tables.X, tables.y)
    return of_model(model) + of_array(model.predict_proba(tables.X))


def of_model(model: Any) -> bytes:
    """What tells a fitted model from every other."""
    trees = model.trees_ if hasattr(model, "trees_") else [model.tree_]
    return _digest(b"".join(pickle.dumps(tree) for tree in trees))


def of_array(array: Any) -> bytes:
    """What tells an array from every other."""
    return _digest(np.ascontiguousarray(array).tobytes())


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _fitting(model: Callable[[], Any], share: float = 1.0, *, missing: bool = False) -> Work:
    def work(tables: Tables) -> bytes:
        part = tables.part(share)
        return of_model(model().fit(part.missing if missing else part.X, part.y))

    return work


def _fitting_numbers(model: Callable[[], Any], share: float = 1.0) -> Work:
    def work(tables: Tables) -> bytes:
        part = tables.part(share)
        return of_model(model().fit(part.X, part.z))

    return work


def _search_for_the_optimum(tables: Tables) -> bytes:
    """Threads may find another tree, of the same worth."""
    part = tables.part(0.01)
    search = Optimal(leaf_penalty=0.02)
    model = TreeClassifier(search=search, prune=None, max_depth=3, n_jobs=4).fit(part.X, part.y)
    return of_array(np.array([model.optimality_.objective, model.get_n_leaves()]))


def _rank(tables: Tables) -> bytes:
    part = tables.part(0.5)
    groups = np.arange(part.n_rows) // 10
    return of_model(TreeRanker(prune=None).fit(part.X, part.y, groups=groups))


def _fit_outputs(tables: Tables) -> bytes:
    part = tables.part(0.5)
    model = TreeRegressor(prune=None, n_jobs=2).fit(part.X, np.c_[part.z, part.X[:, 2]])
    return of_array(model.predict(part.X))


def _cross_validate(tables: Tables) -> bytes:
    from sklearn.model_selection import cross_val_score

    part = tables.part(0.3)
    return of_array(cross_val_score(TreeClassifier(prune=None), part.X, part.y, cv=3, error_score="raise"))


def _explain(tables: Tables) -> bytes:
    part = tables.part(0.05)
    found = arboretum.contributions(tables.model, part.X, n_jobs=2)
    return of_array(found.values)


def _depend(tables: Tables) -> bytes:
    found = arboretum.partial_dependence(tables.model, "x0", tables.part(0.2).X)
    return of_array(found.values)


def _permute(tables: Tables) -> bytes:
    part = tables.part(0.2)
    found = arboretum.permutation_importance(tables.model, part.X, part.y, random_state=0)
    return of_array(found.values)


def _report(tables: Tables) -> bytes:
    part = tables.part(0.02)
    path = _file(tables, "report.html")
    arboretum.report(tables.model, part.X, part.y, path)
    return b"done" if b"</html>" in path.read_bytes() else b""


def _page(tables: Tables) -> bytes:
    part = tables.part(0.1)
    return _digest(export.to_html(tables.model, data=(part.X, part.y)).encode())


def _picture(tables: Tables) -> bytes:
    return _digest(export.to_svg(tables.model).encode())


def _chart(tables: Tables) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    arboretum.plot.tree(tables.model, ax=figure.subplots(), max_depth=3)
    figure.canvas.draw()
    return b"done"


def _store(tables: Tables) -> bytes:
    path = _file(tables, "model.json.gz")
    arboretum.save(tables.bagged, path)
    return of_model(arboretum.load(path))


def _predict_a_file(tables: Tables) -> bytes:
    """Let the command line predict a table, in this process."""
    from arboretum.cli.main import app

    model, table = _inputs(tables)
    path = _file(tables, "predicted.csv")
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            app(["predict", str(model), str(table), "--proba", "-o", str(path), "--quiet"])
    except SystemExit as end:
        if end.code == 130:
            raise KeyboardInterrupt from None
        if end.code:
            error = MemoryError if "not enough memory" in said.getvalue() else RuntimeError
            raise error(said.getvalue()) from None
    return _digest(path.read_bytes())


def _inputs(tables: Tables) -> tuple[Path, Path]:
    """Return the files of a model and a table, written when first needed."""
    model, table = Path(tables.folder, "given.json"), Path(tables.folder, f"given-{tables.n_rows}.csv")
    if not table.exists():
        arboretum.save(tables.model, model)
        head = ",".join(f"x{i}" for i in range(10))
        np.savetxt(table, tables.X, delimiter=",", header=head, comments="")
    return model, table


def _file(tables: Tables, name: str) -> Path:
    """Return a place to write to: each thread has its own."""
    return Path(tables.folder, f"{threading.get_ident()}-{name}")


def drafts_in(folder: str) -> list[str]:
    """Return files that were begun and neither finished nor removed."""
    return [name for name in os.listdir(folder) if name.startswith(".")]


def _read_text(tables: Tables) -> bytes:
    text = tables.model.tree_.to_json()
    return _digest(Tree.from_json(text).to_json().encode())


def _code(tables: Tables) -> bytes:
    return _digest((export.to_sql(tables.model) + export.to_c(tables.model)).encode())


WORKS: dict[str, Work] = {
    "fit": _fitting(lambda: TreeClassifier(prune=None)),
    "fit, four threads": _fitting(lambda: TreeClassifier(prune=None, n_jobs=4)),
    "fit numbers": _fitting_numbers(lambda: TreeRegressor(prune=None, n_jobs=2)),
    "fit by absolute error": _fitting_numbers(
        lambda: TreeRegressor(criterion="absolute_error", prune=None, n_jobs=2), 0.5
    ),
    "fit levels": _fitting(lambda: TreeClassifier(prune=None, categorical_features=[9], n_jobs=2)),
    "fit with bins": _fitting(lambda: TreeClassifier(prune=None, max_bins=16, n_jobs=2)),
    "surrogates": _fitting(
        lambda: TreeClassifier(prune=None, missing=Surrogate(), n_jobs=2), 0.3, missing=True
    ),
    "fractional rows": _fitting(lambda: TreeClassifier(prune=None, missing="fractional"), 0.2, missing=True),
    "fit several outputs": _fit_outputs,
    "rank": _rank,
    "prune by folds": _fitting(lambda: TreeClassifier(random_state=0, n_jobs=2), 0.5),
    "cross-validate": _cross_validate,
    "lookahead": _fitting(lambda: TreeClassifier(search=Lookahead(), prune=None, max_depth=5, n_jobs=2), 0.1),
    "m-of-n": _fitting(lambda: TreeClassifier(questions=MofN(), prune=None, max_depth=5), 0.2),
    "oblique": _fitting(
        lambda: TreeClassifier(questions=Oblique(), prune=None, max_depth=5, random_state=0), 0.1
    ),
    "optimal": _fitting(lambda: TreeClassifier(search=Optimal(), prune=None, max_depth=2), 0.05),
    "optimal, four threads": _search_for_the_optimum,
    "permutation tests": _fitting(
        lambda: TreeClassifier(significance=Permutation(), prune=None, max_depth=4, random_state=0), 0.02
    ),
    "bagging, four threads": _fitting(lambda: BaggedClassifier(n_trees=12, random_state=0, n_jobs=4), 0.3),
    "predict": lambda tables: of_array(tables.model.predict(tables.X)),
    "predict probabilities": lambda tables: of_array(tables.model.predict_proba(tables.X)),
    "predict divided rows": lambda tables: of_array(tables.divided.predict_proba(tables.missing)),
    "predict by bagging": lambda tables: of_array(tables.bagged.predict_proba(tables.X)),
    "contributions": _explain,
    "partial dependence": _depend,
    "permutation importance": _permute,
    "report": _report,
    "page": _page,
    "picture": _picture,
    "chart": _chart,
    "save and load": _store,
    "read text": _read_text,
    "predict a file": _predict_a_file,
    "code": _code,
}
