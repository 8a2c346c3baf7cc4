// @ts-check
/**
 * Starts the page: reads the data and replaces the still picture by the application.
 */
/** @import { Page } from "./types.js" */
import { Application } from "./application.js";

const source = document.getElementById("arboretum-data");
const place = document.getElementById("arboretum");
if (source && place) {
  const page = /** @type {Page} */ (JSON.parse(source.textContent ?? ""));
  new Application(page, place).start();
}
