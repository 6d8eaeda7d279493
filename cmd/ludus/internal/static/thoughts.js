// What an agent thinks of a position: asked for once, and shown as marks on the board, as a table and as a meter. A view is what
// the engine replies to analyze.
import { make, percent, plain, utility } from "./dom.js";
import { summed } from "./board.js";

const listed = 5; // moves in the table
const faintest = 0.03; // of the strongest mark, below which a move gets none

// A question is a request to analyze: { game, moves, agent }.
const keyOf = ({ game, moves, agent }) => JSON.stringify([game, agent, ...moves]);

export const sameQuestion = (a, b) => keyOf(a) === keyOf(b);

// Studies keeps views by question, and works on one at a time.
export class Studies {
  constructor(engine) {
    this.engine = engine;
    this.views = new Map();
  }

  known(question) { return this.views.get(keyOf(question)); }
  busyWith(question) { return this.current?.key === keyOf(question); }

  // ask promises the view; another question that is being worked on is given up.
  ask(question) {
    const key = keyOf(question);
    if (this.views.has(key)) return Promise.resolve(this.views.get(key));
    if (this.current?.key === key) return this.current.promise;
    this.drop();
    const controller = new AbortController(), current = { key, controller };
    current.promise = this.engine.analyze(question, controller.signal)
      .then((view) => { this.views.set(key, view); return view; })
      .finally(() => { if (this.current === current) this.current = undefined; });
    this.current = current;
    return current.promise;
  }

  drop() {
    this.current?.controller.abort();
    this.current = undefined;
  }
}

// marksOf are a view's shades and numbers for Board.show, as far as wants = { policy, visits } says, of the moves of the chosen
// piece where there is one. An agent without a network has no policy but where its visits go.
export function marksOf(view, actions, { policy, visits }, chosen) {
  const moves = (view?.moves || []).map((move) => ({ ...move, ...actions[move.move] }))
    .filter(({ from, to }) => to >= 0 && (chosen === undefined || from === chosen));
  const weigh = (move) => (policy ? move.prior ?? move.visits : move.visits) || 0;
  const weighed = moves.map((move) => ({ ...move, weight: weigh(move) })).sort((a, b) => b.weight - a.weight);
  const visited = moves.filter((move) => move.visits > 0);
  return {
    shades: policy || visits ? weighed.filter(({ weight }) => weight > faintest * weighed[0].weight) : [],
    numbers: visits ? summed(visited.map(({ to, visits }) => [to, visits])) : [],
  };
}

// listThoughts writes a view's first moves into the table in box; who is the agent's name.
export function listThoughts(box, view, who) {
  const body = box.querySelector("tbody");
  body.replaceChildren();
  for (const { move, prior, visits, value } of view.moves.slice(0, listed)) {
    const row = make(body, "tr");
    make(row, "th", { scope: "row" }, plain(move));
    for (const text of [percent(prior), visits ?? "–", utility(value)]) make(row, "td", { class: "figure" }, text);
  }
  const rest = view.moves.length - listed;
  box.querySelector("p").textContent = `${who}, ${view.simulations} simulations; values are for ${view.player}.` +
    (rest > 0 ? ` ${rest} other ${rest === 1 ? "move" : "moves"}.` : "");
}

// drawMeter shows what a view's position is worth to the first player, and to the second the rest.
export function drawMeter(meter, view, players) {
  const value = view.value == null ? null : view.player === players[0] ? view.value : -view.value;
  const goals = view.goals ? `; expected goals ${players.map((name) => `${name} ${Math.round(view.goals[name])}`).join(", ")}` : "";
  const text = value == null ? "the agent does not judge positions" : `${utility(value)} for ${players[0]}${goals}${view.proven ? "; proven" : ""}`;
  meter.setAttribute("aria-label", `value for ${players[0]}`);
  meter.setAttribute("aria-valuenow", (value ?? 0).toFixed(3));
  meter.setAttribute("aria-valuetext", text);
  meter.querySelector(".first").textContent = players[0];
  meter.querySelector(".second").textContent = players[1];
  meter.querySelector(".share").style.width = `${50 + 50 * (value ?? 0)}%`;
  meter.querySelector("p").textContent = text;
}
