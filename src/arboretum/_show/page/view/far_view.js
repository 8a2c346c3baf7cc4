// @ts-check
/**
 * The tree from far away: nodes as plain coloured boxes on a canvas, ten thousand in a few milliseconds.
 *
 * It is used where the text of cards could not be read, or where the window would hold more cards than can be
 * drawn at once. The map in the corner is the same drawing, smaller.
 */
/** @import { Placement, Box } from "./placement.js" */
/** @import { Colours } from "./colours.js" */
import { remembered } from "./dom.js";

/**
 * @typedef {object} Sight
 * @property {number} scale
 * @property {number} left
 * @property {number} top
 */

/**
 * Fit the canvas to its place, and return its context.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function brushFor(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  const brush = canvas.getContext("2d");
  if (brush === null) return null;
  brush.setTransform(1, 0, 0, 1, 0, 0);
  brush.clearRect(0, 0, across, down);
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  return brush;
}

/**
 * Draw the edges and boxes that are in a box of the drawing.
 * @param {CanvasRenderingContext2D} brush
 * @param {Placement} placement
 * @param {Sight} sight
 * @param {Box} box
 * @param {Colours} colours
 * @param {Set<number>} marked the nodes found by the search
 */
export function drawFar(brush, placement, sight, box, colours, marked) {
  drawFarEdges(brush, placement, sight, box, colours);
  /** @type {Map<string, Path2D>} */
  const boxes = new Map();
  const rings = new Path2D();
  for (const i of placement.cardsIn(box)) {
    const node = placement.ids[i];
    const card = placement.cards[i];
    const colour = colours.node(node);
    const path = remembered(boxes, colour, () => new Path2D());
    const x = placement.x[i] * sight.scale + sight.left;
    const y = placement.y[i] * sight.scale + sight.top;
    const width = Math.max(1, card.width * sight.scale);
    const height = Math.max(1, card.height * sight.scale);
    path.rect(x, y, width, height);
    if (marked.has(node)) rings.rect(x - 1.5, y - 1.5, width + 3, height + 3);
  }
  for (const [colour, path] of boxes) {
    brush.fillStyle = colour;
    brush.fill(path);
  }
  brush.strokeStyle = colours.palette.highlight;
  brush.lineWidth = 2;
  brush.stroke(rings);
}

/**
 * @param {CanvasRenderingContext2D} brush
 * @param {Placement} placement
 * @param {Sight} sight
 * @param {Box} box
 * @param {Colours} colours
 */
function drawFarEdges(brush, placement, sight, box, colours) {
  /** @type {Map<number, Path2D>} */
  const lines = new Map();
  for (const i of placement.edgesIn(box)) {
    const width = Math.max(0.7, Math.round(placement.edgeWidth(i) * sight.scale * 2) / 2);
    const path = remembered(lines, width, () => new Path2D());
    const [x0, y0, x1, y1] = placement.edgeEnds(i);
    path.moveTo(x0 * sight.scale + sight.left, y0 * sight.scale + sight.top);
    path.lineTo(x1 * sight.scale + sight.left, y1 * sight.scale + sight.top);
  }
  brush.strokeStyle = colours.palette.line;
  for (const [width, path] of lines) {
    brush.lineWidth = width;
    brush.stroke(path);
  }
}
