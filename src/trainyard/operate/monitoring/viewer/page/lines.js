// Lines over time, drawn by echarts on a canvas. Marks and the room for them are worked out here, and what is pointed at
// in tip.js, so that echarts has nothing to measure, and only its smallest build is needed.

import { colour } from "./colours.js";
import { clock, formatted, numeric } from "./format.js";
import { timeMarks, valueMarks } from "./marks.js";

const [TOP, RIGHT, BOTTOM] = [10, 14, 22];
const FONT = "12px system-ui, sans-serif";
const ROOM_OF_A_TIME = 90;
const pen = document.createElement("canvas").getContext("2d");

// What echarts draws, and where in it the lines are.
export function lines(panel, series, colours, window, size) {
  const across = valueMarks(panel, series);
  const left = roomFor(panel, across);
  const area = { left, top: TOP, width: Math.max(20, size.width - left - RIGHT), height: Math.max(20, size.height - TOP - BOTTOM) };
  const thresholds = limits(panel).filter((one) => one.value >= across.min && one.value <= across.max);
  const own = seen(panel, series.map((one, at) => ({ one, drawnColour: colours[at] })).filter(({ one }) => !roleOf(panel, one)));
  return {
    area,
    option: {
      animation: false,
      textStyle: { fontFamily: "system-ui, sans-serif" },
      grid: { ...area, outerBoundsMode: "none" },
      xAxis: timeAxis(window, area.width),
      yAxis: valueAxis(panel, across),
      series: [...band(panel, series), ...own.map(({ one, drawnColour }) => line(panel, one, drawnColour)), ...references(panel, series), ...thresholds.map((one) => thresholdLine(panel, one, window, across))],
    },
  };
}

function roomFor(panel, { min, max, interval }) {
  pen.font = FONT;
  const texts = [];
  for (let at = min; at <= max + interval / 1000 && texts.length < 20; at += interval) texts.push(formatted(at, panel.unit));
  return Math.ceil(Math.max(...texts.map((text) => pen.measureText(text).width))) + 12;
}

function timeAxis(window, width) {
  const marks = timeMarks(window, Math.max(2, Math.floor(width / ROOM_OF_A_TIME)));
  return {
    type: "value",
    min: window.from,
    max: window.to,
    axisLine: { show: true, onZero: false, lineStyle: { color: colour("line") } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { color: colour("faint"), customValues: marks, alignMinLabel: "left", alignMaxLabel: "right", formatter: (at) => clock(at * 1000, window.to - window.from) },
  };
}

function valueAxis(panel, { min, max, interval }) {
  return {
    type: "value",
    min,
    max,
    interval,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: colour("faint"), formatter: (value) => formatted(value, panel.unit) },
    splitLine: { lineStyle: { color: colour("grid") } },
  };
}

function line(panel, one, drawnColour) {
  const values = one.values.map(numeric);
  const alone = values.some((value, at) => value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null);
  return {
    type: "line",
    data: pairs(one, values),
    dimensions: ["x", "y"],
    color: drawnColour,
    showSymbol: alone, // what has no neighbours would be invisible
    symbol: "circle",
    symbolSize: 4,
    lineStyle: { width: 1.5 },
    stack: panel.stack ? "all" : undefined,
    areaStyle: panel.stack ? { opacity: 0.35 } : undefined,
    silent: true,
  };
}

// What a series is drawn as, where it is none of the panel's own: low, median and high of what is usual, or a limit.
export function roleOf(panel, one) {
  return panel.roles[one.query] || "";
}

function withRole(panel, series, role) {
  return series.filter((one) => roleOf(panel, one) === role);
}

// Two lines on each other, the lower one unseen, and what is between them filled.
function band(panel, series) {
  const [[low], [high]] = [withRole(panel, series, "low"), withRole(panel, series, "high")];
  if (!low || !high) return [];
  const [from, to] = [low.values.map(numeric), high.values.map(numeric)];
  const height = to.map((value, at) => (value === null || from[at] === null ? null : value - from[at]));
  const drawn = { type: "line", dimensions: ["x", "y"], symbol: "none", lineStyle: { width: 0 }, stack: "band", stackStrategy: "all", silent: true };
  return [
    { ...drawn, data: pairs(low, from) },
    { ...drawn, data: pairs(high, height), areaStyle: { color: colour("band"), opacity: 1 } },
  ];
}

function references(panel, series) {
  return ["median", "limit"].flatMap((role) => withRole(panel, series, role)).map((one) => ({
    type: "line",
    data: pairs(one, one.values.map(numeric)),
    dimensions: ["x", "y"],
    symbol: "none",
    lineStyle: { color: colour("faint"), width: 1, type: "dashed" },
    silent: true,
  }));
}

// Where a panel's thresholds turn bad: a colour from its value upwards, or downwards from where it is green.
function limits(panel) {
  return panel.thresholds.flatMap((one, at) => {
    if (one.colour !== "green") return one.value > 0 ? [one] : [];
    return at ? [{ value: one.value, colour: panel.thresholds[at - 1].colour }] : [];
  });
}

// Moments and values in turn: echarts copies what it is given, and an array of numbers quicker than arrays of arrays.
function pairs(one, values) {
  const flat = new Float64Array(values.length * 2);
  values.forEach((value, at) => {
    flat[at * 2] = one.start + at * one.step;
    flat[at * 2 + 1] = value ?? NaN;
  });
  return flat;
}

// Of lines that lie on each other, as those of many nodes without errors do, only the last one would be seen.
function seen(panel, drawn) {
  if (panel.stack) return drawn;
  return [...new Map(drawn.map((line) => [`${line.one.values}`, line])).values()];
}

function thresholdLine(panel, { value, colour: named }, window, { min, max }) {
  const below = value > min + 0.92 * (max - min); // there is no room above
  return {
    type: "line",
    data: [[window.from, value], [window.to, value]],
    symbol: "none",
    lineStyle: { color: colour(named), type: "dashed", width: 1 },
    endLabel: { show: true, align: "right", verticalAlign: below ? "top" : "bottom", distance: 0, offset: [0, below ? 3 : -3], color: colour("faint"), fontSize: 11, formatter: () => formatted(value, panel.unit) },
    silent: true,
  };
}
