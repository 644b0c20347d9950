// What is chosen, kept in the address, so that a link keeps time and cluster. Addresses are relative: a token is before them.

import { element } from "./plain.js";

export const VARIABLES = ["cluster", "queue", "node", "user", "job"];
const RANGES = [[900, "15 minutes"], [1800, "30 minutes"], [3600, "1 hour"], [10800, "3 hours"], [21600, "6 hours"], [43200, "12 hours"], [86400, "1 day"], [172800, "2 days"], [604800, "7 days"]];
const REFRESHES = [[0, "off"], [30, "30 s"], [60, "1 min"], [300, "5 min"]];
const DEFAULT = { range: "3600", refresh: "60" };

export function readState(dashboards) {
  const fields = new URLSearchParams(location.search);
  const named = location.pathname.split("/").pop();
  const state = { dashboard: dashboards.some((one) => one.id === named) ? named : dashboards[0].id };
  state.range = known(RANGES, fields.get("range"), DEFAULT.range);
  state.refresh = known(REFRESHES, fields.get("refresh"), DEFAULT.refresh);
  for (const name of VARIABLES) state[name] = fields.get(name) || "";
  state.to = /^[0-9]{1,10}$/.test(fields.get("to") || "") ? fields.get("to") : ""; // a moment of the past, for a link to it
  return state;
}

function known(choices, value, otherwise) {
  return choices.some(([one]) => `${one}` === value) ? value : otherwise;
}

export function addressOf(state) {
  const fields = new URLSearchParams();
  for (const name of VARIABLES) if (state[name]) fields.set(name, state[name]);
  if (state.to) fields.set("to", state.to);
  for (const [name, value] of Object.entries(DEFAULT)) if (state[name] !== value) fields.set(name, state[name]);
  return `${state.dashboard}${fields.size ? `?${fields}` : ""}`;
}

export function fillSelects(dashboards, state) {
  fill("dashboard", dashboards.map((one) => [one.id, one.title]), state.dashboard);
  fill("range", RANGES.map(([value, text]) => [`${value}`, state.to ? `${text} until then` : `Last ${text}`]), state.range);
  fill("refresh", REFRESHES.map(([value, text]) => [`${value}`, text]), state.refresh);
  for (const name of VARIABLES) offer(name, [], state[name]);
}

// What is chosen stays among the choices, even where it is gone from the data.
export function offer(name, values, chosen, one = false) {
  const all = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  fill(name, [...(one && all.length ? [] : [["", "All"]]), ...all.map((value) => [value, value])], chosen);
}

function fill(id, choices, chosen) {
  const select = document.getElementById(id);
  if (document.activeElement === select && select.options.length === choices.length) return; // it may be open
  select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
  select.value = chosen;
}
