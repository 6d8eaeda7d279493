// What the list of runs and a run's page share: addresses, a run's state and its progress.
import { byId, make, makeSVG } from "./dom.js";

export const runAddress = (name) => `/run?name=${encodeURIComponent(name)}`;

// playAddress is the play page with an agent as opponent, after moves if there are any.
export function playAddress(game, agent, moves = []) {
  const query = new URLSearchParams({ game, agent });
  return `/?${query}${moves.length > 0 ? `#moves=${encodeURIComponent(moves.join(";"))}` : ""}`;
}

export function showState(element, { state }) {
  if (element.dataset.state === state) return;
  element.dataset.state = state;
  element.textContent = state === "broken" ? "cannot be read" : state;
}

// showProgress sets a bar, whose child is its filled part, to the share of generations done.
export function showProgress(bar, { state, generation, generations }) {
  bar.hidden = state === "broken" || !generations;
  bar.classList.toggle("moving", state === "training");
  bar.firstElementChild.style.width = `${100 * Math.min(1, generation / (generations || 1))}%`;
}

export const progressText = ({ generation, generations }) => generations ? `generation ${generation} of ${generations}` : "";

// drawCurve draws a curve, { generations, values, recorded }, as a sparkline, and dashed what was recorded of other trainings, if
// anything. Its kind is a class name.
export function drawCurve(parent, { generations: x, values: y, recorded = [] }, kind, name = kind) {
  const width = 120, height = 28, low = Math.min(...y, ...recorded), high = Math.max(...y, ...recorded);
  const across = (g) => width * (g - x[0]) / (x.at(-1) - x[0] || 1), down = (v) => height - 2 - (height - 4) * (v - low) / (high - low || 1);
  const svg = makeSVG(parent, { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} by generation` });
  const draw = (kind, y) => make(svg, "polyline", { class: kind, points: y.map((v, i) => `${across(x[i]).toFixed(1)},${down(v).toFixed(1)}`).join(" ") });
  if (recorded.length > 0) draw("recorded", recorded);
  draw(kind, y);
}

// showMessage shows a problem, or nothing.
export function showMessage(text) {
  byId("message").textContent = text || "";
  byId("message").hidden = !text;
}
