// Lines over time, drawn on a canvas. What is pointed at is told by tip.js.

import { colour } from "./colours.js";
import { clock, formatted, numeric } from "./format.js";
import { timeMarks, valueMarks } from "./marks.js";
import { element } from "./plain.js";

const [TOP, RIGHT, BOTTOM] = [10, 14, 22];
const FONT = "12px system-ui, sans-serif";
const SMALL_FONT = "11px system-ui, sans-serif";
const ROOM_OF_A_TIME = 90;
const LONE = 2; // radius of a value that has no neighbours, whose line would be invisible
const DASHES = [4, 2];
const measuring = document.createElement("canvas").getContext("2d");

// The drawing, and where in it the lines are.
export function lines(panel, series, colours, window, { width, height }) {
  const across = valueMarks(panel, series);
  const left = roomFor(panel, across);
  const area = { left, top: TOP, width: Math.max(20, width - left - RIGHT), height: Math.max(20, height - TOP - BOTTOM) };
  const sharp = devicePixelRatio || 1;
  const canvas = element("canvas", { width: Math.round(width * sharp), height: Math.round(height * sharp) });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(sharp, sharp);
  const place = {
    x: (seconds) => area.left + ((seconds - window.from) / (window.to - window.from)) * area.width,
    y: (value) => area.top + (1 - (value - across.min) / (across.max - across.min)) * area.height,
  };
  const own = seen(panel, series.map((one, at) => ({ one, drawnColour: colours[at] })).filter(({ one }) => !roleOf(panel, one)));
  valueAxis(pen, panel, area, across, place);
  timeAxis(pen, area, window, width, place);
  pen.save();
  pen.beginPath();
  pen.rect(area.left, area.top - 1, area.width + 1, area.height + 2);
  pen.clip();
  band(pen, panel, series, place);
  if (panel.stack) stacked(pen, own, place);
  else own.forEach(({ one, drawnColour }) => line(pen, one, one.values.map(numeric), drawnColour, place));
  for (const role of ["median", "limit"]) withRole(panel, series, role).forEach((one) => dashed(pen, one, place));
  const thresholds = limits(panel).filter((one) => one.value >= across.min && one.value <= across.max);
  thresholds.forEach((one) => thresholdLine(pen, panel, one, area, across, place));
  pen.restore();
  return { area, canvas };
}

function roomFor(panel, marks) {
  measuring.font = FONT;
  return Math.ceil(Math.max(...valuesOf(marks).map((value) => measuring.measureText(formatted(value, panel.unit)).width))) + 12;
}

function valuesOf({ min, max, interval }) {
  const values = [];
  for (let at = min; at <= max + interval / 1000 && values.length < 20; at += interval) values.push(at);
  return values;
}

function valueAxis(pen, panel, area, marks, place) {
  pen.font = FONT;
  pen.fillStyle = colour("faint");
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.strokeStyle = colour("grid");
  pen.lineWidth = 1;
  for (const value of valuesOf(marks)) {
    pen.fillText(formatted(value, panel.unit), area.left - 8, place.y(value));
    level(pen, area, place.y(value));
  }
}

function timeAxis(pen, area, window, width, place) {
  pen.strokeStyle = colour("line");
  level(pen, area, area.top + area.height);
  pen.textBaseline = "top";
  for (const at of timeMarks(window, Math.max(2, Math.floor(area.width / ROOM_OF_A_TIME)))) {
    const text = clock(at * 1000, window.to - window.from);
    const half = pen.measureText(text).width / 2;
    pen.textAlign = place.x(at) + half > width ? "right" : "center";
    pen.fillText(text, place.x(at), area.top + area.height + 8);
  }
}

// A line of one pixel lies between two of them, unless it is drawn in the middle of one.
function level(pen, area, y) {
  pen.beginPath();
  pen.moveTo(area.left, Math.round(y) + 0.5);
  pen.lineTo(area.left + area.width, Math.round(y) + 0.5);
  pen.stroke();
}

function line(pen, one, values, drawnColour, place) {
  pen.strokeStyle = pen.fillStyle = drawnColour;
  pen.lineWidth = 1.5;
  pen.lineJoin = "bevel";
  pen.beginPath();
  for (const run of runs(one, values)) {
    const [x, y] = [place.x(run[0].seconds), place.y(run[0].value)];
    if (run.length === 1) pen.fillRect(x - LONE, y - LONE, 2 * LONE, 2 * LONE);
    else follow(pen, run, place);
  }
  pen.stroke();
}

function follow(pen, run, place) {
  pen.moveTo(place.x(run[0].seconds), place.y(run[0].value));
  for (const { seconds, value } of run) pen.lineTo(place.x(seconds), place.y(value));
}

// Values without a gap between them.
function runs(one, values) {
  const found = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const point = { seconds: one.start + at * one.step, value, at };
    const last = found.at(-1);
    if (last && last.at(-1).at === at - 1) last.push(point);
    else found.push([point]);
  });
  return found;
}

// Each line on those before it, and what is between them filled.
function stacked(pen, own, place) {
  const sums = new Map();
  for (const { one, drawnColour } of own) {
    const below = (seconds) => sums.get(seconds) ?? 0;
    const top = one.values.map((value, at) => (numeric(value) === null ? null : numeric(value) + below(one.start + at * one.step)));
    pen.globalAlpha = 0.35;
    for (const run of runs(one, top)) fill(pen, run, (point) => below(point.seconds), drawnColour, place);
    pen.globalAlpha = 1;
    line(pen, one, top, drawnColour, place);
    for (const run of runs(one, top)) for (const { seconds, value } of run) sums.set(seconds, value);
  }
}

function fill(pen, run, below, drawnColour, place) {
  pen.fillStyle = drawnColour;
  pen.beginPath();
  follow(pen, run, place);
  for (const point of [...run].reverse()) pen.lineTo(place.x(point.seconds), place.y(below(point)));
  pen.fill();
}

// What a series is drawn as, where it is none of the panel's own: low, median and high of what is usual, or a limit.
export function roleOf(panel, one) {
  return panel.roles[one.query] || "";
}

function withRole(panel, series, role) {
  return series.filter((one) => roleOf(panel, one) === role);
}

function band(pen, panel, series, place) {
  const [[low], [high]] = [withRole(panel, series, "low"), withRole(panel, series, "high")];
  if (!low || !high) return;
  const from = low.values.map(numeric);
  const to = high.values.map((value, at) => ((from[at] ?? null) === null ? null : numeric(value)));
  for (const run of runs(high, to)) fill(pen, run, ({ at }) => from[at], colour("band"), place);
}

function dashed(pen, one, place) {
  pen.strokeStyle = colour("faint");
  pen.lineWidth = 1;
  pen.setLineDash(DASHES);
  pen.beginPath();
  for (const run of runs(one, one.values.map(numeric))) follow(pen, run, place);
  pen.stroke();
  pen.setLineDash([]);
}

// Where a panel's thresholds turn bad: a colour from its value upwards, or downwards from where it is green.
function limits(panel) {
  return panel.thresholds.flatMap((one, at) => {
    if (one.colour !== "green") return one.value > 0 ? [one] : [];
    return at ? [{ value: one.value, colour: panel.thresholds[at - 1].colour }] : [];
  });
}

// Of lines that lie on each other, as those of many nodes without errors do, only the last one would be seen.
function seen(panel, drawn) {
  if (panel.stack) return drawn;
  return [...new Map(drawn.map((line) => [`${line.one.values}`, line])).values()];
}

function thresholdLine(pen, panel, { value, colour: named }, area, { min, max }, place) {
  const below = value > min + 0.92 * (max - min); // there is no room above
  pen.strokeStyle = colour(named);
  pen.setLineDash(DASHES);
  level(pen, area, place.y(value));
  pen.setLineDash([]);
  pen.font = SMALL_FONT;
  pen.fillStyle = colour("faint");
  pen.textAlign = "right";
  pen.textBaseline = below ? "top" : "bottom";
  pen.fillText(formatted(value, panel.unit), area.left + area.width, place.y(value) + (below ? 3 : -3));
}
