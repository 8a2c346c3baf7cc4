// @ts-check
/**
 * The shown nodes as a list: one below the other in reading order, each indented under its parent.
 *
 * A list is never wider than its lines, so it suits narrow windows and trees with many leaves.
 */
/** @import { Box } from "./placement.js" */
import { firstWhere, Placement } from "./placement.js";

const INDENT = 18;
const LINE_GAP = 6;
const STEM = 12; // the indent of the line to the children
const LIST_EDGE = 1.5;

export class ListPlacement extends Placement {
  /** @override @param {number[][]} _children */
  place(_children) {
    const { rank, nodes } = this.model;
    this.order = this.ids.map((_, place) => place).sort((a, b) => rank[this.ids[a]] - rank[this.ids[b]]);
    let from = 0;
    for (const place of this.order) {
      this.x[place] = INDENT * nodes.depth[this.ids[place]];
      this.y[place] = from;
      from += this.cards[place].height + LINE_GAP;
    }
  }

  /** The middle of a line, from top to bottom. @override @param {number} place */
  middle(place) {
    return this.y[place] + this.cards[place].height / 2;
  }

  /** @override @param {Box} box */
  cardsIn(box) {
    const order = this.order ?? [];
    const end = (/** @type {number} */ i) => this.y[order[i]] + this.cards[order[i]].height;
    const first = firstWhere(0, order.length, (i) => end(i) >= box.top);
    const last = firstWhere(first, order.length, (i) => this.y[order[i]] > box.bottom);
    return order.slice(first, last);
  }

  /** @override @param {Box} box */
  edgesIn(box) {
    const found = [];
    for (let i = 1; i < this.ids.length; i++) {
      if (this.y[this.parent[i]] <= box.bottom && this.middle(i) >= box.top) found.push(i);
    }
    return found;
  }

  /** @override */
  edgeWidth() {
    return LIST_EDGE;
  }

  /** @override @param {number} place @returns {[number, number, number, number]} */
  edgeEnds(place) {
    const parent = this.parent[place];
    const start = this.y[parent] + this.cards[parent].height;
    return [this.x[parent] + STEM, start, this.x[place], this.middle(place)];
  }
}
