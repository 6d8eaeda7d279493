// An agent's analysis of a position, shown as marks on the board, as a table and as a meter. An analysis is the engine's reply to
// analyze.
import { coloursOf, summed } from "./board.js";
import { make } from "./dom.js";
import { percent, score } from "./format.js";

const listed = 5; // moves in the table before it shows all
export const minWeight = 0.1; // least weight of marks on the board, relative to the strongest

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

// worth returns how good a move with a value for the player to move is beside the best one: 1 for the best, a third at 11 per cent
// of expected score less, near 0 for a move that throws the game away.
export const worth = (value, best) => Math.exp((value - best) / 0.2);

// boardMarks returns shades, numbers and the chosen move for Board.show: of the selected piece's moves only, if one is selected. Shades
// show what moves are worth, or the prior if it alone is wanted or the agent gives no values. If value is on and the agent has
// values, a number is the expected score of the first player after the best move to that cell; else, if visits are on, the sum of
// the visits. A number of a step stands beside its arrow.
export function boardMarks(analysis, actions, { prior, visits, value }, players, selected) {
  const all = (analysis?.moves || []).map((move) => ({ ...move, ...actions[move.move] }));
  const moves = all.filter(({ from, to }) => to >= 0 && (selected === undefined || from === selected)), steps = moves.some(({ from }) => from >= 0);
  const values = all.map(({ value }) => value).filter((value) => value != null), most = Math.max(...values);
  const byWorth = (visits || value) && values.length > 0;
  const weightOf = (move) => byWorth ? (move.value == null ? 0 : worth(move.value, most)) : move.prior ?? move.visits ?? 0;
  const weighed = moves.map((move) => ({ ...move, weight: weightOf(move) })).sort((a, b) => b.weight - a.weight);
  const strong = weighed.filter(({ weight }) => weight > minWeight * weighed[0].weight);
  const numbered = steps && strong.length > 0 ? strong : moves, best = new Map(); // by cell, for the player to move
  for (const { to, value } of numbered) if (value != null) best.set(to, Math.max(value, best.get(to) ?? -1));
  const scores = () => [...best].map(([to, value]) => [to, score(valueForFirst(value, analysis.player, players), 0).replace(" %", "")]);
  const shown = prior || visits || value;
  return {
    places: !steps, shades: shown ? strong : [], chosen: shown ? moves.find(({ move }) => move === all[0].move) : undefined,
    numbers: value && best.size > 0 ? scores() : visits ? summed(numbered.filter(({ visits }) => visits > 0).map(({ to, visits }) => [to, visits])) : [],
  };
}

// valueForFirst turns a value of an analysis, which is for its player to move, into one for the first player; null stays.
export const valueForFirst = (value, player, players) => value == null || player === players[0] ? value : -value;

// showAnalysisTable lists an analysis' best moves, or all of them, in the table in box, below the position itself; the chosen move comes
// first. name is the agent's. It has the columns that the agent knows. Scores are the first player's.
export function showAnalysisTable(box, { moves, simulations, player, value }, { players }, name, all) {
  const valueOf = (x) => valueForFirst(x, player, players);
  const columns = [
    { title: "prior", of: ({ prior }) => prior, show: percent }, { title: "visits", of: ({ visits }) => visits, show: (n) => n ?? "–" },
    { title: `score of ${players[0]}`, of: ({ value }) => valueOf(value), show: score },
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
  if (value != null) addRow("position", columns.map(({ show }) => show === score ? score(valueOf(value)) : ""));
  for (const move of all ? moves : moves.slice(0, listed)) addRow(move === moves[0] ? `${move.move} (chosen)` : move.move, columns.map(({ of, show }) => show(of(move))));
  const button = box.querySelector("button");
  button.hidden = moves.length <= listed;
  button.textContent = all ? `Show the best ${listed} moves` : `Show all ${moves.length} moves`;
  button.setAttribute("aria-expanded", all);
  box.querySelector("p").textContent = name + (simulations > 0 ? `, ${simulations} simulations` : "") +
    (columns.length === 0 ? "; it says no more than its move." : `; ${player} to move.`);
}

// showValueMeter shows the expected score of the first player, in the players' colours.
export function showValueMeter(meter, analysis, { players, pieces, goalHead }) {
  const value = valueForFirst(analysis.value, analysis.player, players);
  const goals = analysis.goals && goalHead ? `; expected points at the end ${players.map((name) => Math.round(analysis.goals[name])).join(" to ")}` : "";
  const text = value == null ? "this agent gives no values" : `${players[0]} ${score(value, 0)}${goals}${analysis.proven ? "; proven" : ""}`;
  meter.setAttribute("aria-label", `expected score of ${players[0]}`);
  meter.setAttribute("aria-valuenow", (50 + 50 * (value ?? 0)).toFixed(1));
  meter.setAttribute("aria-valuetext", text);
  meter.querySelector(".first").textContent = players[0];
  meter.querySelector(".second").textContent = players[1];
  [".share", ".track"].forEach((part, seat) => {
    meter.querySelector(part).className = `${part.slice(1)} ${coloursOf(pieces.find(({ side }) => side === seat))}`;
  });
  meter.querySelector(".share").style.width = `${50 + 50 * (value ?? 0)}%`;
  meter.querySelector("p").textContent = text;
}
