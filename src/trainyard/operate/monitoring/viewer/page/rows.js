// What has a row for each series: bars, states over time, and a heat map. Plain elements, so that names can be read and
// copied; only the cells of the map are a canvas.

import { badness, colour, palette, stateColourOf } from "./colours.js";
import { clock, formatted, numeric } from "./format.js";
import { timeMarks } from "./marks.js";
import { element, thresholdColour } from "./plain.js";
import { nameAndValue, oneValue, tipOver } from "./tip.js";

const MOST_TIMES = 4;
const CELL_HEIGHT = 16;

export function bars(panel, series) {
  if (panel.stack) return stackedBars(panel, series);
  const value = (one) => numeric(one.newest) ?? 0;
  const place = (one) => badness(one.name.split(" ").at(-1));
  const sorted = [...series].sort((one, other) => place(one) - place(other) || (numeric(other.newest) ?? -Infinity) - (numeric(one.newest) ?? -Infinity));
  const low = panel.min ?? Math.min(0, ...sorted.map(value));
  const high = panel.max ?? Math.max(...sorted.map(value), low);
  const rows = sorted.flatMap((one) => {
    const filled = element("i", { class: thresholdColour(panel, one.newest) || stateColourOf(one.name.split(" ").at(-1)) || "accent" });
    filled.style.width = `${part(value(one), low, high)}%`;
    return [name(one), element("div", { class: "track" }, filled), element("b", {}, formatted(one.newest, panel.unit))];
  });
  return element("div", { class: "rows bars" }, ...rows);
}

// A bar for each name, with a part for each value of the label of the panel's column, the largest first.
function stackedBars(panel, series) {
  const label = panel.columns[0].label;
  const byPart = summed(series, (one) => one.labels[label] || "");
  const byName = summed(series, (one) => one.name);
  const shades = new Map([...byPart.keys()].map((key, at) => [key, palette()[at] ?? colour("faint")]));
  const longest = Math.max(...byName.values());
  const rows = [...byName].flatMap(([named, total]) => {
    const own = new Map(series.filter((one) => one.name === named).map((one) => [one.labels[label] || "", one]));
    const parts = [...shades].filter(([key]) => own.has(key)).map(([key, shade]) => {
      const filled = element("i");
      filled.style.background = shade;
      filled.style.width = `${part(numeric(own.get(key).newest) ?? 0, 0, longest)}%`;
      tipOver(filled, () => nameAndValue(named, key, shade, formatted(own.get(key).newest, panel.unit)));
      return filled;
    });
    return [name({ name: named }), element("div", { class: "track parts" }, ...parts), element("b", {}, formatted(total, panel.unit))];
  });
  const keys = [...byPart].map(([key, total]) => {
    const mark = element("i");
    mark.style.background = shades.get(key);
    return element("span", {}, mark, key, element("b", {}, formatted(total, panel.unit)));
  });
  return element("div", { class: "rows bars" }, ...rows, element("div", { class: "keys" }, ...keys));
}

function summed(series, keyOf) {
  const sums = new Map();
  for (const one of series) sums.set(keyOf(one), (sums.get(keyOf(one)) || 0) + (numeric(one.newest) ?? 0));
  return new Map([...sums].sort((one, other) => other[1] - one[1]));
}

function part(value, low, high) {
  return high > low ? Math.max(0, Math.min(100, ((value - low) / (high - low)) * 100)) : 0;
}

function name(one) {
  return element("span", { title: one.name }, one.name);
}

export function states(panel, series, window) {
  const rows = series.flatMap((one) => {
    const spans = sameValues(one).map((span) => {
      const filled = element("i", { class: stateColour(panel, span.value) });
      filled.style.left = `${part(span.from, window.from, window.to)}%`;
      filled.style.width = `${Math.max(0.3, part(span.to - span.from, 0, window.to - window.from))}%`;
      return filled;
    });
    const track = element("div", { class: "track" }, ...spans);
    tipOver(track, (x, _, { width }) => stateAt(panel, one, window.from + (x / width) * (window.to - window.from)));
    return [name(one), track];
  });
  return element("div", { class: "rows states" }, ...rows, element("span"), times(window));
}

function stateAt(panel, one, seconds) {
  const value = one.values[Math.min(one.values.length - 1, Math.floor((seconds - one.start) / one.step))] ?? null;
  if (numeric(value) === null) return null;
  return oneValue(one.name, seconds, colour(stateColour(panel, value)), formatted(value, panel.unit));
}

// Where a panel has no thresholds, 1 is good and 0 is not.
function stateColour(panel, value) {
  return panel.thresholds.length ? thresholdColour(panel, value) || "grid" : value >= 1 ? "green" : "red";
}

function sameValues(one) {
  const spans = [];
  one.values.forEach((value, at) => {
    if (numeric(value) === null) return;
    const from = one.start + at * one.step;
    const to = from + (at < one.values.length - 1 ? one.step : 0);
    const last = spans.at(-1);
    if (last && last.value === value && last.to === from) last.to = to;
    else spans.push({ from, to, value });
  });
  return spans;
}

function times(window) {
  const marks = timeMarks(window, MOST_TIMES).map((at) => {
    const mark = element("small", {}, clock(at * 1000, window.to - window.from));
    const across = part(at, window.from, window.to);
    mark.style.left = `${across}%`;
    if (across > 95) mark.style.transform = "translateX(-100%)";
    return mark;
  });
  return element("div", { class: "times" }, ...marks);
}

export function heatmap(panel, series, window) {
  const values = series.flatMap((one) => one.values).map(numeric).filter((one) => one !== null);
  const low = panel.min ?? Math.min(...values);
  const high = panel.max ?? Math.max(...values);
  const columns = Math.max(...series.map((one) => one.values.length));
  const canvas = element("canvas", { width: columns, height: series.length });
  const shades = gradient();
  const pen = canvas.getContext("2d");
  series.forEach((one, row) => one.values.forEach((value, column) => {
    if (numeric(value) === null) return;
    pen.fillStyle = shades[Math.round((part(value, low, high) / 100) * (shades.length - 1))];
    pen.fillRect(column, row, 1, 1);
  }));
  canvas.style.height = `${series.length * CELL_HEIGHT}px`;
  tipOver(canvas, (x, y, { width, height }) => {
    const one = series[Math.min(series.length - 1, Math.floor((y / height) * series.length))];
    const column = Math.min(columns - 1, Math.floor((x / width) * columns));
    const value = numeric(one.values[column] ?? null);
    return value === null ? null : oneValue(one.name, one.start + column * one.step, shades[Math.round((part(value, low, high) / 100) * (shades.length - 1))], formatted(value, panel.unit));
  });
  const scale = element("div", { class: "scale" }, element("small", {}, formatted(low, panel.unit)), element("i"), element("small", {}, formatted(high, panel.unit)));
  const names = element("div", { class: "names" }, ...series.map(name));
  return element("div", { class: "map" }, names, canvas, element("span"), times(window), element("span"), scale);
}

export function gradient() {
  const [cold, warm] = ["cold", "warm"].map((named) => colour(named).match(/[0-9a-f]{2}/gi).map((one) => parseInt(one, 16)));
  return Array.from({ length: 101 }, (_, at) => `rgb(${cold.map((one, of) => Math.round(one + ((warm[of] - one) * at) / 100)).join(" ")})`);
}
