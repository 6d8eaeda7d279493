// What the pages of runs say alike.
import { byId } from "./dom.js";

export const runAddress = (name) => `/run?name=${encodeURIComponent(name)}`;

// playAddress opens the board against an agent, after moves where some are given.
export function playAddress(game, agent, moves = []) {
  const query = new URLSearchParams({ game, agent });
  return `/?${query}${moves.length > 0 ? `#moves=${encodeURIComponent(moves.join(";"))}` : ""}`;
}

const stateWords = { starting: "starting", training: "training", judging: "being judged", finished: "finished", stopped: "stopped", broken: "cannot be read" };

export function fillState(element, run) {
  if (element.dataset.state === run.state) return;
  element.dataset.state = run.state;
  element.textContent = stateWords[run.state] || run.state;
}

// lasting writes a time in seconds for people.
export function lasting(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// ago writes how long something is past; the time is in seconds since 1970.
export function ago(time) {
  const seconds = Date.now() / 1000 - time;
  if (seconds < 10) return "just now";
  if (seconds < 48 * 3600) return `${lasting(seconds)} ago`;
  return `on ${new Date(1000 * time).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" })}`;
}

// tellMessage shows what is wrong, or nothing.
export function tellMessage(text) {
  byId("message").textContent = text || "";
  byId("message").hidden = !text;
}
