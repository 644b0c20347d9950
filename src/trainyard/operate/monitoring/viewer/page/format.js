// Numbers with their units, short enough for an axis. Every unit of a panel has its words here.

const THOUSANDS = ["", "k", "M", "G", "T", "P", "E"];
const SMALL = ["", "m", "µ", "n"];

function digits(value) {
  const size = Math.abs(value);
  const places = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return Number(value.toFixed(places)).toLocaleString("en-US", { maximumFractionDigits: places });
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
  return new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
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
  "standard-deviations": (value) => `${digits(value)} σ`,
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

// Round marks for an axis of bytes, which echarts would set at powers of ten.
export function byteStep(most) {
  const power = Math.max(0, Math.floor(Math.log(most / 5) / Math.log(1024)));
  const base = 1024 ** power;
  return base * [1, 2, 5, 10, 20, 50, 100, 200, 500, 1024].find((step) => (step * base * 6) >= most);
}

export function clock(milliseconds, length_s) {
  const at = new Date(milliseconds);
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  if (length_s <= 86400) return time;
  const day = at.toLocaleDateString([], { month: "short", day: "numeric" });
  return length_s > 2 * 86400 ? day : `${day} ${time}`;
}
