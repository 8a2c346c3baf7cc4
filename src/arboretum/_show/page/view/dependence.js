// @ts-check
/**
 * What a column does: the mean prediction by its values, from the weights of the tree alone.
 *
 * Numbers and dates are steps, one line per class; levels are bars. At first it shows the column that the
 * selected node asks about, or its parent; another one can be chosen. It belongs to the tree as fitted: at
 * other steps of the pruning path there is none.
 */
/** @import { Model } from "./model.js" */
/** @import { Colours } from "./colours.js" */
/** @import { ColumnDependence } from "./types.js" */
import { html, svg } from "./dom.js";
import { numberText, percentText } from "./words.js";

const STEPS = { wide: 340, high: 150, left: 40, foot: 22, top: 8 };
const MOST_LEVELS = 40;
const LONG_LEVEL = 15;

/** @param {Model} model @param {number} node @param {() => Colours} colours */
export function dependencePart(model, node, colours) {
  const { step, columns } = model.page.dependence;
  const known = Object.keys(columns).map(Number);
  if (model.step !== step || known.length === 0) return null;
  const names = model.page.columns;
  const asked = askedNear(model, node);
  const first = asked !== null && known.includes(asked) ? asked : known[0];
  const options = known.map((place) =>
    html("option", { value: place, selected: place === first }, names[place]),
  );
  const choice = html(
    "select",
    { id: "dependence-column", class: "small", "aria-label": "Column whose effect is shown" },
    ...options,
  );
  const room = html("div", { class: "dependence-room" });
  const show = () => {
    const place = Number(choice.value);
    room.dataset.column = String(place);
    room.replaceChildren(drawDependence(model, columns[String(place)], names[place], colours()));
  };
  choice.addEventListener("change", show);
  show();
  return html(
    "section",
    { class: "panel-part dependence" },
    html("h3", {}, "Mean prediction of the whole tree by"),
    choice,
    room,
  );
}

/** The column that a node asks about, or the nearest node above it. @param {Model} model @param {number} node */
function askedNear(model, node) {
  const { asked, parent } = model.nodes;
  for (let at = node; at >= 0; at = parent[at])
    if (!model.isLeaf(at) && asked[at].length > 0) return asked[at][0];
  return null;
}

/** @param {Model} model @param {ColumnDependence} shown @param {string} name @param {Colours} colours */
function drawDependence(model, shown, name, colours) {
  return shown.levels === null
    ? drawSteps(model, shown, name, colours)
    : drawLevels(model, shown, name, colours);
}

/** A prediction in words. @param {Model} model @param {number} value */
function predictedText(model, value) {
  return model.page.classes === null ? numberText(value, 4) : percentText(value);
}

/** The least and the greatest value to draw; shares begin at 0. @param {Model} model @param {number[][]} values */
function rangeOf(model, values) {
  const all = values.flat();
  const most = Math.max(...all);
  return model.page.classes === null ? [Math.min(...all), most] : [0, most];
}

/** @param {Model} model @param {ColumnDependence} shown @param {string} name @param {Colours} colours */
function drawSteps(model, shown, name, colours) {
  const edges = shown.edges ?? [0, 1];
  const ends = shown.ends ?? ["", ""];
  const { wide, high, left, foot, top } = STEPS;
  const base = high - foot;
  const [least, most] = rangeOf(model, shown.values);
  const span = edges[edges.length - 1] - edges[0] || 1;
  const x = (/** @type {number} */ value) => left + ((value - edges[0]) / span) * (wide - left - 4);
  const y = (/** @type {number} */ value) => base - ((value - least) / (most - least || 1)) * (base - top);
  const lines = shown.values[0].map((_, target) => {
    const path = shown.values.map(
      (cell, i) =>
        `${i ? "V" : `M${x(edges[0]).toFixed(1)} `}${y(cell[target]).toFixed(1)}H${x(edges[i + 1]).toFixed(1)}`,
    );
    const colour =
      model.page.classes === null ? colours.palette.high : (colours.classes[target] ?? colours.palette.other);
    return svg(
      "path",
      { class: "dependence-line", d: path.join(""), stroke: colour, "data-target": target },
      svg("title", {}, model.page.classes?.[target] ?? name),
    );
  });
  const text = (
    /** @type {number} */ at,
    /** @type {number} */ line,
    /** @type {string} */ words,
    anchor = "end",
  ) => svg("text", { class: "axis-text", x: at, y: line, "text-anchor": anchor }, words);
  return svg(
    "svg",
    {
      class: "dependence-chart",
      viewBox: `0 0 ${wide} ${high}`,
      role: "img",
      "aria-label": spokenSteps(model, shown, name),
    },
    svg("line", { class: "axis-line", x1: left, x2: wide - 4, y1: base, y2: base }),
    ...lines,
    text(left - 5, top + 4, predictedText(model, most)),
    text(left - 5, base, predictedText(model, least)),
    text(left, high - 6, ends[0], "start"),
    text(wide - 4, high - 6, ends[1]),
  );
}

/** @param {Model} model @param {ColumnDependence} shown @param {string} name */
function spokenSteps(model, shown, name) {
  const [first, last] = [shown.values[0], shown.values[shown.values.length - 1]];
  const changes = first.map((value, target) => {
    const said = `from ${predictedText(model, value)} to ${predictedText(model, last[target])}`;
    return model.page.classes === null ? said : `${model.page.classes[target]} ${said}`;
  });
  const ends = shown.ends ?? ["", ""];
  return `Mean prediction by ${name}, from ${ends[0]} to ${ends[1]}: ${changes.join(", ")}`;
}

/** @param {Model} model @param {ColumnDependence} shown @param {string} name @param {Colours} colours */
function drawLevels(model, shown, name, colours) {
  const levels = shown.levels ?? [];
  const long = levels.some((level) => level.length > LONG_LEVEL);
  const about = { class: long ? "bars has-long-names" : "bars", role: "list" };
  const table = html("div", { ...about, "aria-label": `Mean prediction by ${name}` });
  levels.slice(0, MOST_LEVELS).forEach((level, i) => {
    const bar = html("span", { class: "bar-line" });
    shown.values[i].forEach((value, target) => {
      const piece = html("span", { class: "bar-piece" });
      const share = model.page.classes === null ? colours.placeOf(value) : value;
      piece.style.setProperty("width", `${Math.max(100 * share, 1)}%`);
      const colour =
        model.page.classes === null
          ? colours.shade(value)
          : (colours.classes[target] ?? colours.palette.other);
      piece.style.setProperty("background", colour);
      bar.append(piece);
    });
    table.append(
      html(
        "div",
        { class: "bars-row", role: "listitem" },
        html("span", { class: "bars-name", title: level }, level),
        bar,
        html("span", { class: "bars-figure" }, mainText(model, shown.values[i])),
      ),
    );
  });
  const more = levels.length - MOST_LEVELS;
  if (more > 0) table.append(html("div", { class: "bars-answer" }, `… and ${more} more levels`));
  return table;
}

/** The likeliest class with its probability, or the number. @param {Model} model @param {number[]} values */
function mainText(model, values) {
  if (model.page.classes === null) return numberText(values[0], 4);
  const likeliest = values.indexOf(Math.max(...values));
  return `${model.page.classes[likeliest]} ${percentText(values[likeliest])}`;
}
