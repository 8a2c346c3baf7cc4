"""The public surface: the names, the keywords with their defaults, the errors, and what importing costs.

An extra is a library that is not required; importing the package or fitting arrays loads none. The contract's
list of keywords is written out: a keyword that is not in it is not ours to add in passing.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import arboretum
from arboretum import errors

NAMES = {
    "AccumulatedEffects",
    "ArboretumError",
    "ArboretumWarning",
    "BaggedClassifier",
    "BaggedRanker",
    "BaggedRegressor",
    "ChiSquare",
    "Conditional",
    "ClusterError",
    "ConstantColumnWarning",
    "Contributions",
    "CostComplexity",
    "Counterfactual",
    "DataError",
    "DataTypeError",
    "Exercise",
    "Experiment",
    "Explanation",
    "FTest",
    "Honest",
    "GainRatio",
    "IdentifierWarning",
    "InteractionStrength",
    "LinearModel",
    "Lookahead",
    "MEstimate",
    "Median",
    "MofN",
    "MultiTree",
    "NearestTree",
    "Node",
    "Oblique",
    "OneLeafWarning",
    "Optimal",
    "Optimality",
    "PackageError",
    "ParameterError",
    "ParameterNameError",
    "PartialDependence",
    "Permutation",
    "PermutationImportance",
    "Pessimistic",
    "PruningLog",
    "PruningPath",
    "RareClassWarning",
    "Quantiles",
    "ReducedError",
    "Rule",
    "RuleList",
    "Shrinkage",
    "Summary",
    "Trace",
    "Stability",
    "Step",
    "Surrogate",
    "TextWarning",
    "Tree",
    "TreeClassifier",
    "TreeMixed",
    "TreeRanker",
    "TreeRegressor",
    "UnknownLevelsWarning",
    "UnprovenWarning",
    "WeightWarning",
    "__version__",
    "accumulated_effects",
    "candidates",
    "complexity_curve",
    "contributions",
    "counterfactual",
    "datasets",
    "exercise",
    "explain",
    "export",
    "importance",
    "information",
    "interaction_strength",
    "learning_curve",
    "load",
    "nearest_tree",
    "partial_dependence",
    "permutation_importance",
    "plot",
    "ranking",
    "reference",
    "report",
    "save",
    "simplified_rules",
    "stability",
    "trace",
    "tune_threshold",
    "validation_curve",
}

# Keywords and defaults of a classifier.
CONTRACT: dict[str, Any] = {
    "criterion": "gini",
    "nominal": "subset",
    "levels": "corrected",
    "thresholds": "midpoint",
    "questions": "axis",
    "search": "greedy",
    "missing": "category",
    "max_depth": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "significance": None,
    "competitors": 0,
    "max_bins": None,
    "prune": "cost_complexity",
    "leaf": "shrinkage",
    "class_weight": None,
    "priors": None,
    "loss": None,
    "column_costs": None,
    "monotonic_cst": None,
    "categorical_features": "from_dtype",
    "ordered_features": None,
    "random_state": None,
    "n_jobs": None,
    "verbose": 0,
}
ONLY_CLASSES = {"class_weight", "priors", "loss"}

METHODS = ["fit", "predict", "apply", "decision_path", "score", "get_depth", "get_n_leaves", "to_sklearn"]
METHODS += ["pruned", "unpruned", "with_tree"]

EXTRAS = [
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "typer",
    "rich",
    "onnx",
    "sqlglot",
    "dask",
    "datasketches",
    "distributed",
    "tqdm",
    "optuna",
]

ESTIMATORS: list[Any] = [arboretum.TreeClassifier, arboretum.TreeRegressor]
ENSEMBLES: list[Any] = [arboretum.BaggedClassifier, arboretum.BaggedRanker, arboretum.BaggedRegressor]
ENSEMBLE_CONTRACT: dict[str, Any] = {
    "tree": None,
    "n_trees": 100,
    "max_features": None,
    "bootstrap": True,
    "max_samples": None,
    "oob": False,
    "patience": None,
    "warm_start": False,
    "random_state": None,
    "n_jobs": None,
    "verbose": 0,
}


def test_names_are_exact() -> None:
    """`__all__` is the list above, in order, and `dir` shows nothing else."""
    assert set(arboretum.__all__) == NAMES
    assert arboretum.__all__ == sorted(arboretum.__all__)
    assert dir(arboretum) == sorted(NAMES)


@pytest.mark.parametrize("name", ["dask", "datasets", "experiment", "export", "plot", "ranking", "reference"])
def test_packages_list_public_names_only(name: str) -> None:
    """`dir` of a public package shows what it offers, and not what it imports."""
    module = import_module(f"arboretum.{name}")
    assert dir(module) == sorted(module.__all__)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_names_can_be_imported(name: str) -> None:
    """Each public name is there and belongs to the package."""
    value = getattr(arboretum, name)
    if isinstance(value, type):
        assert value.__module__.startswith("arboretum.")
        assert value.__doc__


def test_nothing_else_is_public() -> None:
    """Besides `__all__`, only submodules are found in the namespace without an underscore."""
    for name in NAMES:
        getattr(arboretum, name)  # they are loaded when first used
    others = {name: value for name, value in vars(arboretum).items() if not name.startswith("_")}
    strays = [
        name
        for name, value in others.items()
        if name not in NAMES and not (isinstance(value, ModuleType) and value.__name__ == f"arboretum.{name}")
    ]
    assert strays == ["annotations"]  # of the module's first line, which has no other name


def test_unknown_names_are_refused() -> None:
    """A name that is not there is an AttributeError, as for any module."""
    with pytest.raises(AttributeError, match="no attribute 'TreeClasifier'"):
        arboretum.TreeClasifier  # type: ignore[attr-defined]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_keywords_keep_the_contract(estimator: type) -> None:
    """Every keyword is keyword-only, is in the contract, and has its default."""
    parameters = inspect.signature(estimator).parameters
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters.values())
    expected = dict(CONTRACT)
    if estimator is arboretum.TreeRegressor:
        expected = {name: default for name, default in CONTRACT.items() if name not in ONLY_CLASSES}
        expected |= {"criterion": "squared_error"}
    found = {name: p.default for name, p in parameters.items()}
    assert {name: expected[name] for name in found} == found
    assert [name for name in expected if name in found] == list(found), "the order of the contract"


def test_the_estimators_have_the_same_keywords() -> None:
    """What both can do has the same name; only what is about classes is the classifier's alone."""
    classifier, regressor = (set(inspect.signature(estimator).parameters) for estimator in ESTIMATORS)
    assert classifier - regressor == ONLY_CLASSES
    assert regressor <= classifier


@pytest.mark.parametrize("estimator", ENSEMBLES)
def test_keywords_of_ensembles_keep_the_contract(estimator: type) -> None:
    """All but the tree are keyword-only, and have their defaults."""
    parameters = inspect.signature(estimator).parameters
    assert {name: p.default for name, p in parameters.items()} == ENSEMBLE_CONTRACT
    assert [n for n, p in parameters.items() if p.kind is not inspect.Parameter.KEYWORD_ONLY] == ["tree"]


@pytest.mark.parametrize("estimator", ESTIMATORS + ENSEMBLES)
def test_docstrings_name_every_parameter(estimator: type) -> None:
    """Each parameter is found in the docstring's list, before any colon."""
    doc = inspect.getdoc(estimator) or ""
    listed = doc.split("----------")[1].split("Attributes\n")[0]
    headings = [line.split(":")[0] for line in listed.splitlines() if line and not line.startswith(" ")]
    documented = {name.strip() for heading in headings for name in heading.split(",")}
    assert documented == set(inspect.signature(estimator).parameters)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("method", METHODS)
def test_methods_are_there_and_documented(estimator: type, method: str) -> None:
    """The methods of the contract exist, with a docstring."""
    assert inspect.getdoc(getattr(estimator, method))


def test_fit_takes_weights_by_position() -> None:
    """`fit(X, y, sample_weight=None, …)`: what comes after is keyword-only."""
    for estimator in ESTIMATORS:
        parameters = list(inspect.signature(estimator.fit).parameters.values())[1:]
        assert [p.name for p in parameters[:3]] == ["X", "y", "sample_weight"]
        assert [p.name for p in parameters[3:]] == [
            *("groups", "X_val", "y_val", "sample_weight_val", "output_weights")
        ]
        assert all(p.default is None for p in parameters[2:])
        assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[3:])


def test_every_error_is_public() -> None:
    """Whoever wants to catch an error can name it, and every one is an ArboretumError and a built-in one."""
    raised = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception) and not name.startswith("_")
    }
    assert raised <= set(arboretum.__all__)
    warned = {name for name in raised if issubclass(getattr(arboretum, name), Warning)}
    for name in raised - warned - {"ArboretumError"}:
        error = getattr(arboretum, name)
        assert issubclass(error, arboretum.ArboretumError)
        assert issubclass(error, ValueError | TypeError | ImportError | RuntimeError)
    assert len(warned) == 9
    assert all(issubclass(getattr(arboretum, name), arboretum.ArboretumWarning) for name in warned)


FIT_ARRAYS = """
import numpy as np
from arboretum import TreeClassifier, TreeRegressor, Tree, candidates, information, reference
X = np.arange(40.0).reshape(20, 2)
y = ["a"] * 8 + ["b"] * 12
model = TreeClassifier(prune=None).fit(X, y)
str(TreeClassifier().fit(X, y).pruning_path_)
TreeRegressor().fit(X.tolist(), [1] * 8 + [2] * 12).predict(X)
assert model.predict(X).tolist() == y
assert Tree.from_json(model.tree_.to_json()) == model.tree_ and str(model.tree_)
model.to_sklearn().predict(X)
"""

# Finds out who asks for an extra, and pretends that it is not installed.
WITHOUT_EXTRAS = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {extras}:
            frame = sys._getframe(1)
            while "importlib" in frame.f_code.co_filename:
                frame = frame.f_back
            if frame.f_globals.get("__name__", "").startswith("arboretum"):
                print(frame.f_globals["__name__"], "imports", name)
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""


def run(program: str) -> str:
    """Return what a program prints in a Python of its own; it must end well and be silent otherwise."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_importing_loads_no_extra() -> None:
    """`import arboretum` loads none of the extras, nor anything heavy: names are loaded when first used."""
    heavy = [*EXTRAS, "numpy", "sklearn", "narwhals"]
    assert run(f"import sys, arboretum\nprint(*sorted(set({heavy!r}) & set(sys.modules)))") == "\n"


def test_arrays_need_no_extra() -> None:
    """Fitting, predicting, printing and storing work where no extra is installed, and none is asked for.

    scikit-learn itself imports pandas where it finds it; that is its own affair, so who asks is what counts.
    """
    assert run(WITHOUT_EXTRAS.format(extras=set(EXTRAS)) + FIT_ARRAYS) == ""
