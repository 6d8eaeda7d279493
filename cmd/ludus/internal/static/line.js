// A game's line of moves and the positions along it, and the link that leads to one. Nothing here touches the page.

// Line is the moves that were played and what the engine says of the positions between them. A line is not changed: others
// are made of it.
export class Line {
  constructor(engine, description) {
    this.engine = engine;
    this.description = description;
    this.moves = [];
    this.positions = []; // one more than moves
  }

  get length() { return this.moves.length; }
  get newest() { return this.positions[this.length]; }

  // ask asks the engine for the position after moves.
  ask(moves) { return this.engine.position({ game: this.description.game, moves }); }

  // from is the line of other moves, all of whose positions are known. The error says which move cannot be played.
  async from(moves) {
    const { maxPlies, game } = this.description;
    if (moves.length > maxPlies) throw new Error(`there are ${moves.length} moves; a game of ${game} has at most ${maxPlies}`);
    const line = new Line(this.engine, this.description);
    const last = await this.ask(moves);
    line.moves = last.moves;
    line.positions = [...await Promise.all(moves.map((move, ply) => this.ask(line.moves.slice(0, ply)))), last];
    return line;
  }

  // after is the line's first plies and then one more move.
  async after(ply, move) {
    const line = this.cut(ply);
    const position = await this.ask([...line.moves, move]);
    line.moves = position.moves;
    line.positions.push(position);
    return line;
  }

  // cut is the line of the first plies.
  cut(ply) {
    const line = new Line(this.engine, this.description);
    line.moves = this.moves.slice(0, ply);
    line.positions = this.positions.slice(0, ply + 1);
    return line;
  }

  // touch is the pair of cells of move number ply, from 1.
  touch(ply) { return this.description.actions[this.moves[ply - 1]]; }
}

// writeLink is the part of an address after #: moves, and who sits where.
export function writeLink(moves, seats) {
  return `moves=${encodeURIComponent(moves.join(";"))}&seats=${seats.map(encodeURIComponent).join(",")}`;
}

// readLink reads what writeLink wrote: { moves, seats }, each undefined where there is none. It throws where the address is
// damaged.
export function readLink(hash) {
  const link = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value = ""] = part.split(/=(.*)/s);
    if (name === "moves") link.moves = unescaped(value).split(";").map((text) => text.trim()).filter((text) => text !== "");
    if (name === "seats") link.seats = value.split(",").map(unescaped);
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
