"use strict";
// Searching and sorting. Everything can be read without this script.
(() => {
  const bar = document.querySelector(".search");
  if (!bar) return;
  bar.hidden = false;
  const stacks = [...document.querySelectorAll("details.stack")].filter((one) => one.querySelector("tbody"));
  const wereOpen = new Map();

  document.getElementById("search").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const stack of stacks) {
      const rows = [...stack.querySelectorAll("tbody tr")];
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) found += 1;
      }
      if (!wereOpen.has(stack)) wereOpen.set(stack, stack.open);
      stack.open = words.length ? rows.some((row) => !row.hidden) : wereOpen.get(stack);
      if (!words.length) wereOpen.delete(stack);
    }
    document.getElementById("found").textContent = words.length ? `${found} found` : "";
  });

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  for (const header of document.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.textContent = header.textContent;
    header.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = header.closest("table").tBodies[0];
      const order = (one, other) => {
        const [a, b] = [value(one, header.cellIndex), value(other, header.cellIndex)];
        return (typeof a === "number" ? a - b : a.localeCompare(b)) * (down ? -1 : 1);
      };
      body.append(...[...body.rows].sort(order));
    });
  }

  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
})();
