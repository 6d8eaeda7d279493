// The list of runs, by game: scores in different games cannot be compared.
import { byId, make, startTheme } from "./dom.js";
import { against, ago, count, duration, interval, number, percent, quantity } from "./format.js";
import { follow } from "./live.js";
import { drawCurve, playAddress, progressText, runAddress, showMessage, showProgress, showState } from "./runinfo.js";

const maxCompared = 6; // runs of a comparison

let list; // the newest version

// Cards by run name and groups by game are kept when the list changes: new ones would lose the focus.
const cards = new Map();
const groups = new Map();

// ---- a run

function makeCard({ name, title }) {
  const item = document.createElement("li");
  item.className = "card run";
  const parts = { item };
  parts.tick = make(item, "label", { class: "tick" });
  parts.box = make(parts.tick, "input", { type: "checkbox", value: name, "aria-label": `compare ${title}` });
  parts.box.addEventListener("change", () => show(list));
  const head = make(item, "div", { class: "title" });
  make(make(head, "h3"), "a", { href: runAddress(name) }, title);
  parts.games = make(head, "p", { class: "note" });
  const progress = make(item, "div", { class: "progress" });
  const line = make(progress, "p", {});
  parts.state = make(line, "span", { class: "state" });
  parts.generation = make(line, "span", {});
  parts.bar = make(progress, "div", { class: "done" });
  make(parts.bar, "span");
  parts.time = make(progress, "p", { class: "note" });
  parts.curve = make(item, "figure", { class: "curve" });
  const score = make(item, "div", { class: "score" });
  parts.score = make(score, "p", { class: "big" });
  parts.interval = make(score, "p", { class: "note" });
  parts.play = make(item, "a", { class: "button play", "aria-label": `play against ${title}` }, "Play");
  return parts;
}

function fillCard(parts, run) {
  const broken = run.state === "broken", { score } = run;
  parts.item.classList.toggle("broken", broken);
  parts.games.textContent = run.games ? `${count(run.games)} games` : "";
  showState(parts.state, run);
  parts.generation.textContent = progressText(run);
  showProgress(parts.bar, run);
  parts.time.textContent = broken ? run.problem : timeText(run);
  const measured = score && !run.untrained, unmeasured = broken || run.state === "diverged" ? "" : run.untrained ? "hardly trained yet" : "not measured yet";
  parts.score.textContent = measured ? `score ${percent(score.value)}` : "";
  parts.interval.textContent = measured
    ? `${interval(100 * score.low, 100 * score.high, "%")} %, ${against(score)}, gen. ${score.generation}` : unmeasured;
  parts.play.hidden = !run.agent;
  if (run.agent) parts.play.href = playAddress(run.game, run.best || run.agent);
  showCurve(parts.curve, run.curve);
}

function timeText(run) {
  if (run.state === "starting") return "preparing the first generation";
  if (run.left) return `about ${duration(run.left)} left`;
  return run.changed ? `${run.generation ? "last generation" : "created"} ${ago(run.changed)}` : "";
}

const curveNames = { score: ["%", "score"], loss: ["loss", "loss on the validation set"] };

// showCurve shows the server's watch.Curve as a sparkline with its first and last value.
function showCurve(figure, curve) {
  const key = JSON.stringify(curve);
  if (figure.dataset.key === key) return;
  figure.dataset.key = key;
  figure.replaceChildren();
  if (!curve) return;
  const { kind, values } = curve, [unit, name] = curveNames[kind];
  drawCurve(figure, curve, kind, name);
  make(figure, "figcaption", { class: "note" }, `${number(values[0], unit)} → ${quantity(values.at(-1), unit)}`);
}

// ---- groups

function makeGroup(game) {
  const place = document.createElement("section");
  place.className = "group";
  const bar = make(place, "div", { class: "bar" });
  make(bar, "h2", {}, game || "Other folders");
  const parts = { place, compare: make(bar, "button", { type: "button" }), runs: make(place, "ul", { class: "runs" }) };
  parts.compare.addEventListener("click", () => {
    location.assign(`/compare?${new URLSearchParams(chosen(game).map(({ name }) => ["name", name]))}`);
  });
  return parts;
}

const chosen = (game) => list.runs.filter((run) => run.game === game && cards.get(run.name)?.box.checked);
const canCompare = ({ state, generation }) => state !== "broken" && generation > 0;

// fillGroup shows the runs of a game in order, and what can be compared.
function fillGroup(parts, game, runs) {
  const several = game !== "" && runs.filter(canCompare).length > 1, count = chosen(game).length;
  parts.compare.hidden = !several;
  parts.runs.classList.toggle("single", !several);
  parts.compare.disabled = count < 2;
  parts.compare.textContent = count < 2 ? "Compare: choose runs" : `Compare ${count} runs`;
  for (const run of runs) {
    const { tick, box } = cards.get(run.name);
    tick.classList.toggle("none", !several || !canCompare(run));
    box.disabled = !several || !canCompare(run) || (count >= maxCompared && !box.checked);
  }
  arrange(parts.runs, runs.map((run) => cards.get(run.name).item));
}

// arrange makes elements the children of parent, in order. It moves only those that are out of place.
function arrange(parent, elements) {
  let before = null;
  for (const element of [...elements].reverse()) {
    if (element.nextSibling !== before || element.parentNode !== parent) parent.insertBefore(element, before);
    before = element;
  }
  while (parent.firstChild !== before) parent.firstChild.remove();
}

// ---- the order

// rank puts active runs first and broken ones last.
const rank = ({ state }) => ({ training: 0, starting: 0, evaluating: 0, broken: 2 })[state] ?? 1;
const byName = (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true });
const orders = {
  newest: (a, b) => rank(a) - rank(b) || (rank(a) === 1 ? (b.changed || 0) - (a.changed || 0) : 0),
  score: (a, b) => (b.score?.value ?? -Infinity) - (a.score?.value ?? -Infinity) || 0,
  games: (a, b) => b.games - a.games,
  name: () => 0,
};

// shellWord returns a text as one word of a command line, in quotes if a shell might take it apart.
const shellWord = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function show(next) {
  list = next;
  const folder = list.dir.replace(/\/$/, "");
  byId("where").textContent = `Runs in the folder ${list.path}. This page is updated while they train.`;
  showMessage(list.note);
  byId("none").hidden = list.runs.length > 0;
  byId("sorting").hidden = list.runs.length < 2;
  byId("command").textContent = "ludus train quad-5x5 --time 1m" + (folder === "runs" ? "" : ` --run ${shellWord(`${folder}/quad-5x5`)}`);
  const names = new Set(list.runs.map((run) => run.name));
  for (const name of cards.keys()) if (!names.has(name)) cards.delete(name);
  for (const run of list.runs) {
    if (!cards.has(run.name)) cards.set(run.name, makeCard(run));
    fillCard(cards.get(run.name), run);
  }
  const newestFirst = [...list.runs].sort((a, b) => orders.newest(a, b) || byName(a, b));
  const games = [...new Set(newestFirst.map((run) => run.game))].sort((a, b) => (a === "") - (b === "")); // in order of their newest runs
  for (const game of games) {
    if (!groups.has(game)) groups.set(game, makeGroup(game));
    fillGroup(groups.get(game), game, newestFirst.filter((run) => run.game === game).sort((a, b) => orders[byId("sort").value](a, b) || byName(a, b)));
  }
  arrange(byId("runs"), games.map((game) => groups.get(game).place));
}

startTheme();
byId("sort").addEventListener("change", () => { if (list) show(list); });
follow("/api/runs", show, (text) => showMessage(text || (list && list.note)));
setInterval(() => { if (list && !document.hidden) show(list); }, 30000); // updates the times
