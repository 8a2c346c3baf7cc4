// @ts-check
/**
 * How wide text is, and how it is broken or shortened to fit.
 *
 * A font is written as in CSS ("600 12px sans-serif"). Each letter is measured once; the width of a text is
 * the sum of its letters, which is fast for ten thousand cards and never too small, only too large for joined
 * scripts.
 */
import { remembered } from "./dom.js";

const ELLIPSIS = "…";
// A line ends after a space, not between a sign and its number; within a long name, after these.
const SIGNS_BEFORE_VALUES = / (<=|>|=|in) /g;
const HARD_SPACE = "\u00a0";
const SPACED = /[^ \n\t]+[ \n\t]*/g;
// But not inside a number, a date or a time; a time may go below its date.
const PIECES = /.+?(?:[,;:/_–]+(?![,;:/_–\d])|[-.](?=\p{L})|(?<=\d)(?=T\d\d:)|$)/gsu;
// The end of a text that was cut inside a number.
const CUT_NUMBER = /[-−+]?[\d.,:-]*\d(?:[.,:-]|[eE][-+]?|T)?$/;
const LONE_NUMBER = /^\s*[-−+]?[\d.,]*\d\s*$/;
const WITHIN_NUMBER = /^(?:\d|[.,:][\d]|[eE][-+\d]|-\d|T\d)/;

/** @type {Map<string, Map<string, number>>} */
const knownWidths = new Map();
const ruler = document.createElement("canvas").getContext("2d");

/**
 * @param {string} letter
 * @param {string} font
 */
function letterWidth(letter, font) {
  const widths = remembered(knownWidths, font, () => new Map());
  return remembered(widths, letter, () => measured(letter, font));
}

/**
 * @param {string} letter
 * @param {string} font
 */
function measured(letter, font) {
  if (ruler === null) return 8;
  ruler.font = font;
  return ruler.measureText(letter).width;
}

/**
 * Return how wide a text is, in pixels.
 * @param {string} text
 * @param {string} font
 */
export function textWidth(text, font) {
  let width = 0;
  for (const letter of text) width += letterWidth(letter, font);
  return width;
}

/**
 * Return the text, or as much of its beginning as fits with an ellipsis.
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
export function shorten(text, width, font) {
  if (textWidth(text, font) <= width) return text;
  const kept = beginningOf(text, width - letterWidth(ELLIPSIS, font), font);
  // A number is written whole or not at all: its beginning would be another number.
  const whole =
    WITHIN_NUMBER.test(text.slice(kept.length)) && CUT_NUMBER.test(kept)
      ? kept.replace(CUT_NUMBER, "")
      : kept;
  // "30…" of "30 rows" would be read as the beginning of a larger number.
  return (LONE_NUMBER.test(whole) ? "" : whole.trimEnd()) + ELLIPSIS;
}

/**
 * Return the text in lines that fit; the last one ends in an ellipsis if there is more.
 * @param {string} text
 * @param {number} width
 * @param {number} maxLines
 * @param {string} font
 */
export function wrap(text, width, maxLines, font) {
  if (textWidth(text, font) <= width) return [text];
  const lines = [];
  let rest = text.trim().replace(SIGNS_BEFORE_VALUES, ` $1${HARD_SPACE}`);
  while (rest && lines.length < maxLines - 1) {
    const line = lineOfText(rest, width, font);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  if (rest) lines.push(shorten(rest, width, font));
  return lines.map((line) => line.replaceAll(HARD_SPACE, " "));
}

/**
 * Return as many words as fit, else as many parts of the first word, else letters.
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
function lineOfText(text, width, font) {
  return (
    wholePieces(text, SPACED, width, font) ||
    wholePieces(text, PIECES, width, font) ||
    beginningOf(text, width, font) ||
    text.slice(0, 1)
  );
}

/**
 * @param {string} text
 * @param {number} room
 * @param {string} font
 */
function beginningOf(text, room, font) {
  let taken = "";
  for (const letter of text) {
    room -= letterWidth(letter, font);
    if (room < 0) break;
    taken += letter;
  }
  return taken;
}

/**
 * @param {string} text
 * @param {RegExp} pieces
 * @param {number} width
 * @param {string} font
 */
function wholePieces(text, pieces, width, font) {
  let taken = "";
  for (const [piece] of text.matchAll(pieces)) {
    if (textWidth((taken + piece).trimEnd(), font) > width) break;
    taken += piece;
  }
  return taken;
}
