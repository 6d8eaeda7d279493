// Numbers, times and moves as text for people. Nothing here touches the page.

// sentence makes an error's text a sentence.
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");

// grouped puts commas between the thousands of a number from five digits on.
export const grouped = (text) => text.replace(/\d{5,}(?=$|\.)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));

// number writes a value with about three significant digits, or in per cent with one decimal.
export function number(x, unit) {
  if (x == null) return "–";
  if (unit === "%") return x.toFixed(1);
  const a = Math.abs(x);
  if (a >= 100) return grouped(x.toFixed(0));
  if (a >= 10) return x.toFixed(1);
  if (a >= 1) return x.toFixed(2);
  return String(Number(x.toPrecision(3)));
}

// count writes a whole number.
export const count = (n) => grouped(String(n));

// counted writes a number of things, of which word is one.
export const counted = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export const interval = (low, high, unit) => `${number(low, unit)} to ${number(high, unit)}`;

// quantity writes a value with its unit, and with its interval unless low is left out.
export const quantity = (x, unit = "", low, high) => `${number(x, unit)} ${unit}`.trim() + (low == null ? "" : ` (${interval(low, high, unit)})`);

// against says whom a run's score is against.
export const against = ({ opponent }) => `against ${opponent === "zoo" ? "the shipped agent" : opponent}`;

// score writes a value from -1 to 1 as an expected score in per cent. Only sure results are 0 and 100.
export function score(x, digits = 1) {
  if (x == null) return "–";
  const least = Math.abs(x) < 1 ? 10 ** -digits : 0;
  return `${Math.min(Math.max(50 + 50 * x, least), 100 - least).toFixed(digits)} %`;
}

// percent writes a share, which is from 0 to 1.
export const percent = (x) => x == null ? "–" : `${(100 * x).toFixed(1)} %`;

// duration writes a time in seconds.
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// ago writes the time since a Unix time.
export function ago(time) {
  const seconds = Date.now() / 1000 - time;
  if (seconds < 10) return "just now";
  if (seconds < 48 * 3600) return `${duration(seconds)} ago`;
  return `on ${new Date(1000 * time).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" })}`;
}

// barScale maps a ladder's values to 0 to 100. The scale of percentages is fixed; other scales include 0.
export function barScale({ unit, bars }) {
  const values = bars.flatMap((bar) => [bar.low, bar.value, bar.high]);
  const [low, high] = unit === "%" ? [0, 100] : [Math.min(0, ...values), Math.max(1, ...values)];
  return (x) => 100 * (Math.min(Math.max(x, low), high) - low) / (high - low);
}
