// What stands beside the pointer: the moment that it points at, and the values of that moment.

import { formatted, moment, numeric } from "./format.js";
import { element } from "./plain.js";

const MOST_ROWS = 12;
const shown = element("div", { id: "tip", class: "tip", hidden: "" });

// Show what ``told`` gives for each place that is pointed at, in parts of the width and the height; nothing where it
// gives nothing.
export function tipOver(place, told) {
  place.addEventListener("pointermove", (event) => {
    const at = place.getBoundingClientRect();
    const content = told((event.clientX - at.left), (event.clientY - at.top), at);
    if (content) show(content, event);
    else hide();
  });
  place.addEventListener("pointerleave", hide);
  place.addEventListener("pointercancel", hide);
}

export function hide() {
  shown.hidden = true;
}

function show(content, { clientX, clientY }) {
  if (!shown.isConnected) document.body.append(shown);
  shown.replaceChildren(...content);
  shown.hidden = false;
  const { width, height } = shown.getBoundingClientRect();
  const left = clientX + 14 + width < innerWidth ? clientX + 14 : clientX - 14 - width;
  shown.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  shown.style.top = `${Math.max(4, Math.min(clientY + 14, innerHeight - height - 4))}px`;
}

// All values of a moment, the largest first.
export function valuesAt(panel, series, colours, seconds) {
  const found = series
    .map((one, at) => ({ name: one.name, colour: colours[at], value: numeric(one.values[Math.round((seconds - one.start) / one.step)] ?? null) }))
    .filter((one) => one.value !== null)
    .sort((one, other) => other.value - one.value);
  if (!found.length) return null;
  const rows = found.slice(0, MOST_ROWS).map((one) => row(one.colour, one.name, formatted(one.value, panel.unit)));
  const more = found.length > MOST_ROWS ? [element("p", {}, `and ${found.length - MOST_ROWS} more`)] : [];
  return [element("p", {}, moment(seconds)), ...rows, ...more];
}

export function oneValue(name, seconds, colour, value) {
  return [element("p", {}, moment(seconds)), row(colour, name, value)];
}

export function nameAndValue(title, name, colour, value) {
  return [element("p", {}, title), row(colour, name, value)];
}

function row(colour, name, value) {
  const mark = element("i");
  mark.style.background = colour;
  return element("div", {}, mark, element("span", {}, name), element("b", {}, value));
}
