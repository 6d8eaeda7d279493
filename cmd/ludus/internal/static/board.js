// The drawn board, with buttons over its cells if it can be played on. A description is the server's board.Description: names of
// rows and columns, hexagons, cells (which exist), and the kinds of pieces.
import { make, makeSVG } from "./dom.js";

// corners are the corners of a hexagonal cell of width 1, from its centre. Rows are one apart.
const corners = [[0, -2 / 3], [0.5, -1 / 3], [0.5, 1 / 3], [0, 2 / 3], [-0.5, 1 / 3], [-0.5, -1 / 3]];

const smallestTarget = 24; // pixels, as in WCAG 2.2

// Board draws positions of one game in element. With onCell, every cell is a button. One of them is a tab stop; arrow keys move
// between them; a press calls onCell(cell, pointed), where pointed is true for a mouse or a finger and false for a key. The first row
// is at the bottom, or at the top if flipped, which turns the board by 180 degrees.
export class Board {
  constructor(element, description, onCell, flipped = false) {
    this.description = description;
    this.flipped = flipped;
    this.findArea();
    this.hexagons = description.hexagons;
    this.gap = this.hexagons ? 0.25 : 0.1; // between a row's label and its first cell
    this.margin = this.findMargin();
    this.top = this.hexagons ? 0.4 : 0;
    const more = this.hexagons ? 0.4 : 0.1; // on the right
    const wide = this.margin + this.width + this.shift(this.height - 1) + more, high = this.top + this.height + this.margin + 0.1;
    element.replaceChildren();
    element.style.setProperty("--ratio", wide / high);
    element.style.setProperty("--wide", wide); // in cells
    const accessibility = onCell ? { "aria-hidden": "true" } : { role: "img" }; // the buttons have labels
    this.svg = makeSVG(element, { viewBox: `0 0 ${wide} ${high}`, ...accessibility });
    this.drawGrid(make(this.svg, "g"));
    this.ground = make(this.svg, "g");
    this.pieces = make(this.svg, "g");
    this.marks = make(this.svg, "g");
    if (onCell) this.makeButtons(element, onCell, wide, high);
  }

  // x and y return the centre of a cell.
  x(cell) { return this.margin + this.place(cell)[1] + this.shift(this.place(cell)[0]) + 0.5; }
  y(cell) { return this.top + this.height - this.place(cell)[0] - 0.5; }

  // findArea finds the rows and columns to draw: rows and columns without cells at the edges are left out.
  findArea() {
    const { cells } = this.description;
    this.low = this.left = 0;
    const places = cells.flatMap((exists, cell) => exists ? [this.place(cell)] : []);
    const [rows, columns] = [0, 1].map((axis) => places.map((place) => place[axis]));
    this.low = Math.min(...rows);
    this.left = Math.min(...columns);
    this.height = Math.max(...rows) - this.low + 1;
    this.width = Math.max(...columns) - this.left + 1;
  }

  // findMargin returns the room for labels, in cells. The labels' size is a share of the board's width, see board.css.
  findMargin() {
    const longest = Math.max(...this.description.rows.map(({ length }) => length)), wide = this.width + this.shift(this.height - 1) + 1;
    return Math.max(this.hexagons ? 1 : 0.55, this.gap + 0.02 * wide * longest);
  }

  // place returns where a cell is drawn: its row from the bottom and its column from the left.
  place(cell) {
    const { columns, cells } = this.description, at = this.flipped ? cells.length - 1 - cell : cell;
    return [Math.floor(at / columns.length) - this.low, at % columns.length - this.left];
  }

  // cellAt returns the cell drawn in a row from the bottom and a column from the left.
  cellAt(row, column) {
    const { columns, cells } = this.description, at = (row + this.low) * columns.length + column + this.left;
    return this.flipped ? cells.length - 1 - at : at;
  }

  // shift returns how far a row, counted from the bottom, is right of the lowest one.
  shift(row) { return this.hexagons ? row / 2 : 0; }

  // show draws a position: its pieces (a digit per cell, 0 for none, else the kind's number from 1) and the winning cells (wonBy, in
  // order along an outline; optional). It also draws, if given:
  //   last: [{ from, to }], the moves that led here     played: { from, to }, the move made here
  //   hint: { from, to }                                arrived: { from, to }, a move to animate
  //   chosen: { from, to }, the move that an analysis chose
  //   shades: [{ from, to, weight }], moves by weight in descending order
  //   places: whether these moves place pieces, so that they and the numbers are drawn in the cells; by default as shades say
  //   numbers: [[cell, text]]
  //   movable: cells whose piece can move               targets: cells that can be moved to
  //   selected: the cell of the selected piece
  show(position, { last = [], played, hint, chosen, shades = [], places = shades[0]?.from < 0, numbers = [], movable = [], targets = [], selected, arrived } = {}) {
    if (position.pieces !== this.shown) this.drawPieces(position.pieces, arrived);
    this.shown = position.pieces;
    this.ground.replaceChildren();
    this.marks.replaceChildren();
    for (const cell of last.flatMap(({ from, to }) => [from, to])) if (cell >= 0) this.drawSquare(this.ground, cell, "last", 0.45);
    const mover = this.description.pieces.find(({ side }) => side === position.player);
    if (places) this.drawHeat(shades, mover);
    else this.drawArrows(shades, mover);
    for (const cell of movable) this.drawSquare(this.ground, cell, cell === selected ? "selected" : selected === undefined ? "movable" : "movable quiet", 0.45);
    const numbered = new Set([...numbers].map(([cell]) => cell));
    for (const cell of targets) {
      if (!places || !numbered.has(cell)) this.drawTarget(cell, isCapture(this.description, position, cell), selected === undefined);
    }
    if (chosen) this.drawSquare(this.marks, chosen.to, "chosen", 0.39);
    if (played && played.to >= 0) this.drawPlayed(played, "played", mover);
    if (hint && hint.to >= 0) this.drawPlayed(hint, "hint");
    for (const [cell, text] of numbers) make(this.marks, "text", { class: "number", x: this.x(cell), y: this.y(cell) + (places ? 0 : 0.33) }, text);
    this.drawWon(position);
    this.svg.setAttribute("aria-label", `Board: ${position.status}${this.wonText(position)}`);
  }

  // drawWon draws a ring around each winning cell, dashed if the cell is empty, and lines between the rings.
  drawWon({ pieces, wonBy: cells = [] }) {
    const round = 0.41;
    const side = (from, to) => {
      const dx = this.x(to) - this.x(from), dy = this.y(to) - this.y(from), part = round / Math.hypot(dx, dy);
      return { x1: this.x(from) + dx * part, y1: this.y(from) + dy * part, x2: this.x(to) - dx * part, y2: this.y(to) - dy * part };
    };
    for (const names of ["won ground", "won"]) {
      cells.forEach((cell, i) => {
        make(this.marks, "circle", { class: pieces[cell] === "0" ? `${names} open` : names, cx: this.x(cell), cy: this.y(cell), r: round });
        const open = this.description.openLine && i + 1 === cells.length;
        if (cells.length > 1 && !open) make(this.marks, "line", { class: names, ...side(cell, cells[(i + 1) % cells.length]) });
      });
    }
  }

  // wonText names the winning cells, as the end of a sentence.
  wonText({ wonBy = [] }) {
    return wonBy.length > 0 ? `; won by ${wonBy.map((cell) => this.name(cell)).join(", ")}` : "";
  }

  // drawSquare draws a square, or a hexagon if the cells are hexagons, on a cell.
  drawSquare(parent, cell, names, half, attributes = {}) {
    if (this.hexagons) {
      const points = corners.map(([x, y]) => [this.x(cell) + 2 * half * x, this.y(cell) + 2 * half * y]);
      return make(parent, "polygon", { class: names, points: points.join(" "), ...attributes });
    }
    return make(parent, "rect", {
      class: names, x: this.x(cell) - half, y: this.y(cell) - half, width: 2 * half, height: 2 * half, rx: 0.08, ...attributes,
    });
  }

  drawGrid(parent) {
    const { cells, rows, columns } = this.description, { margin } = this;
    if (this.hexagons) this.drawEdges(parent);
    this.squares = cells.map((exists, cell) => exists ? this.drawSquare(parent, cell, "cell", 0.48) : undefined);
    const label = (names, text, x, y) => { if (text !== "") make(parent, "text", { class: names, x, y }, text); };
    for (let row = 0; row < this.height; row++) {
      const cell = this.cellAt(row, 0);
      label("label row", rows[Math.floor(cell / columns.length)], this.x(cell) - 0.5 - this.gap, this.y(cell));
    }
    const below = this.top + this.height + margin / 2 + (this.hexagons ? 0.1 : 0);
    for (let column = 0; column < this.width; column++) {
      const cell = this.cellAt(0, column);
      label("label", columns[cell % columns.length], this.x(cell), below);
    }
  }

  // drawEdges draws the edges of a board of hexagons in the colours of the players who connect them: the first player's above and
  // below, the second's left and right.
  drawEdges(parent) {
    const line = (cells, [from, to]) => cells.flatMap((cell) => [from, to].map((i) => [this.x(cell) + corners[i][0], this.y(cell) + corners[i][1]]));
    const row = (r) => Array.from({ length: this.width }, (_, c) => this.cellAt(r, c));
    const column = (c) => Array.from({ length: this.height }, (_, r) => this.cellAt(r, c));
    const draw = (side, cells, ends, dx, dy) => {
      const inner = line(cells, ends), outer = inner.map(([x, y]) => [x + dx, y + dy]).reverse();
      const owner = this.description.pieces.find((piece) => piece.side === side);
      make(parent, "polygon", { class: `edge ${coloursOf(owner)}`, points: [...inner, ...outer].join(" ") });
    };
    draw(0, row(0), [4, 3], 0, 0.14);
    draw(0, row(this.height - 1), [0, 1], 0, -0.14);
    draw(1, column(0), [4, 5], -0.14, 0);
    draw(1, column(this.width - 1), [2, 1], 0.14, 0);
  }

  drawPieces(pieces, arrived) {
    this.pieces.replaceChildren();
    [...pieces].forEach((kind, cell) => {
      this.squares[cell]?.classList.toggle("void", isVoid(this.description, pieces, cell));
      if (!pieceAt(this.description, pieces, cell)) return;
      const group = make(this.pieces, "g");
      drawPiece(group, pieceAt(this.description, pieces, cell), this.x(cell), this.y(cell));
      if (arrived?.to === cell) this.animate(group, arrived);
    });
  }

  // animate lets a piece slide from the cell it left, or grow where it was placed.
  animate(group, { from, to }) {
    group.classList.add(from < 0 ? "placed" : "moved");
    if (from < 0) return;
    group.style.setProperty("--dx", `${this.x(from) - this.x(to)}px`);
    group.style.setProperty("--dy", `${this.y(from) - this.y(to)}px`);
  }

  // drawArrow draws an arrow from the edge of one cell's piece to the centre of the other cell, in the colours of the mover's piece if
  // that is given.
  drawArrow({ from, to }, width, names, opacity, mover) {
    const dx = this.x(to) - this.x(from), dy = this.y(to) - this.y(from), length = Math.hypot(dx, dy);
    const ux = dx / length, uy = dy / length, head = 0.1 + width;
    const ex = this.x(to) - ux * (0.12 + head), ey = this.y(to) - uy * (0.12 + head);
    const group = make(this.marks, "g", { opacity, class: mover ? coloursOf(mover) : "" });
    const d = `M${this.x(from) + ux * 0.3} ${this.y(from) + uy * 0.3}L${ex} ${ey}`;
    if (mover) make(group, "path", { class: "arrow outline", "stroke-width": width + 0.025, d });
    make(group, "path", { class: `arrow ${names}`, "stroke-width": width, d });
    const points = [[ex + ux * head, ey + uy * head], [ex - uy * head * 0.6, ey + ux * head * 0.6], [ex + uy * head * 0.6, ey - ux * head * 0.6]];
    make(group, "polygon", { class: `head ${names.replace("arrow", "head")}`, points: points.map((p) => p.join(",")).join(" ") });
  }

  // drawHeat shades the target cells of moves that place a piece, by the largest weight of a move to each.
  drawHeat(shades, mover) {
    const strongest = new Map([...shades].reverse().map(({ to, weight }) => [to, weight])), most = shades[0]?.weight;
    for (const [cell, weight] of strongest) this.drawSquare(this.ground, cell, `heat ${coloursOf(mover)}`, 0.48, { opacity: 0.1 + 0.6 * weight / most });
  }

  // drawArrows draws moves of pieces as arrows.
  drawArrows(shades, mover) {
    const most = Math.max(...shades.map((shade) => shade.weight));
    for (const shade of shades) this.drawArrow(shade, 0.04 + 0.08 * shade.weight / most, "", 0.45 + 0.5 * shade.weight / most, mover);
  }

  drawPlayed(move, kind, mover) {
    if (move.from >= 0) this.drawArrow(move, 0.08, `${kind}-arrow`, 1, mover);
    this.drawSquare(this.marks, move.to, `${kind} ${kind}-ring ${mover ? coloursOf(mover) : ""}`, 0.45);
  }

  // drawTarget marks a cell that can be moved to: a dot, or corners around a piece that would be captured.
  drawTarget(cell, taken, quiet) {
    const x = this.x(cell), y = this.y(cell), far = 0.43, near = 0.22;
    if (!taken) {
      make(this.marks, "circle", { class: quiet ? "target quiet" : "target", cx: x, cy: y, r: quiet ? 0.06 : 0.12 });
      return;
    }
    const corner = (sx, sy) => `M${x + sx * far} ${y + sy * near}V${y + sy * far}H${x + sx * near}`;
    make(this.marks, "path", { class: "taken", d: corner(1, 1) + corner(1, -1) + corner(-1, 1) + corner(-1, -1) });
  }

  // ---- buttons

  // makeButtons lays a grid of buttons over the cells, in reading order.
  makeButtons(element, onCell, wide, high) {
    const { cells } = this.description, { margin } = this;
    this.buttons = new Map();
    this.grid = make(element, "div", { class: "cells", role: "grid", "aria-label": "Board" });
    this.grid.style.left = `${100 * margin / wide}%`;
    this.grid.style.top = `${100 * this.top / high}%`;
    this.grid.style.width = `${100 * this.width / wide}%`;
    this.grid.style.height = `${100 * this.height / high}%`;
    this.grid.style.gridTemplateColumns = `repeat(${this.width}, minmax(0, 1fr))`;
    this.grid.style.gridTemplateRows = `repeat(${this.height}, minmax(0, 1fr))`;
    for (let row = this.height - 1; row >= 0; row--) {
      const line = make(this.grid, "div", { role: "row" });
      for (let column = 0; column < this.width; column++) {
        const cell = this.cellAt(row, column), place = make(line, "div", { role: "gridcell" });
        if (this.hexagons) place.style.transform = `translateX(${100 * this.shift(row)}%)`;
        if (!cells[cell]) continue;
        const button = make(place, "button", { type: "button", "data-cell": cell, tabindex: -1, "aria-label": this.name(cell) });
        button.addEventListener("click", ({ detail }) => { this.setTabStop(cell); onCell(cell, detail > 0); }); // detail is 0 for a key
        button.addEventListener("focus", () => this.setTabStop(cell));
        this.buttons.set(cell, button);
      }
    }
    this.grid.addEventListener("keydown", (event) => this.moveFocus(event));
    this.setTabStop(this.centre());
  }

  // centre returns the existing cell nearest to the centre of the board.
  centre() {
    const far = (cell) => Math.hypot(this.place(cell)[0] - (this.height - 1) / 2, this.place(cell)[1] - (this.width - 1) / 2);
    return [...this.buttons.keys()].reduce((best, cell) => far(cell) < far(best) ? cell : best);
  }

  // setTabStop makes a cell the one that Tab leads to.
  setTabStop(cell) {
    this.buttons.get(this.tabStop)?.setAttribute("tabindex", -1);
    this.tabStop = cell;
    this.buttons.get(cell).setAttribute("tabindex", 0);
  }

  focus() { this.buttons.get(this.tabStop).focus(); }

  // isTooSmall says whether fingers point at the cells, and this one is smaller than a finger can hit.
  isTooSmall(cell) {
    return matchMedia("(pointer: coarse)").matches && this.buttons.get(cell).getBoundingClientRect().width < smallestTarget;
  }

  // moveFocus moves the focus to the next existing cell in an arrow key's direction.
  moveFocus(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    let [row, column] = this.place(this.tabStop);
    for (;;) {
      row += step[0];
      column += step[1];
      if (column < 0 || column >= this.width || row < 0 || row >= this.height) return;
      const button = this.buttons.get(this.cellAt(row, column));
      if (button) { button.focus(); return; }
    }
  }

  // name returns a cell's name, such as c2.
  name(cell) {
    const { columns, rows } = this.description;
    return columns[cell % columns.length] + rows[Math.floor(cell / columns.length)];
  }

  // label sets the buttons' labels: a cell's name, its piece and words(cell). pressed(cell) says whether the cell is selected; null: it
  // cannot be.
  label(position, words, pressed) {
    for (const [cell, button] of this.buttons) {
      const piece = pieceAt(this.description, position.pieces, cell), missing = isVoid(this.description, position.pieces, cell);
      button.setAttribute("aria-label", [this.name(cell), ...piece ? [piece.name] : [], ...missing ? ["not there"] : [], ...words(cell)].join(", "));
      button.classList.toggle("can", words(cell).length > 0);
      if (pressed(cell) === null) button.removeAttribute("aria-pressed");
      else button.setAttribute("aria-pressed", pressed(cell));
    }
  }

  // showClickable gives cells the pointer of a clickable element, beside those with words in their labels.
  showClickable(where) {
    for (const [cell, button] of this.buttons) button.classList.toggle("falls", where(cell));
  }
}

// kindAt returns what stands on a cell, a piece or a void, or undefined. pieces is that of a position: see board.Pieces of the server.
const kindAt = (description, pieces, cell) => description.pieces[pieces.charCodeAt(cell) - "1".charCodeAt(0)];

// isVoid says whether a cell is drawn as if it did not exist.
const isVoid = (description, pieces, cell) => Boolean(kindAt(description, pieces, cell)?.void);

// pieceAt returns the piece on a cell, or undefined.
export const pieceAt = (description, pieces, cell) => isVoid(description, pieces, cell) ? undefined : kindAt(description, pieces, cell);

// isCapture says whether a piece of the player who is not to move stands on a cell.
export const isCapture = (description, { pieces, player }, cell) => pieceAt(description, pieces, cell)?.side === 1 - player;

// coloursOf returns the classes that give an element the colours of a kind of piece.
export const coloursOf = ({ side, name }) => `side${side} named-${name}`;

// drawPiece draws a cross or a ring for pieces named x and o, a square for a neutral piece and otherwise a disc, with a hole for the
// second player: colours are not the only difference. A label, if the piece has one, tells it from others alike.
export function drawPiece(parent, piece, x, y) {
  const colours = `piece ${coloursOf(piece)}`, arm = 0.22;
  if (piece.name === "x") {
    make(parent, "path", { class: `${colours} stroke`, d: `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}` });
    return;
  }
  if (piece.name === "o") {
    make(parent, "circle", { class: `${colours} stroke`, cx: x, cy: y, r: 0.24 });
    return;
  }
  if (piece.side === 2) make(parent, "rect", { class: colours, x: x - 0.27, y: y - 0.27, width: 0.54, height: 0.54, rx: 0.08 });
  else make(parent, "circle", { class: colours, cx: x, cy: y, r: 0.34 });
  if (piece.label) make(parent, "text", { class: `${coloursOf(piece)} ${[...piece.label].length > 2 ? "piecename long" : "piecename"}`, x, y }, piece.label);
  else if (piece.side === 1) make(parent, "circle", { class: "hole", cx: x, cy: y, r: 0.13 });
}

// summed returns a Map with the sum of the numbers of each key, from pairs [key, number].
export function summed(pairs) {
  const sums = new Map();
  for (const [key, value] of pairs) sums.set(key, (sums.get(key) || 0) + value);
  return sums;
}
