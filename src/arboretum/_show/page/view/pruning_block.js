// @ts-check
/**
 * Pruning: the slider along the steps of the path, from the largest tree to the root alone, and the curve
 * above it.
 */
/** @import { Store } from "./store.js" */
/** @import { Pruning } from "./types.js" */
import { html, oncePerFrame, setAttributes } from "./dom.js";
import { CHART_SIDES, PruningChart } from "./pruning_chart.js";
import { countText, numberText } from "./words.js";

const HIGHEST_CHART = 120;
const LOWEST_CHART = 76;

export class PruningBlock {
  /**
   * @param {Store} store
   * @param {Pruning} pruning
   */
  constructor(store, pruning) {
    this.store = store;
    this.pruning = pruning;
    this.chart = new PruningChart(pruning, (step) => this.choose(step));
    this.slider = html("input", {
      type: "range",
      id: "pruning-slider",
      min: pruning.first,
      max: pruning.leaves.length - 1,
      step: 1,
      "aria-label": "Pruning step, from the largest tree to the root",
    });
    // Its thumb stands under the steps of the chart; the style sheet sets the width of the thumb.
    this.slider.style.setProperty("--first-step", `${CHART_SIDES.left}px`);
    this.slider.style.setProperty("--after-last", `${CHART_SIDES.right}px`);
    this.text = html("span", { id: "pruning-text", class: "pruning-text" });
    this.holder = html("div", { class: "pruning-picture" }, this.chart.svg, this.slider);
    const summary = html("summary", {}, html("strong", {}, "Pruning"), this.text, this.legend());
    this.element = html("details", { id: "pruning", class: "pruning", open: true }, summary, this.holder);
    // A slider reports every pixel: the tree follows once per frame.
    const follow = oncePerFrame(() => this.choose(Number(this.slider.value)));
    this.slider.addEventListener("input", follow);
    this.slider.addEventListener("change", () => this.choose(Number(this.slider.value)));
    store.listen((change) => {
      if (change === "structure") this.show();
    });
    new ResizeObserver(() => this.resized()).observe(this.holder);
    setAttributes(this.chart.svg, { height: chartHeight() }); // so that the tree knows its space from the start
    this.show();
  }

  legend() {
    const cv =
      this.pruning.cv_risk === null
        ? []
        : [
            ["cv", "CV risk ± SE"],
            ["limit", "1-SE limit"],
          ];
    const items = [...cv, ["training", "training risk"]].map(([name, text]) =>
      html("span", { class: `line-name line-${name}` }, text),
    );
    return html("span", { class: "line-names", "aria-hidden": "true" }, ...items);
  }

  resized() {
    if (this.holder.clientWidth === 0) return;
    this.chart.draw(this.holder.clientWidth, chartHeight());
    this.chart.follow(this.store.model.step);
  }

  /** @param {number} step */
  choose(step) {
    if (step === this.store.model.step) return;
    this.store.goTo(step);
    this.store.say(this.describe());
  }

  describe() {
    const { step } = this.store.model;
    const { leaves, cv_risk, cv_se, risk } = this.pruning;
    const parts = [countText(leaves[step], "leaf")];
    const estimate = cv_risk?.[step];
    if (typeof estimate === "number") {
      const error = cv_se?.[step];
      parts.push(
        `CV risk ${numberText(estimate, 3)}${typeof error === "number" ? ` ± ${numberText(error, 2)}` : ""}`,
      );
    } else parts.push(`training risk ${numberText(risk[step], 3)}`);
    return parts.join(", ");
  }

  show() {
    const { step } = this.store.model;
    const { chosen, best, one_se } = this.pruning;
    this.slider.value = String(step);
    setAttributes(this.slider, { "aria-valuetext": this.describe() });
    const names = [
      step === chosen ? "chosen" : "",
      step === best ? "least CV risk" : "",
      step === one_se ? "1-SE" : "",
    ];
    const told = names.filter((name) => name).join(", ");
    this.text.textContent = `${this.describe()}${told ? ` (${told})` : ""}`;
    if (this.chart.width) this.chart.follow(step);
  }
}

/** The height of the chart: in a low window the tree needs the space. */
function chartHeight() {
  return Math.min(HIGHEST_CHART, Math.max(LOWEST_CHART, Math.round(window.innerHeight / 7)));
}
