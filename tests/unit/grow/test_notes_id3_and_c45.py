"""The by-hand tables of the lecture notes, as the engine finds them: ID3, gain ratio, DecisionTreeTrain.

`bits` is the entropy of counts. Every number here can be checked with paper and pencil. Surrogates, fractions
and agreement with other programs are tested elsewhere; here are the tables themselves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.trees import unpruned_classifier

from arboretum import GainRatio, TreeClassifier, datasets
from arboretum.information import entropy
from arboretum.reference import decision_tree_test, decision_tree_train
from arboretum.reference.decision_tree_train import Node as Inner
from arboretum.reference.decision_tree_train import score
from arboretum.reference.make_subtree import NominalSplit, info_gain

DAYS, PLAY = datasets.load_tennis(backend="pandas")
SHOPPERS, GROUPS = datasets.load_shoppers(backend="pandas")

# Days without and with tennis, level by level.
COUNTS: dict[str, dict[str, tuple[int, int]]] = {
    "outlook": {"overcast": (0, 4), "rainy": (2, 3), "sunny": (3, 2)},
    "temperature": {"cool": (1, 3), "hot": (2, 2), "mild": (2, 4)},
    "humidity": {"high": (4, 3), "normal": (1, 6)},
    "windy": {"FALSE": (2, 6), "TRUE": (3, 3)},
}
GAINS = {"outlook": 0.247, "humidity": 0.152, "windy": 0.048, "temperature": 0.029}
RATIOS = {"outlook": 0.156, "humidity": 0.152, "windy": 0.049, "temperature": 0.019}
SPLIT_INFORMATION = {"outlook": 1.577, "humidity": 1.0, "windy": 0.985, "temperature": 1.557}
TO_THREE_DIGITS = 5e-4


def bits(*counts: float) -> float:
    return entropy(counts=counts)


def gain_by_hand(column: str) -> float:
    """Return the entropy of 9 and 5 days, less that of each level by its share."""
    parts = COUNTS[column].values()
    return bits(9, 5) - sum(sum(part) / 14 * bits(*part) for part in parts)


def split_information(column: str) -> float:
    return bits(*(sum(part) for part in COUNTS[column].values()))


def gains(node: Any) -> dict[str, float]:
    """Return what each column would gain in a node: its own question first, then the competitors."""
    others = {other.question.column: other.gain for other in node.competitors}
    return {node.question.column: node.gain} | others


def ratios(node: Any) -> dict[str, float | None]:
    others = {other.question.column: other.gain_ratio for other in node.competitors}
    return {node.question.column: node.gain_ratio} | others


# Nodes may be leaves and have no question; here the table decides that, so their types are left open.
def root_of(model: TreeClassifier, X: Any, y: Any) -> Any:
    return model.fit(X, y).tree_.root


def grow(X: Any, y: Any, **options: Any) -> Any:
    return root_of(unpruned_classifier(**options), X, y)


class TestId3:
    """Play tennis, grown by information gain with one branch per value."""

    ROOT = root_of(TreeClassifier.id3(competitors=3), DAYS, PLAY)

    def test_entropy_of_the_table(self) -> None:
        """Nine days with tennis and five without: 0.940 bits."""
        assert self.ROOT.impurity == pytest.approx(bits(9, 5))
        assert self.ROOT.impurity == pytest.approx(0.940, abs=TO_THREE_DIGITS)
        assert self.ROOT.counts.tolist() == [5.0, 9.0]

    def test_the_tree(self) -> None:
        """Outlook; below rainy the wind, below sunny the humidity; every leaf is of one class."""
        overcast, rainy, sunny = self.ROOT.children
        assert self.ROOT.question.levels == (("overcast",), ("rainy",), ("sunny",))
        assert (overcast.is_leaf, overcast.label, overcast.n_rows) == (True, "yes", 4)
        assert rainy.question.column == "windy"
        assert [(leaf.outcome, leaf.label, leaf.n_rows) for leaf in rainy.children] == [
            ("windy = FALSE", "yes", 3),
            ("windy = TRUE", "no", 2),
        ]
        assert sunny.question.column == "humidity"
        assert [(leaf.outcome, leaf.label, leaf.n_rows) for leaf in sunny.children] == [
            ("humidity = high", "no", 3),
            ("humidity = normal", "yes", 2),
        ]
        assert all(leaf.impurity == 0.0 for leaf in self.ROOT.tree.leaves())

    def test_gains_at_the_root(self) -> None:
        """0.247, 0.152, 0.048 and 0.029, in this order."""
        found = gains(self.ROOT)
        assert list(found) == list(GAINS)
        for column, gain in found.items():
            assert gain == pytest.approx(gain_by_hand(column))
            assert gain == pytest.approx(GAINS[column], abs=TO_THREE_DIGITS)

    @pytest.mark.parametrize(
        ("branch", "expected"),
        [
            (  # two days without tennis, three with
                "outlook = rainy",
                {
                    "windy": bits(2, 3),
                    "temperature": bits(2, 3) - 2 / 5 * bits(1, 1) - 3 / 5 * bits(1, 2),
                    "humidity": bits(2, 3) - 2 / 5 * bits(1, 1) - 3 / 5 * bits(1, 2),
                },
            ),
            (  # three days without tennis, two with
                "outlook = sunny",
                {
                    "humidity": bits(3, 2),
                    "temperature": bits(3, 2) - 2 / 5 * bits(1, 1),
                    "windy": bits(3, 2) - 3 / 5 * bits(2, 1) - 2 / 5 * bits(1, 1),
                },
            ),
        ],
    )
    def test_gains_below(self, branch: str, expected: dict[str, float]) -> None:
        """0.971, 0.571 and 0.020; the outlook is not among those that are still asked."""
        node = next(child for child in self.ROOT.children if child.outcome == branch)
        assert gains(node) == pytest.approx(expected)
        assert list(gains(node)) == list(expected)
        assert node.gain == pytest.approx(0.971, abs=TO_THREE_DIGITS)

    @pytest.mark.parametrize("missing", ["category", "fractional", "drop"])
    def test_a_column_is_not_asked_again_below(self, missing: str) -> None:
        """Each branch has one level of it, also where a row without a value is in several branches."""
        rng = np.random.default_rng(4)
        X = pd.DataFrame({name: rng.choice(list("uvw"), 60) for name in "abcd"})
        X.loc[rng.choice(60, 12, replace=False), "a"] = None
        root = root_of(TreeClassifier.id3(missing=missing), X, rng.integers(0, 2, 60))
        paths = []
        for leaf in root.tree.leaves():
            asked, node = [], leaf.parent
            while node is not None:
                asked.append(node.question.column)
                node = node.parent
            paths.append(asked)
        assert max(map(len, paths)) > 2
        assert all(len(set(asked)) == len(asked) for asked in paths)


class TestEmptyBranches:
    """The notes: a branch without rows gets the majority of the node above."""

    ROOT = root_of(TreeClassifier.id3(competitors=2), SHOPPERS, GROUPS)

    def test_the_root(self) -> None:
        """Goods leave two pairs undecided: 1.5305 - 4/9. Jobs leave four athletes and three professors."""
        best_cut = bits(3, 4, 2) - 7 / 9 * bits(3, 2, 2)  # weight <= 90.5, both heavier people are w2
        assert gains(self.ROOT) == pytest.approx(
            {
                "favourite": bits(3, 4, 2) - 4 / 9,
                "job": bits(3, 4, 2) - 4 / 9 * bits(3, 1) - 3 / 9 * bits(2, 1),
                "weight": best_cut,
            }
        )

    def test_a_job_that_nobody_has(self) -> None:
        """All seven jobs have a branch; five of them are empty below clothes, where w2 and w3 are even."""
        clothes = self.ROOT.children[0]
        assert (clothes.outcome, clothes.counts.tolist()) == ("favourite = clothes", [0.0, 1.0, 1.0])
        assert clothes.question.column == "job"
        assert [leaf.n_rows for leaf in clothes.children] == [0, 0, 1, 0, 0, 0, 1]
        for leaf in clothes.children:
            if leaf.n_rows == 0:
                assert (leaf.is_leaf, leaf.label, leaf.weight) == (True, clothes.label, 0.0)
                assert leaf.probability.tolist() == clothes.probability.tolist()
                assert leaf.counts.tolist() == [0.0, 0.0, 0.0]

    def test_each_node_lends_its_own_majority(self) -> None:
        """Level w is declared and has no row: in group s its branch says a, in group t it says b."""
        levels = pd.CategoricalDtype(list("uvw"))
        X = pd.DataFrame({"group": list("ssssttttt"), "c": pd.Series(list("uvvuuvuvv"), dtype=levels)})
        model = TreeClassifier.id3(max_depth=2).fit(X, list("aaab") + list("abbbb"))
        assert str(model.tree_.root.question) == "group = s"
        new = pd.DataFrame({"group": ["s", "t"], "c": ["w", "w"]})
        assert model.predict(new).tolist() == ["a", "b"]
        assert [model.tree_.node(n).n_rows for n in model.apply(new)] == [0, 0]


class TestGainRatio:
    """Gain over the information of the answer, with the guard of C4.5."""

    def test_ratios_of_play_tennis(self) -> None:
        """0.247/1.577, 0.152/1, 0.048/0.985 and 0.029/1.557."""
        root = grow(DAYS, PLAY, criterion="gain_ratio", nominal="multiway", competitors=3)
        found = ratios(root)
        assert list(found) == list(RATIOS)
        for column, ratio in found.items():
            assert split_information(column) == pytest.approx(SPLIT_INFORMATION[column], abs=TO_THREE_DIGITS)
            assert ratio == pytest.approx(gain_by_hand(column) / split_information(column))
            assert ratio == pytest.approx(RATIOS[column], abs=TO_THREE_DIGITS)

    def test_c45_grows_the_tree_of_the_notes(self) -> None:
        """Outlook, then wind and humidity, whose ratios are 1: they tell just what is asked."""
        root = root_of(TreeClassifier.c45(prune=None), DAYS, PLAY)
        asked = {node.question.column: node for node in root.tree.walk() if node.question}
        assert list(asked) == ["outlook", "windy", "humidity"]
        for column in ("windy", "humidity"):
            assert asked[column].gain == pytest.approx(bits(2, 3))
            assert asked[column].gain_ratio == pytest.approx(1.0)

    def test_a_column_that_numbers_the_days(self) -> None:
        """It gains all 0.940 bits of 3.807, a ratio of 0.247. C4.5 wants two branches of two rows."""
        X = DAYS.assign(day=[f"day {i}" for i in range(14)])
        by_gain = root_of(TreeClassifier.id3(), X, PLAY)
        assert (by_gain.question.column, by_gain.gain) == ("day", pytest.approx(bits(9, 5)))
        by_ratio = grow(X, PLAY, criterion="gain_ratio", nominal="multiway")
        assert by_ratio.question.column == "day"
        assert by_ratio.gain_ratio == pytest.approx(bits(9, 5) / math.log2(14))
        assert root_of(TreeClassifier.c45(prune=None), X, PLAY).question.column == "outlook"

    @pytest.mark.parametrize(("guard", "column"), [(None, "rare"), ("average", "half"), ("c45", "half")])
    def test_the_guard(self, guard: str | None, column: str) -> None:
        """To tell one row of eight apart gains 0.138, ratio 0.254; half against half 0.189, ratio 0.189."""
        X = pd.DataFrame({"rare": [1, 0, 0, 0, 0, 0, 0, 0], "half": [1, 1, 1, 0, 1, 0, 0, 0]})
        options = {"criterion": GainRatio(guard=guard), "max_depth": 1, "competitors": 1}
        root = grow(X, list("aaaabbbb"), **options)
        rare, half = 1 - 7 / 8 * bits(3, 4), 1 - bits(3, 1)
        assert root.question.column == column
        assert gains(root) == pytest.approx({"rare": rare, "half": half})
        assert ratios(root) == pytest.approx({"rare": rare / bits(1, 7), "half": half})

    def test_the_price_of_many_cuts(self) -> None:
        """Both columns tell the classes apart; one has seven cuts to choose from and pays log2(7)/8."""
        X = pd.DataFrame({"many": range(8), "two": [0] * 4 + [1] * 4})
        free = grow(X, list("aaaabbbb"), criterion=GainRatio(), competitors=1)
        paid = grow(X, list("aaaabbbb"), criterion=GainRatio(numeric_penalty=True), competitors=1)
        assert gains(free) == {"many": 1.0, "two": 1.0}
        assert free.question.column == "many"
        assert gains(paid) == pytest.approx({"two": 1.0, "many": 1 - math.log2(7) / 8})
        assert paid.question.column == "two"

    def test_an_unknown_outlook(self) -> None:
        """Quinlan's example: 13/14 * (0.961 - 0.747) = 0.199, split information of 3, 5, 5, 1 days: 1.809."""
        X = DAYS.copy()
        X.loc[11, "outlook"] = None
        root = root_of(TreeClassifier.c45(competitors=3, prune=None), X, PLAY)
        known = bits(8, 5) - 5 / 13 * bits(2, 3) - 5 / 13 * bits(3, 2)
        assert gains(root)["outlook"] == pytest.approx(13 / 14 * known)
        assert gains(root)["outlook"] == pytest.approx(0.199, abs=TO_THREE_DIGITS)
        assert ratios(root)["outlook"] == pytest.approx(13 / 14 * known / bits(3, 5, 5, 1))
        assert ratios(root)["outlook"] == pytest.approx(0.110, abs=TO_THREE_DIGITS)


class TestDecisionTreeTrain:
    """Columns of yes and no, judged by majority votes: the nine shoppers and their candidate questions."""

    ANSWERS = pd.DataFrame(
        {
            f"{name} is {level}": SHOPPERS[name] == level
            for name in ("job", "favourite")
            for level in SHOPPERS[name].cat.categories
        }
    )
    ROWS = [{str(name): bool(value) for name, value in row.items()} for row in ANSWERS.to_dict("records")]
    CLASSES = GROUPS.tolist()

    def test_two_questions(self) -> None:
        """Sports goods get 7 of 9 right, professors 5; then professors are asked, though no guess changes."""
        X = self.ANSWERS[["job is professor", "favourite is sports goods"]]
        root = root_of(TreeClassifier.decision_tree_train(competitors=1), X, GROUPS)
        scores = {column: 9 * (1 - root.impurity + gain) for column, gain in gains(root).items()}
        assert scores == pytest.approx({"favourite is sports goods": 7, "job is professor": 5})
        no, yes = root.children
        assert (yes.label, yes.n_rows) == ("w1", 3)
        assert (no.question.column, no.gain) == ("job is professor", pytest.approx(0.0, abs=1e-12))
        assert [(leaf.label, leaf.n_rows) for leaf in no.children] == [("w2", 3), ("w2", 3)]

    def test_every_score_is_that_of_the_notes(self) -> None:
        """Rows times (1 - impurity + gain) is the number of majority votes that are right."""
        root = root_of(TreeClassifier.decision_tree_train(competitors=20), self.ANSWERS, GROUPS)
        found = {column: 9 * (1 - root.impurity + gain) for column, gain in gains(root).items()}
        assert found == pytest.approx({column: score(self.ROWS, self.CLASSES, column) for column in found})
        assert root.question.column == "favourite is sports goods"

    def test_the_guesses_are_those_of_the_notes(self) -> None:
        """The notes also ask columns whose answer is always no; that adds nodes and changes no guess."""
        model = TreeClassifier.decision_tree_train().fit(self.ANSWERS, GROUPS)
        notes = decision_tree_train(self.ROWS, self.CLASSES, self.ANSWERS.columns.tolist())
        assert model.predict(self.ANSWERS).tolist() == [decision_tree_test(notes, row) for row in self.ROWS]
        assert model.predict(self.ANSWERS).tolist() == self.CLASSES

    @pytest.mark.parametrize("seed", range(20))
    def test_random_answers(self, seed: int) -> None:
        """The first question and the guesses of the notes, on tables of four columns and three classes."""
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.integers(0, 2, (40, 4)).astype(bool), columns=list("pqrs"))
        y = rng.choice(["a", "b", "c"], 40)
        rows = [{str(name): bool(value) for name, value in row.items()} for row in X.to_dict("records")]
        notes = decision_tree_train(rows, y.tolist(), list("pqrs"))
        model = TreeClassifier.decision_tree_train().fit(X, y)
        assert isinstance(notes, Inner)
        assert [notes.column] == [node.question.column for node in model.tree_.walk() if node.question][:1]
        assert model.predict(X).tolist() == [decision_tree_test(notes, row) for row in rows]


@pytest.mark.parametrize("column", list(COUNTS))
def test_info_gain_of_the_notes(column: str) -> None:
    """InfoGain, in the notes' own plain Python, gives the gain that the engine gives."""
    rows: list[dict[str, Any]] = [dict(zip(DAYS, row, strict=True)) for row in DAYS.to_numpy()]
    plain = info_gain(rows, PLAY.tolist(), NominalSplit(column))
    assert gains(TestId3.ROOT)[column] == pytest.approx(plain)
