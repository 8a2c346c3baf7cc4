// @ts-check
/**
 * The cards and edges that are drawn now: elements that come and go with the window. Dirty ones are drawn
 * again.
 */
/** @import { Store } from "./store.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Fonts } from "./card.js" */
/** @import { Placement } from "./placement.js" */
import { drawCard } from "./card.js";
import { setAttributes, svg } from "./dom.js";
import { drawEdge } from "./edge.js";
import { drawLineCard } from "./line_card.js";
import { passedNodes } from "./row_path.js";
import { TreeItems } from "./tree_items.js";

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
    this.cards = new TreeItems(store, "card");
    /** @type {Map<number, SVGGElement>} */
    this.edgeOf = new Map();
    this.dirty = true;
  }

  /** @param {Placement} placement @param {number[]} places @param {Fonts} fonts */
  drawCards(placement, places, fonts) {
    const selected = placement.placeOf.get(this.store.selected);
    const wanted = new Set(places);
    if (selected !== undefined) wanted.add(selected);
    this.cards.keep(new Set([...wanted].map((place) => placement.ids[place])), (item, node, isNew) => {
      if (isNew || this.dirty) this.fillCard(item, placement, placement.placeOf.get(node) ?? 0, fonts);
    });
  }

  /**
   * @param {SVGGElement} item
   * @param {Placement} placement
   * @param {number} place
   * @param {Fonts} fonts
   */
  fillCard(item, placement, place, fonts) {
    const node = placement.ids[place];
    const card = placement.cards[place];
    const found = card.stack ? this.store.nFoundBelow[node] : 0;
    this.cards.describe(item, node, this.model.canOpen(node) ? this.model.isOpen(node) : null);
    setAttributes(item, { transform: `translate(${placement.x[place]} ${placement.y[place]})` });
    const marks = card.line
      ? drawLineCard(this.model, node, card, this.colours(), found, fonts)
      : drawCard(this.model, node, card, this.colours(), found, placement.direction);
    item.replaceChildren(...marks);
  }

  /** @param {Placement} placement @param {number[]} places @param {Fonts} fonts */
  drawEdges(placement, places, fonts) {
    const path = new Set(this.model.pathTo(this.store.selected));
    const row = new Set(passedNodes(this.model));
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
      drawEdge(group, placement, place, fonts, path.has(node), row.has(node));
    }
  }
}
