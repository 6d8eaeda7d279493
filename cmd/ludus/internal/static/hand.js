// Moves that people make by hand: presses on cells of the board, a choice of kinds of moves, and buttons for moves without cells.
import { isCapture, pieceAt } from "./board.js";
import { byId, make } from "./dom.js";

export const handLayout = `<fieldset id="verb" hidden><legend>Kind of move</legend></fieldset><div id="extras"></div>`;

// Hand fills #verb, with a radio button per kind of move if there are several, and #extras. Of its page it uses
//   description, board        the game's and its Board, whose presses go to press
//   position                  the position shown, with its legal moves
//   blocked                   why people may not move there, undefined if they may
//   play(move), draw()        play a move, draw anew
//   showNote, clearNote       show a text, clear it if it is still there
export class Hand {
  // legal are the legal moves of some position; the first kind of moves is that of the first one.
  constructor(page, legal) {
    const { actions } = page.description, verb = byId("verb");
    this.page = page;
    this.kinds = [...new Set([...legal, ...Object.keys(actions)].map((move) => actions[move]).filter(({ to }) => to >= 0).map(({ kind }) => kind))];
    for (const label of verb.querySelectorAll("label")) label.remove();
    for (const kind of this.kinds) {
      const label = make(verb, "label");
      make(label, "input", { type: "radio", name: "verb", value: kind });
      label.append(kind);
    }
    verb.onchange = ({ target }) => { this.verb = target.value; this.unaim(); page.draw(); };
    byId("extras").onclick = ({ target }) => { if (target.dataset.move) this.play(target.dataset.move); };
    this.renew();
  }

  // renew chooses the first kind of moves: other kinds are for one move.
  renew() { this.verb = this.kinds[0]; }

  // choices are the legal moves of the position shown that are made on the board, of the chosen kind.
  get choices() {
    const { blocked, position, description } = this.page;
    if (blocked !== undefined) return [];
    return position.legal.map((text) => ({ text, ...description.actions[text] })).filter(({ kind, to }) => to >= 0 && (this.kinds.length < 2 || kind === this.verb));
  }

  // dropsTo says whether a piece dropped in the column of a cell falls to another cell.
  dropsTo(over, to) {
    const { drops, columns } = this.page.description;
    return drops && over % columns.length === to % columns.length;
  }

  // press selects or deselects a piece, plays a move, or says why it does neither. In games with falling pieces a mouse or a finger may
  // press any cell of the column. On a cell that is too small for a finger, the first press marks the move; the second one, or a
  // button, plays it.
  press(cell, pointed) {
    const { choices, page } = this;
    const move = choices.find(({ from, to }) => (to === cell || (pointed && this.dropsTo(cell, to))) && (from < 0 || from === this.selected));
    if (move && pointed && move.text !== this.aimed?.text && page.board.isTooSmall(cell)) {
      this.aimed = move;
      page.showNote(this.advice = `${move.text}: tap again to play it`);
      page.draw();
      return;
    }
    if (move) {
      this.play(move.text);
      return;
    }
    this.unaim();
    page.clearNote(this.refusal);
    if (cell === this.selected) this.selected = undefined;
    else if (choices.some(({ from }) => from === cell)) this.selected = cell;
    else page.showNote(this.refusal = this.whyNot(cell)); // a selected piece stays selected
    page.draw();
  }

  play(move) {
    this.drop();
    this.renew();
    this.page.play(move);
  }

  // whyNot says in a few words why a press on a cell does nothing.
  whyNot(cell) {
    const { choices, page: { board, blocked, description, position: { legal, player, pieces } } } = this;
    const name = board.name(cell), piece = pieceAt(description, pieces, cell);
    if (blocked !== undefined) return blocked;
    if (choices.length === 0) return `You cannot move a piece; your move is: ${legal.join(", ")}`;
    if (choices.some(({ from }) => from >= 0)) {
      if (this.selected !== undefined) return `The piece on ${board.name(this.selected)} cannot move to ${name}`;
      if (!piece || piece.side === 2) return "Select one of your pieces first, then the cell to move it to";
      return piece.side === player ? `The piece on ${name} cannot move now` : `The piece on ${name} is ${piece.name}, not yours`;
    }
    const falls = choices.find(({ to }) => this.dropsTo(cell, to));
    if (falls) return `A piece dropped here falls to ${board.name(falls.to)}`;
    if (description.drops) return `Column ${description.columns[cell % description.columns.length]} is full`;
    return piece ? `${name} is taken: ${piece.name} is on it` : `No legal move on ${name}`;
  }

  // unaim takes back the mark of a move that another tap would play.
  unaim() {
    this.aimed = undefined;
    this.page.clearNote(this.advice);
  }

  // drop deselects a piece, too, and clears what press said.
  drop() {
    this.selected = undefined;
    this.unaim();
    this.page.clearNote(this.refusal);
  }

  // drawButtons draws the choice of kinds, of which one with legal moves is chosen, and the buttons for moves.
  drawButtons() {
    const { aimed, page: { board, blocked, description: { actions }, position: { legal } } } = this, can = this.kinds.filter((kind) => legal.some((move) => actions[move].kind === kind));
    if (can.length > 0 && !can.includes(this.verb)) this.verb = can[0];
    for (const radio of byId("verb").querySelectorAll("input")) {
      radio.checked = radio.value === this.verb;
      radio.disabled = can.length > 0 && !can.includes(radio.value);
    }
    const loose = blocked === undefined ? legal.filter((text) => actions[text].to < 0) : [];
    const extras = byId("extras"), focused = extras.contains(document.activeElement);
    extras.replaceChildren();
    for (const text of loose) make(extras, "button", { type: "button", "data-move": text }, text[0].toUpperCase() + text.slice(1));
    if (aimed) make(extras, "button", { type: "button", "data-move": aimed.text }, `Play ${aimed.text}`);
    if (focused) (extras.querySelector("button") || board).focus();
  }

  // show draws the position with the choices and other marks, see [Board.show].
  show(marks) {
    const { choices, selected, page: { board, description, position } } = this, moved = choices.some(({ from }) => from >= 0);
    const targets = new Set(choices.filter(({ from }) => from < 0 || from === selected).map(({ to }) => to));
    const movable = new Set(choices.filter(({ from }) => from >= 0).map(({ from }) => from));
    board.show(position, { ...marks, hint: this.aimed ?? marks.hint, movable, targets, selected });
    board.label(position, (cell) => [
      ...(cell === selected ? ["selected"] : movable.has(cell) ? ["can move"] : []),
      ...(targets.has(cell) ? [!moved ? `can ${this.verb}` : isCapture(description, position, cell) ? "can be captured" : "can be reached"] : []),
    ], (cell) => movable.has(cell) ? cell === selected : null);
    board.showClickable((cell) => [...targets].some((to) => this.dropsTo(cell, to)));
  }
}
