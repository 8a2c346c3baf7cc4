// @ts-check
/**
 * Search: which nodes ask about a column, how many they are, and how to go from one to the next.
 *
 * Enter goes to the first node that was found and leaves the box, so that the next keys are those of the
 * page.
 */
/** @import { Store } from "./store.js" */
import { button, html } from "./dom.js";
import { wholeText } from "./words.js";

export class SearchBox {
  /**
   * @param {Store} store
   * @param {() => void} leave give the focus back to the view
   */
  constructor(store, leave) {
    this.store = store;
    this.input = html("input", {
      type: "search",
      id: "search",
      placeholder: "Search columns",
      "aria-label": "Search columns",
      list: "search-columns",
      autocomplete: "off",
      spellcheck: "false",
    });
    const names = store.model.page.columns.slice(0, 500).map((name) => html("option", { value: name }));
    this.count = html("span", { class: "search-count", id: "search-count", role: "status" });
    this.back = button(
      "‹",
      { id: "search-previous", "aria-label": "Previous found", title: "Previous found (p)" },
      () => store.goToFound(-1),
    );
    this.next = button("›", { id: "search-next", "aria-label": "Next found", title: "Next found (n)" }, () =>
      store.goToFound(1),
    );
    const list = html("datalist", { id: "search-columns" }, ...names);
    this.element = html(
      "div",
      { class: "search", role: "search" },
      this.input,
      list,
      this.back,
      this.next,
      this.count,
    );
    this.input.addEventListener("input", () => store.search(this.input.value));
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && store.found.length) {
        store.goToFound(event.shiftKey ? -1 : 1);
        leave();
      }
      if (event.key === "Escape") {
        this.clear();
        leave();
      }
      event.stopPropagation();
    });
    store.listen(() => this.show());
    this.show();
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  clear() {
    this.input.value = "";
    this.store.search("");
  }

  show() {
    const { found, searched, selected } = this.store;
    const here = found.indexOf(selected);
    const place = here < 0 ? "" : `${here + 1} of `;
    this.count.textContent = searched.trim() ? `${place}${wholeText(found.length)} found` : "";
    this.back.hidden = this.next.hidden = !searched.trim();
    this.back.disabled = this.next.disabled = found.length === 0;
  }
}
