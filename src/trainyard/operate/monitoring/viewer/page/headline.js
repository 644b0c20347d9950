// The line above the panels: what fires now, the worst first.

import { element, prose } from "./plain.js";

export function showHeadline(place, found, linkTo) {
  if (found.error) {
    say(place, "error", `${found.error.problem}`, found.error.hint);
  } else if (found.firing.length) {
    showFiring(place, found.firing, linkTo);
  } else if (found.rules === 0) {
    say(place, "unknown", "No alert rules are loaded, so nothing can fire.", "`trainyard monitor alerts` writes them");
  } else {
    const rules = found.rules === null ? "" : ` of ${found.rules} alerts`;
    say(place, "calm", `Nothing fires${rules}.`);
  }
}

function say(place, kind, text, hint) {
  place.className = kind;
  place.replaceChildren(element("span", {}, ...prose(text)), ...(hint ? [" ", element("small", {}, ...prose(hint))] : []));
}

function showFiring(place, firing, linkTo) {
  const open = place.querySelector("details")?.open ?? false;
  const counts = ["critical", "warning", "info"].map((one) => [one, firing.filter((alert) => alert.severity === one).length]);
  const told = counts.filter(([, count]) => count).map(([name, count]) => `${count} ${name}`).join(", ");
  const names = firing.slice(0, 3).map((one) => one.name).join(", ");
  const fired = firing.reduce((sum, one) => sum + one.count, 0);
  const places = fired > firing.length ? ` in ${fired} places` : "";
  const summary = element("summary", {}, `${firing.length} alert${firing.length > 1 ? "s fire" : " fires"}${places}${told ? ` (${told})` : ""}: ${names}${firing.length > 3 ? ", …" : ""}`);
  const details = element("details", open ? { open: "" } : {}, summary, element("ul", {}, ...firing.map((alert) => item(alert, linkTo))));
  place.className = ["critical", "warning"].includes(firing[0].severity) ? firing[0].severity : "info";
  place.replaceChildren(details);
}

// Its name leads to the panel where it is seen, with the node or the job chosen that it is about.
function item(alert, linkTo) {
  const severity = element("span", { class: `severity ${["critical", "warning", "info"].includes(alert.severity) ? alert.severity : ""}` }, alert.severity || "no severity");
  const places = alert.places.length ? `: ${alert.places.join("; ")}${alert.more ? ` and ${alert.more} more` : ""}` : "";
  const seen = alert.panel;
  const name = element("strong", {}, seen ? linkTo(seen.dashboard, alert.name, seen.chosen, seen.panel) : alert.name);
  if (seen) name.title = `${seen.title}: where it is seen`;
  const about = alert.about ? [element("br"), element("small", {}, ...prose(alert.about))] : [];
  return element("li", {}, severity, name, places, ...about);
}
