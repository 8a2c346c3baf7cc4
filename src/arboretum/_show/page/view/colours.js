// @ts-check
/**
 * The colours of classes, numbers and nodes, and the theme as variables of the style sheet.
 *
 * A shade is a colour between the two ends of the scale of numbers. The colour of a node is that of its
 * label, stronger where the probability is higher. The palettes come with the page.
 */
/** @import { Page, ThemeName } from "./types.js" */

const NAMES = [
  "page",
  "card",
  "ink",
  "faint",
  "line",
  "accent",
  "highlight",
  "missing",
  "other",
  "low",
  "high",
];

/**
 * Return the mix of two colours with this share of the second.
 * @param {string} low
 * @param {string} high
 * @param {number} share
 */
export function mixedColour(low, high, share) {
  const part = Math.min(1, Math.max(0, share));
  const mixed = [1, 3, 5].map((i) => {
    const [from, to] = [parseInt(low.slice(i, i + 2), 16), parseInt(high.slice(i, i + 2), 16)];
    return Math.round(from + (to - from) * part)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${mixed.join("")}`;
}

/** Whether black is easier to read on this colour than white. @param {string} colour */
function isBright(colour) {
  const [red, green, blue] = [1, 3, 5].map((i) => (parseInt(colour.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.3;
}

/** The colour of text on a colour. @param {string} colour */
export function inkOn(colour) {
  return isBright(colour) ? "#10161c" : "#ffffff";
}

export class Colours {
  /**
   * @param {Page} page
   * @param {ThemeName} theme
   */
  constructor(page, theme) {
    this.page = page;
    this.palette = page.palette[theme];
    this.classes = page.class_colours === null ? [] : page.class_colours[theme];
    /** @type {Map<number, string>} */
    this.known = new Map();
  }

  /** Make the colours variables of the style sheet. @param {HTMLElement} element */
  apply(element) {
    const palette = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (this.palette));
    for (const name of NAMES) element.style.setProperty(`--${name}`, String(palette[name]));
  }

  /** Where a number lies between the least and the greatest of the tree. @param {number | null} value */
  placeOf(value) {
    const range = this.page.value_range;
    if (value === null || range === null || range[1] <= range[0]) return 0.5;
    return Math.min(1, Math.max(0, (value - range[0]) / (range[1] - range[0])));
  }

  /** @param {number | null} value */
  shade(value) {
    return mixedColour(this.palette.low, this.palette.high, this.placeOf(value));
  }

  /** The place of the class that a node predicts. @param {number} node */
  classOf(node) {
    return this.page.nodes.class?.[node] ?? -1;
  }

  /** The plain colour of a node's label. @param {number} node */
  label(node) {
    if (this.page.classes === null) return this.shade(this.page.nodes.value[node]);
    return this.classes[this.classOf(node)] ?? this.palette.other;
  }

  /** The colour of a node by its label and confidence, in few steps, so that there are few colours. @param {number} node */
  node(node) {
    const sure = Math.round(8 * (this.page.nodes.confidence[node] ?? 1));
    const place = Math.round(32 * this.placeOf(this.page.nodes.value[node]));
    const key = this.page.classes === null ? place : 16 * (this.classOf(node) + 1) + sure;
    let colour = this.known.get(key);
    if (colour === undefined) {
      colour =
        this.page.classes === null
          ? mixedColour(this.palette.low, this.palette.high, place / 32)
          : mixedColour(this.palette.card, this.label(node), 0.15 + 0.85 * (sure / 8) ** 1.5);
      this.known.set(key, colour);
    }
    return colour;
  }
}
