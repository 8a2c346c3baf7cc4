// @ts-check
/**
 * Which part of the drawing is visible: zoom and pan, by wheel, touch, dragging and calls.
 *
 * The scale is pixels of the window per unit of the drawing; left and top are the place of its origin in the
 * window. A drag only begins after a few pixels, so that a click remains a click. The wheel zooms, or scrolls
 * a list.
 */

const FARTHEST = 0.01;
const CLOSEST = 3;
const STILL = 4;

export class Camera {
  /**
   * @param {Element} element what is dragged and zoomed on
   * @param {() => void} moved
   */
  constructor(element, moved) {
    this.element = element;
    this.moved = moved;
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    /** @type {Map<number, {x: number, y: number}>} fingers or the mouse */
    this.pointers = new Map();
    this.travelled = 0;
    /** @type {((by: number) => boolean) | null} scrolls, and returns whether anything moved; null if the wheel zooms */
    this.scroll = null;
    this.listen();
  }

  listen() {
    const on = this.element;
    on.addEventListener("wheel", (event) => this.wheel(/** @type {WheelEvent} */ (event)), {
      passive: false,
    });
    on.addEventListener("pointerdown", (event) => this.press(/** @type {PointerEvent} */ (event)));
    on.addEventListener("pointermove", (event) => this.drag(/** @type {PointerEvent} */ (event)));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      on.addEventListener(end, (event) => this.release(/** @type {PointerEvent} */ (event)));
    }
  }

  /** Whether the last press became a drag, and so is not a click. */
  get dragged() {
    return this.travelled > STILL;
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    // Inside another page the wheel scrolls that page, until the user has clicked here.
    if (window.parent !== window && !document.hasFocus() && !event.ctrlKey) return;
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (this.scroll !== null && !event.ctrlKey && !event.shiftKey) {
      if (this.scroll(event.deltaY * unit)) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (event.shiftKey) {
      this.panBy(-(event.deltaX || event.deltaY) * unit, 0);
      return;
    }
    // A pinch on a touchpad comes as a wheel with the control key, in small steps.
    const speed = event.ctrlKey ? 0.01 : 0.0016;
    const at = this.pointIn(event);
    this.zoomBy(Math.exp(-event.deltaY * unit * speed), at.x, at.y);
  }

  /** @param {{clientX: number, clientY: number}} event */
  pointIn(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.travelled = 0;
    this.pointers.set(event.pointerId, this.pointIn(event));
  }

  /** @param {PointerEvent} event */
  drag(event) {
    // A button that was released outside of the window.
    if (event.pointerType === "mouse" && event.buttons === 0) this.release(event);
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = this.pointIn(event);
    this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (!this.dragged) return;
    if (!this.element.hasPointerCapture(event.pointerId)) this.element.setPointerCapture(event.pointerId);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other === undefined) {
      this.panBy(now.x - before.x, now.y - before.y);
      return;
    }
    const apart = Math.hypot(now.x - other.x, now.y - other.y);
    const wasApart = Math.hypot(before.x - other.x, before.y - other.y);
    this.left += (now.x - before.x) / 2;
    this.top += (now.y - before.y) / 2;
    this.zoomBy(apart / Math.max(1, wasApart), (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  /** @param {PointerEvent} event */
  release(event) {
    this.pointers.delete(event.pointerId);
  }

  /** @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    this.left += dx;
    this.top += dy;
    this.moved();
  }

  /** Zoom around a point of the window. @param {number} factor @param {number} x @param {number} y */
  zoomBy(factor, x, y) {
    const scale = Math.min(CLOSEST, Math.max(FARTHEST, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.moved();
  }

  /** Zoom around the middle of the window. @param {number} factor */
  zoomMiddle(factor) {
    this.zoomBy(factor, this.element.clientWidth / 2, this.element.clientHeight / 2);
  }

  /** @param {number} scale @param {number} left @param {number} top */
  set(scale, left, top) {
    this.scale = scale;
    this.left = left;
    this.top = top;
    this.moved();
  }

  /** The present view, to compare with a later one. */
  get sight() {
    return `${this.scale} ${this.left} ${this.top}`;
  }

  /** The part of the drawing in the window, with a margin in pixels. @param {number} margin */
  window(margin = 0) {
    return {
      left: (-margin - this.left) / this.scale,
      top: (-margin - this.top) / this.scale,
      right: (this.element.clientWidth + margin - this.left) / this.scale,
      bottom: (this.element.clientHeight + margin - this.top) / this.scale,
    };
  }
}
