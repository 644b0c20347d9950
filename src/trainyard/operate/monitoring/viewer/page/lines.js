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
  const thresholds = panel.thresholds.filter((one) => one.colour !== "green" && one.value >= across.min && one.value <= across.max);
  return {
    area,
    option: {
      animation: false,
      textStyle: { fontFamily: "system-ui, sans-serif" },
      grid: { ...area, outerBoundsMode: "none" },
      xAxis: timeAxis(window, area.width),
      yAxis: valueAxis(panel, across),
      series: [...seen(panel, series, colours).map(({ one, drawnColour }) => line(panel, one, drawnColour)), ...thresholds.map((one) => thresholdLine(panel, one, window))],
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
function seen(panel, series, colours) {
  const drawn = series.map((one, at) => ({ one, drawnColour: colours[at] }));
  if (panel.stack) return drawn;
  return [...new Map(drawn.map((line) => [`${line.one.values}`, line])).values()];
}

function thresholdLine(panel, { value, colour: named }, window) {
  return {
    type: "line",
    data: [[window.from, value], [window.to, value]],
    symbol: "none",
    lineStyle: { color: colour(named), type: "dashed", width: 1 },
    endLabel: { show: true, align: "right", verticalAlign: "bottom", distance: 0, offset: [0, -3], color: colour("faint"), fontSize: 11, formatter: () => formatted(value, panel.unit) },
    silent: true,
  };
}
