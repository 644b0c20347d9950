// A part of a drawing is chosen by dragging over it with a mouse: its time is then shown in all panels. A finger scrolls.

import { element } from "./plain.js";

const FEWEST = 5; // pixels: less is a click

export function zoomOver(place, area, window, show) {
  const chosen = element("div", { class: "chosen", hidden: "" });
  let began = null;
  place.append(chosen);
  const at = (event) => Math.max(area.left, Math.min(area.left + area.width, event.clientX - place.getBoundingClientRect().left));
  const seconds = (x) => window.from + ((x - area.left) / area.width) * (window.to - window.from);
  const end = () => {
    began = null;
    chosen.hidden = true;
  };
  place.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    began = at(event);
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    if (began === null) return;
    const [left, right] = [Math.min(began, at(event)), Math.max(began, at(event))];
    chosen.style.left = `${left}px`;
    chosen.style.width = `${right - left}px`;
    chosen.hidden = false;
  });
  place.addEventListener("pointerup", (event) => {
    if (began === null) return;
    const [left, right] = [Math.min(began, at(event)), Math.max(began, at(event))];
    end();
    if (right - left >= FEWEST) show(seconds(left), seconds(right));
  });
  place.addEventListener("pointercancel", end);
}
