// @ts-check
/**
 * The rule that leads to a node: the conditions of its path, merged.
 *
 * The library merges and writes them: every node says what it changes in the rule of the node above. The whole
 * reads "2 < x <= 5 and (y <= 3 or missing) → yes (90%, 12 rows)".
 */
/** @import { Model } from "./model.js" */
import { numberText, supportText } from "./words.js";

// Such conditions could be misread before an "and".
const LOOSE = / or missing$|^(at least [0-9]+|fewer than [0-9]+|all|not all|any|none) of: /;

/** The outcomes from the root to a node. @param {Model} model @param {number} node */
export function outcomesTo(model, node) {
  return model
    .pathTo(node)
    .slice(1)
    .map((i) => model.nodes.outcome[i] ?? "");
}

/** What must hold, one text per condition. @param {Model} model @param {number} node */
export function conditionsOf(model, node) {
  /** @type {Map<number, string>} */
  const held = new Map();
  for (const above of model.pathTo(node))
    for (const [key, text] of model.nodes.premise[above]) {
      if (text === null) held.delete(key);
      else held.set(key, text);
    }
  return [...held.values()];
}

/** What must hold, in one line. @param {Model} model @param {number} node */
export function premiseText(model, node) {
  const conditions = conditionsOf(model, node);
  const parts = conditions.map((part) => (conditions.length > 1 && LOOSE.test(part) ? `(${part})` : part));
  return parts.join(" and ") || "always";
}

/** The whole rule in one line. @param {Model} model @param {number} node */
export function ruleText(model, node) {
  const { label, value } = model.nodes;
  const says = model.page.classes === null ? numberText(value[node]) : label[node];
  return `${premiseText(model, node)} → ${says} (${supportText(model, node)})`;
}
