// @ts-check
/**
 * The card of a node in a list: one line with the answer that leads to it, its question or prediction, and
 * its bar.
 *
 * A closed node ends with the number of nodes below it; an open one has a sign that closes it.
 */
/** @import { Model } from "./model.js" */
/** @import { Colours } from "./colours.js" */
/** @import { Card, Fonts } from "./card.js" */
import { cardTitle, drawBar, moreText, swatch } from "./card.js";
import { svg } from "./dom.js";
import { shorten, textWidth } from "./text_width.js";
import { countText, labelText } from "./words.js";

const LINE_HEIGHT = 26;
const LINE_SIDE = 8;
const LINE_BAR = { width: 40, height: 8 };
const LINE_SIGN = 14; // room for the sign that opens and closes
const LINE_TEXT = 17; // the line on which text stands
const BETWEEN = 7;
const WIDEST_ANSWER = 150;
const WIDEST_HEAD = 250;

/**
 * Return the texts of a line and its size.
 * @param {Model} model
 * @param {number} node
 * @param {Fonts} fonts
 * @returns {Card}
 */
export function lineCardOf(model, node, fonts) {
  const { question, headline, answer, outcome, takes_missing, own } = model.nodes;
  const leaf = model.isLeaf(node);
  const rows = countText(model.nodes.n_rows[node], "row");
  const led = answer[node] ?? outcome[node] ?? "";
  const full = led && takes_missing[node] ? `${led} or missing` : led;
  const text = leaf ? labelText(model, node) : (headline[node] ?? question[node] ?? "");
  const stack = !leaf && !model.isOpen(node);
  const card = {
    line: true,
    answer: shorten(full, WIDEST_ANSWER, fonts.small),
    head: [shorten(text, WIDEST_HEAD, fonts.bold)],
    label: "",
    foot: leaf || stack ? [leaf && own[node] !== null ? `${own[node]} of ${rows}` : rows] : [],
    height: LINE_HEIGHT,
    width: 0,
    leaf,
    stack,
  };
  const more = stack ? BETWEEN + textWidth(moreText(model, node, 0), fonts.more) : 0;
  card.width = Math.ceil(startOfFoot(card, fonts) + footWidth(card, fonts) + more + LINE_SIDE);
  return card;
}

/** Where the answer begins. @param {Card} card */
function startOfAnswer(card) {
  return LINE_SIDE + (card.leaf ? 0 : LINE_SIGN) + LINE_BAR.width + BETWEEN;
}

/** @param {Card} card @param {Fonts} fonts */
function startOfHead(card, fonts) {
  const led = card.answer ? textWidth(`${card.answer}:`, fonts.small) + BETWEEN : 0;
  return startOfAnswer(card) + led;
}

/** @param {Card} card @param {Fonts} fonts */
function startOfFoot(card, fonts) {
  return startOfHead(card, fonts) + (card.leaf ? 14 : 0) + textWidth(card.head[0], fonts.bold) + BETWEEN;
}

/** @param {Card} card @param {Fonts} fonts */
function footWidth(card, fonts) {
  return textWidth(card.foot.join(""), fonts.small);
}

/**
 * Return the marks of a line, its upper left corner at 0, 0.
 * @param {Model} model
 * @param {number} node
 * @param {Card} card
 * @param {Colours} colours
 * @param {number} found how many nodes below a closed one were found by the search
 * @param {Fonts} fonts
 * @returns {SVGElement[]}
 */
export function drawLineCard(model, node, card, colours, found, fonts) {
  const { width, height } = card;
  const ring = { x: -3, y: -3, width: width + 6, height: height + 6, rx: 9 };
  const marks = [
    cardTitle(model, node),
    svg("rect", { class: "card-ring", ...ring }),
    svg("rect", { class: "card-box", width, height, rx: 6 }),
  ];
  const bar = LINE_SIDE + (card.leaf ? 0 : LINE_SIGN);
  if (!card.leaf) marks.push(lineSign(card, model.canOpen(node)));
  marks.push(...drawBar(model, node, bar, 9, LINE_BAR.width, LINE_BAR.height, colours));
  if (card.answer)
    marks.push(
      svg("text", { class: "line-answer", x: startOfAnswer(card), y: LINE_TEXT }, `${card.answer}:`),
    );
  const x = startOfHead(card, fonts);
  if (card.leaf) marks.push(swatch(x, LINE_TEXT - 9, colours, node));
  marks.push(svg("text", { class: "card-head", x: card.leaf ? x + 14 : x, y: LINE_TEXT }, card.head[0]));
  const foot = startOfFoot(card, fonts);
  marks.push(svg("text", { class: "card-foot", x: foot, y: LINE_TEXT }, card.foot.join("")));
  if (card.stack) {
    const away = model.canOpen(node) ? "" : " not-here";
    const text = moreText(model, node, found);
    const start = foot + footWidth(card, fonts) + BETWEEN;
    marks.push(svg("text", { class: `card-more is-in-line${away}`, x: start, y: LINE_TEXT }, text));
  }
  return marks;
}

/** The sign that opens and closes a node, for the mouse. @param {Card} card @param {boolean} canOpen */
function lineSign(card, canOpen) {
  if (!canOpen) return svg("g", {});
  const path = card.stack ? "M0 -4L5 0L0 4Z" : "M-1 -3H7L3 3Z";
  return svg(
    "g",
    { class: "line-sign", transform: `translate(${LINE_SIDE} ${LINE_HEIGHT / 2})` },
    svg("title", {}, card.stack ? "Open" : "Close"),
    svg("rect", {
      class: "line-sign-place",
      x: -LINE_SIDE,
      y: -LINE_HEIGHT / 2,
      width: 22,
      height: LINE_HEIGHT,
    }),
    svg("path", { class: "line-sign-mark", d: path }),
  );
}
