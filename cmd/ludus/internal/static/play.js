// The playing app: people and agents on a drawn board.
import { byId, make, makeSVG, plain, startTheme, utility } from "./dom.js";
import { Board, drawPiece } from "./board.js";
import { layout, swatch } from "./layout.js";
import { Line, readLink, writeLink } from "./line.js";
import { Studies, drawMeter, listThoughts, marksOf, sameQuestion } from "./thoughts.js";

const person = "person";
const strengths = [0, 4, 16, 64, 256, 1024, 4096]; // simulations; 0 is the network alone
const usual = 3; // place of the strength to begin with
const insight = 64; // simulations at least for hints and the agent's view, which would have no visits without
const pace = 500; // least milliseconds of a move where agents play each other, so that people can follow

// startPlay fills root with the app. engine answers describe, position, choose and analyze by promises. Options:
//   game      its name
//   agents    [{ label, text }], text being the agent's text or a function that makes it of simulations, 0 for the network alone
//   seats     who sits where at first: "person" or a label
//   readHash  whether the address may hold a position
//   more      an element to show below all
//   address   a function that returns what links have before their #
// It returns { stop, addAgent }: stop() ends what is under way and lets root go, addAgent(agent, seat) adds an agent and
// gives it a seat.
export function startPlay(root, engine, options) {
  const app = new App(root, engine, options);
  app.open();
  return { stop: () => app.stop(), addAgent: (agent, seat) => app.addAgent(agent, seat) };
}

const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// verbOf is the kind of a move: the first word of its text.
const verbOf = (text) => plain(text).split(" ")[0];

class App {
  constructor(root, engine, options) {
    this.engine = engine;
    this.options = options;
    this.agents = [...options.agents];
    this.work = new AbortController(); // of the game: choosing and playing moves
    this.life = new AbortController(); // of listeners outside of root
    this.studies = new Studies(engine);
    this.paused = false;
    root.innerHTML = layout;
    if (options.more) byId("more").append(options.more);
    this.root = root;
    this.layOut();
    this.listen();
    startTheme();
  }

  stop() {
    for (const controller of [this.work, this.life]) controller.abort();
    this.studies.drop();
    this.root.replaceChildren();
  }

  // ---- what stands in the page from the start

  layOut() {
    const strength = byId("strength");
    strength.max = strengths.length - 1;
    strength.value = usual;
    this.tellStrength();
    const seats = this.options.seats || [person, this.agents[0].label];
    for (const box of this.root.querySelectorAll(".seat")) {
      const seat = Number(box.dataset.seat);
      makeSVG(box, swatch);
      const name = make(box, "div");
      make(name, "label", { for: `seat${seat}` });
      make(name, "span", { class: "turn" });
      const select = make(box, "select", { id: `seat${seat}` });
      make(select, "option", { value: person }, "you");
      for (const { label } of this.agents) make(select, "option", { value: label }, label);
      select.value = seats[seat];
    }
  }

  listen() {
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("new", () => this.restart());
    on("undo", () => this.undo());
    on("hint", () => this.hint());
    on("pause", () => this.pause(!this.paused));
    on("step", () => this.step());
    on("retry", () => this.retry());
    on("resume", () => this.playOn());
    on("newest", () => { this.go(this.line.length); this.board.focus(); });
    on("back", () => this.go(this.at - 1));
    on("forward", () => this.go(this.at + 1));
    on("share", () => this.share());
    on("moves", ({ target }) => { if (target.closest("[data-ply]")) this.go(Number(target.closest("[data-ply]").dataset.ply)); });
    on("extras", ({ target }) => { if (target.dataset.move) this.play(target.dataset.move); });
    for (const seat of [0, 1]) byId(`seat${seat}`).addEventListener("change", () => this.proceed());
    for (const id of ["show-policy", "show-visits", "show-value"]) byId(id).addEventListener("change", () => this.draw());
    byId("verb").addEventListener("change", ({ target }) => { this.verb = target.value; this.draw(); });
    byId("strength").addEventListener("input", () => this.tellStrength());
    byId("strength").addEventListener("change", () => this.draw());
    document.addEventListener("keydown", (event) => this.press(event), { signal: this.life.signal });
    if (this.options.readHash) addEventListener("hashchange", () => this.open(), { signal: this.life.signal });
  }

  // press answers keys that stand for buttons; where text is typed or a list is open, keys mean something else.
  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, textarea, input:not([type=range], [type=checkbox], [type=radio])")) return;
    const act = {
      u: () => byId("undo").click(), h: () => byId("hint").click(), n: () => byId("new").click(),
      "[": () => byId("back").click(), "]": () => byId("forward").click(), Escape: () => this.letGo(),
    }[event.key];
    if (!act || !this.line) return;
    event.preventDefault();
    act();
  }

  get simulations() { return strengths[byId("strength").value]; }

  tellStrength() {
    const text = this.simulations === 0 ? "network alone" : `${this.simulations} simulations`;
    byId("strength-text").textContent = text;
    byId("strength").setAttribute("aria-valuetext", text);
  }

  // ---- the game

  // open begins with the position of the address, or the start.
  async open() {
    const signal = this.begin();
    this.enter("loading");
    this.attempt(signal, async () => {
      const description = await this.engine.describe({ game: this.options.game });
      let line = await new Line(this.engine, description).from([]), wrong;
      if (signal.aborted) return;
      this.meet(description, line.newest);
      try {
        const link = this.options.readHash ? readLink(location.hash) : {};
        if (link.moves) line = await line.from(link.moves);
        if (link.seats) this.seat(link.seats);
      } catch (error) {
        wrong = `The link cannot be opened: ${error.message}`;
      }
      if (signal.aborted) return;
      this.paused = line.length > 0 && this.onlyAgents; // a position that was sent to be looked at stays for a while
      this.follow(line);
      this.proceed();
      if (wrong) this.complain(wrong);
    });
  }

  // meet makes the board of a game that begins with the position start.
  meet(description, start) {
    this.description = description;
    this.board = new Board(byId("board"), description, (cell, pointed) => this.touch(cell, pointed));
    // All kinds of moves, the usual first.
    this.kinds = [...new Set([...start.legal, ...Object.keys(description.actions)].filter((text) => description.actions[text].to >= 0).map(verbOf))];
    this.verb = this.kinds[0];
    byId("about").querySelector("p").textContent = description.rules;
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

  // drawSide draws a player's piece.
  drawSide(svg, seat) { drawPiece(svg, this.description.pieces.find(({ side }) => side === seat), 0.5, 0.5); }

  // seat places who the link names.
  seat(names) {
    const known = [person, ...this.agents.map((agent) => agent.label)];
    const stranger = names.find((name) => !known.includes(name));
    if (stranger !== undefined) throw new Error(`nobody here is called “${stranger.slice(0, 60)}”; there are ${known.join(", ")}`);
    if (names.length !== 2) throw new Error("it has to name who sits in two seats");
    names.forEach((name, seat) => { byId(`seat${seat}`).value = name; });
  }

  addAgent(agent, seat) {
    if (!this.agents.some(({ label }) => label === agent.label)) {
      this.agents.push(agent);
      for (const i of [0, 1]) make(byId(`seat${i}`), "option", { value: agent.label }, agent.label);
    }
    byId(`seat${seat}`).value = agent.label;
    this.proceed();
  }

  // agentOf is who sits in a seat, undefined for a person.
  agentOf(seat) { return this.agents.find(({ label }) => label === byId(`seat${seat}`).value); }
  get onlyAgents() { return Boolean(this.agentOf(0) && this.agentOf(1)); }

  textOf(agent, simulations) { return typeof agent.text === "function" ? agent.text(simulations) : agent.text; }

  // begin ends what is under way, and returns the signal that ends what begins now.
  begin() {
    this.work.abort();
    this.work = new AbortController();
    return this.work.signal;
  }

  // attempt does what may fail; a failure is told, and can be tried again.
  async attempt(signal, act) {
    try {
      await act();
    } catch (error) {
      if (signal.aborted) return;
      this.enter("error");
      this.complain(error.message);
    }
  }

  complain(text) { byId("message").textContent = text; }
  tell(text) { byId("news").textContent = text; }

  // follow shows the end of a line, the game from now on.
  follow(line) {
    this.line = line;
    this.seed ??= this.freshSeed();
    this.go(line.length);
  }

  freshSeed() { return this.options.seed ?? Math.floor(Math.random() * 2 ** 32); }

  // proceed lets agents play until it is a person's turn.
  proceed() {
    if (!this.line) return;
    const signal = this.begin();
    if (!this.onlyAgents) this.paused = false;
    this.complain("");
    this.attempt(signal, () => this.playAgents(signal));
  }

  async playAgents(signal) {
    while (!signal.aborted) {
      const { done, player } = this.line.newest;
      if (done) return this.enter("over");
      const agent = this.agentOf(player);
      if (!agent) return this.enter("ready");
      if (this.paused) return this.enter("paused");
      this.enter("thinking");
      await this.playAgent(agent, signal);
    }
  }

  // playAgent makes an agent's move.
  async playAgent(agent, signal) {
    const { line } = this;
    if (this.onlyAgents) await this.preview();
    if (signal.aborted) return;
    const rest = this.onlyAgents ? sleep(pace) : null;
    const { move } = await this.engine.choose({
      game: this.description.game, moves: line.moves, agent: this.textOf(agent, this.simulations), seed: this.seed + line.length,
    }, signal);
    const longer = await line.after(line.length, move);
    await rest;
    if (signal.aborted) return;
    const player = this.description.players[line.newest.player];
    this.tell(`${player} (${agent.label}) played ${plain(longer.moves.at(-1))}`);
    this.arrive(longer);
  }

  // preview shows what the viewer thinks before an agent moves, where people only watch.
  async preview() {
    if (!this.wanted || this.at < this.line.length) return;
    await this.studies.ask(this.question).catch((error) => { if (error.name !== "AbortError") throw error; });
    this.drawBoard();
    this.drawThoughts();
  }

  // arrive shows a line that is one move longer, whose piece is seen coming.
  arrive(line) {
    this.arrived = line.touch(line.length);
    this.follow(line);
    this.arrived = undefined;
  }

  // play makes a person's move in the position shown; what came after it is given up.
  play(move) {
    const signal = this.begin(), ply = this.at;
    this.enter("thinking");
    this.complain("");
    this.attempt(signal, async () => {
      const longer = await this.line.after(ply, move);
      if (signal.aborted) return;
      this.tell("");
      this.arrive(longer);
      await this.playAgents(signal);
    });
  }

  restart() {
    this.begin();
    this.studies.drop();
    this.seed = this.freshSeed();
    this.paused = false;
    this.tell("");
    this.studies = new Studies(this.engine);
    this.follow(this.line.cut(0));
    this.proceed();
  }

  // earlier is the newest ply before the game's end at which a person was to move or, where only agents play, the one before;
  // -1 where there is none.
  get earlier() {
    for (let ply = this.line.length - 1; ply >= 0; ply--) {
      if (this.onlyAgents || !this.agentOf(this.line.positions[ply].player)) return ply;
    }
    return -1;
  }

  undo() {
    const ply = this.earlier;
    if (ply < 0) return;
    this.paused = this.onlyAgents;
    this.tell("");
    this.begin();
    this.follow(this.line.cut(ply));
    this.proceed();
  }

  // playOn makes the position shown the newest.
  playOn() {
    this.begin();
    this.paused = false;
    this.follow(this.line.cut(this.at));
    this.proceed();
    this.board.focus();
  }

  pause(paused) {
    this.paused = paused;
    this.go(this.line.length);
    this.proceed();
  }

  step() {
    this.paused = true;
    const signal = this.begin(), agent = this.agentOf(this.line.newest.player);
    this.enter("thinking");
    this.attempt(signal, async () => {
      await this.playAgent(agent, signal);
      await this.playAgents(signal);
    });
  }

  retry() {
    if (this.line) this.proceed();
    else this.open();
    this.board?.focus();
  }

  // ---- moves by hand

  // mine says whether a person may move in the position shown.
  get mine() {
    const position = this.line?.positions[this.at];
    if (!position || position.done || this.agentOf(position.player)) return false;
    return this.at < this.line.length ? this.state !== "loading" : this.state === "ready" || this.state === "error";
  }

  // choices are the moves of the position shown that touch a cell, of the chosen kind.
  get choices() {
    if (!this.mine) return [];
    return this.line.positions[this.at].legal.map((text) => ({ text, ...this.description.actions[text] }))
      .filter(({ text, to }) => to >= 0 && (this.kinds.length < 2 || verbOf(text) === this.verb));
  }

  // fall says that a piece let go over a cell falls to another, or rests there.
  fall(over, to) {
    const width = this.description.columns.length;
    return this.description.drops && over % width === to % width;
  }

  // touch is what pressing a cell does: it chooses a piece, lets it go, or moves. With a mouse or a finger, any cell stands for
  // its column where pieces fall; keys lead to the cell that is meant.
  touch(cell, pointed) {
    const { choices } = this;
    const move = choices.find(({ from, to }) => (to === cell || (pointed && this.fall(cell, to))) && (from < 0 || from === this.chosen));
    if (move) {
      this.chosen = undefined;
      this.play(move.text);
      return;
    }
    this.chosen = cell !== this.chosen && choices.some(({ from }) => from === cell) ? cell : undefined;
    this.draw();
  }

  letGo() {
    this.chosen = undefined;
    this.draw();
  }

  // ---- what is shown

  // enter notes what the app is doing.
  enter(state) {
    this.state = state;
    document.body.dataset.state = state;
    this.reveal("retry", state === "error");
    // A game that could not be opened leaves nothing to choose.
    for (const part of this.root.querySelectorAll(".panel, #new, #undo, #hint")) part.hidden = state === "error" && !this.line;
    this.draw();
  }

  // go shows the position after a number of moves.
  go(ply) {
    if (!this.line) return;
    this.at = Math.min(Math.max(ply, 0), this.line.length);
    this.chosen = undefined;
    this.hinted = undefined;
    if (this.at < this.line.length) this.tell(""); // which is of the newest move
    this.listMoves();
    this.draw();
  }

  draw() {
    if (!this.line) return;
    this.chooseVerb();
    this.drawControls();
    this.drawSeats();
    this.drawView();
    this.drawStatus();
  }

  // chooseVerb keeps the chosen kind of move among those that are legal now.
  chooseVerb() {
    const { legal } = this.line.positions[this.at];
    const can = this.kinds.filter((kind) => legal.some((text) => verbOf(text) === kind));
    if (can.length > 0 && !can.includes(this.verb)) this.verb = can[0];
    for (const radio of byId("verb").querySelectorAll("input")) {
      radio.checked = radio.value === this.verb;
      radio.disabled = can.length > 0 && !can.includes(radio.value);
    }
  }

  drawControls() {
    const { at, line } = this, position = line.positions[at], past = at < line.length;
    this.enable("new", true);
    byId("new").classList.toggle("primary", line.newest.done);
    this.enable("share", true);
    this.enable("undo", this.earlier >= 0);
    this.enable("hint", !position.done);
    this.enable("back", at > 0);
    this.enable("forward", past);
    this.reveal("pause", this.onlyAgents && !line.newest.done);
    this.reveal("step", this.onlyAgents && !line.newest.done);
    byId("pause").textContent = this.paused ? "Go on" : "Pause";
    byId("pause").setAttribute("aria-pressed", this.paused);
    this.reveal("verb", this.kinds.length > 1 && !this.onlyAgents && !position.done);
    this.reveal("past", past);
    byId("past").querySelector("span").textContent = `Looking back: move ${at} of ${line.length}.`;
    const loose = this.mine ? position.legal.filter((text) => this.description.actions[text].to < 0) : [];
    const extras = byId("extras"), focused = extras.contains(document.activeElement);
    extras.replaceChildren();
    for (const text of loose) make(extras, "button", { type: "button", "data-move": text }, text === "noop" ? "Pass (noop)" : plain(text));
    if (focused) (extras.querySelector("button") || this.board).focus();
  }

  // enable switches a button; one that has the focus gives it to the board rather than losing it.
  enable(id, on) {
    if (!on && document.activeElement === byId(id)) this.board.focus();
    byId(id).disabled = !on;
  }

  reveal(id, on) {
    if (!on && byId(id).contains(document.activeElement)) this.board?.focus();
    byId(id).hidden = !on;
  }

  drawSeats() {
    const { player } = this.line.positions[this.at];
    for (const box of this.root.querySelectorAll(".seat")) {
      const turn = Number(box.dataset.seat) === player;
      box.classList.toggle("now", turn);
      box.querySelector(".turn").textContent = turn ? "to move" : "";
    }
  }

  drawStatus() {
    const position = this.line.positions[this.at], status = byId("status");
    const [, head, rest] = /^(.*?)(?:; (.*))?$/s.exec(position.status);
    const [first, mark, second] = position.done ? [this.result(position), ". ", position.status] : [head, "; ", rest];
    const won = this.board.tellWon(position), text = second ? first + mark + second + won : first;
    if (status.textContent === text) return; // a text that is set anew may be read aloud anew
    status.textContent = first;
    if (!second) return;
    make(status, "span", { class: "hidden" }, mark);
    make(status, "span", { class: "detail" }, second);
    if (won) make(status, "span", { class: "hidden" }, won);
  }

  // result says who has won a finished game.
  result({ goals }) {
    if (goals[0] === goals[1]) return "A draw";
    const winner = goals[0] > goals[1] ? 0 : 1, loser = 1 - winner;
    if (Boolean(this.agentOf(winner)) === Boolean(this.agentOf(loser))) return `${this.description.players[winner]} wins`;
    return this.agentOf(winner) ? "The agent wins" : "You win";
  }

  // ---- the list of moves

  listMoves() {
    const list = byId("moves"), focused = list.contains(document.activeElement);
    const texts = ["start", ...this.line.moves];
    while (list.children.length > texts.length) list.lastChild.remove();
    texts.forEach((text, ply) => {
      const button = list.children[ply]?.firstChild || make(make(list, "li"), "button", { type: "button", "data-ply": ply });
      const mover = ply > 0 ? this.line.positions[ply - 1].player : -1, id = `${mover} ${text}`;
      if (button.dataset.id !== id) {
        button.dataset.id = id;
        button.replaceChildren();
        if (mover >= 0) this.drawSide(makeSVG(button, swatch), mover);
        make(button, "span", {}, mover < 0 ? text : `${ply}. ${plain(text)}`);
        if (mover >= 0) make(button, "span", { class: "hidden" }, ` by ${this.description.players[mover]}`);
      }
      if (ply === this.at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const now = list.children[this.at];
    if (focused) now.firstChild.focus();
    const top = now.offsetTop - list.offsetTop; // never scroll the page itself
    if (top < list.scrollTop || top + now.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  }

  // ---- the agent's view and hints

  // viewer is the agent whose view is shown: one that thinks, at the table if there is one.
  get viewer() {
    const seated = [0, 1].map((seat) => this.agentOf(seat)).filter(Boolean);
    return [...seated, ...this.agents].find(({ text }) => typeof text === "function" || text.includes(":")) || this.agents[0];
  }

  // question is what the viewer is asked about the position shown.
  get question() {
    return {
      game: this.description.game, moves: this.line.moves.slice(0, this.at),
      agent: this.textOf(this.viewer, Math.max(this.simulations, insight)),
    };
  }

  get wants() {
    return { policy: byId("show-policy").checked, visits: byId("show-visits").checked, value: byId("show-value").checked };
  }

  get wanted() { return Object.values(this.wants).some(Boolean); }

  // drawView draws the board, with the agent's view as soon as that is known. An agent that is choosing its move is not
  // disturbed.
  drawView() {
    const { question } = this;
    this.drawBoard();
    this.drawThoughts();
    const busy = this.state === "loading" || (this.state === "thinking" && this.at === this.line.length);
    const over = this.line.positions[this.at].done, hinting = this.hinting && sameQuestion(question, this.hinting);
    if (busy || over || !(this.wanted || hinting)) { this.studies.drop(); return; }
    if (this.view || this.studies.busyWith(question)) return;
    this.studies.ask(question).then(() => {
      if (!sameQuestion(question, this.question)) return;
      this.drawBoard();
      this.drawThoughts();
    }).catch((error) => { if (error.name !== "AbortError") this.complain(error.message); });
  }

  // view is what is known of the viewer's thoughts.
  get view() { return this.studies.known(this.question); }

  drawBoard() {
    const { at, line, choices } = this, position = line.positions[at];
    const moved = choices.some(({ from }) => from >= 0);
    const targets = new Set(choices.filter(({ from }) => from < 0 || from === this.chosen).map(({ to }) => to));
    const movable = new Set(choices.filter(({ from }) => from >= 0).map(({ from }) => from));
    this.board.show(position, {
      last: at > 0 ? line.touch(at) : undefined, hint: this.hinted, arrived: this.arrived,
      movable, targets, chosen: this.chosen, ...marksOf(this.view, this.description.actions, this.wants, this.chosen),
    });
    this.board.tell(position, (cell) => [
      ...(cell === this.chosen ? ["chosen"] : movable.has(cell) ? ["can move"] : []),
      ...(targets.has(cell) ? [!moved ? `can ${this.verb}` : position.pieces[cell] === "0" ? "can be reached" : "can be taken"] : []),
    ], (cell) => movable.has(cell) ? cell === this.chosen : null);
    this.board.point((cell) => [...targets].some((to) => this.fall(cell, to)));
  }

  drawThoughts() {
    const { policy, visits, value } = this.wants, { view } = this;
    byId("thoughts").hidden = !(policy || visits) || !view;
    byId("value").hidden = !value || !view;
    if (!view) return;
    listThoughts(byId("thoughts"), view, this.viewer.label);
    drawMeter(byId("value"), view, this.description.players);
  }

  // hint shows the move that the viewer would make.
  async hint() {
    if (this.state === "thinking" && this.at === this.line.length) return;
    const { question } = this, looking = "Looking for a hint …";
    this.hinting = question;
    this.tell(looking);
    try {
      const { best, player, value } = await this.studies.ask(question);
      if (!sameQuestion(question, this.question)) return;
      this.hinted = this.description.actions[best];
      this.tell(`Hint for ${player}: ${plain(best)}, value ${utility(value)}`);
      this.drawBoard();
    } catch (error) {
      if (error.name !== "AbortError") this.complain(error.message);
    } finally {
      if (this.hinting === question) this.hinting = undefined;
      if (byId("news").textContent === looking) this.tell("");
    }
  }

  // ---- sharing

  // share puts the link to the position shown into the address and onto the clipboard, or, where the browser refuses that,
  // into a field to copy it from.
  async share() {
    const moves = this.line.moves.slice(0, this.at), field = byId("link").querySelector("input");
    history.replaceState(history.state, "", (this.options.address?.() ?? "") + "#" + writeLink(moves, [0, 1].map((seat) => byId(`seat${seat}`).value)));
    field.value = location.href;
    try {
      await navigator.clipboard.writeText(field.value);
      byId("link").hidden = true;
      const scope = location.protocol === "file:" ? "; for a copy of this file elsewhere, put the part from # behind its address" : "";
      this.tell(`The link to this position has been copied${scope}`);
    } catch {
      byId("link").hidden = false;
      field.focus();
      field.select();
      this.tell("The link to this position stands beside the list of moves");
    }
  }
}
