// @ts-check
/**
 * The whole page: header, views, pruning and panel, and which of them learns of which change.
 *
 * The stage holds the view (tree, icicle or rules) and its tools; the panel describes the selected node;
 * screen readers read out the status when something has changed.
 */
/** @import { Page, ViewName } from "./types.js" */
/** @import { Direction } from "./store.js" */
import { Colours } from "./colours.js";
import { button, choiceButtons, html } from "./dom.js";
import { makeHelp } from "./help.js";
import { IcicleView } from "./icicle_view.js";
import { Keyboard } from "./keyboard.js";
import { makeLegend } from "./legend.js";
import { Model } from "./model.js";
import { Panel } from "./panel.js";
import { OutputChoice } from "./output_choice.js";
import { PruningBlock } from "./pruning_block.js";
import { RulesView } from "./rules_view.js";
import { SearchBox } from "./search_box.js";
import { Store } from "./store.js";
import { ThemeButton } from "./theme_button.js";
import { TreeView } from "./tree_view.js";
import { countText, wholeText } from "./words.js";

/** @type {[ViewName, string, string][]} */
const VIEWS = [
  ["tree", "Tree", "The tree as cards (t)"],
  ["icicle", "Icicle", "Strips as wide as their rows are many (i)"],
  ["rules", "Rules", "The leaves as rules in a table (r)"],
];

export class Application {
  /**
   * @param {Page} page
   * @param {HTMLElement} place
   */
  constructor(page, place) {
    this.page = page;
    this.place = place;
    this.store = new Store(new Model(page));
    this.theme = new ThemeButton(this.store, document.documentElement.dataset.theme);
    this.colours = new Colours(page, this.store.theme);
    const colours = () => this.colours;
    // The colours change before anything draws with them.
    this.store.listen((change) => (change === "theme" || change === "output") && this.recolour());
    this.tree = new TreeView(this.store, colours);
    this.icicle = new IcicleView(this.store, colours);
    this.rules = new RulesView(this.store, colours);
    this.panel = new Panel(this.store, colours);
    this.subtitle = html("p", { class: "page-subtitle" });
    this.outputs = page.outputs ? new OutputChoice(this.store) : null;
    this.search = new SearchBox(this.store, () => this.focusView());
    this.help = makeHelp();
    this.legend = html("div", { class: "stage-legend" });
    this.views = choiceButtons("View", VIEWS, (view) => this.store.setView(view));
    this.directions = choiceButtons(
      "Direction",
      [
        ["down", "↓", "The root at the top"],
        ["right", "→", "The root at the left"],
        ["list", "☰", "A list, with a line for each node"],
      ],
      (direction) => this.tree.turnTo(/** @type {Direction} */ (direction)),
    );
    this.treeTools = this.makeTreeTools();
    this.status = html("div", { id: "status", class: "for-ears", role: "status", "aria-live": "polite" });
    this.store.say = (text) => (this.status.textContent = text);
    this.keyboard = new Keyboard(this);
  }

  /** Replace the still picture by the page. */
  start() {
    const { tree, icicle, rules, panel, page } = this;
    const views = [tree.element, icicle.element, rules.element];
    const area = html("div", { class: "view-area" }, ...views);
    const bar = html("div", { class: "stage-bar" }, this.treeTools, this.legend);
    const stage = html("section", { class: "stage", id: "stage", "aria-label": "Tree" }, bar, area);
    const pruning = page.pruning === null ? null : new PruningBlock(this.store, page.pruning).element;
    // A small tree is better seen as a whole; its pruning path is one click away.
    if (pruning) tree.makeRoom = () => (pruning.open = false);
    this.recolour();
    this.place.classList.add("is-alive");
    this.place.replaceChildren(
      this.header(),
      stage,
      ...(pruning ? [pruning] : []),
      panel.element,
      this.help,
      this.status,
    );
    this.store.listen((change) => {
      if (change === "view") this.showView();
      if (change === "direction") this.directions.show(this.store.direction);
      if (change === "output") this.showSubtitle();
    });
    this.directions.show(this.store.direction);
    this.showView();
    panel.draw();
  }

  header() {
    const help = button(
      "?",
      { id: "help-button", class: "icon", "aria-label": "Keys", title: "Keys (?)" },
      () => this.help.showModal(),
    );
    const titles = html(
      "div",
      { class: "page-titles" },
      html("h1", { class: "page-title" }, this.page.title),
      this.subtitle,
    );
    this.showSubtitle();
    const end = html("div", { class: "header-end" }, this.theme.element, help);
    const choices = [this.views.element, ...(this.outputs ? [this.outputs.element] : [])];
    return html("header", { class: "page-header" }, titles, ...choices, this.search.element, end);
  }

  showSubtitle() {
    this.subtitle.textContent = `${this.page.subtitle}${this.told()}`;
  }

  /** How much of the tree is on the page, if not all: nodes were left out, or pruned because they save nothing. */
  told() {
    const { nodes, n_largest, n_nodes } = this.page;
    const here = nodes.id.length;
    if (here < n_largest) return `; ${wholeText(here)} of ${countText(n_largest, "node")} are in this page`;
    return here < n_nodes ? `; tree of up to ${countText(here, "node")}, grown to ${wholeText(n_nodes)}` : "";
  }

  makeTreeTools() {
    const { camera } = this.tree;
    const zoom = html(
      "div",
      { class: "choices", role: "group", "aria-label": "Zoom" },
      button("−", { id: "zoom-out", "aria-label": "Zoom out", title: "Zoom out (−)" }, () =>
        camera.zoomMiddle(0.8),
      ),
      button("+", { id: "zoom-in", "aria-label": "Zoom in", title: "Zoom in (+)" }, () =>
        camera.zoomMiddle(1.25),
      ),
      button("Fit", { id: "zoom-fit", title: "Show the whole tree (0)" }, () => this.tree.fit()),
      button("Root", { id: "zoom-root", title: "Back to the root, at a size to read" }, () =>
        this.tree.goToRoot(),
      ),
    );
    const open = html(
      "div",
      { class: "choices", role: "group", "aria-label": "Open and close" },
      button("Expand all", { id: "expand-all" }, () => this.tree.openMode("all")),
      button("Overview", { id: "overview", title: "Open the nodes with most rows" }, () =>
        this.tree.openMode("overview"),
      ),
      button("Collapse", { id: "collapse" }, () => this.tree.openMode("top")),
    );
    return html("div", { class: "stage-tools", id: "tree-tools" }, zoom, open, this.directions.element);
  }

  recolour() {
    this.colours = new Colours(this.page, this.store.theme);
    this.colours.apply(document.documentElement);
    document.documentElement.style.setProperty("color-scheme", this.store.theme);
    this.legend.replaceChildren(makeLegend(this.page, this.colours));
  }

  showView() {
    const { view } = this.store;
    this.views.show(view);
    this.tree.element.hidden = view !== "tree";
    this.treeTools.hidden = view !== "tree";
    this.icicle.element.hidden = view !== "icicle";
    this.rules.element.hidden = view !== "rules";
    this.legend.hidden = view === "rules";
    if (view === "rules") this.rules.draw();
    if (view === "icicle") this.icicle.drawNow();
    if (view === "tree" && this.tree.started) this.tree.showSelected();
  }

  /** Go to a view by key; the focus follows, unless it is on something that stays. @param {ViewName} view */
  switchTo(view) {
    const focused = document.activeElement;
    const stays = focused !== null && focused !== document.body && focused.closest(".view-area") === null;
    this.store.setView(view);
    if (!stays) this.focusView();
  }

  focusView() {
    if (this.store.view === "tree") this.tree.focus();
    else if (this.store.view === "icicle") this.icicle.focus();
    else this.rules.element.focus();
  }
}
