// @ts-check
/**
 * The map in the corner: the whole drawing, with a frame around what is in the window.
 *
 * It appears only where the drawing does not fit, in a corner without cards, and only for the mouse: the
 * keyboard has better means.
 */
/** @import { Camera } from "./camera.js" */
/** @import { Placement } from "./placement.js" */
/** @import { Colours } from "./colours.js" */
import { depthOf } from "./card.js";
import { html } from "./dom.js";
import { brushFor, drawFar } from "./far_view.js";

const WIDEST_MAP = 168;
const MAP_SHARE = 0.17; // of the width of the window
const MAP_MARGIN = 6;
const LEAST_HEIGHT = 300; // of a window that has room for the map
const AWAY = 14; // pixels from the sides of the window
const CLEAR = 6; // pixels from the nearest card
const CORNERS = ["bottom-right", "bottom-left", "top-right", "top-left"];

export class Minimap {
  /** @param {Camera} camera */
  constructor(camera) {
    this.camera = camera;
    this.canvas = html("canvas", { class: "minimap-picture" });
    this.frame = html("div", { class: "minimap-frame" });
    this.element = html(
      "div",
      { class: "minimap", "aria-hidden": "true", hidden: true },
      this.canvas,
      this.frame,
    );
    this.width = WIDEST_MAP;
    this.height = (WIDEST_MAP * 2) / 3;
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    const go = (/** @type {PointerEvent} */ event) => {
      if (event.buttons === 1) this.centreAt(event);
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      go(event);
    });
    this.element.addEventListener("pointermove", go);
    this.corner = CORNERS[0];
  }

  /**
   * Draw the map again.
   * @param {Placement} placement
   * @param {Colours} colours
   * @param {Set<number>} marked
   */
  draw(placement, colours, marked) {
    const { width, height } = placement;
    this.width = Math.round(Math.min(WIDEST_MAP, MAP_SHARE * this.camera.element.clientWidth));
    this.height = Math.round((this.width * 2) / 3);
    for (const { style } of [this.element, this.canvas]) {
      style.setProperty("width", `${this.width}px`);
      style.setProperty("height", `${this.height}px`);
    }
    this.scale = Math.min((this.width - 2 * MAP_MARGIN) / width, (this.height - 2 * MAP_MARGIN) / height);
    this.left = (this.width - width * this.scale) / 2;
    this.top = (this.height - height * this.scale) / 2;
    const brush = brushFor(this.canvas, this.width, this.height);
    const all = { left: 0, top: 0, right: width, bottom: height };
    if (brush) drawFar(brush, placement, this, all, colours, marked);
  }

  /** Move the frame. @param {Placement} placement */
  follow(placement) {
    const seen = this.camera.window();
    const { width, height } = placement;
    const low = this.camera.element.clientHeight < LEAST_HEIGHT;
    const whole = seen.left <= 1 && seen.top <= 1 && seen.right >= width - 1 && seen.bottom >= height - 1;
    const corner = low || whole ? null : this.freeCorner(placement);
    this.element.hidden = corner === null;
    if (corner === null) return;
    this.corner = corner;
    this.element.dataset.corner = corner;
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) =>
      Math.min(most, Math.max(0, value));
    const [x0, x1] = [seen.left, seen.right].map((x) => clamp(x * this.scale + this.left, this.width));
    const [y0, y1] = [seen.top, seen.bottom].map((y) => clamp(y * this.scale + this.top, this.height));
    const style = this.frame.style;
    style.setProperty("left", `${x0}px`);
    style.setProperty("top", `${y0}px`);
    style.setProperty("width", `${Math.max(4, x1 - x0)}px`);
    style.setProperty("height", `${Math.max(4, y1 - y0)}px`);
  }

  /** A corner of the window without cards: the present one if possible. @param {Placement} placement */
  freeCorner(placement) {
    if (this.element.matches(":active")) return this.corner; // it must not move away from the pointer
    const order = [this.corner, ...CORNERS.filter((corner) => corner !== this.corner)];
    return order.find((corner) => this.isFree(placement, corner)) ?? null;
  }

  /** @param {Placement} placement @param {string} corner */
  isFree(placement, corner) {
    const { element, scale, left, top } = this.camera;
    const x = corner.endsWith("left") ? AWAY : element.clientWidth - AWAY - this.width;
    const y = corner.startsWith("top") ? AWAY : element.clientHeight - AWAY - this.height;
    const box = {
      left: (x - CLEAR - left) / scale,
      top: (y - CLEAR - top) / scale,
      right: (x + this.width + CLEAR - left) / scale,
      bottom: (y + this.height + CLEAR - top) / scale,
    };
    return !placement.cardsIn(box).some((i) => {
      const card = placement.cards[i];
      const across = placement.x[i] < box.right && placement.x[i] + card.width > box.left;
      return across && placement.y[i] < box.bottom && placement.y[i] + card.height + depthOf(card) > box.top;
    });
  }

  /** @param {PointerEvent} event */
  centreAt(event) {
    const box = this.element.getBoundingClientRect();
    const x = (event.clientX - box.left - this.left) / this.scale;
    const y = (event.clientY - box.top - this.top) / this.scale;
    const { element, scale } = this.camera;
    this.camera.set(scale, element.clientWidth / 2 - x * scale, element.clientHeight / 2 - y * scale);
  }
}
