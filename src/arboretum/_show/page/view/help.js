// @ts-check
/**
 * The keys, in a dialog.
 */
import { button, html } from "./dom.js";

const KEYS = [
  ["Arrows", "to the parent, the child, the neighbours; in a list from line to line"],
  ["Enter, Space", "open or close the node"],
  ["Shift + Enter", "open or close all below it"],
  ["Home", "to the root"],
  ["/", "search columns; Enter goes to the first found"],
  ["n, p", "next and previous found"],
  ["+, −", "zoom; 0 fits the tree to the window"],
  ["Shift + arrows", "move the picture"],
  ["t, i, r", "tree, icicle, rules"],
  ["Escape", "clear the search"],
  ["?", "this list"],
];
const MOUSE = [
  ["Click", "select a node; on “+ nodes” open it"],
  ["Double click", "open or close; with Shift all below"],
  ["Wheel, pinch", "zoom; with Shift move sideways; in a list the wheel scrolls"],
  ["Drag", "move the picture"],
];

/** @param {string[][]} lines */
function keyTable(lines) {
  const rows = lines.map(([keys, text]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", class: "keys-name" }, keys),
      html("td", { class: "keys-text" }, text),
    ),
  );
  return html("table", { class: "keys" }, html("tbody", {}, ...rows));
}

/** Return the dialog; `showModal` opens it. */
export function makeHelp() {
  const dialog = html("dialog", { id: "help", "aria-labelledby": "help-title" });
  const close = button("Close", { id: "help-close" }, () => dialog.close());
  dialog.append(html("h2", { id: "help-title" }, "Keys and mouse"), keyTable(KEYS), keyTable(MOUSE), close);
  return dialog;
}
