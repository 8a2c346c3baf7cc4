"""`report`: what someone who must rely on a fitted model should know about it, in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from arboretum._data import ColumnData, read_dataset
from arboretum._data.scalars import is_integer
from arboretum._data.tables import open_table
from arboretum._options.rules import OneOf, Whole, refuse
from arboretum._options.running import Threads
from arboretum._report.evidence.evidence import Evidence, Options
from arboretum._report.page import Section, report_page
from arboretum._report.sections import (
    calibration,
    comparison,
    curves,
    data,
    dependence,
    errors,
    findings,
    importance,
    notes,
    rules,
    settings,
    size,
    stability,
    subgroups,
    tree,
)
from arboretum._report.subject import NotShownError, Subject, read_subject
from arboretum._report.words import named
from arboretum._show.picture.draw import check_title
from arboretum._store.writing import write_text
from arboretum._tree.tree import Tree
from arboretum._warning import unheard
from arboretum._wording import many
from arboretum.errors import DataError, ParameterError, choices

_SECTIONS: Final[tuple[tuple[str, str, Callable[[Evidence], str]], ...]] = (
    ("findings", "What the tree found", findings.write),
    ("data", "Data", data.write),
    ("size", "How the size was chosen", size.write),
    ("tree", "The tree", tree.write),
    ("rules", "Rules", rules.write),
    ("importance", "Importance of columns", importance.write),
    ("dependence", "What each column does", dependence.write),
    ("errors", "Where it is wrong", errors.write),
    ("calibration", "Calibration", calibration.write),
    ("curves", "ROC and precision-recall", curves.write),
    ("stability", "Stability", stability.write),
    ("subgroups", "Subgroups", subgroups.write),
    ("comparison", "Comparison with other methods", comparison.write),
    ("settings", "Settings and reproduction", settings.write),
    ("notes", "Notes on nodes", notes.write),
)
_MOST_RESAMPLES: Final = 10_000


def report(
    model: Any,
    X: Any,
    y: Any = None,
    path: str | os.PathLike[str] | None = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    by: Any = None,
    notes: Mapping[int, str] | None = None,
    target: str | None = None,
    title: str | None = None,
    theme: str = "auto",
    n_resamples: int | None = None,
    n_jobs: int | None = None,
) -> str:
    """Return a report on a fitted model as one HTML file, and write it if a path is given.

    It says what the tree found and how far to trust it, and shows what that rests on: data, size, tree,
    rules, importance, dependence, mistakes, calibration, stability, subgroups, other methods, settings. It
    needs no network, and prints. docs/report.md says how each figure comes about.

    Figures are about rows that the tree has not seen. If the table is the one of the fit, which its
    fingerprint tells, trees of the same settings are grown anew without a part of the rows, and predict it.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_tennis()
    >>> page = report(TreeClassifier(prune=None).fit(X, y), X, y, title="Do they play?", n_resamples=5)
    >>> page.startswith("<!doctype html>") and "<title>Do they play?</title>" in page
    True

    Parameters
    ----------
    model : a fitted TreeClassifier, TreeRegressor or TreeRanker, or a Tree
    X, y : a table with its targets, the one of the fit or another; without y, sections that need it say so
    path : a file to write; an existing file is replaced as a whole or not at all
    sample_weight, groups : as they were given to `fit`; of a ranker, groups are the queries
    by : columns of X to divide the rows by, or {name: one value per row}
        The report shows the error in each subgroup. None: columns that the tree asks about, or with few
        levels.
    notes : {number of a node: text}, shown in a section of their own
    target : what is predicted, by name; None: the name of y, if it is a series
    title : the title of the report
    theme : {"auto", "light", "dark"}; "auto" is what the reader's system prefers
    n_resamples : how many trees the section on stability grows; None: 50, and fewer for larger tables
    n_jobs : how many threads; it does not change the report
    """
    check_title(title)
    OneOf(("auto", "light", "dark")).read(theme, "theme")
    count = Whole(2, or_none=True).read(n_resamples, "n_resamples")
    if count is not None and count > _MOST_RESAMPLES:
        raise refuse(n_resamples, "n_resamples", "", f"an integer from 2 to {_MOST_RESAMPLES:,}, or None")
    Threads().read(n_jobs, "n_jobs")
    if target is not None and not isinstance(target, str):
        raise refuse(target, "target", "", "a text or None")
    with unheard():  # the fit has warned of what it found, and the report says it again
        subject = read_subject(model, X, y, sample_weight, groups, target)
        name = title or f"Report on a {type(model).__name__}"
        chosen = Options(
            by=_subgroups(by, X, len(subject.places) + subject.n_weightless),
            notes=_notes(notes, subject.tree),
            title=name,
            theme=theme,
            n_resamples=count,
            n_jobs=n_jobs,
        )
        evidence = Evidence(subject, chosen)
        sections = [_section(evidence, *each) for each in _SECTIONS]
    page = report_page(name, _subtitle(subject), sections, theme)
    if path is not None:
        write_text(path, page)
    return page


def _section(evidence: Evidence, id: str, title: str, write: Callable[[Evidence], str]) -> Section:
    try:
        return Section(id, title, write(evidence))
    except NotShownError as error:
        return Section(id, title, "", str(error))


def _subtitle(subject: Subject) -> str:
    what = {"classes": "a class", "numbers": "a number", "order": "an order"}[subject.task]
    target = "" if subject.target == "the target" else f" {named(subject.target)},"
    return (
        f"A {type(subject.model).__name__} that predicts{target} {what}, from "
        f"{many(len(subject.tree.columns), 'column')}; "
        f"seen with {many(subject.n_rows, 'row')}."
    )


# --- options


def _subgroups(by: Any, X: Any, n_rows: int) -> dict[str, ColumnData] | None:
    if by is None:
        return None
    if isinstance(by, Mapping):
        return {str(name): _values(str(name), values, n_rows) for name, values in by.items()}
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else [None]
    if not all(isinstance(name, str) for name in names):
        raise refuse(by, "by", "", "the names of columns of X, or {name: one value per row}")
    source = open_table(X)
    found = {}
    for name in names:
        if name not in source.names:
            raise ParameterError(choices("by", name, source.names))
        found[name] = source.read(list(source.names).index(name), False)
    return found


def _values(name: str, values: Any, n_rows: int) -> ColumnData:
    given = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values
    if not isinstance(given, list) or len(given) != n_rows:
        size = f"has {len(given):,} values" if isinstance(given, list) else "is no list"
        raise DataError(f"by[{name!r}] {size}, but X has {many(n_rows, 'row')}; give one value per row.")
    return read_dataset([[value] for value in given]).columns[0]


def _notes(notes: Any, tree: Tree) -> dict[int, str]:
    if notes is None:
        return {}
    if not isinstance(notes, Mapping):
        raise refuse(notes, "notes", "", "{number of a node: text}")
    for number, note in notes.items():
        if not is_integer(number) or not 0 <= number < len(tree):
            raise ParameterError(
                f"notes has a note on node {number!r}, but the nodes of this tree are numbered from 0 to "
                f"{len(tree) - 1}.\nHint: node.number, or the table of rules of a report, "
                "tells which is which."
            )
        if not isinstance(note, str):
            raise ParameterError(f"notes[{number!r}] is {note!r}; a note is text.")
    return {int(number): note for number, note in notes.items()}
