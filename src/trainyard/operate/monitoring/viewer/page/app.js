// The page: it asks its own server for what is chosen, and shows each panel as soon as its answer is there.

import { forgetColours, setStates } from "./colours.js";
import { VARIABLES, addressOf, fillSelects, fillTime, offer, readState, secondsOf } from "./controls.js";
import { moment } from "./format.js";
import { showHeadline } from "./headline.js";
import { Log } from "./log.js";
import { Panel } from "./panel.js";
import { element, prose } from "./plain.js";
import { hide } from "./tip.js";

const place = (id) => document.getElementById(id);
const GONE = "The viewer does not answer. Is `trainyard monitor view` still running?";

let dashboards = [];
let state = {};
let panels = new Map();
let asking = new AbortController();
let timer = 0;
const log = new Log(place("log"), place("read-log"), () => answered(fetch(`log/${state.dashboard}?${question()}`)));

async function start() {
  try {
    const described = await answered(fetch("description"));
    dashboards = described.dashboards;
    setStates(described.states);
  } catch (error) {
    trouble(error);
    return;
  }
  state = readState(dashboards);
  fillSelects(dashboards, state);
  listen();
  open();
}

async function answered(request) {
  const answer = await request;
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

function listen() {
  place("controls").addEventListener("change", ({ target }) => (TIMES[target.id] || ((value) => choose(target.id, value)))(target.value));
  place("zoom-out").addEventListener("click", () => zoomOut());
  place("controls").addEventListener("submit", (event) => {
    event.preventDefault();
    refresh();
  });
  addEventListener("popstate", () => {
    state = readState(dashboards);
    fillSelects(dashboards, state);
    open();
  });
  addEventListener("resize", () => [...panels.values()].filter((panel) => panel.measure()).forEach((panel) => panel.redraw()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    forgetColours();
    panels.forEach((panel) => panel.redraw());
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) plan(); });
}

// What is chosen among what was chosen before: another cluster has other queues.
const NARROWED = { cluster: ["queue", "node", "user", "job"], queue: ["node", "user", "job"], user: ["job"] };

function choose(name, value) {
  state[name] = value;
  for (const other of NARROWED[name] || []) state[other] = "";
  history.pushState(null, "", addressOf(state));
  if (name === "dashboard") open();
  else refresh();
}

// What is chosen of time: the last so long, or from one moment to another.
const TIMES = {
  range: (value) => {
    const to = Number(state.to) || Math.floor(Date.now() / 1000);
    if (value === "own") show(Number(state.from) || to - Number(state.range), to);
    else if (value !== "until") showTime({ range: value, from: "", to: "" });
  },
  from: (value) => show(Number(secondsOf(value)), Number(state.to)),
  to: (value) => show(Number(state.from), Number(secondsOf(value))),
};

const SHORTEST_S = 60;

function show(from, to) {
  const end = Math.min(to, Math.floor(Date.now() / 1000));
  if (from && end) showTime({ from: `${Math.floor(Math.min(from, end - SHORTEST_S))}`, to: `${Math.floor(end)}` });
}

function showTime(chosen) {
  Object.assign(state, chosen);
  history.pushState(null, "", addressOf(state));
  fillTime(state);
  refresh();
}

// Twice as long, around the same middle.
function zoomOut() {
  const [from, to] = [Number(state.from), Number(state.to)];
  show(from - (to - from) / 2, to + (to - from) / 2);
}

// A link to a dashboard as things are chosen here, and besides as `chosen` says; to one of its panels, if that is named.
function linkTo(id, text = "", chosen = {}, panel = "") {
  const dashboard = dashboards.find((one) => one.id === id);
  const link = element("a", { href: `${addressOf({ ...state, ...chosen, dashboard: id })}${panel ? `#${panel}` : ""}`, "data-dashboard": id }, text || (dashboard ? dashboard.title : id));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    Object.assign(state, chosen);
    choose("dashboard", id);
    if (panel) scrollToPanel(panel);
    else scrollTo(0, 0);
  });
  return link;
}

function scrollToPanel(id) {
  panels.get(id)?.frame.scrollIntoView({ block: "center" });
}

// Build the frames of the chosen dashboard, and then ask.
function open() {
  const dashboard = dashboards.find((one) => one.id === state.dashboard);
  document.title = `${dashboard.title} – trainyard`;
  place("title").textContent = dashboard.title;
  place("about").replaceChildren(...prose(dashboard.description));
  place("dashboard").value = dashboard.id;
  for (const name of VARIABLES) place(name).closest("label").hidden = !dashboard.variables.includes(name);
  hide();
  panels = new Map();
  const rows = dashboard.rows.map((row) => {
    const made = row.panels.map((described) => new Panel(described, linkTo, show));
    made.forEach((panel) => panels.set(panel.described.id, panel));
    return [element("h2", {}, row.title), element("div", { class: "row" }, ...made.map((panel) => panel.frame))];
  });
  place("panels").replaceChildren(...rows.flat());
  refresh(); // while the answers are on their way there is time for a layout
  panels.forEach((panel) => panel.measure());
  scrollToPanel(location.hash.slice(1));
}

async function refresh() {
  asking.abort();
  asking = new AbortController();
  const signal = asking.signal;
  delete document.body.dataset.complete;
  place("dashboards").replaceChildren(...dashboards.map((one) => {
    const link = linkTo(one.id);
    if (one.id === state.dashboard) link.setAttribute("aria-current", "page");
    return link;
  }));
  panels.forEach((panel) => panel.wait());
  try {
    await chooseOne(signal);
    place("panels").classList.toggle("of-nodes", Boolean(state.node));
    await Promise.all([showPanels(signal), showVariables(signal), showAlerts(signal)]);
    showLogs();
    place("trouble").hidden = true;
    document.body.dataset.complete = state.dashboard;
    requestAnimationFrame(() => setTimeout(() => performance.mark("complete"))); // for who measures: it is on the screen
  } catch (error) {
    if (!signal.aborted) trouble(error);
  }
  if (!signal.aborted) plan();
}

function plan() {
  clearTimeout(timer);
  if (Number(state.refresh) && !state.to) timer = setTimeout(() => (document.hidden ? undefined : refresh()), Number(state.refresh) * 1000);
}

function question() {
  const now = state.to || Math.floor(Date.now() / 1000);
  const fields = new URLSearchParams({ from: state.from || now - Number(state.range), to: now });
  for (const name of VARIABLES) if (state[name]) fields.set(name, state[name]);
  return fields;
}

async function showPanels(signal) {
  let window = null;
  const waiting = new Set(panels.keys());
  for await (const line of lines(`data/${state.dashboard}?${question()}`, signal)) {
    if (window === null) {
      window = line;
      place("updated").textContent = `${moment(window.to)}, a point each ${window.step < 60 ? `${window.step} s` : `${window.step / 60} min`}`;
    } else {
      panels.get(line.id)?.show(line, window);
      waiting.delete(line.id);
    }
  }
  if (waiting.size) throw new Error("The answer of the viewer ended early.");
}

async function* lines(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const whole = (rest + value).split("\n");
    rest = whole.pop();
    for (const line of whole) yield JSON.parse(line);
  }
}

// A page about one node or job shows the first where none is chosen.
async function chooseOne(signal) {
  const { about_one: name } = dashboards.find((one) => one.id === state.dashboard);
  if (!name || state[name]) return;
  const found = await answered(fetch(`variables?${question()}`, { signal }));
  state[name] = found[name]?.[0] || "";
  history.replaceState(null, "", addressOf(state));
}

async function showVariables(signal) {
  const found = await answered(fetch(`variables?${question()}`, { signal }));
  const { about_one: one } = dashboards.find((dashboard) => dashboard.id === state.dashboard);
  for (const name of VARIABLES) offer(name, found[name] || [], state[name], name === one);
}

// The commands that show the logs of what is chosen; of one node or job, the last lines are read here on demand.
function showLogs() {
  const { logs, about_one: one } = dashboards.find((each) => each.id === state.dashboard);
  const fields = question();
  const time = (name) => `${new Date(fields.get(name) * 1000).toISOString().slice(0, 19)}Z`;
  const known = { from: time("from"), to: time("to"), cluster: state.cluster || place("cluster").options[1]?.value };
  const filled = logs.map((one) => one.replace(/\$(\w+)/g, (_, name) => quoted(known[name] || state[name] || name.toUpperCase())));
  place("logs").hidden = !logs.length;
  log.about(one && state[one] ? [one, state[one], ...["dashboard", "cluster", "range", "from", "to"].map((name) => state[name])].join("\n") : "");
  place("logs").querySelector("div").replaceChildren(...filled.map((one) => element("code", {}, one)));
}

// As a shell takes it: a name of a node or a job may be anything.
function quoted(text) {
  return /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function showAlerts(signal) {
  const found = await answered(fetch(`headline?${question()}`, { signal }));
  showHeadline(place("headline"), found, linkTo);
  place("source").textContent = `From ${found.prometheus}`;
}

function trouble(error) {
  place("trouble").replaceChildren(...prose(error instanceof TypeError ? GONE : error.message));
  place("trouble").hidden = false;
}

start();
