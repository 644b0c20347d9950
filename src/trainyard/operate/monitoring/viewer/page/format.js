// Numbers with their units, short enough for an axis. Every unit of a panel has its words here.

const THOUSANDS = ["", "k", "M", "G", "T", "P", "E"];
const SMALL = ["", "m", "µ", "n"];

function digits(value) {
  const size = Math.abs(value);
  const places = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return grouped(Number(value.toFixed(places)));
}

// With commas between thousands. What the browser has for it takes longer than all else on the page.
export function grouped(value) {
  const [whole, ...rest] = `${value}`.split(".");
  return [whole.replace(/\B(?=([0-9]{3})+$)/g, ","), ...rest].join(".");
}

function two(number) {
  return `${number}`.padStart(2, "0");
}

function scaled(value, unit, base = 1000, words = THOUSANDS) {
  let power = 0;
  while (Math.abs(value) >= base * 0.9995 && power < words.length - 1) {
    value /= base;
    power += 1;
  }
  return `${digits(value)} ${words[power]}${unit}`.trim();
}

function bytes(value) {
  return scaled(value, "", 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
}

function count(value) {
  if (Math.abs(value) >= 100000) return scaled(value, "");
  if (value !== 0 && Math.abs(value) < 0.1) return `${Number(value.toPrecision(2))}`;
  return digits(value);
}

function rate(unit) {
  return (value) => (value !== 0 && Math.abs(value) < 0.01 ? `${Number(value.toPrecision(2))} ${unit}` : scaled(value, unit));
}

export function duration(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1) {
    let power = 0;
    while (Math.abs(value) < 0.9995 && power < SMALL.length - 1) {
      value *= 1000;
      power += 1;
    }
    return `${digits(value)} ${SMALL[power]}s`;
  }
  if (size < 60) return `${digits(value)} s`;
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let rest = Math.round(size);
  const told = [];
  for (const [name, length] of parts) {
    const whole = Math.floor(rest / length);
    rest -= whole * length;
    if (whole && told.length < 2) told.push(`${whole} ${name}`);
    else if (told.length) break;
  }
  return (value < 0 ? "−" : "") + told.join(" ");
}

export function moment(seconds) {
  const at = new Date(seconds * 1000);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

// The same to the second, as a log has it.
export function second(seconds) {
  return `${moment(seconds)}:${two(new Date(seconds * 1000).getSeconds())}`;
}

const FORMATS = {
  "count": count,
  "percent": (value) => `${digits(value)} %`,
  "ratio": (value) => (value !== 0 && Math.abs(value) < 0.0001 ? `${(value * 100).toPrecision(1)} %` : `${digits(value * 100)} %`),
  "bytes": bytes,
  "bytes/s": (value) => scaled(value, "B/s"),
  "bit/s": (value) => scaled(value, "bit/s"),
  "packets/s": rate("packets/s"),
  "operations/s": rate("ops/s"),
  "events/s": (value) => `${count(value)}/s`,
  "celsius": (value) => `${digits(value)} °C`,
  "watt": (value) => scaled(value, "W"),
  "joule": (value) => scaled(value, "J"),
  "hertz": (value) => scaled(value, "Hz"),
  "seconds": duration,
  "timestamp": moment,
  "usd": (value) => `USD ${digits(value)}`,
  "boolean": (value) => (value ? "yes" : "no"),
};

// What a value is called. Infinity comes as a word, and what is no number as null.
export function formatted(value, unit) {
  if (value === null || value === undefined) return "not a number";
  if (typeof value === "string") return value.replace("+Inf", "∞").replace("-Inf", "−∞");
  return (FORMATS[unit] || count)(value);
}

export function numeric(value) {
  return typeof value === "number" ? value : null;
}

// A mark of an axis of time, as short as its length allows.
export function clock(milliseconds, length_s) {
  const at = new Date(milliseconds);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (length_s <= 86400) return time;
  const day = at.toLocaleDateString([], { month: "short", day: "numeric" });
  return length_s > 2 * 86400 ? day : `${day} ${time}`;
}
