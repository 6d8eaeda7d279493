// The play page: people and agents play on a board.
import { AnalysisCache, boardMarks, sameRequest, showAnalysisTable, showValueMeter, valueForFirst } from "./analysis.js";
import { Board, drawPiece, pieceAt } from "./board.js";
import { BookPanel } from "./bookpanel.js";
import { byId, make, makeSVG, startTheme } from "./dom.js";
import { score, sentence } from "./format.js";
import { Hand } from "./hand.js";
import { GameHistory, readLink, writeLink } from "./history.js";
import { MoveList, pieceView } from "./movelist.js";
import { layout } from "./playlayout.js";
import { Quiz } from "./quiz.js";
import { Reviewer, explained, isMistake, showReview } from "./review.js";
import { showRules, toggleRules } from "./rules.js";
import { StrengthSlider, textOf } from "./strength.js";

const person = "person";
const minAnalysis = 64; // least simulations of a hint or an analysis
const maxAnalysis = 16384; // most simulations of an analysis
const deeperBy = 4; // factor between the simulations of an analysis and of the next deeper one
const thinkingAfter = 1000; // milliseconds after which a note says that an agent is thinking
const moveTime = 500; // least milliseconds per move when agents play each other
const maxFile = 30 * 2 ** 10; // bytes of a file that are read for its first game; in a request they may double, and the server takes 64 KiB
const wayBack = "The browser's Back returns to the old game";

// startPlay fills root with the app. engine has functions describe, position, choose, analyze, dial, book, load and save that return promises. Options:
//   game      its name
//   agents    [{ label, text, weakText, note, spec }]; for label, text and weakText see strength.js; the menus show the note, if there
//             is one, after the label; links name the agent by its spec if there is one, else by its label
//   seats     who plays in each seat at first: "person" or a label
//   useHash   whether the address holds the game, so that it survives a reload: the moves, who plays, and how strong
//   more      an element to show at the end of the page
//   address   a function that returns the part of links before #
//   findAgent a function that returns a promise of the agent that a link names, if it is none of agents
//   onRefused a function that is called if the server refuses the game
// It returns { stop, addAgent }: stop() ends everything and empties root, addAgent(agent, seat) adds an agent and seats it.
export function startPlay(root, engine, options) {
  const app = new App(root, engine, options);
  app.open();
  return { stop: () => app.stop(), addAgent: (agent, seat) => app.addAgent(agent, seat) };
}

const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// simulates says whether an agent's search takes a number of simulations.
const simulates = ({ text }) => typeof text === "function" || /^(zoo|net|mcts)\b/.test(text);

// decode returns the text of a file's bytes: in UTF-8, of which the last character may be cut off, or else in Latin-1, as older SGF files are.
function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

// offer adds an agent to the menu of a seat.
const offer = (select, { label, note }) => make(select, "option", { value: label }, note ? `${label} (${note})` : label);

class App {
  constructor(root, engine, options) {
    this.engine = engine;
    this.options = options;
    this.agents = [...options.agents];
    this.dials = new Map(); // by label: promises, see askDial
    this.levels = new Map(); // by label: the engine's replies to dial
    this.sliders = []; // by seat
    this.work = new AbortController(); // of requests of the game: choosing and playing moves
    this.lifetime = new AbortController(); // of event listeners outside root
    this.analyses = new AnalysisCache(engine);
    this.reviews = new AnalysisCache(engine); // of the positions that reviews judge
    this.paused = false;
    this.wayBack = ""; // for the note of the agent's next turn: how to get an old game back
    this.flipped = undefined; // whether the board is turned, once people have pressed the button
    this.allMoves = false; // in the table of the analysis
    root.innerHTML = layout;
    if (options.more) byId("more").append(options.more);
    this.root = root;
    this.book = new BookPanel(byId("openings"), engine, (move) => { this.hand.play(move); this.board.focus(); });
    this.fillSeats();
    this.addListeners();
    startTheme();
  }

  stop() {
    for (const controller of [this.work, this.lifetime]) controller.abort();
    this.analyses.stop();
    this.endReview();
    this.root.replaceChildren();
  }

  // ---- setting up the page

  fillSeats() {
    this.seats = this.options.seats || [person, this.agents[0].label]; // where the address names none
    for (const box of this.root.querySelectorAll(".seat")) {
      const seat = Number(box.dataset.seat);
      makeSVG(box, pieceView);
      const name = make(box, "div");
      make(name, "label", { for: `seat${seat}` });
      make(name, "span", { class: "turn" });
      const select = make(box, "select", { id: `seat${seat}` });
      make(select, "option", { value: person }, "you");
      for (const agent of this.agents) offer(select, agent);
      select.value = this.seats[seat];
      this.sliders.push(new StrengthSlider(box, seat, () => { this.deeper = undefined; this.writeAddress(); this.draw(); }));
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
    on("save", () => this.save());
    on("load", () => byId("file").click());
    byId("file").addEventListener("change", ({ target }) => { this.load(target.files[0]); target.value = ""; });
    for (const event of ["dragover", "drop"]) this.root.addEventListener(event, (dragged) => this.onDrag(dragged), { signal: this.lifetime.signal });
    for (const id of ["swap", "other-seat"]) on(id, () => this.swapSides());
    on("ask-review", () => this.review());
    on("deeper", () => this.analyzeDeeper());
    on("all-moves", () => { this.allMoves = !this.allMoves; this.drawAnalysis(); });
    for (const seat of [0, 1]) byId(`seat${seat}`).addEventListener("change", () => this.continueGame());
    for (const id of ["show-prior", "show-visits", "show-value"]) byId(id).addEventListener("change", () => this.draw());
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.lifetime.signal });
    if (this.options.useHash) addEventListener("hashchange", () => this.open(), { signal: this.lifetime.signal });
  }

  // onKey handles shortcuts of buttons, except in text fields and lists.
  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, textarea, input:not([type=range], [type=checkbox], [type=radio])")) return;
    const act = {
      u: () => byId("undo").click(), h: () => byId("hint").click(), f: () => byId("flip").click(), r: () => byId("rules").click(), n: () => byId("new").click(),
      "[": () => byId("back").click(), "]": () => byId("forward").click(), Escape: () => { this.hand.drop(); this.draw(); },
    }[event.key];
    if (!act || !this.history) return;
    event.preventDefault();
    act();
  }

  // ---- strength of the agents

  // askDial returns a promise that is settled when the levels of an agent's strength dial are known.
  askDial(agent) {
    if (!agent.weakText) return undefined;
    if (!this.dials.has(agent.label)) {
      const request = this.engine.dial({ game: this.description.game, agent: textOf(agent) });
      this.dials.set(agent.label, request.then((reply) => {
        this.levels.set(agent.label, reply);
        this.offerStrengths();
      }, () => this.dials.delete(agent.label))); // until the next move the slider sets simulations
    }
    return this.dials.get(agent.label);
  }

  // offerStrengths sets up the sliders of the seated agents.
  offerStrengths() {
    this.sliders.forEach((slider, seat) => slider.offer(this.agentOf(seat), this.levels.get(this.agentOf(seat)?.label)));
  }

  // ---- the game

  // open opens the position of the address, or the start.
  async open() {
    const signal = this.beginWork();
    this.setState("loading");
    this.showNote(this.wayBack = "");
    this.attempt(signal, async () => {
      const description = this.description ?? await this.engine.describe({ game: this.options.game });
      let history = await new GameHistory(this.engine, description).replay([]), wrong;
      if (signal.aborted) return;
      if (!this.history) this.setUpGame(description, history.newest);
      this.hand.renew();
      try {
        const link = this.options.useHash ? readLink(location.hash) : {};
        if (link.moves) history = await history.replay(link.moves);
        if (link.seats || this.history) await this.setSeats(link.seats ?? this.seats);
        this.sliders.forEach((slider, seat) => slider.want(link.strengths?.[seat] ?? ""));
      } catch (error) {
        wrong = `The link cannot be opened: ${error.message}`;
      }
      if (signal.aborted) return;
      this.paused = history.length > 0 && this.onlyAgents; // show the linked position first
      this.written = this.linkTo(history.moves);
      this.setHistory(history);
      this.continueGame();
      if (wrong) this.showError(wrong);
    });
  }

  // setUpGame makes the board and the choices of a game; start is its first position.
  setUpGame(description, start) {
    this.description = description;
    this.hand = new Hand(this, start.legal);
    this.makeBoard();
    this.list = new MoveList(byId("moves"), description, (ply) => this.goTo(ply));
    showRules(byId("about"), description);
    byId("terms").querySelector(".first-player").textContent = description.players[0];
    for (const box of this.root.querySelectorAll(".seat")) {
      const seat = Number(box.dataset.seat);
      box.querySelector("svg").replaceChildren();
      this.drawSide(box.querySelector("svg"), seat);
      box.querySelector("label").textContent = description.players[seat];
      box.querySelector("select").setAttribute("aria-label", `${description.players[seat]} is played by`);
      this.sliders[seat].label.textContent = `Strength of ${description.players[seat]}`;
    }
  }

  // makeBoard makes the board, which is empty until it is drawn.
  makeBoard() {
    this.board = new Board(byId("board"), this.description, (cell, pointed) => { if (this.history) this.hand.press(cell, pointed); }, this.turned);
  }

  // turned says whether the board is turned by 180 degrees: as people left it, or else towards a person who plays the second side
  // against an agent, in games whose players sit opposite each other.
  get turned() { return this.flipped ?? Boolean(this.description.opposite && this.agentOf(0) && !this.agentOf(1)); }

  // turnBoard turns the board if it must. The focus stays on its cell.
  turnBoard() {
    if (this.board.flipped === this.turned) return;
    const { tabStop } = this.board, focused = byId("board").contains(document.activeElement);
    this.makeBoard();
    this.board.setTabStop(tabStop);
    this.draw();
    if (focused) this.board.focus();
  }

  flip() {
    this.flipped = !this.turned;
    this.turnBoard();
  }

  // drawSide draws a player's piece.
  drawSide(svg, seat) { drawPiece(svg, this.description.pieces.find(({ side }) => side === seat), 0.5, 0.5); }

  // setSeats seats the players that a link names.
  async setSeats(names) {
    if (names.length !== 2) throw new Error("it must name the players of both seats");
    for (const name of names) if (!this.labelOf(name)) this.offerAgent(await this.findAgent(name));
    names.forEach((name, seat) => { byId(`seat${seat}`).value = this.labelOf(name); });
  }

  // labelOf returns the label of the agent that a link names, undefined if it is none of the agents.
  labelOf(name) { return name === person ? person : this.agents.find(({ label, spec }) => name === spec || name === label)?.label; }

  async findAgent(name) {
    if (this.options.findAgent) return this.options.findAgent(name);
    const known = [person, ...this.agents.map(({ label }) => label)];
    throw new Error(`there is no player “${name.slice(0, 60)}”; there are ${known.join(", ")}`);
  }

  swapSides() {
    this.swapSeats();
    this.continueGame();
  }

  // swapSeats swaps the players; each keeps its strength.
  swapSeats() {
    const selects = [0, 1].map((seat) => byId(`seat${seat}`));
    [selects[0].value, selects[1].value] = [selects[1].value, selects[0].value];
    [this.sliders[0].wanted, this.sliders[1].wanted] = [this.sliders[1].wanted, this.sliders[0].wanted];
  }

  // offerAgent adds an agent to the menus.
  offerAgent(agent) {
    if (this.labelOf(agent.label)) return;
    this.agents.push(agent);
    for (const seat of [0, 1]) offer(byId(`seat${seat}`), agent);
  }

  addAgent(agent, seat) {
    this.offerAgent(agent);
    byId(`seat${seat}`).value = agent.label;
    this.continueGame();
  }

  // agentOf returns the agent in a seat, undefined for a person.
  agentOf(seat) { return this.agents.find(({ label }) => label === byId(`seat${seat}`).value); }
  get onlyAgents() { return Boolean(this.agentOf(0) && this.agentOf(1)); }

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
      const refused = !this.history && error.status >= 400 && error.status < 500; // trying again cannot succeed
      this.setVisible("retry", !refused);
      this.showError(refused ? sentence(error.message) : error.message);
      if (refused) this.options.onRefused?.();
    }
  }

  showError(text) { byId("message").textContent = text; }
  showNote(text) { byId("note").textContent = text; }
  clearNote(text) { if (byId("note").textContent === text) this.showNote(""); }

  // setHistory makes a history the current game and shows its end. If it replaces an old game that people may want back, the browser's
  // Back button returns to that, and the note says so.
  setHistory(history, replaces = false) {
    this.history = history;
    this.endReview();
    this.seed ??= this.newSeed();
    const kept = this.writeAddress(replaces);
    this.goTo(history.length);
    if (replaces) this.showNote(this.wayBack = kept ? wayBack : "");
  }

  newSeed() { return this.options.seed ?? Math.floor(Math.random() * 2 ** 32); }

  // continueGame lets agents play until it is a person's turn.
  continueGame() {
    if (!this.history) return;
    const signal = this.beginWork();
    this.hand.unaim();
    this.offerStrengths();
    this.turnBoard();
    this.writeAddress();
    for (const agent of [0, 1].map((seat) => this.agentOf(seat))) if (agent) this.askDial(agent);
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
    await this.askDial(agent);
    if (this.onlyAgents) await this.showAnalysisFirst();
    if (signal.aborted) return;
    const pause = this.onlyAgents ? sleep(moveTime) : null, player = this.description.players[history.newest.player];
    const thinking = `${player} (${agent.label}) is thinking …`, timer = setTimeout(() => this.showNote(thinking), thinkingAfter);
    let longer;
    try {
      const { move } = await this.engine.choose({
        game: this.description.game, moves: history.moves, agent: this.sliders[history.newest.player].playText(agent), seed: this.seed + history.length,
      }, signal);
      longer = await history.play(history.length, move);
    } finally {
      clearTimeout(timer);
      this.clearNote(thinking);
    }
    await pause;
    if (signal.aborted) return;
    const played = longer.turn(longer.length).map((number) => longer.moves[number - 1]).join(", then ");
    this.showNote(`${player} (${agent.label}) played ${played}${this.changeText(longer, ": the")}${this.wayBack && `. ${this.wayBack}`}`);
    if (longer.newest.player !== history.newest.player) this.wayBack = "";
    this.addMove(longer);
  }

  // showAnalysisFirst shows the wanted analysis before an agent moves, when people only watch.
  async showAnalysisFirst() {
    if (!this.wanted || this.ply < this.history.length) return;
    await this.analyses.run(this.request).catch((error) => { if (error.name !== "AbortError") throw error; });
    this.drawAnalysis();
  }

  // changeText says what a last move without cells changed, "" if nothing.
  changeText(history, the) {
    const cell = history.changed(history.length);
    return cell === undefined ? "" : `${the} piece on ${this.board.name(cell)} is ${pieceAt(this.description, history.newest.pieces, cell).name} now`;
  }

  // addMove shows a history with a new last move, which is animated.
  addMove(history, replaces) {
    this.arrived = history.cells(history.length);
    this.setHistory(history, replaces);
    this.arrived = undefined;
  }

  // play plays a person's move in the position shown, and drops the moves after it. In a quiz the move is an answer.
  play(move) {
    if (this.quiz) {
      this.quiz.answer(move);
      return;
    }
    const signal = this.beginWork(), ply = this.ply;
    this.setState("thinking");
    this.showError("");
    this.attempt(signal, async () => {
      const longer = await this.history.play(ply, move);
      if (signal.aborted) return;
      this.wayBack = "";
      this.addMove(longer, ply < this.history.length);
      this.showNote([this.changeText(longer, "The"), this.wayBack].filter(Boolean).join(". "));
      await this.playAgents(signal);
    });
  }

  restart() {
    this.beginWork();
    this.analyses.stop();
    this.seed = this.newSeed();
    this.paused = false;
    this.analyses = new AnalysisCache(this.engine);
    this.reviews = new AnalysisCache(this.engine);
    this.setHistory(this.history.first(0), true);
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
    this.setHistory(this.history.first(this.ply), true);
    this.continueGame();
    this.board.focus();
  }

  // playFrom plays on before a mistake. A person takes the seat of the player who made it, and the agent there takes the person's.
  playFrom(mistake) {
    const seat = this.seatOf(mistake);
    if (this.onlyAgents) byId(`seat${seat}`).value = person;
    else if (this.agentOf(seat)) this.swapSeats();
    this.goTo(mistake.ply - 1);
    this.playOn();
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

  // position is the position shown.
  get position() { return this.history.positions[this.ply]; }

  // blocked says why no person may move in the position shown; "" needs no words. It is undefined if one may.
  get blocked() {
    const { done, player } = this.position;
    if (this.quiz) return this.ply === this.quiz.ply ? undefined : "";
    if (done) return "The game is over";
    if (this.agentOf(player)) return `It is ${this.description.players[player]}'s turn, which an agent plays`;
    return (this.ply < this.history.length ? this.state !== "loading" : this.state === "ready" || this.state === "error") ? undefined : "";
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
    this.hinted = undefined;
    this.deeper = undefined;
    this.hand.drop();
    if (this.ply < this.history.length) this.showNote(this.mistake ? explained(this.mistake) : ""); // else it is about the newest move
    this.list.show(this.history.moves.map((move, i) => ({ move, player: this.history.positions[i].player })), this.ply);
    this.draw();
  }

  draw() {
    if (!this.history) return;
    this.drawControls();
    this.drawSeats();
    this.drawPosition();
    this.drawBook();
    this.drawStatus();
  }

  drawControls() {
    const { ply, history, position } = this, past = ply < history.length;
    for (const id of ["new", "share", "save", "load", "flip"]) this.enable(id, true);
    byId("new").classList.toggle("primary", history.newest.done && !this.quiz);
    this.enable("undo", this.undoPly >= 0 && !this.quiz);
    this.enable("hint", !position.done && !this.quiz);
    this.enable("back", ply > 0);
    this.enable("forward", past);
    for (const id of ["pause", "step"]) this.setVisible(id, this.onlyAgents && !history.newest.done);
    byId("pause").textContent = this.paused ? "Go on" : "Pause";
    byId("pause").setAttribute("aria-pressed", this.paused);
    this.setVisible("verb", this.hand.kinds.length > 1 && !this.onlyAgents && !position.done);
    this.hand.drawButtons();
    this.setVisible("ask-review", history.newest.done && !this.quiz);
    this.enable("ask-review", !this.reviewer || Boolean(this.reviewed));
    this.setVisible("review", Boolean(this.reviewed && !this.quiz));
    this.setVisible("quiz", Boolean(this.quiz));
    this.drawOutlook();
    this.setVisible("past", past && !this.quiz);
    byId("past").querySelector("span").textContent = `Looking back: move ${ply} of ${history.length}.`;
  }

  // drawOutlook says before the game who wins with best play, if that is known, and offers the other seat.
  drawOutlook() {
    const { description: { bestPlay, players }, history } = this, other = [0, 1].find((seat) => this.agentOf(seat));
    this.setVisible("outlook", Boolean(bestPlay) && history.length === 0);
    const wins = (seat) => bestPlay === `${players[seat]} wins`;
    this.setVisible("other-seat", other !== undefined && !this.onlyAgents && players.some((_, seat) => wins(seat)));
    byId("outlook").querySelector("span").textContent = `With best play ${bestPlay}.`;
    if (other !== undefined) byId("other-seat").textContent = wins(other) ? `Play ${players[other]}` : "Take the harder side";
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
    const { player } = this.position;
    for (const box of this.root.querySelectorAll(".seat")) {
      const turn = Number(box.dataset.seat) === player;
      box.classList.toggle("now", turn);
      box.querySelector(".turn").textContent = turn ? "to move" : "";
    }
  }

  drawStatus() {
    const { position } = this, status = byId("status");
    const [, head, rest] = /^(.*?)(?:; (.*))?$/s.exec(position.status);
    const again = this.history.positions[this.ply - 1]?.player === position.player ? " again" : ""; // after a block in Quad
    const [first, mark, second] = position.done ? [this.result(position), ". ", `Game ${position.status}`] : [head + again, "; ", rest];
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

  // byNearness are all agents, the players first.
  get byNearness() { return [...[0, 1].map((seat) => this.agentOf(seat)).filter(Boolean), ...this.agents]; }

  // drawBook shows the opening book of an agent, if one has a book, except where it would give away the answers of a quiz.
  drawBook() {
    const { position } = this, agent = this.byNearness.map((agent) => textOf(agent)).find((text) => text.includes(",book="));
    const request = agent && !position.done && !this.quiz && { game: this.description.game, moves: this.history.moves.slice(0, this.ply), agent };
    this.book.show(request, this.description, position.player, this.blocked === undefined);
  }

  // analyst is the agent that analyses: one that searches, if possible one of the players.
  get analyst() {
    return this.byNearness.find((agent) => simulates(agent) || agent.text.includes(":")) || this.agents[0];
  }

  // simulations are those of the analyst: of the seats where it plays the largest number, and enough for an analysis.
  get simulations() {
    const own = [0, 1].filter((seat) => this.agentOf(seat) === this.analyst).map((seat) => this.sliders[seat].value.simulations ?? 0);
    return Math.max(minAnalysis, ...own);
  }

  // request is the request for the analysis of the position shown, with this.deeper simulations if set.
  get request() {
    return {
      game: this.description.game, moves: this.history.moves.slice(0, this.ply),
      agent: textOf(this.analyst, this.simulations), simulations: this.deeper,
    };
  }

  // deeperSimulations is the number of simulations of the next deeper analysis, 0 if there is none: the analyst does not search, or
  // the position is proven.
  get deeperSimulations() {
    const { analysis } = this, now = analysis ? analysis.simulations : this.simulations;
    return now >= maxAnalysis || analysis?.proven || !simulates(this.analyst) ? 0 : Math.min(deeperBy * now, maxAnalysis);
  }

  // analyzeDeeper analyses the position shown with more simulations, and shows the analysis if it was hidden.
  analyzeDeeper() {
    if (!this.wanted) for (const id of ["show-visits", "show-value"]) byId(id).checked = true;
    this.deeper = this.deeperSimulations || this.deeper;
    this.draw();
  }

  // wants are the figures to show: none while a quiz waits for an answer, which they would give away.
  get wants() {
    const [prior, visits, value] = ["show-prior", "show-visits", "show-value"].map((id) => byId(id).checked && !this.quiz?.waiting);
    return { prior, visits, value };
  }

  get wanted() { return Object.values(this.wants).some(Boolean); }

  // drawPosition draws the board, and the wanted analysis as soon as it is there. It starts no analysis while an agent chooses its
  // move.
  drawPosition() {
    const { request } = this;
    this.drawAnalysis();
    const busy = this.state === "loading" || (this.state === "thinking" && this.ply === this.history.length);
    const over = this.position.done, hinting = this.hinting && sameRequest(request, this.hinting);
    if (busy || over || !(this.wanted || hinting)) { this.analyses.stop(); return; }
    if (this.analyses.get(request) || this.analyses.isRunning(request)) return;
    this.analyses.run(request).then(() => { if (sameRequest(request, this.request)) this.drawAnalysis(); })
      .catch((error) => { if (error.name !== "AbortError") this.showError(error.message); }).finally(() => this.drawDeeper());
    this.drawDeeper();
  }

  // analysis is the analysis of the position shown, if it is there. It is the shallow one until a deeper one is there.
  get analysis() { return this.analyses.get(this.request) || this.analyses.get({ ...this.request, simulations: undefined }); }

  drawBoard() {
    this.dropOldHint();
    const { ply, history, hand } = this, [played, better] = this.reviewMarks;
    hand.show({
      last: history.turn(ply).map((number) => history.cells(number)), hint: this.hinted ?? better, played, arrived: this.arrived,
      ...boardMarks(this.analysis, this.description.actions, this.wants, this.description.players, hand.selected),
    });
  }

  // drawAnalysis draws the board with the analysis, its table and its meter.
  drawAnalysis() {
    this.drawBoard();
    const { value } = this.wants, { analysis } = this;
    byId("analysis").hidden = !this.wanted || !analysis;
    byId("value").hidden = !value;
    byId("value").classList.toggle("waiting", !analysis);
    this.drawDeeper();
    if (!analysis) return;
    showAnalysisTable(byId("analysis"), analysis, this.description, this.analyst.label, this.allMoves);
    showValueMeter(byId("value"), analysis, this.description);
  }

  // drawDeeper lets the button of the analysis say what it does, or why there is no deeper analysis.
  drawDeeper() {
    const simulations = this.deeperSimulations, running = this.deeper > 0 && this.analyses.isRunning(this.request);
    byId("deeper").textContent = running ? "Analysing …" : simulations > 0 ? `Analyse with ${simulations} simulations`
      : !this.wanted ? "Show the analysis" : this.analysis?.proven ? "Already proven"
        : simulates(this.analyst) ? `At most ${maxAnalysis} simulations` : `${this.analyst.label} makes no simulations`;
    this.enable("deeper", !running && (simulations > 0 || !this.wanted) && !this.position.done && !this.quiz?.waiting);
  }

  // dropOldHint removes a hint if another analysis of the position is there now, which need not agree.
  dropOldHint() {
    const { analysis } = this;
    if (!this.hinted || !analysis || analysis === this.hintedBy) return;
    this.hinted = undefined;
    this.clearNote(this.hintNote);
  }

  // hint shows the best move of the analysis.
  async hint() {
    if (this.state === "thinking" && this.ply === this.history.length) return;
    const { request } = this, looking = "Looking for a hint …";
    this.hinting = request;
    this.hand.unaim();
    this.drawControls();
    this.drawBoard();
    this.showNote(looking);
    try {
      const analysis = await this.analyses.run(request), { best, reason, player, value: whole, moves } = analysis;
      const value = moves?.find(({ move }) => move === best)?.value ?? whole; // as in the table
      if (!sameRequest(request, this.request)) return;
      this.hinted = this.description.actions[best];
      this.hintedBy = analysis;
      const { players } = this.description;
      const after = value == null ? "" : `; ${players[0]} ${score(valueForFirst(value, player, players), 0)}`;
      this.showNote(this.hintNote = `Hint for ${player}: ${best}${reason ? `, which ${reason}` : ""}${after}`);
      this.drawAnalysis();
    } catch (error) {
      if (error.name !== "AbortError") this.showError(error.message);
    } finally {
      if (this.hinting === request) this.hinting = undefined;
      this.clearNote(looking);
    }
  }

  // review judges every position of the finished game, and shows where moves gave value away.
  async review() {
    this.endReview();
    const { history } = this, reviewer = this.reviewer = new Reviewer(this.reviews, this.description, textOf(this.analyst, this.simulations));
    this.drawControls();
    try {
      const reviewed = await reviewer.review(history.moves, (ply) => this.showNote(`Reviewing position ${ply + 1} of ${history.length + 1} …`));
      if (this.reviewer !== reviewer) return;
      const own = reviewed.moves.filter((move) => isMistake(move) && !this.agentOf(this.seatOf(move))); // people's mistakes
      this.reviewed = reviewed;
      showReview(byId("review"), reviewed, this.description, {
        show: (mistake) => this.showMistake(mistake), playOn: (mistake) => this.playFrom(mistake), quiz: own.length > 0 && (() => this.startQuiz(own)),
      });
    } catch (error) {
      if (this.reviewer !== reviewer) return; // it was stopped
      this.reviewer = undefined;
      this.showError(error.message);
    }
    this.showNote("");
    this.draw();
  }

  // endReview stops a review and hides its result.
  endReview() {
    this.reviewer?.stop();
    this.reviewer = this.reviewed = this.quiz = undefined;
  }

  // seatOf returns the seat of the player of a reviewed move.
  seatOf({ player }) { return this.description.players.indexOf(player); }

  // mistake is the mistake that was made in the position shown, if a review found one. A quiz hides it.
  get mistake() { return this.quiz ? undefined : this.reviewed?.moves.find((move) => move.ply === this.ply + 1 && isMistake(move)); }

  // reviewMarks are the moves to mark in the position shown: the one played, and the better one.
  get reviewMarks() {
    const { ply, mistake, quiz } = this, moves = mistake ? [mistake.move, mistake.best] : quiz?.marksAt(ply) ?? [];
    return moves.map((move) => this.description.actions[move]);
  }

  showMistake({ ply }) {
    this.goTo(ply - 1);
    byId("status").scrollIntoView({ block: "nearest" });
  }

  // startQuiz lets people look for the better move in the positions of mistakes.
  startQuiz(mistakes) {
    const { history, reviewer, reviewed } = this;
    this.quiz = new Quiz(byId("quiz"), mistakes, {
      show: (ply) => { this.goTo(ply); this.board.focus(); },
      weigh: ({ ply }, move) => reviewer.answer(history.moves.slice(0, ply - 1), reviewed.positions[ply - 1], move),
      mark: () => this.draw(),
      end: () => { this.quiz = undefined; this.goTo(history.length); },
    });
    this.quiz.begin();
  }

  // ---- the address

  // linkTo returns the address of the page with a game of moves, the players and their strengths.
  linkTo(moves) {
    const names = [0, 1].map((seat) => this.agentOf(seat)).map((agent) => agent ? agent.spec ?? agent.label : person);
    return (this.options.address?.() ?? "") + "#" + writeLink({ moves, seats: names, strengths: this.sliders.map(({ wantedText }) => wantedText) });
  }

  // writeAddress puts the game into the address as soon as it differs from the one that was opened, so that it survives a reload. It
  // says whether the browser keeps the address before, for its Back button, if that is wanted.
  writeAddress(keep = false) {
    const link = this.linkTo(this.history.moves);
    if (!this.options.useHash || link === this.written) return false;
    this.written = link;
    try {
      if (keep) history.pushState(null, "", link);
      else history.replaceState(history.state, "", link);
      return keep;
    } catch {
      return false; // a browser may forbid it: a reload then starts a new game
    }
  }

  // onDrag takes files that are dropped on the page.
  onDrag(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type !== "drop") return;
    const { items: [item], files: [file] } = event.dataTransfer;
    if (item?.webkitGetAsEntry()?.isDirectory) this.showError(`${file.name} cannot be opened: it is a folder; choose a file`);
    else this.load(file);
  }

  // load opens the first game of a file, for people on both sides. The browser's Back returns to the old game.
  async load(file) {
    if (!file || !this.history) return;
    const signal = this.beginWork();
    this.showError("");
    this.showNote("");
    try {
      const text = decode(await file.slice(0, maxFile).arrayBuffer());
      const { moves, players } = await this.engine.load({ game: this.description.game, file: text }, signal);
      const history = await this.history.replay(moves);
      if (signal.aborted) return;
      await this.setSeats([person, person]);
      this.setHistory(history, true);
      this.continueGame();
      const names = players.some(Boolean) ? `: ${players.map((name) => name || "unknown").join(" against ")}` : "";
      this.showNote([`${file.name}${names}`, this.wayBack].filter(Boolean).join(". "));
    } catch (error) {
      if (signal.aborted) return;
      this.continueGame();
      const cut = file.size > maxFile ? `; ludus reads only the first ${maxFile / 2 ** 10} KB of a file here` : "";
      this.showError(`${file.name} cannot be opened: ${error.message}${cut}`);
    }
  }

  // save downloads the game in SGF.
  async save() {
    const players = [0, 1].map((seat) => this.agentOf(seat)?.label ?? "person"), { moves } = this.history;
    try {
      const { file } = await this.engine.save({ game: this.description.game, moves, players });
      const link = make(document.body, "a", { href: URL.createObjectURL(new Blob([file], { type: "application/x-go-sgf" })), download: "game.sgf" });
      link.click();
      URL.revokeObjectURL(link.href);
      link.remove();
    } catch (error) {
      this.showError(error.message);
    }
  }

  // share puts the link to the position shown onto the clipboard, or into a field if the browser does not allow that.
  async share() {
    const field = byId("link").querySelector("input");
    field.value = new URL(this.linkTo(this.history.moves.slice(0, this.ply)), location.href).href;
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
