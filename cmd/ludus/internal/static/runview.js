// The parts of a run's page: facts, warnings, charts, ladders and settings, as report.Page of the server writes them. They fill
// elements of the page by id: facts, warnings, parts (links to the sections), sections, settings-table.
import { byId, make, makeSVG } from "./dom.js";
import { liveChart } from "./charts.js";
import { barScale, interval, number } from "./format.js";

// fillTable fills a table. A column is { title, text, figure, names }: text(row) is a cell's text, or draw(cell, row) fills it.
export function fillTable(table, columns, rows, missing = "", rowClass = () => "") {
  table.replaceChildren();
  if (rows.length === 0) {
    make(make(make(table, "tbody"), "tr"), "td", { class: "missing" }, missing);
    return;
  }
  const names = ({ figure, names }) => ({ class: figure ? "figure" : names || "" });
  const head = make(make(table, "thead"), "tr"), body = make(table, "tbody");
  for (const column of columns) make(head, "th", { scope: "col", ...names(column) }, column.title);
  for (const row of rows) {
    const line = make(body, "tr", { class: rowClass(row) });
    columns.forEach((column, i) => {
      const cell = make(line, i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : names(column));
      if (column.draw) column.draw(cell, row);
      else cell.textContent = column.text(row);
    });
  }
}

export class RunView {
  constructor() { this.charts = new Map(); } // by id: { figure, live }

  // show draws a page, or a new version of it without changing the reader's zoom and scroll position.
  show(page) {
    this.showFacts(page.facts || []);
    this.showWarnings(page.warnings || []);
    const sections = (page.sections || []).map((s) => ({ ...s, charts: s.charts || [], ladders: s.ladders || [] }));
    const shape = JSON.stringify(sections.map((s) => [s.id, s.charts.map((c) => c.id), s.ladders.map((l) => l.id)]));
    if (shape !== this.shape) this.build(sections);
    this.shape = shape;
    for (const section of sections) {
      byId(`${section.id}-note`).textContent = section.note || "";
      byId(`${section.id}-note`).hidden = !section.note;
      section.ladders.forEach(showLadder);
      section.charts.forEach((chart) => this.showChart(chart));
      showNewest(section);
    }
    fillTable(byId("settings-table"), [
      { title: "setting", text: (s) => s.key },
      { title: "value", figure: true, text: (s) => s.value },
      { title: "default", figure: true, text: (s) => s.default },
      { title: "meaning", text: (s) => s.doc },
    ], page.settings || [], "", (s) => s.changed ? "changed" : "");
  }

  showFacts(facts) {
    byId("facts").replaceChildren();
    for (const fact of facts) {
      const pair = make(byId("facts"), "div");
      make(pair, "dt", {}, fact.name);
      make(pair, "dd", {}, fact.value);
    }
  }

  showWarnings(warnings) {
    const list = byId("warnings").querySelector("ul");
    list.replaceChildren();
    for (const text of warnings) make(list, "li", {}, text);
    byId("warnings").hidden = warnings.length === 0;
  }

  // showParts makes the links to the sections and to other parts of the page, [id, title] each.
  showParts(sections, others) {
    byId("parts").replaceChildren();
    for (const [id, title] of [...sections.map((s) => [s.id, s.title]), ...others]) make(byId("parts"), "a", { href: `#${id}` }, title);
  }

  build(sections) {
    for (const { live } of this.charts.values()) live?.stop();
    this.charts.clear();
    byId("sections").replaceChildren();
    for (const section of sections) {
      const place = make(byId("sections"), "section", { id: section.id, "aria-labelledby": `${section.id}-title` });
      make(place, "h2", { id: `${section.id}-title` }, section.title);
      make(place, "p", { class: "note", id: `${section.id}-note` });
      for (const ladder of section.ladders) make(place, "div", { class: "card ladder", id: `ladder-${ladder.id}` });
      const charts = make(place, "div", { class: "charts" });
      for (const { id } of section.charts) this.charts.set(id, { figure: make(charts, "figure", { class: "card", "data-chart": id }) });
      const details = make(place, "details", { id: `${section.id}-newest`, ...(section.charts.length === 0 && { hidden: "" }) });
      make(details, "summary", {}, "Newest values as a table");
      make(details, "table", { class: "latest" });
    }
  }

  // showChart draws a chart for the first time, or updates it in place.
  showChart(chart) {
    const drawn = this.charts.get(chart.id);
    if (drawn.live && chart.lines) {
      drawn.live.show(chart);
      return;
    }
    drawn.live?.stop();
    drawn.live = undefined;
    drawn.figure.replaceChildren();
    const caption = make(drawn.figure, "figcaption");
    make(caption, "h3", {}, chart.title);
    if (chart.note) make(caption, "p", { class: "note" }, chart.note);
    if (!chart.lines) {
      make(drawn.figure, "p", { class: "missing" }, `Nothing to show: ${chart.missing}.`);
      return;
    }
    const place = make(drawn.figure, "div", { class: "plot", role: "img", "aria-label": `${chart.title} by ${chart.x}; the table below has the newest values` });
    drawn.live = liveChart(place, chart);
  }
}

// showNewest lists the newest value of every line of a section's charts.
function showNewest({ id, charts }) {
  const rows = charts.flatMap((chart) => (chart.lines || []).map((line) => ({ chart, line })));
  fillTable(byId(`${id}-newest`).querySelector("table"), [
    { title: "chart", text: ({ chart }) => chart.title },
    { title: "line", text: ({ line }) => line.name },
    {
      title: "newest", figure: true, text: ({ chart: { unit = "" }, line: { y, low, high } }) =>
        `${number(y.at(-1))}${low ? ` (${interval(low.at(-1), high.at(-1))})` : ""} ${unit}`.trim(),
    },
  ], rows, "Nothing to show.");
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
  const at = barScale(ladder);
  fillTable(make(card, "table"), [
    { title: ladder.names || "agent", text: (bar) => bar.name },
    { title: "", names: "strip", draw: (cell, bar) => drawBar(cell, bar, at) },
    { title: ladder.unit, figure: true, text: (bar) => number(bar.value) },
    { title: "interval", figure: true, text: (bar) => interval(bar.low, bar.high) },
    { title: ladder.details || "games", names: "detail", text: (bar) => bar.detail },
  ], ladder.bars, "", (bar) => bar.baseline ? "baseline" : "");
}

// drawBar draws a bar from 0 to its value, with whiskers for its interval.
function drawBar(cell, bar, at) {
  const svg = makeSVG(cell, { viewBox: "-1 0 102 16", preserveAspectRatio: "none", "aria-hidden": "true" });
  const left = at(Math.min(bar.value, 0)), low = at(bar.low), high = at(bar.high);
  make(svg, "rect", { class: "value", y: 3, height: 10, x: left, width: Math.max(at(bar.value), at(0)) - left });
  make(svg, "path", { class: "whisker", d: `M${low} 8H${high}M${low} 4V12M${high} 4V12` });
}
