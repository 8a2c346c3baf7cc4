"""Laws of pruning: nested trees, the smallest minimiser, cross-validation as if done by hand, ids that stay.

Results by hand are what a user could get with estimators that do not prune: fit the rows of a fold, cut the
tree at a price, predict the rows held out; beta is that price, the geometric mean of two alphas. Every pruner
is tried with every kind of question; how trees compare with plain Python is in oracle/.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, PredefinedSplit
from support.marks import allow_one_leaf, allow_rare_class
from support.pruning import QUESTIONS, Case, draw_case, ids_of_leaves, n_subtrees
from support.sweeps import every, few
from support.tables import LEVELS, Table, categorical
from support.trees import same_top

from arboretum import CostComplexity, Pessimistic, ReducedError, Tree, TreeClassifier, TreeRegressor
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum.reference import all_subtrees

pytestmark = [allow_one_leaf, allow_rare_class]

Numbers = np.ndarray[Any, np.dtype[np.float64]]

# --- the sequence -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.2))
@given(data=st.data())
def test_trees_are_nested_and_alphas_rise(nominal: str, missing: str, data: st.DataObject) -> None:
    """From alpha = 0 to the root alone: ever fewer nodes, the same ids, numbers, questions; more risk."""
    case = draw_case(data, nominal, missing)
    model = case.fit(prune=CostComplexity(alpha=0.0))
    path = model.pruning_path_
    assert path.alpha[0] == 0.0
    assert (np.diff(path.alpha) > 0).all()
    assert (np.diff(path.leaves) < 0).all()
    assert (np.diff(path.risk) > 0).all()
    assert path.leaves[-1] == 1
    assert np.isnan(path.cv_risk).all()
    assert path.chosen == 0
    larger = model.unpruned().tree_
    for alpha, n_leaves in zip(path.alpha, path.leaves, strict=True):
        tree = model.pruned(alpha=alpha).tree_
        assert tree.n_leaves == n_leaves
        assert {node.id for node in tree.walk()} <= {node.id for node in larger.walk()}
        assert same_top(tree, larger)
        larger = tree


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.2))
@given(data=st.data())
def test_no_subtree_is_better_and_none_as_good_is_smaller(
    nominal: str, missing: str, data: st.DataObject
) -> None:
    """R(T) + alpha · leaves of all subtrees: at each alpha, between them, and beyond the last."""
    case = draw_case(data, nominal, missing, max_rows=25)
    measure = data.draw(st.sampled_from((None, "gini", "entropy"))) if case.of_classes else None
    model = case.fit(prune=CostComplexity(alpha=0.0, measure=measure))
    tree = case.plain(model.unpruned().tree_, measure)
    assume(n_subtrees(tree) <= 2000)
    total = sum(float(case.weights[row]) for row in case.learnt)
    others = np.array([(float(other.risk) / total, other.n_leaves) for other in all_subtrees(tree)])
    event(f"{min(4, int(math.log10(len(others))))} digits or more of subtrees")
    hair = 1e-11 * (float(tree.cost) / total)
    path = model.pruning_path_
    between = np.sqrt(path.alpha[:-1] * path.alpha[1:])
    for alpha in (*path.alpha, *between, 2 * path.alpha[-1] + 1):
        found = tree.collapse(ids_of_leaves(model.pruned(alpha=alpha).tree_))
        merits = others @ (1.0, alpha)
        merit = float(found.risk) / total + alpha * found.n_leaves
        assert merit <= merits.min() + hair * max(1, found.n_leaves)
        assert found.n_leaves == others[merits <= merits.min() + hair, 1].min()


@settings(max_examples=few(1))
@given(data=st.data())
def test_leaves_asks_for_the_largest_tree_of_the_path_with_so_many(data: st.DataObject) -> None:
    nominal, missing = data.draw(st.sampled_from(QUESTIONS)).values
    case = draw_case(data, str(nominal), str(missing))
    model = case.fit(prune=CostComplexity(alpha=0.0))
    sizes = model.pruning_path_.leaves
    for leaves in range(1, int(sizes[0]) + 2):
        assert model.pruned(leaves=leaves).get_n_leaves() == sizes[sizes <= leaves].max()


@settings(max_examples=few(1))
@given(data=st.data())
def test_a_pruned_estimator_has_lost_nothing(data: st.DataObject) -> None:
    """From any tree of the path one comes back to the tree as grown, and to every other."""
    nominal, missing = data.draw(st.sampled_from(QUESTIONS)).values
    case = draw_case(data, str(nominal), str(missing))
    model = case.fit(prune=CostComplexity(alpha=0.0))
    root = model.pruned(alpha=1e9)
    assert root.get_n_leaves() == 1
    assert root.unpruned().tree_ == case.fit(prune=None).tree_
    assert root.pruned(alpha=0.0).tree_ == model.tree_
    alpha = float(model.pruning_path_.alpha[len(model.pruning_path_) // 2])
    assert model.pruned(alpha=alpha).tree_ == case.fit(prune=CostComplexity(alpha=alpha)).tree_
    assert case.fit(prune=None).pruned(alpha=alpha).tree_ == model.pruned(alpha=alpha).tree_


# --- cross-validation -------------------------------------------------------------------------------------


def losses_by_hand(case: Case, model: Any, rows: list[int], measure: str | None) -> Numbers:
    """What each of the rows costs that the model has not seen."""
    part = case.table.take(rows)
    X = part.frame()
    if measure in (None, "misclassification"):
        if case.of_classes and model.tree_.missing == "fractions":
            two = np.sort(model.predict_proba(X), axis=1)[:, -2:]
            assume((np.ptp(two, axis=1) > 1e-9).all() or two.shape[1] == 1)  # else rounding decides
        predicted = model.predict(X).tolist()
        return np.array(
            [float(case.loss(y, label)) for y, label in zip(part.targets, predicted, strict=True)]
        )
    truth = np.array(part.targets)[:, None] == np.array(case.classes)
    shares = np.zeros(truth.shape)
    known = [case.classes.index(name) for name in model.classes_.tolist()]
    if measure == "gini":
        shares[:, known] = model.predict_proba(X)
        return np.asarray(((truth - shares) ** 2).sum(axis=1))
    # As if one more row of average weight had the shares that the classes have in the whole table.
    tree, unit = model.tree_, model.tree_.root.weight / model.tree_.root.n_rows
    shares[:, known] = tree.array("counts")[model.apply(X)]
    whole = [
        sum(case.weights[row] for row in case.learnt if case.table.targets[row] == k) for k in case.classes
    ]
    shares += unit * np.array([float(weight / sum(whole)) for weight in whole])
    return np.asarray(-np.log2((truth * shares).sum(axis=1) / shares.sum(axis=1)))


def mean_and_error(weights: list[float], losses: Any) -> tuple[Numbers, Numbers]:
    """The mean loss of a unit of weight, and its standard error: as many rows as weigh something."""
    w, e = np.array(weights), np.array(losses)
    mean = (w * e).sum(axis=-1) / w.sum()
    with np.errstate(invalid="ignore"):
        spread = np.sqrt(np.maximum((w * e**2).sum(axis=-1) / w.sum() - mean**2, 0.0))
    return mean, spread / math.sqrt(np.count_nonzero(w))


def cross_validate_by_hand(
    case: Case, alphas: Numbers, fold: list[int], measure: str | None
) -> tuple[Numbers, Numbers]:
    """The risk of the rows held out, and its standard error, for each alpha of the tree of all rows."""
    betas = [*np.sqrt(alphas[:-1] * alphas[1:]), 1e9]
    losses: list[list[float]] = [[] for _ in betas]
    weights: list[float] = []
    for k in sorted(set(fold)):
        train = [row for row in case.learnt if fold[row] != k]
        held_out = [row for row in case.learnt if fold[row] == k]
        if not train or not held_out:
            continue
        # Nothing is chosen here: the measure says how `pruned` cuts the tree of these rows.
        grown = case.take(train).fit(prune=CostComplexity(alpha=0.0, measure=measure))
        weights += [float(case.weights[row]) for row in held_out]
        for found, beta in zip(losses, betas, strict=True):
            found += losses_by_hand(case, grown.pruned(alpha=beta), held_out, measure).tolist()
    return mean_and_error(weights, losses)


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.25))
@given(data=st.data())
def test_cross_validated_risk_is_that_of_refitting_by_hand(
    nominal: str, missing: str, data: st.DataObject
) -> None:
    """Each fold grown once and judged along the path costs what fitting and cutting it by hand does."""
    case = draw_case(data, nominal, missing, min_rows=12)
    # Class factors and the levels to choose from are those of all rows; by hand each fold would have its own.
    options = {name: value for name, value in case.options.items() if name not in ("priors", "leaf")}
    options["levels"] = "raw"
    case = Case(case.table, options)
    counted = "misclassification"
    measures = (counted, "gini") if missing == "fractional" else (counted, "gini", "entropy")
    measure = data.draw(st.sampled_from(measures), label="measure") if case.of_classes else None
    assume(len(case.learnt) > 1)
    n_folds = data.draw(st.integers(2, 4), label="folds")
    n_rows = case.table.n_rows
    fold = data.draw(st.lists(st.integers(0, n_folds - 1), min_size=n_rows, max_size=n_rows), label="fold")
    all_classes = not {"loss", "class_weight"}.isdisjoint(options)  # these are given for all classes
    for k in set(fold):
        seen = {case.table.targets[row] for row in case.learnt if fold[row] != k}
        assume(not (case.of_classes and all_classes) or seen == set(case.classes))
        assume(options["criterion"] != "poisson" or any(seen))
    assume(len({fold[row] for row in case.learnt}) > 1)
    rule = data.draw(st.sampled_from(("1se_unpaired", "min")), label="rule")
    prune = CostComplexity(folds=PredefinedSplit(fold), rule=rule, measure=measure)
    model = case.fit(prune=prune)
    path = model.pruning_path_
    if len(path) == 1:
        assert np.isnan(path.cv_risk).all()  # there was nothing to choose
        return
    risk, error = cross_validate_by_hand(case, path.alpha, fold, measure)
    compare_path(path, risk, error)
    check_choice(model, rule)


def compare_path(path: Any, risk: Numbers, error: Numbers) -> None:
    scale = max(1.0, risk.max())
    np.testing.assert_allclose(path.cv_risk, risk, rtol=1e-9, atol=1e-12 * scale)
    # The spread is a small difference of large sums: its square has their rounding.
    np.testing.assert_allclose(path.cv_se**2, error**2, rtol=1e-6, atol=1e-12 * scale**2)


def check_choice(model: Any, rule: str) -> None:
    """The smallest tree that is good enough by the rule."""
    path = model.pruning_path_
    least = path.cv_risk.min()
    hair = 1e-12 * max(1.0, least) if np.isfinite(least) else 0.0
    best = np.flatnonzero(path.cv_risk <= least + hair)[-1]
    enough = least + hair
    if rule == "1se_unpaired" and np.isfinite(path.cv_se[best]):
        enough += path.cv_se[best]
    assert path.chosen == np.flatnonzero(path.cv_risk <= enough)[-1]
    assert model.alpha_ == path.alpha[path.chosen]
    assert model.get_n_leaves() == path.leaves[path.chosen]
    assert model.tree_ == model.pruned(alpha=model.alpha_).tree_


def smooth_table(n_rows: int = 150, seed: int = 3) -> tuple[pd.DataFrame, Any]:
    """Numbers without ties, three classes: no two questions are equally good."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("pqrs"))
    score = X["p"] + X["q"] ** 2 + rng.normal(scale=0.5, size=n_rows)
    return X, np.array(list("abc"))[np.digitize(score, [0.2, 1.5])]


@pytest.mark.parametrize("loss", [None, [[0, 1, 4], [2, 0, 1], [1, 3, 0]]])
def test_priors_are_those_of_all_rows_in_every_fold(loss: Any) -> None:
    """By hand, the factors of all rows are given to the folds as weights: prior over share of the class."""
    X, y = smooth_table()
    priors = {"a": 0.2, "b": 0.5, "c": 0.3}
    fold = np.arange(len(y)) % 5
    prune = CostComplexity(folds=PredefinedSplit(fold), rule="1se_unpaired", measure="misclassification")
    model = TreeClassifier(priors=priors, loss=loss, prune=prune, leaf="frequency").fit(X, y)
    path = model.pruning_path_
    assert len(path) > 5
    factors = {name: priors[name] / np.mean(y == name) for name in priors}
    weights = np.array([factors[name] for name in y])
    costs = np.array(loss if loss is not None else 1 - np.eye(3))
    expected = np.zeros(len(path))
    betas = [*np.sqrt(path.alpha[:-1] * path.alpha[1:]), 1e9]
    for k in range(5):
        plain = TreeClassifier(loss=loss, prune=None, leaf="frequency")
        grown = plain.fit(X[fold != k], y[fold != k], weights[fold != k])
        unit = 1 / weights[fold != k].mean()  # alpha is a loss per row, whatever classes count
        for i, beta in enumerate(betas):
            predicted = np.searchsorted(list("abc"), grown.pruned(alpha=beta * unit).predict(X[fold == k]))
            e = costs[np.searchsorted(list("abc"), y[fold == k]), predicted]
            expected[i] += (weights[fold == k] * e).sum() / weights.sum()
    np.testing.assert_allclose(path.cv_risk, expected, rtol=1e-9)
    check_choice(model, "1se_unpaired")


@pytest.mark.parametrize("criterion", every(2, [*CLASS_CRITERIA, *NUMBER_CRITERIA]))
def test_folds_of_a_table_without_ties_are_those_by_hand(criterion: str) -> None:
    """150 rows, five folds of scikit-learn: every held-out loss, every criterion, weights of all sizes."""
    X, y = smooth_table()
    weights = tuple(np.random.default_rng(1).integers(1, 4, len(y)).astype(float).tolist())
    numbers = np.searchsorted(list("abc"), y) + np.abs(X["p"].to_numpy()).round(1)
    targets = y if criterion in CLASS_CRITERIA else numbers
    table = Table(("float",) * 4, tuple(tuple(X[name]) for name in X), tuple(targets.tolist()), weights)
    case = Case(table, {"criterion": criterion, "nominal": "subset", "missing": "category"})
    splitter = KFold(5, shuffle=True, random_state=0)
    fold = [0] * len(y)
    for k, (_, held_out) in enumerate(splitter.split(X)):
        for row in held_out:
            fold[row] = k
    measures = ("misclassification", "gini", "entropy") if criterion in CLASS_CRITERIA else (None,)
    for measure in measures:
        model = case.fit(prune=CostComplexity(folds=splitter, rule="1se_unpaired", measure=measure))
        path = model.pruning_path_
        assert len(path) > 8
        risk, error = cross_validate_by_hand(case, path.alpha, fold, measure)
        compare_path(path, risk, error)
        check_choice(model, "1se_unpaired")


@pytest.mark.parametrize("measure", [None, "gini", "entropy"])
def test_a_class_that_a_fold_has_not_seen_does_not_stop_the_others(measure: str | None) -> None:
    """One row of a class of its own: the fold that holds it out has never seen the class."""
    X, y = smooth_table()
    y[7] = "d"
    model = TreeClassifier(prune=CostComplexity(folds=5, measure=measure)).fit(X, y)
    path = model.pruning_path_
    assert not np.isnan(path.cv_risk).any()
    assert path.chosen is not None


@settings(max_examples=few(1))
@given(data=st.data())
def test_tuning_data_choose_alpha(data: st.DataObject) -> None:
    """With X_val the risk of each tree of the path is its mean loss there, as `predict` gives it."""
    nominal, missing = data.draw(st.sampled_from(QUESTIONS)).values
    case = draw_case(data, str(nominal), str(missing), of_classes=False, min_rows=16)
    masks = data.draw(st.lists(st.booleans(), min_size=case.table.n_rows, max_size=case.table.n_rows))
    growing, tuning = ([row for row, kept in enumerate(masks) if kept is side] for side in (True, False))
    grown = case.take(growing)
    assume(grown.learnt and set(tuning) & set(case.table.counted))
    assume(not case.of_classes or set(grown.table.targets) == set(case.table.targets))
    assume(case.options["criterion"] != "poisson" or any(grown.table.targets[row] for row in grown.learnt))
    part = case.table.take(tuning)
    weights = np.array(part.weights or (1.0,) * part.n_rows)
    rule = data.draw(st.sampled_from(("1se_unpaired", "min")), label="rule")
    model = grown.fit(
        prune=CostComplexity(rule=rule, measure="misclassification" if case.of_classes else None),
        X_val=part.frame(),
        y_val=np.array(part.targets),
        sample_weight_val=weights,
    )
    path = model.pruning_path_
    losses = [losses_by_hand(case, model.pruned(alpha=alpha), tuning, None) for alpha in path.alpha]
    risk, error = mean_and_error(weights.tolist(), losses)
    compare_path(path, risk, error)
    check_choice(model, rule)


# --- every pruner with every kind of question -------------------------------------------------------------


PRUNERS = [
    CostComplexity(folds=4),
    CostComplexity(alpha="holdout", rule="min"),
    CostComplexity(folds=4, rule="min", complexity="depth"),
    ReducedError(),
    ReducedError(order="leaves"),
    ReducedError(fraction=0.4, order="bottom_up"),
    Pessimistic(raise_subtrees=False),
    Pessimistic(confidence=0.05),
]


def mixed_table(n_rows: int = 160) -> tuple[pd.DataFrame, Any]:
    """Numbers and levels with missing values, and a number that depends on some of them."""
    rng = np.random.default_rng(12)
    codes, other = rng.integers(0, 5, n_rows), rng.integers(0, 3, n_rows)
    number = rng.normal(size=n_rows).round(1)
    target = (codes % 3) + 2.0 * (number > 0.3) + rng.normal(scale=0.8, size=n_rows)
    for column in (codes, other):
        column[rng.random(n_rows) < 0.1] = -1
    number[rng.random(n_rows) < 0.1] = np.nan
    columns = {"level": categorical(codes, LEVELS), "number": number, "other": categorical(other, LEVELS)}
    return pd.DataFrame(columns), np.abs(target).round(1)


OF_CLASSES: list[dict[str, Any]] = [
    {},
    {"class_weight": "balanced", "leaf": "laplace"},
    {"priors": [0.2, 0.3, 0.5], "loss": [[0, 1, 5], [1, 0, 1], [2, 2, 0]]},
]


@pytest.mark.parametrize("prune", PRUNERS, ids=str)
@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
def test_every_pruner_prunes_every_kind_of_tree(nominal: str, missing: str, prune: Any) -> None:
    """What is left is the top of the tree as grown, ids and all; rows end in the nearest node left."""
    X, y = mixed_table()
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    classes = np.digitize(y, [1.0, 2.5])
    options = {"nominal": nominal, "missing": missing, "prune": prune}
    of_classes = OF_CLASSES[:2] if isinstance(prune, Pessimistic) else OF_CLASSES  # it knows no losses
    models = [TreeClassifier(**options, **more).fit(X, classes, weights) for more in of_classes]
    models.append(TreeClassifier(**options, criterion="gain_ratio").fit(X, classes))
    if not isinstance(prune, Pessimistic):
        models += [TreeRegressor(criterion=name, **options).fit(X, y, weights) for name in NUMBER_CRITERIA]
    n_smaller = 0
    for model in models:
        grown = model.unpruned()
        n_smaller += model.get_n_leaves() < grown.get_n_leaves()
        if prune.get_params().get("raise_subtrees"):
            check_raised(model.tree_, grown.tree_, model.pruning_log_)
        else:
            assert same_top(model.tree_, grown.tree_)
            check_rests(model, grown, X)
        assert Tree.from_json(model.tree_.to_json()) == model.tree_
    assert n_smaller >= len(models) - 2


def check_rests(model: Any, grown: Any, X: pd.DataFrame) -> None:
    """A row rests in the node that is left on its way through the grown tree; its label is that node's."""
    left = {node.id: node for node in model.tree_.walk()}
    if grown.tree_.missing == "fractions":
        return  # of a divided row the largest part may end elsewhere
    found = [model.tree_.node(int(number)) for number in model.apply(X)]
    for node, number, predicted in zip(found, grown.apply(X), model.predict(X), strict=True):
        deep = grown.tree_.node(int(number))
        while deep.id not in left:
            assert deep.parent is not None
            deep = deep.parent
        assert node.id == deep.id
        assert predicted == node.label


def check_raised(tree: Tree, grown: Tree, log: Any) -> None:
    """All nodes are nodes of the grown tree, each below those it was below; raised ones are not left."""
    above: dict[int, set[int]] = {}
    for node in grown.walk():
        above[node.id] = {node.id} if node.parent is None else above[node.parent.id] | {node.id}
    questions = {node.id: node.question for node in grown.walk()}
    for node in tree.walk():
        assert node.parent is None or node.parent.id in above[node.id]
        assert node.is_leaf or node.question == questions[node.id]
    raised = [
        number for number, action in zip(log.node.tolist(), log.action, strict=True) if action == "raise"
    ]
    assert not set(raised) & {node.id for node in tree.walk()}


def test_all_rows_of_divided_trees_are_predicted_from_what_is_left() -> None:
    """Fractions: probabilities are the means over the leaves that are left, by the shares of the row."""
    X, y = mixed_table()
    classes = np.digitize(y, [1.0, 2.5])
    model = TreeClassifier(missing="fractional", prune=CostComplexity(folds=4)).fit(X, classes)
    grown = model.unpruned().tree_
    assert len(model.tree_) < len(grown)
    by_id = {node.id: node for node in model.tree_.walk()}
    nearest = []
    for node in (grown.node(number) for number in range(len(grown))):
        while node.id not in by_id:
            assert node.parent is not None
            node = node.parent
        nearest.append(by_id[node.id].probability)
    from arboretum._data import match_dataset
    from arboretum._tree.tree import core_dataset

    data = core_dataset(match_dataset(X, grown.columns, named=True, owner="this test"))
    blended = grown._router.blend(data, np.array(nearest))
    np.testing.assert_allclose(model.predict_proba(X), blended, atol=1e-12)


@pytest.mark.parametrize("alpha", ["cv", "holdout"])
def test_same_rows_same_choice(alpha: str) -> None:
    """Without random_state the folds are always the same; with another one they are others."""
    X, y = smooth_table()
    paths = [
        TreeClassifier(prune=CostComplexity(alpha=alpha), random_state=state).fit(X, y).pruning_path_
        for state in (None, None, 1, 1, 2)
    ]
    for one, other in itertools.pairwise(paths):
        assert np.array_equal(one.alpha, other.alpha)
    assert np.array_equal(paths[0].cv_risk, paths[1].cv_risk)
    assert np.array_equal(paths[2].cv_risk, paths[3].cv_risk)
    assert not np.array_equal(paths[3].cv_risk, paths[4].cv_risk)
