// @ts-check
/**
 * What the colours mean: the classes, or the scale of numbers. Classes without a colour of their own are
 * "others".
 */
/** @import { Page } from "./types.js" */
/** @import { Colours } from "./colours.js" */
import { html } from "./dom.js";
import { countText, numberText } from "./words.js";

/** @param {Page} page @param {Colours} colours */
export function makeLegend(page, colours) {
  if (page.classes === null) {
    const [least, most] = page.value_range ?? [0, 0];
    const scale = html("span", { class: "scale" });
    return html("ul", { class: "legend" }, html("li", {}, numberText(least, 4), scale, numberText(most, 4)));
  }
  const own = page.classes.flatMap((name, i) =>
    colours.classes[i] === colours.palette.other ? [] : [[name, colours.classes[i]]],
  );
  const merged = page.n_merged_classes ?? 0; // the last class stands for them
  const others = page.classes.length - own.length + (merged ? merged - 1 : 0);
  if (others > 0) own.push([countText(others, "other class"), colours.palette.other]);
  const items = own.map(([name, colour]) => {
    const chip = html("span", { class: "chip" });
    chip.style.setProperty("--chip", colour);
    return html("li", { title: name }, chip, html("span", { class: "legend-name" }, name));
  });
  return html("ul", { class: "legend" }, ...items);
}
