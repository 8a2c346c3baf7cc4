// @ts-check
/**
 * The cards and edges that are drawn now: elements that come and go with the window.
 *
 * Words: a *card* is an item of the tree for the keyboard and for those who hear it. An element stays as long as
 * its node is drawn, so that it keeps the focus; where things are *dirty*, its content is made anew.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Fonts } from "./card.js" */
/** @import { Placement } from "./placement.js" */
import { drawCard } from "./card.js";
import { setAttributes, svg } from "./dom.js";
import { drawEdge } from "./edge.js";
import { spokenNode } from "./words.js";

export class TreeMarks {
  /**
   * @param {Store} store
   * @param {() => Colours} colours
   */
  constructor(store, colours) {
    this.store = store;
    this.model = store.model;
    this.colours = colours;
    this.edges = svg("g", { class: "edges", "aria-hidden": "true" });
    this.cards = svg("g", { class: "cards", role: "none" });
    /** @type {Map<number, SVGGElement>} */
    this.cardOf = new Map();
    /** @type {Map<number, SVGGElement>} */
    this.edgeOf = new Map();
    this.dirty = true;
  }

  /** @param {Placement} placement @param {number[]} places */
  drawCards(placement, places) {
    const selected = placement.placeOf.get(this.store.selected);
    const wanted = new Set(places);
    if (selected !== undefined) wanted.add(selected);
    const nodes = new Set([...wanted].map((place) => placement.ids[place]));
    for (const [node, group] of this.cardOf) {
      if (nodes.has(node)) continue;
      group.remove();
      this.cardOf.delete(node);
    }
    // From the last to the first, so that a new element can stand before its successor: those that hear the
    // tree meet its nodes in order.
    const { rank } = this.model;
    const order = [...nodes].sort((a, b) => rank[b] - rank[a]);
    /** @type {SVGGElement | null} */
    let after = null;
    for (const node of order) {
      const known = this.cardOf.get(node);
      const group = known ?? svg("g", { role: "treeitem", "data-node": node, tabindex: -1 });
      if (known === undefined) {
        this.cardOf.set(node, group);
        this.cards.insertBefore(group, after);
      }
      if (known === undefined || this.dirty)
        this.fillCard(group, placement, placement.placeOf.get(node) ?? 0);
      after = group;
    }
  }

  /** @param {SVGGElement} group @param {Placement} placement @param {number} place */
  fillCard(group, placement, place) {
    const node = placement.ids[place];
    const card = placement.cards[place];
    const { parent, depth } = this.model.nodes;
    const siblings = parent[node] < 0 ? [node] : this.model.childrenOf(parent[node]);
    const selected = node === this.store.selected;
    const found = card.stack && this.store.found.length ? this.foundBelow(node) : 0;
    setAttributes(group, {
      class: `card${card.leaf ? " is-leaf" : ""}${this.store.marked.has(node) ? " is-found" : ""}`,
      transform: `translate(${placement.x[place]} ${placement.y[place]})`,
      "aria-level": depth[node] + 1,
      "aria-setsize": siblings.length,
      "aria-posinset": siblings.indexOf(node) + 1,
      "aria-expanded": this.model.canOpen(node) ? String(this.model.isOpen(node)) : null,
      "aria-selected": String(selected),
      "aria-label": spokenNode(this.model, node),
      tabindex: selected ? 0 : -1,
    });
    group.replaceChildren(...drawCard(this.model, node, card, this.colours(), found));
  }

  /** @param {number} node */
  foundBelow(node) {
    return this.store.found.filter((one) => one !== node && this.model.pathTo(one).includes(node)).length;
  }

  /** @param {Placement} placement @param {number[]} places @param {Fonts} fonts */
  drawEdges(placement, places, fonts) {
    const path = new Set(this.model.pathTo(this.store.selected));
    const nodes = new Set(places.map((place) => placement.ids[place]));
    for (const [node, group] of this.edgeOf) {
      if (nodes.has(node)) continue;
      group.remove();
      this.edgeOf.delete(node);
    }
    for (const place of places) {
      const node = placement.ids[place];
      let group = this.edgeOf.get(node);
      if (group !== undefined && !this.dirty) continue;
      if (group === undefined) {
        group = svg("g", { "data-edge": node });
        this.edgeOf.set(node, group);
        this.edges.append(group);
      }
      drawEdge(group, placement, place, fonts, path.has(node));
    }
  }
}
