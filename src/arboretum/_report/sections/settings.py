"""Settings, versions and fingerprints: what it takes to grow the same tree again, and to check it."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version

from arboretum._report.blocks import facts, heading, paragraph, table
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.evidence.training import Training

_LIBRARIES = ("arboretum", "numpy", "scipy", "scikit-learn", "narwhals")


def write(evidence: Evidence) -> str:
    """Return the section."""
    subject, training = evidence.subject, evidence.training
    blocks = [paragraph(_repeated(training), "lead" if training.is_repeated else "caution")]
    tree = hashlib.blake2b(subject.tree.to_json().encode(), digest_size=8).hexdigest()
    told = [
        ("Fingerprint of the training table", training.kept or "not kept"),
        ("Fingerprint of this table", training.fingerprint or "not known"),
        ("Fingerprint of the tree", tree),
        (
            "Numbers of the tree",
            f"{len(subject.tree):,} nodes, {subject.tree.n_leaves:,} leaves, depth {subject.tree.depth}",
        ),
        ("Random numbers of this report", "fixed: the same model and table give the same file"),
    ]
    blocks += [heading("Fingerprints"), facts(told), heading("Settings"), _settings(evidence)]
    blocks += [
        heading("Versions"),
        facts([*_versions(), ("Python", platform.python_version()), ("System", _system())]),
    ]
    return "".join(blocks)


def _repeated(training: Training) -> str:
    if training.kept is None and training.fingerprint is None:
        return (
            "A tree by itself keeps neither its settings nor a fingerprint of its rows: its "
            "fit cannot be repeated."
        )
    if training.fingerprint is None:
        return (
            "The fit was not repeated: this table does not tell what is true of its rows, or "
            "cannot be fitted to."
        )
    if not training.is_same:
        return (
            "The fit was not repeated: by its fingerprint, this table is not the one of "
            "the fit (other rows, another "
            "order, other columns or other weights)."
        )
    if training.is_repeated:
        return (
            "Checked: the table has the fingerprint of the training table, and a fit "
            "with the settings below grew "
            "the same tree again, node by node."
        )
    return (
        "Checked: the table has the fingerprint of the training table, but a fit with "
        "the settings below grows "
        "another tree. This one was edited, cut to another size, pruned by other rows, "
        "fitted with groups or by "
        "another version."
    )


def _settings(evidence: Evidence) -> str:
    if evidence.subject.is_alone:
        return paragraph("Not known of a tree by itself.")
    model = evidence.subject.model
    changed = {each.name for each in evidence.summary.settings or () if not each.is_default}
    lines = [
        [name, " ".join(repr(value).split()), "set" if name in changed else ""]
        for name, value in sorted(
            model.get_params(deep=False).items(), key=lambda pair: (pair[0] not in changed, pair[0])
        )
    ]
    return table(
        ["option", "value", ""],
        lines,
        words={0, 1, 2},
        caption=f"{type(model).__name__}; options that were set come first",
    )


def _versions() -> list[tuple[str, str]]:
    return [(name, _version(name)) for name in _LIBRARIES]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _system() -> str:
    return f"{platform.system()} {platform.machine()}".strip()
