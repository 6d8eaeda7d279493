// The game viewer of reports and run pages: it steps through a replay, which is what board.Replay of the server writes.
import { byId, colour, make } from "./dom.js";
import { Board, summed } from "./board.js";
import { drawChart, keepDrawn } from "./charts.js";
import { minWeight, worth } from "./analysis.js";
import { percent, score } from "./format.js";
import { MoveList } from "./movelist.js";

const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
const maxRows = 8; // of the table of moves

// Columns of the table of moves; a column is shown if any move has its figure. The title of scores names the first player.
const columns = [
  { key: "policy", title: "policy target", text: percent },
  { key: "visits", title: "visits", text: (n) => n ?? "–" },
  { key: "value", title: "score of", text: score },
  { key: "prior", title: "prior", text: percent },
];

const layout = (choices, tools, actions) => `
<div class="controls">
${choices}
<label>Game <select id="game"></select></label>
<div class="buttons">
<button type="button" data-go="first" aria-label="first position">«</button>
<button type="button" data-go="back" aria-label="one move back">‹</button>
<output id="ply"></output>
<button type="button" data-go="next" aria-label="one move forward">›</button>
<button type="button" data-go="last" aria-label="last position">»</button>
</div>
</div>
<p id="trouble" class="problem" role="alert" hidden></p>
<div class="table" id="table" hidden>
<div class="drawn"><div id="board" class="board"></div><p id="status" aria-live="polite"></p></div>
<div class="analysis">
${tools}
<p id="value"></p>
<div id="values" class="plot"></div>
<table id="moves"><thead></thead><tbody></tbody></table>
<p id="note" class="note"></p>
${actions}
</div>
<ol id="record" class="moves" aria-label="Moves of the game"></ol>
</div>`;

export class GameViewer {
  // The viewer fills #viewer. Of the optional HTML, choices stands before the choice of a game, tools above the value and actions
  // below the table of moves. onPosition() is called after every step to another position.
  constructor({ choices = "", tools = "", actions = "", onPosition = () => {} } = {}) {
    const root = byId("viewer");
    this.onPosition = onPosition;
    for (const [name, value] of [["tabindex", 0], ["role", "group"], ["aria-label", "Game viewer: arrow keys step through the game"]]) root.setAttribute(name, value);
    root.innerHTML = layout(choices, tools, actions);
    this.buttons = [...root.querySelectorAll("[data-go]")];
    for (const button of this.buttons) button.addEventListener("click", () => this.step(button.dataset.go));
    root.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
      event.preventDefault();
      this.step(keys[event.key]);
    });
  }

  // describe prepares for replays of a game, given its board.Description.
  describe(description) {
    this.description = description;
    this.makeBoard();
    this.list = new MoveList(byId("record"), description, (ply) => this.go(ply));
  }

  // makeBoard makes the board, to play on if onCell is given, see [Board].
  makeBoard(onCell) { this.board = new Board(byId("board"), this.description, onCell); }

  // open shows the first position of a replay.
  open(replay) {
    this.replay = replay;
    byId("table").hidden = false;
    this.drawValues();
    this.go(0);
  }

  get position() { return this.replay.positions[this.ply]; }
  get moves() { return this.replay.positions.slice(0, this.ply).map(({ move }) => move); }
  get last() { return this.replay.positions.length - 1; }

  step(where) {
    if (this.replay) this.go({ first: 0, back: this.ply - 1, next: this.ply + 1, last: this.last }[where]);
  }

  go(ply) {
    this.ply = Math.min(Math.max(ply, 0), this.last);
    byId("ply").textContent = `ply ${this.ply} of ${this.last}`;
    for (const button of this.buttons) {
      const back = button.dataset.go === "first" || button.dataset.go === "back";
      button.disabled = this.ply === (back ? 0 : this.last);
    }
    this.list.show(this.replay.positions.slice(0, -1), this.ply);
    if (this.curve) this.curve.plot().redraw(false);
    this.show(this.position);
    this.onPosition();
  }

  // show draws the current position. annotated is that position, perhaps with other values and moves, or with a better move to
  // mark; source says where those come from.
  show(annotated, source = "") {
    const { players, actions } = this.description, { move, player, proven, value } = annotated;
    const forFirst = (v) => v == null || player === 0 ? v : -v; // values of moves are for the player to move
    const best = Math.max(...(annotated.moves || []).map((m) => m.value ?? -1));
    const weightOf = (m) => m.policy ?? (m.value == null ? 0 : worth(m.value, best)); // the policy target is the search's improved policy
    const moves = (annotated.moves || []).map((m) => ({ ...m, ...actions[m.move], value: forFirst(m.value), weight: weightOf(m) }));
    const most = Math.max(...moves.map(({ weight }) => weight)), chosen = moves[0]?.visits == null ? undefined : moves[0]; // of an analysis
    const drawn = moves.filter(({ to, weight }) => to >= 0 && weight > minWeight * most).sort((a, b) => b.weight - a.weight);
    const numbers = [...summed(drawn.map(({ to, visits, weight }) => [to, visits ?? Math.round(100 * weight)]))];
    const before = this.replay.positions[this.ply - 1];
    this.board.show(annotated, {
      last: [actions[before?.move]].filter(Boolean), played: actions[move], hint: actions[annotated.better], chosen: chosen?.to >= 0 ? chosen : undefined, shades: drawn, numbers,
    });
    byId("status").textContent = annotated.status;
    byId("value").textContent = value == null ? "" : `Expected score of ${players[0]}: ${score(value)}${move && proven ? ", proven" : ""}`;
    const shown = moves.filter((m, i) => i < maxRows || m.move === move);
    this.listMoves(move && !shown.some((m) => m.move === move) ? [...shown, { move }] : shown, move);
    byId("note").textContent = move ? this.notes(annotated, moves, shown, source) : "";
  }

  listMoves(moves, played) {
    const head = byId("moves").querySelector("thead"), body = byId("moves").querySelector("tbody");
    head.replaceChildren();
    body.replaceChildren();
    const used = columns.filter(({ key }) => moves.some((m) => m[key] != null));
    if (!played || used.length === 0) return;
    const titles = make(head, "tr");
    make(titles, "th", { scope: "col" }, "move");
    const { players } = this.description;
    for (const { key, title } of used) make(titles, "th", { scope: "col", class: "figure" }, key === "value" ? `${title} ${players[0]}` : title);
    for (const m of moves) {
      const row = make(body, "tr", m.move === played ? { class: "played" } : {});
      make(row, "th", { scope: "row" }, m.move + (m.move === played ? " ●" : ""));
      for (const { key, text } of used) make(row, "td", { class: "figure" }, text(m[key]));
    }
  }

  notes({ move, player, random, legal }, moves, shown, source) {
    const by = random ? "an opening ply" : `by ${this.replay.agents[player]}`;
    const texts = [`● ${move} played: ${by}.`, source];
    if (moves.some(({ policy }) => policy != null)) texts.push("Policy targets, in %, come from the search; the network was trained on them.");
    else if (shown.length > 0 && legal > shown.length) texts.push(`${legal - shown.length} more legal moves are not listed.`);
    return texts.filter(Boolean).join(" ");
  }

  // drawValues draws the expected scores of the positions, where they are known, as a curve.
  drawValues() {
    if (this.curve) this.curve.stop();
    this.curve = undefined;
    const place = byId("values"), values = this.replay.positions.map(({ value }) => value);
    const known = [...values.keys()].filter((ply) => values[ply] != null);
    if (known.length < 2) return;
    const chart = {
      x: "ply", unit: "%", min: -2.5, max: 102.5,
      lines: [{ name: `expected score of ${this.description.players[0]}`, colour: 0, dots: true, x: known, y: known.map((ply) => 50 + 50 * values[ply]) }],
    };
    this.curve = keepDrawn(place, () => {
      const plot = drawChart(place, chart, { height: 150, legend: { show: false }, hooks: { draw: [(p) => this.drawProven(p), (p) => this.drawCursor(p)] } });
      plot.over.addEventListener("click", () => { if (plot.cursor.idx != null) this.go(known[plot.cursor.idx]); });
      return plot;
    });
  }

  // drawProven makes the curve of values thick between proven ones.
  drawProven({ ctx, valToPos }) {
    const { positions } = this.replay, at = (ply) => [valToPos(ply, "x", true), valToPos(50 + 50 * positions[ply].value, "y", true)];
    const proven = [...positions.keys()].filter((ply) => positions[ply].proven && positions[ply - 1]?.proven);
    drawLines(ctx, "c0", 4, proven.map((ply) => [at(ply - 1), at(ply)]));
  }

  // drawCursor marks the current position on the curve of values.
  drawCursor(plot) {
    const left = plot.valToPos(this.ply, "x", true), { top, height } = plot.bbox;
    drawLines(plot.ctx, "c1", 2, [[[left, top], [left, top + height]]]);
  }
}

// drawLines draws lines, [from, to] each, of a width in CSS pixels.
function drawLines(ctx, name, width, lines) {
  ctx.save();
  ctx.strokeStyle = colour(name);
  ctx.lineWidth = width * devicePixelRatio;
  ctx.beginPath();
  for (const [from, to] of lines) {
    ctx.moveTo(...from);
    ctx.lineTo(...to);
  }
  ctx.stroke();
  ctx.restore();
}
