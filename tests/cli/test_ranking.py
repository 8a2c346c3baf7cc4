"""`arboretum fit --task ranking`: the order of rows within queries, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import document, refused

import arboretum
from arboretum import TreeRanker, datasets


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with rows of 40 queries."""
    path = tmp_path_factory.mktemp("ranking") / "rows.csv"
    X, relevance, queries = datasets.make_ranking(n_queries=40, rows_per_query=10, random_state=1)
    X.assign(relevance=relevance, query=queries).to_csv(path, index=False)
    return path


def test_a_ranker_is_fitted_tested_and_kept(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    ranking = ("--target", "relevance", "--task", "ranking", "--groups", "query")
    found = document("fit", table, *ranking, "--test", "0.3", "--criterion", "pairwise", "-o", model)
    assert found["task"] == "ranking"
    assert 0.5 < found["test"]["ndcg@10"] < 1
    assert 0 < found["test"]["kendall_tau"] < 1
    assert found["test"]["queries"] + 20 < 40
    kept = arboretum.load(model)
    assert isinstance(kept, TreeRanker)
    assert kept.criterion == "pairwise"
    assert "orders rows within queries" in refused("evaluate", model, table, "--target", "relevance")


def test_what_ranking_needs_and_does_not_have(table: Path) -> None:
    ranking = ("fit", table, "--task", "ranking", "--target", "relevance")
    assert "--groups names the column" in refused(*ranking)
    assert "--task ranking takes numbers" in refused(*ranking[:4], "--target", "market", "--groups", "query")
    assert "--significance is not an option" in refused(
        *ranking, "--groups", "query", "--significance", "0.05"
    )
    assert "--preset cart is not for the task ranking" in refused(
        *ranking, "--groups", "query", "--preset", "cart"
    )
