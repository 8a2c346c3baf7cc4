"""The report: goals, means and ranks, rare classes, where we lose, every table, and how it was done.

What is said in words about our losses is in where_we_lose.md, written by hand from the tables here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import NOTHING, Report, processor

from .alphas import FOLDS, MOST_ALPHAS
from .encoding import MOST_COLUMNS
from .goals import FOLD_TABLES, list_goals
from .measures import LEAST_PROBABILITY, MEASURES, Measure
from .peers import DEFAULT, describe_versions
from .ranks import LEVEL, Ranking, rank_peers
from .real_tables import absent_tables
from .records import Plan
from .scores import MEASURE, RARE, mean_score, names_of, rare_tables, score_peers, share_of_single_leaves
from .tables import FEWEST_ROWS_OF_CLASS, Table
from .trials import FOLD_SEEDS, IDENTIFIER_SPLITS, NOISE_TABLES

__all__ = ["PICTURE", "Findings", "rank_all", "tell"]

HERE = Path(__file__).parent
PICTURE = HERE / "critical_differences.png"
WHERE_WE_LOSE = HERE / "where_we_lose.md"

MOST_LOSSES = 6
AMONG_MORE_TABLES = """\
The goals were set on these tables and {absent}, which none of the packages has.
Those are hard: for trees of one kind, leaving them out raised accuracy by 0.006 and lowered AUC by 0.002,
log-loss by 0.027, Brier by 0.009 and the number of leaves by a tenth."""
RANKED = ("accuracy", "auc", "log_loss", "brier", "r2")


@dataclass(frozen=True)
class Findings:
    """All that was measured."""

    plan: Plan
    tables: list[Table]
    records: pd.DataFrame
    trials: dict[str, pd.DataFrame]
    missing: list[str]  # peers that could not be asked, and why
    minutes: float | None = None  # that the last run took which asked all peers
    remembered: list[str] = field(default_factory=list)  # peers measured before the others

    def scores(self, measure: Measure, names: list[str]) -> pd.DataFrame:
        """Tables by peers."""
        return score_peers(self.records, measure, names)

    def observed(self, *, of_classes: bool) -> list[str]:
        """The observed tables of one kind."""
        return names_of(self.tables, of_classes=of_classes, made=False)


def rank_all(findings: Findings) -> dict[str, Ranking]:
    """The rankings that are drawn, by title."""
    rankings = {}
    for key in RANKED:
        measure = MEASURE[key]
        scores = findings.scores(measure, findings.observed(of_classes=measure.of_classes))
        if len(scores.dropna(axis=1).columns) > 1:
            rankings[measure.title] = rank_peers(scores, higher_is_better=measure.higher_is_better)
    return rankings


def tell(findings: Findings) -> Report:
    """Write the whole report."""
    report = Report()
    say_what_was_measured(report, findings)
    show_goals(report, findings)
    report.say("\n## Classes")
    show_means(report, findings, findings.observed(of_classes=True), of_classes=True)
    report.say("\n## Numbers")
    show_means(report, findings, findings.observed(of_classes=False), of_classes=False)
    show_rankings(report, findings)
    show_rare_classes(report, findings)
    show_losses(report, findings)
    show_all_tables(report, findings)
    report.say("\n" + method_of(findings))
    return report


def say_what_was_measured(report: Report, findings: Findings) -> None:
    """The first lines: machine, versions, time, and who is not there."""
    report.say(f"# Quality\n\nMeasured on {processor()} with {describe_versions()}.")
    n_observed = {kind: len(findings.observed(of_classes=kind)) for kind in (True, False)}
    report.say(
        f"{n_observed[True]} observed tables of classes and {n_observed[False]} of numbers, "
        f"{sum(table.made for table in findings.tables)} made ones; "
        f"{findings.plan.splits} splits each, seed {findings.plan.seed}."
    )
    if findings.minutes is not None:
        report.say(f"To ask all peers took {findings.minutes:.0f} minutes in {findings.plan.jobs} processes.")
    if findings.remembered:  # their versions and times may be others
        report.say(f"From an earlier run with the same splits: {'; '.join(findings.remembered)}.")
    for line in findings.missing:
        report.say(f"\n**Not compared:** {line}.")
    failed = findings.records[findings.records["split"] < 0]
    for record in failed.itertuples():
        report.say(f"\n**Failed:** {record.peer} on {record.table}: {record.error}")


def show_goals(report: Report, findings: Findings) -> None:
    """Goal by goal."""
    report.say(
        f"\n## Goals\n\nOf our default, `{DEFAULT}` in the tables below; means over the observed tables."
    )
    if absent := absent_tables():
        report.say(AMONG_MORE_TABLES.format(absent=", ".join(absent)))
    report.begin_table("figure", "goal", "measured", "met")
    for goal in list_goals(findings.records, findings.trials, findings.tables):
        sign = "≥" if goal.at_least else "≤"
        met = {True: "yes", False: "**no**", None: NOTHING}[goal.met]
        report.add_row(goal.what, f"{sign} {goal.show(goal.bound)}", goal.show(goal.measured), met)


def show_means(report: Report, findings: Findings, names: list[str], *, of_classes: bool) -> None:
    """The mean of each measure, and in brackets the mean rank; the best mean is bold."""
    measures = [measure for measure in MEASURES if (measure.of_classes if of_classes else measure.of_numbers)]
    report.say(f"\nMeans over {len(names)} observed tables, in brackets the mean rank. Best mean in bold.")
    report.begin_table("peer", *(measure.title for measure in measures))
    columns = [column_of_means(findings.scores(measure, names), measure) for measure in measures]
    n_tables = findings.scores(measures[0], names).notna().sum()
    for name in n_tables[n_tables > 0].index:
        some = "" if n_tables[name] == len(names) else f" ({n_tables[name]} tables)"
        report.add_row(f"{name}{some}", *(column[name] for column in columns))


def column_of_means(scores: pd.DataFrame, measure: Measure) -> dict[str, str]:
    """A cell per peer. Means over some of the tables only are no match for those over all."""
    ranks = rank_peers(scores, higher_is_better=measure.higher_is_better).mean_ranks
    means = {name: mean_score(scores[name], measure) for name in map(str, scores)}
    shown = {name: f"{mean:.{measure.digits}f}" for name, mean in means.items()}
    full = [means[name] for name in ranks.index]
    best = f"{max(full) if measure.higher_is_better else min(full):.{measure.digits}f}"
    cells = {name: f"{text} ({ranks[name]:.1f})" if name in ranks else text for name, text in shown.items()}
    return {
        name: f"**{shown[name]}** ({ranks[name]:.1f})" if name in ranks and shown[name] == best else cell
        for name, cell in cells.items()
    }


def show_rankings(report: Report, findings: Findings) -> None:
    """The picture, and the figures behind it."""
    place = PICTURE.relative_to(HERE.parent)
    report.say(
        f"\n## Critical differences\n\n![Mean ranks of all peers, measure by measure]({place})\n\n"
        "Peers under one bar cannot be told apart by Nemenyi's test at "
        f"{LEVEL:.0%}. Only peers with an answer for every table are ranked."
    )
    report.begin_table(
        "measure", "tables", "peers", "Friedman's p", "critical difference", "best", "our default"
    )
    for title, ranking in rank_all(findings).items():
        ranks = ranking.mean_ranks
        report.add_row(
            title,
            str(ranking.n_tables),
            str(len(ranks)),
            "< 0.001" if ranking.p_value < 0.001 else f"{ranking.p_value:.3f}",
            f"{ranking.critical_difference:.2f}",
            f"{ranks.index[0]} ({ranks.iloc[0]:.1f})",
            f"{ranks[DEFAULT]:.1f}, place {1 + int((ranks < ranks[DEFAULT]).sum())}",
        )


def show_rare_classes(report: Report, findings: Findings) -> None:
    """How often a tree asks nothing, and how well it ranks."""
    names = rare_tables(findings.tables)
    single = share_of_single_leaves(findings.records, names)
    keys = ("auc", "balanced", "log_loss", "brier", "leaves")
    measures = [MEASURE[key] for key in keys]
    scores = {measure.key: findings.scores(measure, names) for measure in measures}
    report.say(
        f"\n## Rare classes\n\nMeans over {len(names)} tables of two classes with one below {RARE:.0%}: "
        f"{', '.join(names)}."
    )
    report.begin_table("peer", "fits with one leaf", *(measure.title for measure in measures))
    for name in single.index:
        if scores["auc"][name].notna().all():
            means = (mean_score(scores[one.key][name], one) for one in measures)
            cells = [f"{mean:.{one.digits}f}" for mean, one in zip(means, measures, strict=True)]
            report.add_row(name, f"{single[name]:.0%}", *cells)


def show_losses(report: Report, findings: Findings) -> None:
    """What was written about them, on how many tables each peer is ahead, and the largest losses."""
    report.say(f"\n## Where we lose\n\n{WHERE_WE_LOSE.read_text(encoding='utf-8').strip()}")
    report.say("\nObserved tables on which a peer is ahead of our default : behind it; the rest are ties.")
    measures = [MEASURE[key] for key in RANKED]
    advantages = {
        measure.key: advantages_of_others(
            findings.scores(measure, findings.observed(of_classes=measure.of_classes)), measure
        )
        for measure in measures
    }
    report.begin_table("peer", *(measure.title for measure in measures))
    for name in [name for name in findings.records["peer"].unique() if name != DEFAULT]:
        cells = [ahead_and_behind(advantages[measure.key].get(name)) for measure in measures]
        report.add_row(name, *cells)
    report.say(f"\nThe {MOST_LOSSES} largest losses to the best peer, made tables included.")
    report.begin_table("measure", "table", "our default", "best peer", "its score")
    for measure in measures:
        names = names_of(findings.tables, of_classes=measure.of_classes)
        scores = findings.scores(measure, names)
        others = advantages_of_others(scores, measure)
        losses = others.max(axis=1)
        for table in losses[losses > 0].nlargest(MOST_LOSSES).index:
            best = str(others.loc[table].idxmax())
            ours, theirs = (f"{scores[name][table]:.{measure.digits}f}" for name in (DEFAULT, best))
            report.add_row(measure.title, str(table), ours, best, theirs)


def advantages_of_others(scores: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """How much better each peer is than our default, table by table."""
    better = scores.drop(columns=DEFAULT).sub(scores[DEFAULT], axis=0)
    return (better if measure.higher_is_better else -better).round(6)


def ahead_and_behind(advantages: pd.Series[float] | None) -> str:
    """Tables on which a peer is ahead : behind."""
    if advantages is None or advantages.isna().all():
        return NOTHING
    return f"{int((advantages > 0).sum())} : {int((advantages < 0).sum())}"


def show_all_tables(report: Report, findings: Findings) -> None:
    """What the tables are, and our default on each."""
    measures = [measure for measure in MEASURES if measure.key not in ("balanced", "seconds")]
    report.say("\n## Every table\n\nWhere it comes from, what it is like, and our default on it.")
    report.begin_table(
        "table",
        "source",
        "rows x columns",
        "most levels",
        "missing",
        "classes",
        "rarest class",
        *(measure.title for measure in measures),
    )
    scores = {one.key: findings.scores(one, [table.name for table in findings.tables]) for one in measures}
    for table in findings.tables:
        missing = float(table.X.isna().to_numpy().mean())
        values = [(float(scores[one.key][DEFAULT][table.name]), one.digits) for one in measures]
        report.add_row(
            table.name,
            table.source,
            f"{len(table.y):,} x {table.X.shape[1]}",
            f"{table.most_levels:,}" if table.nominal else NOTHING,
            f"{missing:.1%}" if missing else NOTHING,
            str(len(table.classes)) if table.of_classes else NOTHING,
            f"{table.rarest_share:.1%}" if table.of_classes else NOTHING,
            *(NOTHING if np.isnan(value) else f"{value:.{digits}f}" for value, digits in values),
        )


def method_of(findings: Findings) -> str:
    """How it was done, with the numbers that the code uses."""
    absent = absent_tables()
    left_out = f" Not used here, since none of these has them: {', '.join(absent)}." if absent else ""
    text = (HERE / "method.md").read_text(encoding="utf-8").strip()
    return text.format(
        left_out=left_out,
        splits=findings.plan.splits,
        seed=findings.plan.seed,
        least=LEAST_PROBABILITY,
        rows_of_class=FEWEST_ROWS_OF_CLASS,
        most_columns=MOST_COLUMNS,
        folds=FOLDS,
        most_alphas=MOST_ALPHAS,
        identifier_splits=IDENTIFIER_SPLITS,
        noise_tables=NOISE_TABLES,
        last_fold_seed=FOLD_SEEDS - 1,
        fold_tables=", ".join(name for name in FOLD_TABLES if name not in absent),
    )
