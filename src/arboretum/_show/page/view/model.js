// @ts-check
/**
 * The tree of the page as it is now: pruned at a step, with some nodes open and others closed.
 *
 * A node is alive if the tree of this step has it, open if its children are shown, and shown if all nodes
 * above it are open. Where the user has not chosen, the mode says what is open: the heaviest nodes
 * (overview), all, or only the top.
 */
/** @import { Page, Nodes } from "./types.js" */

const OVERVIEW_NODES = 60;
/** @type {number[]} */
const NO_CHILDREN = [];

/** @typedef {"overview" | "all" | "top"} Mode */

export class Model {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Nodes} */
    this.nodes = page.nodes;
    this.n = page.nodes.id.length;
    this.step = page.pruning === null ? 0 : Math.max(page.step, page.pruning.first);
    /** @type {Mode} */
    this.mode = "overview";
    this.overviewSize = OVERVIEW_NODES;
    /** @type {Map<number, boolean>} what the reader opened or closed */
    this.wishes = new Map();
    /** @type {Set<number>} */
    this.open = new Set();
    this.alive = new Uint8Array(this.n);
    this.nBelow = new Int32Array(this.n);
    this.nLeaves = 0;
    this.nAlive = 0;
    this.goTo(this.step);
    this.rank = this.readingOrder();
  }

  /** The outputs, if the tree has several. */
  get outputs() {
    return this.page.outputs ?? [];
  }

  /** Take the figures of an output, in place: all parts of the page hold these very objects. @param {number} output */
  lookAt(output) {
    const { page, nodes } = this.outputs[output];
    Object.assign(this.page, page);
    Object.assign(this.nodes, nodes);
  }

  /** The same tree with the figures of an output. @param {number} output @returns {Model} */
  of(output) {
    const { page, nodes } = this.outputs[output];
    return Object.create(this, {
      page: { value: { ...this.page, ...page } },
      nodes: { value: { ...this.nodes, ...nodes } },
    });
  }

  /**
   * Take the tree of a step of the pruning path.
   * @param {number} step
   */
  goTo(step) {
    const { parent } = this.nodes;
    this.step = step;
    this.nBelow.fill(0);
    this.nLeaves = 0;
    this.nAlive = 0;
    for (let i = 0; i < this.n; i++) {
      this.alive[i] = parent[i] < 0 || (this.alive[parent[i]] && !this.isLeaf(parent[i])) ? 1 : 0;
      this.nAlive += this.alive[i];
      if (this.alive[i] && this.isLeaf(i)) this.nLeaves++;
    }
    for (let i = this.n - 1; i > 0; i--) {
      if (!this.alive[i]) continue;
      this.nBelow[i] += this.hiddenBelow(i);
      this.nBelow[parent[i]] += this.nBelow[i] + 1;
    }
    if (this.n) this.nBelow[0] += this.hiddenBelow(0);
    this.openHeaviest();
  }

  /** @param {number} node */
  isPruned(node) {
    return this.page.pruning !== null && this.nodes.step[node] <= this.step;
  }

  /** Whether the node is a leaf at this step. @param {number} node */
  isLeaf(node) {
    return this.isPruned(node) || (this.nodes.children[node].length === 0 && !this.nodes.hidden[node]);
  }

  /** How many nodes below were left out of the page. @param {number} node */
  hiddenBelow(node) {
    return this.isPruned(node) ? 0 : this.nodes.hidden[node];
  }

  /** The children in the tree of this step. @param {number} node */
  childrenOf(node) {
    return this.isPruned(node) ? NO_CHILDREN : this.nodes.children[node];
  }

  /** How many nodes there are below. @param {number} node */
  below(node) {
    return this.nBelow[node];
  }

  /** Whether the children are shown. @param {number} node */
  isOpen(node) {
    if (this.childrenOf(node).length === 0) return false;
    return this.wishes.get(node) ?? (this.mode === "all" || this.open.has(node));
  }

  /** Whether there is something to open or close. @param {number} node */
  canOpen(node) {
    return this.childrenOf(node).length > 0;
  }

  /** Open the heaviest nodes first, until the overview is full. */
  openHeaviest() {
    const { n_rows } = this.nodes;
    const most = this.mode === "top" ? 1 + this.childrenOf(0).length : this.overviewSize;
    this.open.clear();
    let shown = 1;
    const queue = this.n && this.canOpen(0) ? [0] : [];
    while (queue.length) {
      let best = 0;
      for (let i = 1; i < queue.length; i++) if (n_rows[queue[i]] > n_rows[queue[best]]) best = i;
      const [node] = queue.splice(best, 1);
      const children = this.childrenOf(node);
      if (node !== 0 && shown + children.length > most) continue;
      this.open.add(node);
      shown += children.length;
      queue.push(...children.filter((child) => this.canOpen(child)));
    }
  }

  /** Whether there are too many nodes to show all from the start. */
  get isLarge() {
    return this.nAlive > OVERVIEW_NODES;
  }

  /** Show so many nodes from the start. @param {number} size */
  resizeOverview(size) {
    this.overviewSize = size;
    this.openHeaviest();
  }

  /** @param {Mode} mode */
  setMode(mode) {
    this.overviewSize = OVERVIEW_NODES;
    this.mode = mode;
    this.wishes.clear();
    this.openHeaviest();
  }

  /**
   * @param {number} node
   * @param {boolean} open
   */
  setOpen(node, open) {
    if (this.canOpen(node)) this.wishes.set(node, open);
  }

  /** Open or close all that is below. @param {number} node @param {boolean} open */
  setOpenBelow(node, open) {
    const todo = [node];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      this.setOpen(next, open);
      todo.push(...this.childrenOf(next));
    }
  }

  /** Open all nodes above a node; returns whether one was closed. @param {number} node */
  reveal(node) {
    let changed = false;
    for (const above of this.pathTo(node).slice(0, -1)) {
      if (this.isOpen(above)) continue;
      this.setOpen(above, true);
      changed = true;
    }
    return changed;
  }

  /** The position of each node in reading order: a node, then all below it, then its next sibling. */
  readingOrder() {
    const rank = new Int32Array(this.n);
    const todo = this.n ? [0] : [];
    let next = 0;
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      rank[node] = next++;
      const children = this.nodes.children[node];
      for (let i = children.length - 1; i >= 0; i--) todo.push(children[i]);
    }
    return rank;
  }

  /** The nodes from the root to a node. @param {number} node */
  pathTo(node) {
    const path = [];
    for (let i = node; i >= 0; i = this.nodes.parent[i]) path.push(i);
    return path.reverse();
  }

  /** The node itself or the nearest one above that the tree of this step has. @param {number} node */
  nearestAlive(node) {
    while (node > 0 && !this.alive[node]) node = this.nodes.parent[node];
    return node;
  }

  /** The node itself or the nearest one above that is shown. @param {number} node */
  nearestShown(node) {
    const path = this.pathTo(this.nearestAlive(node));
    const closed = path.findIndex((above, i) => i < path.length - 1 && !this.isOpen(above));
    return closed < 0 ? path[path.length - 1] : path[closed];
  }

  /** The shown nodes, level by level and from left to right. */
  shown() {
    const order = this.n ? [0] : [];
    for (let i = 0; i < order.length; i++) {
      if (this.isOpen(order[i])) order.push(...this.childrenOf(order[i]));
    }
    return order;
  }

  /** The leaves of the tree of this step, from left to right. */
  leaves() {
    const leaves = [];
    const todo = this.n ? [0] : [];
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      const children = this.childrenOf(node);
      if (children.length === 0) leaves.push(node);
      for (let i = children.length - 1; i >= 0; i--) todo.push(children[i]);
    }
    return leaves;
  }

  /** The nodes whose question contains a text, in lower case. @param {string} text */
  asking(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const named = new Set(
      this.page.columns.flatMap((name, i) => (name.toLowerCase().includes(wanted) ? [i] : [])),
    );
    const found = [];
    for (let i = 0; i < this.n; i++) {
      const question = this.nodes.question[i];
      if (!this.alive[i] || this.isLeaf(i) || question === null) continue;
      if (this.nodes.asked[i].some((c) => named.has(c)) || question.toLowerCase().includes(wanted))
        found.push(i);
    }
    return found;
  }
}
