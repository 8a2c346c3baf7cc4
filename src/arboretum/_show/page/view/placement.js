// @ts-check
/**
 * Where the cards and the edges of the shown nodes are, level by level.
 *
 * Across is the direction of a level: "down" draws it from left to right, "right" from top to bottom. A place
 * is the number of a shown node: places go level by level and in order, so that a window holds a range of
 * places on each level. The direction "list" is in list_placement.js.
 */
/** @import { Model } from "./model.js" */
/** @import { Card } from "./card.js" */
/** @import { Direction } from "./store.js" */
import { depthOf } from "./card.js";
import { layOut } from "./layout.js";

const GAP = { down: 22, right: 16, list: 0 };
const LEVEL_GAP = { down: 60, right: 146, list: 0 };
const WIDEST_EDGE = 14;

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

export class Placement {
  /**
   * @param {Model} model
   * @param {Direction} direction
   * @param {(node: number) => Card} cardFor
   */
  constructor(model, direction, cardFor) {
    this.model = model;
    this.direction = direction;
    this.ids = model.shown();
    const n = this.ids.length;
    this.cards = this.ids.map(cardFor);
    this.parent = new Int32Array(n).fill(-1);
    this.x = new Float64Array(n);
    this.y = new Float64Array(n);
    this.levelStart = [0];
    this.levelFrom = [0];
    this.levelSize = [0];
    this.widest = 0;
    this.placeOf = new Map(this.ids.map((node, place) => [node, place]));
    this.gap = LEVEL_GAP[direction];
    this.place(this.findChildren());
    this.width = 0;
    this.height = 0;
    for (let i = 0; i < n; i++) {
      this.width = Math.max(this.width, this.x[i] + this.cards[i].width + (this.cards[i].stack ? 8 : 0));
      this.height = Math.max(this.height, this.y[i] + this.cards[i].height + depthOf(this.cards[i]));
    }
  }

  findChildren() {
    let next = 1;
    return this.ids.map((node, place) => {
      const n = this.model.isOpen(node) ? this.model.childrenOf(node).length : 0;
      const children = Array.from({ length: n }, (_, i) => next + i);
      for (const child of children) this.parent[child] = place;
      next += n;
      return children;
    });
  }

  /** @param {number[][]} children */
  place(children) {
    const down = this.direction === "down";
    const breadth = this.cards.map((card) => (down ? card.width : card.height + depthOf(card)));
    const across = layOut(children, breadth, GAP[this.direction]);
    this.widest = Math.max(
      ...breadth.slice(0, 1),
      breadth.reduce((most, one) => Math.max(most, one), 0),
    );
    this.findLevels();
    this.levelFrom = [];
    let from = 0;
    for (let level = 0; level < this.nLevels; level++) {
      let size = 0;
      for (let i = this.levelStart[level]; i < this.levelStart[level + 1]; i++) {
        const card = this.cards[i];
        size = Math.max(size, down ? card.height + depthOf(card) : card.width);
        const start = across[i] - breadth[i] / 2;
        if (down) [this.x[i], this.y[i]] = [start, from];
        else [this.x[i], this.y[i]] = [from, start];
      }
      this.levelFrom.push(from);
      this.levelSize[level] = size;
      from += size + this.gap;
    }
  }

  findLevels() {
    let level = 0;
    for (let i = 1; i < this.ids.length; i++) {
      // A node whose parent is on the last level begins the next one.
      if (this.parent[i] >= this.levelStart[level]) this.levelStart[++level] = i;
    }
    this.levelStart.push(this.ids.length);
  }

  get nLevels() {
    return this.levelStart.length - 1;
  }

  /** The middle of a card across its level. @param {number} place */
  middle(place) {
    const card = this.cards[place];
    return this.direction === "down" ? this.x[place] + card.width / 2 : this.y[place] + card.height / 2;
  }

  /**
   * Return the places of the cards in a box.
   * @param {Box} box
   */
  cardsIn(box) {
    const down = this.direction === "down";
    const [from, to] = down ? [box.left, box.right] : [box.top, box.bottom];
    const [near, far] = down ? [box.top, box.bottom] : [box.left, box.right];
    const found = [];
    for (let level = 0; level < this.nLevels; level++) {
      if (this.levelFrom[level] > far || this.levelFrom[level] + this.levelSize[level] < near) continue;
      const end = this.levelStart[level + 1];
      const first = firstWhere(this.levelStart[level], end, (i) => this.middle(i) >= from - this.widest);
      for (let i = first; i < end && this.middle(i) <= to + this.widest; i++) found.push(i);
    }
    return found;
  }

  /**
   * Return the places of the children whose edge passes through a box. Edges do not cross, so those in the box
   * are neighbours.
   * @param {Box} box
   */
  edgesIn(box) {
    const down = this.direction === "down";
    const [from, to] = down ? [box.left, box.right] : [box.top, box.bottom];
    const [near, far] = down ? [box.top, box.bottom] : [box.left, box.right];
    const found = [];
    for (let level = 1; level < this.nLevels; level++) {
      if (this.levelFrom[level - 1] > far || this.levelFrom[level] < near) continue;
      const [start, end] = [this.levelStart[level], this.levelStart[level + 1]];
      const last = (/** @type {number} */ i) => Math.max(this.middle(i), this.middle(this.parent[i]));
      const first = firstWhere(start, end, (i) => last(i) >= from - this.widest);
      for (let i = first; i < end; i++) {
        if (Math.min(this.middle(i), this.middle(this.parent[i])) > to + this.widest) break;
        found.push(i);
      }
    }
    return found;
  }

  /** The width of an edge, by the share of all rows that take it. @param {number} place */
  edgeWidth(place) {
    const { n_rows } = this.model.nodes;
    return Math.max(1.2, (WIDEST_EDGE * n_rows[this.ids[place]]) / Math.max(1, n_rows[0]));
  }

  /**
   * Return where an edge begins and ends: side by side at the parent, in the middle of the child.
   * @param {number} place
   * @returns {[number, number, number, number]}
   */
  edgeEnds(place) {
    const { n_rows } = this.model.nodes;
    const parent = this.parent[place];
    const card = this.cards[parent];
    const siblings = this.model.childrenOf(this.ids[parent]);
    const all = siblings.reduce((sum, node) => sum + n_rows[node], 0) || 1;
    let before = 0;
    for (const node of siblings) {
      if (node === this.ids[place]) break;
      before += n_rows[node];
    }
    const share = (before + n_rows[this.ids[place]] / 2) / all - 0.5;
    const start =
      this.middle(parent) + share * (WIDEST_EDGE * (n_rows[this.ids[parent]] / Math.max(1, n_rows[0])));
    const end = this.middle(place);
    if (this.direction === "down") return [start, this.y[parent] + card.height, end, this.y[place]];
    return [this.x[parent] + card.width, start, this.x[place], end];
  }

  /** The node whose card is at a point, or -1. @param {number} x @param {number} y */
  nodeAt(x, y) {
    for (const i of this.cardsIn({ left: x, right: x, top: y, bottom: y })) {
      const inside = x >= this.x[i] && x <= this.x[i] + this.cards[i].width;
      if (inside && y >= this.y[i] && y <= this.y[i] + this.cards[i].height) return this.ids[i];
    }
    return -1;
  }
}

/**
 * Return the first number for which a condition holds that holds for all later ones (binary search).
 * @param {number} from
 * @param {number} to
 * @param {(i: number) => boolean} holds
 */
export function firstWhere(from, to, holds) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
