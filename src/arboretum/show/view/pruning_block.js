// @ts-check
/**
 * Pruning: the slider along the steps of the path, and the curve above it.
 *
 * Words: a *step* is one tree of the pruning path, from the largest to the root alone.
 */
/** @import { Store } from "./store.js" */
/** @import { Pruning } from "./types.js" */
import { html, oncePerFrame, setAttributes } from "./dom.js";
import { PruningChart } from "./pruning_chart.js";
import { countText, numberText } from "./words.js";

const HIGHEST_CHART = 108;
const LOWEST_CHART = 60;

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
    this.text = html("span", { id: "pruning-text", class: "pruning-text" });
    this.holder = html("div", { class: "pruning-picture" }, this.chart.svg, this.slider);
    const summary = html("summary", {}, html("strong", {}, "Pruning"), this.text, this.legend());
    this.element = html("details", { id: "pruning", class: "pruning", open: true }, summary, this.holder);
    // A slider tells of every pixel: the tree follows once per picture.
    const follow = oncePerFrame(() => this.choose(Number(this.slider.value)));
    this.slider.addEventListener("input", follow);
    this.slider.addEventListener("change", () => this.choose(Number(this.slider.value)));
    store.listen((change) => {
      if (change === "structure") this.show();
    });
    new ResizeObserver(() => this.resized()).observe(this.holder);
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
    // In a low window the tree needs the room.
    const height = Math.min(HIGHEST_CHART, Math.max(LOWEST_CHART, Math.round(window.innerHeight / 8)));
    this.chart.draw(this.holder.clientWidth, height);
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
    const parts = [countText(leaves[step], "leaf").replace("leafs", "leaves")];
    const estimate = cv_risk?.[step];
    if (typeof estimate === "number") {
      const error = cv_se?.[step];
      parts.push(
        `CV risk ${estimate.toPrecision(3)}${typeof error === "number" ? ` ± ${error.toPrecision(2)}` : ""}`,
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
