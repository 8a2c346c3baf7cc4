// @ts-check
/**
 * Start the page: read the data, build the parts, put them in place of the still picture.
 *
 * Words: a *part* is one thing on the page that draws itself when the store tells of a change.
 */
/** @import { Page } from "./types.js" */
import { Application } from "./application.js";

const source = document.getElementById("arboretum-data");
const place = document.getElementById("arboretum");
if (source && place) {
  const page = /** @type {Page} */ (JSON.parse(source.textContent ?? ""));
  new Application(page, place).start();
}
