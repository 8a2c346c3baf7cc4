// @ts-check
/**
 * The tree as cards and edges: what is in the window is drawn, nothing else.
 *
 * Words: a *card* is the box of a node, an *edge* leads to it. The selected node is always there, wherever the
 * window is, so that the focus of the keyboard has a place. *Fit* shows the whole tree, *start* the root at a
 * size that can be read.
 */
/** @import { Store, Change } from "./store.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Card } from "./card.js" */
import { Camera } from "./camera.js";
import { cardOf, Fonts } from "./card.js";
import { html, oncePerFrame, remembered, setAttributes, svg } from "./dom.js";
import { brushFor, drawFar } from "./far_view.js";
import { Minimap } from "./minimap.js";
import { Placement } from "./placement.js";
import { passedNodes } from "./row_way.js";
import { TreeMarks } from "./tree_marks.js";

const MARGIN = 20;
const LEAST_MARGIN = 12; // around a tree that just fits
const READABLE = 0.9; // text of 12.5 pixels is then a good 11
// A small tree says more as a whole, as long as its text is at least 9 pixels high.
const SMALL_TREE = 21;
const LEGIBLE = 0.72;
const FAR = 0.4;
const MOST_CARDS = 400;
const STEP = 80;
const FIRST_SIZES = [60, 45, 33, 25, 19, 15, 11];

export class TreeView {
  /**
   * @param {Store} store
   * @param {() => Colours} colours
   */
  constructor(store, colours) {
    this.store = store;
    this.model = store.model;
    this.colours = colours;
    this.fonts = new Fonts("sans-serif");
    this.marks = new TreeMarks(store, colours);
    this.world = svg("g", { class: "world", role: "none" }, this.marks.edges, this.marks.cards.element);
    this.svg = svg("svg", { class: "tree-picture", role: "tree", "aria-label": "Decision tree" }, this.world);
    this.canvas = html("canvas", { class: "tree-far", "aria-hidden": "true" });
    this.camera = new Camera(this.svg, () => this.draw());
    this.map = new Minimap(this.camera);
    this.element = html(
      "div",
      { class: "tree-view", id: "view-tree" },
      this.canvas,
      this.svg,
      this.map.element,
    );
    /** @type {Map<number, Card>} texts and sizes that were worked out before */
    this.known = new Map();
    /** @type {Placement | null} */
    this.placement = null;
    this.mapTimer = 0;
    this.started = false;
    this.whole = false; // all of the drawing was in the window when it was last drawn
    this.home = ""; // where the camera was put when the reader last asked for no other sight
    this.draw = oncePerFrame(() => this.drawNow());
    this.listen();
  }

  listen() {
    this.store.listen((change) => this.changed(change));
    new ResizeObserver(() => this.resized()).observe(this.element);
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("dblclick", (event) => this.doubleClicked(event));
  }

  /** @param {Change} change */
  changed(change) {
    if (change === "structure") this.rearrange();
    if (change === "direction") this.turn();
    if (change === "selection") this.showSelected();
    if (change === "theme" || change === "search") this.refresh();
  }

  resized() {
    if (this.element.clientWidth === 0) return; // another view is shown
    this.drawMap();
    if (!this.started) this.start();
    else if (this.home === this.camera.sight) this.goHome();
    else if (this.whole && this.fitScale() >= this.leastScale()) this.fit();
    else this.draw();
  }

  /** Look at the tree for the first time. */
  start() {
    this.started = true;
    for (const node of passedNodes(this.model)) this.model.reveal(node);
    this.fonts = new Fonts(getComputedStyle(this.element).fontFamily);
    // Of a large tree, as much as can be read at once.
    for (const size of this.model.isLarge ? FIRST_SIZES : [this.model.overviewSize]) {
      this.model.resizeOverview(size);
      if (this.bestDirection() >= READABLE) break;
    }
    this.arrange(false);
    this.store.tell("direction");
    this.goHome();
  }

  /** Draw the tree in the direction in which more of it fits; returns the scale at which it does. */
  bestDirection() {
    this.store.direction = "right";
    this.arrange(false);
    const right = this.fitScale();
    this.store.direction = "down";
    this.arrange(false);
    const down = this.fitScale();
    if (down < this.leastScale() && right > down) this.store.direction = "right";
    return Math.max(right, down);
  }

  turn() {
    if (!this.started) return;
    this.arrange(false);
    this.goHome();
  }

  /** Follow a change of what is shown; a tree that was seen as a whole is so again, if it can be read. */
  rearrange() {
    const wasWhole = this.whole;
    this.arrange(true);
    if (wasWhole && this.fitScale() >= this.leastScale()) this.fit();
    else this.bringIn(this.store.selected);
  }

  /** Whether all of the drawing is in the window. */
  isWhole() {
    if (this.placement === null) return false;
    const { left, top, right, bottom } = this.camera.window(2);
    return left <= 0 && top <= 0 && right >= this.placement.width && bottom >= this.placement.height;
  }

  /** Place the shown nodes; the selected one stays where it was in the window. @param {boolean} keep */
  arrange(keep) {
    if (!this.started) return;
    const before = keep ? this.pointOf(this.store.selected) : null;
    this.placement = new Placement(this.model, this.store.direction, (node) => this.cardFor(node));
    const after = this.pointOf(this.store.selected);
    if (before && after) {
      this.camera.left += (before.x - after.x) * this.camera.scale;
      this.camera.top += (before.y - after.y) * this.camera.scale;
    }
    this.refresh();
  }

  /** The nearest card of a node, or of one above it. @param {number} node */
  pointOf(node) {
    if (this.placement === null) return null;
    for (let i = node; i >= 0; i = this.model.nodes.parent[i]) {
      const place = this.placement.placeOf.get(i);
      if (place === undefined) continue;
      const { x, y, cards } = this.placement;
      return { x: x[place] + cards[place].width / 2, y: y[place], card: cards[place] };
    }
    return null;
  }

  /** @param {number} node */
  cardFor(node) {
    const key = 4 * node + (this.model.isLeaf(node) ? 2 : 0) + (this.model.isOpen(node) ? 1 : 0);
    return remembered(this.known, key, () => cardOf(this.model, node, this.fonts));
  }

  /** Draw everything anew. */
  refresh() {
    this.marks.dirty = true;
    // The map of a large tree can wait until the hand rests.
    clearTimeout(this.mapTimer);
    if (this.placement && this.placement.ids.length > MOST_CARDS)
      this.mapTimer = setTimeout(() => this.drawMap(), 60);
    else this.drawMap();
    this.draw();
  }

  drawMap() {
    if (this.placement === null || this.element.clientWidth === 0) return;
    this.map.draw(this.placement, this.colours(), this.store.marked);
    this.map.follow(this.placement);
  }

  drawNow() {
    const placement = this.placement;
    if (placement === null || this.element.clientWidth === 0) return;
    const { scale, left, top } = this.camera;
    setAttributes(this.world, { transform: `translate(${left} ${top}) scale(${scale})` });
    const box = this.camera.window(120);
    const inWindow = scale < FAR ? null : placement.cardsIn(box);
    const far = inWindow === null || inWindow.length > MOST_CARDS;
    this.element.classList.toggle("is-far", far);
    const brush = brushFor(this.canvas, this.element.clientWidth, this.element.clientHeight);
    if (far && brush) drawFar(brush, placement, this.camera, box, this.colours(), this.store.marked);
    this.marks.drawCards(placement, far ? [] : inWindow);
    this.marks.drawEdges(placement, far ? [] : placement.edgesIn(box), this.fonts);
    this.marks.dirty = false;
    this.map.follow(placement);
    this.whole = this.isWhole();
  }

  /** Bring the selected node into the window and, if the tree has the focus, give it the focus. */
  showSelected() {
    if (!this.started || this.placement === null) return;
    const hadFocus = this.svg.contains(document.activeElement);
    this.bringIn(this.store.selected);
    this.marks.dirty = true;
    this.drawNow();
    if (hadFocus) this.focus();
  }

  focus() {
    this.marks.cards.focusSelected();
  }

  /**
   * Pan as little as needed for a node to be in the window; one from far away comes to where what led to it
   * is seen as well.
   * @param {number} node
   */
  bringIn(node) {
    const point = this.pointOf(node);
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (point === null || width === 0) return;
    const { scale, left, top } = this.camera;
    const [x, y] = [(point.x - point.card.width / 2) * scale + left, point.y * scale + top];
    const right = panInto(x, point.card.width * scale, width, this.store.direction === "right" ? 0.6 : 0.4);
    const down = panInto(y, point.card.height * scale, height, this.store.direction === "right" ? 0.4 : 0.6);
    if (right || down) this.camera.panBy(right, down);
  }

  fitScale() {
    if (this.placement === null) return 1;
    const { width, height } = this.placement;
    const [across, down] = [this.element.clientWidth, this.element.clientHeight].map(
      (room) => room - 2 * LEAST_MARGIN,
    );
    return Math.min(1, across / width, down / height);
  }

  /** The smallest scale at which the whole tree is shown unasked. */
  leastScale() {
    return (this.placement?.ids.length ?? 0) <= SMALL_TREE ? LEGIBLE : READABLE;
  }

  /** Show the whole tree. */
  fit() {
    if (this.placement === null) return;
    const scale = this.fitScale();
    const left = (this.element.clientWidth - this.placement.width * scale) / 2;
    const free = this.element.clientHeight - this.placement.height * scale;
    const top = Math.min(free / 2, Math.max(MARGIN, free / 3));
    this.camera.set(scale, left, top);
  }

  /** Show the whole tree if it can be read, else the root at a size that can. */
  goHome() {
    const root = this.pointOf(0);
    if (root === null || this.placement === null) return;
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (this.fitScale() >= this.leastScale()) this.fit();
    else if (this.store.direction === "down") this.camera.set(1, width / 2 - root.x, MARGIN);
    else this.camera.set(1, MARGIN, height / 2 - root.y - root.card.height / 2);
    this.home = this.camera.sight;
  }

  /** @param {number} across @param {number} down */
  pan(across, down) {
    this.camera.panBy(-across * STEP, -down * STEP);
  }

  /** @param {MouseEvent} event */
  nodeOf(event) {
    const card = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    if (card) return Number(card.getAttribute("data-node"));
    const at = this.camera.pointIn(event);
    const { scale, left, top } = this.camera;
    return this.placement?.nodeAt((at.x - left) / scale, (at.y - top) / scale) ?? -1;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (this.camera.dragged) return;
    const node = this.nodeOf(event);
    if (node < 0) return;
    const onKnob = event.target instanceof Element && event.target.closest(".card-more, .card-knob") !== null;
    this.store.select(node);
    if (onKnob) this.store.setOpen(node, !this.model.isOpen(node));
    this.focus();
  }

  /** @param {MouseEvent} event */
  doubleClicked(event) {
    const node = this.nodeOf(event);
    if (node < 0) return;
    if (event.shiftKey) this.store.setOpenBelow(node, !this.model.isOpen(node));
    else this.store.setOpen(node, !this.model.isOpen(node));
  }
}

/**
 * Return by how much something must move to be in a window: to its margin, or from beyond to a share of it.
 * @param {number} at
 * @param {number} size
 * @param {number} room
 * @param {number} share
 */
function panInto(at, size, room, share) {
  if (at >= MARGIN && at + size <= room - MARGIN) return 0;
  if (at + size < 0 || at > room) return share * (room - size) - at;
  return at < MARGIN ? MARGIN - at : Math.max(MARGIN - at, room - MARGIN - at - size);
}
