// @ts-check
/**
 * The risk of the trees along the pruning path, against their leaves.
 *
 * Words: *risk* is the loss per row; *CV* the risk estimated by cross-validation, drawn with its standard error
 * as a band; the *1-SE limit* is the least CV risk plus its standard error. The largest tree is at the left, the
 * root alone at the right, as on the slider below.
 */
/** @import { Pruning } from "./types.js" */
import { setAttributes, svg } from "./dom.js";
import { shortText, wholeText } from "./words.js";

const TOP = 16;
const FOOT_ROOM = 20;
const SIDE = 46;
const FEW_POINTS = 80;

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
    this.highest = this.findHighest();
    setAttributes(this.svg, { "aria-label": this.spoken() });
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      choose(this.nearest(event.clientX - box.left));
    });
  }

  spoken() {
    const { cv_risk, best, one_se } = this.pruning;
    if (cv_risk === null) return "Training risk against leaves";
    const leaves = (/** @type {number | null} */ step) => (step === null ? "?" : this.pruning.leaves[step]);
    return `Cross-validated risk against leaves: least at ${leaves(best)}, 1-SE choice at ${leaves(one_se)} leaves`;
  }

  findHighest() {
    const { risk, cv_risk, cv_se, first } = this.pruning;
    let most = 0;
    for (let i = first; i <= this.last; i++) {
      most = Math.max(most, risk[i] ?? 0, (cv_risk?.[i] ?? 0) + (cv_se?.[i] ?? 0));
    }
    return most || 1;
  }

  /** @param {number} step */
  x(step) {
    const { leaves, first } = this.pruning;
    const most = Math.log(leaves[first]);
    const share = most > 0 ? 1 - Math.log(leaves[step]) / most : 0.5;
    return SIDE + share * (this.width - SIDE - 14);
  }

  /** @param {number} risk */
  y(risk) {
    // By the square root: what matters is near the least risk, far below that of the root.
    return this.height - FOOT_ROOM - Math.sqrt(risk / this.highest) * (this.height - FOOT_ROOM - TOP);
  }

  /** The step whose point is nearest. @param {number} x */
  nearest(x) {
    let best = this.pruning.first;
    for (let i = best; i <= this.last; i++)
      if (Math.abs(this.x(i) - x) < Math.abs(this.x(best) - x)) best = i;
    return best;
  }

  /** @param {number} width @param {number} height */
  draw(width, height) {
    this.width = width;
    this.height = height;
    setAttributes(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.svg.replaceChildren(
      ...this.axes(),
      ...this.band(),
      this.curve(this.pruning.risk, "chart-training"),
      ...(this.pruning.cv_risk ? [this.curve(this.pruning.cv_risk, "chart-cv")] : []),
      ...this.points(),
      ...this.limit(),
      ...this.marks(),
      this.cursor,
      this.dot,
    );
  }

  /** Show where the slider is. @param {number} step */
  follow(step) {
    const x = this.x(step);
    setAttributes(this.cursor, { x1: x, x2: x, y1: TOP - 6, y2: this.height - FOOT_ROOM });
    setAttributes(this.dot, { cx: x, cy: this.y(this.riskAt(step) ?? 0) });
  }

  /** The risk by cross-validation, where it is known, else that on the training rows. @param {number} step */
  riskAt(step) {
    return this.pruning.cv_risk?.[step] ?? this.pruning.risk[step];
  }

  axes() {
    const marks = [];
    for (const risk of this.height < 90
      ? [0, this.highest]
      : [0, this.highest / 9, this.highest / 2.25, this.highest]) {
      const y = this.y(risk);
      marks.push(svg("line", { class: "grid-line", x1: SIDE, x2: this.width - 8, y1: y, y2: y }));
      marks.push(
        svg("text", { class: "axis-text", x: SIDE - 6, y: y + 4, "text-anchor": "end" }, shortText(risk)),
      );
    }
    let free = -Infinity;
    for (let i = this.pruning.first; i <= this.last; i++) {
      const x = this.x(i);
      const text = wholeText(this.pruning.leaves[i]);
      const half = 4 * text.length;
      const isEnd = i === this.last;
      if (x - half < free + 8 || (!isEnd && x + half > this.x(this.last) - 14)) continue;
      free = x + half;
      marks.push(svg("text", { class: "axis-text", x, y: this.height - 5, "text-anchor": "middle" }, text));
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

  band() {
    const { cv_risk, cv_se, first } = this.pruning;
    if (cv_risk === null || cv_se === null) return [];
    const over = [];
    const under = [];
    for (let i = first; i <= this.last; i++) {
      const [risk, error] = [cv_risk[i], cv_se[i]];
      if (risk === null || error === null) continue;
      over.push(`${this.x(i).toFixed(1)} ${this.y(risk + error).toFixed(1)}`);
      under.unshift(`${this.x(i).toFixed(1)} ${this.y(Math.max(0, risk - error)).toFixed(1)}`);
    }
    return over.length
      ? [svg("path", { class: "chart-band", d: `M${over.join("L")}L${under.join("L")}Z` })]
      : [];
  }

  points() {
    const { first } = this.pruning;
    if (this.last - first >= FEW_POINTS) return [];
    const marks = [];
    for (let i = first; i <= this.last; i++) {
      const at = this.riskAt(i);
      if (at === null) continue;
      marks.push(
        svg("circle", { class: "chart-point", cx: this.x(i), cy: this.y(at), r: 3, "data-step": i }),
      );
    }
    return marks;
  }

  limit() {
    const { cv_risk, cv_se, best } = this.pruning;
    if (cv_risk === null || cv_se === null || best === null) return [];
    const y = this.y((cv_risk[best] ?? 0) + (cv_se[best] ?? 0));
    return [
      svg("line", { class: "limit-line", id: "one-se-limit", x1: SIDE, x2: this.width - 8, y1: y, y2: y }),
    ];
  }

  /** Name the steps that matter; those that fall together share a name. */
  marks() {
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
      if (step === null || step < first) continue;
      names.set(step, [...(names.get(step) ?? []), name]);
    }
    let free = -Infinity;
    return [...names]
      .sort(([a], [b]) => a - b)
      .flatMap(([step, texts]) => {
        const at = this.riskAt(step);
        if (at === null) return [];
        const x = this.x(step);
        const anchor = x < 110 ? "start" : x > this.width - 100 ? "end" : "middle";
        const ring = svg("circle", {
          class: "chart-mark",
          cx: x,
          cy: this.y(at),
          r: 5.5,
          "data-marks": texts.join(" "),
        });
        // A name that would meet the one before it stands below its mark.
        const y = x < free ? this.y(at) + 19 : this.y(at) - 11;
        free = x + 110;
        return [ring, svg("text", { class: "chart-name", x, y, "text-anchor": anchor }, texts.join(", "))];
      });
  }
}
