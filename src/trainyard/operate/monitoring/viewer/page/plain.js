// Numbers, tables and messages. Text goes in as text, never as markup.

import { badness, stateColourOf } from "./colours.js";
import { formatted, numeric } from "./format.js";

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// The colour that a panel's thresholds give a value; empty below the first one.
export function thresholdColour(panel, value) {
  if (typeof value !== "number") return "";
  return panel.thresholds.filter((one) => value >= one.value).map((one) => one.colour).pop() || "";
}

export function stats(panel, series) {
  const tiles = series.map((one) => {
    const number = element("strong", { class: thresholdColour(panel, one.newest) }, formatted(one.newest, panel.unit));
    return element("div", { class: "stat" }, number, element("small", { title: one.name }, one.name));
  });
  return element("div", { class: "stats" }, ...tiles);
}

export function table(panel, series, linkTo) {
  const columns = (panel.columns.length ? panel.columns : guessed(series)).filter((column) => isFilled(column, series));
  const rows = series.map((one) => columns.map((column) => cell(panel, column, one, linkTo)));
  const sorting = { chosen: false, column: columns.findIndex((one) => one.label === "Value"), down: !panel.queries[0].startsWith("bottomk") };
  const worst = (row) => Math.min(...row.map((one) => one.bad ?? 3));
  if (sorting.column < 0) sorting.column = 0, sorting.down = false;
  const body = element("tbody");
  const heads = columns.map((column, at) => {
    const button = element("button", { type: "button" }, column.title || column.label);
    const head = element("th", { scope: "col", class: isNumber(panel, column) ? "number" : "" }, button);
    button.addEventListener("click", () => {
      sorting.down = sorting.column === at ? !sorting.down : false;
      sorting.chosen = true;
      sorting.column = at;
      fill();
    });
    return head;
  });
  function fill() {
    heads.forEach((head, at) => {
      if (at !== sorting.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    });
    const order = [...rows].sort((one, other) => compared(one[sorting.column], other[sorting.column]));
    if (sorting.down) order.reverse();
    if (!sorting.chosen && panel.unit !== "timestamp") order.sort((one, other) => worst(one) - worst(other)); // trouble first, until somebody sorts
    body.replaceChildren(...order.map((row) => element("tr", {}, ...row.map(drawn))));
  }
  fill();
  const whole = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  return element("div", { class: "table", tabindex: "0", role: "region", "aria-label": panel.title }, whole);
}

// The values of further queries are called as in Grafana.
function isValue(column) {
  return column.label.startsWith("Value");
}

// A time is read like a word.
function isNumber(panel, column) {
  return isValue(column) && (column.unit || panel.unit) !== "timestamp";
}

// A column that is empty in every row only takes room from the others.
function isFilled(column, series) {
  return isValue(column) || series.some((one) => one.labels[column.label]);
}

function guessed(series) {
  const labels = new Set(series.flatMap((one) => Object.keys(one.labels)));
  return [...labels, "Value"].map((label) => ({ label, title: label, unit: "" }));
}

function cell(panel, column, one, linkTo) {
  const label = one.labels[column.label] || "";
  if (!isValue(column)) return { text: label, link: linkOf(panel, column.label, label, linkTo), sort: natural(label), bad: badness(label), colour: stateColourOf(label) };
  const value = column.label === "Value" ? one.newest : one.beside?.[column.label];
  return {
    text: value === undefined ? "" : formatted(value, column.unit || panel.unit),
    sort: numeric(value) ?? -Infinity,
    number: isNumber(panel, column),
    colour: column.label === "Value" ? thresholdColour(panel, value) : "",
  };
}

// Where a value leads, or nothing: to the page of a node or a job.
export function linkOf(panel, label, value, linkTo, text = value) {
  const linked = panel.linked.find((one) => one.label === label);
  return linked && value ? linkTo(linked.dashboard, text, { [linked.variable]: value }) : null;
}

// What sorts node-2 before node-10.
function natural(text) {
  return text.replace(/[0-9]+/g, (number) => number.padStart(18, "0"));
}

function compared(one, other) {
  if (typeof one.sort === "number") return one.sort - other.sort;
  return one.sort < other.sort ? -1 : Number(one.sort > other.sort);
}

function drawn(one) {
  return element("td", { class: `${one.number ? "number " : ""}${one.colour || ""}` }, one.link || one.text);
}

// Our own sentences, in which what stands between backticks is code.
export function prose(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? element("code", {}, part) : part)).filter((part) => part !== "");
}

export function message(text, hint = "", kind = "") {
  const parts = [element("p", {}, ...prose(text))];
  if (hint) parts.push(element("p", {}, ...prose(hint)));
  return element("div", { class: `message ${kind}` }, ...parts);
}
