// @ts-check
/**
 * Plays a trace: shows one step at a time, and beside it the tree as it is after that step.
 *
 * Without this script the page lists all steps below each other.
 */

/** @typedef {{ kind: "ask" | "leaf" | "prune" | "keep" | "choose", node: number, nodes: number[], title: string }} Told */
/** @typedef {{ steps: Told[] }} Trace */

const PAUSE = 1800; // milliseconds between steps that play by themselves

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** @param {Trace} trace */
function start(trace) {
  const sections = [...document.querySelectorAll("section[data-step]")];
  const items = [...document.querySelectorAll("li[data-node]")];
  const slider = /** @type {HTMLInputElement} */ (byId("jump"));
  const back = /** @type {HTMLButtonElement} */ (byId("back"));
  const next = /** @type {HTMLButtonElement} */ (byId("next"));
  const play = /** @type {HTMLButtonElement} */ (byId("play"));
  const n = trace.steps.length;
  let now = 0;
  let timer = 0;

  /** Which nodes ask their question after so many steps. */
  function asking() {
    /** @type {Set<number>} */
    const asked = new Set();
    for (const step of trace.steps.slice(0, now + 1)) {
      for (const node of step.nodes) {
        if (step.kind === "ask") asked.add(node);
        else asked.delete(node);
      }
    }
    return asked;
  }

  function drawTree() {
    const asked = asking();
    const seen = new Set(trace.steps.slice(0, now + 1).flatMap((step) => [step.node, ...step.nodes]));
    const step = trace.steps[now];
    for (const item of items) {
      const node = Number(item.getAttribute("data-node"));
      item.classList.toggle("is-asked", asked.has(node));
      item.classList.toggle("is-open", !seen.has(node));
      item.classList.toggle("is-here", node === step.node || step.nodes.includes(node));
      item.querySelector(":scope > .node > .question")?.classList.toggle("hides", !asked.has(node));
      item
        .querySelector(":scope > .node > .label")
        ?.classList.toggle("hides", asked.has(node) || !seen.has(node));
      const below = item.querySelector(":scope > ul");
      if (below instanceof HTMLElement) below.hidden = !asked.has(node);
    }
    bringIntoView(document.querySelector("li.is-here > .node"));
  }

  /**
   * Scrolls the tree, never the page: the table is to stay where it is.
   *
   * @param {Element | null} card
   */
  function bringIntoView(card) {
    if (!card) return;
    const tree = byId("tree");
    const box = tree.getBoundingClientRect();
    const here = card.getBoundingClientRect();
    if (here.top < box.top || here.bottom > box.bottom) tree.scrollTop += here.top - box.top - box.height / 3;
    if (here.left < box.left || here.right > box.right) tree.scrollLeft += here.left - box.left - 24;
  }

  /** @param {number} step */
  function show(step) {
    now = Math.min(Math.max(step, 0), n - 1);
    sections.forEach((section, place) => {
      if (section instanceof HTMLElement) section.hidden = place !== now;
    });
    slider.value = String(now + 1);
    slider.setAttribute("aria-valuetext", trace.steps[now].title);
    byId("count").textContent = `${now + 1} of ${n}`;
    back.disabled = now === 0;
    next.disabled = now === n - 1;
    drawTree();
  }

  function stop() {
    window.clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  function toggle() {
    if (timer) return stop();
    if (now === n - 1) show(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = window.setInterval(() => {
      show(now + 1);
      if (now === n - 1) stop();
    }, PAUSE);
  }

  /** @param {number} step */
  function jump(step) {
    stop();
    show(step);
  }

  back.addEventListener("click", () => jump(now - 1));
  next.addEventListener("click", () => jump(now + 1));
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => jump(Number(slider.value) - 1));
  for (const item of items) {
    item.querySelector(":scope > .node")?.addEventListener("click", () => {
      const node = Number(item.getAttribute("data-node"));
      jump(trace.steps.findIndex((step) => step.node === node));
    });
  }
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowRight: () => jump(now + 1),
    ArrowLeft: () => jump(now - 1),
    Home: () => jump(0),
    End: () => jump(n - 1),
    " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const onButton = event.target instanceof HTMLButtonElement && event.key === " ";
    if (!Object.hasOwn(keys, event.key) || onButton) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.documentElement.classList.add("is-playing");
  byId("controls").hidden = false;
  slider.max = String(n);
  stop();
  show(0);
}

start(JSON.parse(byId("arboretum-data").textContent ?? ""));
