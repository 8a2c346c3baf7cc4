// @ts-check
/**
 * The rule that leads to a node: the outcomes from the root down to it.
 *
 * It is written as the library writes it: "x > 2 and (y <= 3 or missing) → yes (90%, 12 rows)".
 */
/** @import { Model } from "./model.js" */
import { numberText, supportText } from "./words.js";

// Such outcomes could be misread before an "and".
const LOOSE = / or missing$|^(at least [0-9]+|fewer than [0-9]+|all|not all|any|none) of: /;

/** The outcomes from the root to a node. @param {Model} model @param {number} node */
export function outcomesTo(model, node) {
  return model
    .pathTo(node)
    .slice(1)
    .map((i) => model.nodes.outcome[i] ?? "");
}

/** What must hold, in one line. @param {Model} model @param {number} node */
export function premiseText(model, node) {
  const outcomes = outcomesTo(model, node);
  const parts = outcomes.map((part) => (outcomes.length > 1 && LOOSE.test(part) ? `(${part})` : part));
  return parts.join(" and ") || "always";
}

/** The whole rule in one line. @param {Model} model @param {number} node */
export function ruleText(model, node) {
  const { label, value } = model.nodes;
  const says = model.page.classes === null ? numberText(value[node]) : label[node];
  return `${premiseText(model, node)} → ${says} (${supportText(model, node)})`;
}
