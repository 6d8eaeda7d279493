// The games of a run page: self-play games with what the search found, and an agent's analysis of any position.
import { byId, make } from "./dom.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { playAddress } from "./runinfo.js";
import { GameViewer } from "./viewer.js";

const simulationChoices = [64, 256, 1024, 4096];

const choices = `<label>Games of generation <select id="generation"></select></label>`;
const tools = `
<div class="controls asking">
<label class="tick"><input type="checkbox" id="ask"> Analyse now</label>
<label><span class="hidden">Checkpoint</span><select id="checkpoint"></select></label>
<label><span class="hidden">Simulations</span><select id="simulations"></select></label>
</div>`;
const actions = `<p class="actions"><a id="on" class="button">Play on from here</a></p>`;

// RunGames lets the reader choose games of the named run. update(run, checkpoints) says what there is now.
export class RunGames {
  constructor(name) {
    this.name = name;
    this.engine = engineOverHTTP();
    this.viewer = new GameViewer({ choices, tools, actions, onPosition: () => this.showPosition() });
    this.generations = [];
    for (const n of simulationChoices) make(byId("simulations"), "option", { value: n }, `${n} simulations`);
    byId("generation").addEventListener("change", () => this.report(this.listGames()));
    byId("game").addEventListener("change", () => this.report(this.open()));
    for (const id of ["ask", "checkpoint", "simulations"]) byId(id).addEventListener("change", () => this.analyze());
  }

  update(run, checkpoints) {
    const before = this.run;
    this.run = run;
    this.listCheckpoints(checkpoints);
    const replaced = before && (before.game !== run.game || before.generation > run.generation); // by another run of this name
    if (!this.begun || replaced) this.report(this.begin());
    else if (this.viewer.description && run.generation > (this.generations.at(-1) || 0)) this.report(this.listGenerations(false));
  }

  listCheckpoints(checkpoints) {
    const select = byId("checkpoint"), chosen = select.value;
    const texts = checkpoints.join();
    if (texts === this.checkpointTexts || document.activeElement === select) return; // an open list must not change
    this.checkpointTexts = texts;
    select.replaceChildren();
    make(select, "option", { value: "" }, "newest checkpoint");
    if (this.run.best) make(select, "option", { value: "@best" }, "best checkpoint");
    for (const g of [...checkpoints].reverse()) make(select, "option", { value: `@${g}` }, `generation ${g}`);
    select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  }

  // game is the game of the viewer: the run's, or on another size of its board.
  get game() { return this.viewer.description.game; }

  get(query = {}) {
    return getJSON(`/api/run/games?${new URLSearchParams({ name: this.name, ...query })}`);
  }

  // report shows an error of work.
  async report(work) {
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
      this.viewer.describe(await this.engine.describe({ game: this.run.game }));
      byId("generation").replaceChildren();
    } catch (error) {
      this.begun = false; // the next update tries again
      throw error;
    }
    await this.listGenerations(true);
  }

  // listGenerations lists the generations with games, the newest first, and opens one if open is true or none was listed.
  async listGenerations(open) {
    const select = byId("generation"), chosen = select.value;
    if (document.activeElement === select) return; // an open list must not change
    const { generations } = await this.get();
    this.generations = generations;
    select.replaceChildren();
    for (const g of [...generations].reverse()) make(select, "option", { value: g }, g);
    if (chosen !== "") select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    if (open || chosen === "") await this.listGames();
  }

  async listGames() {
    const generation = byId("generation").value;
    byId("game").replaceChildren();
    byId("table").hidden = true;
    if (generation === "") throw new Error("No game has ended yet.");
    const { players, games } = await this.get({ generation });
    for (const g of games) {
      make(byId("game"), "option", { value: g.number }, `${g.number}${g.board ? `, ${g.board}` : ""}: ${g.plies} plies, ${players[0]} ${g.goals[0]}, ${players[1]} ${g.goals[1]}`);
    }
    if (games.length === 0) throw new Error("No game ended in this generation.");
    await this.open();
  }

  async open() {
    const game = byId("game").value;
    const replay = await this.get({ generation: byId("generation").value, game });
    const resized = replay.game === this.game ? undefined : await this.engine.describe({ game: replay.game });
    if (game !== byId("game").value) return; // another one was chosen meanwhile
    if (resized) this.viewer.describe(resized); // the run trains several sizes of its board
    this.viewer.open(replay);
  }

  showPosition() {
    const { agent } = this.run;
    byId("on").hidden = !agent || !this.viewer.position.move;
    if (agent) byId("on").href = playAddress(this.game, agent, this.viewer.moves);
    this.analyze();
  }

  // analyze shows the chosen agent's analysis of the position, if wanted, in place of what the game's search found.
  async analyze() {
    this.searching?.abort();
    this.searching = undefined;
    const { viewer } = this;
    if (!viewer.replay) return;
    const { position } = viewer;
    viewer.show(position);
    if (!byId("ask").checked || !position.move) return;
    const searching = this.searching = new AbortController();
    byId("note").textContent = "Analysing …";
    try {
      const { value, proven, simulations, moves } = await this.engine.analyze({
        game: this.game, moves: viewer.moves,
        agent: `${this.run.agent}${byId("checkpoint").value}`, simulations: Number(byId("simulations").value),
      }, searching.signal);
      if (searching !== this.searching) return;
      const forFirst = value == null || position.player === 0 ? value : -value;
      const source = `Analysis by ${byId("checkpoint").selectedOptions[0].text}, ${simulations} simulations.`;
      viewer.show({ ...position, value: forFirst, proven, moves: moves.filter(({ visits }, i) => i === 0 || visits > 0) }, source);
    } catch (error) {
      if (searching === this.searching) byId("note").textContent = error.message;
    }
  }
}
