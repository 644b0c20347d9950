// Dials: an arc for each series, filled as far as its newest value goes.

import { formatted, numeric } from "./format.js";
import { element, thresholdColour } from "./plain.js";

const [RADIUS, THICK] = [42, 8];
// From 200 degrees to -20, as a speedometer has it; the pen of an arc starts at its left end.
const REACH = (20 * Math.PI) / 180;
const LENGTH = RADIUS * (Math.PI + 2 * REACH);
const [ACROSS, DOWN] = [RADIUS * Math.cos(REACH), RADIUS * Math.sin(REACH)];
const ARC = `M ${-ACROSS} ${DOWN} A ${RADIUS} ${RADIUS} 0 1 1 ${ACROSS} ${DOWN}`;

export function gauges(panel, series) {
  return element("div", { class: "gauges" }, ...series.map((one) => gauge(panel, one, series.length > 1)));
}

function gauge(panel, one, named) {
  const value = numeric(one.newest);
  const low = panel.min ?? 0;
  const high = panel.max ?? { percent: 100, ratio: 1 }[panel.unit] ?? Math.max(1, value ?? 1);
  const part = Math.max(0, Math.min(1, ((value ?? low) - low) / (high - low)));
  const filled = `${part * LENGTH} ${2 * LENGTH}`;
  const dial = svg("svg", { viewBox: "-50 -50 100 70", "aria-hidden": "true" },
    svg("path", { d: ARC, class: "track", "stroke-width": THICK }),
    svg("path", { d: ARC, class: thresholdColour(panel, one.newest) || "accent", "stroke-width": THICK, "stroke-dasharray": filled }),
    svg("text", { y: 4 }, formatted(one.newest, panel.unit)));
  return element("div", { class: "gauge" }, dial, ...(named ? [element("small", { title: one.name }, one.name)] : []));
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
