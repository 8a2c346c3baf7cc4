"""Exercises: their numbers are those of the library, and each mistake is found where it is."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    DataTypeError,
    Exercise,
    ParameterError,
    TreeClassifier,
    candidates,
    exercise,
    information,
)
from arboretum._show.document.blocks import Grid, Listing
from arboretum.exercises.answers import Amount, Name, Several, tidy
from arboretum.exercises.make import KINDS
from arboretum.reference.subtrees import Subtree, all_subtrees

SEEDS = range(12)


def answers_of(task: Exercise) -> dict[str, Any]:
    """Return the right answers, as the solution prints them."""
    return {step.name: str(step.right) for step in task.steps}


def right(task: Exercise, step: str) -> str:
    """Return the right answer to one step."""
    return str(answers_of(task)[step])


def table_of(task: Exercise) -> pd.DataFrame:
    """Return the rows that are given, numbers as numbers."""
    (grid,) = [block for block in task.given if isinstance(block, Grid)]
    frame = pd.DataFrame(grid.rows, columns=grid.header).replace("missing", np.nan)
    for name in ("weight", "temperature", "pulse", "rows"):
        if name in frame:
            frame[name] = frame[name].astype(float)
    return frame


def tree_of(task: Exercise) -> Subtree:
    """Return the tree that is given, read from its lines."""
    (listing,) = [block for block in task.given if isinstance(block, Listing)]
    lines = [re.match(r"( *)node (\d+).*: (\d+) errors?", line).groups() for line in listing.text.split("\n")]

    def read(place: int) -> tuple[Subtree, int]:
        indent, number, cost = lines[place]
        children, place = [], place + 1
        while place < len(lines) and len(lines[place][0]) > len(indent):
            child, place = read(place)
            children.append(child)
        return Subtree(int(number), int(cost), tuple(children)), place

    return read(0)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_right_answers_are_right(kind: str) -> None:
    """As the solution prints them, by name or in order; and a seed repeats an exercise."""
    for seed in SEEDS:
        task = exercise(kind, seed)
        assert task.check(answers_of(task)) is None
        assert task.check(list(answers_of(task).values())) is None
        assert task == exercise(kind, seed)
        assert len({step.name for step in task.steps}) == len(task.steps)
    assert exercise(kind) == exercise(kind, 0)
    assert len({str(exercise(kind, seed).sheet) for seed in SEEDS}) > 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_answer_is_found_at_its_step(kind: str) -> None:
    """In every step by itself: it is named, with a hint that does not tell the answer."""
    task = exercise(kind, 1)
    for number, step in enumerate(task.steps, 1):
        wrong = "777" if isinstance(step.right, Amount | Several) else "nonsense"
        mistake = task.check({**answers_of(task), step.name: wrong})
        assert (mistake.number, mistake.step, mistake.given) == (number, step.name, wrong)
        assert str(mistake).startswith(f"Step {number} ({step.name}) is wrong")
        assert "Hint: " in str(mistake)
        unanswered = {name: answer for name, answer in answers_of(task).items() if name != step.name}
        assert "is not answered" in str(task.check(unanswered))
        assert task.check({**answers_of(task), step.name: " "}).number == number


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_of_several_mistakes_is_named(kind: str) -> None:
    """What comes later follows from it."""
    task = exercise(kind, 2)
    assert task.check(["nonsense"] * len(task.steps)).number == 1
    assert task.check([]).number == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_entropy(seed: int) -> None:
    """The numbers are those of `information`, and whole or nearly so."""
    task = exercise("entropy", seed)
    counts = table_of(task)["rows"]
    for name in ("entropy", "gini", "misclassification"):
        value = getattr(information, name)(counts=counts)
        assert right(task, name) == tidy(value, 3)
    assert float(right(task, "entropy")) * 8 == int(float(right(task, "entropy")) * 8)
    total, left, both = (float(right(task, name)) for name in ("entropy", "entropy left", "entropy right"))
    sides = [step.asked for step in task.steps if step.name.startswith("entropy ")]
    sizes = [sum(map(int, re.findall(r"\d+", text.split(" to the ")[0]))) for text in sides]
    expected = total - (sizes[0] * left + sizes[1] * both) / sum(sizes)
    assert float(right(task, "gain")) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_threshold(seed: int) -> None:
    """The gains are those of `candidates`, and the best question that of a fitted tree."""
    task = exercise("threshold", seed)
    frame = table_of(task)
    table = candidates(frame[["weight"]], frame["class"], criterion="gini")
    for threshold, gain in zip(table["threshold"], table["gain"], strict=True):
        assert right(task, f"gain {tidy(threshold, 2)}") == tidy(gain, 3)
    assert right(task, "thresholds") == "; ".join(tidy(t, 3) for t in sorted(table["threshold"]))
    tree = (
        TreeClassifier(max_depth=1, prune=None, leaf="frequency").fit(frame[["weight"]], frame["class"]).tree_
    )
    assert float(right(task, "best")) == float(str(tree.root.question).removeprefix("weight <= "))
    assert [right(task, f"label {side}") for side in ("left", "right")] == [
        child.label for child in tree.root.children
    ]
    changes = candidates(frame[["weight"]], frame["class"], cuts="class_change")["threshold"]
    assert right(task, "class changes") == "; ".join(tidy(t, 3) for t in sorted(changes))


@pytest.mark.parametrize("seed", SEEDS)
def test_id3(seed: int) -> None:
    """The tree is that of `TreeClassifier.id3()`, and so is the class of the new row."""
    task = exercise("id3", seed)
    frame = table_of(task)
    X, y = frame[["weather", "wind", "day"]], frame["play"]
    model = TreeClassifier.id3().fit(X, y)
    assert right(task, "root") == model.tree_.root.question.column
    for column in X:
        assert right(task, f"gain {column}") == tidy(information.information_gain(y, X[column]), 3)
    for child in model.tree_.root.children:
        value = str(child.outcome).split(" = ")[1]
        expected = child.label if child.is_leaf else child.question.column
        assert right(task, f"below {value}") == expected
    asked = task.steps[-1].asked
    new = {column: re.search(rf"{column} = (\w+)", asked).group(1) for column in X}
    assert right(task, "new row") == model.predict(pd.DataFrame([new]))[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_error(seed: int) -> None:
    """Every step makes fewer errors, and no tree with one more node collapsed does better than the last."""
    task = exercise("reduced_error", seed)
    tree = tree_of(task)
    assert right(task, "errors") == str(tree.risk)
    rounds = [step.name for step in task.steps if step.name.startswith("prune ")]
    for name in rounds:
        node = int(right(task, name).removeprefix("node "))
        best = min(tree.collapse({inner.number}).risk for inner in tree.inner)
        tree = tree.collapse({node})
        assert right(task, name.replace("prune", "errors")) == str(tree.risk) == str(best)
    assert all(tree.collapse({node.number}).risk > tree.risk for node in tree.inner)
    assert right(task, "leaves") == str(tree.n_leaves)


@pytest.mark.parametrize("seed", SEEDS)
def test_weakest_link(seed: int) -> None:
    """The chosen tree minimises errors + alpha · leaves over all pruned subtrees."""
    task = exercise("weakest_link", seed)
    alpha = Fraction(re.search(r"alpha = (\d+\.?\d*)", task.steps[-1].asked).group(1))
    tree = tree_of(task)
    best = min(all_subtrees(tree), key=lambda subtree: subtree.risk + alpha * subtree.n_leaves)
    assert right(task, "leaves at alpha") == str(best.n_leaves)
    links = [right(task, step.name) for step in task.steps if step.name.startswith("link ")]
    assert links[-1] == "node 0"
    first = {n.number: (n.cost - n.risk) / (n.n_leaves - 1) for n in tree.inner}
    assert {f"node {n}": tidy(g, 3) for n, g in first.items()} == {
        step.name.removeprefix("g1 of "): str(step.right)
        for step in task.steps
        if step.name.startswith("g1 ")
    }
    assert links[0] == f"node {min(first, key=first.__getitem__)}"


@pytest.mark.parametrize("seed", SEEDS)
def test_surrogates(seed: int) -> None:
    """The surrogate is that of a tree whose question is the one given."""
    task = exercise("surrogates", seed)
    frame = table_of(task)
    known = frame["temperature"].notna()
    threshold = float(re.search(r"temperature <= (\d+\.?\d*)", task.given[0].text).group(1))
    y = np.where(frame["temperature"] <= threshold, "low", "high")
    weights = np.where(known, 1.0, 1e-6)  # the rows without temperature have no say, but their pulses count
    model = TreeClassifier(missing="surrogate", prune=None, max_depth=1)
    tree = model.fit(frame[["temperature", "pulse"]], y, weights).tree_
    assert str(tree.root.question) == f"temperature <= {threshold:g}"
    (surrogate,) = tree.root.surrogates
    assert right(task, "cut") == str(surrogate.question).removeprefix("pulse <= ")
    assert right(task, "agreement") == tidy(surrogate.agreement, 3)
    assert right(task, "adjusted") == tidy(surrogate.adjusted_agreement, 3)
    child = {node: side for node, side in zip((1, 2), ("left", "right"), strict=True)}
    went = [child[int(node)] for node in tree.apply(frame[["temperature", "pulse"]])[8:]]
    assert [right(task, "row 9"), right(task, "row 10")] == went


@pytest.mark.parametrize("seed", SEEDS)
def test_m_of_n(seed: int) -> None:
    """Gains are those of the answers to the question; the last question tells all rows."""
    task = exercise("m_of_n", seed)
    frame = table_of(task)
    for step in task.steps:
        if step.name.startswith("gain "):
            m, signs = re.search(r"(\d) of {(.*)}", step.name).groups()
            holds = frame[signs.split(", ")].astype(int).sum(axis=1) >= int(m)
            gain = information.information_gain(frame["patient"], holds)
            assert str(step.right) == tidy(gain, 3)
    chosen = [str(step.right) for step in task.steps if step.name.startswith("choice ")]
    found = {step.name.split(": ")[1]: float(str(step.right)) for step in task.steps if ": " in step.name}
    taken = [question for question in chosen if question != "stop"]
    assert found[taken[-1]] == float(right(task, "entropy")) == max(found.values())
    assert [found[question] for question in taken] == sorted(found[question] for question in taken)
    assert taken[0] == max([name for name in found if "," not in name], key=found.__getitem__)


@pytest.mark.parametrize(
    ("right_answer", "accepted", "refused"),
    [
        (
            Amount(0.375),
            [0.375, "0.375", "0,375", "3/8", "37.5 %", Fraction(3, 8), " 0.3750", 0.3754, np.float64(0.375)],
            [0.38, "3/7", "three", "", None, True, "1/0", float("nan")],
        ),
        (Amount(1.0, 0), [1, "1", "1.0", "2/2"], [1.4, "7/9", 0.6, 2]),
        (Amount(-0.5), ["−0.5", "-1/2"], [0.5]),
        (Name("node 3", ("3",)), [" Node 3 ", 3, "node 3?"], ["node 13", "", None]),
        (
            Several((1.5, 2.5)),
            [[2.5, 1.5], "1.5; 2.5", "1.5 2.5", ("1,5", 2.5), np.array([1.5, 2.5])],
            [[1.5], "1.5; 2.5; 2.5", None, 1.5, "a b"],
        ),
        (Several(()), ["none", []], ["1"]),
        (Several((2.0,)), [2, "2"], [3]),
    ],
)
def test_answers_may_be_written_in_many_ways(
    right_answer: Any, accepted: list[Any], refused: list[Any]
) -> None:
    """Fractions, percent, a comma; capitals and spaces do not matter; rounding on the way is forgiven."""
    assert [given for given in accepted if not right_answer.accepts(given)] == []
    assert [given for given in refused if right_answer.accepts(given)] == []


def test_refused() -> None:
    """One sentence that names what is wrong."""
    with pytest.raises(ParameterError, match=r"kind='entropi' is not known.*Did you mean 'entropy'"):
        exercise("entropi")
    with pytest.raises(ParameterError, match="random_state=-1 is not allowed"):
        exercise("entropy", -1)
    task = exercise("entropy")
    with pytest.raises(ParameterError, match="step='gain2' is not known"):
        task.check({"gain2": 1})
    with pytest.raises(ParameterError, match="answers to"):
        task.check([0] * 99)
    with pytest.raises(DataTypeError, match="answers is of type str"):
        task.check("0.5")


@pytest.mark.parametrize("kind", KINDS)
def test_sheets_and_solutions_in_every_format(kind: str) -> None:
    """A sheet has room for every answer and none of them; the solution has all."""
    task = exercise(kind, 3)
    for write in ("to_markdown", "to_latex", "to_html"):
        sheet, solution = getattr(task.sheet, write)(), getattr(task.solution, write)()
        assert task.title in sheet
        for step in task.steps:
            assert step.how
            assert step.hint
        blanks = {"to_markdown": "\\_" * 12, "to_latex": "\\dotfill", "to_html": "dotted"}[write]
        assert sheet.count(blanks) == len(task.steps)
        assert solution.count(blanks) == 0
    assert str(task) == task.sheet.to_markdown()
    assert all(f"**{step.right}**".replace("<", "\\<") in str(task.solution) for step in task.steps)
    assert "<h1>" in task._repr_html_()
    # The signs that pdflatex lacks have all been replaced.
    assert task.solution.to_latex().isascii()
