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
  state.to = moment(fields.get("to")); // a moment of the past, for a link to it
  state.from = state.to && Number(moment(fields.get("from"))) < Number(state.to) ? moment(fields.get("from")) : "";
  return state;
}

function moment(text) {
  return /^[0-9]{1,10}$/.test(text || "") ? text : "";
}

function known(choices, value, otherwise) {
  return choices.some(([one]) => `${one}` === value) ? value : otherwise;
}

export function addressOf(state) {
  const fields = new URLSearchParams();
  for (const name of VARIABLES) if (state[name]) fields.set(name, state[name]);
  if (state.from) fields.set("from", state.from);
  if (state.to) fields.set("to", state.to);
  for (const [name, value] of Object.entries(DEFAULT)) if (state[name] !== value) fields.set(name, state[name]);
  return `${state.dashboard}${fields.size ? `?${fields}` : ""}`;
}

export function fillSelects(dashboards, state) {
  fill("dashboard", dashboards.map((one) => [one.id, one.title]), state.dashboard);
  fillTime(state);
  fill("refresh", REFRESHES.map(([value, text]) => [`${value}`, text]), state.refresh);
  for (const name of VARIABLES) offer(name, [], state[name]);
}

// The last so many hours, or from one moment to another.
export function fillTime(state) {
  const until = state.to && !state.from ? [["until", `${lengthOf(state)} until ${local(state.to).replace("T", " ")}`]] : [];
  fill("range", [...until, ...RANGES.map(([value, text]) => [`${value}`, `Last ${text}`]), ["own", "From … to …"]], state.from ? "own" : state.to ? "until" : state.range);
  document.getElementById("own").hidden = !state.from;
  if (!state.from) return;
  document.getElementById("from").value = local(state.from);
  document.getElementById("to").value = local(state.to);
}

function lengthOf(state) {
  return RANGES.find(([value]) => `${value}` === state.range)[1];
}

// Seconds since 1970 as a field of date and time has them, where one lives, and back.
function local(seconds) {
  const at = new Date(seconds * 1000);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function secondsOf(text) {
  return text ? `${Math.floor(new Date(text) / 1000)}` : "";
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
