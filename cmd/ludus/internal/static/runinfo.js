// What the list of runs and a run's page share: addresses, a run's state and its progress.
import { byId } from "./dom.js";

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

// showMessage shows a problem, or nothing.
export function showMessage(text) {
  byId("message").textContent = text || "";
  byId("message").hidden = !text;
}
