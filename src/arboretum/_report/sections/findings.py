"""What the tree found, in plain words, and how far to trust it: the page for those who read only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from arboretum._report.blocks import bullets as bullet_list
from arboretum._report.blocks import heading, judgements, paragraph
from arboretum._report.evidence.evidence import Evidence, Judged
from arboretum._report.sections.calibration import calibration_error, chances_of, shown_classes
from arboretum._report.sections.comparison import verdict
from arboretum._report.sections.data import suspicious_asked
from arboretum._report.sections.errors import score_text
from arboretum._report.sections.importance import gain_shares
from arboretum._report.sections.rules import premise
from arboretum._report.sections.stability import agreement_of
from arboretum._report.sections.subgroups import worst_subgroup, worst_text
from arboretum._report.subject import NotShownError, Subject
from arboretum._report.words import between, figure, label_text, listed, named, share
from arboretum._show.rule_text import label_of, wording_of
from arboretum._wording import many, percent
from arboretum.inspection.rules.rule import Rule, rules_of
from arboretum.plot._charts.calibration import in_bins

# What is called good here; others may see it differently.
_AGREES = 0.9  # of the rows, that two trees of other rows predict alike
_CALIBRATED = 0.05  # mean distance between predicted and seen shares
_SMALL_LEAF = 10  # rows
_LARGEST_RULES = 3
_SURE_GAP = 0.02  # of accuracy that a forest may be ahead
_N_BINS = 10

Mark = Literal["good", "caution", "unknown"]
Line = tuple[Mark, str, str]


def write(evidence: Evidence) -> str:
    """Return the section."""
    blocks = [paragraph(_headline(evidence), "headline"), paragraph(_shape(evidence.subject))]
    if evidence.subject.tree.n_leaves > 1:
        blocks += [paragraph(_columns(evidence.subject)), paragraph("Most rows fall under these rules:")]
        blocks.append(bullet_list(_largest_rules(evidence.subject)))
    advice = [text for text in evidence.summary.advice if text]
    blocks += [heading("How far to trust it"), judgements(trust(evidence))]
    if advice:
        blocks += [heading("What to try next"), bullet_list(advice)]
    return "".join(blocks)


# --- what it found


def _headline(evidence: Evidence) -> str:
    subject = evidence.subject
    target = named(subject.target)
    try:
        judged = evidence.judged
    except NotShownError:
        return (
            "The table does not say what is true, so it is not known how well the tree "
            f"predicts {target} here."
        )
    first = judged.scores[0]
    shares = subject.task == "classes"
    interval = f" (95% interval: {between(judged.interval, shares=shares)})" if judged.interval else ""
    seen = "rows it had not seen" if judged.is_fair else "rows it may have seen before"
    if subject.task == "classes":
        return (
            f"The tree predicts {target} rightly for {score_text(first)} of "
            f"{seen}{interval}.{_against_guess(evidence)}"
        )
    if subject.task == "numbers":
        text = f"On {seen}, the tree predicts {target} with a mean error of {figure(first.value)}{interval}."
        r2 = judged.scores[2].value
        explains = "" if np.isnan(r2) else f" It explains {share(max(0.0, r2))} of the variance."
        return text + explains + _against_guess(evidence)
    return (
        f"On {seen}, the order of the tree has an {first.name} of "
        f"{figure(first.value)}{interval}; 1 is perfect.{_against_guess(evidence)}"
    )


def _against_guess(evidence: Evidence) -> str:
    try:
        guess = evidence.comparison.guess
    except NotShownError:
        return ""
    value = score_text(guess.scores[0])
    return {
        "classes": f" Always naming {guess.name} would be right for {value}.",
        "numbers": f" Always saying {guess.name} would be off by {value}.",
        "order": f" Chance alone would reach {value}.",
    }[evidence.subject.task]


def _shape(subject: Subject) -> str:
    tree = subject.tree
    if tree.n_leaves == 1:
        label = _says(rules_of(tree)[0])
        return (
            f"It asks nothing: it predicts {label} for every row. Its columns told too little "
            "about the target to keep a question."
        )
    n_asked = len(tree._asked)
    return (
        f"It asks about {n_asked:,} of {many(len(tree.columns), 'column')} and has "
        f"{many(tree.n_leaves, 'leaf')}; "
        f"a prediction takes {tree.depth} questions at most."
    )


def _columns(subject: Subject) -> str:
    gains = gain_shares(subject.tree)
    order = [k for k in np.argsort(-gains, kind="stable").tolist() if gains[k] > 0.01][:5]
    names = [f"{named(subject.tree.columns[k].name)} ({percent(float(gains[k]))})" for k in order]
    return f"What it asks about most, by its share of what all questions gain: {listed(names, 5)}."


def _largest_rules(subject: Subject) -> Iterator[str]:
    wording = wording_of(subject.tree)
    largest = sorted(rules_of(subject.tree), key=lambda rule: (-rule.share, rule.node))[:_LARGEST_RULES]
    for rule in largest:
        sure = "" if rule.confidence is None else f", with a probability of {percent(rule.confidence)}"
        yield f"If {premise(rule, wording)}: {_says(rule)}{sure} ({percent(rule.share)} of the rows)."


def _says(rule: Rule) -> str:
    return label_of(rule) if rule.confidence is None else label_text(rule.label)


# --- how far to trust it


def trust(evidence: Evidence) -> list[Line]:
    """Return what speaks for the tree and against it, a line each."""
    asked: tuple[tuple[str, Callable[[Evidence], Line | None]], ...] = (
        ("Fair figures.", _fair),
        ("Better than a guess.", _guess),
        ("Other methods.", _others),
        ("Stability.", _stable),
        ("Calibration.", _calibrated),
        ("Support.", _support),
        ("Subgroups.", _subgroups),
        ("Columns.", _suspicious),
        ("Reproduction.", _reproduced),
    )
    lines: list[Line] = []
    for name, look in asked:
        try:
            found = look(evidence)
        except NotShownError as error:
            found = ("unknown", name, str(error))
        if found is not None:
            lines.append(found)
    return lines


def _fair(evidence: Evidence) -> Line:
    judged = evidence.judged
    if judged.is_fair:
        return (
            "good",
            "Fair figures.",
            "The figures above are about rows that were not used to grow the tree that predicted them.",
        )
    return "caution", "Figures may flatter.", judged.how


def _guess(evidence: Evidence) -> Line:
    guess = evidence.comparison.guess
    assert guess.behind is not None
    _, low, _ = guess.behind
    if low > 0:
        return (
            "good",
            "Better than a guess.",
            f"On held-out rows the tree is better than {guess.name}; that is not chance.",
        )
    return (
        "caution",
        "No better than a guess?",
        f"On held-out rows the tree cannot be told from {guess.name}.",
    )


def _others(evidence: Evidence) -> Line:
    rival = evidence.comparison.best_rival
    ahead = rival is not None and rival.behind is not None and rival.behind[2] < 0
    small = ahead and rival is not None and rival.behind is not None and _is_small(evidence, -rival.behind[0])
    return "caution" if ahead and not small else "good", "Other methods.", verdict(evidence)


def _is_small(evidence: Evidence, gap: float) -> bool:
    return evidence.subject.task != "numbers" and gap <= _SURE_GAP


def _stable(evidence: Evidence) -> Line:
    found = evidence.stability
    agree = agreement_of(found)
    root = int(np.argmax(found.root))
    first = (
        f"{share(float(found.root[root]))} of them begin with {named(found.columns[root])}"
        if found.root[root] > 0
        else "none of them asks anything"
    )
    alike = (
        f"predict alike for {share(agree)} of the rows"
        if found.disagreement is not None
        else f"have a concordance of {agree:.2f}"
    )
    text = f"Two of {many(len(found.trees), 'tree')} grown from rows drawn anew {alike}; {first}."
    return ("good" if agree >= _AGREES else "caution"), "Stability.", text


def _calibrated(evidence: Evidence) -> Line | None:
    if evidence.subject.task != "classes":
        return None
    judged: Judged = evidence.judged
    numbers = shown_classes(judged)
    if not numbers:
        return None
    worst, name = max([(_distance(judged, number), judged.subject.class_names[number]) for number in numbers])
    text = f"Predicted probabilities are {100 * worst:.1f} points away from what happened, on average"
    text += "." if len(judged.subject.class_names) == 2 else f" (at worst, of {named(name)})."
    return ("good" if worst <= _CALIBRATED else "caution"), "Calibration.", text


def _distance(judged: Judged, number: int) -> float:
    truth, chance = chances_of(judged, number)
    return calibration_error(in_bins(truth, chance, judged.subject.weight, _N_BINS, "uniform"))


def _support(evidence: Evidence) -> Line:
    tree = evidence.subject.tree
    leaf = tree.array("n_children") == 0
    rows = tree.array("n_rows")[leaf]
    small = int((rows < _SMALL_LEAF).sum())
    if not small:
        return "good", "Support.", f"Every leaf rests on at least {many(int(rows.min()), 'row')}."
    held = share(float(rows[rows < _SMALL_LEAF].sum()) / max(1.0, float(rows.sum())))
    text = (
        f"{small:,} of {many(len(rows), 'leaf')} rest on fewer than {_SMALL_LEAF} rows ({held} of the rows)."
    )
    return "caution", "Support.", text


def _subgroups(evidence: Evidence) -> Line | None:
    if evidence.subject.task == "order":
        return None
    found = worst_subgroup(evidence)
    write = share if evidence.subject.task == "classes" else figure
    if found is None:
        return (
            "good",
            "Subgroups.",
            "No subgroup that was looked at is surely worse off than all rows together.",
        )
    return "caution", "Subgroups.", worst_text(found[0], found[1], write)


def _suspicious(evidence: Evidence) -> Line:
    names = suspicious_asked(evidence)
    if names:
        text = (
            f"The tree asks about {listed([named(name) for name in names])}, which looks like "
            "a mistake: see Data."
        )
        return "caution", "Columns.", text
    return "good", "Columns.", "The tree asks about no column that looks like an identifier or a mistake."


def _reproduced(evidence: Evidence) -> Line:
    training = evidence.training
    if training.is_repeated:
        return "good", "Reproduction.", "The fit was repeated from this table, and grew the same tree."
    if training.is_same:
        return (
            "caution",
            "Reproduction.",
            "A fit from this table with the model's settings grows another tree.",
        )
    return "unknown", "Reproduction.", "The fit was not repeated: the training table is not at hand."
