// @ts-check
/**
 * The edge to a child: a line as wide as its share of rows, with the answer that leads there.
 *
 * The path of missing values is dashed. The label stands at the child's end, where it cannot collide with
 * another one.
 */
/** @import { Placement } from "./placement.js" */
/** @import { Fonts } from "./card.js" */
import { setAttributes, svg } from "./dom.js";
import { wrap } from "./text_width.js";

const LABEL_LINE = 14;
const BEND = 30; // then the line runs straight to the child, past its label

/**
 * Draw an edge into its group.
 * @param {SVGGElement} group
 * @param {Placement} placement
 * @param {number} place of the child
 * @param {Fonts} fonts
 * @param {boolean} onPath whether it leads to the selected node
 * @param {boolean} ofRow whether the row whose path is shown takes it
 */
export function drawEdge(group, placement, place, fonts, onPath, ofRow) {
  const node = placement.ids[place];
  const { takes_missing, outcome } = placement.model.nodes;
  const missing = takes_missing[node];
  const kinds = ["edge", missing && "takes-missing", onPath && "on-path", ofRow && "of-row"];
  setAttributes(group, { class: kinds.filter((kind) => kind).join(" ") });
  const line = svg("path", { class: "edge-line", d: edgePath(placement, place) });
  line.style.setProperty("--edge-width", `${placement.edgeWidth(place).toFixed(2)}px`);
  const marks = [svg("title", {}, outcome[node] ?? ""), line];
  if (missing) marks.push(svg("path", { class: "edge-dashes", d: edgePath(placement, place) }));
  if (ofRow) marks.push(svg("path", { class: "edge-row", d: edgePath(placement, place) }));
  // In a list, the line itself shows the answer.
  const label = placement.direction === "list" ? [] : edgeLabel(placement, place, fonts);
  group.replaceChildren(...marks, ...label);
}

/** @param {Placement} placement @param {number} place */
function edgePath(placement, place) {
  const [x0, y0, x1, y1] = placement.edgeEnds(place).map((value) => Math.round(value * 10) / 10);
  if (placement.direction === "list") return `M${x0} ${y0}V${y1}H${x1}`;
  if (placement.direction === "down") {
    // Below a short card the line first goes straight to the end of the level, past its neighbours.
    const level = levelEnd(placement, place);
    const bend = level + Math.min(BEND, y1 - level);
    const middle = (level + bend) / 2;
    return `M${x0} ${y0}V${level}C${x0} ${middle} ${x1} ${middle} ${x1} ${bend}V${y1}`;
  }
  const level = levelEnd(placement, place);
  const bend = Math.min(BEND, x1 - level);
  return `M${x0} ${y0}H${level}C${level + bend / 2} ${y0} ${level + bend / 2} ${y1} ${level + bend} ${y1}H${x1}`;
}

/** Where the level of the parent ends, but not its stacks. @param {Placement} placement @param {number} place */
function levelEnd(placement, place) {
  const down = placement.direction === "down";
  const parent = placement.parent[place];
  const card = placement.cards[parent];
  const end = down ? placement.y[place] - placement.gap : placement.x[place] - placement.gap;
  const own = down ? placement.y[parent] + card.height : placement.x[parent] + card.width;
  return Math.max(own, Math.round(end * 10) / 10);
}

/** @param {Placement} placement @param {number} place @param {Fonts} fonts @returns {SVGElement[]} */
function edgeLabel(placement, place, fonts) {
  const node = placement.ids[place];
  const { answer, outcome, takes_missing } = placement.model.nodes;
  const down = placement.direction === "down";
  const room = down ? placement.cards[place].width + 12 : placement.gap - BEND - 14;
  const lines = wrap(answer[node] ?? outcome[node] ?? "", room, down ? 1 : 2, fonts.small);
  const x = down ? placement.middle(place) : placement.x[place] - 8;
  const end = down ? placement.y[place] - 7 : placement.middle(place) - 8;
  const anchor = down ? "middle" : "end";
  const missing = takes_missing[node];
  const last = missing && down ? end - LABEL_LINE : end;
  const marks = lines.map((text, i) => {
    const y = last - (lines.length - 1 - i) * LABEL_LINE;
    return svg("text", { class: "edge-label", x, y, "text-anchor": anchor }, text);
  });
  if (missing) {
    const below = down ? end : placement.middle(place) + 16;
    marks.push(svg("text", { class: "edge-missing", x, y: below, "text-anchor": anchor }, "or missing"));
  }
  return marks;
}
