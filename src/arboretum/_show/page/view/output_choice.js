// @ts-check
/**
 * The outputs of a tree that has several: a choice of the one to look at, and what all of them say at a node.
 */
/** @import { Store } from "./store.js" */
import { button, html, setAttributes } from "./dom.js";
import { labelText } from "./words.js";

export class OutputChoice {
  /** @param {Store} store */
  constructor(store) {
    const options = store.model.outputs.map(({ name }, i) => html("option", { value: i }, name));
    const choice = html("select", { id: "output" }, ...options);
    choice.addEventListener("change", () => store.setOutput(Number(choice.value)));
    store.listen((change) => {
      if (change === "output") choice.value = String(store.output);
    });
    this.element = html("label", { class: "output-choice" }, "Output ", choice);
  }
}

/** What each output says at a node, in a table of which the rows can be chosen. @param {Store} store @param {number} node */
export function outputsTable(store, node) {
  const { model } = store;
  const lines = model.outputs.map(({ name }, i) => {
    const press = button(name, { class: "output-name", "data-output": i }, () => store.setOutput(i));
    setAttributes(press, { "aria-pressed": String(i === store.output) });
    return html(
      "tr",
      { class: i === store.output ? "is-chosen" : "" },
      html("th", { scope: "row", class: "output-heading" }, press),
      html("td", { class: "words" }, labelText(model.of(i), node)),
    );
  });
  return html("table", { class: "plain outputs", id: "outputs" }, html("tbody", {}, ...lines));
}
