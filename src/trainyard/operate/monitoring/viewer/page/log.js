// The last lines of a log, read when somebody asks for them: they are in CloudWatch, which only the user's rights open.

import { second } from "./format.js";
import { element, message } from "./plain.js";

export class Log {
  // What `ask` returns, once the button is pressed, is shown in `place`.
  constructor(place, button, ask) {
    Object.assign(this, { place, button, ask, subject: "" });
    button.addEventListener("click", () => this.read());
  }

  // Of what the page is; empty where it is of no one thing. Lines of something else are shown no more.
  about(subject) {
    this.button.hidden = !subject;
    if (subject === this.subject) return;
    this.subject = subject;
    this.place.replaceChildren();
  }

  async read() {
    const subject = this.subject;
    this.button.disabled = true;
    this.place.replaceChildren(message("Reading; where there are many nodes, this takes a while."));
    let shown;
    try {
      shown = drawn(await this.ask());
    } catch (error) {
      shown = [message(error.message, "", "error")];
    }
    this.button.disabled = false;
    if (subject === this.subject) this.place.replaceChildren(...shown);
    this.place.querySelector(".log")?.scrollTo(0, Number.MAX_SAFE_INTEGER); // the newest are last
  }
}

function drawn(found) {
  if (found.error) return [message(found.error.problem, found.error.hint, "error")];
  if (!found.lines.length) return [message("Nothing was logged in this time.")];
  const rows = found.lines.map((one) => element("tr", {}, element("td", {}, second(one.at)), element("td", {}, one.from), element("td", {}, one.text)));
  const head = element("tr", {}, ...["Time", "Log", "Line"].map((title) => element("th", { scope: "col" }, title)));
  const left = found.of_nodes > found.nodes ? `, of ${found.nodes} of ${found.of_nodes} nodes` : "";
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return [element("p", { role: "status" }, `The last ${found.lines.length} lines of this time${left}, the newest last, without secrets.`), element("div", { class: "log", tabindex: "0", role: "region", "aria-label": "Log" }, table)];
}
