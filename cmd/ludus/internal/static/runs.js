// The list of runs.
import { byId, grouped, make, number, startTheme } from "./dom.js";
import { ago, fillState, lasting, runAddress, tellMessage } from "./runwords.js";
import { follow } from "./live.js";

let list; // as the server told it last

// The items are kept from one list to the next, so that nobody's focus is lost.
const items = new Map();

function makeItem({ name, title }) {
  const item = document.createElement("li");
  item.className = "card run";
  const head = make(item, "div", { class: "title" });
  const parts = {
    item,
    link: make(make(head, "h2"), "a", { href: runAddress(name) }, title),
    game: make(head, "p", { class: "note" }),
  };
  const course = make(item, "div", { class: "course" });
  const line = make(course, "p", {});
  parts.state = make(line, "span", { class: "state" });
  parts.generation = make(line, "span", {});
  parts.bar = make(course, "div", { class: "done" });
  parts.fill = make(parts.bar, "span");
  parts.left = make(course, "p", { class: "note" });
  const rating = make(item, "div", { class: "rating" });
  parts.rating = make(rating, "p", { class: "big" });
  parts.interval = make(rating, "p", { class: "note" });
  return parts;
}

function fill(parts, run) {
  parts.game.textContent = [run.game, run.games && `${grouped(String(run.games))} games`].filter(Boolean).join(" · ");
  fillState(parts.state, run);
  const broken = run.state === "broken";
  parts.item.classList.toggle("broken", broken);
  parts.generation.textContent = run.generations ? `generation ${run.generation} of ${run.generations}` : "";
  parts.bar.hidden = broken || !run.generations;
  parts.fill.style.width = `${100 * Math.min(1, run.generation / (run.generations || 1))}%`;
  parts.bar.classList.toggle("moving", run.state === "training");
  parts.left.textContent = broken ? run.problem : whenOf(run);
  parts.rating.textContent = run.rating ? `${number(run.rating.value)} Elo` : "";
  parts.interval.textContent = run.rating ? `${number(run.rating.low)} to ${number(run.rating.high)}, generation ${run.rating.generation}` : broken ? "" : "not rated yet";
}

function whenOf(run) {
  if (run.state === "starting") return "measuring the machine";
  if (run.left) return `about ${lasting(run.left)} left`;
  return run.changed ? `${run.generation ? "last generation" : "made"} ${ago(run.changed)}` : "";
}

function show(next) {
  list = next;
  byId("where").textContent = `Folder ${list.dir}, followed while runs train.`;
  tellMessage(list.note);
  byId("none").hidden = list.runs.length > 0;
  byId("command").textContent = `ludus train quad-5x5 --time 1m --run ${list.dir.replace(/\/$/, "")}/quad-5x5`;
  const names = new Set(list.runs.map((run) => run.name));
  for (const [name, parts] of items) {
    if (!names.has(name)) { parts.item.remove(); items.delete(name); }
  }
  let before = null;
  for (const run of [...list.runs].sort(byInterest).reverse()) {
    const parts = items.get(run.name) || makeItem(run);
    items.set(run.name, parts);
    fill(parts, run);
    if (parts.item.nextSibling !== before || !parts.item.parentNode) byId("runs").insertBefore(parts.item, before);
    before = parts.item;
  }
}

// byInterest puts first what is at work, then the rest by date, and what cannot be read last.
function byInterest(a, b) {
  const rank = (run) => ({ training: 0, starting: 0, judging: 0, broken: 2 })[run.state] ?? 1;
  return rank(a) - rank(b) || (rank(a) === 1 ? (b.changed || 0) - (a.changed || 0) : 0) || a.name.localeCompare(b.name, undefined, { numeric: true });
}

startTheme();
follow("/api/runs/events", { list: show }, (text) => tellMessage(text || (list && list.note)));
setInterval(() => { if (list && !document.hidden) show(list); }, 30000); // times pass
