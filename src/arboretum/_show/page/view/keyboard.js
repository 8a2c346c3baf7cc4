// @ts-check
/**
 * The keys of the page.
 *
 * A move leads to the parent, a child or a neighbour; which arrow that is depends on the direction of the
 * tree. Keys typed into a field are left to it; a slider only gets its arrows.
 */
/** @import { Move } from "./moves.js" */
/** @import { Application } from "./application.js" */
import { moveFrom } from "./moves.js";

/** @type {Record<string, Move>} */
const DOWNWARDS = { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "previous", ArrowRight: "next" };
/** @type {Record<string, Move>} */
const RIGHTWARDS = { ArrowLeft: "parent", ArrowRight: "child", ArrowUp: "previous", ArrowDown: "next" };
/** @type {Record<string, Move>} */
const IN_A_LIST = { ArrowLeft: "parent", ArrowRight: "child", ArrowUp: "above", ArrowDown: "below" };
const MOVES = { down: DOWNWARDS, right: RIGHTWARDS, list: IN_A_LIST };
/** @type {Record<string, [number, number]>} */
const PANS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Keyboard {
  /** @param {Application} application */
  constructor(application) {
    this.application = application;
    this.store = application.store;
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest("input:not([type=range]), select, textarea, dialog")) return;
      const onNode = target?.closest("[role=treeitem]") !== null && target !== null;
      if ((onNode && this.onNode(event)) || this.anywhere(event)) event.preventDefault();
    });
  }

  /** Keys that act on the selected node. @param {KeyboardEvent} event */
  onNode(event) {
    const { store } = this;
    const inTree = store.view === "tree";
    if (event.shiftKey && inTree && event.key in PANS) {
      this.application.tree.pan(...PANS[event.key]);
      return true;
    }
    const moves = MOVES[inTree ? store.direction : "down"];
    if (event.key in moves) {
      this.move(moves[event.key]);
      return true;
    }
    if (event.key === "Enter" || event.key === " ") {
      this.toggle(event.shiftKey);
      return true;
    }
    if (event.key === "Home") {
      store.select(0);
      return true;
    }
    return false;
  }

  /** @param {Move} move */
  move(move) {
    const { store } = this;
    const { model } = store;
    const inTree = store.view === "tree";
    if (inTree && move === "child" && model.canOpen(store.selected)) store.setOpen(store.selected, true);
    const children = (/** @type {number} */ node) =>
      inTree && !model.isOpen(node) ? [] : model.childrenOf(node);
    store.select(moveFrom(model, store.selected, move, children));
  }

  /** @param {boolean} allBelow */
  toggle(allBelow) {
    const { store } = this;
    if (store.view === "icicle") this.application.icicle.zoomTo(store.selected);
    else if (allBelow) store.setOpenBelow(store.selected, !store.model.isOpen(store.selected));
    else store.setOpen(store.selected, !store.model.isOpen(store.selected));
  }

  /** Keys that act wherever the focus is. @param {KeyboardEvent} event */
  anywhere(event) {
    const { application, store } = this;
    switch (event.key) {
      case "/":
        application.search.focus();
        return true;
      case "?":
        application.help.showModal();
        return true;
      case "Escape":
        application.search.clear();
        return true;
      case "n":
        store.goToFound(1);
        return true;
      case "p":
        store.goToFound(-1);
        return true;
      case "t":
        application.switchTo("tree");
        return true;
      case "i":
        application.switchTo("icicle");
        return true;
      case "r":
        application.switchTo("rules");
        return true;
      default:
        return store.view === "tree" && this.zoom(event.key);
    }
  }

  /** @param {string} key */
  zoom(key) {
    const { tree } = this.application;
    if (key === "+" || key === "=") tree.camera.zoomMiddle(1.25);
    else if (key === "-" || key === "−") tree.camera.zoomMiddle(0.8);
    else if (key === "0") tree.fit();
    else return false;
    return true;
  }
}
