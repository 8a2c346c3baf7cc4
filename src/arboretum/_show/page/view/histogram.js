// @ts-check
/**
 * The quantity that a node asks about, as a chart: bins with the cut between them, or bars of levels.
 *
 * Bins stand on an axis and are stacked by class; bars are horizontal, one per level, under the answer that
 * they lead to. For numbers, the bins show the mean target, and points the rows. Rows with a missing value
 * have a bin of their own at the right, or a bar at the end.
 */
/** @import { Distribution } from "./types.js" */
/** @import { Colours } from "./colours.js" */
import { html, svg } from "./dom.js";
import { numberText } from "./words.js";

const WIDE = 340;
const HIGH = 150;
const FOOT = 22;
const MISSING_ROOM = 42;
const LETTER = 6.5; // the approximate width of one on the axis
const LONG_NAME = 15;

/** @param {number[]} parts */
const sumOf = (parts) => parts.reduce((sum, part) => sum + part, 0);

/**
 * Draw a distribution.
 * @param {Distribution} shown
 * @param {Colours} colours
 * @param {string[]} answers of the children, for bars
 */
export function drawDistribution(shown, colours, answers) {
  return shown.kind === "bins" ? drawBins(shown, colours) : drawBars(shown, colours, answers);
}

/** The colours of the stacked parts. @param {Distribution} shown @param {Colours} colours @param {number} i */
function partColour(shown, colours, i) {
  if (shown.mean !== null) return colours.palette.line;
  return colours.classes[i] ?? colours.palette.other;
}

/** @param {Distribution} shown @param {Colours} colours */
function drawBins(shown, colours) {
  const edges = shown.edges ?? [0, 1];
  const [least, most] = [edges[0], edges[edges.length - 1]];
  const missing = sumOf(shown.missing);
  const room = WIDE - 8 - (missing > 0 ? MISSING_ROOM : 0);
  const x = (/** @type {number} */ value) => 4 + ((value - least) / (most - least || 1)) * room;
  const highest = Math.max(...shown.counts.map(sumOf), missing, 1e-12);
  const base = HIGH - FOOT;
  const tall = shown.points === null ? base - 12 : (base - 12) * 0.3;
  const marks = [];
  shown.counts.forEach((parts, i) => {
    const [from, to] = [x(edges[i]), x(edges[i + 1])];
    marks.push(
      ...stackUp(shown, colours, parts, from + 0.5, Math.max(1, to - from - 1), base, tall / highest),
    );
  });
  if (missing > 0) {
    const left = WIDE - MISSING_ROOM + 8;
    marks.push(...stackUp(shown, colours, shown.missing, left, MISSING_ROOM - 12, base, tall / highest));
    marks.push(axisText(WIDE, "missing", "end", "axis-text is-missing"));
  }
  if (shown.points !== null) marks.push(...drawMeans(shown, x, base));
  marks.push(svg("line", { class: "axis-line", x1: 4, x2: 4 + room, y1: base, y2: base }));
  if (shown.cut !== null) {
    const at = x(shown.cut);
    marks.push(svg("line", { class: "cut-line", x1: at, x2: at, y1: 2, y2: base + 4 }));
  }
  marks.push(...drawTicks(shown, x, room));
  return svg(
    "svg",
    { class: "histogram", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": spokenBins(shown) },
    ...marks,
  );
}

/** @param {Distribution} shown */
function spokenBins(shown) {
  const cut = shown.ticks.find(([at]) => at === shown.cut)?.[1];
  const ends =
    shown.ticks.length > 1 ? ` from ${shown.ticks[0][1]} to ${shown.ticks[shown.ticks.length - 1][1]}` : "";
  return `Distribution of ${shown.title}${ends}${cut === undefined ? "" : `, cut at ${cut}`}`;
}

/**
 * @param {Distribution} shown
 * @param {Colours} colours
 * @param {number[]} parts
 * @param {number} x
 * @param {number} width
 * @param {number} base
 * @param {number} unit pixels per weight
 */
function stackUp(shown, colours, parts, x, width, base, unit) {
  let y = base;
  return parts.flatMap((part, i) => {
    if (part <= 0) return [];
    const height = part * unit;
    y -= height;
    return [svg("rect", { class: "bin", x, y, width, height, fill: partColour(shown, colours, i) })];
  });
}

/**
 * The mean target of each bin as steps, and rows as points.
 * @param {Distribution} shown
 * @param {(value: number) => number} x
 * @param {number} base
 */
function drawMeans(shown, x, base) {
  const edges = shown.edges ?? [];
  const means = (shown.mean ?? []).filter((mean) => mean !== null);
  const known = (shown.points ?? []).flatMap(([at, target]) =>
    at === null || target === null ? [] : [{ at, target }],
  );
  const targets = [...known.map((point) => point.target), ...means];
  const [least, most] = targets.reduce(
    ([a, b], t) => [Math.min(a, t), Math.max(b, t)],
    [Infinity, -Infinity],
  );
  const y = (/** @type {number} */ value) => base - 4 - ((value - least) / (most - least || 1)) * (base - 16);
  const points = known.map(({ at, target }) =>
    svg("circle", { class: "row-point", cx: x(at), cy: y(target), r: 1.8 }),
  );
  const steps = (shown.mean ?? []).map((mean, i) =>
    mean === null ? "" : `M${x(edges[i]).toFixed(1)} ${y(mean).toFixed(1)}H${x(edges[i + 1]).toFixed(1)}`,
  );
  return [
    ...points,
    svg("path", { class: "mean-line", d: steps.join("") }),
    svg("text", { class: "axis-text", x: 6, y: 9 }, numberText(most, 4)),
    svg("text", { class: "axis-text", x: 6, y: base - 3 }, numberText(least, 4)),
  ];
}

/** @param {Distribution} shown @param {(value: number) => number} x @param {number} room */
function drawTicks(shown, x, room) {
  const cut = shown.ticks.find(([at]) => at === shown.cut);
  return shown.ticks.flatMap(([at, text]) => {
    if (at === null) return [];
    const place = x(at);
    // The cut matters more than the ends.
    if (cut && at !== cut[0] && Math.abs(place - x(cut[0] ?? 0)) < tickRoom(text, cut[1])) return [];
    const anchor = place < 30 ? "start" : place > room - 26 ? "end" : "middle";
    return [axisText(place, text, anchor, at === shown.cut ? "axis-text is-cut" : "axis-text")];
  });
}

/** The least distance between the middles of an end and the cut; ends are written inwards. @param {string} end @param {string} cut */
function tickRoom(end, cut) {
  return LETTER * (end.length + cut.length / 2) + 8;
}

/** @param {number} x @param {string} text @param {string} anchor @param {string} name */
function axisText(x, text, anchor, name) {
  return svg("text", { class: name, x, y: HIGH - 6, "text-anchor": anchor }, text);
}

/** @param {Distribution} shown @param {Colours} colours @param {string[]} answers */
function drawBars(shown, colours, answers) {
  const highest = Math.max(...shown.counts.map(sumOf), sumOf(shown.missing), 1e-12);
  // Long names have a line of their own, to show where they differ.
  const long = (shown.names ?? []).some((name) => name.length > LONG_NAME);
  const about = { class: long ? "bars has-long-names" : "bars", role: "list" };
  const table = html("div", { ...about, "aria-label": `Levels of ${shown.title}` });
  let group = NaN;
  (shown.names ?? []).forEach((name, i) => {
    const child = shown.child?.[i] ?? -1;
    if (child !== group && answers.length) {
      group = child;
      table.append(html("div", { class: "bars-answer" }, answers[child] ?? "not told"));
    }
    table.append(barRow(shown, colours, name, shown.counts[i], shown.mean?.[i] ?? null, highest));
  });
  if (sumOf(shown.missing) > 0) {
    table.append(html("div", { class: "bars-answer" }, "no value"));
    table.append(barRow(shown, colours, "missing", shown.missing, null, highest));
  }
  return table;
}

/**
 * @param {Distribution} shown
 * @param {Colours} colours
 * @param {string} name
 * @param {number[]} parts
 * @param {number | null} mean
 * @param {number} highest
 */
function barRow(shown, colours, name, parts, mean, highest) {
  const bar = html("span", { class: "bar-line" });
  parts.forEach((part, i) => {
    if (part <= 0) return;
    const piece = html("span", { class: "bar-piece" });
    piece.style.setProperty("width", `${(100 * part) / highest}%`);
    const colour = mean === null ? partColour(shown, colours, i) : colours.shade(mean);
    piece.style.setProperty("background", colour);
    bar.append(piece);
  });
  const figures =
    mean === null
      ? numberText(sumOf(parts), 4)
      : `${numberText(sumOf(parts), 4)}, mean ${numberText(mean, 4)}`;
  return html(
    "div",
    { class: "bars-row", role: "listitem" },
    html("span", { class: "bars-name", title: name }, name),
    bar,
    html("span", { class: "bars-figure" }, figures),
  );
}
