// A panel: its frame, and in it a drawing, numbers, a table, or why there is nothing.

import { colour, colourOf } from "./colours.js";
import { formatted, grouped, numeric } from "./format.js";
import { gauges } from "./gauges.js";
import { lines, roleOf } from "./lines.js";
import { element, linkOf, message, prose, stats, table } from "./plain.js";
import { bars, heatmap, states } from "./rows.js";
import { tiles } from "./tiles.js";
import { hide, tipOver, valuesAt } from "./tip.js";
import { zoomOver } from "./zoom.js";

const PLAIN = { stat: stats, table };
const DRAWN = { bars, gauge: gauges, heatmap, states };
const MAY_GROW = 600; // of tiles, in pixels
const UNIT_HEIGHT = 30;
const SMALL_WIDTH = 6;
const SHORT = ["stat", "gauge"]; // kinds with room for a word, and not for why there is nothing
const PADDING = 20; // of style.css, left and right

export class Panel {
  constructor(described, linkTo, showTime) {
    this.described = described;
    this.linkTo = linkTo;
    this.showTime = showTime;
    this.hidden = new Set();
    this.height = Math.max(70, described.height * UNIT_HEIGHT - 44);
    this.note = element("span", { class: "note" });
    this.body = element("div", { class: "body" });
    this.legend = element("div", { class: "legend", hidden: "" });
    const whole = described.whole ? [element("span", { class: "whole" }, "whole cluster")] : [];
    const head = element("header", {}, element("h3", {}, described.title), ...whole, this.note, this.info());
    const small = described.width <= SMALL_WIDTH && SHORT.includes(described.kind);
    this.frame = element("section", { class: small ? "panel small" : "panel", "data-panel": described.id }, head, this.body, this.legend);
    this.frame.style.setProperty("--width", described.width);
    this.frame.style.setProperty("--medium", small ? Math.max(6, described.width) : Math.max(12, described.width));
    this.frame.style.setProperty("--height", `${this.height}px`);
  }

  // The button that tells what the panel is about; the text is made when it is asked for.
  info() {
    const button = element("button", { type: "button", "aria-expanded": "false", "aria-label": `About ${this.described.title}` }, "?");
    let about = null;
    button.addEventListener("click", () => {
      if (about === null) this.body.before(about = this.about());
      else about.hidden = !about.hidden;
      button.setAttribute("aria-expanded", `${!about.hidden}`);
    });
    return button;
  }

  about() {
    const links = this.described.links.map((id) => this.linkTo(id));
    const next = links.length ? [element("p", {}, "See also ", ...links.flatMap((link, at) => (at ? [", ", link] : [link])))] : [];
    const queries = this.described.queries.map((query) => element("code", {}, query));
    const { description, empty } = this.described;
    const none = empty ? [element("p", {}, ...prose(`An empty panel is right where ${empty}.`))] : [];
    return element("div", { class: "about" }, element("p", {}, ...prose(description)), ...none, ...next, ...queries);
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
    else if (PLAIN[this.described.kind]) this.say(PLAIN[this.described.kind](this.described, answer.series, this.linkTo));
    else if (this.described.kind === "tiles") this.say(this.picture(answer.series, tiles(this.described, answer, this.width, MAY_GROW, this.linkTo)));
    else if (DRAWN[this.described.kind]) this.say(this.picture(answer.series, DRAWN[this.described.kind](this.described, answer.series, window)));
    else this.draw(answer.series, window);
    if (answer.shown < answer.total) this.note.textContent = `${answer.shown} of ${grouped(answer.total)} series shown`;
  }

  redraw() {
    if (this.answer) this.show(this.answer, this.window);
  }

  wait() {
    this.frame.classList.add("loading");
  }

  nothing() {
    const { empty, kind } = this.described;
    if (empty && SHORT.includes(kind)) return message("none");
    if (empty) return message(`Nothing here. That is right where ${empty}.`);
    return message("No data.", "`trainyard monitor verify` says why");
  }

  say(content) {
    hide();
    this.legend.hidden = true;
    this.body.replaceChildren(content);
  }

  picture(series, drawn) {
    return element("div", { class: "picture", role: "group", "aria-label": this.spoken(series) }, drawn);
  }

  draw(series, window) {
    const colours = this.coloursOf(series);
    const seen = series.map((_, at) => at).filter((at) => !this.hidden.has(series[at].name));
    const [shown, shownColours] = [seen.map((at) => series[at]), seen.map((at) => colours[at])];
    const size = { width: this.width, height: this.height };
    const { area, canvas } = lines(this.described, shown, shownColours, window, size);
    const place = element("div", { class: "chart", role: "img", "aria-label": this.spoken(series) }, canvas);
    hide();
    this.body.replaceChildren(place);
    this.fillLegend(series, colours);
    tipOver(place, (x) => {
      const seconds = window.from + ((x - area.left) / area.width) * (window.to - window.from);
      return seconds < window.from || seconds > window.to ? null : valuesAt(this.described, shown, shownColours, seconds);
    });
    zoomOver(place, area, window, this.showTime);
  }

  // A line has the colour of its node, or of its name where a node has several lines here.
  coloursOf(series) {
    const hosts = series.map((one) => one.labels.node_name || one.labels.node || "");
    const several = new Set(hosts.filter((host, at) => hosts.indexOf(host) !== at));
    return series.map((one, at) => (roleOf(this.described, one) ? colour("faint") : colourOf(hosts[at] && !several.has(hosts[at]) ? hosts[at] : one.name)));
  }

  fillLegend(series, colours) {
    this.legend.hidden = false;
    const low = series.find((one) => roleOf(this.described, one) === "low");
    this.legend.replaceChildren(...this.legendOrder(series).filter((at) => series[at] !== low).map((at) => {
      const one = series[at];
      if (low && roleOf(this.described, one) === "high") return this.bandInLegend(low, one);
      const mark = element("i");
      mark.style.background = colours[at];
      const newest = one.values.map(numeric).findLast((value) => value !== null) ?? null;
      const button = element("button", { type: "button", "aria-pressed": `${!this.hidden.has(one.name)}`, title: one.name }, mark, element("span", {}, one.name), element("b", {}, formatted(newest, this.described.unit)));
      button.addEventListener("click", () => this.toggle(one.name));
      const links = this.described.linked.map(({ label, variable }) => linkOf(this.described, label, one.labels[label], this.linkTo, `${variable} ↗`));
      return element("span", { class: "series" }, button, ...links.filter(Boolean));
    }));
  }

  bandInLegend(low, high) {
    const [from, to] = [low, high].map((one) => formatted(one.newest, this.described.unit));
    return element("span", { class: "series usual" }, element("i"), element("span", {}, `${low.name} to ${high.name}`), element("b", {}, `${from} to ${to}`));
  }

  // Places of series: where the query ranks them, those that it looks for come first; what is usual comes last.
  legendOrder(series) {
    const role = (at) => Number(Boolean(roleOf(this.described, series[at])));
    const places = series.map((_, at) => at).sort((one, other) => role(one) - role(other));
    const ranked = /^\s*(top|bottom)k/.exec(this.described.queries[0]);
    if (!ranked) return places;
    const sign = ranked[1] === "top" ? -1 : 1;
    const value = (at) => numeric(series[at].newest);
    return places.sort((one, other) => role(one) - role(other) || (value(one) === null) - (value(other) === null) || sign * (value(one) - value(other)));
  }

  toggle(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.redraw();
    [...this.legend.querySelectorAll("button")].find((button) => button.title === name)?.focus();
  }

  // What is drawn, for those who do not see it.
  spoken(series) {
    if (this.described.kind === "tiles") return `${this.described.title}. ${series.length} rows of tiles`;
    const own = series.filter((one) => !roleOf(this.described, one));
    const told = own.slice(0, 5).map((one) => `${one.name || "value"}: ${formatted(one.newest, this.described.unit)}`);
    return `${this.described.title}. ${told.join("; ")}${own.length > 5 ? `; and ${own.length - 5} more` : ""}`;
  }

  // How much room a drawing has. Sizes of all panels are read before any is written: each turn costs a layout.
  measure() {
    const width = this.frame.clientWidth - PADDING;
    const changed = width !== this.width;
    this.width = width;
    return changed;
  }
}
