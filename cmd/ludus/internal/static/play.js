// The play page: people and agents play on a board.
import { AnalysisCache, boardMarks, sameRequest, showAnalysisTable, showValueMeter } from "./analysis.js";
import { Board, drawPiece } from "./board.js";
import { byId, make, makeSVG, startTheme } from "./dom.js";
import { utility } from "./format.js";
import { GameHistory, readLink, writeLink } from "./history.js";
import { MoveList, pieceView } from "./movelist.js";
import { layout } from "./playlayout.js";
import { showRules, toggleRules } from "./rules.js";

const person = "person";
// Settings of the slider by simulations; 0 is the network alone. Those below the default are for agents without a strength dial.
const searchStrengths = [0, 4, 16, 64, 256, 1024, 4096].map((simulations) => ({ simulations }));
const defaultSimulations = 64; // of networks
const plainSimulations = 1024; // of searches without a network
const minAnalysis = 64; // least simulations of a hint or an analysis
const maxAnalysis = 16384; // most simulations of an analysis
const deeperBy = 4; // factor between the simulations of an analysis and of the next deeper one
const thinkingAfter = 1000; // milliseconds after which a note says that an agent is thinking
const moveTime = 500; // least milliseconds per move when agents play each other

// startPlay fills root with the app. engine has functions describe, position, choose, analyze and dial that return promises. Options:
//   game      its name
//   agents    [{ label, text, note, weakText }]; text is an agent spec or a function that makes one for a number of simulations, 0:
//             network alone; weakText, if the agent may have a strength dial, makes one for a rating in Elo; the menus show the note,
//             if there is one, after the label
//   seats     who plays in each seat at first: "person" or a label
//   readHash  whether the address may contain a position
//   more      an element to show at the end of the page
//   address   a function that returns the part of links before #
// It returns { stop, addAgent }: stop() ends everything and empties root, addAgent(agent, seat) adds an agent and seats it.
export function startPlay(root, engine, options) {
  const app = new App(root, engine, options);
  app.open();
  return { stop: () => app.stop(), addAgent: (agent, seat) => app.addAgent(agent, seat) };
}

const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// simulates says whether an agent's search takes a number of simulations.
const simulates = ({ text }) => typeof text === "function" || /^(zoo|net|mcts)\b/.test(text);

// offer adds an agent to the menu of a seat.
const offer = (select, { label, note }) => make(select, "option", { value: label }, note ? `${label} (${note})` : label);

class App {
  constructor(root, engine, options) {
    this.engine = engine;
    this.options = options;
    this.agents = [...options.agents];
    this.dials = new Map(); // levels of the agents' strength dials, by label
    this.work = new AbortController(); // of requests of the game: choosing and playing moves
    this.lifetime = new AbortController(); // of event listeners outside root
    this.analyses = new AnalysisCache(engine);
    this.paused = false;
    root.innerHTML = layout;
    if (options.more) byId("more").append(options.more);
    this.root = root;
    this.fillSeats();
    this.addListeners();
    startTheme();
  }

  stop() {
    for (const controller of [this.work, this.lifetime]) controller.abort();
    this.analyses.stop();
    this.root.replaceChildren();
  }

  // ---- setting up the page

  fillSeats() {
    const seats = this.options.seats || [person, this.agents[0].label];
    for (const box of this.root.querySelectorAll(".seat")) {
      const seat = Number(box.dataset.seat);
      makeSVG(box, pieceView);
      const name = make(box, "div");
      make(name, "label", { for: `seat${seat}` });
      make(name, "span", { class: "turn" });
      const select = make(box, "select", { id: `seat${seat}` });
      make(select, "option", { value: person }, "you");
      for (const agent of this.agents) offer(select, agent);
      select.value = seats[seat];
    }
    this.offerStrengths();
  }

  addListeners() {
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("new", () => this.restart());
    on("undo", () => this.undo());
    on("hint", () => this.hint());
    on("flip", () => this.flip());
    on("rules", () => toggleRules(byId("about")));
    on("pause", () => this.pause(!this.paused));
    on("step", () => this.step());
    on("retry", () => this.retry());
    on("resume", () => this.playOn());
    on("newest", () => { this.goTo(this.history.length); this.board.focus(); });
    on("back", () => this.goTo(this.ply - 1));
    on("forward", () => this.goTo(this.ply + 1));
    on("share", () => this.share());
    on("swap", () => this.swapSides());
    on("deeper", () => this.analyzeDeeper());
    on("extras", ({ target }) => { if (target.dataset.move) this.play(target.dataset.move); });
    for (const seat of [0, 1]) byId(`seat${seat}`).addEventListener("change", () => this.continueGame());
    for (const id of ["show-policy", "show-visits", "show-value"]) byId(id).addEventListener("change", () => this.draw());
    byId("verb").addEventListener("change", ({ target }) => { this.verb = target.value; this.draw(); });
    byId("strength").addEventListener("input", () => { this.wantedStrength = this.strength; this.showStrength(); });
    byId("strength").addEventListener("change", () => { this.deeper = undefined; this.draw(); });
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.lifetime.signal });
    if (this.options.readHash) addEventListener("hashchange", () => this.open(), { signal: this.lifetime.signal });
  }

  // onKey handles shortcuts of buttons, except in text fields and lists.
  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, textarea, input:not([type=range], [type=checkbox], [type=radio])")) return;
    const act = {
      u: () => byId("undo").click(), h: () => byId("hint").click(), f: () => byId("flip").click(), r: () => byId("rules").click(), n: () => byId("new").click(),
      "[": () => byId("back").click(), "]": () => byId("forward").click(), Escape: () => this.deselect(),
    }[event.key];
    if (!act || !this.history) return;
    event.preventDefault();
    act();
  }

  // ---- strength of the agents

  // strength is the setting of the slider: { simulations } or, on a strength dial, { elo, low, high }.
  get strength() { return this.strengths[byId("strength").value]; }

  // simulations are those of agents that are not weakened.
  get simulations() { return this.strength.simulations ?? defaultSimulations; }

  // askDials gets the strength dials of the seated agents that may have one.
  askDials() {
    for (const agent of [0, 1].map((seat) => this.agentOf(seat))) {
      if (!agent?.weakText || this.dials.has(agent.label)) continue;
      this.dials.set(agent.label, []);
      this.engine.dial({ game: this.description.game, agent: agent.text(defaultSimulations) }).then(({ levels }) => {
        this.dials.set(agent.label, levels);
        this.offerStrengths();
      }).catch(() => this.dials.delete(agent.label)); // until the next move the slider sets simulations
    }
  }

  // offerStrengths sets up the slider for the seated agents, as near as possible to the strength that people wanted. Without an
  // agent that it affects it is hidden.
  offerStrengths() {
    const seated = [0, 1].map((seat) => this.agentOf(seat)).filter(Boolean), slider = byId("strength");
    const network = seated.some(({ weakText }) => weakText);
    const levels = seated.map(({ label }) => this.dials.get(label) ?? []).find(({ length }) => length > 0) ?? [];
    const least = levels.length > 0 ? defaultSimulations : network ? 0 : 1; // only networks play without a search
    const searches = searchStrengths.filter(({ simulations }) => simulations >= least);
    const usual = { simulations: network ? defaultSimulations : plainSimulations };
    const wanted = this.wantedStrength ?? usual;
    const nearest = (list, key) => list.reduce((best, other) => Math.abs(other[key] - wanted[key]) < Math.abs(best[key] - wanted[key]) ? other : best);
    const chosen = wanted.simulations !== undefined ? nearest(searches, "simulations")
      : levels.length > 0 ? nearest(levels, "elo") : searches.find(({ simulations }) => simulations === usual.simulations);
    this.strengths = [...levels, ...searches];
    slider.max = this.strengths.length - 1;
    slider.value = this.strengths.indexOf(chosen);
    slider.parentElement.hidden = !seated.some(({ text }) => typeof text === "function");
    this.showStrength();
  }

  // playText returns the spec of an agent that plays with the strength of the slider, or that nearest to it on its own dial.
  playText(agent) {
    const { elo } = this.strength, levels = this.dials.get(agent.label) ?? [];
    if (elo === undefined || levels.length === 0) return this.textOf(agent, this.simulations);
    return agent.weakText(Math.min(Math.max(elo, levels[0].elo), levels.at(-1).elo));
  }

  showStrength() {
    const { simulations, elo, low, high } = this.strength;
    const top = this.strengths.findLast((strength) => strength.elo !== undefined)?.elo; // of the dial
    let text = simulations === 0 ? "network alone" : `${simulations} simulations`;
    if (elo !== undefined) text = `${elo} Elo (${low} to ${high})`;
    else if (top !== undefined) text += `, over ${top} Elo`;
    byId("strength").title = top !== undefined ? "Elo above random moves, with its 95 % interval" : "";
    byId("strength-text").textContent = text;
    byId("strength").setAttribute("aria-valuetext", text);
  }

  // ---- the game

  // open opens the position of the address, or the start.
  async open() {
    const signal = this.beginWork();
    this.setState("loading");
    this.attempt(signal, async () => {
      const description = await this.engine.describe({ game: this.options.game });
      let history = await new GameHistory(this.engine, description).replay([]), wrong;
      if (signal.aborted) return;
      this.setUpGame(description, history.newest);
      try {
        const link = this.options.readHash ? readLink(location.hash) : {};
        if (link.moves) history = await history.replay(link.moves);
        if (link.seats) this.setSeats(link.seats);
      } catch (error) {
        wrong = `The link cannot be opened: ${error.message}`;
      }
      if (signal.aborted) return;
      this.paused = history.length > 0 && this.onlyAgents; // show the linked position first
      this.setHistory(history);
      this.continueGame();
      if (wrong) this.showError(wrong);
    });
  }

  // setUpGame makes the board and the choices of a game; start is its first position.
  setUpGame(description, start) {
    this.description = description;
    this.makeBoard();
    this.list = new MoveList(byId("moves"), description, (ply) => this.goTo(ply));
    // The kinds of moves; the first one is that of the first legal move.
    this.kinds = [...new Set([...start.legal, ...Object.keys(description.actions)].map((move) => description.actions[move])
      .filter(({ to }) => to >= 0).map(({ kind }) => kind))];
    this.verb = this.kinds[0];
    showRules(byId("about"), description);
    for (const label of byId("verb").querySelectorAll("label")) label.remove();
    for (const kind of this.kinds) {
      const label = make(byId("verb"), "label");
      make(label, "input", { type: "radio", name: "verb", value: kind });
      label.append(kind);
    }
    for (const box of this.root.querySelectorAll(".seat")) {
      const seat = Number(box.dataset.seat);
      box.querySelector("svg").replaceChildren();
      this.drawSide(box.querySelector("svg"), seat);
      box.querySelector("label").textContent = description.players[seat];
      box.querySelector("select").setAttribute("aria-label", `${description.players[seat]} is played by`);
    }
  }

  // makeBoard makes the board, which is empty until it is drawn.
  makeBoard(flipped = false) {
    this.board = new Board(byId("board"), this.description, (cell, pointed) => this.pressCell(cell, pointed), flipped);
  }

  // flip turns the board by 180 degrees. The focus stays on its cell.
  flip() {
    const { tabStop, flipped } = this.board, focused = byId("board").contains(document.activeElement);
    this.makeBoard(!flipped);
    this.board.setTabStop(tabStop);
    this.draw();
    if (focused) this.board.focus();
  }

  // drawSide draws a player's piece.
  drawSide(svg, seat) { drawPiece(svg, this.description.pieces.find(({ side }) => side === seat), 0.5, 0.5); }

  // setSeats seats the players that a link names.
  setSeats(names) {
    const known = [person, ...this.agents.map((agent) => agent.label)];
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`there is no player “${unknown.slice(0, 60)}”; there are ${known.join(", ")}`);
    if (names.length !== 2) throw new Error("it must name the players of both seats");
    names.forEach((name, seat) => { byId(`seat${seat}`).value = name; });
  }

  swapSides() {
    const [first, second] = [0, 1].map((seat) => byId(`seat${seat}`));
    [first.value, second.value] = [second.value, first.value];
    this.continueGame();
  }

  addAgent(agent, seat) {
    if (!this.agents.some(({ label }) => label === agent.label)) {
      this.agents.push(agent);
      for (const i of [0, 1]) offer(byId(`seat${i}`), agent);
    }
    byId(`seat${seat}`).value = agent.label;
    this.continueGame();
  }

  // agentOf returns the agent in a seat, undefined for a person.
  agentOf(seat) { return this.agents.find(({ label }) => label === byId(`seat${seat}`).value); }
  get onlyAgents() { return Boolean(this.agentOf(0) && this.agentOf(1)); }

  textOf(agent, simulations) { return typeof agent.text === "function" ? agent.text(simulations) : agent.text; }

  // beginWork aborts all requests of the game, and returns the signal for new ones.
  beginWork() {
    this.work.abort();
    this.work = new AbortController();
    return this.work.signal;
  }

  // attempt runs act and shows its error, unless it was aborted.
  async attempt(signal, act) {
    try {
      await act();
    } catch (error) {
      if (signal.aborted) return;
      this.setState("error");
      this.showError(error.message);
    }
  }

  showError(text) { byId("message").textContent = text; }
  showNote(text) { byId("note").textContent = text; }
  clearNote(text) { if (byId("note").textContent === text) this.showNote(""); }

  // setHistory makes a history the current game and shows its end.
  setHistory(history) {
    this.history = history;
    this.seed ??= this.newSeed();
    this.goTo(history.length);
  }

  newSeed() { return this.options.seed ?? Math.floor(Math.random() * 2 ** 32); }

  // continueGame lets agents play until it is a person's turn.
  continueGame() {
    if (!this.history) return;
    const signal = this.beginWork();
    this.offerStrengths();
    this.askDials();
    if (!this.onlyAgents) this.paused = false;
    this.showError("");
    this.attempt(signal, () => this.playAgents(signal));
  }

  async playAgents(signal) {
    while (!signal.aborted) {
      const { done, player } = this.history.newest;
      if (done) return this.setState("over");
      const agent = this.agentOf(player);
      if (!agent) return this.setState("ready");
      if (this.paused) return this.setState("paused");
      this.setState("thinking");
      await this.playAgent(agent, signal);
    }
  }

  // playAgent plays an agent's move.
  async playAgent(agent, signal) {
    const { history } = this;
    if (this.onlyAgents) await this.showAnalysisFirst();
    if (signal.aborted) return;
    const pause = this.onlyAgents ? sleep(moveTime) : null, player = this.description.players[history.newest.player];
    const thinking = `${player} (${agent.label}) is thinking …`, timer = setTimeout(() => this.showNote(thinking), thinkingAfter);
    let longer;
    try {
      const { move } = await this.engine.choose({
        game: this.description.game, moves: history.moves, agent: this.playText(agent), seed: this.seed + history.length,
      }, signal);
      longer = await history.play(history.length, move);
    } finally {
      clearTimeout(timer);
      this.clearNote(thinking);
    }
    await pause;
    if (signal.aborted) return;
    this.showNote(`${player} (${agent.label}) played ${longer.moves.at(-1)}`);
    this.addMove(longer);
  }

  // showAnalysisFirst shows the wanted analysis before an agent moves, when people only watch.
  async showAnalysisFirst() {
    if (!this.wanted || this.ply < this.history.length) return;
    await this.analyses.run(this.request).catch((error) => { if (error.name !== "AbortError") throw error; });
    this.drawBoard();
    this.drawAnalysis();
  }

  // addMove shows a history with a new last move, which is animated.
  addMove(history) {
    this.arrived = history.cells(history.length);
    this.setHistory(history);
    this.arrived = undefined;
  }

  // play plays a person's move in the position shown, and drops the moves after it.
  play(move) {
    const signal = this.beginWork(), ply = this.ply;
    this.setState("thinking");
    this.showError("");
    this.attempt(signal, async () => {
      const longer = await this.history.play(ply, move);
      if (signal.aborted) return;
      this.showNote("");
      this.addMove(longer);
      await this.playAgents(signal);
    });
  }

  restart() {
    this.beginWork();
    this.analyses.stop();
    this.seed = this.newSeed();
    this.paused = false;
    this.showNote("");
    this.analyses = new AnalysisCache(this.engine);
    this.setHistory(this.history.first(0));
    this.continueGame();
  }

  // undoPly is the ply that an undo goes back to: the last one at which a person was to move, or just the last one if only agents
  // play; -1 if there is none.
  get undoPly() {
    for (let ply = this.history.length - 1; ply >= 0; ply--) {
      if (this.onlyAgents || !this.agentOf(this.history.positions[ply].player)) return ply;
    }
    return -1;
  }

  undo() {
    const ply = this.undoPly;
    if (ply < 0) return;
    this.paused = this.onlyAgents;
    this.showNote("");
    this.beginWork();
    this.setHistory(this.history.first(ply));
    this.continueGame();
  }

  // playOn drops the moves after the position shown.
  playOn() {
    this.beginWork();
    this.paused = false;
    this.setHistory(this.history.first(this.ply));
    this.continueGame();
    this.board.focus();
  }

  pause(paused) {
    this.paused = paused;
    this.goTo(this.history.length);
    this.continueGame();
  }

  step() {
    this.paused = true;
    const signal = this.beginWork(), agent = this.agentOf(this.history.newest.player);
    this.setState("thinking");
    this.attempt(signal, async () => {
      await this.playAgent(agent, signal);
      await this.playAgents(signal);
    });
  }

  retry() {
    if (this.history) this.continueGame();
    else this.open();
    this.board?.focus();
  }

  // ---- moves by hand

  // canMove says whether a person may move in the position shown.
  get canMove() {
    const position = this.history?.positions[this.ply];
    if (!position || position.done || this.agentOf(position.player)) return false;
    return this.ply < this.history.length ? this.state !== "loading" : this.state === "ready" || this.state === "error";
  }

  // choices are the legal moves of the position shown that are made on the board, of the chosen kind.
  get choices() {
    if (!this.canMove) return [];
    return this.history.positions[this.ply].legal.map((text) => ({ text, ...this.description.actions[text] }))
      .filter(({ kind, to }) => to >= 0 && (this.kinds.length < 2 || kind === this.verb));
  }

  // dropsTo says whether a piece dropped in the column of a cell falls to another cell.
  dropsTo(over, to) {
    const width = this.description.columns.length;
    return this.description.drops && over % width === to % width;
  }

  // pressCell selects or deselects a piece, or plays a move. In games with falling pieces a mouse or a finger may press any cell of
  // the column.
  pressCell(cell, pointed) {
    const { choices } = this;
    const move = choices.find(({ from, to }) => (to === cell || (pointed && this.dropsTo(cell, to))) && (from < 0 || from === this.selected));
    if (move) {
      this.selected = undefined;
      this.verb = this.kinds[0]; // other kinds are for one move
      this.play(move.text);
      return;
    }
    const { selected } = this;
    this.selected = cell !== selected && choices.some(({ from }) => from === cell) ? cell : undefined;
    this.clearNote(this.refusal);
    if (cell !== selected && this.selected === undefined) this.showNote(this.refusal = this.whyNot(cell, selected));
    this.draw();
  }

  // whyNot says in a few words why a press on a cell does nothing. selected is the cell of the piece that was selected before.
  whyNot(cell, selected) {
    const { choices, description } = this, { legal, player, pieces, done } = this.history.positions[this.ply];
    const name = this.board.name(cell), piece = description.pieces[pieces[cell] - 1];
    if (done) return "The game is over";
    if (this.agentOf(player)) return `It is ${description.players[player]}'s turn, which an agent plays`;
    if (!this.canMove) return "";
    if (choices.length === 0) return `You cannot move a piece; your move is: ${legal.join(", ")}`;
    if (choices.some(({ from }) => from >= 0)) {
      if (selected !== undefined) return `The piece on ${this.board.name(selected)} cannot move to ${name}`;
      if (!piece) return "Select one of your pieces first, then the cell to move it to";
      return piece.side === player ? `The piece on ${name} cannot move now` : `The piece on ${name} is ${piece.name}, not yours`;
    }
    const falls = choices.find(({ to }) => this.dropsTo(cell, to));
    if (falls) return `A piece dropped here falls to ${this.board.name(falls.to)}`;
    if (description.drops) return `Column ${description.columns[cell % description.columns.length]} is full`;
    return piece ? `${name} is taken: ${piece.name} is on it` : `No legal move on ${name}`;
  }

  deselect() {
    this.selected = undefined;
    this.draw();
  }

  // ---- drawing

  // setState changes the state: loading, ready, thinking, paused, over or error.
  setState(state) {
    this.state = state;
    document.body.dataset.state = state;
    this.setVisible("retry", state === "error");
    // Without a game there is nothing to do but to try again.
    for (const part of this.root.querySelectorAll(".panel, #new, #undo, #hint, #flip, #rules, #about")) part.hidden = state === "error" && !this.history;
    this.draw();
  }

  // goTo shows the position after ply moves.
  goTo(ply) {
    if (!this.history) return;
    this.ply = Math.min(Math.max(ply, 0), this.history.length);
    this.selected = undefined;
    this.hinted = undefined;
    this.deeper = undefined;
    if (this.ply < this.history.length) this.showNote(""); // it is about the newest move
    this.list.show(this.history.moves.map((move, i) => ({ move, player: this.history.positions[i].player })), this.ply);
    this.draw();
  }

  draw() {
    if (!this.history) return;
    this.updateVerb();
    this.drawControls();
    this.drawSeats();
    this.drawPosition();
    this.drawStatus();
  }

  // updateVerb keeps the kind of move among those that are legal now.
  updateVerb() {
    const { legal } = this.history.positions[this.ply];
    const can = this.kinds.filter((kind) => legal.some((move) => this.description.actions[move].kind === kind));
    if (can.length > 0 && !can.includes(this.verb)) this.verb = can[0];
    for (const radio of byId("verb").querySelectorAll("input")) {
      radio.checked = radio.value === this.verb;
      radio.disabled = can.length > 0 && !can.includes(radio.value);
    }
  }

  drawControls() {
    const { ply, history } = this, position = history.positions[ply], past = ply < history.length;
    this.enable("new", true);
    byId("new").classList.toggle("primary", history.newest.done);
    this.enable("share", true);
    this.enable("flip", true);
    this.enable("undo", this.undoPly >= 0);
    this.enable("hint", !position.done);
    this.enable("back", ply > 0);
    this.enable("forward", past);
    this.setVisible("pause", this.onlyAgents && !history.newest.done);
    this.setVisible("step", this.onlyAgents && !history.newest.done);
    byId("pause").textContent = this.paused ? "Go on" : "Pause";
    byId("pause").setAttribute("aria-pressed", this.paused);
    this.setVisible("verb", this.kinds.length > 1 && !this.onlyAgents && !position.done);
    this.setVisible("past", past);
    byId("past").querySelector("span").textContent = `Looking back: move ${ply} of ${history.length}.`;
    const loose = this.canMove ? position.legal.filter((text) => this.description.actions[text].to < 0) : [];
    const extras = byId("extras"), focused = extras.contains(document.activeElement);
    extras.replaceChildren();
    for (const text of loose) make(extras, "button", { type: "button", "data-move": text }, text[0].toUpperCase() + text.slice(1));
    if (focused) (extras.querySelector("button") || this.board).focus();
  }

  // enable switches a button on or off. If it has the focus, the board gets it.
  enable(id, on) {
    if (!on && document.activeElement === byId(id)) this.board.focus();
    byId(id).disabled = !on;
  }

  setVisible(id, on) {
    if (!on && byId(id).contains(document.activeElement)) this.board?.focus();
    byId(id).hidden = !on;
  }

  drawSeats() {
    const { player } = this.history.positions[this.ply];
    for (const box of this.root.querySelectorAll(".seat")) {
      const turn = Number(box.dataset.seat) === player;
      box.classList.toggle("now", turn);
      box.querySelector(".turn").textContent = turn ? "to move" : "";
    }
  }

  drawStatus() {
    const position = this.history.positions[this.ply], status = byId("status");
    const [, head, rest] = /^(.*?)(?:; (.*))?$/s.exec(position.status);
    const again = this.history.positions[this.ply - 1]?.player === position.player ? " again" : ""; // after a block in Quad
    const [first, mark, second] = position.done ? [this.result(position), ". ", position.status] : [head + again, "; ", rest];
    const won = this.board.wonText(position), text = second ? first + mark + second + won : first;
    if (status.textContent === text) return; // setting it again could make screen readers repeat it
    status.textContent = first;
    if (!second) return;
    make(status, "span", { class: "hidden" }, mark);
    make(status, "span", { class: "detail" }, second);
    if (won) make(status, "span", { class: "hidden" }, won);
  }

  // result says who won.
  result({ goals }) {
    if (goals[0] === goals[1]) return "A draw";
    const winner = goals[0] > goals[1] ? 0 : 1, loser = 1 - winner;
    if (Boolean(this.agentOf(winner)) === Boolean(this.agentOf(loser))) return `${this.description.players[winner]} wins`;
    return this.agentOf(winner) ? "The agent wins" : "You win";
  }

  // ---- analysis and hints

  // analyst is the agent that analyses: one that searches, if possible one of the players.
  get analyst() {
    const seated = [0, 1].map((seat) => this.agentOf(seat)).filter(Boolean);
    return [...seated, ...this.agents].find((agent) => simulates(agent) || agent.text.includes(":")) || this.agents[0];
  }

  // request is the request for the analysis of the position shown, with this.deeper simulations if set.
  get request() {
    return {
      game: this.description.game, moves: this.history.moves.slice(0, this.ply),
      agent: this.textOf(this.analyst, Math.max(this.simulations, minAnalysis)), simulations: this.deeper,
    };
  }

  // deeperSimulations is the number of simulations of the next deeper analysis, 0 if there is none: the analyst does not search, or
  // the position is proven.
  get deeperSimulations() {
    const { analysis } = this, now = analysis ? analysis.simulations : Math.max(this.simulations, minAnalysis);
    return now >= maxAnalysis || analysis?.proven || !simulates(this.analyst) ? 0 : Math.min(deeperBy * now, maxAnalysis);
  }

  // analyzeDeeper analyses the position shown with more simulations.
  analyzeDeeper() {
    if (!this.wanted) for (const id of ["show-visits", "show-value"]) byId(id).checked = true;
    this.deeper = this.deeperSimulations;
    this.draw();
  }

  get wants() {
    return { policy: byId("show-policy").checked, visits: byId("show-visits").checked, value: byId("show-value").checked };
  }

  get wanted() { return Object.values(this.wants).some(Boolean); }

  // drawPosition draws the board, and the wanted analysis as soon as it is there. It starts no analysis while an agent chooses its
  // move.
  drawPosition() {
    const { request } = this;
    this.drawBoard();
    this.drawAnalysis();
    const busy = this.state === "loading" || (this.state === "thinking" && this.ply === this.history.length);
    const over = this.history.positions[this.ply].done, hinting = this.hinting && sameRequest(request, this.hinting);
    if (busy || over || !(this.wanted || hinting)) { this.analyses.stop(); return; }
    if (this.analyses.get(request) || this.analyses.isRunning(request)) return;
    this.analyses.run(request).then(() => {
      if (!sameRequest(request, this.request)) return;
      this.drawBoard();
      this.drawAnalysis();
    }).catch((error) => { if (error.name !== "AbortError") this.showError(error.message); }).finally(() => this.drawDeeper());
    this.drawDeeper();
  }

  // analysis is the analysis of the position shown, if it is there. It is the shallow one until a deeper one is there.
  get analysis() { return this.analyses.get(this.request) || this.analyses.get({ ...this.request, simulations: undefined }); }

  drawBoard() {
    const { ply, history, choices } = this, position = history.positions[ply];
    const moved = choices.some(({ from }) => from >= 0);
    const targets = new Set(choices.filter(({ from }) => from < 0 || from === this.selected).map(({ to }) => to));
    const movable = new Set(choices.filter(({ from }) => from >= 0).map(({ from }) => from));
    this.board.show(position, {
      last: ply > 0 ? history.cells(ply) : undefined, hint: this.hinted, arrived: this.arrived,
      movable, targets, selected: this.selected, ...boardMarks(this.analysis, this.description.actions, this.wants, this.selected),
    });
    this.board.label(position, (cell) => [
      ...(cell === this.selected ? ["selected"] : movable.has(cell) ? ["can move"] : []),
      ...(targets.has(cell) ? [!moved ? `can ${this.verb}` : position.pieces[cell] === "0" ? "can be reached" : "can be captured"] : []),
    ], (cell) => movable.has(cell) ? cell === this.selected : null);
    this.board.showClickable((cell) => [...targets].some((to) => this.dropsTo(cell, to)));
  }

  drawAnalysis() {
    const { policy, visits, value } = this.wants, { analysis } = this;
    byId("analysis").hidden = !(policy || visits) || !analysis;
    byId("value").hidden = !value;
    byId("value").classList.toggle("waiting", !analysis);
    this.drawDeeper();
    if (!analysis) return;
    showAnalysisTable(byId("analysis"), analysis, this.analyst.label);
    showValueMeter(byId("value"), analysis, this.description);
  }

  drawDeeper() {
    const simulations = this.deeperSimulations, running = this.deeper > 0 && this.analyses.isRunning(this.request);
    byId("deeper").textContent = running ? "Analysing …" : `Analyse with ${simulations || "more"} simulations`;
    this.enable("deeper", simulations > 0 && !running && !this.history.positions[this.ply].done);
  }

  // hint shows the best move of the analysis.
  async hint() {
    if (this.state === "thinking" && this.ply === this.history.length) return;
    const { request } = this, looking = "Looking for a hint …";
    this.hinting = request;
    this.showNote(looking);
    try {
      const { best, player, value } = await this.analyses.run(request);
      if (!sameRequest(request, this.request)) return;
      this.hinted = this.description.actions[best];
      this.showNote(`Hint for ${player}: ${best}, value ${utility(value)}`);
      this.drawBoard();
    } catch (error) {
      if (error.name !== "AbortError") this.showError(error.message);
    } finally {
      if (this.hinting === request) this.hinting = undefined;
      this.clearNote(looking);
    }
  }

  // ---- sharing

  // share puts the link to the position shown into the address and onto the clipboard, or into a field if the browser does not allow
  // that.
  async share() {
    const moves = this.history.moves.slice(0, this.ply), field = byId("link").querySelector("input");
    history.replaceState(history.state, "", (this.options.address?.() ?? "") + "#" + writeLink(moves, [0, 1].map((seat) => byId(`seat${seat}`).value)));
    field.value = location.href;
    try {
      await navigator.clipboard.writeText(field.value);
      byId("link").hidden = true;
      const scope = location.protocol === "file:" ? "; for a copy of this file elsewhere, put the part from # behind its address" : "";
      this.showNote(`The link to this position has been copied${scope}`);
    } catch {
      byId("link").hidden = false;
      field.focus();
      field.select();
      this.showNote("The link to this position stands beside the list of moves");
    }
  }
}
