// A panel: its frame, and in it a drawing, numbers, a table, or why there is nothing.

import { OPTIONS, heightOf, palette } from "./charts.js";
import { formatted, numeric } from "./format.js";
import { element, message, stats, table } from "./plain.js";

const PLAIN = { stat: stats, table };
const UNIT_HEIGHT = 30;
const SMALL_WIDTH = 6;

export class Panel {
  constructor(described, linkTo) {
    this.described = described;
    this.chart = null;
    this.hidden = new Set();
    this.note = element("span", { class: "note" });
    this.body = element("div", { class: "body" });
    this.legend = element("div", { class: "legend", hidden: "" });
    const about = this.about(linkTo);
    const info = element("button", { type: "button", "aria-expanded": "false", "aria-label": `About ${described.title}` }, "?");
    info.addEventListener("click", () => {
      about.hidden = !about.hidden;
      info.setAttribute("aria-expanded", `${!about.hidden}`);
    });
    const head = element("header", {}, element("h3", {}, described.title), this.note, info);
    const small = described.width <= SMALL_WIDTH && ["stat", "gauge"].includes(described.kind);
    this.frame = element("section", { class: `panel loading${small ? " small" : ""}`, "data-panel": described.id }, head, about, this.body, this.legend);
    this.frame.style.setProperty("--width", described.width);
    this.frame.style.setProperty("--medium", small ? Math.max(6, described.width) : Math.max(12, described.width));
    this.frame.style.setProperty("--height", `${Math.max(70, described.height * UNIT_HEIGHT - 44)}px`);
  }

  about(linkTo) {
    const links = this.described.links.map((id) => linkTo(id));
    const next = links.length ? [element("p", {}, "See also ", ...links.flatMap((link, at) => (at ? [", ", link] : [link])))] : [];
    const queries = this.described.queries.map((query) => element("code", {}, query));
    return element("div", { class: "about", hidden: "" }, element("p", {}, this.described.description), ...next, ...queries);
  }

  // Show an answer of the server. What was drawn stays until then.
  show(answer, window) {
    this.answer = answer;
    this.window = window;
    this.frame.classList.remove("loading");
    this.note.textContent = "";
    this.frame.dataset.ms = answer.ms ?? 0;
    if (answer.error) this.say(message(answer.error.problem, answer.error.hint || "", "error"));
    else if (!answer.series.length) this.say(this.nothing());
    else if (PLAIN[this.described.kind]) this.say(PLAIN[this.described.kind](this.described, answer.series));
    else this.draw(answer.series, window);
    if (answer.shown < answer.total) this.note.textContent = `${answer.shown} of ${answer.total.toLocaleString("en-US")} series shown`;
  }

  redraw() {
    if (this.answer) this.show(this.answer, this.window);
  }

  wait() {
    this.frame.classList.add("loading");
  }

  nothing() {
    if (this.described.empty) return message(`Nothing here. That is right where ${this.described.empty}.`);
    return message("No data.", "trainyard monitor verify says why");
  }

  say(content) {
    this.clear();
    this.legend.hidden = true;
    this.body.replaceChildren(content);
  }

  draw(series, window) {
    const place = element("div", { class: "chart", role: "img", "aria-label": this.spoken(series) });
    place.style.minHeight = `${heightOf(this.described, series)}px`;
    this.clear();
    this.body.replaceChildren(place);
    this.fillLegend(series);
    const seen = series.filter((one) => !this.hidden.has(one.name));
    const panel = { ...this.described, names: seen.map((one) => one.name) };
    this.chart = echarts.init(place, null, { renderer: "canvas" });
    this.chart.setOption({ ...OPTIONS[panel.kind](panel, seen.length ? seen : series, window, place), ...this.colours(series, seen) });
  }

  // A series keeps its colour when others are hidden.
  colours(series, seen) {
    if (this.described.kind !== "timeseries") return {};
    const all = palette();
    return { color: seen.map((one) => all[series.indexOf(one) % all.length]) };
  }

  fillLegend(series) {
    this.legend.hidden = this.described.kind !== "timeseries";
    if (this.legend.hidden) return;
    const all = palette();
    this.legend.replaceChildren(...series.map((one, at) => {
      const mark = element("i");
      mark.style.background = all[at % all.length];
      const newest = one.values.map(numeric).findLast((value) => value !== null) ?? null;
      const button = element("button", { type: "button", "aria-pressed": `${!this.hidden.has(one.name)}`, title: one.name }, mark, element("span", {}, one.name), element("b", {}, formatted(newest, this.described.unit)));
      button.addEventListener("click", () => this.toggle(one.name, at));
      return button;
    }));
  }

  toggle(name, at) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.redraw();
    this.legend.children[at]?.focus();
  }

  // What is drawn, for those who do not see it.
  spoken(series) {
    const told = series.slice(0, 5).map((one) => `${one.name || "value"}: ${formatted(one.newest, this.described.unit)}`);
    return `${this.described.title}. ${told.join("; ")}${series.length > 5 ? `; and ${series.length - 5} more` : ""}`;
  }

  resize() {
    this.chart?.resize();
  }

  clear() {
    this.chart?.dispose();
    this.chart = null;
  }
}
