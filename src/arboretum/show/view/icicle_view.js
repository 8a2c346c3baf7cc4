// @ts-check
/**
 * The tree as an icicle: every node a strip under its parent, as wide as its rows are many.
 *
 * Words: the *top* is the node that the view is zoomed to; it and all above it are as wide as the window. Strips
 * too narrow to point at are drawn together, one path per colour. The whole tree of the step is shown, also what
 * is closed in the other view.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
import { inkOn } from "./colours.js";
import { html, oncePerFrame, setAttributes, svg } from "./dom.js";
import { shorten, textWidth } from "./text_width.js";
import { countText, labelText, spokenNode } from "./words.js";

const STRIP = 58;
const TWO_LINES = 44;
const LEAST_STRIP = 22;
const POINTED = 6; // pixels: narrower strips cannot be pointed at
const SEEN = 0.3;

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
    this.svg = svg("svg", {
      class: "icicle-picture",
      role: "tree",
      "aria-label": "Decision tree as an icicle",
    });
    this.element = html("div", { class: "icicle-view", id: "view-icicle", hidden: true }, this.svg);
    /** @type {Map<number, SVGGElement>} */
    this.stripOf = new Map();
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
    this.drawNow();
    this.focus();
  }

  /** Make a node as wide as the window; of a leaf its parent. @param {number} node */
  zoomTo(node) {
    this.top = this.model.isLeaf(node) ? Math.max(0, this.model.nodes.parent[node]) : node;
    this.draw();
  }

  focus() {
    this.stripOf.get(this.store.selected)?.focus({ preventScroll: true });
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
    this.stripOf.get(selected)?.scrollIntoView({ block: "nearest" });
  }

  drawNow() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    this.top = this.model.nearestAlive(this.top);
    const strips = this.strips(width - 2);
    const depth = strips.reduce((most, strip) => Math.max(most, strip.level), 0) + 1;
    const high = Math.max(LEAST_STRIP, Math.min(STRIP, Math.floor((this.element.clientHeight - 12) / depth)));
    setAttributes(this.svg, { width, height: depth * high + 8 });
    const hadFocus = this.svg.contains(document.activeElement);
    this.stripOf.clear();
    /** @type {Map<string, string[]>} */
    const narrow = new Map();
    const groups = [];
    const family = getComputedStyle(this.element).fontFamily;
    for (const strip of strips) {
      const isSelected = strip.node === this.store.selected;
      if (strip.width >= POINTED || isSelected) groups.push(this.strip(strip, high, family));
      else {
        const colour = this.store.marked.has(strip.node)
          ? this.colours().palette.highlight
          : this.colours().node(strip.node);
        const d = `M${strip.x.toFixed(2)} ${strip.level * high + 1}h${Math.max(0.4, strip.width).toFixed(2)}v${high - 2}H${strip.x.toFixed(2)}Z`;
        const paths = narrow.get(colour);
        if (paths) paths.push(d);
        else narrow.set(colour, [d]);
      }
    }
    const paths = [...narrow].map(([fill, parts]) =>
      svg("path", { fill, d: parts.join(""), "aria-hidden": "true" }),
    );
    this.svg.replaceChildren(svg("g", { transform: "translate(1 4)", role: "none" }, ...paths, ...groups));
    if (hadFocus) this.focus();
  }

  /** Where every node that can be seen lies. @param {number} width */
  strips(width) {
    const { n_rows } = this.model.nodes;
    const strips = this.model.pathTo(this.top).map((node, level) => ({ node, level, x: 0, width }));
    const todo = [strips[strips.length - 1]];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      const children = this.model.childrenOf(at.node);
      const rows = children.reduce((sum, child) => sum + n_rows[child], 0) || 1;
      let x = at.x;
      for (const child of children) {
        const strip = { node: child, level: at.level + 1, x, width: (at.width * n_rows[child]) / rows };
        x += strip.width;
        if (strip.width < SEEN && child !== this.store.selected) continue;
        strips.push(strip);
        todo.push(strip);
      }
    }
    return strips;
  }

  /**
   * @param {{node: number, level: number, x: number, width: number}} strip
   * @param {number} high
   * @param {string} family
   */
  strip(strip, high, family) {
    const { node } = strip;
    const { parent, depth, question, outcome, n_rows } = this.model.nodes;
    const selected = node === this.store.selected;
    const siblings = parent[node] < 0 ? [node] : this.model.childrenOf(parent[node]);
    const fill = this.colours().node(node);
    const leaf = this.model.isLeaf(node);
    const box = {
      x: strip.x,
      y: strip.level * high,
      width: Math.max(1, strip.width - 1),
      height: high - 2,
      rx: 2,
      fill,
    };
    const marks = [
      svg(
        "title",
        {},
        [outcome[node], leaf ? null : question[node], labelText(this.model, node)]
          .filter((t) => t)
          .join("\n"),
      ),
      svg("rect", { class: "strip-box", ...box }),
    ];
    const text = leaf ? labelText(this.model, node) : (question[node] ?? "");
    const font = `12px ${family}`;
    const room = strip.width - 12;
    if (room > textWidth(text.slice(0, 2), font) + 12) {
      const second =
        high >= TWO_LINES ? (leaf ? countText(n_rows[node], "row") : labelText(this.model, node)) : "";
      const [x, y] = [strip.x + 6, strip.level * high + high / 2 + (second ? -5 : 3)];
      const ink = inkOn(fill);
      marks.push(svg("text", { class: "strip-text", x, y, fill: ink }, shorten(text, room, font)));
      marks.push(
        svg("text", { class: "strip-text is-second", x, y: y + 17, fill: ink }, shorten(second, room, font)),
      );
    }
    const found = this.store.marked.has(node) ? " is-found" : "";
    const group = svg(
      "g",
      {
        class: `strip${leaf ? " is-leaf" : ""}${found}`,
        role: "treeitem",
        "data-node": node,
        "aria-level": depth[node] + 1,
        "aria-setsize": siblings.length,
        "aria-posinset": siblings.indexOf(node) + 1,
        "aria-expanded": leaf ? null : "true",
        "aria-selected": String(selected),
        "aria-label": spokenNode(this.model, node),
        tabindex: selected ? 0 : -1,
      },
      ...marks,
    );
    this.stripOf.set(node, group);
    return group;
  }
}
