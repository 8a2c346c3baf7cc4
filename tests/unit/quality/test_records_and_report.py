"""`benchmarks/quality` from end to end on two small tables: peers that are always there, R where it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arboretum import TreeClassifier
from benchmarks.quality import r_peers, records
from benchmarks.quality.__main__ import wanted_peers
from benchmarks.quality.answers import Answer
from benchmarks.quality.diagram import draw_rankings
from benchmarks.quality.peers import DEFAULT, Peer, list_peers
from benchmarks.quality.records import Plan, keep, keep_minutes, measure_one, remember, remember_minutes
from benchmarks.quality.report import Findings, rank_all, tell
from benchmarks.quality.splits import Split, list_splits
from benchmarks.quality.tables import Table, make_table

PLAN = Plan(seed=1, splits=2)
ALWAYS_THERE = ("arboretum", "arboretum cart()", "scikit-learn", "scikit-learn, alpha by squared error")


def small_table(*, of_classes: bool) -> Table:
    """A number and levels that matter, some of them missing."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"x": random.normal(size=90), "level": random.choice(["u", "v", "w"], 90)})
    y = X["x"] + (X["level"] == "u") + 0.1 * random.normal(size=90)
    X.loc[3, "x"], X.loc[5, "level"] = None, None
    target = np.where(y > 1, "high", np.where(y > 0, "middle", "low")) if of_classes else y
    name = "classes" if of_classes else "numbers"
    return make_table(name, X, target, of_classes=of_classes, source="here")


TABLES = [small_table(of_classes=True), small_table(of_classes=False)]


def peers_that_are_always_there() -> list[Peer]:
    return [peer for peer in list_peers()[0] if peer.name in ALWAYS_THERE]


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    found = [
        measure_one(PLAN, peer, table)
        for peer in peers_that_are_always_there()
        for table in TABLES
        if peer.applies_to(table)
    ]
    return pd.DataFrame([record for some in found for record in some])


def test_a_record_is_what_the_estimator_gives(measured: pd.DataFrame) -> None:
    table, split = TABLES[0], list_splits(TABLES[0], 2, seed=1)[1]
    model = TreeClassifier().fit(table.X.iloc[split.train], table.y[split.train])
    record = measured[
        (measured.peer == DEFAULT) & (measured.table == "classes") & (measured.split == 1)
    ].iloc[0]
    assert record["accuracy"] == model.score(table.X.iloc[split.test], table.y[split.test])
    assert record["leaves"] == model.get_n_leaves()


def fail(table: Table, splits: list[Split]) -> list[Answer]:
    raise ValueError("cannot\nread this")


def test_a_peer_that_fails_is_recorded() -> None:
    (record,) = measure_one(PLAN, Peer("broken", "none", fail), TABLES[0])
    assert record["split"] == -1
    assert record["error"] == "ValueError: cannot read this"


def test_records_are_kept_and_remembered(
    measured: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "KEPT", tmp_path)
    peers = peers_that_are_always_there()
    assert remember(PLAN, peers, TABLES).empty
    keep(PLAN, measured)
    again = remember(PLAN, peers, TABLES)
    columns = ["peer", "table", "split", "accuracy", "r2", "leaves"]
    pd.testing.assert_frame_equal(
        again[columns].sort_values(columns[:3], ignore_index=True),
        measured[columns].sort_values(columns[:3], ignore_index=True),
        check_dtype=False,
    )
    assert set(remember(PLAN, peers, TABLES[:1])["table"]) == {"classes"}
    assert remember(replace(PLAN, seed=2), peers, TABLES).empty
    assert remember_minutes(PLAN) is None
    keep_minutes(PLAN, 1.5)
    assert remember_minutes(PLAN) == 1.5


def test_only_some_peers_are_asked() -> None:
    peers = peers_that_are_always_there()
    assert wanted_peers(peers, None) == peers
    assert wanted_peers(peers, []) == []
    assert [peer.name for peer in wanted_peers(peers, ["arboretum"])] == ["arboretum", "arboretum cart()"]
    with pytest.raises(SystemExit, match="no peer here is called 'arbo retum…'; there are 'arboretum', "):
        wanted_peers(peers, ["arbo retum"])


def test_the_report_says_who_is_missing_and_who_failed(measured: pd.DataFrame, tmp_path: Path) -> None:
    broken = measure_one(PLAN, Peer("broken", "none", fail), TABLES[0])
    rare = replace(TABLES[0], name="rare", y=np.where(np.arange(90) < 10, "few", "many"))
    few = [record for peer in peers_that_are_always_there()[:1] for record in measure_one(PLAN, peer, rare)]
    findings = Findings(
        PLAN,
        [*TABLES, replace(rare, made=True)],
        pd.concat([measured, pd.DataFrame(broken), pd.DataFrame(few)], ignore_index=True),
        trials={"noise": pd.DataFrame({"table": ["classes"] * 2, "leaves": [1, 2]})},
        missing=["C5.0: the R package C50 is not installed"],
    )
    text = "\n".join(tell(findings).lines)
    assert "**Not compared:** C5.0: the R package C50 is not installed." in text
    assert "**Failed:** broken on classes: ValueError: cannot read this" in text
    assert "| pure noise: trees with one leaf | ≥ 100 % | 50 % | **no** |" in text
    assert "| fold seeds: mean sd of ln(leaves), listed tables | ≤ 0.150 | not measured | – |" in text
    for title in ("Goals", "Classes", "Numbers", "Rare classes", "Where we lose", "Every table", "Method"):
        assert f"\n## {title}\n" in text
    assert "{" not in text.partition("\n## Method\n")[2]
    draw_rankings(tmp_path / "ranks.png", rank_all(findings))
    assert (tmp_path / "ranks.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["rpart", "rpart, 1-SE", "ctree", "C5.0"])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_r_answers(name: str, table: Table) -> None:
    _, package, of_numbers = next(peer for peer in r_peers.PEERS if peer[0] == name)
    if lacks := r_peers.lacks(package):
        pytest.skip(lacks)
    if not table.of_classes and not of_numbers:
        return
    splits = list_splits(table, 2, seed=1)
    for split, answer in zip(splits, r_peers.ask_r(name, table, splits), strict=True):
        assert len(answer.predicted) == len(split.test)
        assert answer.leaves >= 2
        if answer.probabilities is not None:
            assert answer.probabilities.sum(axis=1) == pytest.approx(1.0)
            assert np.mean(answer.predicted == table.numbered(table.y[split.test])) > 0.5
        else:
            assert np.corrcoef(answer.predicted, table.y[split.test])[0, 1] > 0.5
