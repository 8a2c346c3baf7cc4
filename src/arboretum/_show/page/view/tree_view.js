// @ts-check
/**
 * The tree as cards and edges: only what is in the window is drawn.
 *
 * The selected node is always there, so that the focus of the keyboard has a place. "Fit" shows the whole
 * tree; "home" is the whole tree if it can be read, and otherwise the root with its surroundings.
 */
/** @import { Store, Change, Direction } from "./store.js" */
/** @import { Mode } from "./model.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Card } from "./card.js" */
import { Camera } from "./camera.js";
import { cardOf, Fonts } from "./card.js";
import { html, oncePerFrame, remembered, setAttributes, svg } from "./dom.js";
import { brushFor, drawFar } from "./far_view.js";
import { lineCardOf } from "./line_card.js";
import { ListPlacement } from "./list_placement.js";
import { Minimap } from "./minimap.js";
import { Placement } from "./placement.js";
import { passedNodes } from "./row_path.js";
import { TreeMarks } from "./tree_marks.js";

const MARGIN = 20;
const LEAST_MARGIN = 12; // around a tree that just fits
const READABLE = 0.9; // text of 12.5 pixels is then more than 11
// A small tree is shown as a whole while its text is at least 9 pixels high.
const SMALL_TREE = 21;
const LEGIBLE = 0.72;
const NARROW = 560; // pixels: in such a window, a list shows more than cards
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
    this.directionChosen = false; // by the user
    this.settledIn = ""; // the size of the window when the direction was last chosen; empty once the user has chosen
    this.makeRoom = () => {}; // gives the tree more of the page
    this.whole = false; // all of the drawing was in the window when it was last drawn
    this.home = ""; // the view that was last set without the user's doing
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
    if (change === "selection") this.showSelected();
    if (change === "theme" || change === "search") this.refresh();
    if (change === "output" && this.started) {
      this.known.clear();
      this.rearrange();
    }
  }

  resized() {
    const known = this.size() === this.settledIn;
    this.settledIn = "";
    if (known || this.element.clientWidth === 0) return; // drawn for this size, or another view is shown
    this.drawMap();
    if (!this.started) this.start();
    else if (this.home === this.camera.sight) this.settle();
    else if (this.whole && this.canBeWhole()) this.fit();
    else this.draw();
  }

  size() {
    return `${this.element.clientWidth} ${this.element.clientHeight}`;
  }

  /** Show the tree for the first time. */
  start() {
    this.started = true;
    for (const node of passedNodes(this.model)) this.model.reveal(node);
    this.fonts = new Fonts(getComputedStyle(this.element).fontFamily);
    // For a large tree, as much as can be read at once.
    for (const size of this.model.isLarge ? FIRST_SIZES : [this.model.overviewSize]) {
      this.model.resizeOverview(size);
      const scale = this.isNarrow() ? this.findDirection() : this.bestCards();
      if (scale >= (this.store.direction === "list" ? LEGIBLE : READABLE)) break;
    }
    if (this.isSmall() && this.bestCards() < LEGIBLE) this.makeRoom();
    this.settle();
    this.store.tell("direction"); // which the search for it may have changed
  }

  /** Draw the tree in the best direction, unless the user has chosen one, and go home. */
  settle() {
    this.settledIn = this.size();
    const before = this.store.direction;
    if (!this.directionChosen) this.findDirection();
    if (this.store.direction !== before) this.store.tell("direction");
    this.goHome();
  }

  /**
   * Draw the tree with cards, or as a list where cards could not be read or would leave the root alone in the
   * window. Returns the scale at which the whole fits.
   */
  findDirection() {
    const cards = this.bestCards();
    const { direction } = this.store;
    if (cards >= this.leastScale()) return cards;
    if (!this.isSmall() && !this.isNarrow() && this.hasCompany()) return cards;
    const list = this.tryDirection("list");
    return list > cards || !this.isSmall() ? list : this.tryDirection(direction);
  }

  /** Draw the tree with cards, in the direction in which more of it fits; returns the scale at which it does. */
  bestCards() {
    const right = this.tryDirection("right");
    const down = this.tryDirection("down");
    return down < this.leastScale() && right > down ? this.tryDirection("right") : down;
  }

  /** Draw the tree in a direction; returns the scale at which the whole fits. @param {Direction} direction */
  tryDirection(direction) {
    this.store.direction = direction;
    this.arrange(false);
    return this.fitScale();
  }

  /** Draw the tree in the direction that the user wants. @param {Direction} direction */
  turnTo(direction) {
    this.directionChosen = true;
    this.store.setDirection(direction);
    this.arrange(false);
    this.goHome();
  }

  /** Open all nodes, the heaviest, or only the top, and show the result. @param {Mode} mode */
  openMode(mode) {
    this.store.setMode(mode);
    this.settle();
    this.bringIn(this.store.selected);
  }

  /** Follow a change of what is shown; a tree that was visible as a whole stays so, if it can be read. */
  rearrange() {
    const wasWhole = this.whole;
    this.arrange(true);
    if (wasWhole && this.canBeWhole()) this.fit();
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
    const { direction } = this.store;
    const Kind = direction === "list" ? ListPlacement : Placement;
    this.placement = new Kind(this.model, direction, (node) => this.cardFor(node));
    this.camera.scroll = direction === "list" ? (by) => this.scrollBy(by) : null;
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
    const list = this.store.direction === "list";
    const state = (list ? 4 : 0) + (this.model.isLeaf(node) ? 2 : 0) + (this.model.isOpen(node) ? 1 : 0);
    const make = list ? lineCardOf : cardOf;
    return remembered(this.known, 8 * node + state, () => make(this.model, node, this.fonts));
  }

  /** Draw everything again. */
  refresh() {
    this.marks.dirty = true;
    // The map of a large tree can wait until the pointer rests.
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
    this.marks.drawCards(placement, far ? [] : inWindow, this.fonts);
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

  isNarrow() {
    return this.element.clientWidth < NARROW;
  }

  isSmall() {
    return (this.placement?.ids.length ?? 0) <= SMALL_TREE;
  }

  /** The smallest scale at which the whole tree can be read. */
  leastScale() {
    return this.isSmall() ? LEGIBLE : READABLE;
  }

  /** Whether the whole tree is shown unasked: where it can be read, and a small one as long as it has text. */
  canBeWhole() {
    return this.fitScale() >= (this.isSmall() ? FAR : READABLE);
  }

  /** Whether a child of the root is in the window when the root is in the middle, at a size to read. */
  hasCompany() {
    const { placement } = this;
    if (placement === null || placement.direction === "list") return true;
    const down = placement.direction === "down";
    const room = down ? this.element.clientWidth : this.element.clientHeight;
    const children = placement.ids.flatMap((_, i) => (placement.parent[i] === 0 ? [i] : []));
    return (
      children.length === 0 ||
      children.some((i) => Math.abs(placement.middle(i) - placement.middle(0)) < room / 2)
    );
  }

  /** Show the whole tree. */
  fit() {
    if (this.placement === null) return;
    const scale = this.fitScale();
    const centred = (this.element.clientWidth - this.placement.width * scale) / 2;
    const free = this.element.clientHeight - this.placement.height * scale;
    const list = this.store.direction === "list";
    const left = list ? Math.min(MARGIN, centred) : centred;
    const top = Math.min(free / 2, list ? MARGIN : Math.max(MARGIN, free / 3));
    this.camera.set(scale, left, top);
  }

  /** Show the whole tree if it can be read, else the root with what is around it. */
  goHome() {
    if (this.placement === null) return;
    const { width, height } = this.placement;
    const [across, down] = [this.element.clientWidth, this.element.clientHeight];
    if (this.canBeWhole()) this.fit();
    else if (this.hasCompany()) this.showRoot(1);
    // All levels, from so far away that nodes around the root are visible.
    else if (this.store.direction === "down") this.showRoot(Math.min(FAR, (down - 2 * MARGIN) / height));
    else this.showRoot(Math.min(FAR, (across - 2 * MARGIN) / width));
    this.home = this.camera.sight;
  }

  /** Show the root at a size that can be read. */
  goToRoot() {
    if (this.canBeWhole()) this.fit();
    else this.showRoot(1);
    this.home = this.camera.sight;
  }

  /** Show the root in the middle of its side. @param {number} scale */
  showRoot(scale) {
    const root = this.pointOf(0);
    if (root === null || this.placement === null) return;
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (this.store.direction === "list") {
      const fitting = (width - 2 * LEAST_MARGIN) / this.placement.width;
      this.camera.set(Math.min(scale, Math.max(LEGIBLE, fitting)), LEAST_MARGIN, MARGIN);
    } else if (this.store.direction === "down") this.camera.set(scale, width / 2 - root.x * scale, MARGIN);
    else this.camera.set(scale, MARGIN, height / 2 - (root.y + root.card.height / 2) * scale);
  }

  /** Scroll a list, up to its ends; return whether anything moved. @param {number} by */
  scrollBy(by) {
    if (this.placement === null) return false;
    const { scale, left, top } = this.camera;
    const last = this.element.clientHeight - MARGIN - this.placement.height * scale;
    const moved = Math.min(MARGIN, Math.max(Math.min(last, MARGIN), top - by));
    if (moved === top) return false;
    this.camera.set(scale, left, moved);
    return true;
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
    const onKnob =
      event.target instanceof Element && event.target.closest(".card-more, .card-knob, .line-sign") !== null;
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
