// @ts-check
/**
 * The tree as an icicle: every node is a strip under its parent, as wide as its share of rows.
 *
 * The top is the node that the view is zoomed to; it and all nodes above it are as wide as the window. Strips
 * too narrow to point at are drawn together, one path per colour. The view shows the whole tree of the step,
 * also nodes that are closed in the tree view.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
import { inkOn } from "./colours.js";
import { html, oncePerFrame, remembered, setAttributes, svg } from "./dom.js";
import { shorten, textWidth } from "./text_width.js";
import { TreeItems } from "./tree_items.js";
import { countText, labelText, rowsText } from "./words.js";

const STRIP = 58;
const TWO_LINES = 44;
const LEAST_STRIP = 22;
const POINTED = 6; // pixels: narrower strips cannot be pointed at
const SEEN = 0.3;

/** @typedef {{node: number, level: number, x: number, width: number}} Strip */

export class IcicleView {
  /**
   * @param {Store} store
   * @param {() => Colours} colours
   */
  constructor(store, colours) {
    this.store = store;
    this.model = store.model;
    this.colours = colours;
    this.top = 0;
    this.items = new TreeItems(store, "strip");
    this.narrow = svg("g", { "aria-hidden": "true" });
    const all = svg("g", { transform: "translate(1 4)", role: "none" }, this.narrow, this.items.element);
    const about = { class: "icicle-picture", role: "tree", "aria-label": "Decision tree as an icicle" };
    this.svg = svg("svg", about, all);
    this.element = html("div", { class: "icicle-view", id: "view-icicle", hidden: true }, this.svg);
    this.draw = oncePerFrame(() => this.drawNow());
    store.listen((change) => {
      if (change === "selection") this.showSelected();
      else this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.svg.addEventListener("click", (event) => this.clicked(event));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const strip = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    if (strip === null) return;
    const node = Number(strip.getAttribute("data-node"));
    this.zoomTo(node);
    this.store.select(node);
    this.focus();
  }

  /** Make a node, or the parent of a leaf, as wide as the window. @param {number} node */
  zoomTo(node) {
    this.top = this.model.isLeaf(node) ? Math.max(0, this.model.nodes.parent[node]) : node;
    this.drawNow();
  }

  focus() {
    this.items.focusSelected();
  }

  showSelected() {
    if (this.element.clientWidth === 0) return;
    const hadFocus = this.svg.contains(document.activeElement);
    const selected = this.store.selected;
    const path = this.model.pathTo(selected);
    if (!path.includes(this.top) && !this.model.pathTo(this.top).includes(selected)) this.zoomTo(path[0]);
    this.drawNow();
    if (!hadFocus) return;
    this.focus();
    this.items.of.get(selected)?.scrollIntoView({ block: "nearest" });
  }

  drawNow() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    this.top = this.model.nearestAlive(this.top);
    const strips = this.strips(width - 2);
    const depth = strips.reduce((most, strip) => Math.max(most, strip.level), 0) + 1;
    const high = Math.max(LEAST_STRIP, Math.min(STRIP, Math.floor((this.element.clientHeight - 12) / depth)));
    setAttributes(this.svg, { width, height: depth * high + 8 });
    const font = `12px ${getComputedStyle(this.element).fontFamily}`;
    const isItem = (/** @type {Strip} */ strip) =>
      strip.width >= POINTED || strip.node === this.store.selected;
    const wide = new Map(strips.filter(isItem).map((strip) => [strip.node, strip]));
    this.items.keep(new Set(wide.keys()), (item, node) => {
      const strip = wide.get(node);
      if (strip) this.fill(item, strip, high, font);
    });
    this.drawNarrow(
      strips.filter((strip) => !isItem(strip)),
      high,
    );
  }

  /** @param {Strip[]} strips @param {number} high */
  drawNarrow(strips, high) {
    /** @type {Map<string, string[]>} */
    const parts = new Map();
    for (const { node, level, x, width } of strips) {
      const found = this.store.marked.has(node);
      const colour = found ? this.colours().palette.highlight : this.colours().node(node);
      const [left, wide] = [x.toFixed(2), Math.max(0.4, width).toFixed(2)];
      remembered(parts, colour, () => []).push(`M${left} ${level * high + 1}h${wide}v${high - 2}H${left}Z`);
    }
    this.narrow.replaceChildren(...[...parts].map(([fill, d]) => svg("path", { fill, d: d.join("") })));
  }

  /** The place of every visible node. @param {number} width */
  strips(width) {
    const { n_rows } = this.model.nodes;
    const toSelected = new Set(this.model.pathTo(this.store.selected));
    const strips = this.model.pathTo(this.top).map((node, level) => ({ node, level, x: 0, width }));
    const todo = [strips[strips.length - 1]];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      const children = this.model.childrenOf(at.node);
      const rows = children.reduce((sum, child) => sum + n_rows[child], 0) || 1;
      let x = at.x;
      for (const child of children) {
        const strip = { node: child, level: at.level + 1, x, width: (at.width * n_rows[child]) / rows };
        x += strip.width;
        if (strip.width < SEEN && !toSelected.has(child)) continue;
        strips.push(strip);
        todo.push(strip);
      }
    }
    return strips;
  }

  /**
   * @param {SVGGElement} item
   * @param {Strip} strip
   * @param {number} high
   * @param {string} font
   */
  fill(item, strip, high, font) {
    const { node } = strip;
    const { question, headline, outcome, n_rows } = this.model.nodes;
    const leaf = this.model.isLeaf(node);
    const fill = this.colours().node(node);
    const label = labelText(this.model, node);
    const [x, y, width, height] = [strip.x, strip.level * high, Math.max(1, strip.width - 1), high - 2];
    const rows = rowsText(this.model, node);
    const fits = textWidth(rows, font) <= strip.width - 12;
    const lines = leaf
      ? [label, fits ? rows : countText(n_rows[node], "row")]
      : [headline[node] ?? question[node] ?? "", label];
    const whole = [outcome[node], leaf ? null : question[node], label, rows];
    const about = whole.filter((line) => line).join("\n");
    this.items.describe(item, node, leaf ? null : true);
    item.replaceChildren(
      svg("title", {}, about),
      svg("rect", { class: "strip-box", x, y, width, height, rx: 2, fill }),
      ...this.texts(strip, high, font, lines, inkOn(fill)),
    );
  }

  /**
   * As many lines as there is room for.
   * @param {Strip} strip
   * @param {number} high
   * @param {string} font
   * @param {string[]} lines
   * @param {string} ink
   */
  texts(strip, high, font, lines, ink) {
    const room = strip.width - 12;
    if (room < textWidth(lines[0].slice(0, 2), font) + 12) return [];
    const shown = lines.slice(0, high >= TWO_LINES ? 2 : 1);
    const first = strip.level * high + high / 2 + (shown.length > 1 ? -5 : 3);
    return shown.map((text, i) => {
      const about = {
        class: `strip-text${i ? " is-second" : ""}`,
        x: strip.x + 6,
        y: first + 17 * i,
        fill: ink,
      };
      return svg("text", about, shorten(text, room, font));
    });
  }
}
