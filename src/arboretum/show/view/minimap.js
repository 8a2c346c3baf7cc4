// @ts-check
/**
 * The map in the corner: the whole drawing, with a frame around what is in the window.
 *
 * Words: those of the camera. It is there only where the drawing does not fit, and for the mouse alone: the
 * keyboard has better ways.
 */
/** @import { Camera } from "./camera.js" */
/** @import { Placement } from "./placement.js" */
/** @import { Colours } from "./colours.js" */
import { html } from "./dom.js";
import { brushFor, drawFar } from "./far_view.js";

const MAP_WIDTH = 168;
const MAP_HEIGHT = 112;
const MAP_MARGIN = 6;

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
  }

  /**
   * Draw the map anew.
   * @param {Placement} placement
   * @param {Colours} colours
   * @param {Set<number>} marked
   */
  draw(placement, colours, marked) {
    const { width, height } = placement;
    this.scale = Math.min((MAP_WIDTH - 2 * MAP_MARGIN) / width, (MAP_HEIGHT - 2 * MAP_MARGIN) / height);
    this.left = (MAP_WIDTH - width * this.scale) / 2;
    this.top = (MAP_HEIGHT - height * this.scale) / 2;
    const brush = brushFor(this.canvas, MAP_WIDTH, MAP_HEIGHT);
    const all = { left: 0, top: 0, right: width, bottom: height };
    if (brush) drawFar(brush, placement, this, all, colours, marked);
  }

  /** Move the frame. @param {Placement} placement */
  follow(placement) {
    const seen = this.camera.window();
    const { width, height } = placement;
    this.element.hidden =
      seen.left <= 1 && seen.top <= 1 && seen.right >= width - 1 && seen.bottom >= height - 1;
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) =>
      Math.min(most, Math.max(0, value));
    const [x0, x1] = [seen.left, seen.right].map((x) => clamp(x * this.scale + this.left, MAP_WIDTH));
    const [y0, y1] = [seen.top, seen.bottom].map((y) => clamp(y * this.scale + this.top, MAP_HEIGHT));
    const style = this.frame.style;
    style.setProperty("left", `${x0}px`);
    style.setProperty("top", `${y0}px`);
    style.setProperty("width", `${Math.max(4, x1 - x0)}px`);
    style.setProperty("height", `${Math.max(4, y1 - y0)}px`);
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
