// Where the marks of an axis stand, in round numbers.

import { numeric } from "./format.js";

const FEW = 5;
const SECONDS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];
const MAY_START_ABOVE_ZERO = ["celsius", "timestamp", "hertz"];

// From, to and the step between marks, for all values and the bounds that the panel names.
export function valueMarks(panel, series) {
  const values = series.flatMap((one) => one.values).map(numeric).filter((one) => one !== null);
  const least = values.reduce((found, one) => Math.min(found, one), Infinity);
  const most = values.reduce((found, one) => Math.max(found, one), -Infinity);
  const stacked = panel.stack ? sums(series) : [];
  const top = panel.max ?? stacked.reduce((found, one) => Math.max(found, one), Number.isFinite(most) ? most : 1);
  const bottom = panel.min ?? (least < 0 || MAY_START_ABOVE_ZERO.includes(panel.unit) ? Math.min(least, top) : 0);
  if (panel.min !== null && panel.max !== null) return { min: bottom, max: top, interval: (top - bottom) / 4 };
  return rounded(panel, bottom, Math.max(top, bottom), values.every(Number.isInteger));
}

function sums(series) {
  const longest = series.reduce((found, one) => Math.max(found, one.values.length), 0);
  return Array.from({ length: longest }, (_, at) => series.reduce((sum, one) => sum + (numeric(one.values[at]) ?? 0), 0));
}

function rounded(panel, bottom, top, whole) {
  const least = panel.unit === "count" && whole ? 1 : 0;
  const reached = top > bottom ? top : bottom + (Math.abs(bottom) || 1); // where all is one value there is no span
  const span = reached - bottom;
  const interval = Math.max(least, panel.unit === "bytes" ? binaryStep(span) : decimalStep(span));
  const max = panel.max ?? Math.ceil(reached / interval - 1e-9) * interval;
  const min = panel.min ?? Math.floor(bottom / interval + 1e-9) * interval;
  return { min, max: max > min ? max : min + interval, interval };
}

function decimalStep(span) {
  const base = 10 ** Math.floor(Math.log10(span / FEW));
  return base * [1, 2, 2.5, 5, 10].find((step) => step * base * FEW >= span * (1 - 1e-9));
}

function binaryStep(span) {
  const base = 1024 ** Math.max(0, Math.floor(Math.log(span / FEW) / Math.log(1024)));
  return base * [1, 2, 5, 10, 20, 50, 100, 200, 500, 1024].find((step) => step * base * (FEW + 1) >= span);
}

// Moments between from and to, in seconds, that people read off a clock where they live.
export function timeMarks({ from, to }, most) {
  const step = SECONDS.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most / 604800) * 604800;
  const offset = new Date(to * 1000).getTimezoneOffset() * 60;
  const first = Math.ceil((from - offset) / step) * step + offset;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, at) => first + at * step);
}
