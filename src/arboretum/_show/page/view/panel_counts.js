// @ts-check
/**
 * The table of counts in the panel: the classes, or the mean, for every data set side by side.
 *
 * "In the tree" are the weights of the training rows; a data set with the very same ones takes their place.
 * Where rows have weights, the table says so, and also gives the number of rows. The last line is the loss of
 * the node's own prediction.
 */
/** @import { Model } from "./model.js" */
/** @import { Colours } from "./colours.js" */
/** @import { DataSet } from "./types.js" */
import { html } from "./dom.js";
import { briefText, numberText, percentText, wholeText } from "./words.js";

const MOST_CLASSES = 12;

/** @typedef {[string, number[], number | null, number]} CountColumn name, counts, loss and rows of a data set */

/** @param {Model} model @param {number} node @param {Colours} colours */
export function countsTable(model, node, colours) {
  const table = model.page.classes === null ? meansTable(model, node) : classTable(model, node, colours);
  const title = model.page.classes !== null && hasWeights(model) ? "Weights" : "Counts";
  const room = html("div", { class: "table-room" }, table); // many data sets can be wider than the panel
  return html("section", { class: "panel-part" }, html("h3", {}, title), room);
}

/** Whether any data set has weights. @param {Model} model */
function hasWeights(model) {
  return model.page.weighted || model.page.data.some((set) => set.weighted);
}

/** Whether a data set is the training data. @param {Model} model @param {DataSet} set */
function isOwn(model, set) {
  const own = model.nodes.counts?.[0];
  const its = set.counts?.[0];
  return own !== undefined && its !== undefined && own.every((count, i) => Math.abs(count - its[i]) < 1e-9);
}

/** @param {Model} model @param {number} node @param {Colours} colours */
function classTable(model, node, colours) {
  const { data } = model.page;
  const own = model.nodes.counts?.[node] ?? [];
  /** @type {CountColumn[]} */
  const columns = data.map((set) => [set.name, set.counts?.[node] ?? [], set.loss[node], set.n_rows[node]]);
  if (!data.some((set) => isOwn(model, set)))
    columns.unshift(["in the tree", own, null, model.nodes.n_rows[node]]);
  const order = own.map((_, i) => i).sort((a, b) => own[b] - own[a] || a - b);
  const present = order.filter((i) => columns.some(([, counts]) => (counts[i] ?? 0) > 0));
  const merged = model.page.n_merged_classes ?? 0;
  const last = merged ? own.length - 1 : -1; // stands for all merged classes
  const shown = present.filter((i) => i !== last).slice(0, MOST_CLASSES);
  const lines = shown.map((i) => classLine(model, colours, i, columns));
  const rest = present.filter((i) => !shown.includes(i));
  if (rest.length) lines.push(restLine(rest, rest.length + (rest.includes(last) ? merged - 1 : 0), columns));
  const totals = columns.map(([, counts]) => [numberText(sum(counts)), ""]);
  lines.push(lineOf(hasWeights(model) ? "All weights" : "All", totals, "total"));
  if (hasWeights(model)) {
    const rows = columns.map(([, , , n]) => [wholeText(n), ""]);
    lines.push(lineOf("Rows", rows, "rows"));
  }
  if (data.length)
    lines.push(
      lineOf(
        "Misclassified",
        columns.map(([, , loss]) => ["", lossText(loss, true)]),
        "loss",
      ),
    );
  const heads = columns.map(([name]) => html("th", { scope: "colgroup", colspan: 2, class: "number" }, name));
  const top = html("tr", {}, html("th", { scope: "col" }, "Class"), ...heads);
  return html("table", { class: "plain counts" }, html("thead", {}, top), html("tbody", {}, ...lines));
}

/** @param {number | null} loss @param {boolean} share */
function lossText(loss, share) {
  if (loss === null) return "–";
  return share ? percentText(loss) : briefText(loss, 4);
}

/** @param {number[]} parts */
const sum = (parts) => parts.reduce((total, part) => total + part, 0);

/** @param {Model} model @param {Colours} colours @param {number} i @param {CountColumn[]} columns */
function classLine(model, colours, i, columns) {
  const chip = html("span", { class: "chip" });
  chip.style.setProperty("--chip", colours.classes[i] ?? colours.palette.other);
  const name = html("th", { scope: "row", class: "words" }, chip, ` ${model.page.classes?.[i] ?? ""}`);
  const cells = columns.flatMap(([, counts]) => pair(counts[i] ?? 0, sum(counts)));
  return html("tr", { "data-class": i }, name, ...cells);
}

/** @param {number[]} rest @param {number} n @param {CountColumn[]} columns */
function restLine(rest, n, columns) {
  const name = html("th", { scope: "row", class: "words" }, `… ${wholeText(n)} more`);
  const cells = columns.flatMap(([, counts]) => pair(sum(rest.map((i) => counts[i] ?? 0)), sum(counts)));
  return html("tr", {}, name, ...cells);
}

/** A count and its share. @param {number} count @param {number} all */
function pair(count, all) {
  return [
    html("td", { class: "number" }, numberText(count)),
    html("td", { class: "number share" }, all > 0 ? percentText(count / all) : "–"),
  ];
}

/** @param {string} name @param {string[][]} pairs @param {string} kind */
function lineOf(name, pairs, kind) {
  const cells = pairs.flat().map((text, i) => html("td", { class: i % 2 ? "number share" : "number" }, text));
  return html("tr", { class: kind }, html("th", { scope: "row", class: "quiet" }, name), ...cells);
}

/** @param {Model} model @param {number} node */
function meansTable(model, node) {
  const { data } = model.page;
  const { mean: own, n_rows } = model.nodes;
  const weighted = hasWeights(model);
  /** @type {string[][]} */
  const rows = [];
  const size = (/** @type {{n_rows: number[], weight: number[]}} */ { n_rows, weight }) =>
    weighted ? [wholeText(n_rows[node]), numberText(weight[node])] : [wholeText(n_rows[node])];
  const same = (/** @type {DataSet} */ set) =>
    set.n_rows[0] === n_rows[0] &&
    Math.abs((set.mean?.[0] ?? NaN) - (own[0] ?? NaN)) <= 1e-9 * Math.abs(own[0] ?? 0);
  if (!data.some(same)) rows.push(["in the tree", ...size(model.nodes), numberText(own[node], 5), "–"]);
  for (const set of data) {
    const mean = numberText(set.mean?.[node], 5);
    rows.push([set.name, ...size(set), mean, lossText(set.loss[node], false)]);
  }
  const head = ["Data", "Rows", ...(weighted ? ["Weight"] : []), "Mean", "Squared error"];
  const top = html(
    "tr",
    {},
    ...head.map((text, i) => html("th", { scope: "col", class: i ? "number" : "" }, text)),
  );
  const lines = rows.map(([name, ...figures]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", class: "words" }, name),
      ...figures.map((text) => html("td", { class: "number" }, text)),
    ),
  );
  return html("table", { class: "plain counts" }, html("thead", {}, top), html("tbody", {}, ...lines));
}
