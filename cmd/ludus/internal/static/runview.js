// The parts of a run's page: facts, warnings, charts, ladders and settings, as report.Page of the server writes them. They fill
// elements of the page by id: doctor, facts, warnings, parts (links to the parts of the page), first (the first section), sections (the
// others), settings-table.
import { byId, make, makeSVG } from "./dom.js";
import { liveChart } from "./charts.js";
import { barScale, interval, number, quantity } from "./format.js";
import { drawCurve } from "./runinfo.js";

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
      const cell = make(line, i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : { ...names(column), "data-title": column.title });
      if (column.draw) column.draw(cell, row);
      else cell.textContent = column.text(row);
    });
  }
}

// showDiagnosis fills the element doctor with the server's doctor.Diagnosis: how good a run is, whether longer training would help, the
// next command, why it does not learn if that is known, and its curves beside recorded ones.
export function showDiagnosis({ summary, curves, findings: [finding] }) {
  const place = byId("doctor"), wasOpen = place.querySelector("details")?.open;
  place.replaceChildren();
  place.hidden = false;
  place.classList.toggle("healthy", !finding);
  make(place, "h2", { id: "doctor-title" }, finding ? `Why it may not learn: ${finding.cause}` : "How good is it?");
  for (const text of [...finding ? [finding.evidence, finding.fix] : [], ...summary.good, summary.longer].filter(Boolean)) make(place, "p", {}, text);
  if (summary.next) make(make(place, "p", {}, "Next: "), "code", {}, `ludus ${summary.next}`);
  if (curves.length === 0) return;
  const details = make(place, "details", wasOpen ? { open: "" } : {});
  make(details, "summary", {}, "Its curves, and what they should do");
  const references = { recorded: ({ recorded, values }) => recorded?.[values.length - 1], "shipped agent": (c) => c.shipped, "uniform play": (c) => c.uniform };
  fillTable(make(details, "table", { id: "curves", class: "stack" }), [
    { title: "curve", text: (c) => c.name },
    { title: "by generation", names: "curve", draw: (cell, c) => drawCurve(cell, c, "loss", c.name) },
    { title: "first", figure: true, text: (c) => quantity(c.values[0], c.unit) },
    { title: "newest", figure: true, text: (c) => quantity(c.values.at(-1), c.unit) },
    ...Object.entries(references).filter(([, value]) => curves.some((c) => value(c) !== undefined))
      .map(([title, value]) => ({ title, figure: true, text: (c) => value(c) === undefined ? "" : quantity(value(c), c.unit) })),
    { title: "in a healthy run", text: (c) => c.expected },
  ], curves);
  if (curves.some(({ recorded }) => recorded))
    make(details, "p", { class: "note" }, "Dashed, and “recorded”: recorded trainings of the game after as much training.");
}

const axes = { games: "games", seconds: "seconds of training" }; // of comparisons, beside generations

// withAxis returns a page with its charts by generation on another x axis.
function withAxis(page, axis) {
  const moved = (line) => ({ ...line, x: line[axis] });
  const charts = (section) => (section.charts || []).map((c) => c.lines?.[0].games ? { ...c, x: axes[axis], lines: c.lines.map(moved) } : c);
  return axis in axes ? { ...page, sections: page.sections.map((section) => ({ ...section, charts: charts(section) })) } : page;
}

export class RunView {
  // playing(name) returns the address of the page that plays against an agent of a ladder, "" if there is none.
  constructor({ playing = () => "" } = {}) {
    this.charts = new Map(); // by id: { figure, live }
    this.playing = playing;
    addEventListener("scroll", () => this.markPart(), { passive: true });
    new ResizeObserver(() => this.markPart()).observe(document.body); // parts that grow push others down
  }

  // offerAxes lets the reader choose the x axis of a page that compares runs.
  offerAxes(page) {
    byId("axes").hidden = false;
    byId("axis").addEventListener("change", ({ target }) => this.show(withAxis(page, target.value)));
  }

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
      section.ladders.forEach((ladder) => showLadder(ladder, this.playing));
      section.charts.forEach((chart) => this.showChart(chart));
      showNewest(section);
    }
    if (page.settings) showSettings(page.settings);
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

  // showParts makes links to the parts of the page: the first section, the parts after it, [id, title] each, the other sections, and
  // the last parts.
  showParts(sections, second, last) {
    const [first, ...others] = sections.map((s) => [s.id, s.title]), parts = [first, ...second, ...others, ...last].filter(Boolean);
    if (JSON.stringify(parts) === this.parts) return;
    this.parts = JSON.stringify(parts);
    byId("parts").replaceChildren();
    for (const [id, title] of parts) make(byId("parts"), "a", { href: `#${id}` }, title);
    this.markPart();
  }

  // markPart marks the link to the part that is read, and scrolls it into the row of links.
  markPart() {
    const nav = byId("parts"), links = [...nav.children], edge = nav.getBoundingClientRect().bottom + 0.2 * innerHeight;
    const current = links.findLast(({ hash }) => byId(hash.slice(1))?.getBoundingClientRect().top < edge) || links[0];
    if (!current || current.hasAttribute("aria-current")) return;
    for (const link of links) link.removeAttribute("aria-current");
    current.setAttribute("aria-current", "location");
    nav.scrollLeft = current.offsetLeft - 0.3 * nav.clientWidth;
  }

  build(sections) {
    for (const { live } of this.charts.values()) live?.stop();
    this.charts.clear();
    for (const id of ["first", "sections"]) byId(id).replaceChildren();
    for (const section of sections) {
      const parent = byId(section === sections[0] ? "first" : "sections");
      const place = make(parent, "section", { id: section.id, "aria-labelledby": `${section.id}-title` });
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
    const addressOf = (generation) => this.playing(`net@${generation}`); // empty for a deleted checkpoint
    const linked = chart.id === "rating" && chart.lines[0].x.some(addressOf);
    if (linked) make(caption, "p", { class: "note" }, "Click a point to play against that checkpoint, unless it is deleted.");
    const place = make(drawn.figure, "div", { class: "plot", role: "img", "aria-label": `${chart.title} by ${chart.x}; the table below has the newest values` });
    drawn.live = liveChart(place, chart, linked ? addressOf : undefined);
  }
}

function showSettings(settings) {
  fillTable(byId("settings-table"), [
    { title: "setting", text: (s) => s.key },
    { title: "value", figure: true, text: (s) => s.value },
    { title: "default", figure: true, text: (s) => s.default },
    { title: "meaning", text: (s) => s.doc },
  ], settings, "", (s) => s.changed ? "changed" : "");
}

// showNewest lists the newest value of every line of a section's charts.
function showNewest({ id, charts }) {
  const rows = charts.flatMap((chart) => (chart.lines || []).map((line) => ({ chart, line })));
  fillTable(byId(`${id}-newest`).querySelector("table"), [
    { title: "chart", text: ({ chart }) => chart.title },
    { title: "line", text: ({ line }) => line.name },
    {
      title: "newest", figure: true, text: ({ chart: { unit }, line: { y, low, high } }) =>
        quantity(y.at(-1), unit, low?.at(-1), high?.at(-1)),
    },
  ], rows, "Nothing to show.");
}

function showLadder(ladder, playing) {
  const card = byId(`ladder-${ladder.id}`);
  card.replaceChildren();
  make(card, "h3", {}, ladder.title);
  const playable = (ladder.bars || []).some(({ name }) => playing(name));
  const notes = [ladder.note, playable && "choose an agent to play against it"].filter(Boolean);
  if (notes.length > 0) make(card, "p", { class: "note" }, notes.join("; "));
  if (!ladder.bars) {
    make(card, "p", { class: "missing" }, `Nothing to show: ${ladder.missing}.`);
    return;
  }
  const at = barScale(ladder);
  fillTable(make(card, "table"), [
    { title: "agent", draw: (cell, bar) => drawName(cell, bar.name, playing(bar.name)) },
    { title: "", names: "strip", draw: (cell, bar) => drawBar(cell, bar, at) },
    { title: ladder.unit, figure: true, text: (bar) => number(bar.value, ladder.unit) },
    { title: "interval", figure: true, text: (bar) => bar.interval || interval(bar.low, bar.high, ladder.unit) },
    { title: "games", names: "detail", text: (bar) => bar.detail },
  ], ladder.bars, "", (bar) => bar.baseline ? "baseline" : "");
}

// drawName writes an agent's name, as a link that fills the row if there is an address.
function drawName(cell, name, address) {
  if (address) make(cell, "a", { href: address, title: `play against ${name}` }, name);
  else cell.textContent = name;
}

// drawBar draws a bar from 0 to its value, with whiskers for its interval.
function drawBar(cell, bar, at) {
  const svg = makeSVG(cell, { viewBox: "-1 0 102 16", preserveAspectRatio: "none", "aria-hidden": "true" });
  const left = at(Math.min(bar.value, 0)), low = at(bar.low), high = at(bar.high);
  make(svg, "rect", { class: "value", y: 3, height: 10, x: left, width: Math.max(at(bar.value), at(0)) - left });
  make(svg, "path", { class: "whisker", d: `M${low} 8H${high}M${low} 4V12M${high} 4V12` });
}
