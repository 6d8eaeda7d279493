// The page of a report: its charts and, where there are some, its sample games on a drawn board.
import { byId, make, percent, plain, startTheme, utility } from "./dom.js";
import { drawChart, keepDrawn } from "./charts.js";
import { Board, summed } from "./board.js";
import { Stepper } from "./stepper.js";

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
  const stepper = new Stepper(() => { drawPosition(); tellThoughts(); });
  let sample;

  // drawPosition shows the search's visits too: shaded cells for pieces placed, arrows for pieces moved, strongest where most is.
  function drawPosition() {
    const position = sample.positions[stepper.at], before = sample.positions[stepper.at - 1];
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
    const position = sample.positions[stepper.at];
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
      make(row, "th", { scope: "row" }, plain(m.text) + (played ? " ●" : ""));
      make(row, "td", { class: "figure" }, m.visits);
      make(row, "td", { class: "figure" }, utility(m.value));
      make(row, "td", { class: "figure" }, percent(m.prior));
    }
    const rest = position.legal - shown.length;
    const by = position.by ? "drawn at random" : `by ${sample.players[position.player]}`;
    byId("unsearched").textContent = `● played, ${by}. Values here are for ${names[position.player]}, who is to move. ` +
      (rest > 0 ? `${rest} other legal ${rest === 1 ? "move was" : "moves were"} searched less or not at all.` : "");
  }

  function open(chosen) {
    sample = chosen;
    const moves = sample.positions.slice(0, -1).map(({ moves, played, player }) => ({ text: moves[played].text, player }));
    stepper.open(description.players, moves, sample.goals, sample.positions.map((position) => position.value));
  }

  samples.forEach((s, i) => make(byId("game"), "option", { value: i }, `${s.title}: ${s.goals[0]} to ${s.goals[1]}`));
  byId("game").addEventListener("change", (event) => open(samples[event.target.value]));
  open(samples[0]);
}

startTheme();
showCharts();
if (data.games) showGames();
if (byId("axis")) byId("axis").addEventListener("change", chooseAxis);
