// A tile for each of very many things, such as the GPUs of a fleet: a column of tiles for each node, as large as fits. One
// that is missing is a hole, and what is pointed at is told and leads to the page of its node.

import { colour } from "./colours.js";
import { formatted, numeric } from "./format.js";
import { element, thresholdColour } from "./plain.js";
import { gradient } from "./rows.js";
import { nameAndValue, tipOver } from "./tip.js";

const SIZES = [18, 14, 12, 10, 8, 7, 6, 5, 4, 3];
const GAP = 3;

export function tiles(panel, { series, columns }, width, most, linkTo) {
  const size = SIZES.find((one) => rowsFor(series, columns, width, one) * heightOf(columns, one) <= most) ?? SIZES.at(-1);
  const across = Math.max(1, Math.floor(width / (size + GAP)));
  const down = Math.ceil(series.length / across);
  const sharp = devicePixelRatio || 1;
  const height = down * heightOf(columns, size);
  const canvas = element("canvas", { width: Math.round(width * sharp), height: Math.round(height * sharp) });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(sharp, sharp);
  const shade = shades(panel, series);
  series.forEach((one, at) => one.values.forEach((value, row) => {
    const [x, y] = [(at % across) * (size + GAP), Math.floor(at / across) * heightOf(columns, size) + row * size];
    pen.fillStyle = shade.of(numeric(value));
    pen.fillRect(x, y, size - 1, size - 1);
  }));
  const under = (x, y) => {
    const one = series[Math.floor(y / heightOf(columns, size)) * across + Math.floor(x / (size + GAP))];
    const row = Math.floor((y % heightOf(columns, size)) / size);
    return x < across * (size + GAP) && one && row < columns.length ? { one, row } : null;
  };
  tipOver(canvas, (x, y) => {
    const found = under(x, y);
    if (!found) return null;
    const value = found.one.values[found.row];
    const text = value === null ? "missing" : formatted(value, panel.unit);
    return nameAndValue(found.one.name, `${panel.columns[0].title} ${columns[found.row]}`, shade.of(numeric(value)), text);
  });
  const [linked] = panel.linked;
  if (linked) {
    canvas.style.cursor = "pointer";
    canvas.addEventListener("click", (event) => {
      const found = under(event.offsetX, event.offsetY);
      if (found) linkTo(linked.dashboard, "", { [linked.variable]: found.one.name }).click();
    });
  }
  return element("div", { class: "tiles" }, canvas, scale(panel, shade));
}

function heightOf(columns, size) {
  return columns.length * size + GAP;
}

function rowsFor(series, columns, width, size) {
  return Math.ceil(series.length / Math.max(1, Math.floor(width / (size + GAP))));
}

// From pale to dark within the bounds; beyond a threshold its colour.
function shades(panel, series) {
  const values = series.flatMap((one) => one.values).map(numeric).filter((one) => one !== null);
  const low = panel.min ?? values.reduce((found, one) => Math.min(found, one), Infinity);
  const high = panel.max ?? values.reduce((found, one) => Math.max(found, one), -Infinity);
  const all = gradient();
  const of = (value) => {
    if (value === null) return colour("grid");
    const bad = thresholdColour(panel, value);
    if (bad && bad !== "green") return colour(bad);
    const part = high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0;
    return all[Math.round(part * (all.length - 1))];
  };
  return { low, high, of };
}

function scale(panel, { low, high }) {
  const words = [low, high].map((value) => element("small", {}, formatted(Number.isFinite(value) ? value : 0, panel.unit)));
  return element("div", { class: "scale" }, words[0], element("i"), words[1]);
}
