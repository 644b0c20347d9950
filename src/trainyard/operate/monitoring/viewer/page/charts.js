// From a panel's series to what echarts draws. Colours are those of style.css.

import { byteStep, clock, formatted, numeric } from "./format.js";
import { element, thresholdColour } from "./plain.js";

const ROW_HEIGHT = 20;
const MOST_IN_TIP = 12;

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function palette() {
  return colour("series").split(" ");
}

// How high the drawing has to be: a row for each series of those that have rows.
export function heightOf(panel, series) {
  const rows = { bars: series.length * ROW_HEIGHT + 10, heatmap: series.length * 16 + 60, states: series.length * ROW_HEIGHT + 30 };
  return rows[panel.kind] || 0;
}

export const OPTIONS = { timeseries, gauge, bars, heatmap, states };

function shared() {
  return {
    animation: false,
    textStyle: { fontFamily: "system-ui, sans-serif", color: colour("ink") },
    color: palette(),
    tooltip: {
      confine: true,
      backgroundColor: colour("card"),
      borderColor: colour("line"),
      textStyle: { color: colour("ink"), fontSize: 12 },
      padding: [6, 8],
    },
  };
}

function timeAxis(window) {
  return {
    type: "time",
    min: window.from * 1000,
    max: window.to * 1000,
    axisLine: { lineStyle: { color: colour("line") } },
    axisTick: { show: false },
    splitNumber: 4,
    axisLabel: { color: colour("faint"), hideOverlap: true, showMaxLabel: true, alignMaxLabel: "right", formatter: (at) => clock(at, window.to - window.from) },
    splitLine: { show: false },
  };
}

function valueAxis(panel, series) {
  const values = series.flatMap((one) => one.values).map(numeric).filter((one) => one !== null);
  const most = Math.max(0, panel.max ?? 0, ...values);
  const below = Math.min(0, ...values) < 0;
  const step = stepOf(panel, most, below);
  return {
    type: "value",
    min: panel.min ?? (below || ["celsius", "timestamp", "hertz"].includes(panel.unit) ? undefined : 0),
    max: panel.max ?? (step ? Math.ceil(most / step) * step : undefined),
    scale: panel.min === null,
    minInterval: panel.unit === "count" && values.every(Number.isInteger) ? 1 : undefined,
    interval: step,
    splitNumber: 4,
    axisLabel: { color: colour("faint"), formatter: (value) => formatted(value, panel.unit) },
    splitLine: { lineStyle: { color: colour("grid") } },
  };
}

function stepOf(panel, most, below) {
  if (panel.min !== null && panel.max !== null) return (panel.max - panel.min) / 4;
  return panel.unit === "bytes" && most > 0 && !below ? byteStep(most) : undefined;
}

function timeseries(panel, series, window) {
  return {
    ...shared(),
    grid: { left: 4, right: 12, top: 10, bottom: 2, containLabel: true },
    xAxis: timeAxis(window),
    yAxis: valueAxis(panel, series),
    tooltip: { ...shared().tooltip, trigger: "axis", formatter: (points) => tip(panel, points) },
    series: series.map((one, at) => line(panel, one, at)),
  };
}

function line(panel, one, at) {
  const data = one.values.map((value, step) => [(one.start + step * one.step) * 1000, numeric(value)]);
  const alone = data.some(([, value], step) => value !== null && (data[step - 1]?.[1] ?? null) === null && (data[step + 1]?.[1] ?? null) === null);
  return {
    type: "line",
    name: `${at}`, // names may be equal; the tip and the legend know the real ones
    data,
    showSymbol: alone, // what has no neighbours would be invisible
    symbolSize: 4,
    lineStyle: { width: 1.5 },
    stack: panel.stack ? "all" : undefined,
    areaStyle: panel.stack ? { opacity: 0.35 } : undefined,
    emphasis: { disabled: true },
    markLine: at === 0 ? thresholdLines(panel) : undefined,
  };
}

function thresholdLines(panel) {
  const marked = panel.thresholds.filter((one) => one.colour !== "green");
  if (!marked.length) return undefined;
  return {
    silent: true,
    symbol: "none",
    label: { show: true, position: "insideEndTop", color: colour("faint"), fontSize: 11, formatter: ({ value }) => formatted(value, panel.unit) },
    data: marked.map((one) => ({ yAxis: one.value, lineStyle: { color: colour(one.colour), type: "dashed", width: 1 } })),
  };
}

function tip(panel, points) {
  const chart = points[0];
  const found = points.filter((one) => one.value[1] !== null).sort((one, other) => other.value[1] - one.value[1]);
  const at = new Date(chart.value[0]).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const rows = found.slice(0, MOST_IN_TIP).map((one) => tipRow(one.color, panel.names[one.seriesIndex], formatted(one.value[1], panel.unit)));
  const more = found.length > MOST_IN_TIP ? [element("p", {}, `and ${found.length - MOST_IN_TIP} more`)] : [];
  return element("div", { class: "tip" }, element("p", {}, at), ...rows, ...more);
}

function tipRow(dot, name, value) {
  const mark = element("i");
  mark.style.background = dot;
  return element("div", {}, mark, element("span", {}, name), element("b", {}, value));
}

function gauge(panel, series, window, place) {
  const across = Math.min(series.length, Math.max(1, Math.floor(place.clientWidth / 110)));
  const down = Math.ceil(series.length / across);
  const [width, height] = [place.clientWidth / across, place.clientHeight / down];
  const radius = Math.min(width / 2 - 4, (height - 8) / 1.45);
  return {
    ...shared(),
    series: series.map((one, at) => dial(panel, one, {
      center: [(at % across + 0.5) * width, Math.floor(at / across) * height + radius + 4],
      radius,
      named: series.length > 1,
    })),
  };
}

function dial(panel, one, { center, radius, named }) {
  const low = panel.min ?? 0;
  const usual = { percent: 100, ratio: 1 }[panel.unit] ?? Math.max(1, numeric(one.newest) ?? 1);
  const thick = Math.max(5, radius / 6);
  return {
    type: "gauge",
    center,
    radius,
    startAngle: 200,
    endAngle: -20,
    min: low,
    max: panel.max ?? usual,
    pointer: { show: false },
    progress: { show: true, width: thick, itemStyle: { color: colour(thresholdColour(panel, one.newest) || "accent") } },
    axisLine: { lineStyle: { width: thick, color: [[1, colour("grid")]] } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { show: false },
    title: { show: named, offsetCenter: [0, "34%"], color: colour("faint"), fontSize: 11, width: radius * 2, overflow: "truncate" },
    detail: { offsetCenter: [0, "-4%"], fontSize: Math.max(11, Math.min(26, radius / 2.9)), fontWeight: 600, color: colour("ink"), formatter: () => formatted(one.newest, panel.unit) },
    data: [{ value: numeric(one.newest) ?? low, name: one.name }],
    silent: true,
  };
}

function rowNames(series) {
  return {
    type: "category",
    data: series.map((_, at) => at),
    inverse: true,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: colour("faint"), fontSize: 11, interval: 0, width: 150, overflow: "truncate", formatter: (at) => series[at].name },
  };
}

function bars(panel, series) {
  const sorted = [...series].sort((one, other) => (numeric(other.newest) ?? -Infinity) - (numeric(one.newest) ?? -Infinity));
  const most = Math.max(0, ...sorted.map((one) => numeric(one.newest) ?? 0));
  return {
    ...shared(),
    grid: { left: 4, right: 70, top: 2, bottom: 2, containLabel: true },
    xAxis: { type: "value", show: false, min: panel.min ?? Math.min(0, ...sorted.map((one) => numeric(one.newest) ?? 0)), max: panel.max ?? (most || 1) },
    yAxis: rowNames(sorted),
    series: [{
      type: "bar",
      silent: true,
      barMaxWidth: 14,
      showBackground: true,
      backgroundStyle: { color: colour("grid"), borderRadius: 3 },
      itemStyle: { borderRadius: 3 },
      label: { show: true, position: "right", color: colour("ink"), fontSize: 12, formatter: ({ dataIndex }) => formatted(sorted[dataIndex].newest, panel.unit) },
      data: sorted.map((one) => ({ value: numeric(one.newest) ?? 0, itemStyle: { color: colour(thresholdColour(panel, one.newest) || "accent") } })),
    }],
  };
}

function steps(one) {
  return one.values.map((_, step) => (one.start + step * one.step) * 1000);
}

function heatmap(panel, series, window) {
  const times = steps(series[0]);
  const cells = series.flatMap((one, row) => one.values.map((value, step) => [step, row, numeric(value)])).filter((one) => one[2] !== null);
  const values = cells.map((one) => one[2]);
  return {
    ...shared(),
    grid: { left: 4, right: 12, top: 4, bottom: 44, containLabel: true },
    xAxis: { type: "category", data: times, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { color: colour("faint"), hideOverlap: true, alignMaxLabel: "right", formatter: (at) => clock(Number(at), window.to - window.from) } },
    yAxis: rowNames(series),
    visualMap: {
      type: "continuous",
      min: panel.min ?? Math.min(...values),
      max: panel.max ?? Math.max(...values),
      orient: "horizontal",
      left: "center",
      bottom: 0,
      itemWidth: 10,
      itemHeight: 140,
      text: [formatted(panel.max ?? Math.max(...values), panel.unit), formatted(panel.min ?? Math.min(...values), panel.unit)],
      textStyle: { color: colour("faint"), fontSize: 11 },
      inRange: { color: [colour("cold"), colour("warm")] },
    },
    tooltip: { ...shared().tooltip, formatter: ({ value, color }) => cellTip(series[value[1]].name, times[value[0]], color, formatted(value[2], panel.unit)) },
    series: [{ type: "heatmap", data: cells, progressive: 0, emphasis: { disabled: true } }],
  };
}

function cellTip(name, at, dot, value) {
  const when = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return element("div", { class: "tip" }, element("p", {}, when), tipRow(dot, name, value));
}

function states(panel, series, window) {
  const spans = series.flatMap((one, row) => sameValues(one).map((span) => ({ ...span, row })));
  return {
    ...shared(),
    grid: { left: 4, right: 12, top: 2, bottom: 2, containLabel: true },
    xAxis: timeAxis(window),
    yAxis: rowNames(series),
    tooltip: { ...shared().tooltip, formatter: ({ dataIndex, color }) => cellTip(series[spans[dataIndex].row].name, spans[dataIndex].from, color, formatted(spans[dataIndex].value, panel.unit)) },
    series: [{
      type: "custom",
      encode: { x: [0, 1], y: 2 },
      data: spans.map((span) => ({ value: [span.from, span.to, span.row], itemStyle: { color: stateColour(panel, span.value) } })),
      renderItem: (_, api) => {
        const [left, top] = api.coord([api.value(0), api.value(2)]);
        const right = api.coord([api.value(1), api.value(2)])[0];
        const height = Math.min(14, api.size([0, 1])[1] * 0.7);
        return { type: "rect", shape: { x: left, y: top - height / 2, width: Math.max(1, right - left), height }, style: { fill: api.visual("color") } };
      },
    }],
  };
}

// Where a panel has no thresholds, 1 is good and 0 is not.
function stateColour(panel, value) {
  return colour(panel.thresholds.length ? thresholdColour(panel, value) || "grid" : value >= 1 ? "green" : "red");
}

function sameValues(one) {
  const spans = [];
  const at = steps(one);
  one.values.forEach((value, step) => {
    if (numeric(value) === null) return;
    const last = spans.at(-1);
    if (last && last.value === value && last.to === at[step]) last.to += one.step * 1000;
    else spans.push({ from: at[step], to: at[step] + one.step * 1000, value });
  });
  return spans.map((span) => ({ ...span, to: Math.min(span.to, at.at(-1)) }));
}
