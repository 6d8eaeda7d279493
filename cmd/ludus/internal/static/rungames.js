// The games of a run, to step through: those of self-play with what the search found, and recorded matches; and what an agent
// makes of any of their positions now.
import { byId, make, percent, plain, utility } from "./dom.js";
import { Board, summed } from "./board.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { playAddress } from "./runwords.js";
import { Stepper } from "./stepper.js";

const selfPlay = ""; // the source that is no file
const mostShown = 8; // rows of the table of moves
const simulationStops = [64, 256, 1024, 4096];

const shortened = (text) => text.length > 40 ? `${text.slice(0, 39)}…` : text;

// GameViewer fills #viewer. tell(run, checkpoints) says what there is now.
export class GameViewer {
  constructor(name) {
    this.name = name;
    this.engine = engineOverHTTP();
    this.stepper = new Stepper(() => this.showStep());
    this.generations = [];
    for (const n of simulationStops) make(byId("simulations"), "option", { value: n }, `${n} simulations`);
    byId("source").addEventListener("change", () => this.guard(this.chooseSource()));
    byId("generation").addEventListener("change", () => this.guard(this.listGames()));
    byId("game").addEventListener("change", () => this.guard(this.open()));
    for (const id of ["ask", "checkpoint", "simulations"]) byId(id).addEventListener("change", () => this.judge());
  }

  // ---- what there is to choose from

  tell(run, checkpoints) {
    const before = this.run;
    this.run = run;
    this.tellCheckpoints(checkpoints);
    const another = before && (before.game !== run.game || before.generation > run.generation); // has taken its place
    if (!this.begun || another) this.guard(this.begin());
    else if (this.description && run.generation > (this.generations.at(-1) || 0)) this.guard(this.tellGenerations(false));
  }

  tellCheckpoints(checkpoints) {
    const select = byId("checkpoint"), chosen = select.value;
    const texts = checkpoints.join();
    if (texts === this.checkpointTexts || document.activeElement === select) return; // nobody's open list changes
    this.checkpointTexts = texts;
    select.replaceChildren();
    make(select, "option", { value: "" }, "newest checkpoint");
    if (this.run.rating) make(select, "option", { value: "@best" }, "best checkpoint");
    for (const g of [...checkpoints].reverse()) make(select, "option", { value: `@${g}` }, `generation ${g}`);
    select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  }

  ask(path, query = {}) {
    return getJSON(`/api/run/${path}?${new URLSearchParams({ name: this.name, ...query })}`);
  }

  // guard shows what went wrong in place of a game.
  async guard(work) {
    try {
      await work;
      byId("trouble").hidden = true;
    } catch (error) {
      byId("trouble").textContent = error.message;
      byId("trouble").hidden = false;
    }
  }

  async begin() {
    this.begun = true;
    try {
      const { matches } = await this.ask("matches");
      this.description = await this.engine.describe({ game: this.run.game });
      this.board = new Board(byId("board"), this.description);
      for (const id of ["source", "generation"]) byId(id).replaceChildren();
      make(byId("source"), "option", { value: selfPlay }, "self-play");
      for (const m of matches) make(byId("source"), "option", { value: m.file }, `${m.file}: ${shortened(m.a)} against ${shortened(m.b)}`);
      byId("generation-label").hidden = false;
    } catch (error) {
      this.begun = false; // with the next news
      throw error;
    }
    await this.tellGenerations(true);
  }

  // tellGenerations lists the generations that games ended in, the newest first.
  async tellGenerations(open) {
    const select = byId("generation"), chosen = select.value;
    if (document.activeElement === select) return; // nobody's open list changes
    const { generations } = await this.ask("games");
    this.generations = generations;
    select.replaceChildren();
    for (const g of [...generations].reverse()) make(select, "option", { value: g }, g);
    if (chosen !== "") select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    if (open || chosen === "") await this.listGames();
  }

  async chooseSource() {
    byId("generation-label").hidden = byId("source").value !== selfPlay;
    await this.listGames();
  }

  // query names the games that are chosen from.
  query() {
    const file = byId("source").value;
    return file === selfPlay ? ["games", { generation: byId("generation").value }] : ["matches", { file }];
  }

  async listGames() {
    const [path, query] = this.query();
    byId("game").replaceChildren();
    byId("table").hidden = true;
    if (query.generation === "") throw new Error("No game has ended yet.");
    const { players, games } = await this.ask(path, query);
    for (const g of games) {
      const first = g.first ? `${shortened(g.first)} first, ` : "";
      make(byId("game"), "option", { value: g.number }, `${g.number}: ${first}${g.plies} plies, ${players[0]} ${g.goals[0]}, ${players[1]} ${g.goals[1]}`);
    }
    if (games.length === 0) throw new Error("No game ended in this generation.");
    await this.open();
  }

  async open() {
    const [path, query] = this.query();
    const game = byId("game").value;
    const opened = await this.ask(path, { ...query, game });
    if (game !== byId("game").value) return; // another one was chosen meanwhile
    this.game = opened;
    byId("table").hidden = false;
    const moves = opened.steps.slice(0, -1).map(({ move, player }) => ({ text: move.move, player }));
    this.stepper.open(this.description.players, moves, opened.goals, opened.steps.map((step) => step.value));
  }

  // ---- showing

  get at() { return this.stepper.at; }

  // played are the moves before the position shown.
  get played() { return this.game.steps.slice(0, this.at).map((step) => step.move.move); }

  showStep() {
    byId("on").hidden = !this.run.agent || this.at === this.game.steps.length - 1;
    if (this.run.agent) byId("on").href = playAddress(this.run.game, this.run.agent, this.played);
    this.judge();
  }

  // judge shows the position with what the search had found, or with what the chosen agent finds now.
  async judge() {
    if (!this.game) return;
    if (this.searching) this.searching.abort();
    this.searching = undefined;
    const position = this.game.steps[this.at];
    this.show(position, position.policy || [], "share");
    if (!byId("ask").checked || !position.move) return;
    const searching = this.searching = new AbortController();
    byId("told").textContent = "The agent is thinking …";
    try {
      const analysis = await this.engine.analyze({
        game: this.run.game, moves: this.played,
        agent: `net:${this.name}${byId("checkpoint").value}`, simulations: Number(byId("simulations").value),
      }, searching.signal);
      if (searching === this.searching) this.showAnalysis(position, analysis);
    } catch (error) {
      if (searching === this.searching) byId("told").textContent = error.message;
    }
  }

  showAnalysis(position, analysis) {
    const judged = analysis.moves.map((m) => ({ ...m, ...this.description.actions[m.move] }));
    const total = judged.reduce((sum, m) => sum + (m.visits || 0), 0) || 1;
    for (const m of judged) m.share = (m.visits || 0) / total;
    this.show(position, judged.filter((m) => m.visits > 0), "visits");
    const sign = position.player === 0 ? 1 : -1;
    this.tellValue(analysis.value == null ? null : sign * analysis.value, analysis.proven);
    this.tellMoves(position, judged, [
      { title: "visits", of: (m) => m.visits ?? "–" }, { title: "value", of: (m) => utility(m.value) }, { title: "prior", of: (m) => percent(m.prior) },
    ]);
    byId("told").textContent = `● played, by ${this.game.agents[position.player]}. Found now by ${byId("checkpoint").selectedOptions[0].text} with ` +
      `${analysis.simulations} simulations; values of moves are for ${this.description.players[position.player]}, who is to move.`;
  }

  show(position, shades, kind) {
    const before = this.game.steps[this.at - 1];
    const placed = shades.filter((m) => m.to >= 0);
    const numbers = [...summed(placed.map((m) => [m.to, kind === "visits" ? m.visits : m.share]))];
    this.board.show(position, {
      last: before && before.move, played: position.move,
      shades: placed.map(({ from, to, share }) => ({ from, to, weight: share })),
      numbers: numbers.map(([cell, n]) => [cell, kind === "visits" ? n : `${Math.round(100 * n)}`]),
    });
    byId("status").textContent = position.status;
    this.tellValue(position.value, position.proven && position.move);
    this.tellMoves(position, shades, [{ title: "share", of: (m) => percent(m.share) }]);
    byId("told").textContent = this.notes(position);
  }

  notes(position) {
    if (!position.move) return "";
    if (position.random) return "● played: the game was opened by moves drawn at random or from the policy, which teach nothing.";
    if (position.policy) return "● played. Shares, in %, are what the search made of the moves and the network was taught; numbers on the board are theirs.";
    return `● played, by ${this.game.agents[position.player]}.`;
  }

  tellValue(value, proven) {
    byId("value").textContent = value == null ? "" : `Value for ${this.description.players[0]}: ${utility(value)}${proven ? ", proven" : ""}`;
  }

  tellMoves(position, moves, columns) {
    const head = byId("moves").querySelector("thead"), body = byId("moves").querySelector("tbody");
    head.replaceChildren();
    body.replaceChildren();
    if (!position.move) return;
    const shown = moves.filter((m, i) => i < mostShown || m.move === position.move.move);
    if (!shown.some((m) => m.move === position.move.move)) shown.push({ move: position.move.move, share: null });
    const titles = make(head, "tr");
    make(titles, "th", { scope: "col" }, "move");
    for (const { title } of columns) make(titles, "th", { scope: "col", class: "figure" }, title);
    for (const m of shown) {
      const played = m.move === position.move.move;
      const row = make(body, "tr", played ? { class: "played" } : {});
      make(row, "th", { scope: "row" }, plain(m.move) + (played ? " ●" : ""));
      for (const { of } of columns) make(row, "td", { class: "figure" }, of(m));
    }
  }
}
