// @ts-check
/**
 * The card of a node: its texts and its size, and the marks that draw it.
 *
 * A card has a head (the question, or the label of a leaf), a bar (the mix of classes, or the value between
 * the least and the greatest), and a foot (rows and impurity). A closed node is drawn as a stack with the
 * number of nodes below. Cards of one line are in line_card.js.
 */
/** @import { Model } from "./model.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Direction } from "./store.js" */
import { svg } from "./dom.js";
import { shorten, textWidth, wrap } from "./text_width.js";
import { briefText, countText, labelText, ownText, rowsText } from "./words.js";

const PADDING = 11;
const LINE = 16;
const FOOT_LINE = 14;
const BAR = 8;
const KNOB = 18;
const WIDEST = 216;
const NARROWEST = 128;
const HEAD_LINES = 3;
const COMPOSITE_LINES = 10;
const SEVERAL_COLUMNS = /^(?:at least \d+|all|any) of: |^[^\s·]+·/;

/**
 * @typedef {object} Card
 * @property {boolean} line whether it is a line of a list
 * @property {string} answer the answer that leads to the node, in one line
 * @property {string[]} head
 * @property {string} label
 * @property {string[]} foot
 * @property {number} width
 * @property {number} height
 * @property {boolean} leaf
 * @property {boolean} stack
 */

/** The fonts of cards, for measuring text. */
export class Fonts {
  /** @param {string} family */
  constructor(family) {
    this.bold = `600 12.5px ${family}`;
    this.plain = `400 12px ${family}`;
    this.small = `400 11px ${family}`;
    this.more = `600 11.5px ${family}`;
  }
}

/**
 * Return the texts of a card and its size.
 * @param {Model} model
 * @param {number} node
 * @param {Fonts} fonts
 * @returns {Card}
 */
export function cardOf(model, node, fonts) {
  const { question, headline } = model.nodes;
  const leaf = model.isLeaf(node);
  const label = labelText(model, node);
  const room = WIDEST - 2 * PADDING;
  const head = leaf
    ? labelLines(model, node, room - 14, 2, fonts.bold)
    : questionLines(headline[node] ?? question[node] ?? "", room, fonts.bold);
  const foot = footLines(model, node, room, fonts.small);
  const widths = head.map((line) => textWidth(line, fonts.bold) + (leaf ? 14 : 0));
  widths.push(
    ...foot.map((line) => textWidth(line, fonts.small)),
    leaf ? 0 : textWidth(label, fonts.plain) + 14,
  );
  const width = Math.min(WIDEST, Math.max(NARROWEST, Math.ceil(Math.max(...widths) + 2 * PADDING)));
  const lines = head.length * LINE + (leaf ? 0 : LINE + 2);
  return {
    line: false,
    answer: "",
    head,
    label: leaf ? "" : labelLines(model, node, width - 2 * PADDING - 14, 1, fonts.plain)[0],
    foot,
    width,
    height: PADDING + lines + BAR + 6 + LINE + (foot.length - 1) * FOOT_LINE + 6,
    leaf,
    stack: !leaf && !model.isOpen(node),
  };
}

/**
 * Return a question in lines that fit; a question about several columns shows all its parts.
 * @param {string} text
 * @param {number} room
 * @param {string} font
 */
function questionLines(text, room, font) {
  return wrap(text, room, SEVERAL_COLUMNS.test(text) ? COMPOSITE_LINES : HEAD_LINES, font);
}

/**
 * Return what a node predicts in lines that fit: a long name is cut, but never its probability.
 * @param {Model} model
 * @param {number} node
 * @param {number} room
 * @param {number} maxLines
 * @param {string} font
 */
function labelLines(model, node, room, maxLines, font) {
  const lines = wrap(labelText(model, node), room, maxLines, font);
  const whole = labelText(model, node);
  if (model.nodes.confidence[node] === null || lines.join(" ") === whole) return lines;
  const share = whole.slice(whole.lastIndexOf(" "));
  const names = wrap(model.nodes.label[node], room - textWidth(share, font), maxLines, font);
  names[names.length - 1] += share;
  return names;
}

/**
 * Return the rows of a node, what they say by themselves, and their impurity, in as few lines as fit.
 * @param {Model} model
 * @param {number} node
 * @param {number} room
 * @param {string} font
 */
function footLines(model, node, room, font) {
  const parts = [rowsText(model, node), `${model.page.impurity} ${briefText(model.nodes.impurity[node], 3)}`];
  if (model.isLeaf(node) && ownText(model, node)) parts.splice(1, 0, ownText(model, node));
  /** @type {string[]} */
  const lines = [];
  for (const part of parts) {
    const longer = `${lines[lines.length - 1]} · ${part}`;
    if (lines.length && textWidth(longer, font) <= room) lines[lines.length - 1] = longer;
    else lines.push(shorten(part, room, font));
  }
  return lines;
}

/**
 * Return the marks of a card, its upper left corner at 0, 0.
 * @param {Model} model
 * @param {number} node
 * @param {Card} card
 * @param {Colours} colours
 * @param {number} found how many nodes below a stack the search has found
 * @param {Direction} direction
 * @returns {SVGElement[]}
 */
export function drawCard(model, node, card, colours, found, direction) {
  const { width, height } = card;
  const marks = [cardTitle(model, node)];
  if (card.stack) marks.push(sheet(8, width, height), sheet(4, width, height));
  marks.push(svg("rect", { class: "card-ring", x: -4, y: -4, width: width + 8, height: height + 8, rx: 12 }));
  marks.push(svg("rect", { class: "card-box", width, height, rx: 8 }));
  let y = PADDING + 11;
  if (card.leaf) marks.push(swatch(PADDING, y - 9, colours, node));
  for (const line of card.head) {
    marks.push(svg("text", { class: "card-head", x: PADDING + (card.leaf ? 14 : 0), y }, line));
    y += LINE;
  }
  if (!card.leaf) {
    y += 2;
    marks.push(swatch(PADDING, y - 9, colours, node));
    marks.push(svg("text", { class: "card-label", x: PADDING + 14, y }, card.label));
    y += LINE;
  }
  y -= 8;
  marks.push(...drawBar(model, node, PADDING, y, width - 2 * PADDING, BAR, colours));
  card.foot.forEach((line, i) => {
    marks.push(svg("text", { class: "card-foot", x: PADDING, y: y + BAR + 16 + i * FOOT_LINE }, line));
  });
  if (card.stack) marks.push(stackNote(model, node, card, found));
  else if (!card.leaf) marks.push(knob(card, direction));
  return marks;
}

/**
 * The mix of the classes as a stacked bar, or the place of the value on its scale.
 * @param {Model} model
 * @param {number} node
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Colours} colours
 * @returns {SVGElement[]}
 */
export function drawBar(model, node, x, y, width, height, colours) {
  const counts = model.nodes.counts?.[node];
  const marks = [svg("rect", { class: "bar-track", x, y, width, height, rx: 2 })];
  if (counts === undefined) {
    const share = colours.placeOf(model.nodes.value[node]);
    const fill = colours.shade(model.nodes.value[node]);
    marks.push(
      svg("rect", { class: "bar-value", x, y, width: Math.max(3, share * width), height, rx: 2, fill }),
    );
    return marks;
  }
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  let from = x;
  counts.forEach((count, i) => {
    if (count <= 0) return;
    const part = (count / total) * width;
    const fill = colours.classes[i] ?? colours.palette.other;
    marks.push(svg("rect", { class: "bar-part", x: from, y, width: Math.max(0.5, part), height, fill }));
    from += part;
  });
  return marks;
}

/** @param {number} x @param {number} y @param {Colours} colours @param {number} node */
export function swatch(x, y, colours, node) {
  return svg("rect", { class: "swatch", x, y, width: 9, height: 9, rx: 2, fill: colours.label(node) });
}

/** @param {number} by @param {number} width @param {number} height */
function sheet(by, width, height) {
  return svg("rect", { class: "card-sheet", x: by, y: by, width, height, rx: 8 });
}

/** The full texts, which the card may have shortened. @param {Model} model @param {number} node */
export function cardTitle(model, node) {
  const { question, outcome } = model.nodes;
  const lines = [outcome[node], model.isLeaf(node) ? null : question[node], labelText(model, node)];
  lines.push(rowsText(model, node));
  return svg("title", {}, lines.filter((line) => line).join("\n"));
}

/**
 * The number of nodes below a stack: a button in the picture.
 * @param {Model} model
 * @param {number} node
 * @param {Card} card
 * @param {number} found
 */
function stackNote(model, node, card, found) {
  const away = model.canOpen(node) ? "" : " not-here";
  const y = card.height + 8 + 15;
  return svg(
    "text",
    { class: `card-more${away}${found ? " has-found" : ""}`, x: card.width / 2 + 4, y },
    moreText(model, node, found),
  );
}

/**
 * Return how many nodes are below a closed one, and how many of them were found by the search.
 * @param {Model} model
 * @param {number} node
 * @param {number} found
 */
export function moreText(model, node, found) {
  const more = `+ ${countText(model.below(node), "node")}${model.canOpen(node) ? "" : " left out"}`;
  return found ? `${more}, ${found} found` : more;
}

/** The sign that closes an open node, for the mouse. @param {Card} card @param {Direction} direction */
function knob(card, direction) {
  const [x, y] = direction === "down" ? [card.width / 2, card.height + 6] : [card.width + 6, card.height / 2];
  return svg(
    "g",
    { class: "card-knob", transform: `translate(${x} ${y})` },
    svg("title", {}, "Close"),
    svg("circle", { r: 8 }),
    svg("path", { d: "M-4 0H4" }),
  );
}

/** How far the marks of a card reach below it. @param {Card} card */
export function depthOf(card) {
  return card.stack && !card.line ? 8 + KNOB + 2 : 0;
}
