// An agent's analysis of a position, shown as marks on the board, as a table and as a meter. An analysis is the engine's reply to
// analyze.
import { coloursOf, summed } from "./board.js";
import { make } from "./dom.js";
import { percent, utility } from "./format.js";

const listed = 5; // moves in the table before it shows all
// Least weights of marks on the board, relative to the strongest. A search visits each of its 16 candidates, so few visits mean little.
const minPrior = 0.03, minVisits = 0.25;

// A request is one to analyze: { game, moves, agent, simulations }; without simulations the agent makes its own number of them.
const keyOf = ({ game, moves, agent, simulations = 0 }) => JSON.stringify([game, agent, simulations, ...moves]);

export const sameRequest = (a, b) => keyOf(a) === keyOf(b);

// AnalysisCache keeps analyses by request, and runs one at a time.
export class AnalysisCache {
  constructor(engine) {
    this.engine = engine;
    this.analyses = new Map();
  }

  get(request) { return this.analyses.get(keyOf(request)); }
  isRunning(request) { return this.current?.key === keyOf(request); }

  // run returns a promise of the analysis. It stops a running analysis of another request.
  run(request) {
    const key = keyOf(request);
    if (this.analyses.has(key)) return Promise.resolve(this.analyses.get(key));
    if (this.current?.key === key) return this.current.promise;
    this.stop();
    const controller = new AbortController(), current = { key, controller };
    current.promise = this.engine.analyze(request, controller.signal)
      .then((analysis) => { this.analyses.set(key, analysis); return analysis; })
      .finally(() => { if (this.current === current) this.current = undefined; });
    this.current = current;
    return current.promise;
  }

  stop() {
    this.current?.controller.abort();
    this.current = undefined;
  }
}

// boardMarks returns shades and numbers for Board.show: of the prior, the visits or both, and of the selected piece's moves only,
// if one is selected. For an agent without a network the visits stand for its prior; where a proof needed no visits, the prior stands
// for them. If value is on and the agent has values, a number is that of the best move to that cell, for the first player; else, if
// visits are on, the sum of the visits. A number of a step stands beside its arrow.
export function boardMarks(analysis, actions, { prior, visits, value }, players, selected) {
  const moves = (analysis?.moves || []).map((move) => ({ ...move, ...actions[move.move] }))
    .filter(({ from, to }) => to >= 0 && (selected === undefined || from === selected));
  const searched = analysis?.simulations > 0;
  const byPrior = prior || !searched, minWeight = byPrior ? minPrior : minVisits;
  const weightOf = (move) => (byPrior ? move.prior ?? move.visits : move.visits) || 0;
  const byWeight = moves.map((move) => ({ ...move, weight: weightOf(move) })).sort((a, b) => b.weight - a.weight);
  const strong = byWeight.filter(({ weight }) => weight > minWeight * byWeight[0].weight), steps = moves.some(({ from }) => from >= 0);
  const numbered = steps && strong.length > 0 ? strong : moves, best = new Map(); // by cell, for the player to move
  for (const { to, value } of numbered) if (value != null) best.set(to, Math.max(value, best.get(to) ?? -1));
  const values = () => [...best].map(([to, value]) => [to, utility(valueForFirst(value, analysis.player, players), 2)]);
  return {
    places: !steps, shades: prior || visits || (value && steps) ? strong : [],
    numbers: value && best.size > 0 ? values() : visits ? summed(numbered.filter(({ visits }) => visits > 0).map(({ to, visits }) => [to, visits])) : [],
  };
}

// valueForFirst turns a value of an analysis, which is for its player to move, into one for the first player; null stays.
export const valueForFirst = (value, player, players) => value == null || player === players[0] ? value : -value;

// showAnalysisTable lists an analysis' best moves, or all of them, in the table in box, below the position itself; the chosen move comes
// first. name is the agent's. It has the columns that the agent knows. Values are for the first player.
export function showAnalysisTable(box, { moves, simulations, player, value }, { players }, name, all) {
  const valueOf = (x) => valueForFirst(x, player, players);
  const columns = [
    { title: "prior", of: ({ prior }) => prior, show: percent }, { title: "visits", of: ({ visits }) => visits, show: (n) => n ?? "–" },
    { title: `value for ${players[0]}`, of: ({ value }) => valueOf(value), show: utility },
  ].filter(({ of }) => moves.some((move) => of(move) != null));
  const [head, body] = ["thead", "tbody"].map((part) => box.querySelector(part));
  for (const part of [head, body]) part.replaceChildren();
  const titles = make(head, "tr");
  make(titles, "th", { scope: "col" }, "move");
  for (const { title } of columns) make(titles, "th", { scope: "col", class: "figure" }, title);
  const addRow = (first, texts) => {
    const row = make(body, "tr");
    make(row, "th", { scope: "row" }, first);
    for (const text of texts) make(row, "td", { class: "figure" }, text);
  };
  if (value != null) addRow("position", columns.map(({ show }) => show === utility ? utility(valueOf(value)) : ""));
  for (const move of all ? moves : moves.slice(0, listed)) addRow(move === moves[0] ? `${move.move} (chosen)` : move.move, columns.map(({ of, show }) => show(of(move))));
  const button = box.querySelector("button");
  button.hidden = moves.length <= listed;
  button.textContent = all ? `Show the best ${listed} moves` : `Show all ${moves.length} moves`;
  button.setAttribute("aria-expanded", all);
  box.querySelector("p").textContent = name + (simulations > 0 ? `, ${simulations} simulations` : "") +
    (columns.length === 0 ? "; it says no more than its move." : columns.some(({ show }) => show === utility) ? `; ${player} to move. Values are for ${players[0]}: 1 is won, -1 lost.` : ".");
}

// showValueMeter shows the value of the analysed position for the first player, in the players' colours.
export function showValueMeter(meter, analysis, { players, pieces, goalHead }) {
  const value = valueForFirst(analysis.value, analysis.player, players);
  const goals = analysis.goals && goalHead ? `; expected points at the end ${players.map((name) => Math.round(analysis.goals[name])).join(" to ")}` : "";
  const text = value == null ? "this agent gives no values" : `${utility(value)} for ${players[0]}${goals}${analysis.proven ? "; proven" : ""}`;
  meter.setAttribute("aria-label", `value for ${players[0]}`);
  meter.setAttribute("aria-valuenow", (value ?? 0).toFixed(3));
  meter.setAttribute("aria-valuetext", text);
  meter.querySelector(".first").textContent = players[0];
  meter.querySelector(".second").textContent = players[1];
  [".share", ".track"].forEach((part, seat) => {
    meter.querySelector(part).className = `${part.slice(1)} ${coloursOf(pieces.find(({ side }) => side === seat))}`;
  });
  meter.querySelector(".share").style.width = `${50 + 50 * (value ?? 0)}%`;
  meter.querySelector("p").textContent = text;
}
