// @ts-check
/**
 * The path of one row through the tree of this step, and in words why it goes there.
 *
 * A divided row stops at several nodes. The prediction is known for the tree of the model, and for smaller
 * trees where a single node decides.
 */
/** @import { Model } from "./model.js" */
/** @import { Store } from "./store.js" */
import { button, html } from "./dom.js";
import { countText, numberText, percentText, supportText } from "./words.js";

/** The nodes of this step that the row passes. @param {Model} model */
export function passedNodes(model) {
  return model.page.row?.nodes.filter((node) => model.alive[node]) ?? [];
}

/** Where the row stops in the tree of this step. @param {Model} model */
function restingNodes(model) {
  const passed = passedNodes(model);
  const left = new Set(passed.map((node) => model.nodes.parent[node]));
  return passed.filter((node) => !left.has(node));
}

/** The prediction for the row; nothing if it is not known. @param {Model} model */
export function conclusionText(model) {
  const { row, classes } = model.page;
  if (row === null) return "";
  if (model.step === row.step) return row.conclusion;
  const [node, ...others] = restingNodes(model);
  if (others.length || model.hiddenBelow(node)) return "";
  const { label, confidence, own, value, n_rows } = model.nodes;
  if (classes === null || own[node] !== null) {
    const says = classes === null ? numberText(value[node]) : label[node];
    return `→ ${says} (${supportText(model, node)})`;
  }
  return `→ ${label[node]} (${percentText(confidence[node] ?? 0)} of ${countText(n_rows[node], "row")})`;
}

export class RowPathBlock {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.model = store.model;
    this.reasons = html("ol", { class: "rule", id: "row-reasons" });
    this.end = html("strong", { id: "row-conclusion" });
    const summary = html("summary", {}, "The way of the row ", this.end);
    this.element = html("details", { id: "row-way", class: "row-way", open: true }, summary, this.reasons);
  }

  draw() {
    const { row } = this.model.page;
    const lines = (row?.nodes ?? []).flatMap((node, i) => {
      const why = row?.sentences[i];
      if (!why || !this.model.alive[node] || this.model.isLeaf(node)) return [];
      const go = button(why, { class: "rule-part", "data-goto": node }, () => this.store.select(node));
      return [html("li", {}, go)];
    });
    this.reasons.replaceChildren(...lines);
    this.end.textContent = conclusionText(this.model);
  }
}
