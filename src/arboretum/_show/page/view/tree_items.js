// @ts-check
/**
 * The nodes of a view as items of a tree, for keyboards and screen readers.
 *
 * The item of a node stays as long as the node is drawn, so that it keeps the focus, and items stand in
 * reading order: a node, then all below it. Only the selected item is reached by the Tab key; arrows lead
 * from there.
 */
/** @import { Store } from "./store.js" */
import { setAttributes, svg } from "./dom.js";
import { spokenNode } from "./words.js";

export class TreeItems {
  /**
   * @param {Store} store
   * @param {string} name what the items look like: the class of their elements
   */
  constructor(store, name) {
    this.store = store;
    this.model = store.model;
    this.name = name;
    this.element = svg("g", { class: `${name}s`, role: "none" });
    /** @type {Map<number, SVGGElement>} */
    this.of = new Map();
  }

  /**
   * Keep items for exactly these nodes.
   * @param {Set<number>} nodes
   * @param {(item: SVGGElement, node: number, isNew: boolean) => void} fill
   */
  keep(nodes, fill) {
    for (const [node, item] of this.of) {
      if (nodes.has(node)) continue;
      item.remove();
      this.of.delete(node);
    }
    const { rank } = this.model;
    /** @type {SVGGElement | null} */
    let after = null; // from the last to the first, so that a new one can go before its successor
    for (const node of [...nodes].sort((a, b) => rank[b] - rank[a])) {
      const known = this.of.get(node);
      const item = known ?? svg("g", { role: "treeitem", "data-node": node });
      if (known === undefined) {
        this.of.set(node, item);
        this.element.insertBefore(item, after);
      }
      fill(item, node, known === undefined);
      after = item;
    }
  }

  /**
   * Set the attributes of an item.
   * @param {SVGGElement} item
   * @param {number} node
   * @param {boolean | null} expanded null where there is nothing to open
   */
  describe(item, node, expanded) {
    const { parent, depth } = this.model.nodes;
    const siblings = parent[node] < 0 ? [node] : this.model.childrenOf(parent[node]);
    const selected = node === this.store.selected;
    const leaf = this.model.isLeaf(node) ? " is-leaf" : "";
    const found = this.store.marked.has(node) ? " is-found" : "";
    const passed = this.model.page.row?.nodes.includes(node) ? " of-row" : "";
    setAttributes(item, {
      class: `${this.name}${leaf}${found}${passed}`,
      "aria-level": depth[node] + 1,
      "aria-setsize": siblings.length,
      "aria-posinset": siblings.indexOf(node) + 1,
      "aria-expanded": expanded === null ? null : String(expanded),
      "aria-selected": String(selected),
      "aria-label": `${spokenNode(this.model, node)}${passed && ", on the way of the row"}`,
      tabindex: selected ? 0 : -1,
    });
  }

  focusSelected() {
    this.of.get(this.store.selected)?.focus({ preventScroll: true });
  }
}
