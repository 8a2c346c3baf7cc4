// @ts-check
/**
 * The panel: everything about the selected node.
 *
 * It shows the rule from the root to the node, the numbers of the node, the counts of several data sets side
 * by side, competitors (questions that were not asked) and surrogates (questions that stand in for a missing
 * value), and what the column that it asks about does in the whole tree.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Model } from "./model.js" */
import { dependencePart } from "./dependence.js";
import { button, html } from "./dom.js";
import { drawDistribution } from "./histogram.js";
import { outputsTable } from "./output_choice.js";
import { countsTable } from "./panel_counts.js";
import { RowPathBlock } from "./row_path.js";
import { outcomesTo, ruleText } from "./rule.js";
import { countText, labelText, numberText, percentText, wholeText } from "./words.js";

export class Panel {
  /**
   * @param {Store} store
   * @param {() => Colours} colours
   */
  constructor(store, colours) {
    this.store = store;
    this.model = store.model;
    this.colours = colours;
    this.element = html("aside", {
      id: "panel",
      class: "panel",
      "aria-label": "The selected node",
      tabindex: 0,
    });
    this.row = store.model.page.row === null ? null : new RowPathBlock(store);
    store.listen((change) => {
      if (change !== "view" && change !== "direction" && change !== "search") this.draw();
    });
  }

  draw() {
    const node = this.store.selected;
    this.element.dataset.node = String(node);
    this.row?.draw();
    const parts = [this.row?.element ?? null, this.heading(node), this.outputs(node)];
    parts.push(this.rule(node), this.figures(node));
    parts.push(countsTable(this.model, node, this.colours()));
    parts.push(this.distribution(node), this.competitors(node), this.surrogates(node));
    parts.push(dependencePart(this.model, node, this.colours));
    this.element.replaceChildren(...parts.filter((part) => part !== null));
  }

  /** @param {number} node */
  heading(node) {
    const { id, depth, question } = this.model.nodes;
    const leaf = this.model.isLeaf(node);
    const pruned = leaf && this.model.nodes.children[node].length > 0;
    const kind = node === 0 ? "Root" : leaf ? (pruned ? "Leaf, pruned here" : "Leaf") : "Question";
    const chip = html("span", { class: "chip" });
    chip.style.setProperty("--chip", this.colours().label(node));
    const asked = leaf && !pruned ? null : html("p", { class: "panel-question" }, question[node] ?? "");
    const away = this.model.hiddenBelow(node);
    const note = away
      ? html("p", { class: "panel-kind" }, `${countText(away, "node")} below left out of this page`)
      : null;
    if (pruned) asked?.prepend(html("span", { class: "panel-note" }, "Asked before it was pruned: "));
    return html(
      "header",
      { class: "panel-heading" },
      html("p", { class: "panel-kind" }, `${kind} · node ${id[node]} · depth ${depth[node]}`),
      html("h2", { class: "panel-label" }, chip, html("span", {}, labelText(this.model, node))),
      asked,
      note,
    );
  }

  /** What all outputs say. @param {number} node */
  outputs(node) {
    if (this.model.outputs.length === 0) return null;
    return panelSection("All outputs", outputsTable(this.store, node));
  }

  /** @param {number} node */
  rule(node) {
    const path = this.model.pathTo(node);
    if (path.length < 2) return null;
    const outcomes = outcomesTo(this.model, node);
    const lines = outcomes.map((outcome, i) =>
      html(
        "li",
        {},
        button(outcome, { class: "rule-part", "data-goto": path[i + 1] }, () =>
          this.store.select(path[i + 1]),
        ),
      ),
    );
    const whole = html(
      "p",
      { class: "rule-text", id: "rule-text", "aria-hidden": "true" },
      ruleText(this.model, node),
    );
    const copy = button("Copy rule", { class: "small", id: "copy-rule" }, () => void this.copy(whole, copy));
    return panelSection("Rule from the root", html("ol", { class: "rule" }, ...lines), copy, whole);
  }

  /** Copy a text; where the clipboard is refused, show and select it. @param {HTMLElement} text @param {HTMLElement} copy */
  async copy(text, copy) {
    try {
      if (!mayCopy()) throw new Error("copying is not allowed here");
      await navigator.clipboard.writeText(text.textContent ?? "");
      copy.textContent = "Copied";
      this.store.say("rule copied");
    } catch {
      text.classList.add("is-shown");
      text.removeAttribute("aria-hidden");
      window.getSelection()?.selectAllChildren(text);
      copy.textContent = "Selected: press Ctrl+C";
      this.store.say("rule selected, press Control C to copy");
    }
  }

  /** @param {number} node */
  figures(node) {
    const { n_rows, weight, impurity, own, gain, corrected_gain, gain_ratio, p_value } = this.model.nodes;
    const leaf = this.model.isLeaf(node);
    const share = n_rows[0] ? ` (${percentText(n_rows[node] / n_rows[0])})` : "";
    /** @type {[string, string][]} */
    const figures = [["Rows", `${wholeText(n_rows[node])}${share}`]];
    if (this.model.page.weighted) figures.push(["Weight", numberText(weight[node])]);
    figures.push([`Impurity (${this.model.page.impurity})`, numberText(impurity[node], 4)]);
    if (leaf && own[node] !== null) figures.push(ownFigure(this.model, own[node]));
    if (!leaf) figures.push(["Gain", numberText(gain[node], 4)]);
    if (!leaf && typeof corrected_gain?.[node] === "number")
      figures.push(["Corrected gain", numberText(corrected_gain[node], 4)]);
    if (!leaf && typeof gain_ratio?.[node] === "number")
      figures.push(["Gain ratio", numberText(gain_ratio[node], 4)]);
    if (!leaf && typeof p_value?.[node] === "number") figures.push(["p-value", numberText(p_value[node], 3)]);
    if (!leaf) figures.push(["Nodes below", wholeText(this.model.below(node))]);
    const cells = figures.map(([name, text]) => html("div", {}, html("dt", {}, name), html("dd", {}, text)));
    return html("dl", { class: "figures" }, ...cells);
  }

  /** @param {number} node */
  distribution(node) {
    const shown = this.model.page.distributions[String(node)];
    if (shown === undefined) return null;
    const children = this.model.nodes.children[node];
    const { answer, outcome } = this.model.nodes;
    const answers = children.map((child) => answer[child] ?? outcome[child] ?? "");
    const set = this.model.page.data.find((one) => one.name === shown.data);
    const of = set === undefined ? "" : ` (${set.name}${set.weighted ? ", weights" : ""})`;
    return panelSection(`${shown.title}${of}`, drawDistribution(shown, this.colours(), answers));
  }

  /** @param {number} node */
  competitors(node) {
    const others = this.model.page.competitors[String(node)] ?? [];
    if (others.length === 0 || this.model.isLeaf(node)) return null;
    const corrected = others.some((one) => typeof one.corrected_gain === "number");
    const ratio = others.some((one) => typeof one.gain_ratio === "number");
    const rows = others.map((one) => [
      one.question,
      numberText(one.gain, 4),
      ...(corrected ? [numberText(one.corrected_gain, 4)] : []),
      ...(ratio ? [numberText(one.gain_ratio, 4)] : []),
    ]);
    const head = ["Question", "Gain", ...(corrected ? ["Corrected"] : []), ...(ratio ? ["Ratio"] : [])];
    return panelSection("Competitors: the next best questions", plainTable(head, rows));
  }

  /** @param {number} node */
  surrogates(node) {
    const others = this.model.page.surrogates[String(node)] ?? [];
    if (others.length === 0 || this.model.isLeaf(node)) return null;
    const rows = others.map((one) => [
      one.question,
      one.agreement === null ? "–" : percentText(one.agreement),
      numberText(one.adjusted_agreement, 3),
      wholeText(one.n_rows),
    ]);
    const head = ["Question", "Agrees", "Adjusted", "Rows sent"];
    return panelSection("Surrogates: asked where the value is missing", plainTable(head, rows));
  }
}

/** What the rows of a leaf say by themselves. @param {Model} model @param {string} own @returns {[string, string]} */
function ownFigure(model, own) {
  if (model.page.classes !== null) return ["Share of its rows", own];
  const [centre, value] = own.split(" ");
  return [`Its rows' ${centre}`, numberText(Number(value), 4)];
}

/** Whether the page around this one allows copying; a failed attempt would show up in the console. */
function mayCopy() {
  const asked = /** @type {{featurePolicy?: {allowsFeature: (name: string) => boolean}}} */ (
    /** @type {unknown} */ (document)
  );
  return asked.featurePolicy?.allowsFeature("clipboard-write") ?? true;
}

/** @param {string} title @param {...Node} content */
function panelSection(title, ...content) {
  return html("section", { class: "panel-part" }, html("h3", {}, title), ...content);
}

/** A table whose first column is text and the others are numbers. @param {string[]} head @param {string[][]} rows */
function plainTable(head, rows) {
  const top = html(
    "tr",
    {},
    ...head.map((text, i) => html("th", { scope: "col", class: i ? "number" : "" }, text)),
  );
  const lines = rows.map((row) =>
    html("tr", {}, ...row.map((text, i) => html("td", { class: i ? "number" : "words" }, text))),
  );
  return html("table", { class: "plain" }, html("thead", {}, top), html("tbody", {}, ...lines));
}
