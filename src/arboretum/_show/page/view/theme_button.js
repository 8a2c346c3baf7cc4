// @ts-check
/**
 * The theme: that of the system ("auto"), light or dark. The choice lasts as long as the page: there is
 * nowhere to store it.
 */
/** @import { ThemeName } from "./types.js" */
/** @import { Store } from "./store.js" */
import { button } from "./dom.js";

const CHOICES = /** @type {const} */ (["auto", "light", "dark"]);
const SIGNS = { auto: "◐", light: "☀", dark: "☾" };

export class ThemeButton {
  /**
   * @param {Store} store
   * @param {string | undefined} wanted
   */
  constructor(store, wanted) {
    this.store = store;
    this.choice = Math.max(0, CHOICES.indexOf(/** @type {"auto" | ThemeName} */ (wanted ?? "auto")));
    this.system = window.matchMedia("(prefers-color-scheme: dark)");
    this.system.addEventListener("change", () => this.apply());
    this.element = button("", { id: "theme", class: "icon" }, () => {
      this.choice = (this.choice + 1) % CHOICES.length;
      this.apply();
    });
    this.apply();
  }

  apply() {
    const choice = CHOICES[this.choice];
    this.element.textContent = SIGNS[choice];
    this.element.title = `Theme: ${choice}`;
    this.element.setAttribute("aria-label", `Theme: ${choice}`);
    this.store.setTheme(choice === "auto" ? (this.system.matches ? "dark" : "light") : choice);
  }
}
