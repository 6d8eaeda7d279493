// The page of a report: its charts and, where there are some, its sample games on a drawn board.
import { byId, colour, make, percent, startTheme, utility } from "./dom.js";
import { drawChart, keepDrawn } from "./charts.js";
import { Board, summed } from "./board.js";

const data = JSON.parse(byId("data").textContent);

// ---- curves

// over is what curves by generation are drawn over; another choice than generations is there where runs are compared.
let over = "generation";
const axisNames = { games: "games", seconds: "seconds of training" };
const curves = [];

function placed(chart) {
  if (over === "generation" || !chart.lines[0].games) return chart;
  return { ...chart, x: axisNames[over], lines: chart.lines.map((line) => ({ ...line, x: line[over] })) };
}

function chooseAxis(event) {
  over = event.target.value;
  for (const curve of curves) curve.again();
}

function showCharts() {
  for (const figure of document.querySelectorAll("[data-chart]")) {
    const place = figure.querySelector(".plot");
    const chart = data.charts[figure.dataset.chart];
    if (!place) continue;
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${chart.title} by ${chart.x}; the newest figures stand in the table below`);
    curves.push(keepDrawn(place, () => drawChart(place, placed(chart))));
  }
}

// ---- games

function showGames() {
  const { board: description, samples } = data.games;
  const board = new Board(byId("board"), description);
  const viewer = document.querySelector(".viewer");
  let sample = samples[0], at = 0, curve;

  // drawPosition shows the search's visits too: shaded cells for pieces placed, arrows for pieces moved, strongest where most is.
  function drawPosition() {
    const position = sample.positions[at], before = sample.positions[at - 1];
    const moves = position.moves || [];
    const shown = moves.filter((m) => m.to >= 0 && m.visits > 0).sort((a, b) => b.visits - a.visits);
    board.show(position, {
      last: before && before.moves[before.played],
      played: moves[position.played],
      shades: shown.map(({ from, to, visits }) => ({ from, to, weight: visits })),
      numbers: summed(shown.map((m) => [m.to, m.visits])),
    });
  }

  function tellThoughts() {
    const position = sample.positions[at];
    const names = description.players;
    const body = byId("moves").querySelector("tbody");
    body.replaceChildren();
    const over = !position.moves;
    byId("moves").hidden = over;
    byId("status").textContent = position.status;
    byId("value").textContent = `Value for ${names[0]}: ${utility(position.value)}${over ? "" : position.proven ? ", proven" : ""}`;
    byId("unsearched").textContent = "";
    if (over) return;
    const most = 8;
    const shown = position.moves.filter((m, i) => i < most || i === position.played);
    for (const m of shown) {
      const row = make(body, "tr");
      const played = m === position.moves[position.played];
      if (played) row.className = "played";
      make(row, "th", { scope: "row" }, m.text + (played ? " ●" : ""));
      make(row, "td", { class: "figure" }, m.visits);
      make(row, "td", { class: "figure" }, utility(m.value));
      make(row, "td", { class: "figure" }, percent(m.prior));
    }
    const rest = position.legal - shown.length;
    const by = position.by ? "drawn at random" : `by ${sample.players[position.player]}`;
    byId("unsearched").textContent = `● played, ${by}. Values here are for ${names[position.player]}, who is to move. ` +
      (rest > 0 ? `${rest} other legal ${rest === 1 ? "move was" : "moves were"} searched less or not at all.` : "");
  }

  function listRecord() {
    const record = byId("record");
    record.replaceChildren();
    sample.positions.forEach((position, ply) => {
      const button = make(make(record, "li"), "button", { type: "button", "data-ply": ply });
      if (!position.moves) {
        make(button, "span", {}, `${description.players[0]} ${sample.goals[0]}, ${description.players[1]} ${sample.goals[1]}`);
      } else {
        make(button, "span", {}, `${ply + 1}. ${position.moves[position.played].text}`);
        make(button, "span", { class: "who" }, description.players[position.player]);
      }
      button.addEventListener("click", () => go(ply));
    });
  }

  function markRecord() {
    for (const button of byId("record").querySelectorAll("button")) {
      const now = Number(button.dataset.ply) === at;
      button.classList.toggle("now", now);
      if (!now) { button.removeAttribute("aria-current"); continue; }
      button.setAttribute("aria-current", "step");
      const list = byId("record"), top = button.offsetTop - list.offsetTop; // never scroll the page itself
      if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    }
  }

  const valueChart = () => ({
    x: "ply", unit: "", low: -1.05, high: 1.05,
    lines: [{ name: `value for ${description.players[0]}`, colour: 0, x: sample.positions.map((p, i) => i), y: sample.positions.map((p) => p.value), dots: true }],
  });

  // drawNow marks the position shown on the curve of values.
  function drawNow(plot) {
    const left = plot.valToPos(at, "x", true), { top, height } = plot.bbox;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("c1");
    plot.ctx.lineWidth = 2 * devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, top);
    plot.ctx.lineTo(left, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  function drawValues() {
    const plot = drawChart(byId("values"), valueChart(), { height: 150, legend: { show: false }, hooks: { draw: [drawNow] } });
    plot.over.addEventListener("click", () => { if (plot.cursor.idx != null) go(plot.cursor.idx); });
    return plot;
  }

  function go(ply) {
    at = Math.min(Math.max(ply, 0), sample.positions.length - 1);
    byId("ply").textContent = `ply ${at} of ${sample.positions.length - 1}`;
    for (const button of viewer.querySelectorAll("[data-go]")) {
      const back = button.dataset.go === "first" || button.dataset.go === "back";
      button.disabled = back ? at === 0 : at === sample.positions.length - 1;
    }
    drawPosition();
    tellThoughts();
    markRecord();
    curve.plot().redraw(false);
  }

  const steps = {
    first: () => go(0), back: () => go(at - 1), next: () => go(at + 1), last: () => go(sample.positions.length - 1),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

  samples.forEach((s, i) => make(byId("game"), "option", { value: i }, `${s.title}: ${s.goals[0]} to ${s.goals[1]}`));
  byId("game").addEventListener("change", (event) => {
    sample = samples[event.target.value];
    curve.plot().setData([sample.positions.map((p, i) => i), sample.positions.map((p) => p.value)]);
    listRecord();
    go(0);
  });
  for (const button of viewer.querySelectorAll("[data-go]")) button.addEventListener("click", () => steps[button.dataset.go]());
  viewer.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    steps[keys[event.key]]();
  });
  curve = keepDrawn(byId("values"), drawValues);
  listRecord();
  go(0);
}

startTheme();
showCharts();
if (data.games) showGames();
if (byId("axis")) byId("axis").addEventListener("change", chooseAxis);
