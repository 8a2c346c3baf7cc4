"""The leaves as rules, with what each rests on."""

from __future__ import annotations

from collections.abc import Sequence

from arboretum._report.blocks import paragraph, table
from arboretum._report.evidence.evidence import Evidence
from arboretum._report.words import DASH, between, figure, label_text, share
from arboretum._show.rule_text import Wording, label_of, wording_of
from arboretum._wording import many, visible
from arboretum.inspection.rules.figures import counts_rows
from arboretum.inspection.rules.rule import Rule, rules_of

_MOST = 40


def write(evidence: Evidence) -> str:
    """Return the section."""
    tree = evidence.subject.tree
    rules = sorted(rules_of(tree), key=lambda rule: (-rule.share, rule.node))
    of_classes, wording = tree.rule is not None, wording_of(tree)
    lead = (
        f"The tree is {many(len(rules), 'rule')}; exactly one of them holds for a row. "
        "Support is how many of "
        "the rows it was grown from a rule holds for."
    )
    blocks = [paragraph(lead, "lead")]
    if of_classes:
        counted = "rows" if counts_rows(tree) else "weight"
        blocks.append(
            paragraph(
                "Confidence is the probability that the tree gives to what it predicts. Beside it stands the "
                f"share of the rule's own {counted} for which that is right, with its 95% "
                "interval; these rows "
                "chose the rule, so new rows will fit it a little less well. Lift is how many times more "
                "frequent the prediction is there than overall."
            )
        )
    else:
        blocks.append(
            paragraph(
                "Beside the prediction stands what the rule's own rows say, with the 95% interval of their "
                "mean where it is known. These rows chose the rule, so the interval is a little too narrow."
            )
        )
    shown = rules[:_MOST]
    lines = [_of_classes(rule, wording) if of_classes else _of_numbers(rule, wording) for rule in shown]
    header = ["rule", "predicts", "support", "of all"]
    header += (
        ["confidence", "own share", "95% interval", "lift"]
        if of_classes
        else ["own rows say", "95% interval"]
    )
    blocks.append(table([*header, "node"], lines, words={0, 1}, caption=_caption(rules, shown)))
    return "".join(blocks)


def _caption(rules: Sequence[Rule], shown: Sequence[Rule]) -> str:
    if len(shown) == len(rules):
        return "All rules, those with most rows first"
    covered = sum(rule.share for rule in shown)
    return (
        f"The {len(shown)} of {many(len(rules), 'rule')} with most rows, "
        f"{share(min(1.0, covered))} of all; the "
        "tree above has a list of all of them"
    )


def premise(rule: Rule, wording: Wording) -> str:
    """Return the conditions of a rule in one line."""
    return visible(wording.premise(rule.conditions)) or "always"


def _of_classes(rule: Rule, wording: Wording) -> list[str]:
    return [
        *_beginning(rule, wording),
        DASH if rule.confidence is None else share(rule.confidence),
        DASH if rule.own_share is None else share(rule.own_share),
        between(rule.interval, shares=True),
        DASH if rule.lift is None else f"{rule.lift:.3g}",
        str(rule.node),
    ]


def _of_numbers(rule: Rule, wording: Wording) -> list[str]:
    own = DASH if rule.own_value is None else figure(rule.own_value)
    return [*_beginning(rule, wording), own, between(rule.interval, shares=False), str(rule.node)]


def _beginning(rule: Rule, wording: Wording) -> list[str]:
    label = label_of(rule) if rule.confidence is None else label_text(rule.label)
    return [premise(rule, wording), label, f"{rule.n_rows:,}", share(rule.share)]
