// Picks moves in Quad, Connect Four, Gomoku and Tic-tac-toe, on boards of any size, with a model written by "ludus export
// RUN --format onnx". Everything it needs is in the model's metadata; docs/ONNX.md explains them.
//
//     npm install onnxruntime-node
//     echo "d1; c1; d2" | node pick.js connect-four.onnx
//
// A line of input has the moves from the start to an unfinished position, as people write them; an empty line is the start.
// A line of output has the move to play, a tab, and the expected utility of the player to move, from -1 to 1.
// Another game is another class of rules: what a move does, what is legal, what the planes contain.
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const ort = require("onnxruntime-node");

// fields yields number and bytes (null of a plain number) of each field of a protobuf message.
function* fields(message) {
  let at = 0;
  const varint = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      value += (message[at] & 127) * scale;
      if (message[at++] < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint(); // the number itself, or how many bytes follow
    yield [tag >> 3, tag % 8 === 2 ? message.subarray(at, (at += value)) : null];
  }
}

// ONNX Runtime does not show a model's metadata to JavaScript. They are its fields 14: entries of a key, 1, and a value, 2.
const model = readFileSync(process.argv[2]);
const entries = [...fields(model)].filter(([number]) => number === 14).map(([, entry]) => new Map(fields(entry)));
const about = Object.fromEntries(entries.map((entry) => [entry.get(1).toString(), JSON.parse(entry.get(2).toString())]));
const { players, moves, parameters, frames } = about;
const { rows, columns, cells } = about.board; // cells: by cell, 1 where the board has it
const inputs = {};
if (about.figures) { // the model takes them, too, and so plays boards of any size
  const all = about.figures;
  const matrix = new Float32Array(cells.length * all.length);
  all.forEach((figure, i) => figure.forEach((cell) => (matrix[cell * all.length + i] = 1)));
  inputs.figures = new ort.Tensor("float32", matrix, [cells.length, all.length]);
}

// Game is a position: whose pieces stand where, and who moves.
class Game {
  pieces = cells.map(() => 0); // by cell: 1 is the first player's, 2 the second's
  mover = 0; // index of the player to move

  play(action) {
    this.pieces[action] = 1 + this.mover;
    this.mover = 1 - this.mover;
  }

  planes() { // functions of a cell
    return {
      "board": (cell) => cells[cell],
      "own pieces": (cell) => this.pieces[cell] === 1 + this.mover,
      "other's pieces": (cell) => this.pieces[cell] === 2 - this.mover,
      [`mover is ${players[0]}`]: () => this.mover === 0,
    };
  }
}

// LineUp: Connect Four, Gomoku, Tic-tac-toe. A line of pieces wins. With gravity pieces drop to the lowest empty cell.
class LineUp extends Game {
  isLegal(action) { // action i takes cell i
    const supported = parameters.gravity !== "1" || action < columns.length || this.pieces[action - columns.length] !== 0;
    return this.pieces[action] === 0 && supported;
  }

  planes() {
    return { ...super.planes(), "next free cells": (cell) => this.isLegal(cell) };
  }
}

// Quad: action i marks cell i, or for i from the number of cells on, blocks cell i - cells with a white piece (3).
class Quad extends Game {
  quads = Number(parameters.quads);
  whites = Number(parameters.whites);
  blocks = [0, 0]; // whites that both players have used

  play(action) {
    if (action < cells.length) {
      super.play(action);
    } else { // who blocks moves again
      this.pieces[action - cells.length] = 3;
      this.blocks[this.mover]++;
    }
  }

  isLegal(action) {
    const cell = action % cells.length;
    return cells[cell] === 1 && this.pieces[cell] === 0 && (action < cells.length || this.blocks[this.mover] < this.whites);
  }

  planes() {
    const left = (piece) => 1 - this.pieces.filter((p) => p === piece).length / this.quads;
    const [own, other] = [left(1 + this.mover), left(2 - this.mover)];
    return {
      ...super.planes(),
      "own quads left": () => own,
      "other's quads left": () => other,
      "white pieces": (cell) => this.pieces[cell] === 3,
      "own whites left": () => 1 - this.blocks[this.mover] / this.whites,
      "other's whites left": () => 1 - this.blocks[1 - this.mover] / this.whites,
    };
  }
}

async function pick(session, game, played) {
  for (const move of played) {
    const action = moves.indexOf(move);
    if (action < 0) {
      console.error(`${about.game} has no move '${move}'; its moves are written like ${moves[0]}, with ; between them`);
      process.exit(1);
    }
    game.play(action);
  }
  const frame = frames[players[game.mover]]; // where the mover sees cells and actions
  const planes = game.planes();
  const tensor = new Float32Array(about.planes.length * cells.length);
  about.planes.forEach((text, plane) => {
    const value = planes[text.split(":")[0]];
    frame.cells.forEach((entry, cell) => (tensor[plane * cells.length + entry] = Number(value(cell))));
  });
  const shape = [1, about.planes.length, rows.length, columns.length];
  const { policy, value } = await session.run({ ...inputs, tensor: new ort.Tensor("float32", tensor, shape) });
  const logit = (action) => policy.data[frame.policy[action]];
  const legal = [...moves.keys()].filter((action) => game.isLegal(action));
  return `${moves[legal.reduce((best, action) => (logit(action) > logit(best) ? action : best))]}\t${value.data[0].toFixed(4)}`;
}

async function main() {
  const Rules = { "line-up": LineUp, "quad": Quad }[about.family];
  if (about.metadata_version > 2 || !Rules) {
    console.error(`this example has no rules of ${about.game}, or does not know its metadata`);
    process.exit(1);
  }
  const session = await ort.InferenceSession.create(model);
  for await (const line of createInterface({ input: process.stdin })) {
    const played = line.split(";").map((move) => move.trim()).filter(Boolean);
    console.log(await pick(session, new Rules(), played));
  }
}

main();
