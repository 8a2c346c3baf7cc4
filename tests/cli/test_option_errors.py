"""Wrong options are refused before a table is read, in the words of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command_line import document, refused, say

from arboretum import TreeClassifier, TreeRegressor
from arboretum.cli.training import estimator_flags
from arboretum.errors import ParameterError

# Words of a command, and how the refusal begins. There is no such table: who reads it first, says so.
WRONG = [
    ("fit --max-depth -1", "--max-depth=-1 is not allowed; give an integer of 0 or more, or none."),
    ("fit --criterion ginni", "--criterion='ginni' is not known; choose 'gini',"),
    ("fit --criterion squared_erro", "--criterion='squared_erro' is not known; choose 'squared_error',"),
    ("fit --nominal-questions some", "--nominal-questions='some' is not known"),
    ("fit --thresholds some", "--thresholds='some' is not known"),
    ("fit --questions some", "--questions='some' is not known"),
    ("fit --search Lookahead(depth=0)", "--search=Lookahead(depth=0) is not allowed"),
    ("fit --missing some", "--missing='some' is not known"),
    ("fit --min-samples-split 1", "--min-samples-split=1 is not allowed"),
    ("fit --min-samples-leaf 1.5", "--min-samples-leaf=1.5 is not allowed"),
    ("fit --min-weight-fraction-leaf 0.9", "--min-weight-fraction-leaf=0.9 is not allowed"),
    ("fit --max-leaf-nodes 0", "--max-leaf-nodes=0 is not allowed"),
    ("fit --min-impurity-decrease -1", "--min-impurity-decrease=-1 is not allowed"),
    ("fit --significance 2", "--significance=2 is not allowed"),
    ("fit --competitors -1", "--competitors=-1 is not allowed"),
    ("fit --max-bins 1", "--max-bins=1 is not allowed"),
    ("fit --prune CostComplexity(folds=1)", "--prune=CostComplexity(folds=1) is not allowed"),
    ("fit --prune CostComplexity(rule=x)", "--prune=CostComplexity(…): rule='x' is not known"),
    ("fit --prune ReducedError(fraction=2)", "--prune=ReducedError(fraction=2) is not allowed"),
    ("fit --leaf some", "--leaf='some' is not known"),
    ("fit --leaf MEstimate(m=-1)", "--leaf=MEstimate(m=-1) is not allowed"),
    ("fit --leaf laplace --task regression", "--leaf='laplace' is not known; choose 'mean', 'shrinkage'"),
    ("fit --class-weight some", "--class-weight='some' is not known; choose 'balanced', none"),
    ("fit --class-weight a=x", "--class-weight: 'x' is not a number"),
    ("fit --class-weight a=1 --priors a=0.5,b=0.5", "--class-weight and --priors both rescale"),
    ("fit --priors 0.5,x", "--priors: 'x' is not a number"),
    ("fit --loss 0,1;2", "--loss '0,1;2' is not a square matrix of numbers"),
    ("fit --loss 0,1;2,1", "--loss=[[0.0, 1.0], [2.0, 1.0]] is not allowed"),
    ("fit --monotonic a=2", "--monotonic: '2' is not a direction"),
    ("fit --monotonic a=1 --loss 0,1;2,0", "--monotonic does not go with --priors or --loss"),
    ("fit --monotonic a=1 --missing surrogate", '--missing="surrogate" does not go with --monotonic'),
    ("fit --jobs 0", "--jobs=0 is not allowed"),
    ("fit --seed -1", "--seed=-1 is not allowed"),
    ("fit --task some", "--task='some' is not known"),
    ("fit --preset some", "--preset='some' is not known"),
    ("fit --preset id3 --task regression", "--preset id3 is not for the task regression"),
    ("fit --decimal ;", "--decimal ';' is not allowed"),
    ("fit --ordered size=", "--ordered 'size=' cannot be read"),
    ("experiment --grid max_depth=1,-1", "--grid max_depth=-1 is not allowed"),
    ("experiment --grid max_dept=1", "--grid max_dept: TreeClassifier has no parameter 'max_dept'. Did you"),
    ("experiment --grid prune__rule=min,x", "--grid prune=CostComplexity(…): rule='x' is not known"),
    ("experiment --random 0", "--random=0 is not allowed"),
    ("experiment --split 0.5,0.6", "--split=(0.5, 0.6) is not allowed"),
    ("experiment --refit all", "--refit='all' is not known; choose 'train', 'train+dev'"),
    ("experiment --loss some", "--loss='some' is not known; choose 'misclassification', 'log_loss'"),
    ("experiment --seed -1", "--seed=-1 is not allowed"),
    ("experiment --task some", "--task='some' is not known"),
    ("candidates --criterion some", "--criterion='some' is not known"),
    ("candidates --cuts some", "--cuts='some' is not known"),
    ("candidates --nominal-questions some", "--nominal-questions='some' is not known"),
    ("candidates --missing some", "--missing='some' is not known"),
    ("candidates --min-samples-leaf 0", "--min-samples-leaf=0 is not allowed"),
    ("candidates --task some", "--task='some' is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "begins"), WRONG)
def test_options_are_checked_first(words: str, begins: str) -> None:
    """`fit --max-depth -1` read the whole table and then spoke of max_depth=-1."""
    command, *options = words.split(" ")
    assert refused(command, "there-is-no-such-table.csv", "-t", "y", *options).startswith(begins)


def test_options_that_fit_one_of_the_tasks_wait_for_the_table() -> None:
    """Whether --leaf makes sense is known when the target is."""
    for options in (("--leaf", "laplace"), ("--criterion", "poisson"), ("--preset", "id3")):
        assert "no such file" in refused("fit", "there-is-no-such-table.csv", "-t", "y", *options)


def test_what_the_table_tells_is_told_in_flags(tmp_path: Path) -> None:
    """Refusals that need the data name flags as well, and leave names of the data alone."""
    (tmp_path / "rows.csv").write_text("max_depth,b,y\n" + "".join(f"{i},{i % 3},{i}.5\n" for i in range(9)))
    rows = tmp_path / "rows.csv"
    sentence = refused("fit", rows, "-t", "y", "--monotonic", "z=1")
    assert sentence == "--monotonic names 'z', but the columns are 'max_depth', 'b'."
    (tmp_path / "negative.csv").write_text("a,y\n1,-1.5\n2,3.25\n")
    sentence = refused("fit", tmp_path / "negative.csv", "-t", "y", "--criterion", "poisson")
    assert sentence.startswith("--criterion='poisson' needs targets that are not negative")


def test_other_commands_name_their_flags(tmp_path: Path) -> None:
    """prune, show and export speak of their own options too."""
    path = tmp_path / "iris.json"
    assert say("demo", "iris", "-o", tmp_path).exit_code == 0
    assert refused("prune", path, "--leaves", 0).startswith("--leaves=0 is not allowed")
    assert refused("prune", path, "--alpha", -1).startswith("--alpha=-1.0 is not allowed")
    assert refused("show", path, "--max-depth", -1).startswith("--max-depth=-1 is not allowed")
    assert refused("export", path, "--to", "python", "--name", "1x").startswith(
        "--name='1x' cannot be a name"
    )
    assert refused("export", path, "--to", "sql", "-O", "n_samples=x").startswith("-O n_samples='x' is not")


def test_every_option_of_the_estimators_has_a_flag() -> None:
    """A new parameter must get its name here as well."""
    named = set(TreeClassifier().get_params(deep=False)) | set(TreeRegressor().get_params(deep=False))
    assert named - set(estimator_flags()) == {"verbose"}
    help_text = re.sub(r"\s+", " ", say("fit", "--help").stdout)
    assert {flag for flag in estimator_flags().values() if flag not in help_text} == set()


@pytest.mark.parametrize("model", [TreeClassifier(max_depth=-1), TreeRegressor(prune="cost")])
def test_estimators_check_their_options_before_the_data(model: TreeClassifier | TreeRegressor) -> None:
    """The same order in Python: options, then data."""
    with pytest.raises(ParameterError):
        model.fit("no table at all", None)


def test_exporters_take_several_names(tmp_path: Path) -> None:
    """`-O keep=a,b` was taken for one column called "a,b"."""
    say("demo", "iris", "-o", tmp_path)
    words = ("export", tmp_path / "iris.json", "--to", "sql", "-O", "n_samples=2")
    query = document(*words, "-O", "keep=a,b", "-O", 'keep="c, d"', "-O", "columns=petal_length=pl")[
        "content"
    ]
    assert '"a" AS "kept_a"' in query
    assert '"b" AS "kept_b"' in query
    assert 'AS "c, d"' in query
    assert '"pl"' in query
    one = document(*words, "-O", "keep=a")["content"]
    assert '"a" AS "kept_a"' in one
    picture = ("export", tmp_path / "iris.json", "--to", "svg")
    assert "gain" in document(*picture, "-O", "figures=rows,gain")["content"]
    assert "given 2 times" in refused(*picture, "-O", "theme=dark", "-O", "theme=light")
