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
