// @ts-check
/**
 * The risk of the trees along the pruning path, step by step, above the slider.
 *
 * Risk is the loss per row. CV is the risk estimated by cross-validation, drawn with its standard error (SE)
 * as bars and as a band; the 1-SE limit is the least CV risk plus its standard error. Each step stands above
 * the thumb of the slider. The axis of risk is linear; where the standard error would be too small to see,
 * the axis shows the part around the least risk, and risks beyond its end are written there.
 */
/** @import { Pruning } from "./types.js" */
import { setAttributes, svg } from "./dom.js";
import { textWidth } from "./text_width.js";
import { countText, shortText, wholeText } from "./words.js";

const TOP = 18; // the names of steps stand above
const FOOT_ROOM = 20;
const FEW_POINTS = 80;
const BAR_APART = 9; // pixels between steps, for bars to have room
const SEEN_ERROR = 4.5; // pixels: a visible standard error
const LEAST_SHARE = 0.4; // times the least risk: the least range of the axis
const ON_AXIS = 0.75; // of the trees, at least
const OFF_APART = 56; // pixels between the risks written at the end of the axis
const MOST_TICKS = 8; // of the axis, where a rounder step would leave fewer than three
const NAME_APART = 15; // pixels between the name of an axis and the first step
const NAME_FONT = "11px sans-serif";

/** Where the first and the last step stand, from the sides of the chart: as the style sheet has the slider. */
export const CHART_SIDES = { left: 56, right: 22 };

export class PruningChart {
  /**
   * @param {Pruning} pruning
   * @param {(step: number) => void} choose
   */
  constructor(pruning, choose) {
    this.pruning = pruning;
    this.svg = svg("svg", { class: "pruning-chart", id: "pruning-chart", role: "img" });
    this.cursor = svg("line", { class: "chart-cursor" });
    this.dot = svg("circle", { class: "chart-dot", r: 5 });
    this.width = 0;
    this.height = 0;
    this.last = pruning.leaves.length - 1;
    this.lowest = 0;
    this.highest = 1;
    setAttributes(this.svg, { "aria-label": this.spoken() });
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      choose(this.nearest(event.clientX - box.left));
    });
  }

  spoken() {
    const { cv_risk, best, one_se } = this.pruning;
    if (cv_risk === null) return "Training risk at each step";
    const leaves = (/** @type {number | null} */ step) =>
      step === null ? "?" : countText(this.pruning.leaves[step] ?? 0, "leaf");
    return `Cross-validated risk at each step: least at ${leaves(best)}, 1-SE choice at ${leaves(one_se)}`;
  }

  /** Find the ends of the axis of risk. */
  findRange() {
    const { risk, cv_risk, cv_se, first, best } = this.pruning;
    let most = 0;
    let least = Infinity;
    for (let i = first; i <= this.last; i++) {
      most = Math.max(most, risk[i] ?? 0, (cv_risk?.[i] ?? 0) + (cv_se?.[i] ?? 0));
      least = Math.min(least, this.riskAt(i) ?? Infinity);
    }
    const error = best === null ? 0 : (cv_se?.[best] ?? 0);
    // The share of the axis for the error; with many rows the error is too small to show.
    const range = error > 0 ? Math.max((error * this.room) / SEEN_ERROR, LEAST_SHARE * least) : most;
    this.lowest = range < most ? Math.max(0, least - 0.3 * range) : 0;
    this.highest = Math.min(most, Math.max(this.lowest + range, 1.05 * this.riskOfMost()));
    if (!(this.highest > this.lowest)) this.highest = this.lowest + 1;
  }

  /** The risk that most of the trees do not exceed. */
  riskOfMost() {
    const risks = [];
    for (let i = this.pruning.first; i <= this.last; i++) risks.push(this.riskAt(i) ?? 0);
    risks.sort((a, b) => a - b);
    return risks[Math.floor(ON_AXIS * (risks.length - 1))];
  }

  /** How high the axis of risk is. */
  get room() {
    return this.height - FOOT_ROOM - TOP;
  }

  /** @param {number} step */
  x(step) {
    const { first } = this.pruning;
    const share = (step - first) / Math.max(1, this.last - first);
    return CHART_SIDES.left + share * (this.width - CHART_SIDES.left - CHART_SIDES.right);
  }

  /** @param {number} risk */
  y(risk) {
    const share = (risk - this.lowest) / (this.highest - this.lowest);
    return this.height - FOOT_ROOM - share * this.room;
  }

  /** The place of a risk, or the end of the axis that it is beyond. @param {number} risk */
  yInside(risk) {
    return this.y(Math.min(this.highest, Math.max(this.lowest, risk)));
  }

  /** The step whose point is nearest. @param {number} x */
  nearest(x) {
    const { first } = this.pruning;
    const apart = this.x(first + 1) - this.x(first);
    return Math.min(this.last, Math.max(first, first + Math.round((x - this.x(first)) / apart)));
  }

  /** @param {number} width @param {number} height */
  draw(width, height) {
    this.width = width;
    this.height = height;
    this.findRange();
    setAttributes(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.svg.replaceChildren(
      ...this.axes(),
      // What is off the axis ends at its end.
      svg(
        "svg",
        { x: 0, y: TOP, width, height: this.room, viewBox: `0 ${TOP} ${width} ${this.room}` },
        ...this.band(),
        this.curve(this.pruning.risk, "chart-training"),
        ...(this.pruning.cv_risk ? [this.curve(this.pruning.cv_risk, "chart-cv")] : []),
        ...this.errorBars(),
        ...this.limit(),
      ),
      ...this.points(),
      ...this.marks(),
      this.cursor,
      this.dot,
    );
  }

  /** Show where the slider is. @param {number} step */
  follow(step) {
    const x = this.x(step);
    setAttributes(this.cursor, { x1: x, x2: x, y1: TOP, y2: this.height - FOOT_ROOM });
    setAttributes(this.dot, { cx: x, cy: this.yInside(this.riskAt(step) ?? 0) });
  }

  /** The cross-validated risk if it is known, else the risk on the training rows. @param {number} step */
  riskAt(step) {
    return this.pruning.cv_risk?.[step] ?? this.pruning.risk[step];
  }

  axes() {
    const { left } = CHART_SIDES;
    const bottom = this.height - 5;
    const name = (/** @type {string} */ text, /** @type {number} */ y) =>
      svg("text", { class: "axis-name", x: left - NAME_APART, y, "text-anchor": "end" }, text);
    /** @type {SVGElement[]} */
    const marks = [name("risk", TOP - 7), name("leaves", bottom)];
    for (const risk of niceTicks(this.lowest, this.highest, this.room / 20)) {
      const y = this.y(risk);
      marks.push(svg("line", { class: "grid-line", x1: left - 8, x2: this.width - 8, y1: y, y2: y }));
      const about = { class: "axis-text risk-tick", x: left - 12, y: y + 4, "text-anchor": "end" };
      marks.push(svg("text", about, shortText(risk)));
    }
    return [...marks, ...this.leafCounts(bottom)];
  }

  /** The leaves of each step, as far as there is room. @param {number} y */
  leafCounts(y) {
    const marks = [];
    let free = -Infinity;
    for (let i = this.pruning.first; i <= this.last; i++) {
      const text = wholeText(this.pruning.leaves[i]);
      const half = 4 * text.length;
      // A long first number must not touch the name of the axis.
      const x = Math.max(this.x(i), CHART_SIDES.left - NAME_APART + 6 + half);
      const isEnd = i === this.last;
      if (x - half < free + 8 || (!isEnd && x + half > this.x(this.last) - 14)) continue;
      free = x + half;
      marks.push(svg("text", { class: "axis-text leaf-tick", x, y, "text-anchor": "middle" }, text));
    }
    return marks;
  }

  /** @param {(number | null)[]} risks @param {string} name */
  curve(risks, name) {
    let d = "";
    for (let i = this.pruning.first; i <= this.last; i++) {
      const risk = risks[i];
      if (risk !== null) d += `${d ? "L" : "M"}${this.x(i).toFixed(1)} ${this.y(risk).toFixed(1)}`;
    }
    return svg("path", { class: name, d });
  }

  /** The steps whose standard error is known, with the ends of its bar. */
  errors() {
    const { cv_risk, cv_se, first } = this.pruning;
    const found = [];
    for (let i = first; i <= this.last; i++) {
      const [risk, error] = [cv_risk?.[i] ?? null, cv_se?.[i] ?? null];
      if (risk === null || error === null) continue;
      found.push({
        x: this.x(i).toFixed(1),
        over: this.y(risk + error).toFixed(1),
        under: this.y(Math.max(0, risk - error)).toFixed(1),
      });
    }
    return found;
  }

  band() {
    const errors = this.errors();
    if (errors.length === 0) return [];
    const over = errors.map((at) => `${at.x} ${at.over}`);
    const under = errors.map((at) => `${at.x} ${at.under}`).reverse();
    return [svg("path", { class: "chart-band", d: `M${over.join("L")}L${under.join("L")}Z` })];
  }

  errorBars() {
    const { first } = this.pruning;
    if (this.x(first + 1) - this.x(first) < BAR_APART) return []; // the band shows it
    return this.errors().map(({ x, over, under }) =>
      svg("path", { class: "error-bar", d: `M${x} ${over}V${under}m-3 0h6M${x} ${over}m-3 0h6` }),
    );
  }

  points() {
    const { first } = this.pruning;
    const marks = [];
    let free = Infinity;
    for (let i = this.last; i >= first; i--) {
      const risk = this.riskAt(i);
      if (risk === null) continue;
      const x = this.x(i);
      const off = risk > this.highest;
      if (off && x < free) {
        free = x - OFF_APART;
        if (this.isFarOff(i)) marks.push(this.offAxis(x, risk));
      }
      if (this.last - first >= FEW_POINTS) continue;
      const about = { class: `chart-point${off ? " is-off" : ""}`, "data-step": i };
      marks.push(svg("circle", { ...about, cx: x, cy: this.yInside(risk), r: 3 }));
    }
    return marks;
  }

  /** Whether the curve leaves the axis well before a step; among many steps, the ends are enough. @param {number} step */
  isFarOff(step) {
    const { first } = this.pruning;
    if (this.last - first >= FEW_POINTS && step !== first && step !== this.last) return false;
    let before = step;
    while (before >= first && (this.riskAt(before) ?? 0) > this.highest) before--;
    return before < first || this.x(step) - this.x(before) >= OFF_APART;
  }

  /** @param {number} x @param {number} risk */
  offAxis(x, risk) {
    const about = {
      class: "off-axis",
      x: Math.min(x, this.width - 22),
      y: TOP + 19,
      "text-anchor": "middle",
    };
    return svg("text", about, `${shortText(risk)}\u00a0↑`);
  }

  limit() {
    const { cv_risk, cv_se, best } = this.pruning;
    if (cv_risk === null || cv_se === null || best === null) return [];
    const y = this.y((cv_risk[best] ?? 0) + (cv_se[best] ?? 0));
    const [x1, x2] = [CHART_SIDES.left - 8, this.width - 8];
    return [svg("line", { class: "limit-line", id: "one-se-limit", x1, x2, y1: y, y2: y })];
  }

  /** The steps that have a name; coinciding ones share it. */
  named() {
    const { best, one_se, chosen, first } = this.pruning;
    /** @type {Map<number, string[]>} */
    const names = new Map();
    /** @type {[number | null, string][]} */
    const wanted = [
      [best, "least CV risk"],
      [one_se, "1-SE"],
      [chosen, "chosen"],
    ];
    for (const [step, name] of wanted) {
      if (step === null || step < first || this.riskAt(step) === null) continue;
      names.set(step, [...(names.get(step) ?? []), name]);
    }
    return [...names].sort(([a], [b]) => a - b);
  }

  /** A ring around each step that has a name; the names stand side by side above the axis. */
  marks() {
    const named = this.named();
    const places = sideBySide(
      named.map(([step]) => this.x(step)),
      named.map(([, texts]) => textWidth(texts.join(", "), NAME_FONT) + 14),
      CHART_SIDES.left - 8,
      this.width - 4,
    );
    return named.flatMap(([step, texts], i) => {
      const [x, y] = [this.x(step), this.yInside(this.riskAt(step) ?? 0)];
      return [
        svg("path", { class: "chart-lead", d: `M${places[i]} ${TOP - 4}L${x} ${TOP + 2}V${y}` }),
        svg("circle", { class: "chart-mark", cx: x, cy: y, r: 5.5, "data-marks": texts.join(" ") }),
        svg("text", { class: "chart-name", x: places[i], y: 11, "text-anchor": "middle" }, texts.join(", ")),
      ];
    });
  }
}

/**
 * Return places for texts, near to where they belong, without overlaps and inside the ends.
 * @param {number[]} wanted their middles, rising
 * @param {number[]} widths
 * @param {number} from
 * @param {number} to
 */
function sideBySide(wanted, widths, from, to) {
  const places = [...wanted];
  let free = from;
  for (let i = 0; i < places.length; i++) {
    places[i] = Math.max(places[i], free + widths[i] / 2);
    free = places[i] + widths[i] / 2;
  }
  let end = to;
  for (let i = places.length - 1; i >= 0; i--) {
    places[i] = Math.min(places[i], end - widths[i] / 2);
    end = places[i] - widths[i] / 2;
  }
  return places;
}

/**
 * Return round numbers between two ends, about so many, but three at least.
 * @param {number} least
 * @param {number} most
 * @param {number} wanted
 * @returns {number[]}
 */
function niceTicks(least, most, wanted) {
  const rough = (most - least) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(least / unit - 1e-9); i * unit <= most * (1 + 1e-9); i++) ticks.push(i * unit);
  return ticks.length < 3 && wanted < MOST_TICKS ? niceTicks(least, most, wanted + 1) : ticks;
}
