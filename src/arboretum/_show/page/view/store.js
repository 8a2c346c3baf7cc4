// @ts-check
/**
 * What the user has chosen: the node, the step, the view, the search; parts of the page listen to changes.
 *
 * A change names what is different now: "structure" (nodes open or closed, another step), "selection",
 * "search", "view" (tree, icicle, rules), "direction", "theme", "output". Nothing is stored beyond the page: it must
 * work in a sandbox without storage.
 */
/** @import { Model } from "./model.js" */
/** @import { ThemeName, ViewName } from "./types.js" */

/** @typedef {"structure" | "selection" | "search" | "view" | "direction" | "theme" | "output"} Change */
/** @typedef {"down" | "right" | "list"} Direction */

export class Store {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.selected = 0;
    this.output = 0;
    /** @type {ViewName} */
    this.view = "tree";
    /** @type {Direction} */
    this.direction = "down";
    /** @type {ThemeName} */
    this.theme = "light";
    this.searched = "";
    /** @type {number[]} */
    this.found = [];
    /** @type {Set<number>} the found ones, to ask quickly */
    this.marked = new Set();
    this.nFoundBelow = new Int32Array(model.n);
    /** @type {((change: Change) => void)[]} */
    this.listeners = [];
    /** @type {(text: string) => void} */
    this.say = () => {};
  }

  /** @param {(change: Change) => void} listener */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** @param {Change} change */
  tell(change) {
    for (const listener of this.listeners) listener(change);
  }

  /** Select a node; opens what is above it. @param {number} node */
  select(node) {
    const alive = this.model.nearestAlive(node);
    const opened = this.model.reveal(alive);
    if (alive === this.selected && !opened) return;
    this.selected = alive;
    if (opened) this.tell("structure");
    this.tell("selection");
  }

  /** @param {number} node @param {boolean} open */
  setOpen(node, open) {
    if (!this.model.canOpen(node) || this.model.isOpen(node) === open) return;
    this.model.setOpen(node, open);
    this.afterStructure();
    const below = this.model.childrenOf(node).length;
    this.say(open ? `opened, ${below} children` : "closed");
  }

  /** Open or close all that is below a node. @param {number} node @param {boolean} open */
  setOpenBelow(node, open) {
    this.model.setOpenBelow(node, open);
    this.afterStructure();
  }

  /** @param {"overview" | "all" | "top"} mode */
  setMode(mode) {
    this.model.setMode(mode);
    this.afterStructure();
    this.say(`${this.model.shown().length} nodes are shown`);
  }

  /** Go to a step of the pruning path; the selection stays if it can. @param {number} step */
  goTo(step) {
    if (step === this.model.step) return;
    this.model.goTo(step);
    this.findAgain();
    this.afterStructure();
  }

  afterStructure() {
    const shown = this.model.nearestShown(this.selected);
    const moved = shown !== this.selected;
    this.selected = shown;
    this.tell("structure");
    if (moved) this.tell("selection");
  }

  /** @param {string} text */
  search(text) {
    this.searched = text;
    this.findAgain();
    this.tell("search");
  }

  findAgain() {
    this.found = this.model.asking(this.searched);
    this.marked = new Set(this.found);
    const { parent } = this.model.nodes;
    this.nFoundBelow.fill(0);
    for (let i = this.model.n - 1; i > 0; i--) {
      if (this.marked.has(i)) this.nFoundBelow[parent[i]]++;
      this.nFoundBelow[parent[i]] += this.nFoundBelow[i];
    }
  }

  /** Select the next or previous node of those that were found. @param {1 | -1} way */
  goToFound(way) {
    if (this.found.length === 0) return;
    const here = this.found.indexOf(this.selected);
    const from = here < 0 ? (way > 0 ? -1 : 0) : here;
    const next = (from + way + this.found.length) % this.found.length;
    this.select(this.found[next]);
    this.say(`${next + 1} of ${this.found.length} found`);
  }

  /** @param {ViewName} view */
  setView(view) {
    if (this.view === view) return;
    this.view = view;
    this.tell("view");
  }

  /** @param {Direction} direction */
  setDirection(direction) {
    if (this.direction === direction) return;
    this.direction = direction;
    this.tell("direction");
  }

  /** Look at another output of the tree. @param {number} output */
  setOutput(output) {
    if (this.output === output) return;
    this.output = output;
    this.model.lookAt(output);
    this.tell("output");
    this.say(`output ${this.model.outputs[output].name} is shown`);
  }

  /** @param {ThemeName} theme */
  setTheme(theme) {
    if (this.theme === theme) return;
    this.theme = theme;
    this.tell("theme");
  }
}
