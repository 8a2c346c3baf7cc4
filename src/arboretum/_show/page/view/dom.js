// @ts-check
/**
 * Makes elements of HTML and SVG, with attributes, classes and text.
 *
 * Strings only ever become text or attribute values, never markup, so that names of columns and classes
 * cannot run.
 */

const SIGN = /^[^\p{L}]*$/u; // says nothing when read aloud
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * Set attributes; those that are null, undefined or false are removed.
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Make an element of HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Make an element of SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(SVG_NAMESPACE, tag));
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Make a button.
 * @param {string} text what it shows
 * @param {Attributes} attributes
 * @param {() => void} press
 */
export function button(text, attributes, press) {
  const element = html("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", press);
  return element;
}

/**
 * Make a group of buttons of which one is pressed.
 * @template {string} Choice
 * @param {string} name what is chosen
 * @param {readonly (readonly [Choice, string, string])[]} choices value, text and explanation of each
 * @param {(choice: Choice) => void} choose
 * @returns {{element: HTMLElement, show: (choice: Choice) => void}}
 */
export function choiceButtons(name, choices, choose) {
  const buttons = choices.map(([value, text, title]) =>
    button(
      text,
      { "data-choice": value, "aria-pressed": "false", title, "aria-label": SIGN.test(text) ? title : null },
      () => choose(value),
    ),
  );
  const element = html("div", { role: "group", "aria-label": name, class: "choices" }, ...buttons);
  const show = (/** @type {Choice} */ choice) => {
    for (const one of buttons) setAttributes(one, { "aria-pressed": String(one.dataset.choice === choice) });
  };
  return { element, show };
}

/**
 * Run something once before the next frame, however often it is called.
 * @param {() => void} run
 * @returns {() => void}
 */
export function oncePerFrame(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

/**
 * Return the value of a key; make and keep it if it is not there yet.
 * @template Key, Value
 * @param {Map<Key, Value>} kept
 * @param {Key} key
 * @param {() => Value} make
 */
export function remembered(kept, key, make) {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
