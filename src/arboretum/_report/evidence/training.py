"""Whether a table is the one that a model was fitted to, and whether its fit can be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import clone

from arboretum._data.fingerprint import describe_training_data
from arboretum._data.targets import read_weights
from arboretum._grow.training_table import read_training_table
from arboretum._report.subject import Subject
from arboretum.errors import ArboretumError


@dataclass(frozen=True)
class Training:
    """What is known of the table and the fit.

    `is_same` says whether the table is the one of the fit, by its fingerprint; None where the model keeps
    none. `is_repeated` says whether a fit of the same settings to it grows the same tree; None if that was
    not tried.
    """

    fingerprint: str | None  # of this table
    kept: str | None  # what the model keeps
    is_same: bool | None
    is_repeated: bool | None


def look_at_training(subject: Subject) -> Training:
    """Compare the table with what the model keeps of its own, and repeat the fit if they are the same."""
    if subject.is_alone or subject.truth is None:
        return Training(None, None, None, None)
    kept = subject.model.training_data_.fingerprint
    try:
        found = _fingerprint(subject)
    except ArboretumError:  # a table that these settings could not be fitted to
        return Training(None, kept, False, None)
    same = found == kept
    return Training(found, kept, same, _is_repeated(subject) if same else None)


def _fingerprint(subject: Subject) -> str:
    given, settings = subject.given, subject.model._settings()
    table = read_training_table(settings, given.X, given.y, type(subject.model).__name__, given.groups)
    rows, _ = table.growth(settings, read_weights(given.sample_weight, table.n_rows))
    return describe_training_data(rows.data, rows.targets, rows.weights).fingerprint


def _is_repeated(subject: Subject) -> bool:
    given = subject.given
    try:
        again = clone(subject.model).fit(given.X, given.y, given.sample_weight, groups=given.groups)
    except ArboretumError:
        return False
    return bool(again.tree_ == subject.tree)
