// The moves of a game with the positions along them, and links to a position. Nothing here touches the page.

import { pieceAt } from "./board.js";

// GameHistory is immutable; its methods return new ones.
export class GameHistory {
  constructor(engine, description) {
    this.engine = engine;
    this.description = description;
    this.moves = [];
    this.positions = []; // of the engine; one more than moves
  }

  get length() { return this.moves.length; }
  get newest() { return this.positions[this.length]; }

  // position requests the position after moves from the engine.
  position(moves) { return this.engine.position({ game: this.description.game, moves }); }

  // replay returns the history of other moves. An error names the move that is not legal.
  async replay(moves) {
    const { maxPlies, game } = this.description;
    if (moves.length > maxPlies) throw new Error(`there are ${moves.length} moves; a game of ${game} has at most ${maxPlies}`);
    const history = new GameHistory(this.engine, this.description);
    const last = await this.position(moves);
    history.moves = last.moves;
    history.positions = [...await Promise.all(moves.map((move, ply) => this.position(history.moves.slice(0, ply)))), last];
    return history;
  }

  // play returns the first plies with one more move.
  async play(ply, move) {
    const history = this.first(ply);
    const position = await this.position([...history.moves, move]);
    history.moves = position.moves;
    history.positions.push(position);
    return history;
  }

  // first returns the first plies.
  first(ply) {
    const history = new GameHistory(this.engine, this.description);
    history.moves = this.moves.slice(0, ply);
    history.positions = this.positions.slice(0, ply + 1);
    return history;
  }

  // cells returns { from, to } of move number ply, from 1. A move without cells that changes one piece, as the swap of Hex does, is drawn
  // there.
  cells(ply) {
    const move = this.description.actions[this.moves[ply - 1]], changed = this.changed(ply);
    return changed === undefined ? move : { ...move, to: changed };
  }

  // changed returns the cell of the one piece that a move without cells changed, else undefined.
  changed(ply) {
    if (this.description.actions[this.moves[ply - 1]].to >= 0) return undefined;
    const before = this.positions[ply - 1].pieces, after = this.positions[ply].pieces;
    const cells = [...after].flatMap((kind, cell) => kind !== before[cell] && pieceAt(this.description, after, cell) ? [cell] : []);
    return cells.length === 1 ? cells[0] : undefined;
  }

  // turn returns the numbers of the moves that one player made in a row, up to move number ply; from 1.
  turn(ply) {
    let first = ply;
    while (first > 1 && this.positions[first - 2].player === this.positions[ply - 1].player) first--;
    return Array.from({ length: ply > 0 ? ply - first + 1 : 0 }, (_, i) => first + i);
  }
}

// writeLink returns the part of an address after #: the moves, if there are any, who plays in each seat and, if people have chosen
// any, the strengths of the seats, as StrengthSlider writes them.
export function writeLink({ moves, seats, strengths }) {
  const parts = [`seats=${seats.map(encodeURIComponent).join(",")}`];
  if (strengths.some((text) => text !== "")) parts.push(`strength=${strengths.join(",")}`);
  if (moves.length > 0) parts.push(`moves=${encodeURIComponent(moves.join(";"))}`);
  return parts.join("&");
}

// readLink parses what writeLink returned into { moves, seats, strengths }, each of which may be undefined. It throws if the address
// is damaged.
export function readLink(hash) {
  const link = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value = ""] = part.split(/=(.*)/s);
    if (name === "moves") link.moves = unescaped(value).split(";").map((text) => text.trim()).filter((text) => text !== "");
    if (name === "seats") link.seats = value.split(",").map(unescaped);
    if (name === "strength") link.strengths = value.split(",").map(unescaped);
  }
  return link;
}

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("its address is damaged");
  }
}
