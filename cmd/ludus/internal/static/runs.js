// The list of runs.
import { byId, make, startTheme } from "./dom.js";
import { subscribe } from "./events.js";
import { ago, duration, grouped, interval, number } from "./format.js";
import { progressText, runAddress, showMessage, showProgress, showState } from "./runinfo.js";

let list; // the newest version

const items = new Map(); // by run name; kept when the list changes: a new item would lose the focus

function makeItem({ name, title }) {
  const item = document.createElement("li");
  item.className = "card run";
  const head = make(item, "div", { class: "title" });
  make(make(head, "h2"), "a", { href: runAddress(name) }, title);
  const parts = { item, game: make(head, "p", { class: "note" }) };
  const progress = make(item, "div", { class: "progress" });
  const line = make(progress, "p", {});
  parts.state = make(line, "span", { class: "state" });
  parts.generation = make(line, "span", {});
  parts.bar = make(progress, "div", { class: "done" });
  make(parts.bar, "span");
  parts.time = make(progress, "p", { class: "note" });
  const rating = make(item, "div", { class: "rating" });
  parts.rating = make(rating, "p", { class: "big" });
  parts.interval = make(rating, "p", { class: "note" });
  return parts;
}

function fillItem(parts, run) {
  const broken = run.state === "broken", { rating } = run;
  parts.item.classList.toggle("broken", broken);
  parts.game.textContent = [run.game, run.games && `${grouped(String(run.games))} games`].filter(Boolean).join(" · ");
  showState(parts.state, run);
  parts.generation.textContent = progressText(run);
  showProgress(parts.bar, run);
  parts.time.textContent = broken ? run.problem : timeText(run);
  parts.rating.textContent = rating ? `${number(rating.value)} Elo` : "";
  parts.interval.textContent = rating ? `${interval(rating.low, rating.high)}, generation ${rating.generation}` : broken ? "" : "not rated yet";
}

function timeText(run) {
  if (run.state === "starting") return "preparing the first generation";
  if (run.left) return `about ${duration(run.left)} left`;
  return run.changed ? `${run.generation ? "last generation" : "created"} ${ago(run.changed)}` : "";
}

function show(next) {
  list = next;
  byId("where").textContent = `Runs in ${list.dir}. This page is updated while they train.`;
  showMessage(list.note);
  byId("none").hidden = list.runs.length > 0;
  byId("command").textContent = `ludus train quad-5x5 --time 1m --run ${list.dir.replace(/\/$/, "")}/quad-5x5`;
  const names = new Set(list.runs.map((run) => run.name));
  for (const [name, parts] of items) {
    if (!names.has(name)) { parts.item.remove(); items.delete(name); }
  }
  let before = null;
  for (const run of [...list.runs].sort(compareRuns).reverse()) {
    const parts = items.get(run.name) || makeItem(run);
    items.set(run.name, parts);
    fillItem(parts, run);
    if (parts.item.nextSibling !== before || !parts.item.parentNode) byId("runs").insertBefore(parts.item, before);
    before = parts.item;
  }
}

// compareRuns orders active runs first, then the others by date, and broken ones last.
function compareRuns(a, b) {
  const rank = (run) => ({ training: 0, starting: 0, evaluating: 0, broken: 2 })[run.state] ?? 1;
  return rank(a) - rank(b) || (rank(a) === 1 ? (b.changed || 0) - (a.changed || 0) : 0) || a.name.localeCompare(b.name, undefined, { numeric: true });
}

startTheme();
subscribe("/api/runs/events", { list: show }, (text) => showMessage(text || (list && list.note)));
setInterval(() => { if (list && !document.hidden) show(list); }, 30000); // updates the times
