// @ts-check
/**
 * Numbers and nodes in words, as the library writes them everywhere, rounded for reading.
 *
 * A share is a number from 0 to 1; a weight is a count that need not be an integer.
 */
/** @import { Model } from "./model.js" */

// Made once: making one takes a thousand times longer than formatting a number.
const NUMBERS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 12 });
const SHORT_NUMBERS = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/**
 * Return an integer with separators of thousands.
 * @param {number} count
 */
export function wholeText(count) {
  return NUMBERS.format(count);
}

/**
 * Return a share as a percentage; only 0 and 1 are written as 0% and 100%.
 * @param {number} share
 */
export function percentText(share) {
  if (share > 0 && share < 0.005) return "<1%";
  if (share >= 0.995 && share < 1) return ">99%";
  // Halves are rounded to the even number, as in Python.
  const below = Math.floor(100 * share);
  const rest = 100 * share - below;
  return `${rest > 0.5 || (rest === 0.5 && below % 2) ? below + 1 : below}%`;
}

/**
 * Return a number with at most so many significant digits.
 * @param {number | null | undefined} value
 * @param {number} digits
 */
export function numberText(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return rounded.toExponential().replace("e+", "e");
  return NUMBERS.format(rounded);
}

/**
 * Return a number for little room: as above, but millions with an exponent.
 * @param {number | null | undefined} value
 * @param {number} digits
 */
export function briefText(value, digits) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 1e6) return numberText(value, digits);
  return Number(value.toPrecision(digits)).toExponential().replace("e+", "e");
}

/**
 * Return a number for an axis, as short as possible: 700M, 0.065, 1.0e15.
 * @param {number} value
 */
export function shortText(value) {
  if (Math.abs(value) < 1e4) return numberText(value, 2);
  if (Math.abs(value) >= 1e12) return value.toExponential(1).replace("e+", "e");
  return SHORT_NUMBERS.format(value);
}

/** @type {Map<string, string>} */
const IRREGULAR = new Map([
  ["leaf", "leaves"],
  ["other class", "other classes"],
]);

/**
 * Return a number of things as text.
 * @param {number} count
 * @param {string} thing
 */
export function countText(count, thing) {
  return `${wholeText(count)} ${count === 1 ? thing : (IRREGULAR.get(thing) ?? `${thing}s`)}`;
}

/**
 * Return the number of rows of a node, and their weight if rows have weights.
 * @param {Model} model
 * @param {number} node
 */
export function rowsText(model, node) {
  const { n_rows, weight } = model.nodes;
  const rows = countText(n_rows[node], "row");
  return model.page.weighted ? `${rows}, weight ${briefText(weight[node], 6)}` : rows;
}

/**
 * Return what a leaf predicts, and its probability; of an inner node, its label and the share of the rows.
 * @param {Model} model
 * @param {number} node
 */
export function labelText(model, node) {
  const { label, confidence, own, value } = model.nodes;
  if (model.page.classes === null) return numberText(value[node], 4);
  if (own[node] !== null && !model.isLeaf(node)) return `${label[node]} ${own[node]}`;
  const sure = confidence[node];
  return sure === null ? label[node] : `${label[node]} ${percentText(sure)}`;
}

/**
 * Return what the rows of a node say by themselves; nothing if the node predicts just that.
 * @param {Model} model
 * @param {number} node
 */
export function ownText(model, node) {
  const own = model.nodes.own[node];
  if (own === null) return "";
  return model.page.classes === null ? own : `${own} of rows`;
}

/**
 * Return what a prediction rests on: its probability, the rows, and what they say by themselves.
 * @param {Model} model
 * @param {number} node
 */
export function supportText(model, node) {
  const { confidence, own, n_rows } = model.nodes;
  const rows = countText(n_rows[node], "row");
  const based = own[node] === null ? rows : `${own[node]} of ${rows}`;
  const sure = confidence[node];
  if (model.page.classes === null || sure === null) return based;
  return `${percentText(sure)}${own[node] === null ? "," : ";"} ${based}`;
}

/**
 * Return a node in one sentence, for screen readers.
 * @param {Model} model
 * @param {number} node
 */
export function spokenNode(model, node) {
  const { outcome, question } = model.nodes;
  const leaf = model.isLeaf(node);
  const holds = model.page.classes === null ? "value" : leaf ? "predicts" : "mostly";
  const parts = [outcome[node] ?? "all rows", rowsText(model, node), `${holds} ${labelText(model, node)}`];
  if (leaf && ownText(model, node)) parts.push(ownText(model, node));
  if (leaf) parts.push("leaf");
  else parts.push(`asks ${question[node]}`);
  if (!leaf && !model.isOpen(node)) parts.push(`${countText(model.below(node), "node")} below`);
  return parts.join(", ");
}
