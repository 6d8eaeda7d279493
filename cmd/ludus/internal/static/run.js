// A run's page: its curves while it trains, its matches, its games and its settings.
import { byId, make, number, percent, startTheme } from "./dom.js";
import { liveChart } from "./charts.js";
import { follow } from "./live.js";
import { fillState, lasting, playAddress, tellMessage } from "./runwords.js";
import { GameViewer } from "./rungames.js";

const name = new URLSearchParams(location.search).get("name") || "";
let view; // as the server told it, changes included
let refusal = "";
const curves = new Map(); // by chart: { figure, live }
let games;

// ---- what stands at the top

function showRun() {
  const run = view.run;
  byId("of").textContent = run.game;
  fillState(byId("state"), run);
  const words = [run.generations && `generation ${run.generation} of ${run.generations}`, run.left && `about ${lasting(run.left)} left`];
  byId("progress").textContent = words.filter(Boolean).join(", ");
  const bar = byId("bar");
  bar.hidden = !run.generations;
  bar.setAttribute("aria-valuemax", run.generations);
  bar.setAttribute("aria-valuenow", run.generation);
  bar.classList.toggle("moving", run.state === "training");
  bar.firstElementChild.style.width = `${100 * Math.min(1, run.generation / (run.generations || 1))}%`;
  byId("play").hidden = !run.agent;
  if (run.agent) byId("play").href = playAddress(run.game, run.agent);
  byId("name").textContent = run.title;
  document.title = `${run.title} · ludus`;
  tellMessage(refusal || run.problem || (run.state === "starting" ? "The machine is being measured; the first generation follows." : ""));
}

function showFacts() {
  byId("facts").replaceChildren();
  for (const fact of view.facts) {
    const pair = make(byId("facts"), "div");
    make(pair, "dt", {}, fact.name);
    make(pair, "dd", {}, fact.value);
  }
}

function showWarnings() {
  const list = byId("warnings").querySelector("ul");
  list.replaceChildren();
  for (const text of view.warnings) make(list, "li", {}, text);
  byId("warnings").hidden = view.warnings.length === 0;
}

function showParts() {
  const parts = byId("parts");
  parts.replaceChildren();
  for (const { id, title } of view.sections) make(parts, "a", { href: `#${id}` }, title);
  make(parts, "a", { href: "#arena" }, "Matches");
  make(parts, "a", { href: "#games" }, "Games");
  make(parts, "a", { href: "#settings" }, "Settings");
  const read = view.sections.length > 0;
  for (const id of ["parts", "arena", "games", "settings"]) byId(id).hidden = !read;
}

// ---- sections of charts and ladders

function buildSections() {
  for (const { live } of curves.values()) if (live) live.stop();
  curves.clear();
  byId("sections").replaceChildren();
  for (const section of view.sections) {
    const place = make(byId("sections"), "section", { id: section.id, "aria-labelledby": `${section.id}-title` });
    make(place, "h2", { id: `${section.id}-title` }, section.title);
    make(place, "p", { class: "note", id: `${section.id}-note` });
    for (const ladder of section.ladders || []) {
      make(place, "div", { class: "card ladder", id: `ladder-${ladder.id}` });
      showLadder(ladder);
    }
    const charts = make(place, "div", { class: "charts" });
    for (const chart of section.charts) {
      const figure = make(charts, "figure", { class: "card", "data-chart": chart.id });
      curves.set(chart.id, { figure });
      showChart(chart);
    }
  }
  showNotes();
}

function showNotes() {
  for (const section of view.sections) {
    byId(`${section.id}-note`).textContent = section.note || "";
    byId(`${section.id}-note`).hidden = !section.note;
  }
}

// showChart draws a chart for the first time, or puts its new points into what is drawn.
function showChart(chart) {
  const curve = curves.get(chart.id);
  if (curve.live && chart.lines) {
    curve.live.show(chart);
    return;
  }
  if (curve.live) curve.live.stop();
  curve.live = undefined;
  curve.figure.replaceChildren();
  const caption = make(curve.figure, "figcaption");
  make(caption, "h3", {}, chart.title);
  if (chart.note) make(caption, "p", { class: "note" }, chart.note);
  if (!chart.lines) {
    make(curve.figure, "p", { class: "missing" }, `Nothing to show: ${chart.missing}.`);
    return;
  }
  const place = make(curve.figure, "div", { class: "plot", role: "img", "aria-label": `${chart.title} by ${chart.x}` });
  curve.live = liveChart(place, chart);
}

// scaleOf places values of a ladder in a strip 100 wide; 0 is in it.
function scaleOf(ladder) {
  const values = ladder.bars.flatMap((bar) => [bar.low, bar.value, bar.high]);
  const [low, high] = ladder.unit === "%" ? [0, 100] : [Math.min(0, ...values), Math.max(1, ...values)];
  return (x) => 100 * (Math.min(Math.max(x, low), high) - low) / (high - low);
}

function showLadder(ladder) {
  const card = byId(`ladder-${ladder.id}`);
  card.replaceChildren();
  make(card, "h3", {}, ladder.title);
  if (ladder.note) make(card, "p", { class: "note" }, ladder.note);
  if (!ladder.bars) {
    make(card, "p", { class: "missing" }, `Nothing to show: ${ladder.missing}.`);
    return;
  }
  const table = make(card, "table"), at = scaleOf(ladder);
  const head = make(make(table, "thead"), "tr");
  for (const [text, names] of [["agent", ""], ["", "strip"], [ladder.unit, "figure"], ["interval", "figure"], ["games", "detail"]]) {
    make(head, "th", { scope: "col", class: names }, text);
  }
  const body = make(table, "tbody");
  for (const bar of ladder.bars) {
    const row = make(body, "tr", bar.baseline ? { class: "baseline" } : {});
    make(row, "th", { scope: "row" }, bar.name);
    drawBar(make(row, "td", { class: "strip" }), bar, at);
    make(row, "td", { class: "figure" }, number(bar.value));
    make(row, "td", { class: "figure" }, `${number(bar.low)} to ${number(bar.high)}`);
    make(row, "td", { class: "detail" }, bar.detail);
  }
}

function drawBar(cell, bar, at) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-1 0 102 16");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const left = at(Math.min(bar.value, 0)), low = at(bar.low), high = at(bar.high);
  make(svg, "rect", { class: "value", y: 3, height: 10, x: left, width: Math.max(at(bar.value), at(0)) - left });
  make(svg, "path", { class: "whisker", d: `M${low} 8H${high}M${low} 4V12M${high} 4V12` });
  cell.appendChild(svg);
}

// ---- tables

function fillTable(table, columns, rows, missing) {
  table.replaceChildren();
  if (rows.length === 0) {
    make(make(make(table, "tbody"), "tr"), "td", { class: "missing" }, missing);
    return;
  }
  const head = make(make(table, "thead"), "tr");
  for (const { title, figure } of columns) make(head, "th", { scope: "col", ...(figure && { class: "figure" }) }, title);
  const body = make(table, "tbody");
  for (const one of rows) {
    const row = make(body, "tr");
    for (const { of, figure } of columns) make(row, "td", figure ? { class: "figure" } : {}, of(one));
  }
}

const between = (low, high) => `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %`;

function showMatches() {
  fillTable(byId("matches"), [
    { title: "agent", of: (m) => m.agent },
    { title: "opponent", of: (m) => m.opponent },
    { title: "score", figure: true, of: (m) => percent(m.score) },
    { title: "interval", figure: true, of: (m) => between(m.low, m.high) },
    { title: "wins", figure: true, of: (m) => m.wins },
    { title: "draws", figure: true, of: (m) => m.draws },
    { title: "losses", figure: true, of: (m) => m.losses },
    { title: "mean goal", figure: true, of: (m) => number(m.goal_mean) },
    { title: "", of: (m) => m.final ? "final" : "" },
  ], view.matches, "No matches were played yet.");
}

function showChecks() {
  fillTable(byId("checks"), [
    { title: "generation", of: (c) => c.generation },
    { title: "agent", of: (c) => c.agent === "net" ? "with search" : "policy alone" },
    { title: "errors", figure: true, of: (c) => percent(c.error) },
    { title: "interval", figure: true, of: (c) => between(c.low, c.high) },
    { title: "value lost", figure: true, of: (c) => number(c.loss) },
    { title: "positions", figure: true, of: (c) => c.positions },
  ], view.checks, "This run was not checked against solved positions yet.");
}

function showSettings() {
  const body = byId("settings-table").querySelector("tbody");
  body.replaceChildren();
  for (const s of view.settings) {
    const row = make(body, "tr", s.changed ? { class: "changed" } : {});
    make(row, "th", { scope: "row" }, s.key);
    make(row, "td", { class: "figure" }, s.value);
    make(row, "td", { class: "figure" }, s.default);
    make(row, "td", {}, s.doc);
  }
}

// ---- events

const shapeOf = (v) => JSON.stringify(v.sections.map((s) => [s.id, s.charts.map((c) => c.id), (s.ladders || []).map((l) => l.id)]));

// take shows a whole view: the first one, or the one after the connection was lost.
function take(next) {
  const same = view && shapeOf(view) === shapeOf(next);
  view = next;
  showRun();
  showFacts();
  showWarnings();
  showParts();
  if (same) {
    for (const section of view.sections) {
      section.charts.forEach(showChart);
      (section.ladders || []).forEach(showLadder);
    }
    showNotes();
  } else {
    buildSections();
  }
  showMatches();
  showChecks();
  showSettings();
  tellGames();
}

function tellGames() {
  if (view.sections.length === 0) return;
  games ||= new GameViewer(name);
  games.tell(view.run, view.checkpoints);
}

// merged puts the new points of a line behind those that it keeps.
function merged(line, old) {
  const next = { ...line };
  for (const key of ["x", "y", "low", "high"]) {
    if (line[key] || (old && old[key] && line.keep > 0)) next[key] = [...(line.keep > 0 ? old[key].slice(0, line.keep) : []), ...(line[key] || [])];
  }
  return next;
}

// change shows what has changed.
function change(c) {
  view.run = c.run;
  showRun();
  if (c.facts) { view.facts = c.facts; showFacts(); }
  if (c.warnings) { view.warnings = c.warnings; showWarnings(); }
  for (const [i, section] of view.sections.entries()) {
    section.note = (c.notes || [])[i];
    for (const [j, old] of section.charts.entries()) {
      const next = (c.charts || []).find((chart) => chart.id === old.id);
      if (!next) continue;
      const lines = next.lines.map((line, k) => merged(line, (old.lines || [])[k]));
      section.charts[j] = { ...next, lines: lines.length > 0 ? lines : undefined };
      showChart(section.charts[j]);
    }
    for (const [j, old] of (section.ladders || []).entries()) {
      const next = (c.ladders || []).find((ladder) => ladder.id === old.id);
      if (next) { section.ladders[j] = next; showLadder(next); }
    }
  }
  showNotes();
  if (c.matches) { view.matches = c.matches; showMatches(); }
  if (c.checks) { view.checks = c.checks; showChecks(); }
  if (c.checkpoints) view.checkpoints = c.checkpoints;
  tellGames();
}

startTheme();
byId("name").textContent = name;
follow(`/api/run/events?name=${encodeURIComponent(name)}`, { view: take, change }, (text) => {
  refusal = text;
  if (view) showRun();
  else tellMessage(text);
});
