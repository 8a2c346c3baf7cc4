// @ts-check
/**
 * The leaves as rules in a table that can be sorted and filtered.
 *
 * Support is the number of rows that a rule covers, length the number of its conditions. The interval is that of
 * the label's share among the rows of a leaf, or of their mean; lift compares this share with that of all rows.
 * Long tables are shown in portions.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Nodes } from "./types.js" */
import { button, html, setAttributes } from "./dom.js";
import { conditionsOf, premiseText } from "./rule.js";
import { countText, numberText, percentText, wholeText } from "./words.js";

const PIECE = 100;

/**
 * @typedef {object} RuleColumn
 * @property {string} name
 * @property {string} title
 * @property {boolean} number
 * @property {(leaf: number) => number | string | null} value what is sorted by
 * @property {(leaf: number) => string} text
 */

export class RulesView {
  /**
   * @param {Store} store
   * @param {() => Colours} colours
   */
  constructor(store, colours) {
    this.store = store;
    this.model = store.model;
    this.colours = colours;
    this.sortedBy = "rows";
    this.falling = true;
    this.wanted = "";
    this.shown = PIECE;
    /** @type {number[]} */
    this.leaves = [];
    this.count = html("span", { class: "rules-count", id: "rules-count", role: "status" });
    this.body = html("tbody");
    this.more = button("Show more", { id: "rules-more" }, () => this.showMore());
    /** @type {RuleColumn[]} */
    this.columns = [];
    /** @type {HTMLTableCellElement[]} */
    this.heads = [];
    this.element = html("div", { class: "rules-view", id: "view-rules", hidden: true, tabindex: -1 });
    this.build();
    store.listen((change) => {
      if (change === "output") this.build();
      if (change === "selection") this.mark();
      else if (this.store.view === "rules") this.draw();
    });
  }

  /** Make the table for the output that is looked at. */
  build() {
    this.columns = this.makeColumns();
    this.heads = this.columns.map((column) => this.head(column));
    this.wanted = "";
    const top = html("tr", {}, ...this.heads);
    const table = html(
      "table",
      { class: "plain rules", id: "rules-table" },
      html("thead", {}, top),
      this.body,
    );
    const tools = html("div", { class: "rules-tools" }, this.filter(), this.count);
    this.element.replaceChildren(tools, table, this.more);
  }

  makeColumns() {
    const { nodes, page } = this.model;
    /** @type {RuleColumn[]} */
    const columns = [
      column("rule", "Rule", false, (leaf) => premiseText(this.model, leaf)),
      page.classes === null
        ? column(
            "label",
            "Value",
            true,
            (leaf) => nodes.value[leaf],
            (leaf) => numberText(nodes.value[leaf]),
          )
        : column("label", "Label", false, (leaf) => nodes.label[leaf]),
      column(
        "rows",
        "Rows",
        true,
        (leaf) => nodes.n_rows[leaf],
        (leaf) => wholeText(nodes.n_rows[leaf]),
      ),
      column(
        "share",
        "Share",
        true,
        (leaf) => nodes.share[leaf],
        (leaf) => percentText(nodes.share[leaf]),
      ),
      ...(page.weighted
        ? [
            column(
              "weight",
              "Weight",
              true,
              (leaf) => nodes.weight[leaf],
              (leaf) => numberText(nodes.weight[leaf], 4),
            ),
          ]
        : []),
    ];
    if (page.classes !== null) {
      const text = (/** @type {number} */ leaf) => percentText(nodes.confidence[leaf] ?? 0);
      columns.splice(
        4,
        0,
        column("confidence", "Probability", true, (leaf) => nodes.confidence[leaf], text),
      );
    }
    if (nodes.own.some((own) => own !== null)) {
      const name = page.classes === null ? "Of its rows" : "Share of its rows";
      columns.splice(
        page.classes === null ? 2 : 5,
        0,
        column("own", name, true, ownNumber(nodes), ownOf(nodes)),
      );
    }
    page.data.forEach((set, i) => {
      const text = (/** @type {number} */ leaf) => {
        const loss = set.loss[leaf];
        return loss === null ? "–" : page.classes === null ? numberText(loss, 4) : percentText(loss);
      };
      const name = `${page.classes === null ? "Squared error" : "Error"}, ${set.name}`;
      columns.push(column(`loss-${i}`, name, true, (leaf) => set.loss[leaf], text));
    });
    const length = column("length", "Length", true, (leaf) => conditionsOf(this.model, leaf).length);
    return [...columns, ...this.trust(), length];
  }

  /** How far rules can be trusted, where that is known. */
  trust() {
    const { nodes, page } = this.model;
    const write = page.classes === null ? (/** @type {number} */ x) => numberText(x, 4) : percentText;
    const between = (/** @type {number} */ leaf) => {
      const [low, high] = [nodes.low[leaf], nodes.high[leaf]];
      return low === null || high === null ? "–" : `${write(low)} to ${write(high)}`;
    };
    const lift = (/** @type {number} */ leaf) => numberText(nodes.lift[leaf], 3);
    return [
      ...(nodes.low.some((low) => low !== null)
        ? [column("interval", "95% interval", true, (leaf) => nodes.low[leaf], between)]
        : []),
      ...(nodes.lift.some((one) => one !== null)
        ? [column("lift", "Lift", true, (leaf) => nodes.lift[leaf], lift)]
        : []),
    ];
  }

  /** @param {RuleColumn} column */
  head(column) {
    const press = button(column.title, { "data-sort": column.name }, () => this.sortBy(column));
    return html(
      "th",
      { scope: "col", class: column.number ? "number" : "", "data-column": column.name },
      press,
    );
  }

  filter() {
    const { classes } = this.model.page;
    if (classes === null) return html("span");
    const choice = html("select", { id: "rules-filter", "aria-label": "Show rules for" });
    const options = classes.map((name, i) => html("option", { value: i }, name));
    choice.append(html("option", { value: "" }, "all classes"), ...options);
    choice.addEventListener("change", () => {
      this.wanted = choice.value;
      this.shown = PIECE;
      this.draw();
    });
    return html("label", {}, "Rules for ", choice);
  }

  /** @param {RuleColumn} column */
  sortBy(column) {
    // Numbers are sorted from the largest, words from the first.
    this.falling = this.sortedBy === column.name ? !this.falling : column.number && column.name !== "length";
    this.sortedBy = column.name;
    this.shown = PIECE;
    this.draw();
    this.store.say(`sorted by ${column.title}, ${this.falling ? "falling" : "rising"}`);
  }

  draw() {
    const all = this.model.leaves();
    const { class: classOf } = this.model.nodes;
    this.leaves = all.filter((leaf) => this.wanted === "" || classOf?.[leaf] === Number(this.wanted));
    const column = this.columns.find((one) => one.name === this.sortedBy) ?? this.columns[0];
    const values = new Map(this.leaves.map((leaf) => [leaf, column.value(leaf)]));
    const way = this.falling ? -1 : 1;
    this.leaves.sort((a, b) => compare(values.get(a) ?? null, values.get(b) ?? null, way) || a - b);
    this.columns.forEach((one, i) => {
      const sort = one.name === this.sortedBy ? (this.falling ? "descending" : "ascending") : null;
      setAttributes(this.heads[i], { "aria-sort": sort });
    });
    const some = this.leaves.length === all.length ? "" : `${wholeText(this.leaves.length)} of `;
    this.count.textContent = some + countText(all.length, "rule");
    this.body.replaceChildren();
    this.fill(0);
  }

  showMore() {
    const from = this.shown;
    this.shown += PIECE;
    this.fill(from);
  }

  /** @param {number} from */
  fill(from) {
    const lines = this.leaves.slice(from, this.shown).map((leaf) => this.line(leaf));
    this.body.append(...lines);
    this.more.hidden = this.shown >= this.leaves.length;
    this.mark();
  }

  /** @param {number} leaf */
  line(leaf) {
    const found = this.model.pathTo(leaf).some((node) => node !== leaf && this.store.marked.has(node));
    const chip = html("span", { class: "chip" });
    chip.style.setProperty("--chip", this.colours().label(leaf));
    const cells = this.columns.map((column) => {
      if (column.name === "rule") {
        const text = column.text(leaf);
        const press = button(text, { class: "rule-choice", title: text }, () => this.store.select(leaf));
        return html("td", { class: "words", "data-column": "rule" }, press);
      }
      const cell = html("td", { class: column.number ? "number" : "words", "data-column": column.name });
      if (column.name === "label") cell.append(chip, " ");
      cell.append(column.text(leaf));
      return cell;
    });
    const row = html("tr", { "data-node": leaf, class: found ? "is-found" : "" }, ...cells);
    row.addEventListener("click", () => this.store.select(leaf));
    return row;
  }

  mark() {
    for (const row of this.body.rows) {
      setAttributes(row, {
        "aria-current": Number(row.dataset.node) === this.store.selected ? "true" : null,
      });
    }
  }
}

/**
 * @param {string} name
 * @param {string} title
 * @param {boolean} number
 * @param {(leaf: number) => number | string | null} value
 * @param {(leaf: number) => string} [text]
 * @returns {RuleColumn}
 */
function column(name, title, number, value, text) {
  return { name, title, number, value, text: text ?? ((leaf) => String(value(leaf) ?? "–")) };
}

/** What the rows of leaves say by themselves. @param {Nodes} nodes */
function ownOf(nodes) {
  return (/** @type {number} */ leaf) => nodes.own[leaf] ?? "–";
}

/** The same to sort by. @param {Nodes} nodes */
function ownNumber(nodes) {
  return (/** @type {number} */ leaf) =>
    nodes.mean[leaf] ?? Number.parseFloat((nodes.own[leaf] ?? "").replace(/^[<>]/, ""));
}

/** Unknown values come last. @param {number | string | null} a @param {number | string | null} b @param {number} way */
function compare(a, b, way) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "string" || typeof b === "string") return way * String(a).localeCompare(String(b), "en");
  return way * (a - b);
}
