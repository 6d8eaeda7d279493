// The drawn board. A description is what board.Description writes: rows and columns (labels), topDown, cells (which exist), and the kinds of pieces.
import { make, makeSVG } from "./dom.js";

const margin = 0.55; // for labels, in cells

// Board draws positions of one game in element.
export class Board {
  constructor(element, description) {
    this.description = description;
    this.width = description.columns.length;
    this.height = description.rows.length;
    this.svg = makeSVG(element, {
      role: "img", viewBox: `0 0 ${this.width + margin + 0.1} ${this.height + margin + 0.1}`,
    });
  }

  // x and y are the middle of a cell.
  x(cell) { return margin + (cell % this.width) + 0.5; }
  y(cell) {
    const row = Math.floor(cell / this.width);
    return (this.description.topDown ? margin + row : this.height - 1 - row) + 0.5;
  }

  // show draws a position's pieces (a digit per cell: 0 for none, or the kind's number from 1) and, over them:
  // last: { from, to }, the move that led here; played: { from, to }, the move that was made here;
  // shades: [{ from, to, weight }], moves in proportion to their weight, most first; numbers: [[cell, text]].
  show(position, { last, played, shades = [], numbers = [], label = position.status } = {}) {
    this.svg.replaceChildren();
    this.drawGrid();
    [...position.pieces].forEach((kind, cell) => { if (kind !== "0") this.drawPiece(cell, Number(kind)); });
    for (const cell of last ? [last.from, last.to] : []) if (cell >= 0) this.drawSquare(cell, "last", 0.45);
    const places = shades.length > 0 && shades[0].from < 0;
    if (places) this.drawHeat(shades);
    else this.drawArrows(shades);
    if (played && played.to >= 0) this.drawPlayed(played);
    for (const [cell, text] of numbers) make(this.svg, "text", { class: "visits", x: this.x(cell), y: this.y(cell) + (places ? 0 : 0.33) }, text);
    this.svg.setAttribute("aria-label", `Board: ${label}`);
  }

  drawSquare(cell, names, half, attributes = {}) {
    return make(this.svg, "rect", {
      class: names, x: this.x(cell) - half, y: this.y(cell) - half, width: 2 * half, height: 2 * half, rx: 0.08, ...attributes,
    });
  }

  drawGrid() {
    const { cells, rows, columns, topDown } = this.description;
    cells.forEach((exists, cell) => { if (exists) this.drawSquare(cell, "cell", 0.48); });
    rows.forEach((text, row) => make(this.svg, "text", { class: "label", x: margin / 2, y: this.y(row * this.width) }, text));
    columns.forEach((text, column) =>
      make(this.svg, "text", { class: "label", x: this.x(column), y: topDown ? margin / 2 : this.height + margin / 2 }, text));
  }

  // drawPiece draws discs, with a hole for the second player and square for nobody, so that colour is not all.
  drawPiece(cell, kind) {
    const piece = this.description.pieces[kind - 1];
    if (piece.side === 2) {
      this.drawSquare(cell, "piece side2", 0.27);
      return;
    }
    make(this.svg, "circle", { class: `piece side${piece.side} named-${piece.name}`, cx: this.x(cell), cy: this.y(cell), r: 0.34 });
    if (piece.side === 1) make(this.svg, "circle", { class: "hole", cx: this.x(cell), cy: this.y(cell), r: 0.13 });
  }

  // drawArrow leads from the edge of one cell's piece to the other cell's middle.
  drawArrow({ from, to }, width, names, opacity) {
    const dx = this.x(to) - this.x(from), dy = this.y(to) - this.y(from), length = Math.hypot(dx, dy);
    const ux = dx / length, uy = dy / length, head = 0.1 + width;
    const ex = this.x(to) - ux * (0.12 + head), ey = this.y(to) - uy * (0.12 + head);
    const group = make(this.svg, "g", { opacity });
    make(group, "path", { class: `arrow ${names}`, "stroke-width": width, d: `M${this.x(from) + ux * 0.3} ${this.y(from) + uy * 0.3}L${ex} ${ey}` });
    const points = [[ex + ux * head, ey + uy * head], [ex - uy * head * 0.6, ey + ux * head * 0.6], [ex + uy * head * 0.6, ey - ux * head * 0.6]];
    make(group, "polygon", { class: `head ${names.replace("arrow", "head")}`, points: points.map((p) => p.join(",")).join(" ") });
  }

  // drawHeat shades the cells that pieces are placed on; several moves may lead to one.
  drawHeat(shades) {
    const sums = summed(shades.map(({ to, weight }) => [to, weight])), most = Math.max(...sums.values());
    for (const [cell, weight] of sums) this.drawSquare(cell, "heat", 0.48, { opacity: 0.1 + 0.6 * weight / most });
  }

  // drawArrows shows pieces that are moved.
  drawArrows(shades) {
    const most = Math.max(...shades.map((shade) => shade.weight));
    for (const shade of shades) this.drawArrow(shade, 0.04 + 0.08 * shade.weight / most, "", 0.45 + 0.5 * shade.weight / most);
  }

  drawPlayed(played) {
    if (played.from >= 0) this.drawArrow(played, 0.08, "played-arrow", 1);
    this.drawSquare(played.to, "played-ring", 0.45);
  }
}

// summed adds up what pairs [key, number] give to each key.
export function summed(pairs) {
  const sums = new Map();
  for (const [key, value] of pairs) sums.set(key, (sums.get(key) || 0) + value);
  return sums;
}
