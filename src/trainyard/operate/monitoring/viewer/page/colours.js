// The colours of style.css, for what is drawn on a canvas. They are read once: each reading makes the browser work out
// the style of everything that has changed since.

const read = new Map();

export function colour(name) {
  if (!read.has(name)) read.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return read.get(name);
}

export function palette() {
  return colour("series").split(" ");
}

// Day and night have other ones.
export function forgetColours() {
  read.clear();
}

// States have their own colours; state_colours.yaml has the words, the worst first.
let states = {};

export function setStates(words) {
  states = words;
}

export function stateColourOf(text) {
  return states[`${text}`.replace(/[*~#%$@^!-]+$/, "")] || "";
}

// How bad a state is: the smaller, the worse. What is no state comes last.
export function badness(text) {
  const at = ["red", "orange", "yellow"].indexOf(stateColourOf(text));
  return at < 0 ? 3 : at;
}

// A node, or another name, keeps one place in the palette in all panels, for as long as the page is open.
const places = new Map();

export function colourOf(key) {
  const word = stateColourOf(key);
  if (word) return colour(word);
  if (!places.has(key)) places.set(key, places.size);
  const all = palette();
  return all[places.get(key) % all.length];
}
